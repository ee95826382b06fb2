//! Groups of options, each declared once: a field is a flag of the program, a key of a benchmark
//! file and of `run.toml`, a keyword in Python, and a property of the JSON Schema, and its comment
//! is the text of all of them.
//!
//! An option that is not given is `None`, so that [`or`] can lay one group over another. A group
//! becomes settings of the stage that uses it in one place; nothing in here opens a file.

mod asking;
mod audit;
mod compare;
mod judge;
mod layers;
mod load;
mod names;
mod pair;
mod points;
mod rating;
mod renderer;
mod views;

pub use asking::AskOptions;
pub use audit::{AuditOptions, Half};
pub use compare::CompareOptions;
pub use judge::{Answers, OpenOptions, Tuning};
pub use layers::{given, or};
pub use load::LoadOptions;
pub use names::{choice, names};
pub use pair::PairOptions;
pub use points::PointOptions;
pub use rating::{RATINGS, RatingOptions, Ties, bootstraps};
pub use renderer::RendererChoice;
pub use views::{ViewOptions, own_file};
