//! Verdicts as plain numbers → ratings with intervals, agreement, position bias. No files, no pictures, no judges.
//!
//! Vocabulary: an [`Answer`] is what one judge said about two methods, in one order. Both orders together are one [`Unit`], and a
//! unit becomes one [`Game`]. Games are gathered in a [`Table`], cluster by cluster; a cluster is a prompt. [`fit`] finds the
//! ratings, [`bootstrap()`] how sure they are.

mod absolute;
mod agreement;
mod board;
mod bootstrap;
mod bradley_terry;
mod concord;
mod confusion;
mod connect;
mod error;
mod game;
mod likelihood;
mod linear;
mod place;
mod precision;
mod random;
mod table;

pub use crate::rubric::Winner;
pub use absolute::{Mean, Score, mean};
pub use agreement::{Accuracy, accuracy, cohen_kappa, kendall_tau_b, spearman};
pub use board::{Board, BoardSettings, Line, board};
pub use bootstrap::{Bootstrap, CLUSTERS_MIN, Interval, bootstrap};
pub use bradley_terry::{Anchor, Draws, Fit, Model, Prior, fit};
pub use concord::{Agreement, Raters, Vote, agreement, majority, raters};
pub use confusion::{Estimate, Sameness, Sampling};
pub use connect::{components, strong_components};
pub use error::RateError;
pub use game::{Answer, Consistency, Game, Side, Unit, each_order_games, games, units};
pub use place::{Placed, place};
pub use precision::{Precision, precision};
pub use random::Random;
pub use table::{Cell, Counts, Share, Table};

/// Elo points for a factor of ten in the odds (Elo 1978; Chatbot Arena and GPTEval3D use the same).
pub const ELO_SCALE: f64 = 400.0;
/// Rating of the anchor, or of the mean of all methods.
pub const ELO_ORIGIN: f64 = 1000.0;
/// Elo points per natural unit of log-odds: `400 / ln 10`.
pub const ELO_PER_NAT: f64 = ELO_SCALE / std::f64::consts::LN_10;
