//! `check`, by the real program: exit codes, the table, the rows.

use crate::support::assets::{demo, tetrahedron};
use crate::support::program::meshjudge;
use serde_json::Value;

const PROFILE: &str = "name = 'shop'\nunit = 'mm'\n\
    [[limits]]\nfigure = 'height'\nat_most = '2 mm'\nwhy = 'it does not fit in the box'\n\
    [[limits]]\nfigure = 'gutter'\nat_least = '2 px'\nskip_missing = true\nwhy = 'bleeding'\n";

#[test]
fn the_exit_code_says_whether_all_are_ready() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("shop.toml"), PROFILE).unwrap();
    for (name, height) in [("low.obj", 1.0), ("high.obj", 3.0)] {
        std::fs::write(place.path().join(name), tetrahedron(height)).unwrap();
    }
    std::fs::write(place.path().join("broken.glb"), "glTF").unwrap();
    let check = |assets: &[&str], flags: &[&str]| {
        let args = [&["check"], assets, &["--profile", "shop.toml"], flags].concat();
        meshjudge(place.path(), &args)
    };
    let one = check(&["low.obj"], &[]);
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    assert!(one.stdout.contains("low.obj: ready for shop, 1 limit kept"), "{}", one.stdout);
    assert!(one.stdout.contains("unknown  gutter  not measured, since"), "{}", one.stdout);

    let all = check(&["low.obj", "high.obj", "broken.glb"], &[]);
    assert_eq!(all.code, Some(1));
    let failed = "failed   height  3 mm, but must be at most 2 mm: it does not fit in the box";
    assert!(all.stdout.contains(failed), "{}", all.stdout);
    assert!(all.stdout.contains("ready for shop: 1 of 3"), "{}", all.stdout);
    assert!(all.stderr.contains("broken.glb"), "{}", all.stderr);

    let rows = check(&["low.obj", "high.obj"], &["--json", "--unit", "m"]).rows();
    let ready: Vec<&Value> = rows.iter().map(|row| &row["ready"]).collect();
    assert_eq!(ready, [&Value::Bool(false); 2], "metres, not millimetres");
    assert_eq!(rows[0]["limits"][0]["value"], 1000.0);
    assert_eq!(rows[0]["limits"][1]["state"], "not-measured");
}

#[test]
fn every_built_in_profile_checks_a_chair_and_wrong_ones_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let chair = demo("chair_damaged.glb");
    let chair = chair.to_str().unwrap();
    for profile in ["game", "web", "print", "vrchat", "3d-commerce"] {
        let run = meshjudge(place.path(), &["check", chair, "--profile", profile, "--json"]);
        assert!(matches!(run.code, Some(0 | 1)), "{profile}: {}", run.stderr);
        let row = &run.rows()[0];
        assert_eq!(row["profile"], profile);
        let blocking = row["limits"].as_array().unwrap().iter().any(|l| l["is_blocking"] == true);
        assert_eq!(row["ready"], !blocking, "{row}");
    }
    let wrong = meshjudge(place.path(), &["check", chair, "--profile", "games"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("use one of game, web, print"), "{}", wrong.stderr);
}
