//! How scores of learned features were made, for the paragraph on methods.

use super::show::short_hash;
use super::tex::escaped;
use serde_json::Value;

/// One score, from its definition.
pub(super) fn learned(metric: &str, hash: &str, definition: &Value) -> String {
    let [of, to] = [&definition["of"], &definition["to"]];
    let score = &definition["score"];
    let formula = score["formula"].as_str().unwrap_or_default();
    let mut out = format!(
        "{} is {} (hash {}). The vectors of the assets: {}.",
        escaped(metric),
        described(formula, score),
        short(hash),
        feature(of)
    );
    if formula == "value" {
        out = format!(
            "{} is the mean over the views of the number that a model gives (hash {}): {}.",
            escaped(metric),
            short(hash),
            feature(of)
        );
    } else if !to.is_null() && to != of {
        out.push_str(&format!(" The vectors of the prompts: {}.", feature(to)));
    }
    out
}

/// A formula between the vectors of the assets and those of the prompts or references.
fn described(formula: &str, score: &Value) -> String {
    let nearest = format!("with balls up to neighbour {}", score["k"]);
    match formula {
        "mean" => "the mean over the views of the cosine to the prompt's vector".to_owned(),
        "max" => "the largest cosine of a view to the prompt's vector".to_owned(),
        "pooled" => {
            "the cosine of the mean of the views' unit vectors to the prompt's vector".to_owned()
        }
        "r_precision" => format!(
            "the share of a generator's assets whose own prompt is among the {} most similar of all",
            score["first"]
        ),
        "fd" => {
            "the Fr\\'echet distance~\\cite{heusel2017} to the references, with its limit for many assets by~\\cite{chong2020}".to_owned()
        }
        "kd" => "the unbiased kernel distance~\\cite{binkowski2018} to the references".to_owned(),
        "cmmd" => {
            "CMMD~\\cite{jayasumana2024} of unit vectors ($\\sigma = 10$, times 1000)".to_owned()
        }
        "precision" | "recall" => format!("{formula}~\\cite{{kynkaanniemi2019}} {nearest}"),
        _ => format!("{formula}~\\cite{{naeem2020}} {nearest}"),
    }
}

/// The model, its inputs and their preprocessing.
fn feature(feature: &Value) -> String {
    let model = &feature["model"];
    let text = |value: &Value| escaped(value.as_str().unwrap_or_default());
    let mut parts = vec![if let Some(hash) = model["onnx"].as_str() {
        format!(
            "the network with the BLAKE3 hash {}, run by {}",
            short(hash),
            text(&model["runtime"])
        )
    } else if model["model"].is_string() {
        format!(
            "the model {} (requests of the shape {})",
            text(&model["model"]),
            text(&model["shape"])
        )
    } else {
        "a Python function".to_owned()
    }];
    let inputs = &feature["inputs"];
    if let Some(protocol) = inputs["protocol"].as_str() {
        parts.push(format!("views drawn by the render protocol {}", short(protocol)));
    }
    match &inputs["against"] {
        Value::Null => {}
        Value::String(_) => parts.push("each with the same view of the reference".to_owned()),
        with if with["template"].is_string() => {
            parts.push(format!("each with the text ``{}''", text(&with["template"])));
        }
        _ => parts.push("each with the prompt's photo".to_owned()),
    }
    if inputs["template"].is_string() {
        parts.push(format!("the text ``{}''", text(&inputs["template"])));
    }
    if !inputs["photo"].is_null() {
        parts.push("the prompt's photo".to_owned());
    }
    if let Some(count) = inputs["points"]["count"].as_u64() {
        let points = &inputs["points"];
        parts.push(format!(
            "{count} points of the surface (seed {}, frame {})",
            points["seed"],
            text(&points["frame"])
        ));
    }
    if let Some(centers) = feature["grouping"]["num_centers"].as_u64() {
        let members = &feature["grouping"]["num_members"];
        parts.push(format!("in {centers} groups of {members}"));
    }
    if !feature["preprocessing"].is_null() {
        parts.push(preprocessed(&feature["preprocessing"]));
    }
    parts.join(", ")
}

fn preprocessed(steps: &Value) -> String {
    let text = |value: &Value| escaped(value.as_str().unwrap_or_default());
    let resize = &steps["resize"];
    let size = if let Some(edge) = resize["short_edge"].as_u64() {
        format!("resized to a short edge of {edge} pixels")
    } else if let Some([width, height]) = resize["exact"].as_array().map(Vec::as_slice) {
        format!("resized to {width} by {height} pixels")
    } else {
        "not resized".to_owned()
    };
    let how = match resize {
        Value::Null => String::new(),
        _ => format!(" ({}, as by {})", text(&steps["filter"]), text(&steps["resampler"])),
    };
    let crop = steps["crop"]["size_px"].as_u64();
    let crop = crop.map_or_else(String::new, |px| format!(" and cut to {px} in the middle"));
    format!("{size}{how}{crop}")
}

/// The first digits of a hash.
pub(super) fn short(hash: &str) -> String {
    format!("\\texttt{{{}}}", short_hash(hash))
}
