//! `render` of many assets: what it says of them, and in which order.

use crate::support::assets::{Folder, tetrahedra, tetrahedron};
use crate::support::program::Text as _;
use image::AnimationDecoder as _;
use image::codecs::gif::GifDecoder;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::time::Duration;

/// A square of so many squares along each side.
fn grid(squares: usize) -> String {
    let mut text = String::new();
    for (x, y) in (0..=squares).flat_map(|y| (0..=squares).map(move |x| (x, y))) {
        writeln!(text, "v {x} {y} {}", (x * y) % 7).unwrap();
    }
    for (x, y) in (0..squares).flat_map(|y| (0..squares).map(move |x| (x, y))) {
        let corner = y * (squares + 1) + x + 1;
        let above = corner + squares + 1;
        writeln!(text, "f {corner} {} {} {above}", corner + 1, above + 1).unwrap();
    }
    text
}

#[test]
fn assets_drawn_side_by_side_are_told_in_their_order() {
    let folder = tetrahedra(&[("b.obj", 1.0), ("d.obj", 2.0), ("e.obj", 3.0)]);
    // The first takes far longer than all others, and the third cannot be read.
    folder.write("slow.obj", grid(300));
    folder.write("c.obj", "no asset");
    let assets = "slow.obj b.obj c.obj d.obj e.obj";
    let args = format!("render {assets} --out out --views 6 --size 96 --json");
    let rows = folder.run(&args).ends(1).rows();
    let said: Vec<_> = rows.iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(said.join(" "), assets);
    let failed: Vec<_> = rows.iter().map(|row| row["error"].is_string()).collect();
    assert_eq!(failed, [false, false, true, false, false]);
}

#[test]
fn warnings_of_one_kind_are_one_line() {
    const MATERIALS: usize = 70;
    let folder = Folder::new();
    let (mut object, mut library) = (String::from("mtllib a.mtl\n"), String::new());
    object += &tetrahedron(1.0).replace('f', "# f");
    object += "vt 0 0\n";
    for k in 0..MATERIALS {
        writeln!(object, "usemtl m{k}\nf 1/1 3/1 2/1").unwrap();
        writeln!(library, "newmtl m{k}\nmap_Kd missing{k}.png").unwrap();
    }
    folder.write("a.obj", object);
    folder.write("a.mtl", library);
    let args = "render a.obj --out out --views 1 --size 32";
    let run = folder.ok(args);
    let of_textures: Vec<_> = run.stderr.lines().filter(|line| line.contains("missing")).collect();
    assert_eq!(of_textures.len(), 1, "{}", run.stderr);
    of_textures[0].must_have(["missing0.png", "(and 63 more like it)"]);
    run.says("6 more warnings are not listed: at most 64 are");

    // Programs get each of them.
    let rows = folder.ok(&format!("{args} --json")).rows();
    let warnings = rows[0]["warnings"].as_array().unwrap();
    let textures = warnings.iter().filter(|warning| warning["kind"] == "texture");
    assert_eq!(textures.count(), 64);
    let last = warnings.last().unwrap();
    assert!(last["kind"] == "unlisted" && last["count"] == MATERIALS as u64 - 64, "{last}");
}

#[test]
fn a_turntable_shows_the_views_in_turn_and_does_not_outlive_them() {
    let place = tetrahedra(&[("a.obj", 1.0)]);
    let draw = |flags: &str| place.run(&format!("render a.obj --out p --size 32 {flags}"));
    draw("--turntable").ok();
    let path = place.join("p/a/turntable.gif");
    let gif = GifDecoder::new(BufReader::new(File::open(&path).unwrap())).unwrap();
    let frames = gif.into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 36);
    let seconds: f64 = frames.iter().map(|f| Duration::from(f.delay()).as_secs_f64()).sum();
    assert!((3.5..4.5).contains(&seconds), "{seconds}");
    let view = image::open(place.join("p/a/rgb_7.png")).unwrap().into_rgba8();
    let off = view.pixels().zip(frames[7].buffer().pixels());
    let off = off.map(|(a, b)| (0..3).map(|k| a[k].abs_diff(b[k])).max().unwrap());
    assert!(off.max().unwrap() <= 16);

    draw("--views 2").ok();
    assert!(!path.exists());
    // A picture with alpha stays PNG.
    draw("--turntable --views 2 --format jpeg --background transparent").ok();
    assert!(path.exists());
    draw("--turntable --views 2 --channels normal").ok();
    assert!(path.exists());
    draw("--turntable --channels depth").ends(2);
}
