//! Splats that are written and read again are the same, up to what the encoding rounds; what it cannot keep is named.

use crate::encode::{self, Bytes, Source};
use glam::{DQuat, DVec3};
use meshjudge_splat::Splats;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::read::{Axes, Loaded, Order, ReadError, read};
use meshjudge_splat::render::{Settings, render};
use meshjudge_splat::splats::{ColorSpace, SplatParts};
use meshjudge_splat::write::{Loss, Target, WriteError, write};
use std::path::Path;

const TARGETS: [(Target, &str); 3] =
    [(Target::Ply, "a.ply"), (Target::Spz, "a.spz"), (Target::Glb, "a.glb")];

fn upright(bytes: &[u8], name: &str) -> Loaded {
    let none = |name: &str| Err(ReadError::Missing { name: name.to_owned() });
    read(bytes, Path::new(name), Axes::Usual, &none).expect("readable splats")
}

/// Of splats in the same order: the largest difference of positions, of scales as a ratio, of rotations in degrees, of opacities, and of harmonics.
fn differences(a: &Splats, b: &Splats) -> [f64; 5] {
    assert_eq!((a.len(), a.degree()), (b.len(), b.degree()));
    let rotation = |splats: &Splats, i: usize| {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| f64::from(splats.planes().rotation[k][i]));
        DQuat::from_xyzw(x, y, z, w)
    };
    let mut largest = [0.0_f64; 5];
    for i in 0..a.len() {
        let place = |splats: &Splats| splats.origin() + splats.position(i);
        let cos = rotation(a, i).dot(rotation(b, i)).abs().min(1.0);
        let ratio = (0..3).map(|k| libm::log((a.scale(i)[k] / b.scale(i)[k]).into()).abs());
        let harmonics = a.planes().harmonics.iter().zip(&b.planes().harmonics);
        let found = [
            (place(a) - place(b)).abs().max_element(),
            ratio.fold(0.0, f64::max),
            2.0 * libm::acos(cos).to_degrees(),
            f64::from(a.planes().opacity[i] - b.planes().opacity[i]).abs(),
            harmonics.map(|(a, b)| f64::from(a[i] - b[i]).abs()).fold(0.0, f64::max),
        ];
        largest = std::array::from_fn(|k| largest[k].max(found[k]));
    }
    largest
}

/// Mean difference of colour and alpha in a picture, in steps of 1/255.
fn picture_difference(a: &Splats, b: &Splats) -> f32 {
    let camera = Camera::square(64, DVec3::new(0.6, 0.7, 2.2), DVec3::ZERO, DVec3::Y, 0.7);
    let [a, b] = [a, b].map(|splats| render(splats, &camera, &Settings::default()).expect("drawn"));
    assert!(a.coverage() > 0.05);
    let steps = a.rgba.as_flattened().iter().zip(b.rgba.as_flattened());
    steps.map(|(a, b)| (a - b).abs() * 255.0).sum::<f32>() / a.rgba.as_flattened().len() as f32
}

#[test]
fn splats_of_every_degree_come_back_as_exact_as_the_encoding_is() {
    for coefficients in [1, 4, 9, 16] {
        let scene = encode::scene(300, coefficients);
        let plain = upright(&encode::ply(&scene, Bytes::Little), "a.ply");
        for (target, name) in TARGETS {
            let written = write(&plain, target).expect("written");
            let back = upright(&written.bytes, name);
            // Half a step of each of SPZ's numbers; a quaternion's three components are off by up to 0.0007 each.
            let limits = match target {
                Target::Spz => [1.0 / 8192.0, 1.0 / 32.0, 0.2, 0.5 / 255.0, 0.5 / 255.0 / 0.15],
                _ => [1e-7, 1e-6, 0.06, 1e-6, 1e-6],
            };
            let found = differences(&plain.splats, &back.splats);
            for (found, limit) in found.into_iter().zip(limits) {
                assert!(found <= limit * 1.01, "{name}, {coefficients}: {found} of {limit}");
            }
            let picture = picture_difference(&plain.splats, &back.splats);
            let limit = if target == Target::Spz { 0.5 } else { 1e-3 };
            assert!(picture < limit, "{name}, {coefficients}: {picture}");
            let again = write(&back, target).expect("written");
            let drift = differences(&back.splats, &upright(&again.bytes, name).splats);
            assert!(drift.iter().all(|&value| value < 0.06), "a second time: {drift:?}");
        }
    }
}

#[test]
fn the_axes_of_ply_files_are_theirs_again() {
    let scene = encode::scene(50, 4);
    let written = write(&upright(&encode::ply(&scene, Bytes::Little), "a.ply"), Target::Ply);
    let back = crate::read_alone(&written.expect("written").bytes, "a.ply").expect("PLY").splats;
    for (i, Source { position, .. }) in scene.iter().enumerate() {
        assert!(back.position(i).as_vec3().abs_diff_eq((*position).into(), 1e-7), "splat {i}");
    }
}

