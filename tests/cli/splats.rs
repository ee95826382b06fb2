//! Gaussian splats through the real program: `render`, `inspect`, `sheet`, `compare`, and what
//! refuses them.

use crate::support::assets::{Folder, splat_sphere as sphere, splats_with_a_board, tetrahedron};
use crate::support::judge_server::{ChatServer, reply};
use crate::support::program::Text as _;
use meshjudge::Image;
use serde_json::{Value, json};
use std::path::Path;

fn folder_of(files: &[(&str, String)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

/// The ball `a.ply` and the tetrahedron `b.obj`.
fn ball_and_tetrahedron() -> Folder {
    folder_of(&[("a.ply", sphere(1.0)), ("b.obj", tetrahedron(1.0))])
}

fn picture(folder: &Folder, name: &str) -> Image {
    Image::decode(&folder.bytes(name)).unwrap()
}

#[test]
fn splats_are_drawn_upright_and_as_large_as_most_of_them_are() {
    let folder = folder_of(&[("a.ply", sphere(3.0)), ("b.obj", tetrahedron(1.0))]);
    let flags = "--rig ring --views 2 --size 96";
    let channels = "--channels rgb,normal,depth,mask,opacity,z,expected-z,position";
    let run = folder.ok(&format!("render a.ply b.obj --out out {flags} {channels}"));
    run.shows("2 of 2 views of 1501 splats");
    assert!(!run.stderr.contains("cut off"), "{}", run.stderr);
    let rgb = picture(&folder, "out/a/rgb_0.png");
    let [above, below] = [30, 76].map(|y| rgb.pixel(48, y).to_vec());
    assert!(above[2] > 200 && above[0] < 50, "blue above: {above:?}");
    assert!(below[0] > 200 && below[2] < 50, "red below: {below:?}");
    assert_eq!(rgb.pixel(1, 1), [255; 3], "white behind");
    // The floater at 300 radii would leave a dot.
    let mask = picture(&folder, "out/a/mask_0.png");
    let covered = mask.pixels.iter().step_by(3).filter(|&&byte| byte > 127).count();
    assert!((1800..7500).contains(&covered), "{covered} of 9216 pixels");
    // Two layers of splats: the mean is behind the median, and exists where less than half of the
    // light is lost.
    let [median, mean] = ["z", "expected-z"].map(|name| {
        let bytes = folder.bytes(format!("out/a/{name}_0.png"));
        image::load_from_memory(&bytes).unwrap().into_luma16().into_raw()
    });
    let pairs = || median.iter().zip(&mean);
    let both = pairs().filter(|(median, mean)| **median > 0 && mean > median).count();
    assert!(both * 2 > covered && pairs().all(|(median, mean)| *median == 0 || *mean > 0));
    assert!(pairs().any(|(median, mean)| *median == 0 && *mean > 0));
    // The nearest point of the sphere looks at the camera.
    let normal = picture(&folder, "out/a/normal_0.png");
    assert!(normal.pixels.iter().any(|&byte| byte > 0));
    let frames = folder.json("out/a/frames.json");
    assert!(frames["views"][0]["coverage"].as_f64().unwrap() > 0.2);
}

/// From the front, the board hides all of the ball but a cap; from behind, the ball hides the
/// middle of the board.
#[test]
fn splats_and_surfaces_of_one_file_hide_each_other() {
    let folder = folder_of(&[("a.gltf", splats_with_a_board()), ("b.obj", tetrahedron(1.0))]);
    let channels = "--channels rgb,normal,depth,mask,z,position";
    let view = "--rig ring --views 2 --size 120";
    folder.ok(&format!("render a.gltf --out out {view} {channels}")).shows("2 of 2 views");
    let [front, behind] = [0, 1].map(|k| picture(&folder, &format!("out/a/rgb_{k}.png")));
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
    let mask = picture(&folder, "out/a/mask_0.png");
    let covered = mask.pixels.iter().filter(|&&byte| byte > 200).count() as f64;
    assert!(covered > 0.9 * widths[0].1 * widths[0].1, "{covered}");

    folder.ok("inspect a.gltf").shows(["1500 splats, glTF", "2 triangles among the splats"]);
    for (args, reason) in [
        ("convert a.gltf x.ply", "this asset has surfaces"),
        ("damage a.gltf --kind splat-holes --out x.glb", "splats without surfaces"),
        ("measure a.gltf --reference b.obj", "has no surface"),
    ] {
        folder.run(args).fails(reason);
    }
}

/// A board that nobody sees hides nothing: hidden by its node, or transparent.
#[test]
fn surfaces_that_are_not_seen_hide_no_splats() {
    let with_board = |change: fn(&mut Value)| {
        let mut scene: Value = serde_json::from_str(&splats_with_a_board()).unwrap();
        change(&mut scene);
        scene.to_string()
    };
    let hidden = with_board(|scene| {
        let board = scene["meshes"][0]["primitives"].as_array_mut().unwrap().pop().unwrap();
        let add = |list: &mut Value, item| list.as_array_mut().unwrap().push(item);
        add(&mut scene["meshes"], json!({"primitives": [board]}));
        scene["scenes"][0]["nodes"] = json!([0, 1]);
        let visibility = json!({"KHR_node_visibility": {"visible": false}});
        add(&mut scene["nodes"], json!({"mesh": 1, "extensions": visibility}));
    });
    let clear = with_board(|scene| {
        scene["materials"][0]["alphaMode"] = "BLEND".into();
        scene["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"][3] = 0.into();
    });
    let folder = folder_of(&[("a.gltf", hidden), ("b.gltf", clear)]);
    folder.ok("render a.gltf b.gltf --out out --views 1 --size 120");
    let [alone, behind] = ["a", "b"].map(|name| picture(&folder, &format!("out/{name}/rgb_0.png")));
    let colored = |image: &Image| image.pixels.chunks(3).filter(|p| p[1] < 200).count() as f64;
    // Without the board, the ball is nearer: its diameter is 2, the board's diagonal 4.2.
    let ratio = colored(&alone) / colored(&behind);
    assert!(colored(&behind) > 900.0 && ratio > 2.0, "{} {ratio}", colored(&behind));
}

#[test]
fn a_light_without_effect_is_mentioned_once() {
    let folder =
        folder_of(&[("a.ply", sphere(1.0)), ("b.ply", sphere(2.0)), ("c.obj", tetrahedron(1.0))]);
    let size = "--size 64 --light unlit";
    for (args, count) in [
        ("render a.ply b.ply --out out --views 1", 1),
        ("render a.ply c.obj --out out --views 1", 0),
        ("sheet grid a.ply --out a.png", 1),
        ("sheet pair a.ply b.ply --out a.png", 1),
        ("sheet pair a.ply c.obj --out a.png", 0),
        ("compare a.ply b.ply --prompt 'a ball'", 1),
    ] {
        let run = folder.ok(&format!("{args} {size}"));
        let found = run.stderr.matches("have no effect on Gaussian splats").count();
        assert_eq!(found, count, "{args:?}: {}", run.stderr);
    }
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
        folder.ok(&format!("render a.ply --out {name} --rig {name}.toml --size 64"));
        let frames = folder.json(format!("{name}/a/frames.json"));
        let pixels = folder.bytes(format!("{name}/a/rgb_0.png"));
        (pixels, frames["protocol"]["rig"]["splats"].clone())
    });
    assert!(drawn[0].0 != drawn[1].0);
    assert!(drawn[0].1.is_null() && drawn[1].1["antialiased"] == true, "{drawn:?}");
    folder.run("render a.ply --out no --rig wrong.toml").says("splats.kernel is -1");
}

