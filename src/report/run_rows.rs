//! Every row of a run: records with prompt ids and seeds, then pairs decided by a missing asset.

use crate::error::Error;
use crate::judge::Asset;
use crate::results::{Counting, Outdated};
use crate::rubric::{Order, Outcome};
use crate::store::{Made, PairResult, PlannedPair, Rater, Record, Slots, Store};
use std::collections::HashMap;

/// The `judge` of a row that nobody was asked about.
const RULE: &str = "rule";

/// Calls `each` with every row. Returns how many questions have no reply yet and are left out.
///
/// # Errors
/// A run that cannot be read; whatever `each` fails with.
pub fn run_rows(
    store: &Store,
    mut each: impl FnMut(Record) -> Result<(), Error>,
) -> Result<usize, Error> {
    let (slots, counting) = (Slots::read(store)?, Counting::of(store)?);
    let left_out = store.records(|mut record| {
        slots.fill(&mut record);
        record.not_rated = counting.outdated(&record).map(Outdated::as_str);
        each(record)
    })?;
    let pairs = store.pairs()?;
    let is_forfeit = |pair: &&PlannedPair| {
        matches!(pair.result, PairResult::AByForfeit | PairResult::BByForfeit)
    };
    if pairs.iter().any(|pair| is_forfeit(&pair)) {
        let made = store.made()?;
        let made: HashMap<_, _> =
            made.iter().map(|made| ((&*made.method, &*made.prompt_id, made.seed), made)).collect();
        for pair in pairs.iter().filter(is_forfeit) {
            let of = |method: &str| made.get(&(method, &*pair.prompt_id, pair.seed)).copied();
            let not_rated = counting.outdated_pair(pair).map(Outdated::as_str);
            each(Record { not_rated, ..forfeit(pair, [of(&pair.a), of(&pair.b)]) })?;
        }
    }
    Ok(left_out)
}

/// The `id` of the row of a pair that a missing asset decided.
pub fn forfeit_id(pair: &PlannedPair) -> String {
    format!("forfeit/{}/{}/{}/{}/{}", pair.rubric, pair.prompt_id, pair.seed, pair.a, pair.b)
}

/// The asset that is missing has neither path nor hash.
fn forfeit(pair: &PlannedPair, [a, b]: [Option<&Made>; 2]) -> Record {
    let a_wins = pair.result == PairResult::AByForfeit;
    let asset = |method: &str, made: Option<&Made>, is_there: bool| {
        let made = made.filter(|_| is_there);
        let text = |field: fn(&Made) -> &Option<String>| made.and_then(|made| field(made).clone());
        Asset {
            path: text(|made| &made.path).unwrap_or_default(),
            hash: text(|made| &made.hash).unwrap_or_default(),
            method: method.to_owned(),
        }
    };
    let (loser, missing) = if a_wins { (&pair.b, b) } else { (&pair.a, a) };
    let why = match missing.and_then(|made| made.failure.as_ref()) {
        Some((_, reason)) => format!("{loser} has no asset: {reason}"),
        None => format!("{loser} has no asset"),
    };
    let of_a = asset(&pair.a, a, a_wins);
    let outcome = Outcome::Forfeit { reason: why };
    Record {
        rubric: pair.rubric.clone(),
        prompt: Some(pair.prompt.clone()),
        b: Some(asset(&pair.b, b, !a_wins)),
        prompt_id: Some(pair.prompt_id.clone()),
        seed: Some(pair.seed),
        photo: a.or(b).and_then(|made| made.photo.clone()),
        ..Record::bare(forfeit_id(pair), of_a, Order::AsListed, Rater::named(RULE), outcome)
    }
}
