//! Imports run one way: each stage takes from those to its left, and inside a stage no files take
//! from each other in a circle.

use crate::support::assets::files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The order in which data flows. A stage may name itself and earlier ones.
const STAGES: [&str; 27] = [
    "scene",
    "load",
    "save",
    "measure",
    "objects",
    "damage",
    "rig",
    "render",
    "sheet",
    "metrics",
    "check",
    "probe",
    "rate",
    "rubric",
    "options",
    "judge",
    "store",
    "ask",
    "feature_sets",
    "features",
    "results",
    "exchange",
    "front",
    "bench",
    "audit",
    "report",
    "cli",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = files(dir);
    files.retain(|path| path.extension().is_some_and(|e| e == "rs"));
    files
}

/// A module's path below the crate: `["judge", "probe"]` for `src/judge/probe/mod.rs`.
type Module = Vec<String>;

/// What a file takes from others, by path: `["crate", "store", "Store"]`.
#[derive(Debug, Default)]
struct Source {
    /// Of `use`, and of paths in the code.
    taken: Vec<Vec<String>>,
    /// Names handed on by `pub use`, with their paths.
    handed_on: BTreeMap<String, Vec<String>>,
}

/// The code without comments, literals' contents aside, and without its unit tests, which may take
/// from anywhere.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    let lines = text.lines().map(|line| match line.trim_start() {
        line if line.starts_with("//") => "",
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn split(path: &str) -> Vec<String> {
    let path = path.split(" as ").next().unwrap_or("");
    let parts = path.split("::").map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Every path of a use tree: `a::{b, c::{d, e}}` is `a::b`, `a::c::d`, `a::c::e`.
fn expanded(tree: &str) -> Vec<Vec<String>> {
    let Some((before, list)) = tree.split_once('{') else {
        return vec![split(tree)];
    };
    let list = list.trim_end().strip_suffix('}').unwrap_or(list);
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&list[start..]);
    let filled = items.into_iter().filter(|item| !item.trim().is_empty());
    let each = filled.flat_map(|item| expanded(&format!("{}{}", before, item.trim())));
    each.collect()
}

/// Paths outside `use` that begin at the crate, the parent or one of `children`. Visibilities are
/// no imports.
fn paths(text: &str, children: &BTreeSet<String>) -> Vec<Vec<String>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut last = "";
    for token in text.split(|c: char| !is_word(c) && c != ':') {
        let path = split(token);
        let is_path = token.contains("::") && path.len() > 1;
        if is_path && last != "in" {
            if ["crate", "super"].contains(&path[0].as_str()) {
                found.push(path);
            } else if children.contains(&path[0]) {
                found.push([vec!["self".to_owned()], path].concat());
            }
        }
        if !token.is_empty() {
            last = token;
        }
    }
    found
}

fn source(text: &str) -> Source {
    let mut source = Source::default();
    let (mut rest, mut children) = (String::new(), BTreeSet::new());
    for item in code(text).split_inclusive(';') {
        let trimmed = item.trim();
        // Attributes and blank lines can precede an item.
        let start = trimmed.rfind('\n').map_or(0, |at| at + 1);
        let uses =
            trimmed.find("use ").filter(|at| *at == 0 || trimmed[..*at].ends_with([' ', '\n']));
        if let Some(name) = trimmed[start..].trim_end_matches(';').rsplit_once("mod ") {
            children.insert(name.1.to_owned());
        }
        let Some(at) = uses.filter(|at| !trimmed[*at..].contains(['=', '('])) else {
            rest.push_str(item);
            continue;
        };
        rest.push_str(&trimmed[..at]);
        let is_handed_on = trimmed[..at].trim_end().ends_with("pub")
            || trimmed[..at].trim_end().ends_with(')') && trimmed[..at].contains("pub(");
        let tree = trimmed[at + 4..].trim_end_matches(';').replace('\n', " ");
        for path in expanded(&tree) {
            if is_handed_on {
                let name = path.last().cloned().unwrap_or_default();
                source.handed_on.insert(name, path);
            } else {
                source.taken.push(path);
            }
        }
    }
    source.taken.extend(paths(&rest, &children));
    source
}

