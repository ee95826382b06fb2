//! Files of different axes in one pair: the warning, the rotation, and its effect on
//! answers.

use crate::support::assets::{demo, write_wedge};
use crate::support::program::{meshjudge, rows_of};
use serde_json::Value;
use std::path::Path;

/// What is said where one of two files has another axis up.
const SAID: &str = "one asset seems rotated by 90° relative to the other";

const Z_UP: [&str; 4] = ["--up-b", "+z", "--front-b", "-y"];

fn num_runs(place: &Path) -> usize {
    std::fs::read_dir(place.join("runs")).unwrap().count()
}

#[test]
fn one_of_two_that_lies_on_its_side_is_said_and_turned_only_on_request() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), false);
    write_wedge(&place.path().join("b.obj"), true);
    let sheet = ["sheet", "pair", "a.obj", "b.obj", "--out", "pair.png", "--size", "32"];
    let compare =
        ["compare", "a.obj", "b.obj", "--prompt", "a wedge", "--size", "32", "--views", "1"];
    for args in [&sheet[..], &compare] {
        let as_they_lie = meshjudge(place.path(), args).ok();
        assert_eq!(as_they_lie.stderr.matches(SAID).count(), 1, "{}", as_they_lie.stderr);
        let turned = meshjudge(place.path(), &[args, &Z_UP].concat()).ok();
        assert!(!turned.stderr.contains(SAID), "{}", turned.stderr);
    }
    // Turned, it is another asset: a question of its own, which is recognised when it comes again.
    assert_eq!(num_runs(place.path()), 2);
    meshjudge(place.path(), &[&compare, &Z_UP[..]].concat()).ok();
    assert_eq!(num_runs(place.path()), 2);
}

#[test]
fn compare_and_score_read_files_with_the_axes_of_the_rig() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    write_wedge(&place.path().join("b.obj"), true);
    let same = ["--size", "32", "--views", "1", "--rig", "t3bench"];
    let compare = ["compare", "a.obj", "b.obj", "--prompt", "a wedge"];
    let score = [
        "score",
        "a.obj",
        "--rubric",
        "category",
        "--category",
        "single_object",
        "--prompt",
        "a wedge",
    ];
    for (count, args) in [(1, &compare[..]), (3, &score)] {
        for axes in [&[][..], &["--up", "+z", "--front", "-y"]] {
            meshjudge(place.path(), &[args, &same, axes].concat()).ok();
            assert_eq!(num_runs(place.path()), count, "the same question");
        }
        meshjudge(place.path(), &[args, &same, &["--up", "+y", "--front", "+z"]].concat()).ok();
        assert_eq!(num_runs(place.path()), count + 1);
    }
}

#[test]
fn a_generator_of_a_benchmark_has_its_axes() {
    let place = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
        write_wedge(&place.path().join(name).join("0.obj"), name == "c");
    }
    // Another height, so that the other two are no equal files.
    let text = std::fs::read_to_string(place.path().join("b/0.obj")).unwrap();
    std::fs::write(place.path().join("b/0.obj"), text.replace("v 0 2 0", "v 0 2.1 0")).unwrap();
    let bench = |axes: &str, flags: &[&str]| {
        let generators: String = (["a", "b", "c"].iter())
            .map(|name| {
                let axes = if *name == "c" { axes } else { "" };
                format!("[[generators]]\nname = \"{name}\"\npath = \"{name}/{{prompt_id}}.obj\"\n{axes}\n")
            })
            .collect();
        let text = format!(
            "name = \"t\"\nprompts = [\"a wedge\"]\n{generators}[pictures]\nsize_px = 32\nviews = 1\n"
        );
        std::fs::write(place.path().join("bench.toml"), text).unwrap();
        meshjudge(place.path(), &[&["bench", "bench.toml", "--run", "r"], flags].concat())
    };
    let left = |axes: &str| -> [u64; 2] {
        let plan = bench(axes, &["--dry-run", "--json"]).ok();
        let plan: Value = rows_of(&plan.stdout, "plan").remove(0);
        ["answered", "questions"].map(|key| plan[key].as_u64().unwrap())
    };
    let first = bench("", &[]).ok();
    // Once for each two generators, and not for those that agree.
    assert_eq!(first.stderr.matches(SAID).count(), 2, "{}", first.stderr);
    assert_eq!(left(""), [6, 6]);
    let axes = "up = \"+z\"\nfront = \"-y\"";
    assert_eq!(left(axes), [2, 6], "what others answered stays");
    let turned = bench(axes, &[]).ok();
    assert!(!turned.stderr.contains(SAID), "{}", turned.stderr);
    assert_eq!(left(axes), [6, 6]);
    // Nothing of how it lay before is counted.
    let rated = meshjudge(place.path(), &["rate", "r", "--json", "--bootstraps", "50"]).ok();
    for criterion in rated.rows_of("criterion") {
        let [games, undecided] = ["games", "undecided"].map(|k| criterion[k].as_u64().unwrap());
        assert_eq!(games + undecided / 2, 3, "{criterion}");
    }

    for (axes, why) in [("up = \"+z\"", "same axis"), ("up = \"north\"", "+x")] {
        let refused = bench(axes, &[]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
}

/// A benchmark of three generators on two prompts, of which only the last asset of the last
/// generator has z up; `axes` are lines of that generator.
fn two_prompts(place: &Path, axes: &str) {
    let mut text = "name = \"t\"\nprompts = [\"a wedge\", \"a taller one\"]\n".to_owned();
    for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
        let axes = if name == "c" { axes } else { "" };
        text += &format!(
            "[[generators]]\nname = \"{name}\"\npath = \"{name}/{{prompt_id}}.obj\"\n{axes}\n"
        );
        if place.join(name).exists() {
            continue;
        }
        std::fs::create_dir(place.join(name)).unwrap();
        for prompt in 0..2 {
            let file = place.join(name).join(format!("{prompt}.obj"));
            write_wedge(&file, name == "c" && prompt == 1);
            // No two files are equal.
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, format!("{text}# {k}\nv 0.1 0.1 0.{k}\n")).unwrap();
        }
    }
    text += "[pictures]\nsize_px = 32\nviews = 1\n";
    std::fs::write(place.join("bench.toml"), text).unwrap();
}

