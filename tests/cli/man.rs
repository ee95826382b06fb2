//! The manual.

use crate::help::{COMMANDS, flags, help};
use crate::support::program::{meshjudge, ok};
use std::path::Path;
use std::process::Command;

/// The page as a reader sees it; none where there is no formatter.
fn formatted(page: &Path) -> Option<String> {
    let formatter = Command::new("groff")
        .args(["-Kutf8", "-man", "-Tutf8", "-P-cbou", "-ww"])
        .arg(page)
        .output()
        .ok()?;
    let said = String::from_utf8(formatter.stderr).unwrap();
    assert_eq!(said, "", "{page:?}");
    Some(String::from_utf8(formatter.stdout).unwrap())
}

#[test]
fn there_is_a_page_for_each_command_with_each_of_its_flags() {
    let place = tempfile::tempdir().unwrap();
    ok(place.path(), &["man", "--out", "man/man1"]);
    for words in COMMANDS {
        let name = format!("meshjudge-{}.1", words.join("-"));
        let path = place.path().join("man/man1").join(&name);
        // Roff writes a hyphen as `\-`.
        let page = std::fs::read_to_string(&path).unwrap().replace("\\-", "-");
        let help = help(words, "--help");
        for flag in flags(&help) {
            assert!(page.contains(flag), "{flag} in {name}: {page}");
        }
    }
    let rate = std::fs::read_to_string(place.path().join("man/man1/meshjudge-rate.1")).unwrap();
    assert!(!rate.contains("renderer"), "{rate}");
    if let Some(text) = formatted(&place.path().join("man/man1/meshjudge-bench.1")) {
        // Lines are justified.
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("meshjudge bench init"), "{text}");
    }
}

#[test]
fn without_a_folder_the_page_of_the_program_is_printed() {
    let place = tempfile::tempdir().unwrap();
    let page = ok(place.path(), &["man"]);
    assert!(page.contains(".TH meshjudge 1"), "{page}");
    assert!(page.contains("meshjudge\\-four") || page.contains("meshjudge\\-bench"), "{page}");
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("taken"), "").unwrap();
    let run = meshjudge(place.path(), &["man", "--out", "taken"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("give another --out"), "{}", run.stderr);
}
