//! The scripts that shells read.

use crate::help::{commands, flags, help};
use crate::support::assets::Folder;
use std::path::Path;
use std::process::Command;

/// What `bash` offers after these words.
fn offered(script: &Path, typed: &str) -> Vec<String> {
    let last = typed.rsplit(' ').next().unwrap();
    let script = format!(
        "source {script:?} && COMP_WORDS=({typed} \"\") && COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) \
         && _meshjudge meshjudge \"\" {last:?}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let bash = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
    let text = String::from_utf8(bash.stdout).unwrap();
    assert!(bash.status.success(), "{text}");
    text.lines().map(str::to_owned).collect()
}

/// Without a shell to ask (Windows) there is nothing to examine.
#[cfg(unix)]
#[test]
fn bash_offers_every_command_and_each_of_its_flags() {
    let place = Folder::new();
    let script = place.write("meshjudge.bash", place.ok("completions bash").stdout);
    for command in commands() {
        let typed = format!("meshjudge {command}");
        let (before, name) = typed.rsplit_once(' ').unwrap();
        let names = offered(&script, before);
        assert!(names.contains(&name.to_owned()), "{command}: {names:?}");
        let own = offered(&script, &typed);
        let help = help(command, "--help");
        let documented = flags(&help);
        assert!(!documented.is_empty());
        for flag in documented {
            assert!(own.contains(&flag.to_owned()), "{flag} of {command}: {own:?}");
        }
    }
    // What a command has no use for is not offered.
    let rate = offered(&script, "meshjudge rate");
    assert!(!rate.contains(&"--renderer".to_owned()), "{rate:?}");
}

#[test]
fn there_is_a_script_for_each_shell_and_no_other() {
    let place = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        place.ok(&format!("completions {shell}")).shows(["four-view", "max-cost"]);
    }
    place.run("completions tcsh").refuses("possible values");
}
