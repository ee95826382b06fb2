//! A jury of real judges against real votes, and the figures that numpy finds with Newton's method
//! on all weights at once.

use crate::anchored::arena;
use meshjudge_rate::{Trial, Winner, jury};

#[test]
fn three_judges_of_13258_votes_have_the_weights_and_shares_of_other_code() {
    let (_, rows) = arena();
    let side = |winner: Winner| match winner {
        Winner::A => 1.0,
        Winner::B => -1.0,
        Winner::Tie => 0.0,
    };
    let decided = rows.iter().filter(|row| row.said[0] != Winner::Tie);
    let trials: Vec<Trial> = decided
        .map(|row| Trial {
            prompt: row.prompt,
            first_won: row.said[0] == Winner::A,
            said: row.said[1..].iter().map(|winner| side(*winner)).collect(),
        })
        .collect();
    let found = jury(&trials).unwrap();
    assert_eq!((found.num_questions, found.num_prompts, found.best), (13_258, 13_257, 0));
    let near = |found: f64, expected: f64, most: f64| {
        assert!((found - expected).abs() <= most, "{found} and {expected}");
    };
    let expected = [(1.423_291_74, 0.754_978), (0.538_828_2, 0.661_110), (0.128_310_87, 0.571_579)];
    for (member, (weight, right)) in found.members.iter().zip(expected) {
        near(member.weight.unwrap(), weight, 1e-6);
        near(member.right.value, right, 1e-6);
    }
    near(found.majority.right.value, 0.734_123, 1e-6);
    near(found.weighted.right.value, 0.771_610, 1e-6);
    // Weights add to the best judge, and equal votes take from it. A bootstrap over questions gives
    // 0.0124 to 0.0208, and −0.0264 to −0.0156.
    let gain = found.weighted.gain.unwrap();
    near(gain.value, 0.016_631, 1e-6);
    let ends = gain.interval.unwrap();
    near(ends.low, 0.0124, 1e-3);
    near(ends.high, 0.0208, 1e-3);
    let loss = found.majority.gain.unwrap().interval.unwrap();
    near(loss.low, -0.0264, 1e-3);
    near(loss.high, -0.0156, 1e-3);
}
