//! The model to fit, its assumptions, and its result.

use super::elo::ELO_PER_NAT;

/// What a draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Draws {
    /// Half a win for each.
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts: ratings move together.
    BothWin,
    /// An outcome of its own; [`Draws::Half`] if no game or every game is drawn.
    Davidson,
}

/// A weak normal prior on ratings, about their mean, and the bias. Keeps all-win methods finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// Standard deviation in Elo points; positive.
    pub sd_elo: f64,
}

impl Prior {
    /// 1 / σ² in natural log-odds.
    pub(super) fn precision(self) -> f64 {
        let sd = self.sd_elo / ELO_PER_NAT;
        1.0 / (sd * sd)
    }
}

impl Default for Prior {
    /// 800 points: odds of 100 to 1 are one standard deviation, and its pull equals about a fifth
    /// of one game at even odds.
    fn default() -> Self {
        Self { sd_elo: 800.0 }
    }
}

/// The method with rating 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Anchor {
    #[default]
    Mean,
    Method(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// What a draw is.
    pub draws: Draws,
    /// None is exact maximum likelihood.
    pub prior: Option<Prior>,
    /// Whether the left/right bias is fitted; games without a side say nothing of it.
    pub fits_bias: bool,
}

impl Default for Model {
    fn default() -> Self {
        Self { draws: Draws::Half, prior: Some(Prior::default()), fits_bias: false }
    }
}

/// Ratings at the maximum.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Elo points, by method.
    pub ratings: Vec<f64>,
    /// Log-odds (natural) that standing left adds; positive favours the left.
    pub left_bias: Option<f64>,
    /// Davidson's ν: between equals, the ratio of ties to wins of one side.
    pub tie: Option<f64>,
    pub iterations: usize,
}
