//! Files of different axes in one pair: the warning, the rotation, and its effect on
//! answers.

use crate::support::assets::{Folder, demo, write_wedge};
use crate::support::program::{Run, Text as _, generator, json_rows};
use serde_json::{Value, json};

/// What is said where one of two files has another axis up.
const SAID: &str = "one asset seems rotated by 90° relative to the other";

const Z_UP: &str = "--up-b +z --front-b -y";

fn num_runs(place: &Folder) -> usize {
    place.names("runs").len()
}

fn num_warnings(run: &Run) -> usize {
    run.stderr.matches(SAID).count()
}

/// How many questions a plan finds answered, of how many.
fn answered(plan: &Run) -> [u64; 2] {
    let plan = &plan.rows_of("plan")[0];
    ["answered", "questions"].map(|key| plan[key].as_u64().unwrap())
}

#[test]
fn one_of_two_that_lies_on_its_side_is_said_and_turned_only_on_request() {
    let place = Folder::new();
    write_wedge(&place.join("a.obj"), false);
    write_wedge(&place.join("b.obj"), true);
    let sheet = "sheet pair a.obj b.obj --out pair.png --size 32";
    let compare = "compare a.obj b.obj --prompt 'a wedge' --size 32 --views 1";
    for args in [sheet, compare] {
        assert_eq!(num_warnings(&place.ok(args)), 1, "{args}");
        assert_eq!(num_warnings(&place.ok(&format!("{args} {Z_UP}"))), 0, "{args}");
    }
    // Turned, it is another asset: a question of its own, which is recognised when it comes again.
    assert_eq!(num_runs(&place), 2);
    place.ok(&format!("{compare} {Z_UP}"));
    assert_eq!(num_runs(&place), 2);
}

#[test]
fn compare_and_score_read_files_with_the_axes_of_the_rig() {
    let place = Folder::new();
    write_wedge(&place.join("a.obj"), true);
    write_wedge(&place.join("b.obj"), true);
    let same = "--size 32 --views 1 --rig t3bench";
    let compare = "compare a.obj b.obj --prompt 'a wedge'";
    let score = "score a.obj --rubric category --category single_object --prompt 'a wedge'";
    for (count, args) in [(1, compare), (3, score)] {
        for axes in ["", "--up +z --front -y"] {
            place.ok(&format!("{args} {same} {axes}"));
            assert_eq!(num_runs(&place), count, "the same question");
        }
        place.ok(&format!("{args} {same} --up +y --front +z"));
        assert_eq!(num_runs(&place), count + 1);
    }
}

#[test]
fn a_generator_of_a_benchmark_has_its_axes() {
    let place = Folder::new();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(place.join(name)).unwrap();
        write_wedge(&place.join(name).join("0.obj"), name == "c");
    }
    // Another height, so that the other two are no equal files.
    place.edit("b/0.obj", "v 0 2 0", "v 0 2.1 0");
    let bench = |axes: &str, flags: &str| {
        write_bench(&place, "\"a wedge\"", axes);
        place.run(&format!("bench bench.toml --run r {flags}"))
    };
    let left = |axes: &str| answered(&bench(axes, "--dry-run --json").ok());
    // Once for each two generators, and not for those that agree.
    assert_eq!(num_warnings(&bench("", "").ok()), 2);
    assert_eq!(left(""), [6, 6]);
    let axes = "up = \"+z\"\nfront = \"-y\"";
    assert_eq!(left(axes), [2, 6], "what others answered stays");
    assert_eq!(num_warnings(&bench(axes, "").ok()), 0);
    assert_eq!(left(axes), [6, 6]);
    // Nothing of how it lay before is counted.
    let rated = place.ok("rate r --json --bootstraps 50");
    for criterion in rated.rows_of("criterion") {
        let [games, undecided] = ["games", "undecided"].map(|k| criterion[k].as_u64().unwrap());
        assert_eq!(games + undecided / 2, 3, "{criterion}");
    }

    for (axes, why) in [("up = \"+z\"", "same axis"), ("up = \"north\"", "+x")] {
        bench(axes, "").fails(why);
    }
}

