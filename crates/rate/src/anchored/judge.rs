//! What a judge said → its board for the anchored fit: strengths, each with its variance.

use super::super::board::bounds;
use super::super::bootstrap::CLUSTERS_MIN;
use super::super::bradley_terry::fit;
use super::super::confusion::places;
use super::super::connect::{strong_components, with_sides};
use super::super::elo::{ELO_ORIGIN, ELO_PER_NAT};
use super::super::error::RateError;
use super::super::game::{Answer, games, units};
use super::super::model::{Anchor, Draws, Model};
use super::super::spread::Spread;
use super::super::table::{Cell, Counts, Table};

/// Elo standard deviation of a method that the judge did not rate, or that only won or lost.
const UNRATED_SD_ELO: f64 = 400.0;

/// A judge's board in natural log-odds: strengths with mean 0, and their variances.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prior {
    pub strengths: Vec<f64>,
    pub variances: Vec<f64>,
}

/// The ratings that one judge gives, and how sure they are over prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeBoard {
    pub(super) prior: Prior,
    /// Pairs that it was asked, `a` < `b`, and how much.
    pub(super) pairs: Vec<(usize, usize, f64)>,
    /// What being left adds, in Elo points; only where fitted, as each pair was asked in one order.
    pub left_bias_elo: Option<f64>,
}

/// A judge's board among `num_methods` methods: the shipped board. Where pairs were asked in one
/// order, the side is fitted, for without that a judge that likes the left is off by half as much
/// again (87 points instead of 59, measured).
///
/// # Errors
/// No games, methods without a link, fewer than five prompts.
pub fn judge_board(
    num_methods: usize,
    answers: &[Answer],
    draws: Draws,
) -> Result<JudgeBoard, RateError> {
    if let Some(game) = answers.iter().position(|it| it.a.max(it.b) >= num_methods) {
        return Err(RateError::BadGame { game });
    }
    let used = places(answers.iter().flat_map(|it| [it.a, it.b]));
    let answer = |it: &Answer| Answer { a: used[&it.a], b: used[&it.b], ..*it };
    let answers: Vec<Answer> = answers.iter().map(answer).collect();
    let table = Table::new(used.len(), &games(&units(&answers)))?;
    if table.num_clusters < CLUSTERS_MIN {
        return Err(RateError::FewPrompts { prompts: table.num_clusters, needed: CLUSTERS_MIN });
    }
    let model = with_sides(&Model { draws, ..Model::default() }, &table)?;
    let names: Vec<String> = used.keys().map(usize::to_string).collect();
    let found = fit(&table, &names, &model, Anchor::Mean)?;
    let spread = Spread::of_fit(&table, &model, &found);
    let spread = spread.ok_or(RateError::NotSettled { iterations: found.iterations })?;
    let unrated = UNRATED_SD_ELO / ELO_PER_NAT;
    let mut prior = Prior {
        strengths: vec![0.0; num_methods],
        variances: vec![unrated * unrated; num_methods],
    };
    let bounds = bounds(&table, &strong_components(&table));
    for (&method, &i) in &used {
        let error = spread.one(i).error / ELO_PER_NAT;
        // Where a judge only ever says one thing of a method, no prompt differs, and only the
        // weak prior places it.
        let least = match bounds[i] {
            None => 0.0,
            Some(_) => unrated * unrated,
        };
        prior.variances[method] = (error * error).max(least);
        prior.strengths[method] = (found.ratings[i] - ELO_ORIGIN) / ELO_PER_NAT;
    }
    let used: Vec<usize> = used.into_keys().collect();
    let pair = |(cell, counts): (&Cell, &Counts)| (used[cell.a], used[cell.b], counts.total());
    Ok(JudgeBoard {
        prior,
        pairs: table.cells.iter().zip(&table.totals).map(pair).collect(),
        left_bias_elo: found.left_bias.map(|bias| bias * ELO_PER_NAT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use crate::winner::Winner;

    /// Each prompt says the same, which is not a variance of 0: only the prior says how far
    /// apart the methods are.
    #[test]
    fn a_clean_order_has_the_uncertainty_of_methods_that_nobody_rated() {
        let pairs = [(0, 1), (0, 2), (1, 2)];
        let answers: Vec<Answer> = (0..30)
            .flat_map(|prompt| pairs.map(|(a, b)| (prompt, a, b)))
            .map(|(prompt, a, b)| Answer {
                a,
                b,
                prompt,
                key: 0,
                side: Side::Neither,
                winner: Winner::A,
            })
            .collect();
        let board = judge_board(3, &answers, Draws::Half).unwrap();
        let least = UNRATED_SD_ELO / ELO_PER_NAT;
        assert!(board.prior.variances.iter().all(|v| *v >= least * least));
    }
}