/// The module that a path leads to, through what modules hand on; `None` for other crates.
/// `through` is called with each that hands it on.
fn module_of(
    path: &[String],
    from: &Module,
    sources: &BTreeMap<Module, Source>,
    through: &mut dyn FnMut(&Module),
    depth: usize,
) -> Option<Module> {
    let mut path = path;
    let mut at = from.clone();
    match path.first()?.as_str() {
        "crate" => {
            at.clear();
            path = &path[1..];
        }
        "self" => path = &path[1..],
        "super" => {}
        first => {
            let child = [at.clone(), vec![first.to_owned()]].concat();
            if !sources.contains_key(&child) {
                return None;
            }
        }
    }
    while path.first().is_some_and(|part| part == "super") {
        at.pop()?;
        path = &path[1..];
    }
    while let Some(part) = path.first() {
        let child = [at.clone(), vec![part.clone()]].concat();
        if !sources.contains_key(&child) {
            break;
        }
        at = child;
        path = &path[1..];
    }
    let handed_on = path.first().and_then(|name| sources.get(&at)?.handed_on.get(name));
    match handed_on {
        // A name that two modules hand to each other has its end somewhere.
        Some(path) if depth < 8 => {
            through(&at);
            module_of(path, &at, sources, through, depth + 1).or(Some(at))
        }
        _ => Some(at),
    }
}

/// Groups of modules that take from each other. A name that a `mod.rs` hands on is taken from there
/// as well, except by files below it: every file hangs on its own rooms.
fn circles(files: &BTreeMap<Module, String>) -> Vec<Vec<Module>> {
    let sources: BTreeMap<Module, Source> =
        files.iter().map(|(module, text)| (module.clone(), source(text))).collect();
    let takes: BTreeMap<&Module, BTreeSet<Module>> = sources
        .iter()
        .map(|(module, source)| {
            let mut found = BTreeSet::new();
            for path in &source.taken {
                let mut through = BTreeSet::new();
                let mut pass = |at: &Module| _ = through.insert(at.clone());
                found.extend(module_of(path, module, &sources, &mut pass, 0));
                found.extend(through.into_iter().filter(|at| !module.starts_with(at)));
            }
            found.retain(|other| other != module && !other.is_empty());
            (module, found)
        })
        .collect();
    let reach = |from: &Module| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            for next in takes.get(&module).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        sources.keys().map(|module| (module, reach(module))).collect();
    let mut found: BTreeSet<Vec<Module>> = BTreeSet::new();
    for (module, others) in &reached {
        if others.contains(*module) {
            let back = |other: &&Module| reached[*other].contains(*module);
            found.insert(others.iter().filter(back).cloned().collect());
        }
    }
    found.into_iter().collect()
}

/// Packages with several stages, each a folder. The program re-exports those of the others under
/// the same names.
const ROOTS: [&str; 4] = ["crates/damage/src", "crates/render/src", "crates/metrics/src", "src"];
/// Packages with one stage: the root is the stage.
const STAGE_PACKAGES: [(&str, &str); 7] = [
    ("scene", "crates/scene/src"),
    ("load", "crates/load/src"),
    ("save", "crates/save/src"),
    ("measure", "crates/measure/src"),
    ("probe", "crates/probe/src"),
    ("rate", "crates/rate/src"),
    ("feature_sets", "crates/features/src"),
];

/// Every file of the stages, by module.
fn house() -> BTreeMap<Module, String> {
    let stages = ROOTS.into_iter().flat_map(|src| files_of(&root().join(src)));
    let singles = STAGE_PACKAGES.into_iter().flat_map(|(stage, src)| {
        let files = files_of(&root().join(src));
        files.into_iter().map(move |(mut module, text)| {
            module.insert(0, stage.to_owned());
            let own = text.replace("crate::", &format!("crate::{stage}::"));
            let others = STAGES.iter().fold(own, |text, other| {
                text.replace(&format!("crate::{stage}::{other}::"), &format!("crate::{other}::"))
            });
            (module, others)
        })
    });
    stages.chain(singles).collect()
}

