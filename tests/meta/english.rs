//! Counts the words that our style bans in prose: in documents, help texts, messages and doc
//! comments. The counts can only fall.

use crate::support::assets::{files, repository};
use std::fs;
use std::path::PathBuf;

/// A banned group, its forms, and the most uses allowed: lower the number whenever uses become
/// fewer.
type Banned = (&'static str, &'static [&'static str], usize);

/// When the count began, in documents and comments: told 62, beside 183, stands 223, lies 181,
/// "what is" 285.
const BANNED: [Banned; 5] = [
    ("told", &["told", "tells"], 2),
    ("beside", &["beside"], 1),
    ("stands", &["stands", "stand"], 9),
    ("lies", &["lies", "lie"], 2),
    ("what is", &["what is"], 3),
];

/// The folders and files with prose of ours. Records keep their words; so do texts that are hashed
/// into verdicts.
const PROSE: [&str; 27] = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs",
    "src",
    "crates/damage/src",
    "crates/features/README.md",
    "crates/features/src",
    "crates/load/src",
    "crates/measure/src",
    "crates/metrics/src",
    "crates/parallel/src",
    "crates/probe/src",
    "crates/rate/src",
    "crates/rate/README.md",
    "crates/render/src",
    "crates/save/src",
    "crates/scene/src",
    "crates/splat/src",
    "shaders",
    "python/src",
    "python/meshjudge",
    "assets/report",
    "assets/templates",
    "assets/services",
    "assets/models.toml",
    "examples",
];

/// The part of a line that people read: all of a document, else comments, and literals with a space
/// in them.
fn prose(line: &str, extension: &str) -> String {
    let mark = match extension {
        "md" | "html" | "py" | "pyi" => return line.to_owned(),
        "toml" => "#",
        "rs" | "js" | "wgsl" => "//",
        _ => return String::new(),
    };
    let (code, comment) = line.split_once(mark).unwrap_or((line, ""));
    let literals = code.split('"').skip(1).step_by(2);
    let texts = literals.filter(|text| text.contains(' '));
    texts.chain([comment]).collect::<Vec<_>>().join(" ")
}

/// Uses of a word or of several, as whole words in any capitals.
fn uses(text: &str, words: &str) -> usize {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let text = text.to_lowercase();
    let whole = |(at, _): &(usize, &str)| {
        !text[..*at].ends_with(is_letter) && !text[at + words.len()..].starts_with(is_letter)
    };
    text.match_indices(words).filter(whole).count()
}

#[test]
fn banned_words_become_fewer() {
    let all = PROSE.iter().flat_map(|path| files(&repository(path)));
    let paths: Vec<PathBuf> =
        all.filter(|path| !path.starts_with(repository("docs/runs"))).collect();
    let mut found: Vec<Vec<String>> = vec![Vec::new(); BANNED.len()];
    let mut read = 0;
    for path in &paths {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let Ok(text) = fs::read_to_string(path) else {
            continue; // a picture
        };
        // Only the part on what is not yet released; earlier releases keep their words.
        let text = if path.ends_with("CHANGELOG.md") {
            text.split("\n## [0").next().unwrap()
        } else {
            &text
        };
        for (at, line) in text.lines().enumerate() {
            let prose = prose(line, &extension);
            read += usize::from(!prose.is_empty());
            for (place, (_, forms, _)) in BANNED.iter().enumerate() {
                let count: usize = forms.iter().map(|form| uses(&prose, form)).sum();
                let shown = format!("{}:{}: {}", path.display(), at + 1, line.trim());
                found[place].extend((0..count).map(|_| shown.clone()));
            }
        }
    }
    assert!(read > 10_000, "only {read} lines of prose were found");
    for ((name, _, left), found) in BANNED.iter().zip(&found) {
        assert!(
            found.len() <= *left,
            "{name:?}: {} uses, and only {left} are allowed; write plain words:\n{}",
            found.len(),
            found.join("\n")
        );
    }
}

/// As wide as rustfmt's code. Tables and the code of examples cannot be broken.
#[test]
fn comments_are_no_wider_than_the_code() {
    let folders = ["src", "crates", "shaders", "python/src", "tests", "benches"];
    let paths: Vec<PathBuf> = folders.iter().flat_map(|it| files(&repository(it))).collect();
    let is_code = |path: &&PathBuf| path.extension().is_some_and(|e| e == "rs" || e == "wgsl");
    let mut wide = Vec::new();
    let mut read = 0;
    for path in paths.iter().filter(is_code) {
        let text = fs::read_to_string(path).unwrap();
        let mut is_example = false;
        for (at, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!', ' ']);
            is_example ^= comment.starts_with("```");
            read += 1;
            if line.chars().count() > 100 && !is_example && !comment.starts_with("| ") {
                wide.push(format!("{}:{}", path.display(), at + 1));
            }
        }
    }
    assert!(read > 10_000, "only {read} lines of comments were found");
    assert!(wide.is_empty(), "comments of more than 100 characters:\n{}", wide.join("\n"));
}

#[test]
fn words_are_counted_where_people_read_them() {
    let line = "let beside = 1; // stands beside it, besides";
    assert_eq!(uses(&prose(line, "rs"), "beside"), 1);
    assert_eq!(uses(&prose("x(\"it is beside it\", \"beside\")", "rs"), "beside"), 1);
    assert_eq!(uses("What is what isn’t: what is.", "what is"), 2);
}