#[test]
fn an_asset_of_a_generator_has_its_axes() {
    let place = tempfile::tempdir().unwrap();
    let bench = |axes: &str, flags: &[&str]| {
        two_prompts(place.path(), axes);
        let command = ["bench", "bench.toml", "--run", "r"];
        meshjudge(place.path(), &[&command, flags].concat())
    };
    let left = |axes: &str| -> [u64; 2] {
        let plan = bench(axes, &["--dry-run", "--json"]).ok();
        let plan: Value = rows_of(&plan.stdout, "plan").remove(0);
        ["answered", "questions"].map(|key| plan[key].as_u64().unwrap())
    };
    two_prompts(place.path(), "");
    // Files this old are not read again by a later call, unless it reads them otherwise.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let first = bench("", &[]).ok();
    assert_eq!(first.stderr.matches(SAID).count(), 2, "{}", first.stderr);
    assert_eq!(left(""), [12, 12]);
    let axes = "axes = [{ prompts = [\"1\"], up = \"+z\", front = \"-y\" }]";
    let turned = bench(axes, &[]).ok();
    assert!(!turned.stderr.contains(SAID), "{}", turned.stderr);
    let asked = || meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).rows().len();
    assert_eq!(asked(), 16, "the two pairs of one asset were asked again");
    assert_eq!(left(axes), [12, 12]);
    assert_eq!(left(""), [12, 12], "as it lay before is known too");

    for (wrong, why) in [
        ("{ prompts = [], up = \"+z\" }", "prompts"),
        ("{ prompts = [\"2\"], up = \"+z\", front = \"-y\" }", "the prompt \\\"2\\\""),
        ("{ prompts = [\"1\"], seeds = [7], up = \"+z\", front = \"-y\" }", "the seed 7"),
        ("{ prompts = [\"1\"], up = \"+z\" }", "same axis"),
    ] {
        let refused = bench(&format!("axes = [{wrong}]"), &[]);
        assert_ne!(refused.code, Some(0));
        let why = why.replace("\\", "");
        assert!(refused.stderr.contains(&why), "{}", refused.stderr);
    }
}