/// A benchmark of the generators `a`, `b` and `c`; `axes` are lines of the last one.
fn write_bench(place: &Folder, prompts: &str, axes: &str) {
    let [a, b, c] = ["a", "b", "c"].map(|it| generator(it, &format!("{it}/{{prompt_id}}.obj")));
    let text = format!(
        "name = \"t\"\nprompts = [{prompts}]\n{a}{b}{c}{axes}\n[pictures]\nsize_px = 32\nviews = 1\n"
    );
    place.write("bench.toml", text);
}

/// Three generators on two prompts, of which only the last asset of the last generator has z up.
#[test]
fn an_asset_of_a_generator_has_its_axes() {
    let place = Folder::new();
    for (k, name) in ["a", "b", "c"].into_iter().enumerate() {
        std::fs::create_dir(place.join(name)).unwrap();
        for prompt in 0..2 {
            let file = format!("{name}/{prompt}.obj");
            write_wedge(&place.join(&file), name == "c" && prompt == 1);
            // No two files are equal.
            place.write(&file, format!("{}# {k}\nv 0.1 0.1 0.{k}\n", place.read(&file)));
        }
    }
    let bench = |axes: &str, flags: &str| {
        write_bench(&place, "\"a wedge\", \"a taller one\"", axes);
        place.run(&format!("bench bench.toml --run r {flags}"))
    };
    let left = |axes: &str| answered(&bench(axes, "--dry-run --json").ok());
    // Files this old are not read again by a later call, unless it reads them otherwise.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!(num_warnings(&bench("", "").ok()), 2);
    assert_eq!(left(""), [12, 12]);
    let axes = "axes = [{ prompts = [\"1\"], up = \"+z\", front = \"-y\" }]";
    assert_eq!(num_warnings(&bench(axes, "").ok()), 0);
    assert_eq!(place.answers("r").len(), 16, "the two pairs of one asset were asked again");
    assert_eq!(left(axes), [12, 12]);
    assert_eq!(left(""), [12, 12], "as it lay before is known too");

    for (wrong, why) in [
        ("{ prompts = [], up = \"+z\" }", "prompts"),
        ("{ prompts = [\"2\"], up = \"+z\", front = \"-y\" }", "the prompt \"2\""),
        ("{ prompts = [\"1\"], seeds = [7], up = \"+z\", front = \"-y\" }", "the seed 7"),
        ("{ prompts = [\"1\"], up = \"+z\" }", "same axis"),
    ] {
        bench(&format!("axes = [{wrong}]"), "").fails(why);
    }
}

