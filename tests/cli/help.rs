//! The real program's help, and the flags that commands share.

use crate::support::assets::demo;
use crate::support::program::Run;
use crate::support::program::{command, meshjudge, ok};

/// Every command, and those of `sheet`.
pub(crate) const COMMANDS: [&[&str]; 23] = [
    &["render"],
    &["sheet"],
    &["sheet", "pair"],
    &["sheet", "grid"],
    &["sheet", "four-view"],
    &["sheet", "reference"],
    &["inspect"],
    &["measure"],
    &["compare"],
    &["score"],
    &["audit"],
    &["damage"],
    &["bench"],
    &["rate"],
    &["import"],
    &["place"],
    &["report"],
    &["serve"],
    &["export"],
    &["doctor"],
    &["config"],
    &["completions"],
    &["man"],
];

/// Two screens of a usual terminal.
const LINES_MAX: usize = 100;

pub(crate) fn help(words: &[&str], flag: &str) -> String {
    let place = tempfile::tempdir().unwrap();
    let args = words.iter().chain([&flag]);
    let run = Run::of(command(place.path(), args).env("COLUMNS", "100"));
    run.ok().stdout
}

/// The flags of a help text, in order.
pub(crate) fn flags(help: &str) -> Vec<&str> {
    let words = help.lines().filter_map(|line| {
        let option = line.strip_prefix("      ").or_else(|| line.strip_prefix("  -"))?;
        option.split_whitespace().find(|word| word.starts_with("--"))
    });
    words.collect()
}

#[test]
fn the_help_of_each_command_fits_two_screens() {
    for words in COMMANDS {
        let help = help(words, "--help");
        let lines = help.lines().count();
        assert!(lines <= LINES_MAX, "{words:?} takes {lines} lines:\n{help}");
        assert!(flags(&help).contains(&"--json"), "{help}");
    }
    let all = help(&[], "--help");
    for words in COMMANDS.iter().filter(|words| words.len() == 1) {
        assert!(all.contains(&format!("\n  {} ", words[0])), "{words:?} is missing: {all}");
    }
    assert_eq!(help(&["compare"], "-h"), help(&["compare"], "--help"));
}

#[test]
fn common_flags_come_first_and_the_rest_under_headings() {
    for (words, common) in [
        (&["compare"][..], &["--prompt", "--judge", "--max-cost", "--run"][..]),
        (&["score"], &["--rubric", "--judge", "--max-cost", "--run"]),
        (&["audit"], &["--bases", "--judge", "--max-cost", "--run"]),
        (&["bench"], &["--init", "--judge", "--max-cost", "--run"]),
        (&["render"], &["--out", "--channels"]),
    ] {
        let help = help(words, "--help");
        let (options, rest) = help.split_once("\nPictures:\n").unwrap_or_else(|| panic!("{help}"));
        let first = options.split_once("\nOptions:\n").unwrap().1;
        let first = first.split("\n\n").next().unwrap();
        for flag in common {
            assert!(flags(first).contains(flag), "{flag} of {words:?}: {help}");
        }
        assert!(flags(rest).contains(&"--renderer"), "{help}");
    }
}

#[test]
fn drawing_flags_stand_only_on_commands_that_draw() {
    let draws =
        ["render", "compare", "score", "audit", "bench", "export", "pair", "grid", "four-view"];
    let loads = ["inspect", "measure", "damage", "serve"];
    let asks = ["compare", "score", "audit", "bench"];
    for words in COMMANDS {
        let name = words[words.len() - 1];
        let help = help(words, "--help");
        let has = |flag: &str| flags(&help).contains(&flag);
        let uses_threads = draws.contains(&name) || name == "measure";
        assert_eq!(has("--renderer"), draws.contains(&name), "{name}: {help}");
        assert_eq!(has("--threads"), uses_threads, "{name}: {help}");
        for flag in ["--run", "--runs"] {
            assert_eq!(has(flag), asks.contains(&name), "{flag} of {name}: {help}");
        }
        for flag in ["--up", "--front", "--normals"] {
            let is_used = draws.contains(&name) || loads.contains(&name);
            assert_eq!(has(flag), is_used, "{flag} of {name}: {help}");
        }
    }
}

#[test]
fn a_flag_that_a_command_cannot_use_is_refused_with_the_reason() {
    let place = tempfile::tempdir().unwrap();
    for (args, said) in [
        (&["rate", "a-run", "--renderer", "cpu"][..], "`rate` draws nothing; leave out --renderer"),
        (&["--renderer", "cpu", "rate", "a-run"], "`rate` draws nothing; leave out --renderer"),
        (&["import", "people", "--up=+z"], "`import` loads no assets; leave out --up"),
        (
            &[
                "sheet",
                "reference",
                "--image",
                "a",
                "--mask",
                "b",
                "--out",
                "c",
                "--normals",
                "flat",
            ],
            "`sheet reference` loads no assets; leave out --normals",
        ),
        (
            &["inspect", "a.glb", "--run", "r"],
            "`inspect` asks no judges, so it keeps no run; leave out --run",
        ),
    ] {
        let run = meshjudge(place.path(), args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
    }
}

/// As scripts may have them since 0.1.0.
#[test]
fn shared_flags_may_stand_before_the_command() {
    let place = tempfile::tempdir().unwrap();
    let asset = demo("chair_clean.glb");
    let asset = asset.to_str().unwrap();
    let hash = |args: &[&str]| {
        ok(place.path(), args);
        std::fs::read(place.path().join("sheet.png")).unwrap()
    };
    let sheet = ["sheet", "grid", asset, "--out", "sheet.png", "--size", "32", "--views", "1"];
    let usual = hash(&sheet);
    let lying = hash(&[&sheet[..], &["--up", "+z", "--front=-y"]].concat());
    assert_ne!(lying, usual);
    let before = ["--up", "+z", "--front=-y", "--renderer", "cpu", "--quiet"];
    assert_eq!(hash(&[&before[..], &sheet].concat()), lying);
    let compare =
        ["--run", "r", "--json", "compare", asset, asset, "--prompt", "a chair", "--size", "32"];
    assert!(ok(place.path(), &compare).starts_with('{'));
    assert!(place.path().join("r/run.toml").exists());
}
