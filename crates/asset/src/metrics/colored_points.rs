//! Points on a scene's surface with normals and colours, as networks for point clouds take them.

use super::error::MetricError;
use super::sample::{Sample, sample};
use super::surface::Surface;
use crate::scene::color::{linear_from_srgb, srgb_from_linear};
use crate::scene::{Mesh, Scene, TextureRef, Wrap};
use glam::{DVec3, Vec2, Vec3, Vec4};
use std::borrow::Cow;

/// A point on a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColoredPoint {
    pub point: DVec3,
    /// Of the triangle, of unit length.
    pub normal: DVec3,
    /// The base colour in sRGB: factor, nearest texel and vertex colour.
    pub color: [u8; 3],
}

/// Draws points evenly by area, as [`sample`] does.
///
/// # Errors
/// A scene without any area.
pub fn colored_points(
    scene: &Scene,
    count: usize,
    seed: u64,
) -> Result<Vec<ColoredPoint>, MetricError> {
    let surface = Surface::of(scene, "sampled")?;
    let mut firsts = vec![0];
    for mesh in scene.meshes() {
        firsts.push(firsts[firsts.len() - 1] + mesh.triangles().len());
    }
    let textures: Vec<_> = scene.textures().iter().map(|texture| texture.texels()).collect();
    let point = |Sample { point, triangle }: Sample| {
        let triangle = triangle as usize;
        let mesh = firsts.partition_point(|first| *first <= triangle) - 1;
        let corners = scene.meshes()[mesh].triangles()[triangle - firsts[mesh]];
        let ends = surface.triangles()[triangle].map(|v| surface.positions()[v as usize]);
        let shares = shares(point, ends);
        ColoredPoint {
            point,
            normal: (ends[1] - ends[0]).cross(ends[2] - ends[0]).normalize_or_zero(),
            color: color(scene, &scene.meshes()[mesh], corners, shares, &textures),
        }
    };
    Ok(sample(&surface, count, seed).into_iter().map(point).collect())
}

/// Barycentric, by the areas opposite to the corners.
fn shares(point: DVec3, [a, b, c]: [DVec3; 3]) -> [f32; 3] {
    let normal = (b - a).cross(c - a);
    let whole = normal.length_squared();
    let of = |p: DVec3, q: DVec3| ((p - point).cross(q - point).dot(normal) / whole) as f32;
    [of(b, c), of(c, a), of(a, b)]
}

/// The base colour: factor, nearest texel and vertex colour multiplied in linear light.
fn color(
    scene: &Scene,
    mesh: &Mesh,
    corners: [u32; 3],
    shares: [f32; 3],
    textures: &[Cow<'_, [[u8; 4]]>],
) -> [u8; 3] {
    let material = &scene.materials()[mesh.material()];
    let mut light = material.base_color;
    if let Some(colors) = mesh.colors() {
        let mixed = corners.iter().zip(shares).map(|(&v, share)| colors[v as usize] * share);
        light *= mixed.sum::<Vec4>();
    }
    if let Some(used) = &material.base_color_texture
        && let Some(uvs) = mesh.uvs(used.uv_set)
    {
        let mixed = corners.iter().zip(shares).map(|(&v, share)| uvs[v as usize] * share);
        let [r, g, b, _] = texel(scene, used, mixed.sum(), textures);
        let linear = |byte: u8| linear_from_srgb(f64::from(byte) / 255.0) as f32;
        light *= Vec3::new(linear(r), linear(g), linear(b)).extend(1.0);
    }
    let encoded =
        |linear: f32| (srgb_from_linear(f64::from(linear.clamp(0.0, 1.0))) * 255.0).round() as u8;
    [encoded(light.x), encoded(light.y), encoded(light.z)]
}

fn texel(scene: &Scene, used: &TextureRef, uv: Vec2, textures: &[Cow<'_, [[u8; 4]]>]) -> [u8; 4] {
    let texture = &scene.textures()[used.texture];
    let uv = used.transform.apply(uv);
    let place = |share: f32, size: u32, wrap: Wrap| {
        let inside = match wrap {
            Wrap::Repeat => share.rem_euclid(1.0),
            Wrap::MirroredRepeat => 1.0 - (share.rem_euclid(2.0) - 1.0).abs(),
            Wrap::ClampToEdge => share.clamp(0.0, 1.0),
        };
        ((inside * size as f32) as u32).min(size - 1) as usize
    };
    let [wrap_u, wrap_v] = texture.wrap();
    let (width, height) = (texture.width_px(), texture.height_px());
    let at = place(uv.y, height, wrap_v) * width as usize + place(uv.x, width, wrap_u);
    textures[used.texture][at]
}
