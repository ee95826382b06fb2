//! Confusion tables by prompt, their figures, and the intervals by a bootstrap over prompts.
//!
//! All figures depend only on sums over prompts, so replicates add tables and never see votes.

use super::bootstrap::{Interval, samples, widened};
use super::quantile::widening;
use crate::winner::Winner;
use std::collections::{BTreeMap, BTreeSet};

/// A figure and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    pub value: f64,
    /// 95 %.
    pub interval: Option<Interval>,
}

/// Samples of the bootstrap; none for no intervals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    pub replicates: usize,
    pub seed: u64,
}

/// Pairs on which two sources say the same.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Accuracy {
    /// Pairs that both sources decided.
    pub decided: usize,
    /// Of these, the same winner.
    pub decided_same: usize,
    /// All pairs, ties included.
    pub all: usize,
    /// Of these, the same outcome; a tie is right only against a tie.
    pub all_same: usize,
}

/// How often two sources give the same answer, and how much more often than by chance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct AgreementRates {
    pub counts: Accuracy,
    /// Share of the same winner where both decided.
    pub on_decided: Option<Estimate>,
    /// Share of the same outcome, ties included.
    pub with_ties: Option<Estimate>,
    /// Cohen's κ over the three outcomes, each question counted in both orientations.
    pub kappa: Option<Estimate>,
}

/// Prompt and methods, `a` < `b`.
pub(super) type Question = (usize, usize, usize);
/// A question, and the answers of two sources to it.
pub(super) type AnswerPair = (Question, Winner, Winner);
/// How often the one said i and the other j; i and j in the order a, b, tie.
pub(super) type Confusion = [[f64; 3]; 3];

/// The confusion of each list in each cluster. Of many raters, most pairs have few answers in
/// common, so zeros are not kept.
pub(super) struct Clusters {
    num_clusters: usize,
    num_lists: usize,
    /// Cluster; list, row and column in one index; and the count.
    counts: Vec<(usize, usize, f64)>,
}

/// Cells of one confusion.
pub(super) const CELLS: usize = 9;

impl Clusters {
    /// The cluster of an answer is that of its prompt.
    pub(super) fn of<'a>(
        place: &BTreeMap<usize, usize>,
        lists: impl IntoIterator<Item = &'a Vec<AnswerPair>>,
    ) -> Self {
        let mut num_lists = 0;
        let mut counts = BTreeMap::new();
        for (list, k) in lists.into_iter().zip(0..) {
            num_lists = k + 1;
            for ((prompt, ..), x, y) in list {
                let cell = CELLS * k + 3 * *x as usize + *y as usize;
                *counts.entry((place[prompt], cell)).or_insert(0.0) += 1.0;
            }
        }
        Self::new(place.len(), num_lists, counts)
    }

    /// `counts` is by cluster and by list, row and column in one index.
    pub(super) fn new(
        num_clusters: usize,
        num_lists: usize,
        counts: BTreeMap<(usize, usize), f64>,
    ) -> Self {
        let counts = counts.into_iter().map(|((cluster, cell), count)| (cluster, cell, count));
        Self { num_clusters, num_lists, counts: counts.collect() }
    }

    /// All lists as one.
    fn pooled(&self) -> Self {
        let mut counts = BTreeMap::new();
        for (cluster, cell, count) in &self.counts {
            *counts.entry((*cluster, cell % CELLS)).or_insert(0.0) += count;
        }
        Self::new(self.num_clusters, 1, counts)
    }

    /// The sum of the clusters, each `times` often.
    pub(super) fn added(&self, times: &[f64]) -> Vec<Confusion> {
        let mut out = vec![Confusion::default(); self.num_lists];
        let sums = out.as_flattened_mut().as_flattened_mut();
        self.counts
            .iter()
            .for_each(|(cluster, cell, count)| sums[*cell] += times[*cluster] * count);
        out
    }
}

/// The place of each prompt among the prompts.
pub(super) fn places(prompts: impl IntoIterator<Item = usize>) -> BTreeMap<usize, usize> {
    let prompts: BTreeSet<usize> = prompts.into_iter().collect();
    prompts.into_iter().zip(0..).collect()
}

/// How often each replicate draws each cluster. The same for all figures of one board, which may
/// have thousands of raters.
pub(super) struct Drawn {
    num_clusters: usize,
    replicates: usize,
    times: Vec<Vec<f64>>,
}

impl Drawn {
    pub(super) fn new(num_clusters: usize, sampling: Sampling) -> Self {
        let Sampling { replicates, seed } = sampling;
        Self { num_clusters, replicates, times: samples(num_clusters, replicates, seed) }
    }

    /// Works a figure out on all clusters and on each replicate, given how often each counts.
    pub(super) fn estimate(
        &self,
        range: (f64, f64),
        figure: impl Fn(&[f64]) -> Option<f64>,
    ) -> Option<Estimate> {
        let value = figure(&vec![1.0; self.num_clusters])?;
        let values = self.times.iter().filter_map(|times| figure(times)).collect();
        let interval = interval(values, value, self.replicates, self.num_clusters, range);
        Some(Estimate { value, interval })
    }
}