/// One splat with these numbers, and a second one without anything special.
fn two(origin: DVec3, scale: f32, opacity: f32, color: f32, harmonic: f32) -> Loaded {
    let planes = |first: f32, second: f32| vec![first, second];
    let parts = SplatParts {
        origin,
        position: [planes(0.0, 0.5), planes(0.0, 0.25), planes(0.0, 0.125)],
        scale: std::array::from_fn(|_| planes(scale, 0.1)),
        rotation: [planes(1.0, 0.5), planes(0.0, -0.5), planes(0.0, 0.5), planes(0.0, 0.5)],
        opacity: planes(opacity, 0.5),
        harmonics: (0..12).map(|k| planes(if k < 3 { color } else { harmonic }, 0.0)).collect(),
        color_space: ColorSpace::Display,
    };
    let mut loaded = upright(&encode::ply(&encode::scene(1, 1), Bytes::Little), "a.ply");
    (loaded.splats, _) = Splats::new(parts).expect("good numbers");
    loaded
}

#[test]
fn extreme_numbers_are_kept_or_clipped_and_counted() {
    let extreme = two(DVec3::ZERO, 0.0, 1.0, 9.0, -2.0);
    let ply = write(&extreme, Target::Ply).expect("written");
    assert_eq!(ply.losses, []);
    let back = upright(&ply.bytes, "a.ply").splats;
    assert_eq!(back.planes().opacity, [1.0, 0.5]);
    assert!(back.scale(0)[0] < 1e-30 && (back.scale(1)[0] - 0.1).abs() < 1e-7);
    let clipped: Vec<_> = (write(&extreme, Target::Spz).expect("written").losses.iter())
        .filter_map(|loss| match loss {
            Loss::Clipped { what, count, .. } => Some((*what, *count)),
            _ => None,
        })
        .collect();
    assert_eq!(clipped, [("colors", 3), ("scales", 3), ("harmonics", 9)]);
    let invisible = write(&two(DVec3::ZERO, 0.1, 0.0, 0.0, 0.0), Target::Ply).expect("written");
    assert!(upright(&invisible.bytes, "a.ply").splats.planes().opacity[0] < 1e-8);
}

#[test]
fn splats_far_from_zero_stay_there() {
    let place = DVec3::new(70_000.25, -3.0, 12.0);
    for (target, name) in TARGETS {
        let written = write(&two(place, 0.1, 0.5, 0.0, 0.0), target).expect("written");
        let back = upright(&written.bytes, name).splats;
        let step = if target == Target::Glb { 1e-9 } else { 1.0 / 100.0 };
        for (i, at) in [DVec3::ZERO, DVec3::new(0.5, 0.25, 0.125)].into_iter().enumerate() {
            let off = (back.origin() + back.position(i) - place - at).abs().max_element();
            assert!(off <= step, "{name}: {off}");
        }
        let names_it = |loss: &Loss| matches!(loss, Loss::FarFromZero { .. });
        assert_eq!(written.losses.iter().any(names_it), target == Target::Ply);
    }
    let far = two(DVec3::splat(1e8), 0.1, 0.5, 0.0, 0.0);
    assert!(matches!(write(&far, Target::Spz), Err(WriteError::TooFar { .. })));
}

#[test]
fn claims_orders_and_colour_spaces_are_kept_or_named() {
    let mut loaded = two(DVec3::ZERO, 0.1, 0.5, 0.0, 0.0);
    loaded.antialiased = Some(true);
    for (order, target, losses) in [
        (Order::Depth, Target::Spz, ["rounded"].as_slice()),
        (Order::Depth, Target::Ply, &["antialiased"]),
        (Order::Depth, Target::Glb, &["antialiased", "order"]),
        (Order::Distance, Target::Glb, &["antialiased"]),
        (Order::Distance, Target::Spz, &["order", "rounded"]),
    ] {
        loaded.order = order;
        let found: Vec<_> = (write(&loaded, target).expect("written").losses.iter())
            .map(|loss| match loss {
                Loss::Antialiased { .. } => "antialiased",
                Loss::Order { .. } => "order",
                Loss::Rounded { .. } => "rounded",
                Loss::FarFromZero { .. } | Loss::Clipped { .. } => "other",
            })
            .collect();
        assert_eq!(found, losses, "{order:?} {target:?}");
    }
    let spz = write(&loaded, Target::Spz).expect("written");
    assert_eq!(upright(&spz.bytes, "a.spz").antialiased, Some(true));
    let mut parts = loaded.splats.into_parts();
    parts.color_space = ColorSpace::Linear;
    (loaded.splats, _) = Splats::new(parts).expect("good numbers");
    let glb = write(&loaded, Target::Glb).expect("written");
    assert_eq!(upright(&glb.bytes, "a.glb").splats.color_space(), ColorSpace::Linear);
    assert!(matches!(write(&loaded, Target::Ply), Err(WriteError::LinearLight { .. })));
}
