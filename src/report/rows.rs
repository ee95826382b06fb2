//! Rows for programs: what `rate --json` prints, and a run's records as JSON lines or CSV.

use super::csv::csv_line;
use super::record_columns::RECORD_COLUMNS;
use super::run_rows::run_rows;
use crate::rate::ELO_PER_NAT;
use crate::results::{
    CriterionAnchored, CriterionBoard, CriterionCategories, CriterionControlled, CriterionMeans,
    MosBoard, Results,
};
use crate::store::{Pseudonyms, Store, StoreError};
use serde_json::{Value, json};

/// The kinds of the rows of [`result_rows`].
pub const RESULT_KINDS: [&str; 17] = [
    "rating",
    "criterion",
    "anchored",
    "anchors",
    "unanchored",
    "controlled",
    "controls",
    "uncontrolled",
    "diagnosis",
    "category",
    "mean",
    "mos",
    "mos_agreement",
    "agreement",
    "people",
    "generator",
    "outcomes",
];

/// One row for each rating, criterion, mean, agreement and generator, and one for the outcomes.
pub fn result_rows(results: &Results) -> Vec<Value> {
    let mut rows: Vec<Value> = results.boards.iter().flat_map(board_rows).collect();
    rows.extend(results.anchored.iter().flat_map(anchored_rows));
    rows.extend(results.unanchored.iter().map(|on| {
        json!({"kind": "unanchored", "rubric": on.rubric, "criterion": on.criterion, "reason": on.reason.to_string()})
    }));
    rows.extend(results.controlled.iter().flat_map(controlled_rows));
    rows.extend(results.uncontrolled.iter().map(|on| {
        json!({"kind": "uncontrolled", "rubric": on.rubric, "criterion": on.criterion, "judge": on.voice.to_string(), "reason": on.reason})
    }));
    rows.extend(results.diagnoses.iter().map(|on| {
        let mut row = json!(on);
        row["kind"] = "diagnosis".into();
        row["voice"] = on.voice.to_string().into();
        row
    }));
    rows.extend(results.categories.iter().flat_map(category_rows));
    rows.extend(results.means.iter().flat_map(mean_rows));
    rows.extend(results.mos.iter().flat_map(mos_rows));
    rows.extend(results.agreement.iter().map(|found| {
        let same = &found.agreement.same;
        json!({
            "kind": "agreement", "rubric": found.rubric, "criterion": found.criterion,
            "first": found.first.to_string(), "second": found.second.to_string(),
            "counts": same.counts, "on_decided": same.on_decided, "with_ties": same.with_ties, "kappa": same.kappa,
            "kendall": found.agreement.kendall, "spearman": found.agreement.spearman,
            "methods": found.agreement.num_methods, "prompts": found.agreement.num_prompts,
        })
    }));
    rows.extend(results.people.iter().map(|found| {
        let raters = &found.agreement;
        json!({
            "kind": "people", "rubric": found.rubric, "criterion": found.criterion, "raters": found.raters,
            "pairwise": raters.pairwise, "against_rest": raters.rest, "alpha": raters.alpha,
        })
    }));
    rows.extend(results.making.iter().map(|found| {
        json!({
            "kind": "generator", "method": found.method, "wanted": found.wanted, "failed": found.failed,
            "failed_share": found.failed_share(), "failed_at": found.failed_at, "median_seconds": found.median_seconds,
            "cost_usd": found.cost_usd,
        })
    }));
    rows.push(json!({"kind": "outcomes", "outcomes": results.outcomes}));
    rows
}

