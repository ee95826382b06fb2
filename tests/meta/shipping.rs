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

/// What is downloaded writes Parquet and runs networks, which the default build leaves out.
#[test]
fn what_is_released_has_every_feature() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let features = manifest["features"].as_table().unwrap();
    let all: Vec<&str> =
        features.keys().map(String::as_str).filter(|name| *name != "default").collect();
    assert!(all.len() >= 3, "{all:?}");
    let is_default = |name: &str| {
        features["default"].as_array().unwrap().iter().any(|it| it.as_str() == Some(name))
    };
    let extra: Vec<&str> = all.into_iter().filter(|name| !is_default(name)).collect();
    let program = read(".github/workflows/release.yml");
    let builds: Vec<&str> =
        program.lines().filter(|line| line.contains("--profile dist")).collect();
    assert_eq!(builds.len(), 2);
    let image = read("Dockerfile");
    let image = image.lines().filter(|line| line.contains("--profile dist"));
    for build in builds.into_iter().chain(image) {
        let features = between(build, "--features ", " ");
        assert_eq!(features.split(',').collect::<Vec<_>>(), extra, "{build}");
    }
    let wheel: toml::Table = read("python/Cargo.toml").parse().unwrap();
    let wheel = wheel["dependencies"]["meshjudge"]["features"].as_array().unwrap();
    assert_eq!(wheel.iter().map(|it| it.as_str().unwrap()).collect::<Vec<_>>(), extra);
}

/// `idna_adapter` chooses the data that `idna` uses: 1.1 is unicode-rs, later versions are ICU with
/// 20 packages (its README). An update of all packages would bring them back.
#[test]
fn names_of_hosts_need_no_icu() {
    let lock: toml::Table = read("Cargo.lock").parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let adapter = packages.iter().find(|it| it["name"].as_str() == Some("idna_adapter")).unwrap();
    assert!(
        adapter["version"].as_str().unwrap().starts_with("1.1."),
        "run cargo update -p idna_adapter --precise 1.1.0"
    );
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
