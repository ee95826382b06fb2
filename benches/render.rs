//! How long 12 colour views at 512² take, without loading and PNG writing:
//! `cargo bench --bench render` (under a minute after the build).
//!
//! Two scenes made here, so that nothing needs to be fetched: a textured object of 15k triangles
//! with the five usual textures, and one of a million triangles with vertex colours.
//! docs/runs/speed keeps the whole-process figures on real assets.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Vec2, Vec3, Vec4};
use meshjudge::unstable::render::{Channel, Settings, draw};
use meshjudge::unstable::rig::Rig;
use meshjudge::unstable::scene::{
    ColorSpace, Material, Mesh, MeshParts, Scene, Slot, Texture, TextureRef, UvTransform, Wrap,
};
use std::f64::consts::{PI, TAU};
use std::time::Duration;

/// Edge of each texture, as in the helmet that the whole-process runs use.
const TEXTURE_PX: u32 = 2048;

/// A ball with waves, `rings · segments · 2` triangles; texture coordinates wrap once around.
fn wavy_ball(rings: u32, segments: u32) -> MeshParts {
    let mut parts = MeshParts::default();
    let mut uvs = Vec::new();
    let mut normals = Vec::new();
    for ring in 0..=rings {
        let v = f64::from(ring) / f64::from(rings);
        for segment in 0..=segments {
            let u = f64::from(segment) / f64::from(segments);
            let (polar, around) = (PI * v, TAU * u);
            let outward = glam::DVec3::new(
                libm::sin(polar) * libm::sin(around),
                libm::cos(polar),
                libm::sin(polar) * libm::cos(around),
            );
            let radius = 1.0 + 0.05 * libm::sin(around * 7.0) * libm::sin(polar * 9.0);
            parts.positions.push((outward * radius).as_vec3());
            normals.push(outward.as_vec3());
            uvs.push(Vec2::new(u as f32, v as f32));
        }
    }
    let row = segments + 1;
    for ring in 0..rings {
        for segment in 0..segments {
            let a = ring * row + segment;
            parts.triangles.push([a, a + row, a + row + 1]);
            parts.triangles.push([a, a + row + 1, a + 1]);
        }
    }
    parts.normals = Some(normals);
    parts.uv_sets = vec![uvs];
    parts
}

/// Noise around `mean`, from a multiplicative hash of the texel's index.
fn noise(name: &str, space: ColorSpace, mean: [u8; 3]) -> Texture {
    let texels = (0..TEXTURE_PX * TEXTURE_PX)
        .map(|i| {
            let jitter = (i.wrapping_mul(2_654_435_761) >> 27) as u8;
            let [r, g, b] = mean.map(|m| m.saturating_add(jitter));
            [r, g, b, 255]
        })
        .collect();
    Texture::new(name.into(), TEXTURE_PX, TEXTURE_PX, texels, space, [Wrap::Repeat; 2]).unwrap()
}

fn textured() -> Scene {
    let refer = |texture| Some(TextureRef { texture, uv_set: 0, transform: UvTransform::IDENTITY });
    let material = Material {
        emissive: Vec3::ONE,
        metallic: 1.0,
        roughness: 1.0,
        textures: [
            (Slot::BaseColor, refer(0)),
            (Slot::Emissive, refer(1)),
            (Slot::MetallicRoughness, refer(2)),
            (Slot::Normal, refer(3)),
            (Slot::Occlusion, refer(4)),
        ]
        .into(),
        ..Material::default()
    };
    let textures = vec![
        noise("base", ColorSpace::Srgb, [150, 120, 90]),
        noise("emissive", ColorSpace::Srgb, [0, 10, 20]),
        noise("metallic-roughness", ColorSpace::Linear, [0, 100, 120]),
        noise("normal", ColorSpace::Linear, [112, 112, 220]),
        noise("occlusion", ColorSpace::Linear, [200, 200, 200]),
    ];
    let mesh = Mesh::new(wavy_ball(63, 120)).unwrap();
    Scene::new(vec![mesh], vec![material], textures).unwrap()
}

fn vertex_colored() -> Scene {
    let mut parts = wavy_ball(500, 1000);
    parts.uv_sets.clear();
    let color = |p: &Vec3| (*p * 0.4 + Vec3::splat(0.5)).clamp(Vec3::ZERO, Vec3::ONE).extend(1.0);
    let colors: Vec<Vec4> = parts.positions.iter().map(color).collect();
    parts.colors = Some(colors);
    let mesh = Mesh::new(parts).unwrap();
    Scene::new(vec![mesh], vec![Material::default()], vec![]).unwrap()
}

fn views(criterion: &mut Criterion) {
    let rig = Rig::builtin("ring").unwrap();
    let colour = Settings { channels: vec![Channel::Rgb], ..Settings::default() };
    let both = Settings::default();
    let mut group = criterion.benchmark_group("12 views");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(6));
    for (name, scene) in [("15k textured", textured()), ("1M vertex colours", vertex_colored())] {
        group.bench_function(format!("{name}, rgb"), |b| {
            b.iter(|| draw(&scene, &rig, &colour).unwrap());
        });
        group.bench_function(format!("{name}, rgb + normal"), |b| {
            b.iter(|| draw(&scene, &rig, &both).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, views);
criterion_main!(benches);
