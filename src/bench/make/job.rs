//! The inputs of one asset, and its path.

use super::guard::Guard;
use super::till::Till;
use crate::bench::prompt::Prompt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The folder for made assets in a run.
pub const MADE_FOLDER: &str = "made";

/// The inputs of one asset.
#[derive(Debug, Clone)]
pub struct AssetSpec<'a> {
    pub method: &'a str,
    pub prompt: &'a Prompt,
    pub seed: u32,
    /// The folder it is made in, which exists.
    pub folder: &'a Path,
    /// The folder's name once it is made.
    pub place: &'a Path,
    /// The hash of its inputs.
    pub recipe: &'a str,
    /// The graphics card, if it has one.
    pub gpu: Option<&'a str>,
    /// Ends the started processes if this process dies.
    pub guard: &'a Guard,
    /// Where its cost is booked.
    pub till: &'a Till,
    /// Set when everything is to end.
    pub stop: &'a AtomicBool,
}
