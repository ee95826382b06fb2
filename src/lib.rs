//! Which 3D asset is better, and how sure are we?
//!
//! Meshes in, verdicts with evidence out. One call each, with a program for each in `examples/`:
//!
//! [`load`](load()) reads an asset, [`load_asset`] also one of Gaussian splats,
//! [`render`](render()) draws its views:
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
//! [`compare`] has a [`Judge`] choose the better asset, [`score`] rate one by prompt or photo:
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
//! use meshjudge::{BoardSettings, NamedGame, Winner};
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
//! # Ok::<(), meshjudge::RateError>(())
//! ```
//!
//! These items are the public interface; [`unstable`] has every single step, without a promise.

#![deny(missing_docs)]

#[allow(missing_docs)]
pub mod unstable;

mod cli;
mod error;

#[doc(hidden)]
pub use cli::{main as command_line, run as command_line_with};

pub use ask::Photo;
pub use error::{Error, Kind, Unknown};
pub use front::{
    Comparison, CriterionFinding, Finding, JudgeFindings, NamedGame, ScoreQuestion, Scored,
    compare, load, load_asset, rate, render, score,
};
pub use judge::Judge;
pub use load::{LoadError, Loaded, Warning};
pub use options::ViewOptions;
pub use rate::{Board, BoardSettings, Bound, Interval, Line, RateError};
pub use render::{Channel, Frame, Image, ImageError, PixelFormat, RenderError};
pub use rubric::{Outcome, Verdict, Winner};
pub use scene::{Asset, AssetRef, Material, Mesh, Scene, SceneError, SplatScene, Texture};
pub use store::{Attempt, Record};

// Every stage by its own name, `crate::render`, for the code of the package.
use unstable::{
    ask, audit, bench, check, damage, exchange, features, front, judge, load, measure, metrics,
    objects, options, rate, render, report, results, rig, rubric, save, scene, sheet, store,
};
