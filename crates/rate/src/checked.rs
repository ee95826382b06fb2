//! Yes-or-no answers to the items of a checklist, against labels → Matthews correlation, F1 and κ
//! of each item and their means, with intervals by a bootstrap over assets.
//!
//! All items of an asset are drawn together: what one of them is worth depends on the asset.

use super::confusion::{
    AnswerPair, Clusters, Confusion, Drawn, Estimate, Sampling, kappa, mean, places, ratio,
};
use crate::winner::Winner;
use std::collections::BTreeMap;

/// An answer to an item of an asset, and its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedAnswer {
    pub item: usize,
    /// The cluster.
    pub asset: usize,
    /// The answer: yes or no.
    pub said: bool,
    pub label: bool,
}

/// How well answers agree with labels.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Checked {
    /// Yes with the label yes, yes with no, no with yes, no with no.
    pub counts: [usize; 4],
    /// Matthews 1975, from −1 to 1. 0 where an answer or a label is always the same, as in the
    /// evaluation of 3D-DefectBench.
    pub mcc: Option<Estimate>,
    /// Of the answer yes; 0 where neither answers nor labels have it.
    pub f1: Option<Estimate>,
    /// Cohen 1960; none where all answers and labels are the same.
    pub kappa: Option<Estimate>,
}

/// Of each item by its number, and their means, each item counting once.
pub fn checked(
    answers: &[CheckedAnswer],
    sampling: Sampling,
) -> (BTreeMap<usize, Checked>, Option<Checked>) {
    let word = |is_yes| if is_yes { Winner::A } else { Winner::B };
    let mut items: BTreeMap<usize, Vec<AnswerPair>> = BTreeMap::new();
    for it in answers {
        let pair = ((it.asset, 0, 0), word(it.said), word(it.label));
        items.entry(it.item).or_default().push(pair);
    }
    let assets = places(answers.iter().map(|it| it.asset));
    let drawn = Drawn::new(assets.len(), sampling);
    let of = |lists: &[&Vec<AnswerPair>]| {
        let clusters = Clusters::of(&assets, lists.iter().copied());
        let of_items = |range, figure: fn(&Confusion) -> Option<f64>| {
            drawn.estimate(range, |times| mean(clusters.added(times).iter().filter_map(figure)))
        };
        let count = |said, label| {
            let is_it = |it: &&AnswerPair| (it.1, it.2) == (word(said), word(label));
            lists.iter().copied().flatten().filter(is_it).count()
        };
        Checked {
            counts: [(true, true), (true, false), (false, true), (false, false)]
                .map(|(said, label)| count(said, label)),
            mcc: of_items((-1.0, 1.0), mcc),
            f1: of_items((0.0, 1.0), f1),
            kappa: of_items((-1.0, 1.0), kappa),
        }
    };
    let each = items.iter().map(|(item, list)| (*item, of(&[list]))).collect();
    let all: Vec<&Vec<AnswerPair>> = items.values().collect();
    (each, (!all.is_empty()).then(|| of(&all)))
}

/// True positives, false positives, false negatives, true negatives; none without any.
fn table(c: &Confusion) -> Option<[f64; 4]> {
    let table = [c[0][0], c[0][1], c[1][0], c[1][1]];
    (table.iter().sum::<f64>() > 0.0).then_some(table)
}

fn mcc(c: &Confusion) -> Option<f64> {
    let [tp, fp, fnn, tn] = table(c)?;
    let square = (tp + fp) * (tp + fnn) * (tn + fp) * (tn + fnn);
    Some(ratio(tp * tn - fp * fnn, square.sqrt()).unwrap_or(0.0))
}

fn f1(c: &Confusion) -> Option<f64> {
    let [tp, fp, fnn, _] = table(c)?;
    Some(ratio(2.0 * tp, 2.0 * tp + fp + fnn).unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many answers of one item with these counts, each of an asset of its own.
    fn item(item: usize, counts: [usize; 4]) -> Vec<CheckedAnswer> {
        let kinds = [(true, true), (true, false), (false, true), (false, false)];
        let all = kinds.iter().zip(counts).flat_map(|(kind, count)| vec![*kind; count]);
        let of = |(asset, (said, label))| CheckedAnswer { item, asset, said, label };
        all.enumerate().map(of).collect()
    }

    const SAMPLING: Sampling = Sampling { replicates: 500, seed: 1 };

    #[test]
    fn the_worked_example_of_the_benchmark() {
        let (each, all) = checked(&item(3, [17, 17, 0, 67]), SAMPLING);
        let found = each[&3];
        assert_eq!(found.counts, [17, 17, 0, 67]);
        let mcc = found.mcc.unwrap();
        assert!((mcc.value - 0.6315).abs() < 5e-5, "{}", mcc.value);
        assert!((found.f1.unwrap().value - 34.0 / 51.0).abs() < 1e-12);
        // pₒ = 84/101, pₑ = (34·17 + 67·84) / 101².
        let chance = (34.0 * 17.0 + 67.0 * 84.0) / (101.0 * 101.0);
        let kappa = (84.0 / 101.0 - chance) / (1.0 - chance);
        assert!((found.kappa.unwrap().value - kappa).abs() < 1e-12);
        let interval = mcc.interval.unwrap();
        assert!(interval.low < mcc.value && mcc.value < interval.high && interval.low > 0.4);
        assert_eq!(all, Some(found));
    }

    #[test]
    fn an_item_of_one_answer_counts_as_0_and_a_mean_is_over_items() {
        let mut answers = item(0, [5, 0, 0, 5]);
        answers.extend(item(1, [0, 0, 4, 6]));
        answers.extend(item(2, [0, 0, 0, 10]));
        let (each, all) = checked(&answers, SAMPLING);
        let values = |found: &Checked| [found.mcc, found.f1, found.kappa].map(|it| Some(it?.value));
        assert_eq!(values(&each[&0]), [Some(1.0); 3]);
        assert_eq!(values(&each[&1]), [Some(0.0); 3]);
        assert_eq!(values(&each[&2]), [Some(0.0), Some(0.0), None]);
        let third = Some(1.0 / 3.0);
        assert_eq!(values(&all.unwrap()), [third, third, Some(0.5)]);
        assert_eq!(checked(&[], SAMPLING), (BTreeMap::new(), None));
    }
}
