//! The manual.

use crate::help::{commands, flags, help};
use crate::support::assets::Folder;
use crate::support::program::Text as _;
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
    let place = Folder::new();
    place.ok("man --out man/man1");
    for command in commands() {
        let page = place.read(format!("man/man1/meshjudge-{}.1", command.replace(' ', "-")));
        // Roff writes a hyphen as `\-`.
        page.replace("\\-", "-").must_have(&flags(&help(command, "--help"))[..]);
    }
    let rate = place.read("man/man1/meshjudge-rate.1");
    assert!(!rate.contains("renderer"), "{rate}");
    if let Some(text) = formatted(&place.join("man/man1/meshjudge-bench.1")) {
        // Lines are justified.
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        words.must_have("meshjudge bench init");
    }
}

#[test]
fn without_a_folder_the_page_of_the_program_is_printed() {
    let place = Folder::new();
    let page = place.ok("man").stdout;
    page.must_have(".TH meshjudge 1");
    assert!(page.contains("meshjudge\\-four") || page.contains("meshjudge\\-bench"), "{page}");
    assert_eq!(place.names("").len(), 0);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let place = Folder::new();
    place.write("taken", "");
    place.run("man --out taken").refuses("give another --out");
}
