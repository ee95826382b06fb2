//! `measure`, by the real program: assets and pictures against references.

use crate::support::assets::{demo, tetrahedron};
use crate::support::program::{meshjudge, ok};
use serde_json::Value;
use std::path::Path;

fn write(place: &Path, name: &str, height: f32) {
    let path = place.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, tetrahedron(height)).unwrap();
}

fn value(row: &Value, metric: &str) -> Value {
    let values = row["comparison"]["values"].as_array().unwrap();
    let found = values.iter().find(|v| v["metric"] == metric);
    found.unwrap_or_else(|| panic!("{metric}: {row}"))["value"].clone()
}

#[test]
fn an_asset_against_itself_is_exactly_perfect_and_each_number_names_its_definition() {
    let place = tempfile::tempdir().unwrap();
    let chair = demo("chair_clean.glb");
    let chair = chair.to_str().unwrap();
    let args = ["measure", chair, "--reference", chair, "--samples", "2000", "--cells", "16"];
    let run = meshjudge(place.path(), &[&args[..], &["--json"]].concat()).ok();
    let rows = run.rows();
    let (definitions, measured): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row.get("definition").is_some());
    assert_eq!((definitions.len(), measured.len()), (14, 1));
    for (metric, perfect) in [("cd_l1_half", 0.0), ("f@0.01", 1.0), ("nc", 1.0), ("iou", 1.0)] {
        assert_eq!(value(measured[0], metric), perfect, "{metric}");
    }
    for found in measured[0]["comparison"]["values"].as_array().unwrap() {
        let of = definitions.iter().find(|d| d["hash"] == found["definition"]);
        assert_eq!(of.unwrap()["definition"]["metric"], found["metric"]);
    }
    assert_eq!(measured[0]["hash"], measured[0]["reference"]["hash"]);
    let text = ok(place.path(), &args);
    assert!(text.contains("unit of length: the reference's longest side"), "{text}");
    assert!(text.contains("cd_l1_half           0.000000"), "{text}");
}

#[test]
fn errors_are_drawn_and_the_scale_is_said() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "a.obj", 1.0);
    write(place.path(), "b.obj", 1.1);
    let args = ["measure", "b.obj", "--reference", "a.obj", "--error-maps", "maps"];
    let small = ["--samples", "100", "--cells", "8", "--json"];
    let run = meshjudge(place.path(), &[&args[..], &small].concat()).ok();
    let rows = run.rows();
    let row = rows.last().unwrap();
    let scale = row["error_map"]["scale"].as_f64().unwrap();
    assert!((0.02..0.2).contains(&scale), "{row}");
    let png = std::fs::read(place.path().join("maps/b.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
}

#[test]
fn folders_are_paired_by_name_and_what_is_missing_is_told() {
    let place = tempfile::tempdir().unwrap();
    for (name, height) in [("ours/a.obj", 1.0), ("ours/b.obj", 2.0), ("ours/c.obj", 1.0)] {
        write(place.path(), name, height);
    }
    write(place.path(), "true/a.obj", 1.0);
    write(place.path(), "true/b.obj", 2.5);
    let args = [
        "measure",
        "ours",
        "--reference",
        "true",
        "--metrics",
        "cd_l1_half,iou",
        "--align",
        "box",
        "--samples",
        "500",
        "--cells",
        "12",
    ];
    let run = meshjudge(place.path(), &args);
    assert_eq!(run.code, Some(1), "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("has no file with this name"), "{}", run.stderr);
    assert!(run.stderr.contains("c.obj"), "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 4, "{}", run.stdout);
    assert!(lines[0].contains("cd_l1_half") && lines[0].contains("iou"));
    assert!(lines[3].starts_with("mean"));
    let json = meshjudge(place.path(), &[&args[..], &["--json"]].concat());
    let rows = json.rows();
    let last = rows.last().unwrap();
    assert_eq!(last["failed"], 1);
    assert_eq!(last["means"][0]["of"], 2);
    // One reference for all.
    let one = ["measure", "ours", "--reference", "true/a.obj", "--metrics", "cd_l1_half", "--json"];
    assert_eq!(meshjudge(place.path(), &one).ok().rows().len(), 5);
}

#[test]
fn a_result_of_another_size_and_wrong_names_are_pointed_out() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "a.obj", 1.0);
    write(place.path(), "b.obj", 3.0);
    let run = meshjudge(place.path(), &["measure", "b.obj", "--reference", "a.obj"]).ok();
    assert!(run.stderr.contains("3.000 times as long"), "{}", run.stderr);
    for (args, said) in [
        (&["--metrics", "chamfer"][..], "unknown metric"),
        (&["--metrics", "f"], "needs a threshold"),
        (&["--samples", "0"], "number of samples must be from 1"),
        (&["--cells", "100000"], "number of cells"),
        (&["--align", "icp"], "invalid value"),
    ] {
        let all = [&["measure", "a.obj", "--reference", "a.obj"], args].concat();
        let run = meshjudge(place.path(), &all);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.stderr.contains(said), "{args:?}: {}", run.stderr);
    }
    // Without a reference, the facts of the asset, and no setting of a comparison is ignored.
    let alone = meshjudge(place.path(), &["measure", "a.obj", "--metrics", "f@0.01"]);
    assert!(alone.stderr.contains("--reference <PATH>"), "{}", alone.stderr);
    assert!(ok(place.path(), &["measure", "a.obj"]).contains("watertight"));
}