#[test]
fn benchmarks_audits_and_tournaments_read_files_with_the_axes_of_the_rig() {
    let place = Folder::new();
    std::fs::create_dir(place.join("bases")).unwrap();
    write_wedge(&place.join("bases/a.obj"), true);
    place.write("bases/b.obj", place.read("bases/a.obj") + "# b\n");
    let generators = ["a", "b"].map(|name| generator(name, &format!("bases/{name}.obj")));
    let generators = generators.concat();
    let protocols = |run: &str| -> Vec<Value> {
        let rows = place.answers(run);
        let mut protocols: Vec<Value> = rows.iter().map(|row| row["protocol"].clone()).collect();
        protocols.dedup();
        protocols
    };
    let bench = |run: &str, axes: &str| {
        let text = format!(
            "name = \"t\"\nprompts = [\"a wedge\"]\n{generators}[pictures]\nrig = \"t3bench\"\nsize_px = 32\nviews = 1\n{axes}\n"
        );
        place.write("bench.toml", text);
        place.ok(&format!("bench bench.toml --run {run}"));
        protocols(run)
    };
    let audit = |run: &str, axes: &str| {
        let args = "audit --bases bases --objects 1 --kinds slab --levels 1";
        place.ok(&format!("{args} --rig t3bench --size 32 --views 1 --run {run} {axes}"));
        protocols(run)
    };
    let own = bench("own", "");
    assert_eq!(own.len(), 1);
    assert_eq!(own, bench("named", "up = \"+z\"\nfront = \"-y\""));
    assert_ne!(own, bench("other", "up = \"+y\"\nfront = \"+z\""));
    let own = audit("audit-own", "");
    assert_eq!(own.len(), 1);
    assert_eq!(own, audit("audit-named", "--up +z --front -y"));
    assert_ne!(own, audit("audit-other", "--up +y --front +z"));

    // A tournament shows the run's files as the run did.
    place.ok("export own --format gpteval3d --out tour");
    let picture = image::open(place.join("tour/methods/a/0/0/rgb_0.png")).unwrap();
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
fn turned_chairs(place: &Folder, pictures: &str) {
    place.copy(demo("chair_clean.glb"), "a/0.glb");
    place.copy(demo("chair_damaged.glb"), "b/0.glb");
    let [a, b] = ["a", "b"].map(|name| generator(name, &format!("{name}/{{prompt_id}}.glb")));
    let text = format!(
        "name = \"t\"\nprompts = [\"a chair\"]\n{a}{b}front = \"+x\"\n[pictures]\nsize_px = 64\nviews = 1\n{pictures}"
    );
    place.write("bench.toml", text);
}

#[test]
fn common_fronts_turn_the_assets_of_a_prompt_to_that_of_the_first_generator() {
    let place = Folder::new();
    turned_chairs(&place, "fronts = \"common\"");
    let run = || place.ok("bench bench.toml --run r");
    run().says("1 of 1 assets rotated to the front of a");
    let row = place.json("r/fronts.jsonl");
    // The file's front is at azimuth 270°, seen with +x as the front.
    assert_eq!(row["yaw_degrees"], 270, "{row}");
    assert!(row["margin"].as_f64().unwrap() > 0.05, "{row}");
    for it in place.answers("r") {
        assert!(it["b_yaw_degrees"] == 270 && it["b_yaw_margin"] == row["margin"], "{it}");
        assert!(it.get("a_yaw_margin").is_none(), "{it}");
    }
    place.ok("report r --out page.html");
    place.read("page.html").must_have("Common front: B is rotated by 270° (margin ");
    // The same files have the same rotation again, so nothing is asked.
    run().says("2 of 2 questions were answered before");

    // Read with other axes, the second chair needs another rotation, here none: the one before is
    // not taken again.
    place.edit("bench.toml", "front = \"+x\"\n", "");
    run().says("0 of 1 assets rotated");

    // So do the rows of a pair. An octahedron has four equal sides: the margin is 0, and there is
    // no angle.
    place.write("octahedron.obj", OCTAHEDRON);
    for (b, yaw) in [("b/0.glb", json!(0)), ("octahedron.obj", Value::Null)] {
        let args = format!("compare a/0.glb {b} --prompt x --fronts common --size 64 --json");
        let rows = place.ok(&args).rows();
        assert_eq!(rows.len(), 2);
        for row in rows {
            assert!(row["b_yaw_degrees"] == yaw && row["b_yaw_margin"].is_f64(), "{row}");
        }
    }

    // Pictures of the turned asset are those of the file as it is: the questions are answered with
    // the same sheet.
    let sheet = |flags: &str, out: &str| {
        let args = "sheet pair a/0.glb b/0.glb --size 64 --views 1";
        let said = place.ok(&format!("{args} --out {out} {flags}"));
        (said.stderr, place.bytes(out))
    };
    let (_, plain) = sheet("", "plain.png");
    let (_, aside) = sheet("--front-b +x", "aside.png");
    let (said, back) = sheet("--front-b +x --fronts common", "back.png");
    said.must_have("rotated by 270°");
    assert_ne!(plain, aside);
    assert_eq!(plain, back);
}

#[test]
fn common_fronts_need_files_that_exist() {
    let place = Folder::new();
    turned_chairs(&place, "fronts = \"common\"");
    let command = "command = [\"cp\", \"x.glb\", \"{out}\"]";
    place.edit("bench.toml", "path = \"b/{prompt_id}.glb\"\nfront = \"+x\"", command);
    place.run("bench bench.toml --run r").fails("\"b\" makes its assets");
}

/// Three generators. The first prompt is a chair with three fronts, to be photographed; the second
/// one has a chair and octahedra; the third one's photo is a disc.
fn photographed_chairs(place: &Folder) {
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
        place.copy(demo("chair_clean.glb"), format!("{name}/chair.glb"));
        place.copy(demo("chair_damaged.glb"), format!("{name}/round.glb"));
        place.write(format!("{name}/mixed.obj"), OCTAHEDRON);
        text += &generator(name, &format!("{name}/{{prompt_id}}.*"));
        text += &format!("front = \"{front}\"\n");
    }
    place.remove("a/mixed.obj");
    place.copy(demo("chair_clean.glb"), "a/mixed.glb");
    place.copy(demo("chair_damaged.glb"), "b/chair.glb");
    text += "[pictures]\nsize_px = 64\nviews = 1\nfronts = \"photo\"\n";
    place.write("bench.toml", text);
}