/// A row for each method, and one for the board with each judge's information in votes.
fn anchored_rows(on: &CriterionAnchored) -> Vec<Value> {
    let CriterionAnchored { rubric, criterion, methods, board, .. } = on;
    let line = |line: &crate::rate::AnchoredLine| {
        json!({
            "kind": "anchored", "rubric": rubric, "criterion": criterion, "method": methods[line.method], "rating": line.rating,
            "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
            "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1),
            "rank_all_low": line.ranks_all.map(|r| r.0), "rank_all_high": line.ranks_all.map(|r| r.1),
            "votes": line.votes, "apart": line.apart_elo,
            "beats": chances(methods, &board.beats, line.method),
        })
    };
    let mut rows: Vec<Value> = board.lines.iter().map(line).collect();
    let judges: Vec<Value> = on
        .judges
        .iter()
        .zip(&board.judges)
        .map(|(voice, worth)| json!({"judge": voice.to_string(), "worth": worth}))
        .collect();
    rows.push(json!({
        "kind": "anchors", "rubric": rubric, "criterion": criterion, "votes": board.num_votes, "prompts": board.num_prompts,
        "design_effect": board.design_effect, "worth": board.worth, "off_elo": board.off_elo, "judges": judges,
        "next_50_narrow": board.next_50_narrow, "votes_to_first": board.votes_to_first,
        "refused": on.refused.iter().map(|(voice, why)| json!({"judge": voice.to_string(), "reason": why})).collect::<Vec<_>>(),
    }));
    rows
}

/// A row for each method, and one for the board with the effect of each figure.
fn controlled_rows(on: &CriterionControlled) -> Vec<Value> {
    let CriterionControlled { rubric, criterion, methods, board, .. } = on;
    let judge = on.voice.to_string();
    let line = |line: &crate::rate::ControlledLine| {
        json!({
            "kind": "controlled", "rubric": rubric, "criterion": criterion, "judge": judge, "method": methods[line.method],
            "rating": line.rating, "bound": line.bound, "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
            "rank": line.rank, "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1),
            "plain": line.plain, "plain_rank": line.plain_rank, "moved": line.moved,
            "moved_low": line.moved_interval.map(|i| i.low), "moved_high": line.moved_interval.map(|i| i.high),
        })
    };
    let mut rows: Vec<Value> = board.lines.iter().map(line).collect();
    let effects = board.effects.iter().map(|effect| {
        let control = &on.controls[effect.covariate];
        json!({
            "name": control.name, "scale": control.scale, "sd": effect.sd, "elo_per_sd": effect.elo,
            "low": effect.interval.map(|i| i.low), "high": effect.interval.map(|i| i.high),
        })
    });
    let refused = on.refused.iter().map(|(name, why)| json!({"name": name, "reason": why}));
    rows.push(json!({
        "kind": "controls", "rubric": rubric, "criterion": criterion, "judge": judge, "effects": effects.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(), "games": board.games, "left_out": board.left_out, "prompts": board.num_prompts,
        "replicates": board.replicates,
    }));
    rows
}

fn category_rows(on: &CriterionCategories) -> Vec<Value> {
    let judge = on.voice.to_string();
    let places = on.categories.iter().zip(&on.found.num_prompts).zip(&on.found.categories);
    let rows = places.flat_map(|((category, prompts), lines)| {
        let judge = &judge;
        lines.iter().map(move |line| {
            json!({
                "kind": "category", "rubric": on.rubric, "criterion": on.criterion, "judge": judge, "category": category,
                "prompts": prompts, "method": on.methods[line.method], "rating": line.rating,
                "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
                "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1), "effect": line.effect,
                "effect_low": line.effect_interval.map(|i| i.low), "effect_high": line.effect_interval.map(|i| i.high),
                "games": line.games, "spread": on.found.spread_elo,
            })
        })
    });
    rows.collect()
}

