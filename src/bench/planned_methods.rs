//! The generators of a benchmark file as methods: who makes their assets, and how these are turned.

use super::file::{GeneratorEntry, GeneratorSource};
use super::make::{AssetTurn, Maker, Method};
use super::names::checked_name;
use super::prompt::Prompt;
use crate::load::{Axis, Options, Turn};
use crate::save::distinct_names;
use std::collections::BTreeSet;
use std::path::Path;

/// Refuses names that occur twice.
pub(super) fn methods(
    entries: &[GeneratorEntry],
    folder: &Path,
    load: &Options,
    prompts: &[Prompt],
    seeds: &[u32],
) -> Result<Vec<Method>, String> {
    if entries.is_empty() {
        return Err("there are no generators; add a [[generators]] entry".to_owned());
    }
    let mut seen = BTreeSet::new();
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    entries
        .iter()
        .zip(distinct_names(&names))
        .map(|(entry, folder_name)| {
            checked_name("generator", &entry.name)?;
            if !seen.insert(entry.name.clone()) {
                return Err(format!("the generator {:?} occurs twice", entry.name));
            }
            let wrong = |reason: String| format!("generator {:?}: {reason}", entry.name);
            let maker = Maker::new(entry, folder).map_err(wrong)?;
            let (turn, turns) = turns(entry, load, prompts, seeds).map_err(wrong)?;
            Ok(Method { name: entry.name.clone(), folder: folder_name, turn, turns, maker })
        })
        .collect()
}

/// A generator's axes, where its files have some of their own, and those of single assets.
fn turns(
    entry: &GeneratorEntry,
    load: &Options,
    prompts: &[Prompt],
    seeds: &[u32],
) -> Result<(Option<Turn>, Vec<AssetTurn>), String> {
    let has_axes = entry.up.is_some() || entry.front.is_some();
    if matches!(entry.source, GeneratorSource::Pictures(_)) && (has_axes || !entry.axes.is_empty())
    {
        return Err(
            "`up`, `front` and `axes` are for assets that are drawn; leave them out".to_owned()
        );
    }
    let named = |up: Option<Axis>, front: Option<Axis>, other: Turn| {
        let (up, front) = (up.unwrap_or(other.up), front.unwrap_or(other.front));
        if up.is_across(front) {
            return Ok(Turn { up, front, ..other });
        }
        Err(format!(
            "up {up} and front {front} are on the same axis; give both `up` and `front`, such as \"+z\" and \"-y\""
        ))
    };
    let all =
        named(entry.up, entry.front, Turn { up: load.up, front: load.front, yaw_degrees: 0 })?;
    let yaw = |degrees: Option<u16>| match degrees.unwrap_or(0) {
        yaw @ 0..360 => Ok(yaw),
        yaw => Err(format!("`yaw` is {yaw}; it counts from 0 to 359 degrees")),
    };
    let of_assets = entry.axes.iter().map(|axes| {
        if axes.prompts.is_empty() {
            return Err("`axes` needs the ids of its `prompts`".to_owned());
        }
        let is_known = |id: &String| prompts.iter().any(|prompt| prompt.id == *id);
        if let Some(id) = axes.prompts.iter().find(|id| !is_known(id)) {
            return Err(format!("`axes` has the prompt {id:?}, which does not exist"));
        }
        if let Some(seed) = axes.seeds.iter().find(|seed| !seeds.contains(seed)) {
            return Err(format!("`axes` has the seed {seed}, which does not exist"));
        }
        Ok(AssetTurn {
            prompt_ids: axes.prompts.clone(),
            seeds: axes.seeds.clone(),
            turn: named(axes.up, axes.front, Turn { yaw_degrees: yaw(axes.yaw)?, ..all })?,
        })
    });
    Ok((has_axes.then_some(all), of_assets.collect::<Result<_, _>>()?))
}
