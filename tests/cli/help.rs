//! The real program's help, and the flags that commands share.

use crate::support::assets::{Folder, demo};
use crate::support::program::Run;

/// Every command, and those below one.
pub(crate) fn commands() -> Vec<&'static str> {
    let all = "render, sheet, sheet pair, sheet grid, sheet four-view, sheet reference, inspect, \
        check, measure, sample, convert, compare, score, audit, audit compare, damage, \
        damage list, bench, bench init, bench schema, rate, diff, import, place, report, serve, \
        raters, raters invite, raters owner-link, raters revoke, recover, export, doctor, config, \
        completions, man";
    all.split(", ").collect()
}

/// Flags that `-h` prints: a dozen and those of every command.
const USUAL_MAX: usize = 18;

pub(crate) fn help(command: &str, flag: &str) -> String {
    let place = Folder::new();
    let mut command = place.command(&format!("{command} {flag}"));
    Run::of(command.env("COLUMNS", "100")).ok().stdout
}

/// The flags of a help text, in order. Descriptions are further right.
pub(crate) fn flags(help: &str) -> Vec<&str> {
    let words = help.lines().filter_map(|line| {
        let option = line.strip_prefix("      ").or_else(|| line.strip_prefix("  -"))?;
        let is_flag = option.starts_with("--") || line.starts_with("  -");
        option.split_whitespace().find(|word| word.starts_with("--")).filter(|_| is_flag)
    });
    words.collect()
}

/// `-h` fits a screen, and `--help` says everything, under headings.
#[test]
fn short_help_has_the_usual_flags_and_long_help_all() {
    let mut num_longer = 0;
    for command in commands() {
        let [short, long] = ["-h", "--help"].map(|flag| help(command, flag));
        let [usual, all] = [&short, &long].map(|help| flags(help));
        assert!(usual.len() <= USUAL_MAX, "{command} has {}:\n{short}", usual.len());
        assert!(usual.contains(&"--json"), "{short}");
        assert!(usual.iter().all(|flag| all.contains(flag)), "{short}\n{long}");
        let more = format!("--help prints all flags, {} more.", all.len() - usual.len());
        assert_eq!(short.contains(&more), all.len() > usual.len(), "{short}");
        num_longer += usize::from(all.len() > usual.len());
    }
    assert!(num_longer > 10, "{num_longer}");
    let all = help("", "--help");
    let (others, tools) = all.split_once("\nTools:\n").unwrap();
    for command in commands().into_iter().filter(|command| !command.contains(' ')) {
        let is_tool = ["sample", "convert", "damage", "place", "recover"].contains(&command);
        let list = if is_tool { tools } else { others };
        let line = format!("  {command} ");
        assert!(list.lines().any(|it| it.starts_with(&line)), "{command} is missing: {all}");
    }
}

#[test]
fn common_flags_come_first_and_the_rest_under_headings() {
    for (command, common) in [
        ("compare", &["--prompt", "--judge", "--max-cost", "--run"][..]),
        ("score", &["--rubric", "--judge", "--max-cost", "--run"]),
        ("audit", &["--bases", "--judge", "--max-cost", "--run"]),
        ("bench", &["--shard", "--judge", "--max-cost", "--run"]),
        ("render", &["--out", "--channels"]),
    ] {
        let [short, long] = ["-h", "--help"].map(|flag| help(command, flag));
        let (_, rest) = long.split_once("\nPictures:\n").unwrap_or_else(|| panic!("{long}"));
        let first = short.split_once("\nOptions:\n").unwrap().1.split("\n\n").next().unwrap();
        for flag in common {
            assert!(flags(first).contains(flag), "{flag} of {command}: {short}");
        }
        assert!(flags(rest).contains(&"--renderer"), "{long}");
    }
}

#[test]
fn drawing_flags_stand_only_on_commands_that_draw() {
    let draws = "render, compare, score, audit, bench, export, sheet pair, sheet grid, \
        sheet four-view";
    let draws: Vec<&str> = draws.split(", ").collect();
    let loads = ["inspect", "check", "measure", "sample", "convert", "damage", "serve"];
    let asks = ["compare", "score", "audit", "bench"];
    for name in commands() {
        let help = help(name, "--help");
        let has = |flag: &str| flags(&help).contains(&flag);
        let uses_threads = draws.contains(&name) || ["check", "measure"].contains(&name);
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
    let place = Folder::new();
    for (args, said) in [
        ("rate a-run --renderer cpu", "`rate` draws nothing; leave out --renderer"),
        ("--renderer cpu rate a-run", "`rate` draws nothing; leave out --renderer"),
        ("import people --up=+z", "`import` loads no assets; leave out --up"),
        (
            "sheet reference --image a --mask b --out c --normals flat",
            "`sheet reference` loads no assets; leave out --normals",
        ),
        ("inspect a.glb --run r", "`inspect` asks no judges, so it keeps no run; leave out --run"),
    ] {
        place.run(args).refuses(said);
    }
}

/// As scripts may have them since 0.1.0.
#[test]
fn shared_flags_may_stand_before_the_command() {
    let place = Folder::new();
    let asset = demo("chair_clean.glb");
    let asset = asset.display();
    let drawn = |before: &str, after: &str| {
        let sheet = format!("sheet grid '{asset}' --out sheet.png --size 32 --views 1");
        place.ok(&format!("{before} {sheet} {after}"));
        place.bytes("sheet.png")
    };
    let turned = drawn("", "--up +z --front=-y");
    assert_ne!(turned, drawn("", ""));
    assert_eq!(turned, drawn("--up +z --front=-y --renderer cpu --quiet", ""));
    let compare = format!("compare '{asset}' '{asset}' --prompt 'a chair' --size 32");
    assert!(place.ok(&format!("--run r --json {compare}")).stdout.starts_with('{'));
    assert!(place.join("r/run.toml").exists());
}

/// Verbs that were flags before; scripts have these.
#[test]
fn flags_that_became_verbs_still_work_and_are_in_no_help() {
    let place = Folder::new();
    for (line, flag, verb) in [
        ("bench --schema", "--schema", "bench schema"),
        ("damage --list --json", "--list", "damage list --json"),
        ("audit --compare nowhere", "--compare", "audit compare nowhere"),
        ("bench no-folder --init", "--init", "bench init no-folder"),
    ] {
        let [old, new] = [line, verb].map(|line| place.run(line));
        assert_eq!((&old.stdout, &old.stderr), (&new.stdout, &new.stderr), "{line}");
        assert!(new.stdout.len() + new.stderr.len() > 20, "{verb}");
        let command = line.split(' ').next().unwrap();
        assert!(!help(command, "--help").contains(flag), "{flag}");
    }
    place.ok("bench --init --quiet mine.toml");
    assert!(place.join("mine.toml").exists());
    // A verb takes no flags of the command above it.
    place.run("bench mine.toml init").ends(2);
}