#[test]
fn inspect_says_what_splats_are() {
    let folder = folder_of(&[("a.ply", sphere(1.0))]);
    folder.ok("inspect a.ply").shows([
        "1501 splats, 3DGS PLY, harmonics of degree 0",
        "around 99 %",
        "1 (0.1 %) floaters",
    ]);
    let rows = folder.ok("inspect a.ply --json").rows();
    let facts = &rows[0]["splats"];
    assert_eq!(["splats", "degree", "floaters"].map(|key| &facts[key]), [1501, 0, 1]);
    let edge = |key: &str| facts[key][0].as_f64().unwrap();
    assert!(edge("size") < 2.2 && edge("size_of_all") > 800.0, "{facts}");
    assert!(rows[0].get("facts").is_none(), "no measure of surfaces");
}

#[test]
fn the_probe_is_undecided_about_splats_and_says_why() {
    let folder = ball_and_tetrahedron();
    let args = "compare a.ply b.obj --prompt 'a ball' --size 64";
    let rows = folder.ok(&format!("{args} --json")).rows();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        row["raw"].as_str().unwrap_or_default().must_have("cannot see Gaussian splats");
    }
    folder.ok(args).shows("undecided");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_of_pictures_sees_splats_and_surfaces_side_by_side() {
    let server = ChatServer::start(|_| reply("1 1 1 1 1 1", "stop")).await;
    let folder = ball_and_tetrahedron();
    folder.ok(&format!("compare a.ply b.obj --prompt 'a ball' --size 64 {}", server.flags()));
    assert_eq!(*server.seen.lock().unwrap(), vec![("image/png".to_owned(), 256, 256); 2]);
}

