//! Sheets stand upright: the axes of a rig's protocol, and those of each side of a pair.

use crate::support::assets::{Folder, write_wedge};

#[test]
fn a_sheet_reads_files_with_the_axes_of_its_rig() {
    let place = Folder::new();
    write_wedge(&place.join("a.obj"), true);
    let drawn = |name: &str, flags: &str| {
        place.ok(&format!("sheet grid a.obj --out {name} --rig t3bench --size 48 {flags}"));
        place.bytes(name)
    };
    let own = drawn("own.png", "");
    assert_eq!(own, drawn("named.png", "--up +z --front -y"));
    assert_ne!(own, drawn("other.png", "--up +y --front +z"));
}

#[test]
fn each_side_of_a_pair_has_its_axes() {
    let place = Folder::new();
    write_wedge(&place.join("a.obj"), false);
    write_wedge(&place.join("b.obj"), true);
    let halves = |flags: &str| {
        place.ok(&format!("sheet pair a.obj b.obj --out pair.png --size 48 {flags}"));
        let sheet = image::open(place.join("pair.png")).unwrap().to_rgb8();
        let (width, height) = sheet.dimensions();
        [0, width / 2]
            .map(|x| image::imageops::crop_imm(&sheet, x, 0, width / 2, height).to_image())
    };
    let [left, right] = halves("--up-b +z --front-b -y");
    assert!(left == right, "the two are the same object");
    let [left, right] = halves("");
    assert!(left != right, "one seems rotated by 90°");
}

#[test]
fn a_sheet_is_a_png_and_makes_its_folder() {
    let place = Folder::new();
    write_wedge(&place.join("a.obj"), true);
    let drawn = |out: &str| place.run(&format!("sheet grid a.obj --out {out} --size 32"));
    drawn("new/folder/a.png").ok();
    drawn("a.jpg").says("a sheet is a PNG file, not .jpg");
    place.ok("damage a.obj --kind holes --out other/new/a.glb");
    assert!(place.join("other/new/a.glb").is_file());
}
