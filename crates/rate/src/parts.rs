//! Games as a hierarchy reads them, part by part: sums by pair for the likelihood, and the scatter
//! between clusters for its scale.
//!
//! The likelihood is that of [`super::likelihood`], without a prior and with Davidson's ν given
//! instead of fitted.

use super::game::{Game, Side};
use super::likelihood::{Sum, curvature, shares};
use super::linear::{add_pair, halved};
use super::model::Draws;
use super::normal::Normal;
use super::table::Counts;
use std::collections::BTreeMap;

/// Two methods, `a` < `b`, on one side, with everything that was said of them.
#[derive(Debug, Clone, Copy)]
struct Cell {
    a: usize,
    b: usize,
    /// What the side adds to `a`, in natural log-odds.
    offset: f64,
    sum: Sum,
    ties: f64,
}

impl Cell {
    fn expected(&self, strengths: &[f64], nu: f64) -> [f64; 3] {
        shares(self.lead(strengths), nu)
    }

    fn lead(&self, strengths: &[f64]) -> f64 {
        strengths[self.a] - strengths[self.b] + self.offset
    }
}

/// The games of one part.
#[derive(Debug, Clone)]
pub(super) struct Part {
    cells: Vec<Cell>,
    /// Each game: its cell and what it adds to it.
    games: Vec<(usize, Sum)>,
    weight: f64,
    /// Indices of games, by prompt and, where they are known, by voter.
    clusters: [Vec<Vec<usize>>; 2],
}

impl Part {
    /// Methods of the games are never equal. `voters` has the voter of each game, or of none.
    pub(super) fn new(games: &[Game], voters: &[usize], draws: Draws, left_bias: f64) -> Self {
        let mut places: BTreeMap<(usize, usize, Side), usize> = BTreeMap::new();
        let mut clusters: [BTreeMap<usize, Vec<usize>>; 2] = Default::default();
        let mut cells: Vec<Cell> = Vec::new();
        let mut each = Vec::with_capacity(games.len());
        for (i, game) in games.iter().enumerate() {
            let Game { a, b, side, winner, weight, .. } = game.sorted();
            let counts = Counts::one(winner, weight);
            let sum = Sum::new(&counts, draws);
            let cell = *places.entry((a, b, side)).or_insert_with(|| {
                let offset = side.left() * left_bias;
                cells.push(Cell { a, b, offset, sum: Sum::default(), ties: 0.0 });
                cells.len() - 1
            });
            cells[cell].sum.add(sum);
            cells[cell].ties += counts.ties;
            each.push((cell, sum));
            let of = [Some(game.prompt), voters.get(i).copied()];
            for (clusters, of) in clusters.iter_mut().zip(of) {
                of.into_iter().for_each(|of| clusters.entry(of).or_default().push(i));
            }
        }
        Self {
            cells,
            games: each,
            weight: games.iter().map(|game| game.weight).sum(),
            clusters: clusters.map(|clusters| clusters.into_values().collect()),
        }
    }

    pub(super) fn num_prompts(&self) -> usize {
        self.clusters[0].len()
    }

    /// Davidson's ν that explains as many ties as there are, at these strengths; 0 without ties or
    /// without decided games.
    pub(super) fn nu(&self, strengths: &[f64]) -> f64 {
        let ties: f64 = self.cells.iter().map(|cell| cell.ties).sum();
        let games: f64 = self.cells.iter().map(|cell| cell.sum.games).sum();
        if ties == 0.0 || ties >= games {
            return 0.0;
        }
        let expected = |ln_nu: f64| -> f64 {
            let nu = libm::exp(ln_nu);
            self.cells.iter().map(|cell| cell.sum.games * cell.expected(strengths, nu)[1]).sum()
        };
        // Expected ties rise with ν.
        libm::exp(halved((-30.0, 30.0), |ln_nu| expected(ln_nu) < ties))
    }

    /// The log-likelihood, less a constant of ν.
    pub(super) fn value(&self, strengths: &[f64], nu: f64) -> f64 {
        self.cells.iter().map(|cell| cell.sum.log_likelihood(cell.lead(strengths), nu)).sum()
    }

    /// Its gradient by strengths, and the negative Hessian, `methods × methods`, row-major.
    pub(super) fn slopes(&self, strengths: &[f64], nu: f64) -> (Vec<f64>, Vec<f64>) {
        let k = strengths.len();
        let (mut gradient, mut information) = (vec![0.0; k], vec![0.0; k * k]);
        for cell in &self.cells {
            let p = cell.expected(strengths, nu);
            let more = cell.sum.beyond(p);
            gradient[cell.a] += more;
            gradient[cell.b] -= more;
            add_pair(&mut information, k, (cell.a, cell.b), cell.sum.games * curvature(p));
        }
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
    let n: f64 = parts.iter().map(|part| part.weight).sum();
    let (mut trace, mut seen, mut g) = (0.0, [0.0; 2], [0.0; 2]);
    for (part, strengths) in parts.iter().zip(fitted) {
        let (k, covariance) = (strengths.len(), &strengths.covariance);
        let expected: Vec<[f64; 3]> =
            part.cells.iter().map(|cell| cell.expected(&strengths.mean, nu)).collect();
        for (Cell { a, b, sum, .. }, p) in part.cells.iter().zip(&expected) {
            trace += sum.games * curvature(*p) * strengths.difference(*a, *b).1;
        }
        let mut scores = vec![0.0; k];
        for ((clusters, seen), g) in part.clusters.iter().zip(&mut seen).zip(&mut g) {
            *g += clusters.len() as f64;
            for cluster in clusters {
                let mut touched = Vec::with_capacity(2 * cluster.len());
                for &i in cluster {
                    let (cell, sum) = part.games[i];
                    let more = sum.beyond(expected[cell]);
                    let Cell { a, b, .. } = part.cells[cell];
                    scores[a] += more;
                    scores[b] -= more;
                    touched.extend([a, b]);
                }
                touched.sort_unstable();
                touched.dedup();
                for &i in &touched {
                    for &j in &touched {
                        *seen += scores[i] * covariance[i * k + j] * scores[j];
                    }
                }
                touched.iter().for_each(|i| scores[*i] = 0.0);
            }
        }
    }
    let free = (n - trace / phi).max(0.2 * n);
    let each = seen.iter().zip(&g).filter(|(_, g)| **g >= 2.0 && trace > 0.0);
    let each =
        each.map(|(seen, g)| towards_one(seen / trace * g / (g - 1.0) * (n - 1.0) / free, *g));
    each.reduce(f64::max).unwrap_or(1.0)
}

/// A design effect of `g` clusters, drawn towards 1.
fn towards_one(raw: f64, g: f64) -> f64 {
    let pull = if raw < 1.0 { 20.0 } else { 5.0 };
    (g * raw + pull) / (g + pull)
}
