//! Flags that one sets once: variables, the file, and what comes first.

use crate::help::help;
use crate::support::assets::{Folder, demo, splat_sphere, tetrahedra};
use crate::support::program::{Run, Text as _};
use serde_json::{Value, json};

fn with_file(text: &str) -> Folder {
    let place = Folder::new();
    place.write("meshjudge/config.toml", text);
    place
}

fn run(place: &Folder, args: &str, variables: &[(&str, &str)]) -> Run {
    Run::of(place.command(args).envs(variables.iter().copied()))
}

/// What `config` says of a setting: its values, and where they come from.
fn held(place: &Folder, variables: &[(&str, &str)], key: &str) -> Value {
    let rows = run(place, "config --json", variables).ok().rows();
    let row = rows.into_iter().find(|row| row["key"] == key).unwrap();
    json!([row["values"], row["from"]])
}

/// A question to judge offline, small.
fn compare(more: &str) -> String {
    let chair = demo("chair_clean.glb");
    format!("compare '{0}' '{0}' --prompt 'a chair' --size 32 {more}", chair.display())
}

/// `how` and `asked` of the only run below a folder.
fn run_toml(place: &Folder, runs: &str) -> toml::Table {
    let names = place.names(runs);
    assert_eq!(names.len(), 1, "{names:?}");
    place.read(format!("{runs}/{}/run.toml", names[0])).parse().unwrap()
}

#[test]
fn a_flag_comes_before_its_variable_and_that_before_the_file() {
    let place = with_file("concurrency = 3\nruns = \"filed\"\n");
    let variables = [("MESHJUDGE_CONCURRENCY", "5")];
    // An empty variable is none.
    let empty = [("MESHJUDGE_CONCURRENCY", "")];
    assert_eq!(held(&place, &[], "concurrency"), json!([["3"], "file"]));
    assert_eq!(held(&place, &empty, "concurrency"), json!([["3"], "file"]));
    assert_eq!(held(&place, &variables, "concurrency"), json!([["5"], "variable"]));
    assert_eq!(held(&place, &[], "judge"), json!([[], "default"]));
    for (folder, flags, variables, concurrency) in [
        ("filed", "", &[][..], 3),
        ("named", "--runs named", &variables, 5),
        ("typed", "--runs typed --concurrency 7", &variables, 7),
        // The same command again resumes the run in the folder that the settings name.
        ("filed", "", &[], 3),
    ] {
        run(&place, &compare(flags), variables).ok();
        let how = &run_toml(&place, folder)["how"];
        assert_eq!(how["concurrency"].as_integer(), Some(concurrency), "{folder}");
    }
}

#[cfg(unix)]
#[test]
fn without_a_folder_for_settings_the_file_is_in_the_home() {
    let place = Folder::new();
    place.write(".config/meshjudge/config.toml", "threads = 2");
    let mut config = place.command("config");
    config.env_remove("XDG_CONFIG_HOME").env("HOME", place.path());
    let said = Run::of(&mut config).ok().stdout;
    said.must_have(".config/meshjudge/config.toml");
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
        for args in ["config", "doctor", "inspect a.glb"] {
            place.run(args).refuses([said, "config.toml"]);
        }
        place.ok("render --help");
    }
    let place = Folder::new();
    for (name, value, said) in [
        ("MESHJUDGE_THREADS", "many", "MESHJUDGE_THREADS cannot be \"many\""),
        ("MESHJUDGE_JUDGE", "someone", "MESHJUDGE_JUDGE cannot be \"someone\""),
        ("MESHJUDGE_CONFIG", "none.toml", "cannot read the settings"),
    ] {
        run(&place, "doctor", &[(name, value)]).refuses(said);
    }
    run(&place, "config", &[("MESHJUDGE_RENDER", "cpu")])
        .ok()
        .says("MESHJUDGE_RENDER is not a setting; did you mean \"MESHJUDGE_RENDERER\"?");
}

