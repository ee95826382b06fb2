//! Pairwise comparisons → ratings with intervals, agreement, and a stopping rule.
//!
#![doc = include_str!("../README.md")]
//!
//! # Vocabulary
//!
//! An [`Answer`] is what one judge said about two methods, in one order. Both orders together are
//! one [`Unit`], and a unit becomes one [`Game`]. Games are gathered in a [`Table`], cluster by
//! cluster; a cluster is a prompt. [`fit`] finds the ratings, [`board()`] also how sure they are.

mod absolute;
mod anchored;
mod board;
mod bootstrap;
mod bradley_terry;
mod categories;
mod certainty;
mod checked;
mod confusion;
mod connect;
mod controlled;
mod correlation;
mod diagnose;
mod elo;
mod error;
mod game;
mod hierarchy;
mod inter_rater;
mod jury;
mod likelihood;
mod linear;
mod model;
mod normal;
mod parts;
mod place;
mod precision;
mod quantile;
mod random;
mod ranks;
mod scored;
mod settled;
mod share;
mod spread;
mod table;
mod winner;

pub use absolute::{Mean, Score, mean};
pub use anchored::{AnchoredBoard, AnchoredLine, JudgeBoard, JudgeWorth, anchored, judge_board};
pub use board::{Board, BoardSettings, Bound, Line, board, people_board};
pub use bootstrap::{CLUSTERS_MIN, Interval, percentiles};
pub use bradley_terry::fit;
pub use categories::{ByCategory, CategoryLine, by_category};
pub use certainty::{Certainty, certainty};
pub use checked::{Checked, CheckedAnswer, checked};
pub use confusion::{Accuracy, AgreementRates, Estimate, Sampling, accuracy, cohen_kappa};
pub use controlled::{
    Controlled, ControlledLine, Effect, Meeting, Refused, Uncontrollable, controlled,
};
pub use correlation::{Correlations, correlations};
pub use diagnose::{Diagnosis, Intransitivity, LeftOut, Variant, diagnose};
pub use elo::{ELO_ORIGIN, ELO_PER_NAT};
pub use error::RateError;
pub use game::{Answer, Consistency, Game, Side, Unit, games, units};
pub use inter_rater::{Agreement, Raters, Vote, agreement, majority, raters};
pub use jury::{Jury, JuryLine, Trial, jury};
pub use model::{Anchor, Draws, Fit, Model, Prior};
pub use place::{Placed, place};
pub use precision::{Precision, precision};
pub use quantile::widening;
pub use random::Random;
pub use scored::{Number, ScoredLine, scored};
pub use settled::{Duel, FALSE_CLAIMS, Goal, Open, Settled, Shown};
pub use share::{share, share_difference};
pub use table::{Cell, Counts, Share, Table};
pub use winner::Winner;
