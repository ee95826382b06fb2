//! Every vector of `../shared/data/features`, if present: computed by Python packages.

use super::pictures::{pixels_of_recipe, preprocessing, sha256, unit};
use base64::Engine;
use meshjudge_features::{
    Bootstrap, Diagonal, FeatureSet, Neighbours, Range, Rank, Rgb8, Views, cmmd, fitted_line,
    frechet, kernel_distance, neighbours, r_precision, similarities,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

const NO_INTERVAL: Bootstrap = Bootstrap { replicates: 0, seed: 0 };

fn read(name: &str) -> Option<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/features");
    let Ok(text) = std::fs::read_to_string(PathBuf::from(folder).join(name)) else {
        eprintln!("skipped: there is no {name} in {folder}");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap()],
    }
}

/// Rows, or a recipe `gen(seed,n,d,shift,scale)`.
fn set(value: &Value) -> FeatureSet {
    if let Some(rows) = value.as_array() {
        let depth_two = rows[0][0].is_array();
        let views = if depth_two { rows[0].as_array().unwrap().len() } else { 1 };
        let values = numbers(value);
        let dimension = values.len() / rows.len() / views;
        return FeatureSet::new(values, dimension, &vec![views; rows.len()]).unwrap();
    }
    let inside = value.as_str().unwrap().trim_start_matches("gen(").trim_end_matches(')');
    let given: Vec<f64> = inside.split(',').map(|part| part.parse().unwrap()).collect();
    let number = |at: u64| {
        let sum: f64 = (0..12).map(|t| unit(given[0] as u64, at * 12 + t)).sum();
        f64::from(((sum - 6.0) * given[4] + given[3]) as f32)
    };
    let dimension = given[2] as usize;
    let values = (0..given[1] as u64 * given[2] as u64).map(number).collect();
    FeatureSet::one_row_each(values, dimension).unwrap()
}

fn close(id: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!((found - wanted).abs() <= tolerance, "{id}: {found} is not {wanted}");
}

