//! The settings of the server.

use super::address::PublicUrl;
use crate::load::Options;
use crate::results::RateSettings;
use crate::rubric::Rubric;
use std::net::IpAddr;
use std::path::PathBuf;

/// The settings of the server.
#[derive(Debug)]
pub struct ServeSettings {
    /// A run, or the shards of one run.
    pub folder: PathBuf,
    /// None for [`PORT`](super::PORT) or the next that is free.
    pub port: Option<u16>,
    /// The rubric whose titles and descriptions a voter reads; none for the built-in one of the
    /// run's name, else the criteria's keys.
    pub rubric: Option<Rubric>,
    /// How assets are read for the 3D views.
    pub load: Options,
    /// How the report rates.
    pub rating: RateSettings,
    /// For raters elsewhere; none for this machine only, where every user can read and vote.
    pub public: Option<PublicSettings>,
}

/// How raters elsewhere vote.
#[derive(Debug, Clone)]
pub struct PublicSettings {
    /// Where connections are accepted.
    pub bind: IpAddr,
    /// Where raters reach it, through a proxy or a tunnel; none where they reach `bind` itself.
    pub url: Option<PublicUrl>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub proxies: Vec<IpAddr>,
    /// Accepted by each rater before the first pair; none for no question.
    pub consent: Option<String>,
    /// Number of pairs between checks; none for no checks.
    pub check_every: Option<usize>,
    /// Maximum number of pairs for each rater; none for all.
    pub votes_max: Option<usize>,
}
