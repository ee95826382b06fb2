//! Every command of the README and of guides with files of a checkout is run as it is written.

use crate::support::assets::{demo, repository};
use crate::support::judge_server::{Mocks, reply};
use crate::support::program::{Run, command};
use std::path::Path;
use wiremock::Request;

/// The README, and documents whose commands run after it.
const DOCUMENTS: [&str; 4] = [
    include_str!("../../README.md"),
    include_str!("../../docs/METRICS.md"),
    include_str!("../../docs/AUDIT.md"),
    include_str!("../../docs/VOTING.md"),
];

/// Lines of the `sh` blocks of these documents, without comments.
fn commands() -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_inside = false;
    for line in DOCUMENTS.iter().flat_map(|text| text.lines()) {
        match line {
            "```sh" => is_inside = true,
            "```" => is_inside = false,
            _ if is_inside => {
                commands.push(line.split(" #").next().unwrap().trim_end().to_owned());
            }
            _ => {}
        }
    }
    commands
}

/// Splits a line at blanks, except in double quotes.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A board by `probe` and the documents quote the same figures of its audit.
#[test]
fn the_offline_judge_cites_its_audit() {
    let record = meshjudge::unstable::judge::probe::RECORD;
    assert!(include_str!("../../README.md").contains(record));
    let audit = include_str!("../../docs/AUDIT.md");
    let shares: Vec<&str> =
        record.split([' ', ',', ';']).filter(|word| word.parse::<f64>().is_ok()).collect();
    assert!(shares.len() >= 7, "{shares:?}");
    for share in shares {
        assert!(audit.contains(share), "{share} is not in docs/AUDIT.md");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_works_as_written() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&demo(""), &folder.path().join("assets/demo"));
    let server = Mocks::chat(|_: &Request| reply("A short analysis.\n1 1 3 1 1 1", "stop")).await;
    let readme = include_str!("../../README.md");
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let mut run = 0;
    for line in commands() {
        if line == "cargo test" {
            continue; // this very run
        }
        if line.starts_with("meshjudge serve ") {
            continue; // until Ctrl-C
        }
        let local = line.replace("http://127.0.0.1:8000", &server.uri());
        let words = words(&local.replacen("cargo run --release -- ", "meshjudge ", 1));
        let (program, args) = words.split_first().unwrap();
        assert_eq!(program, "meshjudge", "{line}");
        let output = Run::of(&mut command(folder.path(), args));
        assert_eq!(output.code, Some(0), "{line}\n{}", output.stderr);
        let said = output.stdout;
        assert!(!said.is_empty(), "{line} says nothing");
        let is_right = run > 0 || said.contains(shown);
        assert!(is_right, "the README shows\n{shown}\nbut the program says\n{said}");
        run += 1;
    }
    assert!(run >= 30, "only {run} commands were found");
    for made in [
        "pictures/chair_clean/rgb_0.png",
        "pictures/chair_clean/frames.json",
        "pictures/pair.png",
        "pictures/reference/3_zoom.png",
        "runs/demo/report.html",
        "bench.toml",
        "demo.md",
        "demo.csv",
    ] {
        assert!(folder.path().join(made).is_file(), "{made}");
    }
    let rows = std::fs::read_dir(folder.path().join("runs")).unwrap().count();
    assert!(rows >= 4, "one run folder each");
}

#[test]
fn every_picture_and_page_that_the_readme_names_is_there() {
    let readme = include_str!("../../README.md");
    let mut found = 0;
    for part in readme.split("](").skip(1) {
        let target = part.split(')').next().unwrap();
        if !target.starts_with("http") {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            assert!(repository(file).exists(), "{target}");
            assert!(heading.is_empty() || has_heading(file, heading), "{target}");
            found += 1;
        }
    }
    assert!(found >= 6, "{found}");
}

/// Each task of the guide names the files that it touches.
#[test]
fn every_file_that_the_guide_for_contributors_names_is_there() {
    let guide = include_str!("../../CONTRIBUTING.md");
    let tops = [
        "crates/", "src/", "tests/", "docs/", "assets/", "prompts/", "python/", "shaders/", "fuzz/",
    ];
    // `tests/corpus/TARGET/` and `load/NAME.rs` have a name that the reader chooses.
    let is_chosen = |part: &str| {
        let word = part.trim_end_matches(".rs");
        word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    let named = guide.split('`').skip(1).step_by(2).filter(|words| {
        let is_path = tops.iter().any(|top| words.starts_with(top)) && !words.contains([' ', '*']);
        is_path && !words.split('/').any(is_chosen)
    });
    let mut found = 0;
    for file in named {
        assert!(repository(file).exists(), "{file}");
        found += 1;
    }
    assert!(found >= 40, "{found}");
}

/// Whether a document has a heading with this anchor: small letters, with a hyphen for each blank.
fn has_heading(file: &str, anchor: &str) -> bool {
    let text = std::fs::read_to_string(repository(file)).unwrap();
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        words.replace(' ', "-") == anchor
    })
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
