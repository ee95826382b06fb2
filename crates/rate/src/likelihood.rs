//! The log-likelihood of a win table, with its prior: first and second derivatives.
//!
//! All draw rules share one formula. With `h = e^{−x/2}`, `P(a) : P(tie) : P(b) = 1 : ν h : h²`;
//! ν = 0 is Bradley–Terry. A draw is half a score for each side under every rule, so only two
//! numbers of a cell count: its games and the score of `a` (Davidson 1970, eq. 3.2: wins plus half
//! the ties suffice for the strengths, all ties for ν).

use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::linear::{Concave, Factor};
use super::model::{Draws, Fit, Model, Prior};
use super::table::{Counts, Table};

/// What of a cell enters the likelihood.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sum {
    /// Weight of its games; a draw that is a win for both sides is two.
    pub games: f64,
    /// What `a` scored: wins, and half of each draw, or a whole one where a draw is two games.
    pub score: f64,
}

impl Sum {
    pub(super) fn new(counts: &Counts, draws: Draws) -> Self {
        let draw_wins = match draws {
            Draws::Half | Draws::Davidson => 0.5,
            Draws::BothWin => 1.0,
        };
        Self {
            games: counts.a_wins + counts.b_wins + 2.0 * draw_wins * counts.ties,
            score: counts.a_wins + draw_wins * counts.ties,
        }
    }

    pub(super) fn add(&mut self, more: Self) {
        self.games += more.games;
        self.score += more.score;
    }

    /// The score beyond what [`shares`] lead to expect.
    pub(super) fn beyond(self, [a, tie, _]: [f64; 3]) -> f64 {
        self.score - self.games * (a + 0.5 * tie)
    }

    /// Its log-likelihood where `a` is stronger by x, less a constant of ν.
    pub(super) fn log_likelihood(self, x: f64, nu: f64) -> f64 {
        let Self { games, score } = self;
        // `ln P(a) = −ln Z`, `ln P(b) = −x − ln Z`; half of each for a tie, without overflow.
        let log_z = if x >= 0.0 {
            let h = libm::exp(-0.5 * x);
            libm::log1p(nu * h + h * h)
        } else {
            let h = libm::exp(0.5 * x);
            libm::log1p(nu * h + h * h) - x
        };
        -(games - score) * x - games * log_z
    }
}

/// P(a), P(tie), P(b): `1 : ν h : h²` with `h = e^{−x/2}` (Davidson 1970), ν = 0 being
/// Bradley–Terry.
pub(super) fn shares(x: f64, nu: f64) -> [f64; 3] {
    let h = libm::exp(-0.5 * x.abs());
    let all = 1.0 + nu * h + h * h;
    let (better, tie, worse) = (1.0 / all, nu * h / all, h * h / all);
    if x >= 0.0 { [better, tie, worse] } else { [worse, tie, better] }
}

/// Minus the second derivative of one vote's log-likelihood by x.
pub(super) fn curvature([a, _, b]: [f64; 3]) -> f64 {
    0.25 * (a + b - (a - b) * (a - b))
}

/// Log-likelihood with its prior. Parameters: θ for each method, then β and ln ν if fitted.
pub(super) struct Likelihood<'a> {
    table: &'a Table,
    sums: &'a [Sum],
    num_parameters: usize,
    bias_at: Option<usize>,
    tie_at: Option<usize>,
    /// The observed sums, by parameter: the gradient is this minus the expected ones.
    seen: Vec<f64>,
    /// 1 / σ² of the prior, in natural units; 0 without one.
    pull: f64,
}

impl Concave for Likelihood<'_> {
    fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        self.seen_less_expected(at, gradient);
    }

    fn curved(&self, at: &[f64]) -> Option<Factor> {
        Factor::new(self.num_parameters, self.information(at))
    }
}

/// What depends on the parameters but not on the cell.
struct Point<'a> {
    theta: &'a [f64],
    /// `e^{θ/2}` and `e^{−θ/2}` by method: two roots a method instead of one a cell.
    up: Vec<f64>,
    down: Vec<f64>,
    bias: f64,
    /// `e^{−β·left/2}` for left = −1, 0, 1.
    turn: [f64; 3],
    nu: f64,
    /// Beyond this the products of roots could overflow.
    is_far: bool,
}

/// Largest θ for which `up · down` squared stays finite: 130,000 Elo points from the mean.
const THETA_MAX: f64 = 300.0;

impl Point<'_> {
    /// `h = e^{−x/2}`.
    fn h(&self, a: usize, b: usize, left: f64) -> f64 {
        if self.is_far {
            return libm::exp(-0.5 * (self.theta[a] - self.theta[b] + self.bias * left));
        }
        self.down[a] * self.up[b] * self.turn[(left + 1.0) as usize]
    }
}

impl<'a> Likelihood<'a> {
    /// `sums` has one entry for each cell of `table`; `ties` is the weight of all draws.
    pub(super) fn new(table: &'a Table, sums: &'a [Sum], ties: f64, model: &Model) -> Self {
        let mut num_parameters = table.num_methods;
        let mut next = |is_fitted: bool| {
            let at = num_parameters;
            num_parameters += usize::from(is_fitted);
            is_fitted.then_some(at)
        };
        let has_sides = table.cells.iter().any(|cell| cell.left() != 0.0);
        let bias_at = next(model.fits_bias && has_sides);
        let is_tied = || {
            let all: f64 = sums.iter().map(|sum| sum.games).sum();
            ties > 0.0 && ties < all
        };
        let tie_at = next(model.draws == Draws::Davidson && is_tied());
        let mut seen = vec![0.0; num_parameters];
        for (cell, sum) in table.cells.iter().zip(sums) {
            seen[cell.a] += sum.score;
            seen[cell.b] -= sum.score;
            if let Some(i) = bias_at {
                seen[i] += cell.left() * sum.score;
            }
        }
        if let Some(i) = tie_at {
            seen[i] = ties;
        }
        Self {
            table,
            sums,
            num_parameters,
            bias_at,
            tie_at,
            seen,
            pull: model.prior.map_or(0.0, Prior::precision),
        }
    }

