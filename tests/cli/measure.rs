//! `measure`, by the real program: assets and pictures against references.

use crate::support::assets::{Folder, demo, tetrahedra};
use crate::support::program::Text as _;
use serde_json::Value;

fn value(row: &Value, metric: &str) -> Value {
    let values = row["comparison"]["values"].as_array().unwrap();
    let found = values.iter().find(|v| v["metric"] == metric);
    found.unwrap_or_else(|| panic!("{metric}: {row}"))["value"].clone()
}

#[test]
fn an_asset_against_itself_is_exactly_perfect_and_each_number_names_its_definition() {
    let place = Folder::new();
    let chair = demo("chair_clean.glb").display().to_string();
    let args = format!("measure '{chair}' --reference '{chair}' --samples 2000 --cells 16");
    let rows = place.ok(&format!("{args} --json")).rows();
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
    place
        .ok(&args)
        .shows(["unit of length: the reference's longest side", "cd_l1_half           0.000000"]);
}

#[test]
fn errors_are_drawn_and_the_scale_is_said() {
    let place = tetrahedra(&[("a.obj", 1.0), ("b.obj", 1.1)]);
    let args = "measure b.obj --reference a.obj --error-maps maps --samples 100 --cells 8 --json";
    let row = place.ok(args).rows().pop().unwrap();
    let scale = row["error_map"]["scale"].as_f64().unwrap();
    assert!((0.02..0.2).contains(&scale), "{row}");
    assert!(place.bytes("maps/b.png").starts_with(b"\x89PNG"));
}

#[test]
fn folders_are_paired_by_name_and_what_is_missing_is_told() {
    let ours = [("ours/a.obj", 1.0), ("ours/b.obj", 2.0), ("ours/c.obj", 1.0)];
    let place = tetrahedra(&[&ours[..], &[("true/a.obj", 1.0), ("true/b.obj", 2.5)]].concat());
    let args = "measure ours --reference true --metrics cd_l1_half,iou --align box --samples 500 \
        --cells 12";
    let run = place.run(args).ends(1);
    run.says(["has no file with this name", "c.obj"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines.len() == 4 && lines[3].starts_with("mean"), "{}", run.stdout);
    lines[0].must_have(["cd_l1_half", "iou"]);
    let last = place.run(&format!("{args} --json")).rows().pop().unwrap();
    assert_eq!(last["failed"], 1);
    assert_eq!(last["means"][0]["of"], 2);
    // One reference for all.
    let one = "measure ours --reference true/a.obj --metrics cd_l1_half --json";
    assert_eq!(place.ok(one).rows().len(), 5);
}

#[test]
fn a_result_of_another_size_and_wrong_names_are_pointed_out() {
    let place = tetrahedra(&[("a.obj", 1.0), ("b.obj", 3.0)]);
    place.ok("measure b.obj --reference a.obj").says("3.000 times as long");
    for (args, said) in [
        ("--metrics chamfer", "unknown metric"),
        ("--metrics f", "needs a threshold"),
        ("--samples 0", "number of samples must be from 1"),
        ("--cells 100000", "number of cells"),
        ("--align icp", "invalid value"),
    ] {
        place.run(&format!("measure a.obj --reference a.obj {args}")).refuses(said);
    }
    // Without a reference, the facts of the asset, and no setting of a comparison is ignored.
    place.run("measure a.obj --metrics f@0.01").says("--reference <PATH>");
    place.ok("measure a.obj").shows("watertight");
}

#[test]
fn rendered_views_are_measured_against_rendered_views() {
    let place = Folder::new();
    for name in ["chair_clean", "chair_damaged"] {
        let asset = demo(&format!("{name}.glb"));
        place.ok(&format!(
            "render '{}' --out . --views 2 --size 48 --channels rgb,mask --renderer cpu",
            asset.display()
        ));
    }
    let mut views = place.ok("measure chair_damaged --reference chair_clean --json").rows();
    views.retain(|row| row.get("values").is_some());
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
    place.ok("measure chair_clean --reference chair_clean --metrics psnr,ssim").shows("1.000000");
}

/// A picture without alpha has its background already: a mask next to it changes nothing but the
/// regions. Normals have a mean of their own.
#[test]
fn a_mask_next_to_an_opaque_picture_is_not_composited_and_channels_are_not_mixed() {
    let place = Folder::new();
    let asset = demo("chair_clean.glb");
    for (out, channels) in [("plain", "rgb,normal"), ("masked", "rgb,normal,mask")] {
        let render = format!("render '{}' --out {out} --channels {channels}", asset.display());
        place.ok(&format!("{render} --views 2 --size 48 --renderer cpu"));
    }
    for ground in ["white", "black"] {
        let args = "measure masked/chair_clean --reference plain/chair_clean --metrics ssim";
        let text = place.ok(&format!("{args} --background {ground}")).stdout;
        assert_eq!(text.matches("1.000000").count(), 6, "{text}");
        text.must_have(["mean of rgb", "mean of normal"]);
    }
}
