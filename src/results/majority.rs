//! Several samples of one question → one game: the majority's answer, with its margin; for a
//! question about one asset, the mean score.
//!
//! Samples of one judge are not independent: five games would make intervals too narrow.

use crate::rate::{Answer, Winner};
use std::collections::HashMap;

/// Answers of several samples, merged.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct SampleMargins {
    /// Questions that were asked more than once.
    pub questions: usize,
    /// Their mean margin: the share of samples for the majority, less that of the runner-up. 1
    /// where all samples agree, 0 for none.
    pub mean_margin: f64,
}

/// Leaves one answer per question: the option with the most samples; a draw is a tie. Answers that
/// differ only in the winner, or in the method listed first, belong to one question; they keep the
/// place of the first.
pub(crate) fn merged<T: Copy>(
    said: &mut Vec<T>,
    answer: impl Fn(&T) -> Answer,
    winner: impl Fn(&mut T) -> &mut Winner,
) -> SampleMargins {
    let question = |one: &T| {
        let Answer { a, b, key, prompt, side, .. } = answer(one).sorted();
        (a, b, key, prompt, side as u8)
    };
    let mut order: Vec<(u64, u32)> =
        said.iter().zip(0..).map(|(one, place)| (answer(one).key, place)).collect();
    order.sort_unstable();
    let mut is_later = vec![false; said.len()];
    let mut margins = Vec::new();
    for alike in order.chunk_by(|x, y| x.0 == y.0).filter(|alike| alike.len() > 1) {
        // By place, so that the first of a question comes first; few questions share a key.
        let mut counts: Vec<(_, usize, [usize; 3])> = Vec::new();
        for &(_, place) in alike {
            let place = place as usize;
            let own = question(&said[place]);
            let option = match answer(&said[place]).sorted().winner {
                Winner::A => 0,
                Winner::B => 1,
                Winner::Tie => 2,
            };
            match counts.iter_mut().find(|(question, ..)| *question == own) {
                Some((.., counts)) => {
                    counts[option] += 1;
                    is_later[place] = true;
                }
                None => {
                    let mut first = [0; 3];
                    first[option] = 1;
                    counts.push((own, place, first));
                }
            }
        }
        for (_, first, counts) in counts {
            if counts.iter().sum::<usize>() > 1 {
                let (most, margin) = majority(counts);
                let Answer { a, b, .. } = answer(&said[first]);
                *winner(&mut said[first]) = if a < b { most } else { most.swapped() };
                margins.push(margin);
            }
        }
    }
    let mut is_later = is_later.into_iter();
    said.retain(|_| !is_later.next().unwrap_or(false));
    // A sum is rounded in the order of its parts, which must not be that of their arrival.
    margins.sort_by(f64::total_cmp);
    SampleMargins {
        questions: margins.len(),
        mean_margin: margins.iter().sum::<f64>() / margins.len().max(1) as f64,
    }
}

/// Leaves one score for each question: the mean of its samples. `question` identifies it; each
/// keeps the place of its first sample.
pub(super) fn averaged<T: Copy>(
    scored: &mut Vec<T>,
    question: impl Fn(&T) -> u64,
    value: impl Fn(&mut T) -> &mut f64,
) {
    let mut samples: HashMap<u64, Vec<f64>> = HashMap::with_capacity(scored.len());
    scored.retain_mut(|one| {
        let samples = samples.entry(question(one)).or_default();
        samples.push(*value(one));
        samples.len() == 1
    });
    for one in scored {
        if let Some(samples) = samples.get_mut(&question(one)) {
            samples.sort_by(f64::total_cmp);
            *value(one) = samples.iter().sum::<f64>() / samples.len() as f64;
        }
    }
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
        let answer = |key: u64, side: Side, winner: Winner| Answer {
            a: 0,
            b: 1,
            prompt: 0,
            key,
            side,
            winner,
        };
        let mut said = vec![
            answer(1, Side::ALeft, Winner::A),
            answer(1, Side::BLeft, Winner::B),
            answer(1, Side::ALeft, Winner::B),
            answer(1, Side::ALeft, Winner::A),
            answer(2, Side::ALeft, Winner::B),
        ];
        // The same, listed the other way round.
        said[2] = Answer { a: 1, b: 0, side: Side::BLeft, winner: Winner::A, ..said[2] };
        let margins = merged(&mut said, |answer| *answer, |answer| &mut answer.winner);
        let found: Vec<(Side, Winner)> = said.iter().map(|a| (a.side, a.winner)).collect();
        let expected =
            [(Side::ALeft, Winner::A), (Side::BLeft, Winner::B), (Side::ALeft, Winner::B)];
        assert_eq!(found, expected);
        assert_eq!(margins.questions, 1);
        assert!((margins.mean_margin - 1.0 / 3.0).abs() < 1e-12);
    }
}
