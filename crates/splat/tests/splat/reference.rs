//! Pictures against an independent evaluation in double precision: `vectors.json` of the test set,
//! 48 views of three tiny scenes.

use glam::DVec3;
use meshjudge_splat::camera::{Camera, Lens};
use meshjudge_splat::read::{self, Axes};
use meshjudge_splat::render::{Cut, Settings, render};
use serde_json::Value;
use std::path::Path;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(all) => all.iter().flat_map(numbers).collect(),
        one => vec![one.as_f64().expect("a number")],
    }
}

fn camera(json: &Value) -> Camera {
    let number = |name: &str| json[name].as_f64().expect("a number");
    let world: Vec<f64> = numbers(&json["camera_to_world"]); // 3 × 4; columns right, up, back, position
    let column = |k: usize| DVec3::new(world[k], world[4 + k], world[8 + k]);
    Camera {
        width_px: number("width") as u32,
        height_px: number("height") as u32,
        eye: column(3),
        axes: [column(0), -column(1), -column(2)],
        lens: match json["orthographic"].as_bool() {
            Some(true) => Lens::Orthographic,
            _ => Lens::Perspective,
        },
        focal_px: [number("fx"), number("fy")],
        center_px: [number("cx"), number("cy")],
    }
}

fn settings(view: &Value) -> Settings {
    Settings {
        low_pass_px2: view["lowpass"].as_f64().expect("a number") as f32,
        compensated: view["mode"] == "antialiased",
        cut: if view["cut"] == "tile16" { Cut::Tile16 } else { Cut::Alpha },
        geometry: true,
        ..Settings::default()
    }
}

/// Largest and mean difference of a quantity, and how many values differ by more than a limit.
struct Difference {
    name: &'static str,
    limit: f64,
    max: f64,
    sum: f64,
    count: usize,
    over: usize,
}

impl Difference {
    fn add(&mut self, ours: &[f32], theirs: &Value, place: &str) {
        for (&ours, theirs) in ours.iter().zip(numbers(theirs)) {
            let difference = (f64::from(ours) - theirs).abs();
            self.max = self.max.max(difference);
            self.sum += difference;
            self.count += 1;
            if difference > self.limit {
                self.over += 1;
                println!("{place}: {} {ours}, and {theirs} in the reference", self.name);
            }
        }
    }
}

#[test]
fn pixels_are_those_of_the_reference() {
    let Some(folder) = crate::shared::folder() else {
        return;
    };
    let text = std::fs::read(folder.join("tiny/vectors.json")).expect("the vectors are readable");
    let views: Vec<Value> = serde_json::from_slice(&text).expect("the vectors are JSON");
    let known = [
        ("rgb", 1.0 / 255.0),
        ("alpha", 1.0 / 255.0),
        ("depth_expected", 1e-4),
        ("depth_median", 1e-4),
        ("normal", 1e-4),
    ];
    let mut all = known.map(|(name, limit)| Difference {
        name,
        limit,
        max: 0.0,
        sum: 0.0,
        count: 0,
        over: 0,
    });
    let mut num_pixels = 0;
    for view in &views {
        let scene = view["scene"].as_str().expect("a name");
        let bytes = std::fs::read(folder.join("tiny").join(scene)).expect("the scene is readable");
        let none = |name: &str| Err(read::ReadError::Missing { name: name.to_owned() });
        let loaded = read::read(&bytes, Path::new(scene), Axes::AsInFile, &none)
            .expect("the scene is splats");
        let picture = render(&loaded.splats, &camera(&view["camera"]), &settings(view))
            .expect("the camera is good");
        for pixel in view["pixels"].as_array().expect("pixels") {
            let [row, column] =
                ["row", "column"].map(|name| pixel[name].as_u64().expect("a number") as usize);
            let at = row * picture.width_px as usize + column;
            let ([r, g, b, alpha], geometry) = (picture.rgba[at], picture.geometry[at]);
            let ours = [
                &[r, g, b][..],
                &[alpha],
                &[geometry.depth_expected],
                &[geometry.depth_median],
                &geometry.normal,
            ];
            let place = format!(
                "{scene} {} {} {} ({row}, {column})",
                view["view"], view["mode"], view["cut"]
            );
            for (difference, ours) in all.iter_mut().zip(ours) {
                difference.add(ours, &pixel[difference.name], &place);
            }
            num_pixels += 1;
        }
    }
    assert_eq!(num_pixels, 2255);
    for Difference { name, limit, max, sum, count, over } in &all {
        println!(
            "{name}: largest {max:.3e}, mean {:.3e}, over {limit:.1e}: {over} of {count}",
            sum / *count as f64
        );
        // 99.9 % within the limit.
        assert!(over * 1000 <= *count, "{name}");
    }
}