#[test]
fn benchmarks_audits_and_tournaments_read_files_with_the_axes_of_the_rig() {
    let place = tempfile::tempdir().unwrap();
    let bases = place.path().join("bases");
    std::fs::create_dir(&bases).unwrap();
    for name in ["a", "b"] {
        write_wedge(&bases.join(format!("{name}.obj")), true);
    }
    let text = std::fs::read_to_string(bases.join("b.obj")).unwrap();
    std::fs::write(bases.join("b.obj"), text + "# b\n").unwrap();
    let generators = ["a", "b"]
        .map(|name| format!("[[generators]]\nname = \"{name}\"\npath = \"bases/{name}.obj\"\n"));
    let protocols = |run: &str| -> Vec<Value> {
        let rows = meshjudge(place.path(), &["export", run, "--format", "jsonl"]).rows();
        let mut protocols: Vec<Value> = rows.iter().map(|row| row["protocol"].clone()).collect();
        protocols.dedup();
        protocols
    };
    let bench = |run: &str, axes: &str| {
        let text = format!(
            "name = \"t\"\nprompts = [\"a wedge\"]\n{}[pictures]\nrig = \"t3bench\"\nsize_px = 32\nviews = 1\n{axes}\n",
            generators.concat()
        );
        std::fs::write(place.path().join("bench.toml"), text).unwrap();
        meshjudge(place.path(), &["bench", "bench.toml", "--run", run]).ok();
        protocols(run)
    };
    let audit = |run: &str, axes: &[&str]| {
        let args = [
            "audit",
            "--bases",
            "bases",
            "--objects",
            "1",
            "--kinds",
            "slab",
            "--levels",
            "1",
            "--rig",
            "t3bench",
            "--size",
            "32",
            "--views",
            "1",
            "--run",
            run,
        ];
        meshjudge(place.path(), &[&args, axes].concat()).ok();
        protocols(run)
    };
    let own = bench("own", "");
    assert_eq!(own.len(), 1);
    assert_eq!(own, bench("named", "up = \"+z\"\nfront = \"-y\""));
    assert_ne!(own, bench("other", "up = \"+y\"\nfront = \"+z\""));
    let own = audit("audit-own", &[]);
    assert_eq!(own.len(), 1);
    assert_eq!(own, audit("audit-named", &["--up", "+z", "--front", "-y"]));
    assert_ne!(own, audit("audit-other", &["--up", "+y", "--front", "+z"]));

    // A tournament shows the run's files as the run did.
    let args = ["export", "own", "--format", "gpteval3d", "--out", "tour"];
    meshjudge(place.path(), &args).ok();
    let picture = image::open(place.path().join("tour/methods/a/0/0/rgb_0.png")).unwrap();
    let picture = picture.into_rgb8();
    let seen = picture.enumerate_pixels().filter(|(_, _, p)| p.0 != [255; 3]);
    let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
    for (x, y, _) in seen {
        (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
    }
    assert!(high[1] - low[1] > high[0] - low[0], "taller than wide");
}

const OCTAHEDRON: &str = "v 1 0 0\nv 0 0 -1\nv -1 0 0\nv 0 0 1\nv 0 1 0\nv 0 -1 0\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 2 1 6\nf 3 2 6\nf 4 3 6\nf 1 4 6\n";

/// Two generators with one chair; the second one's is read with +x as its front, 90° away.
fn turned_chairs(place: &Path, pictures: &str) {
    for (name, file) in [("a", "chair_clean.glb"), ("b", "chair_damaged.glb")] {
        std::fs::create_dir_all(place.join(name)).unwrap();
        std::fs::copy(demo(file), place.join(name).join("0.glb")).unwrap();
    }
    let text = format!(
        "name = \"t\"\nprompts = [\"a chair\"]\n[[generators]]\nname = \"a\"\npath = \"a/{{prompt_id}}.glb\"\n[[generators]]\nname = \"b\"\npath = \"b/{{prompt_id}}.glb\"\nfront = \"+x\"\n[pictures]\nsize_px = 64\nviews = 1\n{pictures}"
    );
    std::fs::write(place.join("bench.toml"), text).unwrap();
}

#[test]
fn common_fronts_turn_the_assets_of_a_prompt_to_that_of_the_first_generator() {
    let place = tempfile::tempdir().unwrap();
    turned_chairs(place.path(), "fronts = \"common\"");
    let run = || meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]).ok();
    let first = run();
    assert!(first.stderr.contains("1 of 1 assets rotated to the front of a"), "{}", first.stderr);
    let record = std::fs::read_to_string(place.path().join("r/fronts.jsonl")).unwrap();
    let row: Value = serde_json::from_str(record.trim()).unwrap();
    // The file's front is at azimuth 270°, seen with +x as the front.
    assert_eq!(row["yaw_degrees"], 270, "{row}");
    assert!(row["margin"].as_f64().unwrap() > 0.05, "{row}");
    let rows = meshjudge(place.path(), &["export", "r", "--format", "jsonl"]).ok().rows();
    assert!(
        rows.iter().all(|it| it["b_yaw_degrees"] == 270 && it["b_yaw_margin"] == row["margin"])
    );
    assert!(rows.iter().all(|it| it.get("a_yaw_margin").is_none()));
    meshjudge(place.path(), &["report", "r", "--out", "page.html"]).ok();
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("Common front: B is rotated by 270° (margin "), "no word on the front");
    // The same files have the same rotation again, so nothing is asked.
    assert!(run().stderr.contains("2 of 2 questions were answered before"));

    // Read with other axes, the second chair needs another rotation, here none: the one before is
    // not taken again.
    let path = place.path().join("bench.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("front = \"+x\"\n", "")).unwrap();
    let straight = run();
    assert!(straight.stderr.contains("0 of 1 assets rotated"), "{}", straight.stderr);

    // So do the rows of a pair. An octahedron has four equal sides: the margin is 0, and there is
    // no angle.
    std::fs::write(place.path().join("octahedron.obj"), OCTAHEDRON).unwrap();
    for (b, yaw) in [("b/0.glb", serde_json::json!(0)), ("octahedron.obj", Value::Null)] {
        let args = ["compare", "a/0.glb", b, "--prompt", "x", "--fronts", "common", "--json"];
        let rows = meshjudge(place.path(), &[&args[..], &["--size", "64"]].concat()).ok().rows();
        assert_eq!(rows.len(), 2);
        for row in rows {
            assert!(row["b_yaw_degrees"] == yaw && row["b_yaw_margin"].is_f64(), "{row}");
        }
    }

    // Pictures of the turned asset are those of the file as it is: the questions are answered with
    // the same sheet.
    let sheet = |flags: &[&str], out: &str| {
        let args =
            ["sheet", "pair", "a/0.glb", "b/0.glb", "--size", "64", "--views", "1", "--out", out];
        let said = meshjudge(place.path(), &[&args[..], flags].concat()).ok();
        (said.stderr, std::fs::read(place.path().join(out)).unwrap())
    };
    let (_, plain) = sheet(&[], "plain.png");
    let (_, aside) = sheet(&["--front-b", "+x"], "aside.png");
    let (said, back) = sheet(&["--front-b", "+x", "--fronts", "common"], "back.png");
    assert!(said.contains("rotated by 270°"), "{said}");
    assert_ne!(plain, aside);
    assert_eq!(plain, back);
}

