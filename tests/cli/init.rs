//! The real program: `bench init FOLDER`: from a folder of results to a board with two commands.

use crate::support::assets::tetrahedron;
use crate::support::program::{Run, meshjudge};
use std::path::Path;

/// A folder with these files, each an asset of another height where its name says so.
fn results(files: &[&str]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (i, file) in files.iter().enumerate() {
        let path = place.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = match file.rsplit_once('.') {
            Some((_, "obj")) => tetrahedron(1.0 + 0.1 * i as f32).into(),
            _ => b"a companion".to_vec(),
        };
        std::fs::write(path, text).unwrap();
    }
    place
}

fn bench_file(place: &Path) -> toml::Table {
    let text = std::fs::read_to_string(place.join("bench.toml")).unwrap();
    text.parse().unwrap()
}

/// Name and path of each generator.
fn generators(place: &Path) -> Vec<(String, String)> {
    let text = |table: &toml::Value, key: &str| table[key].as_str().unwrap().to_owned();
    let file = bench_file(place);
    let all = file["generators"].as_array().unwrap().iter();
    all.map(|table| (text(table, "name"), text(table, "path"))).collect()
}

fn prompts(place: &Path) -> Vec<(String, String)> {
    let text = |table: &toml::Value, key: &str| table[key].as_str().unwrap().to_owned();
    let file = bench_file(place);
    let all = file["prompts"].as_array().unwrap().iter();
    all.map(|table| (text(table, "id"), text(table, "text"))).collect()
}

/// Assets that the file finds, and those that are missing, by `--dry-run`.
fn there(place: &Path) -> (u64, u64) {
    let plan: Run = meshjudge(place, &["bench", "--dry-run", "--json"]).ok();
    let row = &plan.rows_of("plan")[0];
    let (all, there) = (row["assets"].as_u64().unwrap(), row["there"].as_u64().unwrap());
    (there, all - there)
}

