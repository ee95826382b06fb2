//! Which 3D asset is better, and how sure are we?
//!
//! The folders are the way of the data: `file → scene → frames → sheet → question → reply → verdict → run`.
//! A stage imports only stages above it in this list; `tests/meta/architecture.rs` holds that.

pub mod scene;

pub mod load;
pub mod save;

pub mod objects;

pub mod damage;
pub mod measure;

pub mod rig;

pub mod render;

pub mod sheet;

pub mod rubric;

pub mod judge;

pub mod store;

pub mod ask;

pub mod rate;

pub mod results;

pub mod exchange;

pub mod front;

pub mod bench;

pub mod audit;

pub mod report;

mod cli;

#[doc(hidden)]
pub use cli::main as command_line;

pub use ask::ViewOptions;
pub use front::{Comparison, FrontError, NamedGame, compare, load, rate, render, score};
pub use judge::Judge;
pub use render::Channel;
pub use rubric::Winner;
