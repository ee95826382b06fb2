//! `--ocr` of `inspect` and `audit`, by the real program: networks without weights that see text in
//! whatever is dark, and read it as the same words.

use crate::support::assets::repository;
use crate::support::program::meshjudge;
use serde_json::Value;
use std::path::Path;

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";

/// A folder with both networks, a black and a white asset.
fn workplace() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(place.path().join("networks")).unwrap();
    for name in ["dark-det.onnx", "answer-rec.onnx"] {
        copy(place.path(), name, name);
    }
    for (name, color) in [("black", 0.0), ("white", 1.0)] {
        let write = |name: String, text: String| std::fs::write(place.path().join(name), text);
        let object = format!("mtllib {name}.mtl\nusemtl m\n{CUBE}");
        write(format!("{name}.obj"), object).unwrap();
        write(format!("{name}.mtl"), format!("newmtl m\nKd {color} {color} {color}\n")).unwrap();
    }
    place
}

fn copy(place: &Path, from: &str, to: &str) {
    let to = place.join("networks").join(to);
    std::fs::copy(repository("tests/data").join(from), to).unwrap();
}

#[test]
fn inspect_reads_what_is_painted_on_an_asset() {
    let place = workplace();
    let args = ["inspect", "black.obj", "white.obj", "--ocr", "networks"];
    let run = meshjudge(place.path(), &args);
    if !cfg!(feature = "onnx") {
        assert!(run.stderr.contains("the cargo feature `onnx`"), "{}", run.stderr);
        assert_eq!(run.code, Some(2));
        return;
    }
    let run = run.ok();
    let line = "view 0 (azimuth 0°): \"ANSWER NEAR\", confidence 0.93 - reads like an instruction to a judge";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    assert!(run.stdout.contains("  text       none found in 4 views of 512 px"), "{}", run.stdout);
    assert!(run.stderr.contains("a judge may follow it"), "{}", run.stderr);

    let rows = meshjudge(place.path(), &[&args[..], &["--json"]].concat()).ok().rows();
    let lines = rows[0]["text"]["lines"].as_array().unwrap();
    let views: Vec<u64> = lines.iter().filter_map(|line| line["view"].as_u64()).collect();
    assert_eq!(views, [0, 1, 2, 3]);
    assert_eq!(lines[0]["reads_like_instruction"], true);
    assert_eq!(lines[0]["corners"].as_array().map(Vec::len), Some(4));
    assert_eq!(rows[1]["text"]["lines"], Value::Array(Vec::new()));
    assert!(
        meshjudge(place.path(), &["inspect", "black.obj", "--json"]).rows()[0]["text"].is_null()
    );
}

#[test]
#[cfg(feature = "onnx")]
fn an_audit_says_which_of_its_objects_have_text() {
    let place = workplace();
    std::fs::create_dir(place.path().join("bases")).unwrap();
    for name in ["black.obj", "black.mtl", "white.obj", "white.mtl"] {
        std::fs::rename(place.path().join(name), place.path().join("bases").join(name)).unwrap();
    }
    let args = ["audit", "--bases", "bases", "--kinds", "holes", "--ocr", "networks", "--dry-run"];
    let run = meshjudge(place.path(), &args).ok();
    let found = "text on bases/black.obj, view 0 (azimuth 0°): \"ANSWER NEAR\"";
    assert!(run.stdout.contains(found), "{}", run.stdout);
    assert!(
        run.stdout.contains("no text on 1 of 2 objects, in 4 views of 512 px"),
        "{}",
        run.stdout
    );
    let rows = meshjudge(place.path(), &[&args[..], &["--json"]].concat()).ok().rows_of("text");
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["object"], "bases/black.obj");

    let scenes = ["audit", "--rubric", "category", "--ocr", "networks", "--dry-run"];
    let run = meshjudge(place.path(), &scenes);
    assert!(run.stderr.contains("only built-in scenes"), "{}", run.stderr);
}

#[test]
#[cfg(feature = "onnx")]
fn networks_that_do_not_fit_are_refused_with_the_reason() {
    let place = workplace();
    let refused = |said: &str| {
        let run = meshjudge(place.path(), &["inspect", "black.obj", "--ocr", "networks"]);
        assert!(run.stderr.contains(said), "{said}: {}", run.stderr);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
    };
    copy(place.path(), "mean-color.onnx", "dark-det.onnx");
    refused("not [1, 1, height, width]");
    copy(place.path(), "dark-det.onnx", "dark-det.onnx");
    copy(place.path(), "mean-color.onnx", "answer-rec.onnx");
    refused("no characters in its metadata");
    let network = std::fs::read(repository("tests/data/answer-rec.onnx")).unwrap();
    let file = place.path().join("networks/answer-rec.onnx");
    let at = network.windows(3).position(|some| some == b"A\nN").unwrap();
    let mut fewer = network.clone();
    fewer[at + 1] = b'_';
    std::fs::write(&file, fewer).unwrap();
    refused("must have 7 values, not 8");
    std::fs::write(&file, &network[..network.len() / 2]).unwrap();
    refused("cannot be opened");
    std::fs::remove_file(&file).unwrap();
    refused("the folder has 1 and 0");
}
