//! `check`, by the real program: exit codes, the table, the rows.

use crate::support::assets::{Folder, demo, tetrahedra};

const PROFILE: &str = "name = 'shop'\nunit = 'mm'\n\
    [[limits]]\nfigure = 'height'\nat_most = '2 mm'\nwhy = 'it does not fit in the box'\n\
    [[limits]]\nfigure = 'gutter'\nat_least = '2 px'\nskip_missing = true\nwhy = 'bleeding'\n";

#[test]
fn the_exit_code_says_whether_all_are_ready() {
    let place = tetrahedra(&[("low.obj", 1.0), ("high.obj", 3.0)]);
    place.write("shop.toml", PROFILE);
    place.write("broken.glb", "glTF");
    let check = |args: &str| place.run(&format!("check --profile shop.toml {args}"));
    check("low.obj")
        .ok()
        .shows(["low.obj: ready for shop, 1 limit kept", "unknown  gutter  not measured, since"]);

    let failed = "failed   height  3 mm, but must be at most 2 mm: it does not fit in the box";
    check("low.obj high.obj broken.glb")
        .ends(1)
        .says("broken.glb")
        .shows([failed, "ready for shop: 1 of 3"]);

    let rows = check("low.obj high.obj --json --unit m").rows();
    assert_eq!([&rows[0]["ready"], &rows[1]["ready"]], [false; 2], "metres, not millimetres");
    assert_eq!(rows[0]["limits"][0]["value"], 1000.0);
    assert_eq!(rows[0]["limits"][1]["state"], "not-measured");
}

#[test]
fn every_built_in_profile_checks_a_chair_and_wrong_ones_are_refused() {
    let place = Folder::new();
    let chair = demo("chair_damaged.glb").display().to_string();
    for profile in ["game", "web", "print", "vrchat", "3d-commerce"] {
        let run = place.run(&format!("check '{chair}' --profile {profile} --json"));
        assert!(matches!(run.code, Some(0 | 1)), "{profile}: {}", run.stderr);
        let row = &run.rows()[0];
        assert_eq!(row["profile"], profile);
        let blocking = row["limits"].as_array().unwrap().iter().any(|l| l["is_blocking"] == true);
        assert_eq!(row["ready"], !blocking, "{row}");
    }
    place.run(&format!("check '{chair}' --profile games")).refuses("use one of game, web, print");
}
