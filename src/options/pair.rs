//! How a pair is sent to a judge.

use super::names::choice;
use crate::rubric::Form;
use clap::Args;
use serde::{Deserialize, Serialize};

/// How a pair is sent to a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[command(next_help_heading = "Pictures")]
pub struct PairOptions {
    /// How to send a pair: sheet (both objects in one picture), object (a picture of each),
    /// separate (one of each view) or strip (one picture, the photo above the sheet) [default:
    /// sheet]
    #[arg(id = "pictures", long, value_name = "FORM", value_parser = choice::<Form>())]
    pub form: Option<Form>,

    /// Scale a pair's sheet so that its longer side has at most this many pixels
    #[arg(id = "fit", long, value_name = "PX")]
    #[serde(alias = "fit")]
    pub fit_px: Option<u32>,
}
