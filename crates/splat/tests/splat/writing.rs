//! Splats written and read again are the same up to the encoding's rounding; each loss is named.

use crate::encode::{self, Bytes, Source};
use crate::encodings::{difference, draw};
use glam::{DAffine3, DQuat, DVec3};
use meshjudge_splat::Splats;
use meshjudge_splat::read::{Axes, Loaded, Order, ReadError, read};
use meshjudge_splat::splats::ColorSpace;
use meshjudge_splat::write::{Target, WriteError, write};
use std::path::Path;

const TARGETS: [(Target, &str); 3] =
    [(Target::Ply, "a.ply"), (Target::Spz, "a.spz"), (Target::Glb, "a.glb")];

fn upright(bytes: &[u8], name: &str) -> Loaded {
    let none = |name: &str| Err(ReadError::Missing { name: name.to_owned() });
    read(bytes, Path::new(name), Axes::Usual, &none).expect("readable splats")
}

fn loaded(scene: &[Source]) -> Loaded {
    upright(&encode::ply(scene, Bytes::Little), "a.ply")
}

/// The largest difference of positions, of scales as a logarithm, of rotations in degrees, of
/// opacities, and of harmonics.
fn differences(a: &Splats, b: &Splats) -> [f64; 5] {
    assert_eq!((a.len(), a.degree()), (b.len(), b.degree()));
    let one = |i: usize| {
        let rotation = |splats: &Splats| {
            let [w, x, y, z] = [0, 1, 2, 3].map(|k| f64::from(splats.planes().rotation[k][i]));
            DQuat::from_xyzw(x, y, z, w)
        };
        let place = |splats: &Splats| splats.origin() + splats.position(i);
        let ratios = [0, 1, 2].map(|k| libm::log((a.scale(i)[k] / b.scale(i)[k]).into()).abs());
        let harmonics = a.planes().harmonics.iter().zip(&b.planes().harmonics);
        [
            (place(a) - place(b)).abs().max_element(),
            ratios.into_iter().fold(0.0, f64::max),
            2.0 * libm::acos(rotation(a).dot(rotation(b)).abs().min(1.0)).to_degrees(),
            f64::from(a.planes().opacity[i] - b.planes().opacity[i]).abs(),
            harmonics.map(|(a, b)| f64::from(a[i] - b[i]).abs()).fold(0.0, f64::max),
        ]
    };
    (0..a.len())
        .map(one)
        .fold([0.0; 5], |most, found| std::array::from_fn(|k| most[k].max(found[k])))
}

#[test]
fn splats_of_every_degree_come_back_as_exact_as_the_encoding_is() {
    for coefficients in [1, 4, 9, 16] {
        let scene = encode::scene(300, coefficients);
        let plain = loaded(&scene);
        for (target, name) in TARGETS {
            let bytes = write(&plain, target).expect("written").bytes;
            let back = upright(&bytes, name).splats;
            // Half a step of each of SPZ's numbers; the angle of two equal quaternions is uncertain
            // by 0.06 degrees in single precision.
            let (limits, mean) = match target {
                Target::Spz => {
                    ([1.0 / 8192.0, 1.0 / 32.0, 0.2, 0.5 / 255.0, 0.5 / 255.0 / 0.15], 0.5)
                }
                _ => ([1e-7, 1e-6, 0.06, 1e-6, 1e-6], 1e-3),
            };
            let found = differences(&plain.splats, &back);
            assert!(
                (0..5).all(|k| found[k] <= 1.01 * limits[k]),
                "{name}, {coefficients}: {found:?}"
            );
            assert!(
                difference(&draw(&plain.splats), &draw(&back)).1 < mean,
                "{name}, {coefficients}"
            );
            if target == Target::Ply {
                let own =
                    crate::read_alone(&bytes, name).expect("PLY").splats.position(7).as_vec3();
                assert!(own.abs_diff_eq(scene[7].position.into(), 1e-7), "in the axes of PLY");
            }
        }
    }
}

/// The names of the losses, those of clipped numbers with their count.
fn losses(loaded: &Loaded, target: Target) -> Vec<String> {
    let losses = serde_json::to_value(write(loaded, target).expect("written").losses);
    let name = |loss: &serde_json::Value| match &loss["what"] {
        serde_json::Value::String(what) => format!("{} {what}", loss["count"]),
        _ => loss["loss"].as_str().expect("a name").to_owned(),
    };
    losses.expect("JSON").as_array().expect("a list").iter().map(name).collect()
}

#[test]
fn extreme_numbers_are_kept_or_clipped_and_counted() {
    let mut scene = encode::scene(2, 4);
    scene[0].log_scale = [-200.0; 3];
    scene[0].opacity = 1.0;
    scene[0].harmonics = [[9.0; 3], [-2.0; 3], [-2.0; 3], [-2.0; 3]].into();
    scene[1].opacity = 0.0;
    let extreme = loaded(&scene);
    assert_eq!(extreme.splats.scale(0), [0.0; 3]);
    let back = upright(&write(&extreme, Target::Ply).expect("written").bytes, "a.ply").splats;
    assert_eq!(back.planes().opacity[0], 1.0);
    assert!(back.planes().opacity[1] < 1e-8 && back.scale(0)[0] < 1e-30);
    assert_eq!(losses(&extreme, Target::Ply), [""; 0]);
    let clipped = ["rounded", "3 colours", "3 scales", "9 harmonics"];
    assert_eq!(losses(&extreme, Target::Spz), clipped);
}

#[test]
fn splats_far_from_zero_stay_there() {
    let far = |at: DVec3| {
        let mut moved = loaded(&encode::scene(20, 4));
        moved.splats = moved.splats.mapped(&DAffine3::from_translation(at)).expect("a good map");
        moved
    };
    let moved = far(DVec3::new(70_000.25, -3.0, 12.0));
    for (target, name) in TARGETS {
        let back = upright(&write(&moved, target).expect("written").bytes, name).splats;
        let step = if target == Target::Glb { 1e-9 } else { 0.01 };
        let found = differences(&moved.splats, &back)[0];
        assert!(found <= step, "{name}: {found}");
        let is_named = losses(&moved, target).contains(&"far_from_zero".to_owned());
        assert_eq!(is_named, target == Target::Ply);
    }
    assert!(matches!(write(&far(DVec3::splat(1e8)), Target::Spz), Err(WriteError::TooFar { .. })));
}

#[test]
fn claims_orders_and_colour_spaces_are_kept_or_named() {
    let mut all = loaded(&encode::scene(2, 1));
    all.antialiased = Some(true);
    for (order, target, expected) in [
        (Order::Depth, Target::Spz, ["rounded"].as_slice()),
        (Order::Depth, Target::Ply, &["antialiased"]),
        (Order::Depth, Target::Glb, &["antialiased", "order"]),
        (Order::Distance, Target::Glb, &["antialiased"]),
        (Order::Distance, Target::Spz, &["order", "rounded"]),
    ] {
        all.order = order;
        assert_eq!(losses(&all, target), expected, "{order:?} {target:?}");
    }
    let spz = write(&all, Target::Spz).expect("written");
    assert_eq!(upright(&spz.bytes, "a.spz").antialiased, Some(true));
    let mut parts = all.splats.into_parts();
    parts.color_space = ColorSpace::Linear;
    (all.splats, _) = Splats::new(parts).expect("good numbers");
    let glb = write(&all, Target::Glb).expect("written");
    assert_eq!(upright(&glb.bytes, "a.glb").splats.color_space(), ColorSpace::Linear);
    assert!(matches!(write(&all, Target::Ply), Err(WriteError::LinearLight { .. })));
}