/// How likely a method is better than each other.
fn chances(methods: &[String], beats: &[Vec<f64>], method: usize) -> Value {
    let others = methods.iter().zip(&beats[method]).enumerate();
    let others = others.filter(|(other, _)| *other != method);
    others
        .map(|(_, (name, chance))| (name.clone(), (*chance).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn board_rows(on: &CriterionBoard) -> Vec<Value> {
    let CriterionBoard { rubric, criterion, methods, board, .. } = on;
    let judge = on.voice.to_string();
    let rating = |line: &crate::rate::Line| {
        let beats = board.beats.as_ref().map(|beats| chances(methods, beats, line.method));
        json!({
            "kind": "rating", "rubric": rubric, "criterion": criterion, "judge": judge, "method": methods[line.method], "rating": line.rating, "bound": line.bound,
            "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
            "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1),
            "rank_all_low": line.ranks_all.map(|r| r.0), "rank_all_high": line.ranks_all.map(|r| r.1),
            "games": line.games, "ties": line.ties, "inconsistent": line.inconsistent, "beats": beats,
        })
    };
    let mut rows: Vec<Value> = board.lines.iter().map(rating).collect();
    let bias = board.left_bias;
    let interval = bias.and_then(|(_, interval)| interval);
    let points = |nats: f64| nats * ELO_PER_NAT;
    rows.push(json!({
        "kind": "criterion", "rubric": rubric, "criterion": criterion, "judge": judge, "prompts": board.num_prompts, "games": board.num_units,
        "both_orders": board.num_both_orders, "inconsistent": board.num_inconsistent, "undecided": on.undecided, "both_bad": on.both_bad, "forfeits": on.forfeits,
        "left_bias_elo": bias.map(|(b, _)| points(b)),
        "left_bias_low": interval.map(|i| points(i.low)), "left_bias_high": interval.map(|i| points(i.high)),
        "davidson_nu": board.tie, "only_won": board.only_won.iter().map(|m| &methods[*m]).collect::<Vec<_>>(),
    }));
    rows
}

fn mos_rows(on: &MosBoard) -> Vec<Value> {
    let mut rows: Vec<Value> = on.means.iter()
        .map(|(method, found)| {
            json!({
                "kind": "mos", "criterion": on.criterion, "method": method, "mean": found.mean, "standard_error": found.standard_error,
                "low": found.interval.map(|i| i.low), "high": found.interval.map(|i| i.high), "scores": found.num_scores,
                "clusters": found.num_clusters,
            })
        })
        .collect();
    let among = on.among.iter().map(|found| {
        json!({"kind": "mos_agreement", "criterion": on.criterion, "with": "each rater and the others", "of": "assets", "found": found})
    });
    let against = on.against.iter().map(|found| {
        json!({
            "kind": "mos_agreement", "criterion": on.criterion, "with": found.with, "on": found.on, "of": found.of, "found": found.found,
        })
    });
    rows.extend(among.chain(against));
    rows
}

fn mean_rows(on: &CriterionMeans) -> Vec<Value> {
    let judge = on.voice.to_string();
    let row = |(method, found): &(String, crate::rate::Mean)| {
        json!({
            "kind": "mean", "rubric": on.rubric, "criterion": on.criterion, "judge": judge, "method": method, "mean": found.mean,
            "standard_error": found.standard_error, "low": found.interval.map(|i| i.low), "high": found.interval.map(|i| i.high),
            "scores": found.num_scores, "clusters": found.num_clusters,
        })
    };
    on.means.iter().map(row).collect()
}

/// Every row as one JSON object a line, people under their names or `hidden`. Returns how many questions have no reply yet and are left out.
///
/// # Errors
/// A run that cannot be read; whatever `line` fails with.
pub fn jsonl<E: From<StoreError> + From<serde_json::Error>>(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), E>,
) -> Result<usize, E> {
    run_rows(store, |mut row| {
        hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
        line(&serde_json::to_string(&row)?)
    })
}

/// Every row as one line of RFC 4180, after a header. A list is space-separated in its cell, a verdict is JSON, null is empty.
/// Returns how many questions have no reply yet and are left out.
///
/// # Errors
/// As [`jsonl`].
pub fn csv<E: From<StoreError> + From<serde_json::Error>>(
    store: &Store,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), E>,
) -> Result<usize, E> {
    line(&RECORD_COLUMNS.map(|(name, _)| name).join(","))?;
    run_rows(store, |mut row| {
        hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
        line(&csv_line(&RECORD_COLUMNS.map(|(_, cell)| cell.text(&row))))
    })
}
