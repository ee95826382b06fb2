//! The log-likelihood of games with its prior, and its derivatives. Plain ratings have no
//! covariates; the left/right bias is one, and so is every figure that is held equal.
//!
//! All draw rules share one formula. With `h = e^{−x/2}`, `P(a) : P(tie) : P(b) = 1 : ν h : h²`;
//! ν = 0 is Bradley–Terry. A draw is half a score for each side under every rule, so only two
//! numbers of a cell count: its games and the score of `a` (Davidson 1970, eq. 3.2: wins plus half
//! the ties suffice for the strengths, all ties for ν).

use super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::linear::{Factor, dot};
use super::model::{Draws, Fit, Model, Prior};
use super::table::{Cell, Counts, Table};

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

    /// The score beyond what [`shares`] lead to expect.
    pub(super) fn beyond(self, [a, tie, _]: [f64; 3]) -> f64 {
        self.score - self.games * (a + 0.5 * tie)
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

/// Davidson's ν.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ties {
    Known(f64),
    /// Fitted to this weight of draws.
    Fitted(f64),
}

/// Two methods and what was said of them, where all covariates are the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub a: usize,
    pub b: usize,
    pub sum: Sum,
}

/// Each cell of a table with these counts instead of its totals.
pub(super) fn rows(table: &Table, totals: &[Counts], draws: Draws) -> Vec<Row> {
    let each = table.cells.iter().zip(totals);
    each.map(|(&Cell { a, b, .. }, of)| Row { a, b, sum: Sum::new(of, draws) }).collect()
}

/// Parameters: θ for each method, then β of each covariate, then ln ν if fitted.
pub(super) struct Likelihood {
    pub num_methods: usize,
    rows: Vec<Row>,
    /// Row by row, `num_covariates` of each.
    covariates: Vec<f64>,
    pub num_covariates: usize,
    ties: Ties,
    /// 1 / σ² of the prior, in natural units; 0 without one.
    pub pull: f64,
}

/// Larger log-odds of a method, or of all covariates of a row, count as this: products of their
/// roots do not overflow.
const NATS_MAX: f64 = 300.0;
/// A larger h counts as this, for the same reason.
const H_MAX: f64 = 1e150;

fn root(nats: f64) -> f64 {
    libm::exp(0.5 * nats.clamp(-NATS_MAX, NATS_MAX))
}

impl Likelihood {
    pub(super) fn new(
        num_methods: usize,
        rows: Vec<Row>,
        covariates: Vec<f64>,
        ties: Ties,
        prior: Option<Prior>,
    ) -> Self {
        let num_covariates = covariates.len().checked_div(rows.len()).unwrap_or(0);
        let pull = prior.map_or(0.0, Prior::precision);
        Self { num_methods, rows, covariates, num_covariates, ties, pull }
    }

    /// Of a table's cells, with these counts instead of its totals.
    pub(super) fn of_table(table: &Table, totals: &[Counts], model: &Model) -> Self {
        let rows = rows(table, totals, model.draws);
        let lefts = table.cells.iter().map(Cell::left);
        let fits_bias = model.fits_bias && lefts.clone().any(|left| left != 0.0);
        let drawn = totals.iter().map(|counts| counts.ties).sum();
        let is_tied = drawn > 0.0 && drawn < rows.iter().map(|row| row.sum.games).sum();
        let ties = match model.draws == Draws::Davidson && is_tied {
            true => Ties::Fitted(drawn),
            false => Ties::Known(0.0),
        };
        let covariates = lefts.filter(|_| fits_bias).collect();
        Self::new(table.num_methods, rows, covariates, ties, model.prior)
    }

    fn num_parameters(&self) -> usize {
        self.tie_at() + usize::from(matches!(self.ties, Ties::Fitted(_)))
    }

    /// Where ln ν is, if it is fitted.
    fn tie_at(&self) -> usize {
        self.num_methods + self.num_covariates
    }

    /// Ratings in Elo points and, where they are fitted, the first covariate and ν → parameters.
    pub(super) fn parameters(&self, start: &Fit) -> Vec<f64> {
        let mean = start.ratings.iter().sum::<f64>() / self.num_methods as f64;
        let mut at: Vec<f64> = start.ratings.iter().map(|r| (r - mean) / ELO_PER_NAT).collect();
        at.resize(self.num_parameters(), 0.0);
        if let (1.., Some(bias)) = (self.num_covariates, start.left_bias) {
            at[self.num_methods] = bias;
        }
        if let (Ties::Fitted(_), Some(tie)) = (self.ties, start.tie) {
            at[self.tie_at()] = libm::log(tie);
        }
        at
    }

