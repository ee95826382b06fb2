//! Pictures of tiny scenes, byte for byte as they were: whatever else changes, these do not change
//! unseen. By the CPU's reference only; a card is compared with the CPU in `gpu.rs`.
//!
//! After a change that is meant: `MESHJUDGE_GOLDENS=write cargo test --test render goldens`, look
//! at the pictures, raise the renderer's version (`render/protocol.rs`), and say in the commit what
//! changed.

use crate::support::assets::repository;
use crate::support::scenes::{
    self, flat_color, front_rig, moved, one_view, scene_of, sphere, square,
};
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::render::{Channel, Renderer, Settings, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::scene::{
    AlphaMode, ColorSpace, Layers, Material, Scene, Slot, Texture, TextureRef, Wrap,
};
use std::path::{Path, PathBuf};

const EDGE_PX: u32 = 48;

fn golden(name: &str, channel: Channel) -> PathBuf {
    let name = format!("{name}-{}.png", channel.name());
    repository("tests/goldens").join(name)
}

/// Bytes as the file holds them, 16 bits big-endian.
fn pixels(path: &Path) -> Vec<u8> {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes
}

fn compare(name: &str, scene: &Scene, rig: &Rig) {
    let channels = [Channel::Rgb, Channel::Normal, Channel::NdcDepth];
    let settings = Settings { renderer: Renderer::Cpu, ..scenes::settings(EDGE_PX, &channels) };
    let frame = draw(scene, rig, &settings).unwrap().remove(0);
    for (channel, image) in &frame.images {
        let path = golden(name, *channel);
        if std::env::var("MESHJUDGE_GOLDENS").as_deref() == Ok("write") {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, image.to_png().unwrap()).unwrap();
        }
        let kept = pixels(&path);
        let pairs = kept.iter().zip(&image.pixels);
        let differ = pairs.filter(|(a, b)| a != b).count();
        assert!(
            kept.len() == image.pixels.len() && differ == 0,
            "{differ} bytes differ from {path:?}"
        );
    }
}

fn paint(color: [f32; 3], metallic: f32, roughness: f32) -> Material {
    Material {
        base_color: Vec3::from_array(color).extend(1.0),
        metallic,
        roughness,
        ..Material::default()
    }
}

/// Sixteen by sixteen texels of changing colour, a quarter of them with no alpha.
fn checks(space: ColorSpace) -> Texture {
    let texels = (0..256_u32)
        .map(|i| {
            let (x, y) = (i % 16, i / 16);
            let alpha = if (x / 4 + y / 4) % 4 == 0 { 0 } else { 255 };
            [(x * 16) as u8, (y * 16) as u8, 128, alpha]
        })
        .collect();
    Texture::new("checks".into(), 16, 16, texels, space, [Wrap::Repeat; 2]).unwrap()
}

/// A ball with texture coordinates all over.
fn mapped_ball() -> meshjudge::unstable::scene::MeshParts {
    let mut parts = sphere(16, 32);
    let uvs = parts.positions.iter().map(|p| Vec2::new(p.x + 0.2 * p.z, -p.y));
    parts.uv_sets = vec![uvs.collect()];
    parts
}

fn textured(material: Material, space: ColorSpace) -> Scene {
    scenes::textured(mapped_ball(), material, vec![checks(space)])
}

#[test]
fn plain_balls() {
    for (name, material) in [
        ("plastic", paint([0.7, 0.1, 0.05], 0.0, 0.3)),
        ("metal", paint([0.9, 0.7, 0.3], 1.0, 0.2)),
        ("unlit", flat_color([0.2, 0.5, 0.8, 1.0])),
    ] {
        let scene = scene_of(vec![sphere(24, 48)], vec![material]);
        compare(name, &scene, &front_rig(1.1));
    }
}

#[test]
fn textures_normals_and_cut_outs() {
    let white = paint([1.0; 3], 0.0, 0.6);
    let at = |slot| [(slot, Some(TextureRef::plain(0)))].into();
    let colored = Material { textures: at(Slot::BaseColor), ..white.clone() };
    let cut = Material {
        alpha_mode: AlphaMode::Mask { cutoff: 0.5 },
        double_sided: true,
        ..colored.clone()
    };
    let bumpy = Material { textures: at(Slot::Normal), normal_scale: 0.5, ..white };
    let srgb = ColorSpace::Srgb;
    compare("textured", &textured(colored, srgb), &front_rig(1.1));
    compare("cut", &textured(cut, srgb), &front_rig(1.1));
    compare("bumpy", &textured(bumpy, ColorSpace::Linear), &front_rig(1.1));
}

#[test]
fn panes_that_cross() {
    let pane = |color: [f32; 4]| Material {
        base_color: Vec4::from_array(color),
        alpha_mode: AlphaMode::Blend,
        double_sided: true,
        roughness: 0.5,
        ..Material::default()
    };
    let leaning = moved(square(0.8, 0.0, 1), |p| Vec3::new(0.6 * p.x, p.y, 0.8 * p.x));
    let mut ball = moved(sphere(12, 24), |p| p * 0.4);
    ball.material = 2;
    let scene = scene_of(
        vec![square(0.8, 0.0, 0), leaning, ball],
        vec![pane([0.9, 0.2, 0.1, 0.5]), pane([0.1, 0.3, 0.9, 0.4]), paint([0.3; 3], 0.0, 1.0)],
    );
    let camera = "projection = 'perspective'\nfov_y_degrees = 40.0";
    compare("panes", &scene, &one_view(camera, 30.0, 25.0));
}

#[test]
fn wires_thinner_than_a_pixel() {
    let wires = scenes::wires(0.006, &[4.0, 50.0, 87.0], 0);
    let scene = scene_of(vec![wires], vec![paint([0.1, 0.1, 0.3], 0.0, 0.5)]);
    compare("wires", &scene, &front_rig(1.1));
}

#[test]
fn layers() {
    let layered =
        |layers: Layers, base: Material| Material { layers: Some(Box::new(layers)), ..base };
    let coat = Layers { coat: 1.0, ..Layers::default() };
    let sheen =
        Layers { sheen_color: Vec3::new(0.9, 0.8, 0.7), sheen_roughness: 0.4, ..Layers::default() };
    for (name, material) in [
        ("coat", layered(coat, paint([0.1, 0.2, 0.6], 0.0, 0.9))),
        ("sheen", layered(sheen, paint([0.2, 0.05, 0.1], 0.0, 1.0))),
    ] {
        let scene = scene_of(vec![sphere(24, 48)], vec![material]);
        compare(name, &scene, &front_rig(1.1));
    }
}