pub(super) fn agreement_rates(clusters: &Clusters, drawn: &Drawn) -> AgreementRates {
    let pooled = clusters.pooled();
    let share = |part: fn(&Confusion) -> f64, whole: fn(&Confusion) -> f64| {
        drawn.estimate((0.0, 1.0), |times| {
            let sum = pooled.added(times)[0];
            ratio(part(&sum), whole(&sum))
        })
    };
    let whole = pooled.added(&vec![1.0; pooled.num_clusters])[0];
    AgreementRates {
        counts: counted(&whole),
        on_decided: share(decided_same, decided),
        with_ties: share(all_same, all),
        kappa: drawn.estimate((-1.0, 1.0), |times| {
            let lists = clusters.added(times);
            let of = |list: &Confusion| kappa(&both_orientations(list));
            let each: Option<Vec<f64>> =
                lists.iter().filter(|list| all(list) > 0.0).map(of).collect();
            mean(each?.into_iter())
        }),
    }
}

/// None of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    ratio(sum, count)
}

/// Pairwise accuracy of verdicts against reference votes. Both figures belong together: ties are
/// where judges and people differ most.
pub fn accuracy(pairs: &[(Winner, Winner)]) -> Accuracy {
    counted(&confusion(pairs))
}

fn confusion(pairs: &[(Winner, Winner)]) -> Confusion {
    let mut counts = Confusion::default();
    pairs.iter().for_each(|(x, y)| counts[*x as usize][*y as usize] += 1.0);
    counts
}

fn counted(c: &Confusion) -> Accuracy {
    let [decided, decided_same, all, all_same] =
        [decided(c), decided_same(c), all(c), all_same(c)].map(|count| count as usize);
    Accuracy { decided, decided_same, all, all_same }
}

fn decided(c: &Confusion) -> f64 {
    c[0][0] + c[0][1] + c[1][0] + c[1][1]
}

fn decided_same(c: &Confusion) -> f64 {
    c[0][0] + c[1][1]
}

pub(super) fn all(c: &Confusion) -> f64 {
    c.iter().flatten().sum()
}

pub(super) fn all_same(c: &Confusion) -> f64 {
    c[0][0] + c[1][1] + c[2][2]
}

pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// Cohen 1960: `κ = (pₒ − pₑ) / (1 − pₑ)` over the three outcomes, each pair counted in both
/// orientations: which method is listed first is no property of an answer. None without pairs, or
/// where all are ties (pₑ = 1).
pub fn cohen_kappa(pairs: &[(Winner, Winner)]) -> Option<f64> {
    kappa(&both_orientations(&confusion(pairs)))
}

/// The counts, and those of the same questions with the two methods listed in the other order.
pub(super) fn both_orientations(c: &Confusion) -> Confusion {
    const TURNED: [usize; 3] = [1, 0, 2];
    std::array::from_fn(|i| std::array::from_fn(|j| c[i][j] + c[TURNED[i]][TURNED[j]]))
}

/// Of a table as it is.
pub(super) fn kappa(c: &Confusion) -> Option<f64> {
    let n = all(c);
    let chance: f64 = (0..3)
        .map(|i| c[i].iter().sum::<f64>() * c.iter().map(|row| row[i]).sum::<f64>())
        .sum::<f64>()
        / (n * n);
    ratio(all_same(c) / n - chance, 1.0 - chance)
}

/// Least share of replicates with a value: a figure often without one is not known by the rest.
const DEFINED_MIN: f64 = 0.95;

fn interval(
    values: Vec<f64>,
    value: f64,
    replicates: usize,
    num_clusters: usize,
    (least, most): (f64, f64),
) -> Option<Interval> {
    if values.is_empty() || (values.len() as f64) < DEFINED_MIN * replicates as f64 {
        return None;
    }
    let Interval { low, high } = widened(values, value, widening(num_clusters));
    let (low, high) = (low.max(least), high.min(most));
    (high - low > 1e-9).then_some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Winner::{A, B, Tie};

    #[test]
    fn a_worked_example_of_kappa() {
        // 20 both A, 15 both B, 5 and 10 mixed: pₒ 0.7, and 0.5 by chance in both orientations.
        let mut pairs = vec![(A, A); 20];
        pairs.extend(vec![(A, B); 5]);
        pairs.extend(vec![(B, A); 10]);
        pairs.extend(vec![(B, B); 15]);
        assert!((cohen_kappa(&pairs).unwrap() - 0.4).abs() < 1e-12);
        // Turning any of the questions changes nothing.
        pairs.iter_mut().step_by(3).for_each(|(x, y)| (*x, *y) = (x.swapped(), y.swapped()));
        assert!((cohen_kappa(&pairs).unwrap() - 0.4).abs() < 1e-12);
        assert_eq!(cohen_kappa(&[(A, A); 3]), Some(1.0));
        assert_eq!(cohen_kappa(&[(Tie, Tie); 3]), None);
        assert_eq!(cohen_kappa(&[]), None);
    }

    #[test]
    fn both_figures_of_accuracy() {
        let found = accuracy(&[(A, A), (A, B), (Tie, Tie), (Tie, A)]);
        assert_eq!((found.decided_same, found.decided), (1, 2));
        assert_eq!((found.all_same, found.all), (2, 4));
    }
}
