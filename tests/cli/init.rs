//! The real program: `bench init FOLDER`: from a folder of results to a board with two commands.

use crate::support::assets::{Folder, tetrahedron};

/// A folder with these files, each an asset of another height where its name says so.
fn results(files: &str) -> Folder {
    let place = Folder::new();
    for (i, file) in files.split(", ").enumerate() {
        let is_asset = file.ends_with(".obj");
        let asset = || tetrahedron(1.0 + 0.1 * i as f32);
        place.write(file, if is_asset { asset() } else { "a companion".to_owned() });
    }
    place
}

fn bench_file(place: &Folder) -> toml::Table {
    place.read("bench.toml").parse().unwrap()
}

/// Two texts of each entry of a list in the benchmark file.
fn listed(place: &Folder, list: &str, keys: [&str; 2]) -> Vec<String> {
    let file = bench_file(place);
    let texts = |entry: &toml::Value| keys.map(|key| entry[key].as_str().unwrap().to_owned());
    file[list].as_array().unwrap().iter().map(|entry| texts(entry).join(": ")).collect()
}

fn generators(place: &Folder) -> Vec<String> {
    listed(place, "generators", ["name", "path"])
}

fn prompts(place: &Folder) -> Vec<String> {
    listed(place, "prompts", ["id", "text"])
}

/// Assets that the file finds, and those that are missing, by `--dry-run`.
fn there(place: &Folder) -> (u64, u64) {
    let row = &place.ok("bench --dry-run --json").rows_of("plan")[0];
    let (all, there) = (row["assets"].as_u64().unwrap(), row["there"].as_u64().unwrap());
    (there, all - there)
}

#[test]
fn a_folder_of_three_generators_is_a_board_after_two_commands() {
    let place = results(
        "out/alpha/a_red_chair.obj, out/alpha/blue-vase.obj, out/alpha/blue-vase.mtl, \
         out/beta/a_red_chair/model.obj, out/beta/blue-vase/model.obj, \
         out/beta/blue-vase/preview.png, out/gamma/a_red_chair/9f31.obj, \
         out/gamma/blue-vase/77ab.obj",
    );
    place.ok("bench init out").shows("next    meshjudge bench\n");
    let small = place.read("bench.toml") + "[pictures]\nsize_px = 64\n";
    place.write("bench.toml", &small);
    place.ok("bench --run r").shows(["alpha", "beta", "gamma"]);
    assert_eq!(
        generators(&place),
        [
            "alpha: out/alpha/{prompt_id}.obj",
            "beta: out/beta/{prompt_id}/model.obj",
            "gamma: out/gamma/{prompt_id}/*.obj",
        ]
    );
    assert_eq!(prompts(&place), ["a_red_chair: a red chair", "blue-vase: blue vase"]);
    // What is there is not replaced unless that is asked for.
    place.run("bench init out").refuses("--force");
    assert_eq!(place.read("bench.toml"), small);
    place.ok("bench init out --force");
}

#[test]
fn seeds_gaps_and_leftovers_are_told() {
    let place = results(
        "out/a/chair_seed0.obj, out/a/chair_seed1.obj, out/a/vase_seed0.obj, \
         out/b/chair/0/mesh.obj, out/b/chair/1/mesh.obj, out/b/vase/0/mesh.obj, \
         out/b/vase/1/mesh.obj, out/b/vase/1/coarse.obj, out/c/chair.obj, out/c/vase.obj, \
         out/c/x/y/z/deep.obj, out/c/x/y/mesh.obj, out/loose.obj",
    );
    let init = place.ok("bench init out");
    assert_eq!(
        generators(&place),
        [
            "a: out/a/{prompt_id}_seed{seed}.obj",
            "b: out/b/{prompt_id}/{seed}/mesh.obj",
            "c: out/c/{prompt_id}.obj",
        ]
    );
    assert_eq!(bench_file(&place)["seeds"], toml::Value::from(vec![0, 1]));
    assert_eq!(there(&place), (11, 1));
    init.says([
        "a has no asset for \"vase, seed 1\"",
        "in no generator's folder",
        "\"loose.obj\"",
        "\"b/vase/1/coarse.obj\"",
        "\"c/x/y/mesh.obj\"",
        "\"c/x/y/z\"",
        "files of \"c\" have no seed in their names",
    ]);
}

#[test]
fn texts_come_from_a_file_among_the_results() {
    let place = results(
        "out/a/a_wooden_chair.obj, out/a/vase.obj, out/b/a_wooden_chair.obj, out/b/vase.obj",
    );
    place.write("out/prompts.txt", "A wooden chair!\nSomething that nobody made\n");
    place
        .ok("bench init out")
        .shows("texts from out/prompts.txt")
        .says(["1 prompt is left out", "1 prompt is without a text"]);
    assert_eq!(prompts(&place), ["a_wooden_chair: A wooden chair!", "vase: vase"]);
    // A table of ids and texts comes first.
    let table = r#"{"vase": "a \"blue\" vase", "a_wooden_chair": "one chair"}"#;
    place.write("out/prompts.json", table);
    place.ok("bench init out --force");
    assert_eq!(prompts(&place)[1], "vase: a \"blue\" vase");
    there(&place);
}

#[cfg(unix)]
#[test]
fn hostile_names_and_links_are_taken_or_left_out_by_name() {
    let place = results(
        "o u t/it's {one}/a {b} \u{2603} ' chair.obj, o u t/it's {one}/two\nlines.obj, \
         o u t/it's {one}/a:b.obj, o u t/zwei/a {b} \u{2603} ' chair.obj, o u t/zwei/star*.obj, \
         o u t/qu\"ote/x.obj, o u t/.hidden/x.obj, elsewhere/a {b} \u{2603} ' chair.obj",
    );
    let out = place.join("o u t");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, out.join(name)).unwrap();
    link("../elsewhere", "linked");
    link("..", "zwei/up");
    link("nowhere", "zwei/gone.obj");
    let init = place.ok("bench init './o u t/../o u t/'");
    let names = generators(&place);
    let names: Vec<&str> = names.iter().map(|it| it.split(": ").next().unwrap()).collect();
    assert_eq!(names, ["it's {one}", "linked", "zwei"]);
    assert_eq!(prompts(&place).len(), 1, "{}", init.stdout);
    assert_eq!(there(&place), (3, 0));
    init.says(["a:b", "star*", "two", "qu", "zwei/up", "zwei/gone.obj"]);
    assert!(!init.stderr.contains("hidden"), "{}", init.stderr);
}

#[test]
fn a_folder_that_is_no_benchmark_is_refused_with_the_remedy() {
    let place = results("one/alpha/chair.obj, flat/chair.obj, fbx/a/x.fbx, fbx/b/x.fbx");
    for (folder, what) in [
        ("one", "only one generator was found, \"alpha\""),
        ("flat", "no generator with assets"),
        ("fbx", "its format, FBX, is not supported"),
        ("gone", "no folder has this name"),
    ] {
        place.run(&format!("bench init {folder}")).refuses(what);
        assert!(!place.join("bench.toml").exists());
    }
}
