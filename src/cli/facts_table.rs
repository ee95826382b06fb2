//! The measured facts of a run's assets, by generator: what a benchmark ends with when its
//! measuring judge decided nothing.

use super::Printer;
use crate::error::Error;
use crate::load::{Options, load};
use crate::measure::{MeshFacts, measure};
use crate::report::text_table;
use crate::store::{Made, Store};
use std::collections::BTreeMap;
use std::path::Path;

/// Assets of each generator that are measured: enough for a mean.
const ASSETS_MAX: usize = 40;

/// Prints the means, and who must decide instead.
///
/// # Errors
/// A run folder that cannot be read.
pub(super) fn print_facts(store: &Store, printer: &Printer) -> Result<(), Error> {
    let mut by_method: BTreeMap<String, Vec<Made>> = BTreeMap::new();
    for made in store.made()?.into_iter().filter(|m| m.failure.is_none()) {
        by_method.entry(made.method.clone()).or_default().push(made);
    }
    type Column = (&'static str, fn(&MeshFacts) -> f64);
    let columns: [Column; 6] = [
        ("triangles", |f| f.counts.triangles as f64),
        ("floating pieces", |f| f.parts.floaters as f64),
        ("their area, %", |f| 100.0 * f.parts.floater_area_share),
        ("openings", |f| f.holes.count as f64),
        ("noise, degrees", |f| f.noise.mean_degrees),
        ("textured, %", |f| 100.0 * f.texture.textured_area_share),
    ];
    let mut heads = vec!["generator".to_owned(), "assets".to_owned()];
    heads.extend(columns.iter().map(|(head, _)| (*head).to_owned()));
    let (mut rows, mut table) = (Vec::new(), vec![heads]);
    for (method, made) in &by_method {
        let paths = made.iter().filter_map(|made| made.path.as_ref());
        let facts: Vec<MeshFacts> = paths
            .take(ASSETS_MAX)
            .filter_map(|path| {
                Some(measure(&load(Path::new(path), &Options::default()).ok()?.scene))
            })
            .collect();
        if facts.is_empty() {
            continue;
        }
        let mean = |of: fn(&MeshFacts) -> f64| {
            facts.iter().map(of).fold(0.0, |sum, v| sum + v) / facts.len() as f64
        };
        let means = columns.map(|(_, of)| mean(of));
        rows.push(serde_json::json!({
            "kind": "facts", "method": method, "assets": facts.len(), "triangles": means[0], "floaters": means[1],
            "floater_area_percent": means[2], "openings": means[3], "noise_degrees": means[4], "textured_percent": means[5],
        }));
        let mut line = vec![method.clone(), facts.len().to_string()];
        line.extend(means.map(|mean| format!("{mean:.1}")));
        table.push(line);
    }
    let text = format!(
        "measured facts, means by generator\n{}\n\
         probe cannot decide which of these objects is better: it does not know what they are. \
         A vision model (--judge) or people (meshjudge serve RUN) must decide.",
        text_table(&table)
    );
    printer.show(text, rows);
    Ok(())
}
