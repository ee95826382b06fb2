//! Meetings as the fit reads them, and the covariates that can be separated from the methods.

use super::super::confusion::places;
use super::super::game::{Answer, Game, Side, games, units};
use super::super::likelihood::{Row, Sum};
use super::super::model::Draws;
use super::super::table::Counts;

/// A covariate that fewer games know of than this share of them is not held equal.
pub(super) const KNOWN_MIN: f64 = 0.5;
/// A covariate cannot be separated from the methods (and the covariates before it) if they explain
/// all but this share of its squares.
const OWN_MIN: f64 = 0.01;

/// All games of two assets with each other on one side, or on neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Meeting {
    pub a: usize,
    /// Another method.
    pub b: usize,
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    /// Of `a`, where one order only was answered.
    pub side: Side,
    pub counts: Counts,
    /// Of each covariate, the figure of a's asset less that of b's; none where either is not known.
    pub differences: Vec<Option<f64>>,
}

impl Meeting {
    /// The games of answers about two assets on a prompt; the differences are the figures of the
    /// smaller method's asset less those of the other's.
    pub fn of(answers: &[Answer], differences: &[Option<f64>]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for Game { a, b, prompt, winner, side, weight } in games(&units(answers)) {
            let place = found.iter().position(|meeting| meeting.side == side);
            let place = place.unwrap_or_else(|| {
                let (counts, differences) = (Counts::default(), differences.to_vec());
                found.push(Self { a, b, prompt, side, counts, differences });
                found.len() - 1
            });
            *found[place].counts.of(winner) += weight;
        }
        found
    }

    /// Of a covariate; after the last of them the side.
    fn difference(&self, covariate: usize) -> f64 {
        match self.differences.get(covariate) {
            Some(difference) => difference.unwrap_or_default(),
            None => self.side.left(),
        }
    }
}

/// Why a covariate is not held equal.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Uncontrollable {
    #[error("known of both assets in {:.0} % of the games; {:.0} % are needed", 100.0 * .known, 100.0 * KNOWN_MIN)]
    Missing { known: f64 },
    #[error("the same for both assets of every game")]
    Constant,
    #[error(
        "a trait of the generators and not of their assets: {:.1} % of its differences remain after generators and earlier covariates, and {:.0} % are needed to separate its effect", 100.0 * .own, 100.0 * OWN_MIN
    )]
    Collinear { own: f64 },
}

/// Covariates by their index, and why each is not held equal.
pub type Refused = Vec<(usize, Uncontrollable)>;

/// Meetings as the fit reads them.
pub(super) struct Rows {
    pub num_methods: usize,
    pub rows: Vec<Row>,
    /// The prompt's place among the prompts, row by row.
    pub clusters: Vec<usize>,
    /// Differences over their root mean squares, row by row.
    pub z: Vec<f64>,
    /// Root mean square of each covariate.
    pub sds: Vec<f64>,
}

impl Rows {
    /// Every difference that is asked for is known.
    pub(super) fn new(
        num_methods: usize,
        kept: &[&Meeting],
        covariates: &[usize],
        draws: Draws,
    ) -> Self {
        let prompts = places(kept.iter().map(|m| m.prompt));
        let row = |m: &&Meeting| Row { a: m.a, b: m.b, sum: Sum::new(&m.counts, draws) };
        let rows: Vec<Row> = kept.iter().map(row).collect();
        let mut z: Vec<f64> = kept
            .iter()
            .flat_map(|m| covariates.iter().map(|&covariate| m.difference(covariate)))
            .collect();
        let games: f64 = rows.iter().map(|row| row.sum.games).sum();
        let sd = |place: usize| {
            let squares = rows.iter().zip(z.chunks_exact(covariates.len()));
            let squares = squares.map(|(row, z)| row.sum.games * z[place] * z[place]);
            (squares.sum::<f64>() / games).sqrt()
        };
        let sds: Vec<f64> = (0..covariates.len()).map(sd).collect();
        for z in z.chunks_exact_mut(covariates.len()) {
            z.iter_mut().zip(&sds).for_each(|(z, sd)| *z /= sd.max(f64::MIN_POSITIVE));
        }
        Self {
            num_methods,
            rows,
            clusters: kept.iter().map(|m| prompts[&m.prompt]).collect(),
            z,
            sds,
        }
    }

