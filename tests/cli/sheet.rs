//! Sheets stand upright: the axes of a rig's protocol, and those of each side of a pair.

use crate::support::program::meshjudge;
use std::path::Path;

/// A wedge, tall along `y` and pointed towards `z`; `turned` writes it with z up and −y to the front.
pub(super) fn write_wedge(path: &Path, turned: bool) {
    let corners = [
        (0.0, 2.0, 0.0),
        (0.5, 0.0, 0.0),
        (-0.5, 0.0, 0.0),
        (0.1, 0.3, 0.8),
    ];
    let mut text = String::new();
    for (x, y, z) in corners {
        let (x, y, z) = if turned { (x, -z, y) } else { (x, y, z) };
        text += &format!("v {x} {y} {z}\n");
    }
    text += "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_sheet_reads_files_with_the_axes_of_its_rig() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    let drawn = |name: &str, flags: &[&str]| {
        let args = [
            "sheet", "grid", "a.obj", "--out", name, "--rig", "t3bench", "--size", "48",
        ];
        meshjudge(place.path(), &[&args, flags].concat()).ok();
        std::fs::read(place.path().join(name)).unwrap()
    };
    let own = drawn("own.png", &[]);
    assert_eq!(own, drawn("named.png", &["--up", "+z", "--front", "-y"]));
    assert_ne!(own, drawn("other.png", &["--up", "+y", "--front", "+z"]));
}

#[test]
fn each_side_of_a_pair_has_its_axes() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), false);
    write_wedge(&place.path().join("b.obj"), true);
    let halves = |flags: &[&str]| {
        let args = [
            "sheet", "pair", "a.obj", "b.obj", "--out", "pair.png", "--size", "48",
        ];
        meshjudge(place.path(), &[&args, flags].concat()).ok();
        let sheet = image::open(place.path().join("pair.png"))
            .unwrap()
            .to_rgb8();
        let (width, height) = sheet.dimensions();
        [0, width / 2]
            .map(|x| image::imageops::crop_imm(&sheet, x, 0, width / 2, height).to_image())
    };
    let [left, right] = halves(&["--up-b", "+z", "--front-b", "-y"]);
    assert!(left == right, "the two are the same object");
    let [left, right] = halves(&[]);
    assert!(left != right, "one lies on its side");
}
