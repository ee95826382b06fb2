//! `--environment`: a panorama lights, the record says which, and what is none is refused.

use crate::support::assets::tetrahedra;
use crate::support::scenes::hdr;
use glam::Vec3;

#[test]
fn a_panorama_lights_and_is_part_of_the_protocol() {
    let folder = tetrahedra(&[("a.obj", 1.0)]);
    for (name, color) in [("red", Vec3::X), ("blue", Vec3::Z)] {
        folder.write(format!("{name}.hdr"), hdr(32, |_, _| color));
    }
    let drawn = |flags: &str| {
        let args = "render a.obj --out o --views 1 --size 32 --channels rgb,matte";
        folder.ok(&format!("{args} {flags}"));
        let record = folder.json("o/a/frames.json");
        let picture = |name: &str| image::open(folder.join("o/a").join(name)).unwrap().to_rgb8();
        (record, picture("rgb_0.png"), picture("matte_0.png"))
    };
    let [studio, red, blue] = ["", "--environment red.hdr", "--environment blue.hdr"].map(drawn);
    assert!(studio.0["protocol"]["environment"].is_null());
    assert_eq!(red.0["protocol"]["environment"].as_str().unwrap().len(), 64);
    assert_ne!(red.0["protocol_hash"], blue.0["protocol_hash"]);
    let is_tinted = |picture: &image::RgbImage, k: usize| {
        picture.pixels().any(|p| p[k] > 60 && p[2 - k] < 60 && p[1] < 60)
    };
    assert!(is_tinted(&red.1, 0) && is_tinted(&blue.1, 2));
    assert!(red.1 != studio.1 && red.1 != blue.1);
    assert!(red.2 == studio.2, "clay keeps the studio");

    // A user's rig can name it, next to its own file.
    let rig = "name = 'lit'\n[camera]\nprojection = 'orthographic'\nfit = 1.0\n[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0\n[protocol]\nenvironment = 'red.hdr'\n";
    folder.write("rigs/lit.toml", rig);
    folder.copy(folder.join("red.hdr"), "rigs/red.hdr");
    folder.ok("render a.obj --out p --rig rigs/lit.toml --size 32");
    let record = folder.json("p/a/frames.json");
    assert_eq!(record["protocol"]["environment"], red.0["protocol"]["environment"]);

    folder.write("text.hdr", "no panorama");
    for (flags, why) in [
        ("--environment text.hdr", "neither"),
        ("--environment none.hdr", "none.hdr"),
        ("--environment red.hdr --light unlit", "unlit"),
    ] {
        folder.run(&format!("render a.obj --out q {flags}")).fails(why);
    }
}