#[test]
fn rendered_views_are_measured_against_rendered_views() {
    let place = tempfile::tempdir().unwrap();
    for name in ["chair_clean", "chair_damaged"] {
        let asset = demo(&format!("{name}.glb"));
        let render = [
            "render",
            asset.to_str().unwrap(),
            "--out",
            ".",
            "--views",
            "2",
            "--size",
            "48",
            "--channels",
            "rgb,mask",
            "--renderer",
            "cpu",
        ];
        ok(place.path(), &render);
    }
    let args = ["measure", "chair_damaged", "--reference", "chair_clean", "--json"];
    let rows = meshjudge(place.path(), &args).ok().rows();
    let views: Vec<&Value> = rows.iter().filter(|row| row.get("values").is_some()).collect();
    assert_eq!(views.len(), 2, "masks are no pictures");
    for view in views {
        let of = |name: &str| {
            let values = view["values"].as_array().unwrap().iter();
            let mut found = values.filter(|v| v["metric"] == name);
            found.next().unwrap()["value"].as_f64().unwrap()
        };
        assert!((5.0..40.0).contains(&of("psnr")), "{view}");
        assert!(of("psnr_union") < of("psnr"), "{view}");
        assert!((0.5..1.0).contains(&of("mask_iou")), "{view}");
        assert!((0.1..1.0).contains(&of("ssim")), "{view}");
    }
    let same = ["measure", "chair_clean", "--reference", "chair_clean", "--metrics", "psnr,ssim"];
    let text = ok(place.path(), &same);
    assert!(text.contains("1.000000"), "{text}");
}

/// A picture without alpha has its background already: a mask next to it changes nothing but the
/// regions. Normals have a mean of their own.
#[test]
fn a_mask_next_to_an_opaque_picture_is_not_composited_and_channels_are_not_mixed() {
    let place = tempfile::tempdir().unwrap();
    let asset = demo("chair_clean.glb");
    for (out, channels) in [("plain", "rgb,normal"), ("masked", "rgb,normal,mask")] {
        let head = ["render", asset.to_str().unwrap(), "--out", out, "--channels", channels];
        let views = ["--views", "2", "--size", "48", "--renderer", "cpu"];
        ok(place.path(), &[&head[..], &views].concat());
    }
    let of = |ground: &str| {
        let args = ["measure", "masked/chair_clean", "--reference", "plain/chair_clean"];
        let more = ["--metrics", "ssim", "--background", ground];
        ok(place.path(), &[&args[..], &more].concat())
    };
    for ground in ["white", "black"] {
        let text = of(ground);
        assert_eq!(text.matches("1.000000").count(), 6, "{text}");
        assert!(text.contains("mean of rgb") && text.contains("mean of normal"), "{text}");
    }
}

/// All metrics after a search, by one thread or by many.
#[test]
fn threads_change_no_number() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "a.obj", 1.0);
    write(place.path(), "b.obj", 1.2);
    let with = |threads: &str| {
        let args = [
            "measure",
            "a.obj",
            "--reference",
            "b.obj",
            "--metrics",
            "all",
            "--align",
            "search",
            "--samples",
            "3000",
            "--matched",
            "64",
            "--threads",
            threads,
            "--json",
        ];
        meshjudge(place.path(), &args).ok().stdout
    };
    let one = with("1");
    assert!(one.contains("cd_l1_half_pp"), "{one}");
    assert_eq!(one, with("3"));
}