    pub(super) fn parameters(&self, start: &Fit) -> Vec<f64> {
        let n = self.table.num_methods;
        let mean = start.ratings.iter().sum::<f64>() / n as f64;
        let mut at: Vec<f64> = start.ratings.iter().map(|r| (r - mean) / ELO_PER_NAT).collect();
        at.resize(self.num_parameters, 0.0);
        if let (Some(i), Some(bias)) = (self.bias_at, start.left_bias) {
            at[i] = bias;
        }
        if let (Some(i), Some(tie)) = (self.tie_at, start.tie) {
            at[i] = libm::log(tie);
        }
        at
    }

    pub(super) fn fit(&self, at: &[f64], iterations: usize) -> Fit {
        let theta = &at[..self.table.num_methods];
        let mean = theta.iter().sum::<f64>() / theta.len() as f64;
        Fit {
            ratings: theta.iter().map(|t| ELO_ORIGIN + (t - mean) * ELO_PER_NAT).collect(),
            left_bias: self.bias_at.map(|i| at[i]),
            tie: self.tie_at.map(|i| libm::exp(at[i])),
            iterations,
        }
    }

    fn point<'p>(&self, at: &'p [f64]) -> Point<'p> {
        let theta = &at[..self.table.num_methods];
        let bias = self.bias_at.map_or(0.0, |i| at[i]);
        let up: Vec<f64> = theta.iter().map(|t| libm::exp(0.5 * t)).collect();
        Point {
            theta,
            down: up.iter().map(|u| 1.0 / u).collect(),
            up,
            bias,
            turn: [-1.0, 0.0, 1.0].map(|left| libm::exp(-0.5 * bias * left)),
            nu: self.tie_at.map_or(0.0, |i| libm::exp(at[i])),
            is_far: theta.iter().any(|t| t.abs() > THETA_MAX) || bias.abs() > THETA_MAX,
        }
    }

    /// Seen minus expected, by parameter, and the prior's part.
    fn seen_less_expected(&self, at: &[f64], gradient: &mut [f64]) {
        let point = self.point(at);
        gradient.copy_from_slice(&self.seen);
        let (mut bias, mut ties) = (0.0, 0.0);
        for (cell, sum) in self.table.cells.iter().zip(self.sums) {
            let left = cell.left();
            let h = point.h(cell.a, cell.b, left);
            let tie = point.nu * h;
            let games = sum.games / (1.0 + tie + h * h);
            let score = games * (1.0 + 0.5 * tie);
            gradient[cell.a] -= score;
            gradient[cell.b] += score;
            bias += left * score;
            ties += games * tie;
        }
        if let Some(i) = self.bias_at {
            gradient[i] -= bias;
        }
        if let Some(i) = self.tie_at {
            gradient[i] -= ties;
        }
        self.pull(at, gradient);
    }

    /// Without a prior, `(Σθ)² / 2` holds the sum at 0, which the likelihood leaves free.
    fn pull(&self, at: &[f64], gradient: &mut [f64]) {
        let n = self.table.num_methods;
        let sum: f64 = at[..n].iter().sum();
        let gauge = if self.pull == 0.0 { sum } else { 0.0 };
        gradient[..n].iter_mut().zip(at).for_each(|(g, t)| *g -= gauge + self.pull * t);
        if let Some(i) = self.bias_at {
            gradient[i] -= self.pull * at[i];
        }
    }

    /// The lower half of the negative Hessian, row-major; it does not depend on who won.
    pub(super) fn information(&self, at: &[f64]) -> Vec<f64> {
        let p = self.num_parameters;
        let mut out = self.prior_information();
        let point = self.point(at);
        for (cell, sum) in self.table.cells.iter().zip(self.sums) {
            let left = cell.left();
            let h = point.h(cell.a, cell.b, left);
            let all = 1.0 + point.nu * h + h * h;
            let (a, tie, b) = (1.0 / all, point.nu * h / all, h * h / all);
            // Derivatives of expected scores and ties by x and by ln ν.
            let xx = 0.25 * sum.games * (a + b - (a - b) * (a - b));
            let x_tie = -0.5 * sum.games * tie * (a - b);
            let tie_tie = sum.games * tie * (1.0 - tie);
            out[cell.a * p + cell.a] += xx;
            out[cell.b * p + cell.b] += xx;
            out[cell.b * p + cell.a] -= xx;
            if let Some(i) = self.bias_at {
                out[i * p + cell.a] += left * xx;
                out[i * p + cell.b] -= left * xx;
                out[i * p + i] += left * left * xx;
            }
            if let Some(i) = self.tie_at {
                out[i * p + cell.a] += x_tie;
                out[i * p + cell.b] -= x_tie;
                if let Some(bias) = self.bias_at {
                    out[i * p + bias] += left * x_tie;
                }
                out[i * p + i] += tie_tie;
            }
        }
        out
    }

    fn prior_information(&self) -> Vec<f64> {
        let (n, p) = (self.table.num_methods, self.num_parameters);
        let mut out = vec![0.0; p * p];
        let gauge = if self.pull == 0.0 { 1.0 } else { 0.0 };
        for i in 0..n {
            out[i * p..=i * p + i].fill(gauge);
        }
        for i in (0..n).chain(self.bias_at) {
            out[i * p + i] += self.pull;
        }
        out
    }
}
