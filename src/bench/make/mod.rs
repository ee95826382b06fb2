//! Generators: a prompt and a seed → an asset in a file, or why there is none.
//!
//! Ready files are looked up at once. Commands and requests are jobs for a few threads, so that drawing and judging go on meanwhile.
//! What was made lies in `made/<method>/<prompt id>/<seed>/` of the run; a folder under its final name is whole.

mod command;
mod http;
mod job;
mod maker;
mod pattern;
mod pool;

pub use http::redacted_url;
pub use job::MADE_FOLDER;
pub(super) use maker::Maker;
pub use maker::Method;
pub(super) use pool::{Delivered, Job, Pool};