    pub(super) fn fit(&self, at: &[f64], iterations: usize) -> Fit {
        let theta = &at[..self.num_methods];
        let mean = theta.iter().sum::<f64>() / theta.len() as f64;
        Fit {
            ratings: theta.iter().map(|t| ELO_ORIGIN + (t - mean) * ELO_PER_NAT).collect(),
            left_bias: (self.num_covariates > 0).then(|| at[self.num_methods]),
            tie: matches!(self.ties, Ties::Fitted(_)).then(|| libm::exp(at[self.tie_at()])),
            iterations,
        }
    }

    /// Calls with each row, its covariates and its chances of a win, a tie and a loss of `a`.
    pub(super) fn each(&self, at: &[f64], mut of: impl FnMut(&Row, &[f64], [f64; 3])) {
        let beta = &at[self.num_methods..self.tie_at()];
        // `e^{θ/2}` and `e^{−θ/2}` by method: two roots a method instead of one a row.
        let up: Vec<f64> = at[..self.num_methods].iter().map(|t| root(*t)).collect();
        let down: Vec<f64> = up.iter().map(|u| 1.0 / u).collect();
        let nu = match self.ties {
            Ties::Known(nu) => nu,
            Ties::Fitted(_) => libm::exp(at[self.tie_at()]),
        };
        let mut covariates = self.covariates.chunks_exact(beta.len().max(1));
        for row in &self.rows {
            let mut h = down[row.a] * up[row.b];
            let z = covariates.next().unwrap_or_default();
            if !z.is_empty() {
                h *= root(-dot(beta, z));
            }
            let h = h.min(H_MAX);
            let (tie, lost) = (nu * h, h * h);
            let all = 1.0 + tie + lost;
            of(row, z, [1.0 / all, tie / all, lost / all]);
        }
    }

    /// Adds a score to those of a row's parameters, `ties` being drawn games beyond expectation.
    pub(super) fn add(&self, to: &mut [f64], row: &Row, z: &[f64], score: f64, ties: f64) {
        to[row.a] += score;
        to[row.b] -= score;
        to[self.num_methods..].iter_mut().zip(z).for_each(|(to, z)| *to += score * z);
        if let Ties::Fitted(_) = self.ties {
            to[self.tie_at()] += ties;
        }
    }

    /// Factor of the negative Hessian, which does not depend on who won; none where it is not
    /// positive definite.
    pub(super) fn curved(&self, at: &[f64]) -> Option<Factor> {
        let (n, p) = (self.num_methods, self.num_parameters());
        // The factor reads the lower half only.
        let mut out = vec![0.0; p * p];
        // Without a prior, `(Σθ)² / 2` holds the sum at 0, which the likelihood leaves free.
        let gauge = if self.pull == 0.0 { 1.0 } else { 0.0 };
        for i in 0..n {
            out[i * p..=i * p + i].fill(gauge);
        }
        (0..self.tie_at()).for_each(|i| out[i * p + i] += self.pull);
        self.each(at, |row, z, shares @ [a, tie, b]| {
            // Derivatives of expected scores and ties by x and by ln ν.
            let xx = row.sum.games * curvature(shares);
            let x_tie = -0.5 * row.sum.games * tie * (a - b);
            out[row.a * p + row.a] += xx;
            out[row.b * p + row.b] += xx;
            out[row.a.max(row.b) * p + row.a.min(row.b)] -= xx;
            let mut add = |i: usize, by: f64, own: &[f64]| {
                let line = &mut out[i * p..=i * p + i];
                line[row.a] += by;
                line[row.b] -= by;
                line[n..].iter_mut().zip(own).for_each(|(to, z)| *to += by * z);
            };
            for (k, z_k) in z.iter().enumerate() {
                add(n + k, z_k * xx, z);
            }
            if let Ties::Fitted(_) = self.ties {
                add(p - 1, x_tie, z);
                out[p * p - 1] += row.sum.games * tie * (1.0 - tie);
            }
        });
        Factor::new(p, out)
    }

    pub(super) fn gradient(&self, at: &[f64], gradient: &mut [f64]) {
        gradient.fill(0.0);
        self.each(at, |row, z, shares| {
            self.add(gradient, row, z, row.sum.beyond(shares), -row.sum.games * shares[1]);
        });
        if let Ties::Fitted(drawn) = self.ties {
            gradient[self.tie_at()] += drawn;
        }
        let sum: f64 = at[..self.num_methods].iter().sum();
        let gauge = if self.pull == 0.0 { sum } else { 0.0 };
        gradient[..self.num_methods].iter_mut().for_each(|g| *g -= gauge);
        let pulled = gradient[..self.tie_at()].iter_mut().zip(at);
        pulled.for_each(|(g, at)| *g -= self.pull * at);
    }
}
