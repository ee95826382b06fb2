//! What the offline judge measures on pairs of versions, for fitting its table of weights
//! (`lab/probe/fit_probe.py`), and what it says: reads lines of `NAME CLEAN DAMAGED` (files),
//! writes lines of JSON. A clean file in adjacent lines is loaded once; pairs that cannot be loaded
//! are named and left out.
//! `cargo run --release -p meshjudge-probe --example signs < pairs.txt > signs.jsonl`

use meshjudge_load::{LoadError, Options, load};
use meshjudge_probe::{Observed, compare, measure, observe};
use meshjudge_scene::Scene;
use serde_json::{Map, Value, json};
use std::io::BufRead;
use std::path::Path;
use std::sync::Arc;

type Version = (Observed, Arc<Scene>);

fn observed(path: &str) -> Result<Version, LoadError> {
    let scene = load(Path::new(path), &Options::default())?.scene;
    Ok((observe(&scene), scene))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut kept: Option<(String, Version)> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let [name, clean, damaged] = line.split_whitespace().collect::<Vec<_>>()[..] else {
            return Err(format!("not NAME CLEAN DAMAGED: {line}").into());
        };
        if kept.as_ref().is_none_or(|(path, _)| path != clean) {
            kept = Some((clean.to_owned(), observed(clean)?));
        }
        match (&kept, observed(damaged)) {
            (Some((_, clean)), Ok(damaged)) => println!("{}", row(name, clean, &damaged)),
            (_, Err(problem)) => eprintln!("{name}: {problem}"),
            (None, Ok(_)) => {}
        }
    }
    Ok(())
}

fn row(name: &str, clean: &Version, damaged: &Version) -> Value {
    let Some(found) = measure((&clean.0, &clean.1), (&damaged.0, &damaged.1)) else {
        return json!({ "pair": name, "placed": false });
    };
    let families = found.signs[0].iter().map(|s| (s.name.to_owned(), Value::from(s.family)));
    let mut row = json!({
        "pair": name,
        "placed": true,
        "families": families.collect::<Map<_, _>>(),
    });
    if let Some(versions) = compare((&clean.0, &clean.1), (&damaged.0, &damaged.1)) {
        let sides = ["clean", "damaged"];
        let faults = versions.faults.iter().map(|fault| {
            json!({ "side": sides[fault.side], "lowers": fault.lowers, "says": fault.says })
        });
        row["faults"] = faults.collect();
        row["bare"] = versions.bare.map(|(side, _)| sides[side]).into();
    }
    for (side, signs) in ["clean", "damaged"].into_iter().zip(&found.signs) {
        let values = signs.iter().map(|s| (s.name.to_owned(), Value::from(s.value)));
        row[side] = values.collect::<Map<_, _>>().into();
    }
    row
}