#[test]
fn a_group_with_one_front_faces_its_photo() {
    let place = Folder::new();
    photographed_chairs(&place);
    let photo = |views: &str| {
        let args = "render a/chair.glb --channels rgb --background transparent --out photos";
        place.ok(&format!("{args} --rig ring --views {views} --elevation 20"));
        place.copy(place.join("photos/chair/rgb_1.png"), "0.png");
    };
    let run = || place.ok("bench bench.toml --run r");
    let rows = || json_rows(&place.read("r/fronts.jsonl"));
    let yaws = |id: &str| -> Vec<String> {
        let rows = rows().into_iter().filter(|row| row["prompt_id"] == id);
        let rows = rows.filter(|row| row["is_rotated"] == true);
        rows.map(|row| format!("{} {}", row["method"], row["yaw_degrees"])).collect()
    };
    // From 40°.
    photo("9");
    let said = "fronts: 4 of 6 assets rotated to the front of a; 2 without a clear rotation keep the front of their file; groups with one front and a photo: 1 rotated to the side in the photo, 1 left";
    run().says(said);
    assert_eq!(yaws("chair"), ["\"a\" 40", "\"b\" 310", "\"c\" 220"]);
    // The photo shows the chair, but the chair has its front in common with none.
    assert!(yaws("mixed").is_empty());
    // The disc says nothing: the common front stays.
    assert_eq!(yaws("round"), ["\"b\" 270", "\"c\" 180"]);
    let margins: Vec<f64> = rows().iter().filter_map(|row| row["photo_margin"].as_f64()).collect();
    assert_eq!(margins.len(), 5);
    assert!(margins[..3].iter().all(|it| *it >= 0.1), "{margins:?}");
    assert!(margins[3..].iter().all(|it| *it < 0.1), "{margins:?}");
    let rows_of_run = place.answers("r");
    let is_rotated = |it: &Value| it["a_yaw_degrees"] == 40 && it["a_yaw_margin"] == margins[0];
    assert!(rows_of_run.iter().any(is_rotated));

    // What was found is not looked for again, and nothing is asked again.
    let mut other = rows();
    other[..3].iter_mut().for_each(|row| row["photo_margin"] = 0.9.into());
    let lines: Vec<String> = other.iter().map(Value::to_string).collect();
    place.write("r/fronts.jsonl", lines.join("\n"));
    run().says("18 of 18 questions were answered before");
    assert_eq!(rows()[0]["photo_margin"], 0.9);
    // Another photo is looked at, from 72°.
    photo("5");
    run();
    assert!(yaws("chair")[0] == "\"a\" 70" && rows()[0]["photo_margin"] != 0.9);
    // So do two assets that are compared, and their sheet.
    let pair = "a/chair.glb b/chair.glb --front-b +x --fronts photo";
    let compare = format!("compare {pair} --prompt x --json --size 64");
    let compared = place.ok(&format!("{compare} --image 0.png"));
    let is_rotated = |it: &Value| it["a_yaw_degrees"] == 70 && it["b_yaw_degrees"] == 340;
    assert!(compared.rows().iter().all(is_rotated), "{}", compared.stdout);
    place.run(&compare).refuses("no photo says which side is the front");
    let sheet = "sheet pair --image 0.png --size 64 --out pair.png";
    place.ok(&format!("{sheet} {pair}")).says("and both by 70° to the side in the photo (margin");

    // Without the photo, the common front is that of the file.
    place.edit("bench.toml", "fronts = \"photo\"", "fronts = \"common\"");
    run();
    assert_eq!(yaws("chair"), ["\"b\" 270", "\"c\" 180"]);
}
