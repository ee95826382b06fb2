//! Which 3D asset is better, and how sure are we?
//!
//! Meshes go in, verdicts with their evidence come out. In one call each, with a program for each in `examples/`:
//!
//! [`load`](load()) reads an asset, [`render`](render()) draws its views:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use meshjudge::{Channel, ViewOptions};
//!
//! let loaded = meshjudge::load("assets/demo/chair_clean.glb")?;
//! let options = ViewOptions {
//!     views: Some(4),
//!     tile_px: Some(256),
//!     ..ViewOptions::default()
//! };
//! let frames = meshjudge::render(&loaded.scene, &options, &[Channel::Rgb, Channel::Normal])?;
//! let colour = &frames[0].images[&Channel::Rgb];
//! assert_eq!(colour.pixels.len(), 256 * 256 * 3); // rows from the top, 8 bits a channel, sRGB
//! let png: Vec<u8> = colour.to_png()?;
//! # assert!(png.starts_with(b"\x89PNG"));
//! # Ok(())
//! # }
//! ```
//!
//! [`compare`] asks a [`Judge`] which of two assets is better, [`score`] how well one shows its prompt or its photo:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use meshjudge::{Judge, Winner};
//!
//! let clean = meshjudge::load("assets/demo/vase_clean.glb")?;
//! let damaged = meshjudge::load("assets/demo/vase_damaged.glb")?;
//! let comparison = meshjudge::compare(&clean, &damaged, "a clay vase", &Judge::Probe)?;
//! assert_eq!(comparison.winner("plausibility"), Some(Winner::A));
//! # Ok(())
//! # }
//! ```
//!
//! [`rate`](rate()) turns any table of games into ratings with intervals:
//!
//! ```
//! use meshjudge::{NamedGame, Winner, rate::BoardSettings};
//!
//! let game = |(prompt, a, b, winner): (&str, &str, &str, Winner)| NamedGame {
//!     a: a.to_owned(),
//!     b: b.to_owned(),
//!     prompt: prompt.to_owned(),
//!     winner,
//! };
//! let games = [
//!     ("a chair", "ours", "theirs", Winner::A),
//!     ("a vase", "ours", "theirs", Winner::A),
//!     ("a boat", "ours", "theirs", Winner::B),
//! ]
//! .map(game);
//! let (methods, board) = meshjudge::rate(&games, &BoardSettings::default())?;
//! assert_eq!(methods[board.lines[0].method], "ours");
//! # Ok::<(), meshjudge::rate::RateError>(())
//! ```
//!
//! # Stages
//!
//! Each module is one stage, and a stage imports only stages above it in this list. A test enforces this.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`scene`] | the vocabulary: [`Scene`](scene::Scene), [`Mesh`](scene::Mesh), [`Material`](scene::Material), [`Texture`](scene::Texture) |
//! | [`load`](mod@load), [`save`] | bytes ↔ [`Scene`](scene::Scene) |
//! | [`objects`], [`damage`] | clean built-in objects; the same asset, worse in one known way |
//! | [`measure`] | a scene → facts: holes, pieces, noise, texel density |
//! | [`rig`], [`render`](mod@render) | a scene and cameras → [`Frame`](render::Frame)s with any [`Channel`] |
//! | [`metrics`] | two surfaces, or two pictures → numbers with their definitions |
//! | [`sheet`] | frames, or a photo with its mask → the pictures that a rubric shows |
//! | [`rubric`] | a file in `prompts/` → the question, and the reader of its answers |
//! | [`judge`] | a [`Question`](judge::Question) → a [`Reply`](judge::Reply) |
//! | [`store`] | the run folder: a [`Request`](store::Request) is a question × a judge × a sample, an [`Attempt`](store::Attempt) one try with its reply, a [`Record`](store::Record) the run's entry for it |
//! | [`ask`] | questions + judges + store → records: one [`Session`](ask::Session), the only loop that asks |
//! | [`rate`](mod@rate) | games as plain numbers → ratings with intervals, agreement, position bias |
//! | [`results`] | the records of runs → boards, agreement, spending |
//! | [`exchange`] | votes, ratings, other programs' tournaments and published scores |
//! | [`front`] | the calls above, and their single steps, with all options |
//! | [`bench`](mod@bench) | a benchmark file → assets, pictures and questions |
//! | [`audit`] | pairs whose right answer is known → the reliability of a judge |
//! | [`report`] | results and pictures → page, tables, files; the local page for voting |

pub use meshjudge_asset::{
    damage, load, measure, metrics, objects, render, rig, save, scene, sheet,
};

pub mod rubric;

pub mod judge;

pub mod store;

pub mod ask;

pub use meshjudge_rate as rate;

pub mod results;

pub mod exchange;

pub mod front;

pub mod bench;

pub mod audit;

pub mod report;

mod cli;

#[doc(hidden)]
pub use cli::{main as command_line, run as command_line_with};

pub use ask::ViewOptions;
pub use front::{
    Comparison, FrontError, NamedGame, ScoreQuestion, Scored, compare, load, rate, render, score,
};
pub use judge::Judge;
pub use render::Channel;
pub use rubric::Winner;
