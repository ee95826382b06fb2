//! Gaussian splats through the real program: `render`, `inspect`, `sheet`, `compare`, and what
//! refuses them.

use crate::support::assets::{splat_sphere as sphere, splats_with_a_board, tetrahedron};
use crate::support::judge_server::{ChatServer, reply};
use crate::support::program::{Run, command, meshjudge};
use meshjudge::Image;
use std::path::Path;

fn folder_of(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn picture(path: &Path) -> Image {
    Image::decode(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn splats_are_drawn_upright_and_as_large_as_most_of_them_are() {
    let folder = folder_of(&[("a.ply", sphere(3.0)), ("b.obj", tetrahedron(1.0))]);
    let flags = ["--rig", "ring", "--views", "2", "--size", "96"];
    let channels = ["--channels", "rgb,normal,depth,mask,opacity,z,expected-z,position"];
    let args = [&["render", "a.ply", "b.obj", "--out", "out"], &flags[..], &channels].concat();
    let run = meshjudge(folder.path(), &args).ok();
    assert!(run.stdout.contains("2 of 2 views of 1501 splats"), "{}", run.stdout);
    assert!(!run.stderr.contains("cut off"), "{}", run.stderr);
    let rgb = picture(&folder.path().join("out/a/rgb_0.png"));
    let [above, below] = [30, 76].map(|y| rgb.pixel(48, y).to_vec());
    assert!(above[2] > 200 && above[0] < 50, "blue above: {above:?}");
    assert!(below[0] > 200 && below[2] < 50, "red below: {below:?}");
    assert_eq!(rgb.pixel(1, 1), [255; 3], "white behind");
    // The floater at 300 radii would leave a dot.
    let mask = picture(&folder.path().join("out/a/mask_0.png"));
    let covered = mask.pixels.iter().step_by(3).filter(|&&byte| byte > 127).count();
    assert!((1800..7500).contains(&covered), "{covered} of 9216 pixels");
    // Two layers of splats: the mean is behind the median, and exists where less than half of the
    // light is lost.
    let [median, mean] = ["z", "expected-z"].map(|name| {
        let bytes = std::fs::read(folder.path().join(format!("out/a/{name}_0.png"))).unwrap();
        image::load_from_memory(&bytes).unwrap().into_luma16().into_raw()
    });
    let pairs = || median.iter().zip(&mean);
    let both = pairs().filter(|(median, mean)| **median > 0 && mean > median).count();
    assert!(both * 2 > covered && pairs().all(|(median, mean)| *median == 0 || *mean > 0));
    assert!(pairs().any(|(median, mean)| *median == 0 && *mean > 0));
    // The nearest point of the sphere looks at the camera.
    let normal = picture(&folder.path().join("out/a/normal_0.png"));
    assert!(normal.pixels.iter().any(|&byte| byte > 0));
    let frames = std::fs::read_to_string(folder.path().join("out/a/frames.json")).unwrap();
    let frames: serde_json::Value = serde_json::from_str(&frames).unwrap();
    assert!(frames["views"][0]["coverage"].as_f64().unwrap() > 0.2);
}

/// From the front, the board hides all of the ball but a cap; from behind, the ball hides the
/// middle of the board.
#[test]
fn splats_and_surfaces_of_one_file_hide_each_other() {
    let folder = folder_of(&[("a.gltf", splats_with_a_board()), ("b.obj", tetrahedron(1.0))]);
    let channels = ["--channels", "rgb,normal,depth,mask,z,position"];
    let view = ["--rig", "ring", "--views", "2", "--size", "120"];
    let args = [&["render", "a.gltf", "--out", "out"], &view[..], &channels].concat();
    let run = meshjudge(folder.path(), &args).ok();
    assert!(run.stdout.contains("2 of 2 views"), "{}", run.stdout);
    let [front, behind] =
        [0, 1].map(|k| picture(&folder.path().join(format!("out/a/rgb_{k}.png"))));
    let widths = [&front, &behind].map(|image| {
        let row = (0..120).map(|x| image.pixel(x, 64));
        let count = |is: fn(&[u8]) -> bool| row.clone().filter(|pixel| is(pixel)).count() as f64;
        (count(|pixel| pixel[1] < 200), count(|pixel| pixel[0] < 200 || pixel[1] < 200))
    });
    // The cap is 2 √(1 − 0.5²) = 1.73 wide, the ball 2; the board is 3 wide, nearer to the first
    // camera and farther from the other.
    let [cap, ball] = widths.map(|(ball, all)| ball / all);
    assert!((0.5..0.62).contains(&cap), "{cap}: {widths:?}");
    assert!((0.66..0.8).contains(&ball), "{ball}: {widths:?}");
    let mask = picture(&folder.path().join("out/a/mask_0.png"));
    assert!(
        mask.pixels.iter().filter(|&&byte| byte > 200).count() as f64
            > 0.9 * widths[0].1 * widths[0].1
    );

    let shown = meshjudge(folder.path(), &["inspect", "a.gltf"]).ok().stdout;
    assert!(
        shown.contains("1500 splats, glTF") && shown.contains("2 triangles among the splats"),
        "{shown}"
    );
    for (args, reason) in [
        (&["convert", "a.gltf", "x.ply"][..], "this asset has surfaces"),
        (
            &["damage", "a.gltf", "--kind", "splat-holes", "--out", "x.glb"],
            "splats without surfaces",
        ),
        (&["measure", "a.gltf", "--reference", "b.obj"], "has no surface"),
    ] {
        let run = meshjudge(folder.path(), args);
        assert!(run.code != Some(0) && run.stderr.contains(reason), "{}", run.stderr);
    }
}

/// A board that nobody sees hides nothing: hidden by its node, or transparent.
#[test]
fn surfaces_that_are_not_seen_hide_no_splats() {
    let with_board = |change: fn(&mut serde_json::Value)| {
        let mut scene: serde_json::Value = serde_json::from_str(&splats_with_a_board()).unwrap();
        change(&mut scene);
        scene.to_string()
    };
    let hidden = with_board(|scene| {
        let board = scene["meshes"][0]["primitives"].as_array_mut().unwrap().pop().unwrap();
        let add = |list: &mut serde_json::Value, item| list.as_array_mut().unwrap().push(item);
        add(&mut scene["meshes"], serde_json::json!({"primitives": [board]}));
        scene["scenes"][0]["nodes"] = serde_json::json!([0, 1]);
        let visibility = serde_json::json!({"KHR_node_visibility": {"visible": false}});
        add(&mut scene["nodes"], serde_json::json!({"mesh": 1, "extensions": visibility}));
    });
    let clear = with_board(|scene| {
        scene["materials"][0]["alphaMode"] = "BLEND".into();
        scene["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"][3] = 0.into();
    });
    let folder = folder_of(&[("a.gltf", hidden), ("b.gltf", clear)]);
    let args = ["render", "a.gltf", "b.gltf", "--out", "out", "--views", "1", "--size", "120"];
    meshjudge(folder.path(), &args).ok();
    let [alone, behind] =
        ["a", "b"].map(|name| picture(&folder.path().join(format!("out/{name}/rgb_0.png"))));
    let colored = |image: &Image| image.pixels.chunks(3).filter(|p| p[1] < 200).count() as f64;
    // Without the board, the ball is nearer: its diameter is 2, the board's diagonal 4.2.
    let ratio = colored(&alone) / colored(&behind);
    assert!(colored(&behind) > 900.0 && ratio > 2.0, "{} {ratio}", colored(&behind));
}

#[test]
fn a_light_without_effect_is_mentioned_once() {
    let folder =
        folder_of(&[("a.ply", sphere(1.0)), ("b.ply", sphere(2.0)), ("c.obj", tetrahedron(1.0))]);
    let size = ["--size", "64", "--light", "unlit"];
    for (args, count) in [
        (&["render", "a.ply", "b.ply", "--out", "out", "--views", "1"][..], 1),
        (&["render", "a.ply", "c.obj", "--out", "out", "--views", "1"], 0),
        (&["sheet", "grid", "a.ply", "--out", "a.png"], 1),
        (&["sheet", "pair", "a.ply", "b.ply", "--out", "a.png"], 1),
        (&["sheet", "pair", "a.ply", "c.obj", "--out", "a.png"], 0),
        (&["compare", "a.ply", "b.ply", "--prompt", "a ball"], 1),
    ] {
        let run = meshjudge(folder.path(), &[args, &size].concat()).ok();
        let found = run.stderr.matches("have no effect on Gaussian splats").count();
        assert_eq!(found, count, "{args:?}: {}", run.stderr);
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let folder = folder_of(&[("a.ply", sphere(1.0))]);
    let drawn = ["1", "2", "5"].map(|threads| {
        let args = ["render", "a.ply", "--out", threads, "--views", "3", "--size", "80"];
        let channels = ["--channels", "rgb,normal,depth,mask,z"];
        let mut command = command(folder.path(), [&args[..], &channels].concat());
        Run::of(command.env("RAYON_NUM_THREADS", threads)).ok();
        let pictures = folder.path().join(threads).join("a");
        let mut files: Vec<_> = std::fs::read_dir(pictures)
            .unwrap()
            .map(|file| file.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "png"))
            .collect();
        files.sort();
        assert_eq!(files.len(), 15);
        files.iter().map(|path| std::fs::read(path).unwrap()).collect::<Vec<_>>()
    });
    assert!(drawn[0] == drawn[1] && drawn[0] == drawn[2]);
}

#[test]
fn a_rig_decides_how_splats_are_smoothed() {
    let rig = |splats: &str| {
        format!(
            "name = \"mine\"\n{splats}\n[camera]\nprojection = \"perspective\"\nfov_y_degrees = 40.0\ndistance = 9.0\n[ring]\nviews = 1\nelevation_degrees = 0.0\n"
        )
    };
    let filter = "splats = { kernel = 0.1, antialiased = true }";
    let folder = folder_of(&[
        ("a.ply", sphere(1.0)),
        ("usual.toml", rig("")),
        ("mip.toml", rig(filter)),
        ("wrong.toml", rig("splats = { kernel = -1.0 }")),
    ]);
    let drawn = ["usual", "mip"].map(|name| {
        let file = format!("{name}.toml");
        let args = ["render", "a.ply", "--out", name, "--rig", &file, "--size", "64"];
        meshjudge(folder.path(), &args).ok();
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        let frames: serde_json::Value =
            serde_json::from_slice(&read(&format!("{name}/a/frames.json"))).unwrap();
        (read(&format!("{name}/a/rgb_0.png")), frames["protocol"]["rig"]["splats"].clone())
    });
    assert!(drawn[0].0 != drawn[1].0);
    assert!(drawn[0].1.is_null() && drawn[1].1["antialiased"] == true, "{drawn:?}");
    let args = ["render", "a.ply", "--out", "no", "--rig", "wrong.toml"];
    let run = meshjudge(folder.path(), &args);
    assert!(run.stderr.contains("splats.kernel is -1"), "{}", run.stderr);
}

#[test]
fn inspect_says_what_splats_are() {
    let folder = folder_of(&[("a.ply", sphere(1.0))]);
    let shown = meshjudge(folder.path(), &["inspect", "a.ply"]).ok().stdout;
    for words in
        ["1501 splats, 3DGS PLY, harmonics of degree 0", "around 99 %", "1 (0.1 %) floaters"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let rows = meshjudge(folder.path(), &["inspect", "a.ply", "--json"]).ok().rows();
    let facts = &rows[0]["splats"];
    assert_eq!(
        (&facts["splats"], &facts["degree"], &facts["floaters"]),
        (&1501.into(), &0.into(), &1.into())
    );
    let edge = |key: &str| facts[key][0].as_f64().unwrap();
    assert!(edge("size") < 2.2 && edge("size_of_all") > 800.0, "{facts}");
    assert!(rows[0].get("facts").is_none(), "no measure of surfaces");
}

#[test]
fn the_probe_is_undecided_about_splats_and_says_why() {
    let folder = folder_of(&[("a.ply", sphere(1.0)), ("b.obj", tetrahedron(1.0))]);
    let args = ["compare", "a.ply", "b.obj", "--prompt", "a ball", "--size", "64", "--json"];
    let rows = meshjudge(folder.path(), &args).ok().rows();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        let reply = row["raw"].as_str().unwrap_or_default();
        assert!(reply.contains("cannot see Gaussian splats"), "{row}");
    }
    let shown = meshjudge(folder.path(), &args[..args.len() - 1]).ok().stdout;
    assert!(shown.contains("undecided"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_of_pictures_sees_splats_and_surfaces_side_by_side() {
    let server = ChatServer::start(|_| reply("1 1 1 1 1 1", "stop")).await;
    let folder = folder_of(&[("a.ply", sphere(1.0)), ("b.obj", tetrahedron(1.0))]);
    let url = server.base_url();
    let args = ["compare", "a.ply", "b.obj", "--prompt", "a ball", "--size", "64"];
    let judge = ["--judge", "openai:m", "--base-url", &url];
    let mut program = command(folder.path(), [&args[..], &judge].concat());
    Run::of(program.env("OPENAI_API_KEY", "k")).ok();
    assert_eq!(server.seen.lock().unwrap().clone(), vec![("image/png".to_owned(), 256, 256); 2]);
}

#[test]
fn convert_keeps_the_picture_and_names_what_is_lost() {
    let folder = folder_of(&[("a.ply", sphere(3.0)), ("b.obj", tetrahedron(1.0))]);
    let drawn = |file: &str| {
        let args = ["render", file, "--out", "out", "--views", "1", "--size", "64"];
        meshjudge(folder.path(), &args).ok();
        let name = file.replace('.', "_");
        let moved = folder.path().join(name);
        std::fs::rename(folder.path().join("out"), &moved).unwrap();
        picture(&moved.join(Path::new(file).file_stem().unwrap()).join("rgb_0.png"))
    };
    let before = drawn("a.ply");
    for (file, loss, step_max) in [
        ("c.spz", "lost: numbers are rounded: positions to", 6),
        ("d.glb", "lost: splats are ordered by distance to the eye", 1),
        ("e.ply", "", 0),
    ] {
        let run = meshjudge(folder.path(), &["convert", "a.ply", file]).ok();
        assert!(run.stdout.contains("1501 splats as"), "{}", run.stdout);
        assert!(run.stderr.contains(loss), "{}", run.stderr);
        assert_eq!(run.stderr.contains("lost"), !loss.is_empty(), "{}", run.stderr);
        let after = drawn(file);
        let steps = before.pixels.iter().zip(&after.pixels).map(|(a, b)| a.abs_diff(*b));
        let mean = steps.map(f64::from).sum::<f64>() / before.pixels.len() as f64;
        assert!(mean <= f64::from(step_max), "{file}: {mean}");
    }
    let rows = meshjudge(folder.path(), &["convert", "a.ply", "c.spz", "--json"]).ok().rows();
    assert_eq!(rows[0]["losses"][0]["loss"], "rounded");
    for (args, reason) in [
        (["convert", "b.obj", "x.ply"], "this asset has surfaces"),
        (["convert", "a.ply", "x.splat"], "must end in .ply, .spz or .glb"),
    ] {
        let run = meshjudge(folder.path(), &args);
        assert!(run.code != Some(0) && run.stderr.contains(reason), "{}", run.stderr);
        assert!(!folder.path().join(args[2]).exists());
    }
    let bytes = std::fs::read(folder.path().join("a.ply")).unwrap();
    for args in [&["convert", "a.ply", "./a.ply"][..], &["sample", "a.ply", "--out", "a.ply"]] {
        let run = meshjudge(folder.path(), args);
        assert!(run.code != Some(0) && run.stderr.contains("would be lost"), "{}", run.stderr);
        assert_eq!(std::fs::read(folder.path().join("a.ply")).unwrap(), bytes);
    }
}

#[test]
fn an_audit_of_splats_has_their_damage_and_says_that_the_probe_cannot_judge_it() {
    let folder = folder_of(&[]);
    for (name, text) in [
        ("bases/ball.ply", sphere(1.0)),
        ("both/ball.ply", sphere(1.0)),
        ("both/b.obj", tetrahedron(1.0)),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let args = ["audit", "--bases", "bases", "--levels", "1", "--size", "64", "--run", "run"];
    let run = meshjudge(folder.path(), &args).ok();
    assert!(run.stderr.contains("1 object × 7 kinds × 1 level"), "{}", run.stderr);
    assert!(!run.stderr.contains("left out"), "{}", run.stderr);
    for words in
        ["splat-needles", "splat-color-shift", "it answers that it cannot judge these objects"]
    {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let kinds = ["--kinds", "splat-dust,holes", "--levels", "1", "--size", "64", "--run", "two"];
    let run = meshjudge(folder.path(), &[&["audit", "--bases", "both"], &kinds[..]].concat()).ok();
    assert!(run.stderr.contains("b.obj: 1 kind of damage for other assets"), "{}", run.stderr);
    let run = meshjudge(folder.path(), &[&["audit", "--bases", "bases"], &kinds[..]].concat());
    assert!(run.stderr.contains("\"holes\" is not a kind of damage for"), "{}", run.stderr);
}

/// Of a SOG folder the file that describes it is read.
#[test]
fn a_folder_of_splats_is_read_by_its_description() {
    let folder = folder_of(&[("meta.json", "{}".to_owned())]);
    let run = meshjudge(folder.path(), &["inspect", "."]);
    assert!(
        run.stderr.contains("meta.json") && !run.stderr.contains("regular file"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_needs_surfaces_refuses_splats_by_name() {
    let folder = folder_of(&[("a.ply", sphere(1.0)), ("b.obj", tetrahedron(1.0))]);
    for args in [
        &["measure", "a.ply", "--reference", "b.obj"][..],
        &["measure", "b.obj", "--reference", "a.ply"],
    ] {
        let run = meshjudge(folder.path(), args);
        assert_ne!(run.code, Some(0), "{args:?}");
        assert!(run.stderr.contains("a file of Gaussian splats has no surface"), "{}", run.stderr);
    }
    let run = meshjudge(folder.path(), &["damage", "a.ply", "--kind", "holes", "--out", "c.glb"]);
    assert!(run.stderr.contains("this damage needs surfaces"), "{}", run.stderr);
    let args = ["render", "a.ply", "--out", "out", "--channels", "rgb,uv"];
    let run = meshjudge(folder.path(), &args);
    assert!(run.stderr.contains("Gaussian splats have no uv"), "{}", run.stderr);
}

#[test]
fn a_sheet_has_splats_next_to_surfaces() {
    let folder = folder_of(&[("a.ply", sphere(1.0)), ("b.obj", tetrahedron(1.0))]);
    let args = ["sheet", "pair", "a.ply", "b.obj", "--out", "pair.png", "--size", "64"];
    meshjudge(folder.path(), &args).ok();
    let sheet = picture(&folder.path().join("pair.png"));
    let is_blue = |x: u32, y: u32| {
        let pixel = sheet.pixel(x, y);
        pixel[2] > 150 && pixel[0] < 100
    };
    let (width, height) = (sheet.width_px, sheet.height_px);
    let blue = (0..width / 2).flat_map(|x| (0..height / 2).map(move |y| (x, y)));
    assert!(blue.filter(|&(x, y)| is_blue(x, y)).count() > 100, "left, above: the splats");
}
