//! What is built elsewhere, by a container's builder and by workflows, as far as it can be checked
//! here.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The text between the first `before` and the next `after`.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

#[test]
fn the_image_is_built_by_the_compiler_of_the_toolchain_file() {
    let wanted = read("rust-toolchain.toml");
    let image = read("Dockerfile");
    assert_eq!(between(&image, "FROM rust:", "-"), between(&wanted, "channel = \"", "\""));
}

/// The image is built from these only, so one that is gone or forgotten would be noticed by nobody
/// here.
#[test]
fn what_the_image_is_built_from_is_there_and_enough() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ignored = read(".dockerignore");
    let taken: Vec<&str> = ignored
        .lines()
        .filter_map(|line| line.strip_prefix('!'))
        .filter(|path| !path.contains('*'))
        .collect();
    assert!(taken.len() > 5);
    for path in &taken {
        assert!(root.join(path).exists(), "{path}");
    }
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    for member in members.iter().map(|member| member.as_str().unwrap()) {
        let is_taken = |path: &str| taken.iter().any(|taken| Path::new(path).starts_with(taken));
        assert!(is_taken(&format!("{member}/Cargo.toml")), "{member}");
        assert!(is_taken(&format!("{member}/src")), "{member}");
    }
}

/// Cargo forgets a profile's `strip` for a package with an entry of its own; the symbols are a
/// sixth of the program.
#[test]
fn profiles_that_ship_strip_the_program() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    for profile in ["release", "dist"] {
        let program = &manifest["profile"][profile]["package"]["meshjudge"];
        assert_eq!(program.get("strip").and_then(toml::Value::as_bool), Some(true), "{profile}");
    }
}

/// A tag can be moved by the owner of the action's repository, and the release workflow may
/// publish.
#[test]
fn workflows_use_actions_by_their_commit() {
    let workflows = Path::new(env!("CARGO_MANIFEST_DIR")).join(".github/workflows");
    let mut pinned = 0;
    for entry in fs::read_dir(workflows).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("\npermissions: {}\n"), "{path:?}");
        for used in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let used = used.1;
            if used.starts_with("./") {
                continue;
            }
            let (hash, version) = between(&format!("{used}\n"), "@", "\n")
                .split_once(" # v")
                .map(|(hash, version)| (hash.to_owned(), version.to_owned()))
                .unwrap_or_default();
            let is_hash = hash.len() == 40 && hash.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash && !version.is_empty(), "{used} in {path:?}");
            pinned += 1;
        }
    }
    assert!(pinned > 10);
}
