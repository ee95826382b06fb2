//! Ratings with figures of the assets held equal: Bradley–Terry with covariates, as Chatbot Arena's
//! style control (Li, Angelopoulos & Chiang 2024, "Does style matter?").
//!
//! `x = θₐ − θ_b + Σ_k β_k d_k`, where `d_k` is the figure of a's asset less that of b's, over its
//! root mean square over the games. It is not centred: who is listed first means nothing, so its
//! mean belongs to nobody. Both θ and β have the weak prior of ratings. Draws count as on the plain
//! board, with Davidson's ν as fitted there. The plain ratings next to it are from the same games.
//! Where some games have a side, that is one more covariate: the left/right bias is in no rating.

mod lines;
mod rows;

use self::lines::{interval, lines};
use self::rows::{KNOWN_MIN, Rows};
use super::board::bounds;
use super::bootstrap::CLUSTERS_MIN;
use super::bradley_terry::{TOLERANCE_ELO, anchored, fit, maximum};
use super::certainty::certainty_of;
use super::connect::{strong_components, with_sides};
use super::elo::ELO_PER_NAT;
use super::error::RateError;
use super::game::Game;
use super::likelihood::{Likelihood, Ties};
use super::model::{Anchor, Fit, Model};
use super::spread::{Said, Spread};
use super::table::Table;
use crate::winner::Winner;

pub use self::lines::{Controlled, ControlledLine, Effect};
pub use self::rows::{Meeting, Refused, Uncontrollable};

/// Rates `methods` with as many of the covariates held equal as can be, and says of the others why
/// not; all meetings have as many differences. None where no covariate can be held equal.
///
/// # Errors
/// As of [`fit`], of the games that have all figures; [`RateError::OneSided`].
pub fn controlled(
    methods: &[String],
    meetings: &[Meeting],
    model: &Model,
    anchor: Anchor,
    replicates: usize,
    seed: u64,
) -> Result<(Option<Controlled>, Refused), RateError> {
    let num_covariates = meetings.first().map_or(0, |m| m.differences.len());
    let all: f64 = meetings.iter().map(|m| m.counts.total()).sum();
    let mut refused = Vec::new();
    let mut covariates = Vec::new();
    for covariate in 0..num_covariates {
        let knowing = meetings.iter().filter(|m| m.differences[covariate].is_some());
        let known = knowing.map(|m| m.counts.total()).sum::<f64>() / all;
        if known >= KNOWN_MIN {
            covariates.push(covariate)
        } else {
            refused.push((covariate, Uncontrollable::Missing { known }))
        }
    }
    let kept: Vec<&Meeting> = meetings
        .iter()
        .filter(|m| covariates.iter().all(|&covariate| m.differences[covariate].is_some()))
        .collect();
    let games: f64 = kept.iter().map(|m| m.counts.total()).sum();
    if covariates.is_empty() {
        return Ok((None, refused));
    }
    let table = Table::gathered(methods.len(), kept.iter().copied().flat_map(games_of))?;
    let model = with_sides(model, &table)?;
    if model.fits_bias {
        // The first, since a figure that is the side is no figure.
        covariates.insert(0, num_covariates);
    }
    let plain = fit(&table, methods, &model, anchor)?;
    let mut rows = Rows::new(methods.len(), &kept, &covariates, model.draws);
    let chosen = rows.choose(&covariates, &mut refused);
    refused.retain(|(covariate, _)| *covariate < num_covariates);
    refused.sort_by_key(|(covariate, _)| *covariate);
    let covariates: Vec<usize> = chosen.iter().map(|&place| covariates[place]).collect();
    if covariates.iter().all(|covariate| *covariate == num_covariates) {
        return Ok((None, refused));
    }
    rows.keep(&chosen);

    let mut likelihood = Likelihood::new(
        methods.len(),
        rows.rows.clone(),
        rows.z.clone(),
        Ties::Known(plain.tie.unwrap_or(0.0)),
        model.prior,
    );
    let start = Fit { left_bias: None, ..plain.clone() };
    let (at, iterations) = maximum(&likelihood, &start, None, TOLERANCE_ELO)?;
    let found = anchored(likelihood.fit(&at, iterations), anchor);
    likelihood.pull = model.prior.unwrap_or_default().precision();
    let each = rows.rows.iter().zip(&rows.clusters).enumerate();
    let said = each.map(|(row, (of, &cluster))| Said { row, cluster, sum: of.sum, ties: 0.0 });
    let has_spread = table.num_clusters >= CLUSTERS_MIN && replicates > 0;
    let of_plain = Spread::of_fit(&table, &model, &plain).filter(|_| has_spread);
    let spreads = of_plain
        .and_then(|plain| Some([Spread::of(&likelihood, &at, table.num_clusters, said)?, plain]));
    let certainty =
        spreads.as_ref().and_then(|[with, _]| certainty_of(with, anchor, &found, replicates, seed));
    let bounds = bounds(&table, &strong_components(&table));
    let ratings = [&found.ratings[..], &plain.ratings];
    let effect = |(place, &covariate): (usize, &usize)| {
        let elo = at[methods.len() + place] * ELO_PER_NAT;
        let scatter = spreads.as_ref().map(|[with, _]| with.one(methods.len() + place));
        Effect {
            covariate,
            sd: rows.sds[place],
            elo,
            interval: scatter.and_then(|scatter| interval(elo, scatter)),
        }
    };
    let effects = covariates.iter().enumerate().filter(|(_, it)| **it < num_covariates);
    let found = Controlled {
        lines: lines(ratings, spreads.as_ref(), certainty.as_ref(), &bounds, anchor),
        effects: effects.map(effect).collect(),
        games,
        left_out: all - games,
        num_prompts: table.num_clusters,
    };
    Ok((Some(found), refused))
}

fn games_of(meeting: &Meeting) -> impl Iterator<Item = Game> + use<> {
    let Meeting { a, b, prompt, side, .. } = *meeting;
    let counts = meeting.counts;
    let each = [(Winner::A, counts.a_wins), (Winner::B, counts.b_wins), (Winner::Tie, counts.ties)];
    let there = each.into_iter().filter(|(_, weight)| *weight > 0.0);
    there.map(move |(winner, weight)| Game { a, b, prompt, winner, side, weight })
}
