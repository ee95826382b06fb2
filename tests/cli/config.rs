//! Flags that one sets once: variables, the file, and what comes first.

use crate::support::assets::demo;
use crate::support::program::{Run, command, meshjudge};
use serde_json::Value;
use std::path::Path;

fn with_file(text: &str) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("meshjudge")).unwrap();
    std::fs::write(place.path().join("meshjudge/config.toml"), text).unwrap();
    place
}

fn run(place: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
    Run::of(command(place, args).envs(variables.iter().copied()))
}

/// What `config` says of a setting: its values, and where they come from.
fn held(place: &Path, variables: &[(&str, &str)], key: &str) -> (Value, Value) {
    let rows = run(place, &["config", "--json"], variables).ok().rows();
    let row = rows.into_iter().find(|row| row["key"] == key).unwrap();
    (row["values"].clone(), row["from"].clone())
}

/// A question to judge offline, small.
fn compare(more: &[&'static str]) -> Vec<&'static str> {
    static CHAIR: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let chair = CHAIR.get_or_init(|| demo("chair_clean.glb").to_str().unwrap().to_owned());
    let asked = ["compare", chair, chair, "--prompt", "a chair", "--size", "32"];
    [&asked[..], more].concat()
}

/// `how` and `asked` of the only run below a folder.
fn run_toml(runs: &Path) -> toml::Table {
    let mut folders = std::fs::read_dir(runs).unwrap();
    let folder = folders.next().unwrap().unwrap().path();
    assert!(folders.next().is_none());
    std::fs::read_to_string(folder.join("run.toml")).unwrap().parse().unwrap()
}

#[test]
fn a_flag_comes_before_its_variable_and_that_before_the_file() {
    let place = with_file("concurrency = 3\nruns = \"filed\"\n");
    let variables = [("MESHJUDGE_CONCURRENCY", "5")];
    assert_eq!(held(place.path(), &[], "concurrency"), (["3"].into(), "file".into()));
    assert_eq!(held(place.path(), &variables, "concurrency"), (["5"].into(), "variable".into()));
    // An empty variable is none.
    let empty = [("MESHJUDGE_CONCURRENCY", "")];
    assert_eq!(held(place.path(), &empty, "concurrency").1, "file");
    assert_eq!(held(place.path(), &[], "judge"), (Value::Array(vec![]), "default".into()));
    let concurrency =
        |folder: &str| run_toml(&place.path().join(folder))["how"]["concurrency"].as_integer();
    run(place.path(), &compare(&[]), &[]).ok();
    assert_eq!(concurrency("filed"), Some(3));
    run(place.path(), &compare(&["--runs", "named"]), &variables).ok();
    assert_eq!(concurrency("named"), Some(5));
    run(place.path(), &compare(&["--runs", "typed", "--concurrency", "7"]), &variables).ok();
    assert_eq!(concurrency("typed"), Some(7));
    // The same command again resumes the run in the folder that the settings name.
    run(place.path(), &compare(&[]), &[]).ok();
    assert_eq!(std::fs::read_dir(place.path().join("filed")).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn without_a_folder_for_settings_the_file_is_in_the_home() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join(".config/meshjudge");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "threads = 2").unwrap();
    let mut config = command(place.path(), ["config"]);
    config.env_remove("XDG_CONFIG_HOME").env("HOME", place.path());
    let said = Run::of(&mut config).ok().stdout;
    assert!(said.contains(".config/meshjudge/config.toml"), "{said}");
    let row = said.lines().find(|line| line.starts_with("--threads"));
    assert!(row.is_some_and(|row| row.ends_with("2  the file")), "{said}");
}

#[test]
fn what_cannot_be_used_is_refused_with_its_place() {
    for (text, said) in [
        ("concurency = 3", "did you mean \"concurrency\"?"),
        ("colour = \"red\"", "use one of judge, base_url"),
        ("renderer = \"cuda\"", "renderer in "),
        ("renderer = \"cuda\"", "give cpu, auto, gpu, or gpu:NAME"),
        ("concurrency = 0", "is not in 1..=1024"),
        ("concurrency = [3]", "a text or a number"),
        ("judge = []", "a list of texts"),
        ("runs = \"a\"\nthreads =", "line 2 of the settings"),
    ] {
        let place = with_file(text);
        for args in [&["config"][..], &["doctor"], &["inspect", "a.glb"]] {
            let run = meshjudge(place.path(), args);
            assert_eq!(run.code, Some(2), "{text}");
            assert!(run.stderr.contains(said), "{text}: {}", run.stderr);
            assert!(run.stderr.contains("config.toml"), "{text}: {}", run.stderr);
        }
        assert_eq!(meshjudge(place.path(), &["render", "--help"]).code, Some(0));
    }
    let place = tempfile::tempdir().unwrap();
    for (name, value, said) in [
        ("MESHJUDGE_THREADS", "many", "MESHJUDGE_THREADS cannot be \"many\""),
        ("MESHJUDGE_JUDGE", "someone", "MESHJUDGE_JUDGE cannot be \"someone\""),
        ("MESHJUDGE_CONFIG", "none.toml", "cannot read the settings"),
    ] {
        let run = run(place.path(), &["doctor"], &[(name, value)]);
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    let slip = run(place.path(), &["config"], &[("MESHJUDGE_RENDER", "cpu")]).ok();
    assert!(
        slip.stderr
            .contains("MESHJUDGE_RENDER is not a setting; did you mean \"MESHJUDGE_RENDERER\"?")
    );
}

#[test]
fn keys_are_never_taken_from_the_file_or_shown() {
    let secret = "sk-not-to-be-shown";
    for text in [
        format!("openai_api_key = \"{secret}\""),
        format!("OPENAI_API_KEY = {secret}"),
        format!("password = \"{secret}\""),
    ] {
        let place = with_file(&text);
        let run = meshjudge(place.path(), &["config"]);
        assert_eq!(run.code, Some(2), "{text}");
        assert!(!run.stderr.contains(secret), "{}", run.stderr);
    }
    let place = with_file(&format!("base_url = \"https://me:{secret}@example.org/v1\""));
    for args in [&["config"][..], &["config", "--json"]] {
        let run = meshjudge(place.path(), args).ok();
        assert!(run.stdout.contains("hidden:"), "{}", run.stdout);
        assert!(!run.stdout.contains(secret), "{}", run.stdout);
    }
    let place = with_file("openai_api_key = \"x\"");
    let run = meshjudge(place.path(), &["config"]);
    assert!(run.stderr.contains("never read from this file"), "{}", run.stderr);
}

#[test]
fn a_server_belongs_to_the_judge_that_it_was_set_with() {
    let place = with_file("judge = \"openai:m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    let asked = |more: &[&'static str], variables: &[(&str, &str)]| {
        let runs = tempfile::tempdir().unwrap();
        let runs_variable = [("MESHJUDGE_RUNS", runs.path().to_str().unwrap())];
        run(place.path(), &compare(more), &[variables, &runs_variable].concat()).ok();
        run_toml(runs.path())["asked"].clone()
    };
    let typed = asked(&["--judge", "probe"], &[]);
    assert!(typed.get("base_url").is_none(), "{typed}");
    let named = asked(&[], &[("MESHJUDGE_JUDGE", "probe")]);
    assert!(named.get("base_url").is_none(), "{named}");
    let dry = run(place.path(), &compare(&["--dry-run"]), &[]).ok();
    assert!(dry.stdout.contains("openai:m"), "{}", dry.stdout);
}

/// A benchmark file says who is asked and for how much, so that it is the same benchmark on every
/// machine.
#[test]
fn a_benchmark_takes_nothing_from_the_settings_that_its_file_says() {
    let place = with_file("judge = \"openai:m\"\nconcurrency = 3\nruns = \"filed\"\n");
    let file = demo("bench.toml");
    let variables = [("MESHJUDGE_BASE_URL", "http://127.0.0.1:9/v1")];
    let dry =
        run(place.path(), &["bench", file.to_str().unwrap(), "--dry-run", "--json"], &variables);
    assert_eq!(dry.ok().rows_of("plan")[0]["judges"], serde_json::json!(["probe"]));
}

#[test]
fn help_names_the_variables_of_its_flags() {
    let place = tempfile::tempdir().unwrap();
    let help = |words: &[&str]| {
        let args = [words, &["--help"]].concat();
        Run::of(command(place.path(), args).env("COLUMNS", "100")).ok().stdout
    };
    assert!(help(&["compare"]).contains("MESHJUDGE_JUDGE"));
    assert!(help(&["sheet", "pair"]).contains("MESHJUDGE_RENDERER"));
    let bench = help(&["bench"]);
    assert!(bench.contains("MESHJUDGE_RUNS") && !bench.contains("MESHJUDGE_JUDGE"));
    assert!(!help(&["rate"]).contains("MESHJUDGE_RENDERER"));
}

/// The same pictures, by one thread or by many.
#[test]
fn threads_change_no_picture() {
    let place = tempfile::tempdir().unwrap();
    let chair = demo("chair_clean.glb");
    let sheet = |out: &str, variables: &[(&str, &str)]| {
        let args = ["sheet", "grid", chair.to_str().unwrap(), "--size", "32", "--out", out];
        run(place.path(), &args, variables).ok();
        std::fs::read(place.path().join(out)).unwrap()
    };
    let one = sheet("one.png", &[("MESHJUDGE_THREADS", "1")]);
    assert_eq!(one, sheet("three.png", &[("MESHJUDGE_THREADS", "3")]));
}