fn files_of(src: &Path) -> BTreeMap<Module, String> {
    let files = rust_files(src);
    let module = |file: &PathBuf| -> Module {
        let path = file.strip_prefix(src).unwrap().with_extension("");
        let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
        parts.filter(|part| part != "mod" && part != "lib").collect()
    };
    let read = |file: &PathBuf| (module(file), fs::read_to_string(file).unwrap());
    files.iter().map(read).collect()
}

/// The imports of a module against the order of stages.
fn violations(module: &Module, text: &str, sources: &BTreeMap<Module, Source>) -> Vec<String> {
    let place = |name: &String| STAGES.iter().position(|stage| stage == name);
    let Some(mine) = module.first().and_then(place) else {
        return Vec::new();
    };
    let taken = source(text).taken.into_iter();
    let stages = taken
        .filter_map(|path| module_of(&path, module, sources, &mut |_| {}, 0)?.first().cloned());
    let wrong = stages.filter(|stage| place(stage).is_some_and(|other| other > mine));
    wrong.collect()
}

#[test]
fn every_stage_imports_only_stages_to_its_left() {
    let files = house();
    let sources: BTreeMap<Module, Source> =
        files.iter().map(|(module, text)| (module.clone(), source(text))).collect();
    assert!(files.len() > 250, "only {} files were examined", files.len());
    let taken: usize = sources.values().map(|source| source.taken.len()).sum();
    assert!(taken > 1500, "only {taken} imports were read");
    for (module, text) in &files {
        let wrong = violations(module, text, &sources);
        assert!(wrong.is_empty(), "{} imports {wrong:?}", module.join("/"));
    }
}

/// The files of the other packages of the workspace, each package by itself.
fn other_packages() -> Vec<BTreeMap<Module, String>> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap().iter();
    let sources = members.map(|member| format!("{}/src", member.as_str().unwrap()));
    let is_other = |src: &String| {
        !ROOTS.contains(&src.as_str()) && STAGE_PACKAGES.iter().all(|(_, known)| known != src)
    };
    // The shaders' package has one file and no folder.
    let folders = sources.filter(is_other).map(|src| root().join(src)).filter(|src| src.is_dir());
    folders.map(|src| files_of(&src)).collect()
}

#[test]
fn no_files_take_from_each_other_in_a_circle() {
    let others = other_packages();
    let examined: usize = others.iter().map(BTreeMap::len).sum();
    assert!(examined > 50, "only {examined} files of other packages were examined");
    let found: Vec<_> = others.iter().chain([&house()]).flat_map(circles).collect();
    let lines: Vec<String> = found
        .iter()
        .map(|circle| {
            let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            names.join(", ")
        })
        .collect();
    assert!(lines.is_empty(), "circles:\n{}", lines.join("\n"));
}

/// All that is compiled for a package and its tests, by `Cargo.lock`.
fn needed_by(package: &str) -> BTreeSet<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    let name = |text: &toml::Value| text.as_str().unwrap().split(' ').next().unwrap().to_owned();
    let (mut seen, mut open) = (BTreeSet::new(), vec![package.to_owned()]);
    while let Some(wanted) = open.pop() {
        let packages = lock["package"].as_array().unwrap().iter();
        for package in packages.filter(|package| name(&package["name"]) == wanted) {
            let needed = package.get("dependencies").and_then(toml::Value::as_array);
            open.extend(needed.into_iter().flatten().map(name).filter(|n| seen.insert(n.clone())));
        }
    }
    seen
}

#[test]
fn loading_needs_no_graphics_stack_and_drawing_no_reader_of_files() {
    let (readers, graphics) = (["gltf", "draco-core", "basisu", "tobj"], ["wgpu", "naga"]);
    let (load, render) = (needed_by("meshjudge-load"), needed_by("meshjudge-render"));
    for reader in readers {
        assert!(load.contains(reader) && !render.contains(reader), "{reader}");
    }
    for part in graphics {
        assert!(render.contains(part) && !load.contains(part), "{part}");
    }
}

#[test]
fn every_folder_under_src_is_a_stage() {
    let entries = ROOTS.map(|src| fs::read_dir(root().join(src)).unwrap());
    for entry in entries.into_iter().flatten() {
        let entry = entry.unwrap();
        if entry.path().is_dir() {
            let name = entry.file_name().into_string().unwrap();
            assert!(STAGES.contains(&name.as_str()), "{name} has no place in the order");
        }
    }
}

