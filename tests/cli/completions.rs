//! The scripts that shells read.

use crate::help::{COMMANDS, flags, help};
use crate::support::program::{meshjudge, ok};
use std::path::Path;
use std::process::Command;

/// What `bash` offers after these words.
fn offered(script: &Path, words: &[&str]) -> Vec<String> {
    let typed = words.join(" ");
    let bash = Command::new("bash")
        .args(["--norc", "-c"])
        .arg(format!(
            "source {script:?} && COMP_WORDS=({typed} \"\") && COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) \
             && _meshjudge meshjudge \"\" {:?}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words[words.len() - 1]
        ))
        .output()
        .unwrap();
    let text = String::from_utf8(bash.stdout).unwrap();
    assert!(bash.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// Without a shell to ask (Windows) there is nothing to examine.
#[cfg(unix)]
#[test]
fn bash_offers_every_command_and_each_of_its_flags() {
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("meshjudge.bash");
    std::fs::write(&script, ok(place.path(), &["completions", "bash"])).unwrap();
    for words in COMMANDS {
        let (name, before) = words.split_last().unwrap();
        let before = [&["meshjudge"], before].concat();
        let names = offered(&script, &before);
        assert!(names.contains(&(*name).to_owned()), "{words:?}: {names:?}");
        let own = offered(&script, &[&["meshjudge"], words].concat());
        let help = help(words, "--help");
        let documented = flags(&help);
        assert!(!documented.is_empty());
        for flag in documented {
            assert!(own.contains(&flag.to_owned()), "{flag} of {words:?}: {own:?}");
        }
    }
    // What a command has no use for is not offered.
    let rate = offered(&script, &["meshjudge", "rate"]);
    assert!(!rate.contains(&"--renderer".to_owned()), "{rate:?}");
}

#[test]
fn there_is_a_script_for_each_shell_and_no_other() {
    let place = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = ok(place.path(), &["completions", shell]);
        for word in ["four-view", "max-cost"] {
            assert!(script.contains(word), "{word} is missing for {shell}");
        }
    }
    let run = meshjudge(place.path(), &["completions", "tcsh"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("possible values"), "{}", run.stderr);
}
