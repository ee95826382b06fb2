//! The order in which a settled run takes its prompts, kept in the run's folder: a claim counts
//! only prompts whose order was drawn before they were asked.

use super::schedule::draw;
use crate::error::Error;
use crate::store::{read_json, write_json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Ids of prompts by rubric, in the order of their draw.
const FILE: &str = "prompt-order.json";

/// Prompts, as places among `ids`, in the order in which they were drawn; those that have none are
/// drawn and kept, except those that were `asked` already.
///
/// # Errors
/// A file that cannot be read or written.
pub(super) fn prompt_order(
    folder: &Path,
    rubric: &str,
    ids: &[&str],
    asked: &BTreeSet<usize>,
    seed: u64,
) -> Result<Vec<usize>, Error> {
    let path = folder.join(FILE);
    let mut kept: BTreeMap<String, Vec<String>> = read_json(&path)?;
    let of_rubric = kept.entry(rubric.to_owned()).or_default();
    let place = |id: &String| ids.iter().position(|known| known == id);
    let before: Vec<usize> = of_rubric.iter().filter_map(place).collect();
    let drawn = draw(before.clone(), asked, ids.len(), seed);
    let new = &drawn[before.len()..];
    if !new.is_empty() {
        of_rubric.extend(new.iter().map(|prompt| ids[*prompt].to_owned()));
        write_json(&path, &kept)?;
    }
    Ok(drawn)
}
