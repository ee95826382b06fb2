//! The stages import one way only: each from those to its left.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The order in which data flows. A stage may name itself and what stands before it.
const STAGES: [&str; 17] = [
    "scene", "load", "save", "bases", "damage", "measure", "rig", "render", "sheet", "rubric",
    "judge", "store", "rate", "bench", "audit", "report", "cli",
];

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Stages that a text names after `crate::`, also in braces.
fn stages_named(text: &str) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let part: String = match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap_or("").to_owned(),
            None => rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect(),
        };
        for item in part.split(',') {
            let name: String = item
                .trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if STAGES.contains(&name.as_str()) {
                named.insert(name);
            }
        }
    }
    named
}

/// The imports of `stage` that run against the order.
fn violations(stage: &str, text: &str) -> Vec<String> {
    let place = |name: &str| STAGES.iter().position(|s| *s == name).unwrap();
    stages_named(text)
        .into_iter()
        .filter(|name| place(name) > place(stage))
        .collect()
}

#[test]
fn every_stage_imports_only_stages_to_its_left() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut examined = 0;
    for stage in STAGES {
        let dir = src.join(stage);
        if !dir.is_dir() {
            continue;
        }
        let mut files = Vec::new();
        rust_files(&dir, &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let wrong = violations(stage, &text);
            assert!(wrong.is_empty(), "{} imports {wrong:?}", file.display());
            examined += 1;
        }
    }
    assert!(examined > 50, "only {examined} files were examined");
}

#[test]
fn every_folder_under_src_is_a_stage() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in fs::read_dir(src).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            assert!(
                STAGES.contains(&name.as_str()),
                "{name} has no place in the order"
            );
        }
    }
}

#[test]
fn a_planted_import_against_the_order_is_seen() {
    assert_eq!(violations("sheet", "use crate::judge::Reply;"), ["judge"]);
    assert_eq!(
        violations("render", "use crate::{rig::Rig, store::Store};"),
        ["store"]
    );
    assert!(violations("cli", "use crate::store::Store;").is_empty());
}

#[test]
fn every_file_says_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for dir in ["src", "tests", "benches", "examples"] {
        if root.join(dir).is_dir() {
            rust_files(&root.join(dir), &mut files);
        }
    }
    assert!(files.len() > 60);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} has no header", file.display());
    }
}
