//! Games as a hierarchy reads them, part by part: their likelihood, without a prior and with
//! Davidson's ν given instead of fitted, and the scatter between clusters for its scale.

use super::error::RateError;
use super::game::Game;
use super::likelihood::{Likelihood, Row, Sum, Ties, curvature, rows};
use super::linear::{add_pair, halved};
use super::model::Draws;
use super::normal::Normal;
use super::table::{Cell, Table};

/// The games of one part.
pub(super) struct Part {
    likelihood: Likelihood,
    left_bias: f64,
    /// By prompt and, where they are known, by voter; none without games.
    tables: Vec<Table>,
    draws: Draws,
}

impl Part {
    /// `voters` has the voter of each game, or of none.
    ///
    /// # Errors
    /// As [`Table::new`]; a part can have no games.
    pub(super) fn new(
        num_methods: usize,
        games: &[Game],
        voters: &[usize],
        draws: Draws,
        left_bias: f64,
    ) -> Result<Self, RateError> {
        let by_voter = games.iter().zip(voters).map(|(of, voter)| Game { prompt: *voter, ..*of });
        let tables: Vec<Table> = [games.to_vec(), by_voter.collect()]
            .iter()
            .filter(|games| !games.is_empty())
            .map(|games| Table::new(num_methods, games))
            .collect::<Result<_, _>>()?;
        let rows = tables.first().map_or_else(Vec::new, |it| rows(it, &it.totals, draws));
        let cells = tables.iter().take(1).flat_map(|table| &table.cells);
        let lefts = cells.map(Cell::left).filter(|_| left_bias != 0.0).collect();
        let likelihood = Likelihood::new(num_methods, rows, lefts, Ties::Fitted(0.0), None);
        Ok(Self { likelihood, left_bias, tables, draws })
    }

    pub(super) fn num_prompts(&self) -> usize {
        self.tables.first().map_or(0, |table| table.num_clusters)
    }

    fn each(&self, strengths: &[f64], nu: f64, mut of: impl FnMut(&Row, [f64; 3])) {
        let bias = (self.likelihood.num_covariates > 0).then_some(self.left_bias);
        let at = strengths.iter().copied().chain(bias).chain([libm::log(nu)]);
        self.likelihood.each(&at.collect::<Vec<_>>(), |row, _, expected| of(row, expected));
    }

    /// Davidson's ν that explains as many ties as there are, at these strengths; 0 without ties or
    /// without decided games.
    pub(super) fn nu(&self, strengths: &[f64]) -> f64 {
        let totals = self.tables.iter().take(1).flat_map(|table| &table.totals);
        let [ties, games] =
            totals.fold([0.0; 2], |[ties, all], it| [ties + it.ties, all + it.total()]);
        if ties == 0.0 || ties >= games {
            return 0.0;
        }
        // Expected ties rise with ν.
        let is_below = |ln_nu: f64| {
            let mut expected = 0.0;
            let add = |row: &Row, [_, tie, _]: [f64; 3]| expected += row.sum.games * tie;
            self.each(strengths, libm::exp(ln_nu), add);
            expected < ties
        };
        libm::exp(halved((-30.0, 30.0), is_below))
    }

    /// The log-likelihood, less a constant of ν: half of a tie for each method.
    pub(super) fn value(&self, strengths: &[f64], nu: f64) -> f64 {
        let mut value = 0.0;
        self.each(strengths, nu, |Row { sum, .. }, [a, _, b]| {
            value += sum.score * libm::log(a) + (sum.games - sum.score) * libm::log(b);
        });
        value
    }

    /// Its gradient by strengths, and the negative Hessian, `methods × methods`, row-major.
    pub(super) fn slopes(&self, strengths: &[f64], nu: f64) -> (Vec<f64>, Vec<f64>) {
        let k = strengths.len();
        let (mut gradient, mut information) = (vec![0.0; k], vec![0.0; k * k]);
        self.each(strengths, nu, |Row { a, b, sum }, expected| {
            let more = sum.beyond(expected);
            gradient[*a] += more;
            gradient[*b] -= more;
            add_pair(&mut information, k, (*a, *b), sum.games * curvature(expected));
        });
        (gradient, information)
    }
}

/// φ: how much more (or, with ties as half wins, less) games scatter than the likelihood says, each
/// prompt being one observation and each voter being one, whichever is more. `fitted` has the
/// strengths of each part.
pub(super) fn design_effect<'a>(
    parts: &[Part],
    fitted: impl Iterator<Item = &'a Normal>,
    nu: f64,
    phi: f64,
) -> f64 {
    let (mut n, mut trace, mut seen, mut g) = (0.0, 0.0, [0.0; 2], [0.0; 2]);
    for (part, strengths) in parts.iter().zip(fitted) {
        let k = strengths.len();
        let mut expected = Vec::new();
        part.each(&strengths.mean, nu, |Row { a, b, sum }, p| {
            trace += sum.games * curvature(p) * strengths.difference(*a, *b).1;
            expected.push(p);
        });
        n += part.tables.iter().take(1).flat_map(|it| &it.totals).map(|it| it.total()).sum::<f64>();
        for ((table, seen), g) in part.tables.iter().zip(&mut seen).zip(&mut g) {
            *g += table.num_clusters as f64;
            let mut scores = vec![0.0; table.num_clusters * k];
            for (i, cell) in table.cells.iter().enumerate() {
                for share in table.shares(i) {
                    let more = Sum::new(&share.counts, part.draws).beyond(expected[i]);
                    let scores = &mut scores[share.cluster as usize * k..];
                    scores[cell.a] += more;
                    scores[cell.b] -= more;
                }
            }
            for scores in scores.chunks_exact(k) {
                let own: Vec<usize> = (0..k).filter(|i| scores[*i] != 0.0).collect();
                for (i, j) in own.iter().flat_map(|i| own.iter().map(move |j| (*i, *j))) {
                    *seen += scores[i] * strengths.covariance[i * k + j] * scores[j];
                }
            }
        }
    }
    let free = (n - trace / phi).max(0.2 * n);
    let each = seen.iter().zip(&g).filter(|(_, g)| **g >= 2.0 && trace > 0.0);
    let of =
        |(seen, g): (&f64, &f64)| towards_one(seen / trace * g / (g - 1.0) * (n - 1.0) / free, *g);
    each.map(of).reduce(f64::max).unwrap_or(1.0)
}

/// A design effect of `g` clusters, drawn towards 1.
fn towards_one(raw: f64, g: f64) -> f64 {
    let pull = if raw < 1.0 { 20.0 } else { 5.0 };
    (g * raw + pull) / (g + pull)
}
