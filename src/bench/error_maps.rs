//! The best and the worst assets of each metric → error maps, all on one scale. Existing maps
//! of the same assets are kept.

use super::observer::Observer;
use super::plan::Plan;
use super::planned_metrics::PlannedReference;
use crate::error::Error;
use crate::metrics::{ERROR_MAP_VERSION, ErrorMap, Reference};
use crate::results::extremes;
use crate::store::{ErrorMapRow, Made, MetricRow};
use std::path::Path;

/// One surface from one side; a picture has four of them.
const TILE_PX: u32 = 288;

/// `rows` are those of the entry; `before` what earlier calls drew.
///
/// # Errors
/// A disk that fails.
pub(super) fn draw_extremes(
    planned: &PlannedReference,
    rows: &[MetricRow],
    made: &[Made],
    plan: &Plan,
    run_folder: &Path,
    before: &[ErrorMapRow],
    observer: &dyn Observer,
) -> Result<Vec<ErrorMapRow>, Error> {
    let PlannedReference { path, settings, hashes: definitions } = planned;
    let unit = serde_json::to_value(settings.unit).unwrap_or_default();
    let mut wanted: Vec<ErrorMapRow> = Vec::new();
    for (metric, definition) in settings.metrics.iter().zip(definitions) {
        let of_metric = rows.iter().filter(|row| row.definition == *definition);
        for row in extremes(of_metric, metric.is_lower_better()).iter().flatten() {
            let map = ErrorMapRow {
                method: row.method.clone(),
                prompt_id: row.prompt_id.clone(),
                seed: row.seed,
                asset: row.asset.clone(),
                reference: row.reference.clone(),
                definitions: definitions.clone(),
                picture: String::new(),
                scale: 0.0,
                unit: unit.as_str().unwrap_or_default().to_owned(),
                version: ERROR_MAP_VERSION,
            };
            if !wanted.contains(&map) {
                wanted.push(map);
            }
        }
    }
    let is_drawn = |map: &ErrorMapRow| {
        let bare = ErrorMapRow { picture: String::new(), scale: 0.0, ..map.clone() };
        wanted.contains(&bare) && map.path(run_folder).is_file()
    };
    let of_entry = before.iter().filter(|map| map.definitions == *definitions);
    let of_entry: Vec<ErrorMapRow> = of_entry.cloned().collect();
    // One scale for all: another asset among them may change it.
    if of_entry.len() == wanted.len() && of_entry.iter().all(is_drawn) {
        return Ok(of_entry);
    }
    let mut drawn: Vec<(ErrorMapRow, ErrorMap)> = Vec::new();
    for map in wanted {
        let found = made.iter().find(|made| {
            (&made.method, &made.prompt_id, made.seed) == (&map.method, &map.prompt_id, map.seed)
        });
        let Some(found) = found else { continue };
        let seen = path.read(found, &plan.load).and_then(|read| {
            let reference = Reference::new(&read.scene, settings).map_err(|e| e.to_string())?;
            let loaded = plan.read_made(found)?;
            reference.error_map(&loaded.scene, TILE_PX).map_err(|e| e.to_string())
        });
        match seen {
            Ok(seen) => drawn.push((map, seen)),
            Err(reason) => observer.warn(&format!(
                "no error map for {} on the prompt {:?}: {reason}",
                map.method, map.prompt_id
            )),
        }
    }
    let scale = ErrorMap::common_scale(drawn.iter().map(|(_, seen)| seen));
    let mut maps = Vec::new();
    for (map, seen) in drawn {
        match seen.picture(scale).to_png() {
            Ok(png) => {
                let map =
                    ErrorMapRow { picture: blake3::hash(&png).to_hex().to_string(), scale, ..map };
                map.write(run_folder, &png)?;
                maps.push(map);
            }
            Err(reason) => observer.warn(&format!("no error maps: {reason}")),
        }
    }
    Ok(maps)
}
