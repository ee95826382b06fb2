//! Rounds of whole prompts in random order, each on the pairs that open pairs need.
//!
//! The answers on one prompt are one observation of [`Settled`]; the order of prompts is drawn
//! once, by seed, before the first question, because prompts that were listed kind by kind are not
//! exchangeable (84 % of runs then claim something false).

use super::{Field, Pair};
use crate::rate::{Duel, Game, Goal, Random, Settled, Shown, Winner};
use std::collections::{BTreeMap, BTreeSet};

/// The planner. It remembers nothing: the same games give the same next round.
#[derive(Debug, Clone)]
pub struct Settling<'a> {
    pub field: &'a Field,
    pub goal: Goal,
    pub seed: u64,
}

/// The settled pairs, and the next pairs to ask; none if the goal is reached or no prompt is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub settled: Settled,
    pub ask: Vec<Pair>,
}

impl Settling<'_> {
    /// `closed` are all pairs that were chosen so far; at least `len` pairs are chosen, in whole
    /// prompts, as long as there are prompts.
    pub fn next(&self, games: &[Game], closed: &[Pair], len: usize) -> Round {
        let places = self.field.num_seeds;
        let mut prompts: Vec<usize> = (0..self.field.num_prompts / places).collect();
        Random::new(self.seed, 1).shuffle(&mut prompts);
        // Score of `a` and weight, by prompt and duel.
        let mut sums: BTreeMap<(usize, Duel), (f64, f64)> = BTreeMap::new();
        for game in games {
            let is_listed = game.a < game.b;
            let (a, b) = (game.a.min(game.b), game.a.max(game.b));
            let score = match game.winner {
                Winner::Tie => 0.5,
                winner => f64::from(u8::from((winner == Winner::A) == is_listed)),
            };
            let sum = sums.entry((game.prompt / places, Duel { a, b })).or_default();
            sum.0 += game.weight * score;
            sum.1 += game.weight;
        }
        let asked: BTreeSet<usize> = closed.iter().map(|pair| pair.prompt / places).collect();
        let mut settled = Settled::new(self.field.num_methods, self.goal);
        let mut ask = Vec::new();
        for prompt in prompts {
            let mut draw: Vec<usize> = (0..self.field.num_methods).collect();
            Random::new(self.seed, 2 + prompt as u64).shuffle(&mut draw);
            if asked.contains(&prompt) {
                let all = |a| Duel { a, b: 0 };
                let here = sums.range((prompt, all(0))..(prompt, all(usize::MAX)));
                let shown: Vec<Shown> = here
                    .map(|((_, duel), (score, weight))| Shown {
                        duel: *duel,
                        score: score / weight,
                    })
                    .collect();
                if !shown.is_empty() {
                    settled.observe(&shown, &draw);
                }
                continue;
            }
            let wanted = settled.duels(&draw);
            if wanted.is_empty() || ask.len() >= len.max(1) {
                break;
            }
            for prompt in prompt * places..(prompt + 1) * places {
                let pair = |duel: &Duel| Pair { prompt, a: duel.a, b: duel.b };
                ask.extend(wanted.iter().map(pair).filter(|pair| self.field.has(*pair)));
            }
        }
        Round { settled, ask }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Side;

    /// Three methods on 40 prompts of two seeds: 0 always wins, 1 and 2 always draw.
    fn game(pair: &Pair) -> Game {
        let winner = if pair.a == 0 { Winner::A } else { Winner::Tie };
        let Pair { prompt, a, b } = *pair;
        Game { a, b, prompt, winner, side: Side::Neither, weight: 1.0 }
    }

    #[test]
    fn a_clear_first_place_ends_early_level_pairs_are_asked_to_the_end_and_rounds_replay() {
        let field = Field { num_methods: 3, num_prompts: 80, num_seeds: 2 };
        for (goal, prompts_at_end) in [(Goal::Order, 40), (Goal::First, 20)] {
            let settling = Settling { field: &field, goal, seed: 5 };
            let mut closed: Vec<Pair> = Vec::new();
            loop {
                let games: Vec<Game> = closed.iter().map(game).collect();
                let round = settling.next(&games, &closed, 6);
                assert_eq!(round, settling.next(&games, &closed, 6));
                assert!(round.ask.iter().all(|pair| !closed.contains(pair)));
                if round.ask.is_empty() {
                    assert_eq!(round.settled.first(), Some(0));
                    assert_eq!(round.settled.num_settled(), 2);
                    assert_eq!(round.settled.ranks(), [(1, 1), (2, 3), (2, 3)]);
                    let open = round.settled.open();
                    assert_eq!((open[0].duel, open[0].prompts_left), (Duel { a: 1, b: 2 }, None));
                    break;
                }
                closed.extend(round.ask);
            }
            let prompts: BTreeSet<usize> = closed.iter().map(|pair| pair.prompt / 2).collect();
            assert!(prompts.len() <= prompts_at_end, "{goal:?}: {}", prompts.len());
        }
    }
}
