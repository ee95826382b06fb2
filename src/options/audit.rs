//! What an audit asks about.

use super::asking::whole;
use super::names::choice;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What an audit asks about.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize, Deserialize)]
pub struct AuditOptions {
    /// Folder of clean assets to use instead of the built-in objects
    #[arg(long, value_name = "DIR", conflicts_with = "split")]
    pub bases: Option<PathBuf>,

    /// Which built-in objects: held out (not used to fit thresholds), the fitting half, or all
    /// [default: held]
    #[arg(long, help_heading = "More", value_name = "HALF", value_parser = choice::<Half>())]
    pub split: Option<Half>,

    /// Use this many new objects, assembled at random from --seed
    #[arg(long, value_name = "N", conflicts_with_all = ["bases", "split"], value_parser = whole(1..=100_000))]
    pub fresh: Option<u32>,

    /// Maximum number of objects
    #[arg(long, help_heading = "More", value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub objects: Option<u32>,

    /// Kinds or families (geometry, texture, harmless, scene) [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub kinds: Option<Vec<String>>,

    /// Levels of damage, each above 0 and up to 1 [default: 0.25,0.5,1]
    #[arg(long, value_name = "LEVELS", value_delimiter = ',')]
    pub levels: Option<Vec<f32>>,
}

/// Some of the built-in objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Half {
    #[default]
    Held,
    Fit,
    All,
}
