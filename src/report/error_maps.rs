//! Each metric's worst and best assets as page figures: where they differ from their references.

use super::RunReport;
use super::pictures::embed;
use super::sections::asset_name;
use super::table::significant;
use crate::store::ErrorMapRow;
use minijinja::{Value, context};
use std::collections::BTreeMap;

/// All such pictures together, as the page holds them.
const BYTES_MAX: usize = 8 << 20;

/// One asset.
struct Figure<'a> {
    map: &'a ErrorMapRow,
    name: String,
    /// The metrics on which it is among the worst or the best, with its numbers.
    said: Vec<String>,
    scale: String,
}

/// Worst first. An asset extreme on several metrics appears once. Unreadable maps are left out.
pub(super) fn error_figures(report: &RunReport) -> Vec<Value> {
    let mut order: Vec<&str> = Vec::new();
    let mut figures: BTreeMap<&str, Figure<'_>> = BTreeMap::new();
    let boards = &report.results.metrics;
    let worst = boards.iter().map(|board| (board, "worst", &board.worst));
    let best = boards.iter().map(|board| (board, "best", &board.best));
    for (board, end, cases) in worst.chain(best) {
        for (place, case) in cases.iter().enumerate() {
            let Some(map) = &case.error_map else { continue };
            let figure = figures.entry(&map.picture).or_insert_with(|| {
                order.push(&map.picture);
                let unit = match map.unit.as_str() {
                    "longest" => "of the reference’s longest side",
                    "diagonal" => "of the reference’s diagonal",
                    _ => "in the file’s unit",
                };
                Figure {
                    map,
                    name: asset_name(case),
                    said: Vec::new(),
                    scale: format!("{} {unit}", map.scale),
                }
            });
            let ordinal = ["", "second ", "third "].get(place).copied().unwrap_or("");
            figure.said.push(format!(
                "{ordinal}{end} {} ({})",
                board.metric,
                significant(case.value)
            ));
        }
    }
    let mut bytes = 0;
    let mut out = Vec::new();
    for key in order {
        let Some(figure) = figures.remove(key) else {
            continue;
        };
        let mut folders = report.folders.iter();
        let Some(picture) = folders.find_map(|folder| embed(&figure.map.path(folder))) else {
            continue;
        };
        let uri = picture.data_uri();
        bytes += uri.len();
        if bytes > BYTES_MAX {
            break;
        }
        out.push(context! {
            // Only letters of base64, and longer than text may be.
            src => Value::from_safe_string(uri),
            width => picture.width_px,
            height => picture.height_px,
            name => figure.name,
            said => figure.said.join(", "),
            scale => figure.scale,
        });
    }
    out
}
