//! Sheets stand upright: the axes of a rig's protocol, and those of each side of a pair.

use crate::support::assets::write_wedge;
use crate::support::program::meshjudge;

#[test]
fn a_sheet_reads_files_with_the_axes_of_its_rig() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    let drawn = |name: &str, flags: &[&str]| {
        let args = ["sheet", "grid", "a.obj", "--out", name, "--rig", "t3bench", "--size", "48"];
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
        let args = ["sheet", "pair", "a.obj", "b.obj", "--out", "pair.png", "--size", "48"];
        meshjudge(place.path(), &[&args, flags].concat()).ok();
        let sheet = image::open(place.path().join("pair.png")).unwrap().to_rgb8();
        let (width, height) = sheet.dimensions();
        [0, width / 2]
            .map(|x| image::imageops::crop_imm(&sheet, x, 0, width / 2, height).to_image())
    };
    let [left, right] = halves(&["--up-b", "+z", "--front-b", "-y"]);
    assert!(left == right, "the two are the same object");
    let [left, right] = halves(&[]);
    assert!(left != right, "one seems rotated by 90°");
}

#[test]
fn a_sheet_is_a_png_and_makes_its_folder() {
    let place = tempfile::tempdir().unwrap();
    write_wedge(&place.path().join("a.obj"), true);
    let drawn = |out: &str| {
        meshjudge(place.path(), &["sheet", "grid", "a.obj", "--out", out, "--size", "32"])
    };
    drawn("new/folder/a.png").ok();
    let refused = drawn("a.jpg");
    assert!(refused.stderr.contains("a sheet is a PNG file, not .jpg"), "{}", refused.stderr);
    let damage = ["damage", "a.obj", "--kind", "holes", "--out", "other/new/a.glb"];
    meshjudge(place.path(), &damage).ok();
    assert!(place.path().join("other/new/a.glb").is_file());
}
