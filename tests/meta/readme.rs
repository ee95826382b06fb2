//! What the README and the guide for contributors name exists.

use crate::support::assets::repository;

/// A board by `probe` and the documents quote the same figures of its audit.
#[test]
fn the_offline_judge_cites_its_audit() {
    let record = meshjudge::unstable::judge::probe::RECORD;
    assert!(include_str!("../../README.md").contains(record));
    let audit = include_str!("../../docs/AUDIT.md");
    let shares: Vec<&str> =
        record.split([' ', ',', ';']).filter(|word| word.parse::<f64>().is_ok()).collect();
    assert!(shares.len() >= 4, "{shares:?}");
    for share in shares {
        assert!(audit.contains(share), "{share} is not in docs/AUDIT.md");
    }
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
