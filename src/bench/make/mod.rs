//! Generators: a prompt and a seed → an asset in a file, or why there is none.
//!
//! Ready files are looked up at once. Commands and programs that stay are jobs for a few threads,
//! so that drawing and judging continue meanwhile. Assets are in
//! `made/<method>/<prompt id>/<seed>/` of the run; a folder under its final name is complete.

mod command;
mod glb;
mod guard;
mod job;
mod log;
mod maker;
mod paid;
mod pattern;
mod pool;
mod recipe;
mod secrets;
mod server;
mod till;
mod wildcard;

pub use job::MADE_FOLDER;
pub(super) use maker::Maker;
pub use maker::{AssetTurn, Method};
pub(super) use pattern::{escaped, fill};
pub(super) use pool::{Delivered, Job, Pool, Worker};
pub(super) use recipe::{Recipes, recipe_beside};
pub(super) use secrets::{redact_object, redacted_command};
pub(super) use till::Till;
pub(super) use wildcard::star;
