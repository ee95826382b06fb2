//! How verdicts become ratings: flags, else the benchmark file, else the defaults.

use crate::error::Error;
use crate::exchange::read_control_table;
use crate::options::{RATINGS, RatingOptions};
use crate::results::RateSettings;
use clap::Args;
use std::path::PathBuf;

/// How verdicts become ratings.
#[derive(Debug, Clone, Args)]
pub(super) struct RatingArgs {
    #[command(flatten)]
    pub options: RatingOptions,

    /// Table of figures for --control: CSV or .jsonl with method, prompt (a text or an id of the
    /// run) and a number or true/false for each other column
    #[arg(long, help_heading = RATINGS, value_name = "FILE", requires = "control")]
    pub control_from: Option<PathBuf>,
}

impl RatingArgs {
    /// For these runs.
    ///
    /// # Errors
    /// The runs' benchmark files differ, and no flag decides; an invalid table.
    pub(super) fn settings(&self, folders: &[PathBuf]) -> Result<RateSettings, Error> {
        let table = self.control_from.as_deref().map(read_control_table).transpose()?;
        let settings = RateSettings::of(&self.options, folders)?;
        Ok(RateSettings { control_table: table, ..settings })
    }
}
