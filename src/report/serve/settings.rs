//! What is served, and how.

use crate::load::Options;
use crate::results::RateSettings;
use crate::rubric::Rubric;
use std::path::PathBuf;

/// What is served, and how.
#[derive(Debug)]
pub struct ServeSettings {
    pub folder: PathBuf,
    /// None for [`PORT`](super::PORT) or the next that is free.
    pub port: Option<u16>,
    /// The rubric whose titles and descriptions a voter reads; none for the built-in one of the run's name, else the criteria's keys.
    pub rubric: Option<Rubric>,
    /// How assets are read for the 3D views.
    pub load: Options,
    /// How the report rates.
    pub rating: RateSettings,
}