#[test]
fn common_fronts_need_files_that_exist() {
    let place = tempfile::tempdir().unwrap();
    turned_chairs(place.path(), "fronts = \"common\"");
    let path = place.path().join("bench.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let command = "command = [\"cp\", \"x.glb\", \"{out}\"]";
    std::fs::write(&path, text.replace("path = \"b/{prompt_id}.glb\"\nfront = \"+x\"", command))
        .unwrap();
    let refused = meshjudge(place.path(), &["bench", "bench.toml", "--run", "r"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("\"b\" makes its assets"), "{}", refused.stderr);
}

/// Three generators. The first prompt is a chair with three fronts, to be photographed; the second
/// one has a chair and octahedra; the third one's photo is a disc.
fn photographed_chairs(place: &Path) {
    let disc = |x: u32, y: u32| {
        let inside = x.abs_diff(64).pow(2) + y.abs_diff(64).pow(2) < 2500;
        image::Rgba([150, 150, 150, if inside { 255 } else { 0 }])
    };
    image::RgbaImage::from_fn(128, 128, disc).save(place.join("disc.png")).unwrap();
    let mut text = "name = \"t\"\n".to_owned();
    for (id, photo) in [("chair", "0.png"), ("mixed", "0.png"), ("round", "disc.png")] {
        text += &format!("[[prompts]]\nid = \"{id}\"\ntext = \"a chair\"\nimage = \"{photo}\"\n");
    }
    for (name, front) in [("a", "+z"), ("b", "+x"), ("c", "-z")] {
        std::fs::create_dir_all(place.join(name)).unwrap();
        let to = |file: &str| place.join(name).join(file);
        std::fs::copy(demo("chair_clean.glb"), to("chair.glb")).unwrap();
        std::fs::copy(demo("chair_damaged.glb"), to("round.glb")).unwrap();
        std::fs::write(to("mixed.obj"), OCTAHEDRON).unwrap();
        text += &format!(
            "[[generators]]\nname = \"{name}\"\npath = \"{name}/{{prompt_id}}.*\"\nfront = \"{front}\"\n"
        );
    }
    std::fs::remove_file(place.join("a/mixed.obj")).unwrap();
    std::fs::copy(demo("chair_clean.glb"), place.join("a/mixed.glb")).unwrap();
    std::fs::copy(demo("chair_damaged.glb"), place.join("b/chair.glb")).unwrap();
    text += "[pictures]\nsize_px = 64\nviews = 1\nfronts = \"photo\"\n";
    std::fs::write(place.join("bench.toml"), text).unwrap();
}

#[test]
fn a_group_with_one_front_faces_its_photo() {
    let place = tempfile::tempdir().unwrap();
    let place = place.path();
    photographed_chairs(place);
    let photo = |views: &str| {
        let args = ["render", "a/chair.glb", "--channels", "rgb", "--background", "transparent"];
        let rig = ["--rig", "ring", "--views", views, "--elevation", "20", "--out", "photos"];
        meshjudge(place, &[&args[..], &rig].concat()).ok();
        std::fs::copy(place.join("photos/chair/rgb_1.png"), place.join("0.png")).unwrap();
    };
    let run = || meshjudge(place, &["bench", "bench.toml", "--run", "r"]).ok().stderr;
    let path = place.join("r/fronts.jsonl");
    let rows = || -> Vec<Value> {
        let text = std::fs::read_to_string(&path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let yaws = |id: &str| -> Vec<String> {
        let rows = rows().into_iter().filter(|row| row["prompt_id"] == id);
        let rows = rows.filter(|row| row["is_rotated"] == true);
        rows.map(|row| format!("{} {}", row["method"], row["yaw_degrees"])).collect()
    };
    // From 40°.
    photo("9");
    let first = run();
    let said = "fronts: 4 of 6 assets rotated to the front of a; 2 without a clear rotation keep the front of their file; groups with one front and a photo: 1 rotated to the side in the photo, 1 left";
    assert!(first.contains(said), "{first}");
    assert_eq!(yaws("chair"), ["\"a\" 40", "\"b\" 310", "\"c\" 220"]);
    // The photo shows the chair, but the chair has its front in common with none.
    assert!(yaws("mixed").is_empty());
    // The disc says nothing: the common front stays.
    assert_eq!(yaws("round"), ["\"b\" 270", "\"c\" 180"]);
    let margins: Vec<f64> = rows().iter().filter_map(|row| row["photo_margin"].as_f64()).collect();
    assert_eq!(margins.len(), 5);
    assert!(margins[..3].iter().all(|it| *it >= 0.1), "{margins:?}");
    assert!(margins[3..].iter().all(|it| *it < 0.1), "{margins:?}");
    let rows_of_run = meshjudge(place, &["export", "r", "--format", "jsonl"]).ok().rows();
    let is_rotated = |it: &Value| it["a_yaw_degrees"] == 40 && it["a_yaw_margin"] == margins[0];
    assert!(rows_of_run.iter().any(is_rotated));

    // What was found is not looked for again, and nothing is asked again.
    let mut other = rows();
    other[..3].iter_mut().for_each(|row| row["photo_margin"] = 0.9.into());
    let lines: Vec<String> = other.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    assert!(run().contains("18 of 18 questions were answered before"));
    assert_eq!(rows()[0]["photo_margin"], 0.9);
    // Another photo is looked at, from 72°.
    photo("5");
    run();
    assert!(yaws("chair")[0] == "\"a\" 70" && rows()[0]["photo_margin"] != 0.9);
    // So do two assets that are compared, and their sheet.
    let pair = ["a/chair.glb", "b/chair.glb", "--front-b", "+x", "--fronts", "photo"];
    let small = ["--prompt", "x", "--json", "--size", "64"];
    let compare = [&["compare"][..], &pair, &small].concat();
    let compared = meshjudge(place, &[&compare[..], &["--image", "0.png"]].concat()).ok();
    let is_rotated = |it: &Value| it["a_yaw_degrees"] == 70 && it["b_yaw_degrees"] == 340;
    assert!(compared.rows().iter().all(is_rotated), "{}", compared.stdout);
    let refused = meshjudge(place, &compare);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no photo says which side is the front"), "{}", refused.stderr);
    let sheet = ["sheet", "pair", "--image", "0.png", "--size", "64", "--out", "pair.png"];
    let said = meshjudge(place, &[&sheet[..], &pair].concat()).ok().stderr;
    assert!(said.contains("and both by 70° to the side in the photo (margin"), "{said}");

    // Without the photo, the common front is that of the file.
    let file = place.join("bench.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("fronts = \"photo\"", "fronts = \"common\"")).unwrap();
    run();
    assert_eq!(yaws("chair"), ["\"b\" 270", "\"c\" 180"]);
}
