//! `--ocr` of `inspect` and `audit`, by the real program: networks without weights that see text in
//! whatever is dark, and read it as the same words.

use crate::support::assets::{CUBE, Folder, repository};
use serde_json::Value;

/// A folder with both networks, a black and a white asset.
fn workplace() -> Folder {
    let place = Folder::new();
    for name in ["dark-det.onnx", "answer-rec.onnx"] {
        copy(&place, name, name);
    }
    for (name, color) in [("black", 0.0), ("white", 1.0)] {
        place.write(format!("{name}.obj"), format!("mtllib {name}.mtl\nusemtl m\n{CUBE}"));
        let material = format!("newmtl m\nKd {color} {color} {color}\n");
        place.write(format!("{name}.mtl"), material);
    }
    place
}

fn copy(place: &Folder, from: &str, to: &str) {
    place.copy(repository("tests/data").join(from), format!("networks/{to}"));
}

#[test]
fn inspect_reads_what_is_painted_on_an_asset() {
    let place = workplace();
    let args = "inspect black.obj white.obj --ocr networks";
    let run = place.run(args);
    if !cfg!(feature = "onnx") {
        run.refuses("the cargo feature `onnx`");
        return;
    }
    let line = "view 0 (azimuth 0°): \"ANSWER NEAR\", confidence 0.93 - reads like an instruction to a judge";
    run.ok()
        .shows([line, "  text       none found in 4 views of 512 px"])
        .says("a judge may follow it");

    let rows = place.ok(&format!("{args} --json")).rows();
    let lines = rows[0]["text"]["lines"].as_array().unwrap();
    let views: Vec<u64> = lines.iter().filter_map(|line| line["view"].as_u64()).collect();
    assert_eq!(views, [0, 1, 2, 3]);
    assert_eq!(lines[0]["reads_like_instruction"], true);
    assert_eq!(lines[0]["corners"].as_array().map(Vec::len), Some(4));
    assert_eq!(rows[1]["text"]["lines"], Value::Array(Vec::new()));
    assert!(place.run("inspect black.obj --json").rows()[0]["text"].is_null());
}

#[test]
#[cfg(feature = "onnx")]
fn an_audit_says_which_of_its_objects_have_text() {
    let place = workplace();
    for name in ["black.obj", "black.mtl", "white.obj", "white.mtl"] {
        place.copy(place.join(name), format!("bases/{name}"));
    }
    let args = "audit --bases bases --kinds holes --ocr networks --dry-run";
    place.ok(args).shows([
        "text on bases/black.obj, view 0 (azimuth 0°): \"ANSWER NEAR\"",
        "no text on 1 of 2 objects, in 4 views of 512 px",
    ]);
    let rows = place.ok(&format!("{args} --json")).rows_of("text");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["object"], "bases/black.obj");

    place.run("audit --rubric category --ocr networks --dry-run").says("only built-in scenes");
}

#[test]
#[cfg(feature = "onnx")]
fn networks_that_do_not_fit_are_refused_with_the_reason() {
    let place = workplace();
    let refused = |said: &str| {
        place.run("inspect black.obj --ocr networks").refuses(said);
    };
    copy(&place, "mean-color.onnx", "dark-det.onnx");
    refused("not [1, 1, height, width]");
    copy(&place, "dark-det.onnx", "dark-det.onnx");
    copy(&place, "mean-color.onnx", "answer-rec.onnx");
    refused("no characters in its metadata");
    let network = std::fs::read(repository("tests/data/answer-rec.onnx")).unwrap();
    let file = "networks/answer-rec.onnx";
    let at = network.windows(3).position(|some| some == b"A\nN").unwrap();
    let mut fewer = network.clone();
    fewer[at + 1] = b'_';
    place.write(file, fewer);
    refused("must have 7 values, not 8");
    place.write(file, &network[..network.len() / 2]);
    refused("cannot be opened");
    place.remove(file);
    refused("the folder has 1 and 0");
}