fn planted(files: &[(&str, &str)]) -> BTreeMap<Module, String> {
    let module = |path: &str| path.split('/').map(str::to_owned).collect();
    let each = files.iter().map(|(path, text)| (module(path), (*text).to_owned()));
    each.collect()
}

#[test]
fn planted_imports_against_the_order_are_seen() {
    let files = planted(&[
        ("sheet", "use crate::judge::Reply;"),
        ("render", "mod a;\nuse crate::{rig::Rig, store::{Store, Row}};"),
        ("cli", "use crate::store::Store;"),
        ("rig", "pub struct Rig;"),
        ("judge", ""),
        ("store", "fn f() -> crate::cli::Exit { todo!() }"),
    ]);
    let sources: BTreeMap<Module, Source> =
        files.iter().map(|(module, text)| (module.clone(), source(text))).collect();
    let found = |stage: &str| {
        violations(&vec![stage.to_owned()], &files[&vec![stage.to_owned()]], &sources)
    };
    assert_eq!(found("sheet"), ["judge"]);
    assert_eq!(found("render"), ["store", "store"]);
    assert_eq!(found("store"), ["cli"]);
    assert!(found("cli").is_empty());
}

#[test]
fn planted_circles_are_seen() {
    let names = |files: &[(&str, &str)]| -> Vec<String> {
        let found = circles(&planted(files));
        found
            .iter()
            .map(|circle| circle.iter().map(|m| m.join("/")).collect::<Vec<_>>().join(" "))
            .collect()
    };
    let through_names = [
        ("a", "mod x;\nmod y;\npub use x::X;\npub use y::Y;"),
        ("a/x", "use super::Y;\npub struct X;"),
        ("a/y", "use super::x::X;\npub struct Y;"),
    ];
    assert_eq!(names(&through_names), ["a/x a/y"]);
    let through_the_room = [
        ("a", "mod x;\npub struct Shared;\nfn f() { x::go() }"),
        ("a/x", "use super::Shared;\npub fn go() {}"),
    ];
    assert_eq!(names(&through_the_room), ["a a/x"]);
    let handed_on = [
        ("a", "mod x;\nmod y;\npub use x::X;\npub(crate) use y::Y;"),
        ("a/x", "pub struct X;"),
        ("a/y", "use super::X;\npub(in crate::a) struct Y;"),
    ];
    assert!(names(&handed_on).is_empty());
    let through_another_room = [
        ("a", "mod x;\nmod y;"),
        ("a/x", "use super::y::Shown;"),
        ("a/y", "mod z;\npub use z::Shown;\nuse super::x::go;"),
        ("a/y/z", "pub struct Shown;"),
    ];
    assert_eq!(names(&through_another_room), ["a/x a/y"]);
}

#[test]
fn every_file_says_what_it_is() {
    let folders = ["crates", "src", "tests", "benches", "examples"].map(|dir| root().join(dir));
    let folders = folders.iter().filter(|dir| dir.is_dir());
    let files: Vec<PathBuf> = folders.flat_map(|dir| rust_files(dir)).collect();
    assert!(files.len() > 60);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} has no header", file.display());
    }
}

/// A flag that a line of code names, as in `"give it with --prompt"`.
fn flag(line: &str) -> Option<&str> {
    let quoted = &line[line.find('"')?..];
    let mut words = quoted.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.find(|word| {
        let name = word.strip_prefix("--");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

#[test]
fn flags_are_known_to_the_command_line_alone() {
    assert_eq!(flag(r#"    "give it with --prompt: {path:?}""#), Some("--prompt"));
    for (module, text) in house() {
        if module.first().is_some_and(|stage| stage == "cli") {
            continue;
        }
        let (code, file) = (code(&text), module.join("/"));
        let declares = module.first().is_some_and(|stage| stage == "options");
        assert!(declares || !code.contains("clap::"), "{file} derives flags");
        let named: Vec<&str> = code.lines().filter_map(flag).collect();
        assert!(named.is_empty(), "{file} names the flags {named:?}");
    }
}
