//! Several samples of one question → one game: the majority's answer, with its margin; for a question about one asset, the mean score.
//!
//! Samples of one judge are not independent: five games would make intervals too narrow.

use crate::rate::{Answer, Winner};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Answers of several samples, merged.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct SampleMargins {
    /// Questions that were asked more than once.
    pub questions: usize,
    /// Their mean margin: the share of samples for the majority, less that of the runner-up. 1 where all samples agree, 0 for none.
    pub mean_margin: f64,
}

/// One answer for each question: the option with the most samples; a draw between options is a tie. Answers belong to one question
/// where everything but the winner is equal; they keep the place of the first.
pub(super) fn merged<T>(
    said: Vec<T>,
    question: impl Fn(&T) -> (String, String),
    answer: impl Fn(&mut T) -> &mut Answer,
) -> (Vec<T>, SampleMargins) {
    let mut places: BTreeMap<(String, String, String, usize, u8), usize> = BTreeMap::new();
    let mut merged: Vec<(T, [usize; 3])> = Vec::new();
    for mut one in said {
        let (a, b) = question(&one);
        let Answer {
            key,
            prompt,
            side,
            winner,
            ..
        } = answer(&mut one).clone();
        let option = match winner {
            Winner::A => 0,
            Winner::B => 1,
            Winner::Tie => 2,
        };
        match places.entry((a, b, key, prompt, side as u8)) {
            Entry::Occupied(place) => merged[*place.get()].1[option] += 1,
            Entry::Vacant(place) => {
                place.insert(merged.len());
                let mut counts = [0; 3];
                counts[option] = 1;
                merged.push((one, counts));
            }
        }
    }
    let mut margins = SampleMargins::default();
    let mut sum = 0.0;
    let out = (merged.into_iter())
        .map(|(mut one, counts)| {
            let total: usize = counts.iter().sum();
            let (winner, margin) = majority(counts);
            if total > 1 {
                margins.questions += 1;
                sum += margin;
            }
            answer(&mut one).winner = winner;
            one
        })
        .collect();
    margins.mean_margin = sum / margins.questions.max(1) as f64;
    (out, margins)
}

/// One score for each question: the mean of its samples. `question` identifies it; each keeps the place of its first sample.
pub(super) fn averaged<T>(
    scored: Vec<T>,
    question: impl Fn(&T) -> String,
    value: impl Fn(&mut T) -> &mut f64,
) -> Vec<T> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut out: Vec<(T, f64)> = Vec::new();
    for mut one in scored {
        match places.entry(question(&one)) {
            Entry::Occupied(place) => {
                let (first, samples) = &mut out[*place.get()];
                *samples += 1.0;
                let (mean, new) = (value(first), *value(&mut one));
                *mean += (new - *mean) / *samples;
            }
            Entry::Vacant(place) => {
                place.insert(out.len());
                out.push((one, 1.0));
            }
        }
    }
    out.into_iter().map(|(one, _)| one).collect()
}

/// The winner among numbers of answers for a, for b and for neither, and its margin.
pub fn majority(counts: [usize; 3]) -> (Winner, f64) {
    let total: usize = counts.iter().sum();
    let mut sorted = counts;
    sorted.sort_unstable();
    let margin = (sorted[2] - sorted[1]) as f64 / total.max(1) as f64;
    let winner = match counts {
        [a, b, tie] if a > b && a > tie => Winner::A,
        [a, b, tie] if b > a && b > tie => Winner::B,
        _ => Winner::Tie,
    };
    (winner, margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Side;

    #[test]
    fn the_most_samples_win_and_a_draw_is_a_tie() {
        assert_eq!(majority([3, 1, 1]), (Winner::A, 0.4));
        assert_eq!(majority([0, 5, 0]), (Winner::B, 1.0));
        assert_eq!(majority([2, 2, 1]), (Winner::Tie, 0.0));
        assert_eq!(majority([1, 0, 2]), (Winner::Tie, 1.0 / 3.0));
        assert_eq!(majority([0, 0, 1]), (Winner::Tie, 1.0));
    }

    #[test]
    fn samples_of_a_question_are_one_answer() {
        let answer = |key: &str, side: Side, winner: Winner| Answer {
            a: 0,
            b: 1,
            prompt: 0,
            key: key.to_owned(),
            side,
            winner,
        };
        let said = vec![
            answer("q", Side::ALeft, Winner::A),
            answer("q", Side::BLeft, Winner::B),
            answer("q", Side::ALeft, Winner::B),
            answer("q", Side::ALeft, Winner::A),
            answer("other", Side::ALeft, Winner::B),
        ];
        let names = |_: &Answer| (String::new(), String::new());
        let (merged, margins) = merged(said, names, |answer| answer);
        let found: Vec<(Side, Winner)> = merged.iter().map(|a| (a.side, a.winner)).collect();
        let expected = [
            (Side::ALeft, Winner::A),
            (Side::BLeft, Winner::B),
            (Side::ALeft, Winner::B),
        ];
        assert_eq!(found, expected);
        assert_eq!(margins.questions, 1);
        assert!((margins.mean_margin - 1.0 / 3.0).abs() < 1e-12);
    }
}
