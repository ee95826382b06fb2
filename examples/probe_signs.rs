//! What the offline judge measures on pairs of versions, for fitting its table of weights: reads lines of `NAME CLEAN DAMAGED` (files),
//! writes lines of JSON. `cargo run --release --example probe_signs < pairs.txt > signs.jsonl`

use meshjudge::judge::{Specimen, probe};
use serde_json::{Map, Value, json};
use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let [name, clean, damaged] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(format!("not NAME CLEAN DAMAGED: {line}").into());
        };
        let load = |path: &str| meshjudge::load(path).map(|loaded| Specimen::new(loaded.scene));
        let found = probe::signs(&load(clean)?, &load(damaged)?);
        let mut row = json!({ "pair": name, "placed": found.is_some() });
        if let Some(found) = found {
            let families = found.signs[0]
                .iter()
                .map(|s| (s.name.to_owned(), s.family.into()));
            row["families"] = families.collect::<Map<_, _>>().into();
            row["difference"] = found.color_difference.into();
            for (side, signs) in ["clean", "damaged"].into_iter().zip(&found.signs) {
                let values = signs
                    .iter()
                    .map(|s| (s.name.to_owned(), Value::from(s.value)));
                row[side] = values.collect::<Map<_, _>>().into();
            }
        }
        println!("{row}");
    }
    Ok(())
}