fn is(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn a_folder_of_three_generators_is_a_board_after_two_commands() {
    let place = results(&[
        "out/alpha/a_red_chair.obj",
        "out/alpha/blue-vase.obj",
        "out/alpha/blue-vase.mtl",
        "out/beta/a_red_chair/model.obj",
        "out/beta/blue-vase/model.obj",
        "out/beta/blue-vase/preview.png",
        "out/gamma/a_red_chair/9f31.obj",
        "out/gamma/blue-vase/77ab.obj",
    ]);
    let init = meshjudge(place.path(), &["bench", "init", "out"]).ok();
    assert!(init.stdout.contains("next    meshjudge bench\n"));
    let file = place.path().join("bench.toml");
    let small = std::fs::read_to_string(&file).unwrap() + "[pictures]\nsize_px = 64\n";
    std::fs::write(&file, small).unwrap();
    let board = meshjudge(place.path(), &["bench", "--run", "r"]).ok();
    for name in ["alpha", "beta", "gamma"] {
        assert!(board.stdout.contains(name), "{}", board.stdout);
    }
    assert_eq!(
        generators(place.path()),
        is(&[
            ("alpha", "out/alpha/{prompt_id}.obj"),
            ("beta", "out/beta/{prompt_id}/model.obj"),
            ("gamma", "out/gamma/{prompt_id}/*.obj"),
        ])
    );
    assert_eq!(
        prompts(place.path()),
        is(&[("a_red_chair", "a red chair"), ("blue-vase", "blue vase")])
    );
    // What is there is not replaced unless that is asked for.
    let before = std::fs::read(&file).unwrap();
    let again = meshjudge(place.path(), &["bench", "init", "out"]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    assert_eq!(std::fs::read(&file).unwrap(), before);
    meshjudge(place.path(), &["bench", "init", "out", "--force"]).ok();
}

#[test]
fn seeds_gaps_and_leftovers_are_told() {
    let place = results(&[
        "out/a/chair_seed0.obj",
        "out/a/chair_seed1.obj",
        "out/a/vase_seed0.obj",
        "out/b/chair/0/mesh.obj",
        "out/b/chair/1/mesh.obj",
        "out/b/vase/0/mesh.obj",
        "out/b/vase/1/mesh.obj",
        "out/b/vase/1/coarse.obj",
        "out/c/chair.obj",
        "out/c/vase.obj",
        "out/c/x/y/z/deep.obj",
        "out/c/x/y/mesh.obj",
        "out/loose.obj",
    ]);
    let init = meshjudge(place.path(), &["bench", "init", "out"]).ok();
    assert_eq!(
        generators(place.path()),
        is(&[
            ("a", "out/a/{prompt_id}_seed{seed}.obj"),
            ("b", "out/b/{prompt_id}/{seed}/mesh.obj"),
            ("c", "out/c/{prompt_id}.obj"),
        ])
    );
    let seeds = bench_file(place.path())["seeds"].clone();
    assert_eq!(seeds, toml::Value::from(vec![0, 1]));
    assert_eq!(there(place.path()), (11, 1));
    let said = &init.stderr;
    for part in [
        "a has no asset for \"vase, seed 1\"",
        "in no generator's folder",
        "\"loose.obj\"",
        "\"b/vase/1/coarse.obj\"",
        "\"c/x/y/mesh.obj\"",
        "\"c/x/y/z\"",
        "files of \"c\" have no seed in their names",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn texts_come_from_a_file_among_the_results() {
    let place = results(&[
        "out/a/a_wooden_chair.obj",
        "out/a/vase.obj",
        "out/b/a_wooden_chair.obj",
        "out/b/vase.obj",
    ]);
    let lines = "A wooden chair!\nSomething that nobody made\n";
    std::fs::write(place.path().join("out/prompts.txt"), lines).unwrap();
    let init = meshjudge(place.path(), &["bench", "init", "out"]).ok();
    assert_eq!(
        prompts(place.path()),
        is(&[("a_wooden_chair", "A wooden chair!"), ("vase", "vase")])
    );
    assert!(init.stdout.contains("texts from out/prompts.txt"), "{}", init.stdout);
    assert!(init.stderr.contains("1 prompt is left out"), "{}", init.stderr);
    assert!(init.stderr.contains("1 prompt is without a text"), "{}", init.stderr);
    // A table of ids and texts comes first.
    let table = r#"{"vase": "a \"blue\" vase", "a_wooden_chair": "one chair"}"#;
    std::fs::write(place.path().join("out/prompts.json"), table).unwrap();
    meshjudge(place.path(), &["bench", "init", "out", "--force"]).ok();
    assert_eq!(prompts(place.path())[1].1, "a \"blue\" vase");
    there(place.path());
}

#[cfg(unix)]
#[test]
fn hostile_names_and_links_are_taken_or_left_out_by_name() {
    let place = results(&[
        "o u t/it's {one}/a {b} \u{2603} ' chair.obj",
        "o u t/it's {one}/two\nlines.obj",
        "o u t/it's {one}/a:b.obj",
        "o u t/zwei/a {b} \u{2603} ' chair.obj",
        "o u t/zwei/star*.obj",
        "o u t/qu\"ote/x.obj",
        "o u t/.hidden/x.obj",
        "elsewhere/a {b} \u{2603} ' chair.obj",
    ]);
    let out = place.path().join("o u t");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, out.join(name)).unwrap();
    link("../elsewhere", "linked");
    link("..", "zwei/up");
    link("nowhere", "zwei/gone.obj");
    let init = meshjudge(place.path(), &["bench", "init", "./o u t/../o u t/"]).ok();
    let names: Vec<String> = generators(place.path()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["it's {one}", "linked", "zwei"]);
    assert_eq!(prompts(place.path()).len(), 1, "{}", init.stdout);
    assert_eq!(there(place.path()), (3, 0));
    for part in ["a:b", "star*", "two", "qu", "zwei/up", "zwei/gone.obj"] {
        assert!(init.stderr.contains(part), "{part}: {}", init.stderr);
    }
    assert!(!init.stderr.contains("hidden"), "{}", init.stderr);
}

#[test]
fn a_folder_that_is_no_benchmark_is_refused_with_the_remedy() {
    let place = results(&["one/alpha/chair.obj", "flat/chair.obj", "fbx/a/x.fbx", "fbx/b/x.fbx"]);
    for (folder, what) in [
        ("one", "only one generator was found, \"alpha\""),
        ("flat", "no generator with assets"),
        ("fbx", "its format, FBX, is not supported"),
        ("gone", "no folder has this name"),
    ] {
        let run = meshjudge(place.path(), &["bench", "init", folder]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(what), "{}", run.stderr);
        assert!(!place.path().join("bench.toml").exists());
    }
}
