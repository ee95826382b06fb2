//! Large textures of which only what pictures can show is held give the pictures that whole ones
//! give.

use crate::support::scenes;
use glam::{Mat2, Quat, Vec2, Vec3};
use meshjudge::unstable::load::{Choices, Options, load, load_asset};
use meshjudge::unstable::render::{Channel, Settings, draw};
use meshjudge::unstable::rig::{Projection, Rig, ring_views};
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{
    ColorSpace, Material, MeshParts, Scene, Slot, Texture, TextureRef, UvTransform, Wrap,
};
use std::path::Path;

/// Numbers by chance, from 0 to 1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f32 {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.next()
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::from_array([0; 3].map(|_| self.between(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }
}

const SIZE: [u32; 2] = [2048, 1024];

/// No texel is like its neighbours.
fn texture(seed: u32, space: ColorSpace, wrap: [Wrap; 2]) -> Texture {
    let texel = |k: u32| {
        let [r, g, b, _] = (k ^ seed).wrapping_mul(2_654_435_761).to_be_bytes();
        [r, g, b, 255]
    };
    let texels = (0..SIZE[0] * SIZE[1]).map(texel).collect();
    Texture::new(String::new(), SIZE[0], SIZE[1], texels, space, wrap).unwrap()
}

/// Views of the ring.
const VIEWS: usize = 3;
const ELEVATION: f32 = 20.0;

/// Triangles by chance in a ball that nearly face one of the views or another, each with a part of
/// the picture to itself, some of them across its edges. `pixels` is what a unit takes in the
/// middle; a pixel is from 1.2 to 8 texels long there.
fn scene(seed: u64, wrap: [Wrap; 2], transform: UvTransform, pixels: f32) -> Scene {
    let mut chance = Chance(seed);
    let (mut positions, mut uvs) = (Vec::new(), Vec::new());
    let size = Vec2::new(SIZE[0] as f32, SIZE[1] as f32);
    const CELL: u32 = 128;
    for (column, row) in (0..SIZE[1] / CELL).flat_map(|y| (0..SIZE[0] / CELL).map(move |x| (x, y)))
    {
        let center = chance.direction() * chance.next();
        let view = chance.between(0.0, VIEWS as f32) as usize;
        let azimuth = 360.0 / VIEWS as f32 * view as f32;
        let towards = Quat::from_rotation_y(azimuth.to_radians())
            * Quat::from_rotation_x(-ELEVATION.to_radians())
            * Vec3::Z;
        let normal = (towards + chance.direction() * 0.5 * chance.next()).normalize();
        let turned = Quat::from_rotation_arc(Vec3::Z, normal);
        let texels = libm::exp2f(chance.between(0.25, 3.0)) * pixels;
        let stretch = chance.between(1.0, 1.3);
        let texels_from_plane = Mat2::from_angle(chance.between(0.0, 6.3))
            * Mat2::from_diagonal(Vec2::new(texels * stretch, texels / stretch));
        // Some 20 to 60 texels from the middle of the part.
        // What a mirror image shows of an edge may be anywhere.
        let inside = if wrap.contains(&Wrap::MirroredRepeat) { 0.5 } else { 0.0 };
        let middle = (Vec2::new(column as f32, row as f32) + inside) * CELL as f32;
        let first_angle = chance.between(0.0, 6.3);
        for k in 0..3 {
            let angle = first_angle + std::f32::consts::TAU / 3.0 * k as f32;
            let flat = Vec2::from_angle(angle) * chance.between(20.0, 45.0) / texels;
            positions.push(center + turned * flat.extend(0.0));
            uvs.push((middle + texels_from_plane * flat) / size);
        }
    }
    let count = positions.len() as u32;
    let parts = MeshParts {
        positions,
        triangles: (0..count / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
        uv_sets: vec![uvs],
        ..MeshParts::default()
    };
    let of = |texture| Some(TextureRef { texture, uv_set: 0, transform });
    let material = Material {
        textures: [(Slot::BaseColor, of(0)), (Slot::MetallicRoughness, of(1))].into(),
        metallic: 1.0,
        double_sided: true,
        ..Material::default()
    };
    let textures = vec![texture(1, ColorSpace::Srgb, wrap), texture(2, ColorSpace::Linear, wrap)];
    scenes::textured(parts, material, textures)
}

fn color(size_px: u32) -> Settings {
    scenes::settings(size_px, &[Channel::Rgb])
}

fn held(scene: &Scene) -> usize {
    scene.textures().iter().map(Texture::bytes).sum()
}

#[test]
fn pictures_are_those_of_whole_textures() {
    let dir = tempfile::tempdir().unwrap();
    let settings = color(160);
    let ring = Rig::builtin("ring").unwrap();
    let ring = ring.replacing_views(ring_views(VIEWS, f64::from(ELEVATION), false));
    let parallel =
        Rig { projection: Projection::Orthographic { half_height: 1.1 }, ..ring.clone() };
    // As near as GPTEval3D's cameras.
    let close = Rig {
        projection: Projection::Perspective {
            fov_y_degrees: 70.0,
            distance: ring.object_radius * 1.744,
        },
        ..ring.clone()
    };
    let turned = UvTransform { linear: [[0.8, 0.6], [-0.6, 0.8]], offset: Vec2::new(0.02, -0.03) };
    use Wrap::{ClampToEdge, MirroredRepeat, Repeat};
    for (seed, wrap, transform, rig) in [
        (1, [Repeat; 2], UvTransform::IDENTITY, &ring),
        (2, [Repeat, ClampToEdge], UvTransform::IDENTITY, &parallel),
        (3, [ClampToEdge; 2], turned, &ring),
        (4, [MirroredRepeat, Repeat], UvTransform::IDENTITY, &ring),
        (5, [Repeat; 2], UvTransform::IDENTITY, &close),
    ] {
        let view_scale = rig.view_scale(settings.height_px).unwrap();
        let scene = scene(seed, wrap, transform, view_scale.pixels_at(0.5) as f32 / 1.2);
        assert_same(&dir.path().join(format!("{seed}.glb")), &scene, rig, &settings);
    }
}

/// Writes an asset and loads it whole and for its pictures, which must be the same, while less is
/// held.
fn assert_same(path: &Path, scene: &Scene, rig: &Rig, settings: &Settings) {
    let bytes = glb(scene, SaveOptions { has_names: false }).unwrap();
    std::fs::write(path, bytes).unwrap();
    let view_scale = rig.view_scale(settings.height_px).unwrap();
    let whole = load(path, &Options::default()).unwrap().scene;
    let reduced = load_asset(path, &Options::default(), Choices::at(Some(&view_scale))).unwrap();
    let reduced = reduced.into_mesh().unwrap().scene;
    assert_eq!(whole.textures()[0].wrap(), scene.textures()[0].wrap());
    let (all, some) = (held(&whole), held(&reduced));
    assert!(some * 4 < all * 3, "{path:?}: {some} bytes of {all}");
    let [expected, found] = [&whole, &reduced].map(|scene| {
        let frames = draw(scene, rig, settings).unwrap();
        frames.into_iter().map(|frame| frame.images)
    });
    for (view, (expected, found)) in expected.zip(found).enumerate() {
        assert!(expected == found, "{path:?}: view {view} differs");
    }
}

/// Thin parts are drawn again larger, and their textures still filtered for the picture: texels
/// that it cannot show are not asked for.
#[test]
fn thin_parts_that_are_drawn_larger_ask_for_no_finer_texels() {
    let dir = tempfile::tempdir().unwrap();
    let settings = color(128);
    let rig = scenes::front_rig(1.0);
    let pixels = rig.view_scale(settings.height_px).unwrap().pixels_per_radius as f32;
    // 2.6 texels a pixel, along and across.
    let parts = scenes::wires(0.2 / pixels, &[0.0, 31.0, 77.0, 101.0, 140.0], 0);
    let uv = |p: &Vec3| {
        let texels = p.truncate() * pixels * 2.6 + Vec2::splat(500.0);
        texels / Vec2::new(SIZE[0] as f32, SIZE[1] as f32)
    };
    let uv_sets = vec![parts.positions.iter().map(uv).collect()];
    let material = Material {
        textures: [(Slot::BaseColor, Some(TextureRef::plain(0)))].into(),
        ..scenes::flat_color([1.0; 4])
    };
    let textures = vec![texture(3, ColorSpace::Srgb, [Wrap::Repeat; 2])];
    let scene = scenes::textured(MeshParts { uv_sets, ..parts }, material, textures);
    assert_same(&dir.path().join("a.glb"), &scene, &rig, &settings);
}

/// What is shown from so near that most texels are seen is held whole, and so is what is small,
/// cuts out or can be seen through.
#[test]
fn what_is_needed_is_held_whole() {
    let dir = tempfile::tempdir().unwrap();
    let ring = Rig::builtin("ring").unwrap();
    let scene = scene(5, [Wrap::Repeat; 2], UvTransform::IDENTITY, 100.0);
    let path = dir.path().join("a.glb");
    std::fs::write(&path, glb(&scene, SaveOptions { has_names: false }).unwrap()).unwrap();
    let of = |height_px| {
        let view_scale = ring.view_scale(height_px);
        let loaded =
            load_asset(&path, &Options::default(), Choices::at(view_scale.as_ref())).unwrap();
        held(loaded.scene.mesh().unwrap())
    };
    assert_eq!(of(8192), held(&scene));
    assert!(of(64) < held(&scene) / 2);
    let near = Rig {
        projection: Projection::Perspective {
            fov_y_degrees: 90.0,
            distance: ring.object_radius * 1.05,
        },
        ..ring
    };
    assert_eq!(near.view_scale(64), None, "no bound so near");
}