#[test]
fn convert_keeps_the_picture_and_names_what_is_lost() {
    let folder = folder_of(&[("a.ply", sphere(3.0)), ("b.obj", tetrahedron(1.0))]);
    let drawn = |file: &str| {
        let stem = Path::new(file).file_stem().unwrap().display();
        folder.ok(&format!("render {file} --out {stem} --views 1 --size 64"));
        picture(&folder, &format!("{stem}/{stem}/rgb_0.png"))
    };
    let before = drawn("a.ply");
    for (file, loss, step_max) in [
        ("c.spz", "lost: numbers are rounded: positions to", 6),
        ("d.glb", "lost: splats are ordered by distance to the eye", 1),
        ("e.ply", "", 0),
    ] {
        let run = folder.ok(&format!("convert a.ply {file}"));
        run.shows("1501 splats as").says(loss);
        assert_eq!(run.stderr.contains("lost"), !loss.is_empty(), "{}", run.stderr);
        let after = drawn(file);
        let steps = before.pixels.iter().zip(&after.pixels).map(|(a, b)| a.abs_diff(*b));
        let mean = steps.map(f64::from).sum::<f64>() / before.pixels.len() as f64;
        assert!(mean <= f64::from(step_max), "{file}: {mean}");
    }
    let rows = folder.ok("convert a.ply c.spz --json").rows();
    assert_eq!(rows[0]["losses"][0]["loss"], "rounded");
    for (from, to, reason) in [
        ("b.obj", "x.ply", "this asset has surfaces"),
        ("a.ply", "x.splat", "must end in .ply, .spz or .glb"),
    ] {
        folder.run(&format!("convert {from} {to}")).fails(reason);
        assert!(!folder.join(to).exists());
    }
    let bytes = folder.bytes("a.ply");
    for args in ["convert a.ply ./a.ply", "sample a.ply --out a.ply"] {
        folder.run(args).fails("would be lost");
        assert_eq!(folder.bytes("a.ply"), bytes);
    }
}

#[test]
fn an_audit_of_splats_has_their_damage_and_says_that_the_probe_cannot_judge_it() {
    let folder = folder_of(&[
        ("bases/ball.ply", sphere(1.0)),
        ("both/ball.ply", sphere(1.0)),
        ("both/b.obj", tetrahedron(1.0)),
    ]);
    let run = folder.ok("audit --bases bases --levels 1 --size 64 --run run");
    run.says("1 object × 7 kinds × 1 level");
    assert!(!run.stderr.contains("left out"), "{}", run.stderr);
    run.shows([
        "splat-needles",
        "splat-color-shift",
        "it answers that it cannot judge these objects",
    ]);
    let kinds = "--kinds splat-dust,holes --levels 1 --size 64 --run two";
    folder
        .ok(&format!("audit --bases both {kinds}"))
        .says("b.obj: 1 kind of damage for other assets");
    folder
        .run(&format!("audit --bases bases {kinds}"))
        .says("\"holes\" is not a kind of damage for");
}

/// Of a SOG folder the file that describes it is read.
#[test]
fn a_folder_of_splats_is_read_by_its_description() {
    let folder = folder_of(&[("meta.json", "{}".to_owned())]);
    let said = folder.run("inspect .").stderr;
    assert!(said.contains("meta.json") && !said.contains("regular file"), "{said}");
}

#[test]
fn what_needs_surfaces_refuses_splats_by_name() {
    let folder = ball_and_tetrahedron();
    for args in ["measure a.ply --reference b.obj", "measure b.obj --reference a.ply"] {
        folder.run(args).fails("a file of Gaussian splats has no surface");
    }
    folder.run("damage a.ply --kind holes --out c.glb").says("this damage needs surfaces");
    folder.run("render a.ply --out out --channels rgb,uv").says("Gaussian splats have no uv");
}

#[test]
fn a_sheet_has_splats_next_to_surfaces() {
    let folder = ball_and_tetrahedron();
    folder.ok("sheet pair a.ply b.obj --out pair.png --size 64");
    let sheet = picture(&folder, "pair.png");
    let is_blue = |x: u32, y: u32| {
        let pixel = sheet.pixel(x, y);
        pixel[2] > 150 && pixel[0] < 100
    };
    let (width, height) = (sheet.width_px, sheet.height_px);
    let blue = (0..width / 2).flat_map(|x| (0..height / 2).map(move |y| (x, y)));
    assert!(blue.filter(|&(x, y)| is_blue(x, y)).count() > 100, "left, above: the splats");
}
