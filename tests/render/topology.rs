//! Pictures of the mesh itself, against closed forms.

use crate::support::scenes::{self, front_rig, moved, scene_of, sphere, square, with_threads};
use glam::Vec3;
use meshjudge::unstable::render::{Background, Channel, Image, Renderer, Settings, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::scene::{Material, MeshParts, Scene};
use std::collections::BTreeSet;

fn picture(scene: &Scene, channel: Channel, size: u32) -> Image {
    picture_on(Background::Black, scene, channel, size)
}

fn picture_on(background: Background, scene: &Scene, channel: Channel, size: u32) -> Image {
    let renderer = Renderer::Cpu;
    let settings = Settings { background, renderer, ..scenes::settings(size, &[channel]) };
    let mut frame = draw(scene, &front_rig(1.0), &settings).unwrap().remove(0);
    frame.images.remove(&channel).unwrap()
}

fn plain(parts: Vec<MeshParts>) -> Scene {
    scene_of(parts, vec![Material::default(), Material::default()])
}

/// A square whose corners are inside of the picture: 5 edges with its diagonal.
#[test]
fn lines_are_one_pixel_wide_and_hidden_behind_surfaces() {
    let dark = |image: &Image| {
        let pixels = image.pixels.chunks_exact(3);
        pixels.map(|p| 1.0 - f64::from(p[0].min(200)) / 200.0).sum::<f64>()
    };
    let lone = plain(vec![square(0.5, 0.0, 0)]);
    for size in [64, 128] {
        let on_white = |channel| picture_on(Background::White, &lone, channel, size);
        let (lines, clay) = (on_white(Channel::Wire), on_white(Channel::Matte));
        let differ = lines.pixels.chunks_exact(3).zip(clay.pixels.chunks_exact(3));
        let changed = differ.filter(|(a, b)| a[0].abs_diff(b[0]) > 100).count() as f64;
        // Measured on the clay, with four sides and a diagonal between its corners.
        let is_clay = |x: &u32| clay.pixel(*x, size / 2)[0] < 250;
        let side = (0..size).filter(is_clay).count() as f64;
        let length = (4.0 + 2.0_f64.sqrt()) * side;
        assert!((0.7 * length..1.3 * length).contains(&changed), "{changed} {side}");
        assert!(dark(&lines) > dark(&clay));
    }
    // A smaller square behind it adds no line, one in front does.
    let with = |z: f32| {
        let scene = plain(vec![square(0.5, 0.0, 0), square(0.2, z, 0)]);
        let (lines, clay) =
            (picture(&scene, Channel::Wire, 128), picture(&scene, Channel::Matte, 128));
        let differ = lines.pixels.iter().zip(&clay.pixels);
        differ.filter(|(a, b)| a.abs_diff(**b) > 60).count()
    };
    assert!(with(0.4) > with(-0.4) + 3 * 100, "{} {}", with(0.4), with(-0.4));
}

#[test]
fn fronts_are_blue_and_backs_red() {
    let mut turned = square(0.5, 0.0, 0);
    turned.triangles = turned.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    for (parts, is_front) in [(square(0.5, 0.0, 0), true), (turned, false)] {
        let image = picture(&plain(vec![parts]), Channel::Facing, 64);
        let [red, _, blue] = image.pixel(32, 30).try_into().unwrap();
        assert!(if is_front { blue > 2 * red } else { red > 2 * blue }, "{red} {blue}");
        assert_eq!(image.pixel(1, 1), [0, 0, 0]);
    }
}

#[test]
fn pieces_meshes_materials_and_charts_have_colours_of_their_own() {
    // Two squares side by side, as one mesh and as two; both have the whole texture as a chart.
    let [left, right] = [-0.5, 0.5].map(|x| moved(square(0.3, 0.0, 0), |p| p + Vec3::X * x));
    let apart = vec![left.clone(), right.clone()];
    let mut joined = left;
    joined.positions.extend(right.positions);
    joined.uv_sets[0].extend(right.uv_sets[0].clone());
    joined.triangles.extend([[4, 5, 6], [4, 6, 7]]);
    let colors = |parts: Vec<MeshParts>, channel: Channel| {
        let image = picture(&plain(parts), channel, 64);
        let places = [[16, 31], [16, 33], [48, 31], [48, 33]];
        places.map(|[x, y]| image.pixel(x, y).to_vec()).into_iter().collect::<BTreeSet<_>>().len()
    };
    assert_eq!(colors(apart.clone(), Channel::Parts), 2);
    assert_eq!(colors(vec![joined.clone()], Channel::Parts), 2);
    assert_eq!(colors(apart.clone(), Channel::PartsMesh), 2);
    assert_eq!(colors(vec![joined.clone()], Channel::PartsMesh), 1);
    assert_eq!(colors(vec![joined.clone()], Channel::PartsChart), 1);
    let mut other = apart.clone();
    other[1].material = 1;
    assert_eq!(colors(other, Channel::PartsMaterial), 2);
    assert_eq!(colors(apart, Channel::PartsMaterial), 1);
}

#[test]
fn threads_and_other_channels_change_nothing() {
    let scene = plain(vec![sphere(12, 24)]);
    let rig = Rig::builtin("four-view").unwrap();
    let own = [Channel::Wire, Channel::Facing, Channel::Parts, Channel::PartsChart];
    let with = |channels: &[Channel]| {
        let settings = Settings { renderer: Renderer::Cpu, ..scenes::settings(96, channels) };
        draw(&scene, &rig, &settings).unwrap()
    };
    let alone = with_threads(1, || with(&own));
    let all = with(&Channel::ALL);
    for (alone, all) in alone.iter().zip(&all) {
        assert_eq!(alone.images.len(), own.len());
        for channel in own {
            assert!(alone.images[&channel] == all.images[&channel], "{channel:?}");
        }
    }
}