    /// Places of the covariates whose effects can be separated from those of the methods and of the
    /// covariates before them.
    pub(super) fn choose(&self, covariates: &[usize], refused: &mut Refused) -> Vec<usize> {
        let (n, p) = (self.num_methods, self.sds.len());
        let size = n + p;
        let mut gram = vec![0.0; size * size];
        let mut games = 0.0;
        for (row, z) in self.rows.iter().zip(self.z.chunks_exact(p)) {
            let weight = row.sum.games;
            games += weight;
            let column = |i: usize| match i {
                i if i == row.a => 1.0,
                i if i == row.b => -1.0,
                i if i < n => 0.0,
                i => z[i - n],
            };
            let places = [row.a, row.b].into_iter().chain(n..size);
            for i in places.clone() {
                for j in places.clone() {
                    gram[i * size + j] += weight * column(i) * column(j);
                }
            }
        }
        // The mean of all methods is free; this holds it, and takes nothing from the differences.
        for i in 0..n {
            gram[i * size..i * size + n].iter_mut().for_each(|x| *x += games);
        }
        // Elimination of the methods, then of each covariate that is kept: what remains of the
        // diagonal is what those before leave unexplained.
        let whole = gram.clone();
        let mut chosen = Vec::new();
        for pivot in 0..size {
            let row = gram[pivot * size..(pivot + 1) * size].to_vec();
            if pivot >= n {
                let (place, own) = (pivot - n, (row[pivot] / whole[pivot * size + pivot]).max(0.0));
                let why = if self.sds[place] <= f64::MIN_POSITIVE {
                    Uncontrollable::Constant
                } else {
                    Uncontrollable::Collinear { own }
                };
                if own < OWN_MIN || why == Uncontrollable::Constant {
                    refused.push((covariates[place], why));
                    continue;
                }
                chosen.push(place);
            }
            for i in pivot + 1..size {
                let factor = gram[i * size + pivot] / row[pivot].max(f64::MIN_POSITIVE);
                let to = &mut gram[i * size..(i + 1) * size];
                to.iter_mut().zip(&row).for_each(|(to, x)| *to -= factor * x);
            }
        }
        chosen
    }

    /// Leaves these covariates alone.
    pub(super) fn keep(&mut self, places: &[usize]) {
        let rows = self.z.chunks_exact(self.sds.len());
        self.z = rows.flat_map(|z| places.iter().map(|&k| z[k])).collect();
        self.sds = places.iter().map(|&k| self.sds[k]).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two methods that share a covariate to three quarters: the rest of it, by hand.
    #[test]
    fn what_methods_explain_of_a_fact_is_counted_by_hand() {
        let meeting = |prompt: usize, difference: f64| Meeting {
            a: 0,
            b: 1,
            prompt,
            side: Side::Neither,
            counts: Counts { a_wins: 1.0, b_wins: 1.0, ties: 0.0 },
            differences: vec![Some(difference)],
        };
        // Mean 1, squares 1 + 0.04: of 1.04 the methods explain 1.
        let all: Vec<Meeting> =
            (0..6).map(|i| meeting(i, if i % 2 == 0 { 1.2 } else { 0.8 })).collect();
        let kept: Vec<&Meeting> = all.iter().collect();
        let rows = Rows::new(2, &kept, &[0], Draws::Half);
        assert!((rows.sds[0] - 1.04_f64.sqrt()).abs() < 1e-12);
        let mut refused = Vec::new();
        assert_eq!(rows.choose(&[0], &mut refused), [0]);
        // 1 + 0.0004: a twenty-five-hundredth is left.
        let near: Vec<Meeting> =
            (0..6).map(|i| meeting(i, if i % 2 == 0 { 1.02 } else { 0.98 })).collect();
        let kept: Vec<&Meeting> = near.iter().collect();
        let rows = Rows::new(2, &kept, &[0], Draws::Half);
        assert!(rows.choose(&[0], &mut refused).is_empty());
        let (_, Uncontrollable::Collinear { own }) = refused[0] else { panic!("{refused:?}") };
        assert!((own - 0.0004 / 1.0004).abs() < 1e-9, "{own}");
        assert_eq!(Rows::new(2, &kept, &[0], Draws::BothWin).rows[0].sum.games, 2.0);
    }
}
