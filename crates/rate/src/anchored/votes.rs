//! People's votes as the anchored fit reads them: sums by pair for the likelihood, and the scatter
//! between clusters for its scale.
//!
//! The likelihood is that of [`super::super::likelihood`], without a prior and with Davidson's ν
//! given instead of fitted.

use super::super::game::{Side, sorted};
use super::super::inter_rater::Vote;
use super::super::likelihood::{Sum, curvature, shares};
use super::super::linear::add_pair;
use super::super::model::Draws;
use super::super::table::Counts;
use std::collections::BTreeMap;

/// Two methods, `a` < `b`, with everything that was said of them.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    a: usize,
    b: usize,
    sum: Sum,
    ties: f64,
}

/// One vote: its cell and what it adds to it.
#[derive(Debug, Clone, Copy)]
struct One {
    cell: usize,
    sum: Sum,
}

/// The votes of people on one criterion.
#[derive(Debug, Clone)]
pub(super) struct Votes {
    pub num_methods: usize,
    cells: Vec<Cell>,
    ones: Vec<One>,
    /// Indices of votes, by prompt and by voter.
    by_prompt: Vec<Vec<usize>>,
    by_voter: Vec<Vec<usize>>,
    draws: Draws,
}

/// Log-likelihood, its gradient by θ, and the negative Hessian, `methods × methods`, row-major.
pub(super) struct Slopes {
    pub gradient: Vec<f64>,
    pub information: Vec<f64>,
}

impl Votes {
    /// Methods of the votes are below `num_methods`, and never equal.
    pub(super) fn new(num_methods: usize, votes: &[Vote], draws: Draws) -> Self {
        let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut prompts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut voters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut out = Self {
            num_methods,
            cells: Vec::new(),
            ones: Vec::with_capacity(votes.len()),
            by_prompt: Vec::new(),
            by_voter: Vec::new(),
            draws,
        };
        for (i, vote) in votes.iter().enumerate() {
            let (a, b, _, winner) = sorted((vote.a, vote.b), Side::Neither, vote.winner);
            let counts = Counts::one(winner, 1.0);
            let sum = Sum::new(&counts, draws);
            let cell = *places.entry((a, b)).or_insert_with(|| {
                out.cells.push(Cell { a, b, ..Cell::default() });
                out.cells.len() - 1
            });
            let all = &mut out.cells[cell];
            all.sum.add(sum);
            all.ties += counts.ties;
            out.ones.push(One { cell, sum });
            prompts.entry(vote.prompt).or_default().push(i);
            voters.entry(vote.source).or_default().push(i);
        }
        out.by_prompt = prompts.into_values().collect();
        out.by_voter = voters.into_values().collect();
        out
    }

    pub(super) fn len(&self) -> usize {
        self.ones.len()
    }

    pub(super) fn num_prompts(&self) -> usize {
        self.by_prompt.len()
    }

    /// Davidson's ν that explains as many ties as there are, at these strengths; 0 under the other
    /// rules, and without ties or without decided votes.
    pub(super) fn nu(&self, theta: &[f64]) -> f64 {
        let ties: f64 = self.cells.iter().map(|cell| cell.ties).sum();
        let games: f64 = self.cells.iter().map(|cell| cell.sum.games).sum();
        if self.draws != Draws::Davidson || ties == 0.0 || ties >= games {
            return 0.0;
        }
        // Expected ties rise with ν; halving a range of 60 in its logarithm 50 times leaves 1e-13.
        let (mut low, mut high) = (-30.0_f64, 30.0_f64);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let nu = libm::exp(middle);
            let expected: f64 =
                self.cells.iter().map(|cell| cell.sum.games * shares(cell.x(theta), nu)[1]).sum();
            if expected < ties {
                low = middle;
            } else {
                high = middle;
            }
        }
        libm::exp(0.5 * (low + high))
    }

    /// The log-likelihood, less a constant of ν.
    pub(super) fn value(&self, theta: &[f64], nu: f64) -> f64 {
        let of = |cell: &Cell| cell.sum.log_likelihood(cell.x(theta), nu);
        self.cells.iter().map(of).sum()
    }

    pub(super) fn slopes(&self, theta: &[f64], nu: f64) -> Slopes {
        let k = self.num_methods;
        let mut out = Slopes { gradient: vec![0.0; k], information: vec![0.0; k * k] };
        for cell in &self.cells {
            let p = shares(cell.x(theta), nu);
            let more = cell.sum.beyond(p);
            out.gradient[cell.a] += more;
            out.gradient[cell.b] -= more;
            add_pair(&mut out.information, k, (cell.a, cell.b), cell.sum.games * curvature(p));
        }
        out
    }

    /// φ: how much more (or, with ties as half wins, less) the votes scatter than the likelihood
    /// says, each prompt being one observation and each voter being one, whichever is more.
    /// `covariance` is that of θ.
    pub(super) fn design_effect(
        &self,
        theta: &[f64],
        nu: f64,
        covariance: &[f64],
        phi: f64,
    ) -> f64 {
        let k = self.num_methods;
        let information = self.slopes(theta, nu).information;
        let trace: f64 = covariance.iter().zip(&information).map(|(c, h)| c * h).sum();
        let n = self.len() as f64;
        let free = (n - trace / phi).max(0.2 * n);
        let expected: Vec<[f64; 3]> =
            self.cells.iter().map(|cell| shares(cell.x(theta), nu)).collect();
        let mut scores = vec![0.0; k];
        let mut of = |clusters: &[Vec<usize>]| {
            let g = clusters.len() as f64;
            if g < 2.0 || trace <= 0.0 {
                return None;
            }
            let mut seen = 0.0;
            for cluster in clusters {
                let mut touched = Vec::with_capacity(2 * cluster.len());
                for &i in cluster {
                    let One { cell, sum } = self.ones[i];
                    let more = sum.beyond(expected[cell]);
                    let Cell { a, b, .. } = self.cells[cell];
                    scores[a] += more;
                    scores[b] -= more;
                    touched.extend([a, b]);
                }
                touched.sort_unstable();
                touched.dedup();
                for &i in &touched {
                    for &j in &touched {
                        seen += scores[i] * covariance[i * k + j] * scores[j];
                    }
                }
                touched.iter().for_each(|i| scores[*i] = 0.0);
            }
            Some(towards_one(seen / trace * g / (g - 1.0) * (n - 1.0) / free, g))
        };
        let (prompts, voters) = (of(&self.by_prompt), of(&self.by_voter));
        match (prompts, voters) {
            (Some(prompts), Some(voters)) => prompts.max(voters),
            (Some(phi), None) | (None, Some(phi)) => phi,
            (None, None) => 1.0,
        }
    }
}

/// Information of one vote, averaged over pairs `(a, b, weight)`.
pub(super) fn information_of_one(
    theta: &[f64],
    nu: f64,
    pairs: &[(usize, usize, f64)],
) -> Vec<f64> {
    let k = theta.len();
    let all: f64 = pairs.iter().map(|(.., weight)| weight).sum();
    let mut out = vec![0.0; k * k];
    for &(a, b, weight) in pairs {
        let w = curvature(shares(theta[a] - theta[b], nu)) * weight / all;
        add_pair(&mut out, k, (a, b), w);
    }
    out
}

impl Cell {
    fn x(&self, theta: &[f64]) -> f64 {
        theta[self.a] - theta[self.b]
    }
}

/// A design effect of `g` clusters, drawn towards 1.
pub(in super::super) fn towards_one(raw: f64, g: f64) -> f64 {
    let pull = if raw < 1.0 { 20.0 } else { 5.0 };
    (g * raw + pull) / (g + pull)
}