#[test]
fn formulas_give_the_values_of_the_packages() {
    let Some(file) = read("vectors.json") else { return };
    let mut pairs = BTreeMap::new();
    for name in ["a", "b", "d", "d_same_law"] {
        let of = |side: &str| set(&file["sets"][name][side]);
        pairs.insert(name, [of("x"), of("y")]);
    }
    let c = ["text", "image", "views"].map(|name| set(&file["sets"]["c"][name]));
    let entries = file["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 74);
    for entry in entries {
        let (id, value) = (entry["id"].as_str().unwrap(), &entry["value"]);
        let (metric, rest) = id.split_once('-').unwrap();
        let named = pairs.iter().rev().find(|(name, _)| rest.starts_with(**name));
        match (metric, named) {
            ("fd" | "kd" | "cmmd" | "prdc" | "fdinf", Some((name, pair))) => {
                of_sets(id, rest.strip_prefix(name).unwrap(), pair, value);
            }
            ("self", _) => of_itself(rest, &pairs["a"][0], value),
            // The program computes no LPIPS.
            ("lpips", _) => {}
            _ => of_similarities(id, &c, value),
        }
    }
}

/// `variant` is the rest of the id: `""`, `"-eig"`, `"-torchmetrics"`.
fn of_sets(id: &str, variant: &str, [x, y]: &[FeatureSet; 2], value: &Value) {
    let wanted = value.as_f64().unwrap_or(f64::NAN);
    if id.starts_with("fdinf") {
        return of_infinity(id, [x, y], value);
    }
    if id.starts_with("fd") {
        let found = frechet(x, y, Rank::DeficientAllowed, NO_INTERVAL).unwrap().value;
        // piq iterates, and the others take a root of a matrix, which is singular in set b.
        let relative = match variant {
            "" => 1e-9,
            "-piq" => 2e-4,
            _ => 1e-6,
        };
        return close(id, found, wanted, relative * wanted);
    }
    if id.starts_with("cmmd") {
        let sets = if variant == "-unit" {
            [x.unit(), y.unit()].map(Result::unwrap)
        } else {
            [x.clone(), y.clone()]
        };
        let found = cmmd(&sets[0], &sets[1], NO_INTERVAL).unwrap().value;
        return close(id, found, wanted, 1e-9);
    }
    if let Some(k) = variant.strip_prefix("-k") {
        let k: usize = k.parse().unwrap();
        let Neighbours { precision, recall, density, coverage } =
            neighbours(x, y, k, NO_INTERVAL).unwrap();
        for (name, found) in [
            ("precision", precision),
            ("recall", recall),
            ("density", density),
            ("coverage", coverage),
        ] {
            close(id, found.value, value[name].as_f64().unwrap(), 1e-12);
        }
        return;
    }
    let diagonal = if variant == "-biased" { Diagonal::With } else { Diagonal::Without };
    let found = kernel_distance(x, y, diagonal, NO_INTERVAL).unwrap().value;
    if variant == "-torch-fidelity-100x200" {
        // The mean of random subsets: near, and not this number.
        let [mean, deviation] = ["mean", "std"]
            .map(|name| value[format!("kernel_inception_distance_{name}")].as_f64().unwrap());
        return close(id, found, mean, deviation);
    }
    close(id, found, wanted, 1e-12);
}

fn of_infinity(id: &str, [x, y]: [&FeatureSet; 2], value: &Value) {
    let sizes: Vec<usize> = numbers(&value["N"]).iter().map(|n| *n as usize).collect();
    let mut points = Vec::new();
    for (num, wanted) in sizes.iter().zip(numbers(&value["fd"])) {
        let first = |set: &FeatureSet| set.chosen(&(0..*num).collect::<Vec<_>>());
        let found = frechet(&first(x), &first(y), Rank::Full, NO_INTERVAL).unwrap().value;
        close(id, found, wanted, 1e-9 * wanted.max(1.0));
        points.push((*num, found));
    }
    let line = fitted_line(&points);
    close(id, line.intercept, value["intercept"].as_f64().unwrap(), 1e-9);
    close(id, line.slope, value["slope"].as_f64().unwrap(), 1e-6);
}

fn of_itself(metric: &str, x: &FeatureSet, value: &Value) {
    let wanted = value.as_f64().unwrap();
    match metric {
        "fd" => close(metric, frechet(x, x, Rank::Full, NO_INTERVAL).unwrap().value, 0.0, 1e-12),
        "kd-unbiased" => {
            let found = kernel_distance(x, x, Diagonal::Without, NO_INTERVAL).unwrap();
            close(metric, found.value, wanted, 1e-12);
        }
        other => panic!("nothing checks self-{other}"),
    }
}

fn of_similarities(id: &str, [text, image, views]: &[FeatureSet; 3], value: &Value) {
    let mean = |of: &FeatureSet, how, scale: fn(f64) -> f64| {
        let all = similarities(of, text, how).unwrap();
        all.iter().map(|cosine| scale(*cosine)).sum::<f64>() / all.len() as f64
    };
    let hundred: fn(f64) -> f64 = |cosine| 100.0 * cosine;
    let first = |of, how, k| r_precision(of, text, how, k, NO_INTERVAL).unwrap().value;
    let found = match id {
        "cos-c-diag" => {
            let all = similarities(image, text, Views::Mean).unwrap();
            for (found, wanted) in all.iter().zip(numbers(value)) {
                close(id, *found, wanted, 1e-12);
            }
            return;
        }
        "clipscore-c-unclamped" => mean(image, Views::Mean, hundred),
        "clipscore-c-torchmetrics-rule" => mean(image, Views::Mean, hundred).max(0.0),
        "clipscore-c-hessel" => mean(image, Views::Mean, |cosine| 2.5 * cosine.max(0.0)),
        "views-c-mean" => mean(views, Views::Mean, hundred),
        "views-c-max" => mean(views, Views::Max, hundred),
        "views-c-pooled" => mean(views, Views::Pooled, hundred),
        "rprec1-c" => first(image, Views::Mean, 1),
        "rprec5-c" => first(image, Views::Mean, 5),
        "rprec1-c-views-mean" => first(views, Views::Mean, 1),
        other => panic!("nothing checks {other}"),
    };
    close(id, found, value.as_f64().unwrap(), 1e-10);
}

#[test]
fn pictures_have_the_hashes_of_the_packages() {
    let Some(file) = read("vectors2.json") else { return };
    let mut pictures = BTreeMap::new();
    for (name, about) in file["pictures"].as_object().unwrap() {
        let [width, height] = ["width", "height"].map(|key| about[key].as_u64().unwrap() as usize);
        let pixels = match about["png_base64"].as_str() {
            Some(text) => {
                let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
                let mut reader =
                    png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
                let mut pixels = vec![0; 3 * width * height];
                reader.next_frame(&mut pixels).unwrap();
                pixels
            }
            None => pixels_of_recipe(width, height, 4),
        };
        assert_eq!(sha256(&pixels), about["sha256_u8"].as_str().unwrap(), "{name}");
        pictures.insert(name.clone(), Rgb8::new(width, height, pixels).unwrap());
    }
    let entries = file["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 76);
    let (mut unequal, mut examined) = (Vec::new(), 0);
    for entry in entries {
        let text = |key: &str| entry[key].as_str().unwrap();
        if text("name") == "lpips-scaled" {
            continue;
        }
        let name = format!("{} {}", text("picture"), text("by"));
        let steps = preprocessing(text("name"), text("by"));
        let found = steps.planes(&pictures[text("picture")]).unwrap();
        let bytes: Vec<u8> = found.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let first = numbers(&entry["first"]);
        assert_eq!(first.len(), 12);
        for (wanted, found) in first.iter().zip(&found.values) {
            close(&name, f64::from(*found), *wanted, 3e-6);
        }
        let mean =
            found.values.iter().map(|v| f64::from(*v)).sum::<f64>() / found.values.len() as f64;
        if steps.range == Range::Unit {
            close(&name, mean, entry["mean"].as_f64().unwrap(), 1e-6);
            examined += 1;
        }
        if sha256(&bytes) != text("sha256_f32") {
            unequal.push((text("picture").to_owned(), text("name").to_owned()));
        }
    }
    assert!(examined > 0);
    // Sums of float kernels whose order the packages leave to their compiler: within 3e-6.
    let mut allowed: Vec<_> =
        ["64x48", "300x200", "17x31", "640x480"].map(|of| (of, "cmmd336-noaa")).into();
    allowed.extend([("640x480", "clip224"), ("640x480", "incep299-bilinear-aa-f32")]);
    let others =
        unequal.iter().filter(|(of, name)| !allowed.contains(&(of.as_str(), name.as_str())));
    assert_eq!(others.count(), 0, "{unequal:?}");
    assert!(unequal.len() <= allowed.len(), "{unequal:?}");
}