#[test]
fn keys_are_never_taken_from_the_file_or_shown() {
    let secret = "sk-not-to-be-shown";
    for text in [
        format!("openai_api_key = \"{secret}\""),
        format!("OPENAI_API_KEY = {secret}"),
        format!("password = \"{secret}\""),
    ] {
        let run = with_file(&text).run("config").ends(2);
        assert!(!run.stderr.contains(secret), "{}", run.stderr);
    }
    let place = with_file(&format!("base_url = \"https://me:{secret}@example.org/v1\""));
    for args in ["config", "config --json"] {
        let run = place.ok(args);
        run.shows("hidden:");
        assert!(!run.stdout.contains(secret), "{}", run.stdout);
    }
    with_file("openai_api_key = \"x\"").run("config").says("never read from this file");
}

#[test]
fn a_server_belongs_to_the_judge_that_it_was_set_with() {
    let place = with_file("judge = \"openai:m\"\nbase_url = \"http://127.0.0.1:9/v1\"\n");
    for (runs, flags, judge) in [("typed", "--judge probe", ""), ("named", "", "probe")] {
        let variables = [("MESHJUDGE_JUDGE", judge), ("MESHJUDGE_RUNS", runs)];
        run(&place, &compare(flags), &variables).ok();
        let asked = &run_toml(&place, runs)["asked"];
        assert!(asked.get("base_url").is_none(), "{asked}");
    }
    run(&place, &compare("--dry-run"), &[]).ok().shows("openai:m");
}

/// A benchmark file says who is asked and for how much, so that it is the same benchmark on every
/// machine.
#[test]
fn a_benchmark_takes_nothing_from_the_settings_that_its_file_says() {
    let place = with_file("judge = \"openai:m\"\nconcurrency = 3\nruns = \"filed\"\n");
    let file = demo("bench.toml");
    let variables = [("MESHJUDGE_BASE_URL", "http://127.0.0.1:9/v1")];
    let dry = run(&place, &format!("bench '{}' --dry-run --json", file.display()), &variables);
    assert_eq!(dry.ok().rows_of("plan")[0]["judges"], json!(["probe"]));
}

#[test]
fn help_names_the_variables_of_its_flags() {
    for (command, variable, is_named) in [
        ("compare", "MESHJUDGE_JUDGE", true),
        ("sheet pair", "MESHJUDGE_RENDERER", true),
        ("bench", "MESHJUDGE_RUNS", true),
        ("bench", "MESHJUDGE_JUDGE", false),
        ("rate", "MESHJUDGE_RENDERER", false),
    ] {
        assert_eq!(help(command, "--help").contains(variable), is_named, "{command} {variable}");
    }
}

/// The same pictures of meshes and of splats, and the same numbers, all metrics after a search, by
/// one thread or by many. `OUT` is a folder for pictures, named after the number of threads.
#[test]
fn threads_change_no_byte() {
    let place = tetrahedra(&[("a.obj", 1.0), ("b.obj", 1.2)]);
    place.write("a.ply", splat_sphere(1.0));
    let chair = demo("chair_clean.glb");
    let sheet = format!("sheet grid '{}' --size 32 --out OUT/a.png", chair.display());
    let render = "render a.ply --out OUT --views 3 --size 80 --channels rgb,normal,depth,mask,z";
    let measure = "measure a.obj --reference b.obj --metrics all --align search --samples 3000 --matched 64 --threads OUT --json";
    for (line, num_pictures) in [(sheet.as_str(), 1), (render, 15), (measure, 0)] {
        let [one, two, five] = ["1", "2", "5"].map(|threads| {
            let run = run(&place, &line.replace("OUT", threads), &[("MESHJUDGE_THREADS", threads)]);
            if num_pictures == 0 {
                run.shows("cd_l1_half_pp");
                return vec![run.ok().stdout.into_bytes()];
            }
            run.ok();
            let mut pictures = place.files(threads);
            pictures.retain(|path| path.extension().is_some_and(|it| it == "png"));
            assert_eq!(pictures.len(), num_pictures);
            let bytes = pictures.iter().map(|path| std::fs::read(path).unwrap()).collect();
            std::fs::remove_dir_all(place.join(threads)).unwrap();
            bytes
        });
        assert!(one == two && one == five, "{line}");
    }
}
