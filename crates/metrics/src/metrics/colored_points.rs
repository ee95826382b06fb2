//! Surface points with normals and colours, in the frame and order of point cloud networks.

use super::definition::hash_of;
use super::error::MetricError;
use super::sample::{Sample, sample};
use super::surface::Surface;
use crate::scene::color::{linear_from_srgb, srgb_from_linear};
use crate::scene::{Mesh, Scene, TextureRef, Wrap};
use glam::swizzles::Vec3Swizzles;
use glam::{DVec3, Vec2, Vec3, Vec4};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::borrow::Cow;

/// A definition with another number gives other points.
const VERSION: u32 = 1;
/// Radius below which a cloud is one point.
const RADIUS_MIN: f64 = 1e-6;
/// sRGB of a surface without a colour: 0.4 of the range, with which OpenShape and Uni3D were
/// trained. Of FlashVDM's script.
const FLASHVDM_GREY: [u8; 3] = [100; 3];
const GREY: [u8; 3] = [102; 3];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColoredPoint {
    pub point: DVec3,
    /// Of the triangle, of unit length.
    pub normal: DVec3,
    /// The base colour in sRGB: factor, nearest texel and vertex colour.
    pub color: [u8; 3],
}

/// Where the points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PointFrame {
    /// As in the file.
    #[default]
    File,
    /// The mean of the points at the origin and the farthest point at radius 1, as ULIP-2, Uni3D
    /// and OpenShape were trained. The mean is that of the points, not of the box. A cloud with a
    /// radius below 10⁻⁶ becomes all zeros, as in OpenShape.
    MeanRadius,
}

/// The axis that a network takes as up. Ours is y.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    /// As the points are: ULIP-2, Uni3D, OpenShape's ViT-L/14 and B/32 models.
    #[default]
    Y,
    /// y and z swapped without a sign, so mirrored: OpenShape's ViT-bigG models were trained so.
    SwappedYz,
}

/// The colour of a surface that has none: no texture, no vertex colours, and a white base colour,
/// which is also what a file without materials gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoColor {
    /// 102 of 255.
    #[default]
    Grey,
    White,
    /// 100 of 255 for all points, even on coloured surfaces: FlashVDM's evaluation script.
    Flashvdm,
}

/// Everything that decides the points of a surface and their order. Networks that choose group
/// centres by farthest-point sampling depend on the order, so it is part of the definition: point k
/// takes the draws 3 k to 3 k + 2 of SplitMix64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PointSettings {
    pub count: usize,
    pub seed: u64,
    pub frame: PointFrame,
    pub up: UpAxis,
    pub no_color: NoColor,
}

impl PointSettings {
    /// 2 GiB as NumPy's numbers.
    pub const COUNT_MAX: usize = 30_000_000;

    /// As compact JSON, with the version.
    pub fn definition(&self) -> String {
        json!({ "points": VERSION, "settings": self }).to_string()
    }

    /// BLAKE3 of [`PointSettings::definition`], 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hash_of(&self.definition())
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PointCloud {
    /// In the order of the definition.
    pub points: Vec<ColoredPoint>,
    /// Those on surfaces without a colour.
    pub num_without_color: usize,
}

/// Draws points evenly by area, as [`sample`] does.
///
/// # Errors
/// A scene without any area.
pub fn colored_points(scene: &Scene, settings: &PointSettings) -> Result<PointCloud, MetricError> {
    let surface = Surface::of(scene, "sampled")?;
    let mut firsts = vec![0];
    for mesh in scene.meshes() {
        firsts.push(firsts[firsts.len() - 1] + mesh.triangles().len());
    }
    let textures: Vec<_> = scene.textures().iter().map(|texture| texture.texels()).collect();
    let is_colored: Vec<bool> = scene.meshes().iter().map(|mesh| is_colored(scene, mesh)).collect();
    let mut num_without_color = 0;
    let point = |Sample { point, triangle }: Sample| {
        let triangle = triangle as usize;
        let mesh = firsts.partition_point(|first| *first <= triangle) - 1;
        let corners = scene.meshes()[mesh].triangles()[triangle - firsts[mesh]];
        let ends = surface.triangles()[triangle].map(|v| surface.positions()[v as usize]);
        num_without_color += usize::from(!is_colored[mesh]);
        let color = match settings.no_color {
            NoColor::Flashvdm => FLASHVDM_GREY,
            NoColor::Grey if !is_colored[mesh] => GREY,
            _ => {
                let shares = shares(point, ends);
                color(scene, &scene.meshes()[mesh], corners, shares, &textures)
            }
        };
        let normal = (ends[1] - ends[0]).cross(ends[2] - ends[0]).normalize_or_zero();
        ColoredPoint { point, normal, color }
    };
    let drawn = sample(&surface, settings.count, settings.seed);
    let mut points: Vec<ColoredPoint> = drawn.into_iter().map(point).collect();
    if settings.frame == PointFrame::MeanRadius {
        to_mean_radius(&mut points);
    }
    if settings.up == UpAxis::SwappedYz {
        for at in &mut points {
            (at.point, at.normal) = (at.point.xzy(), at.normal.xzy());
        }
    }
    Ok(PointCloud { points, num_without_color })
}

fn to_mean_radius(points: &mut [ColoredPoint]) {
    let mean = points.iter().map(|at| at.point).sum::<DVec3>() / points.len().max(1) as f64;
    points.iter_mut().for_each(|at| at.point -= mean);
    let radius = points.iter().map(|at| at.point.length_squared()).fold(0.0, f64::max).sqrt();
    for at in points {
        at.point = if radius < RADIUS_MIN { DVec3::ZERO } else { at.point / radius };
    }
}

fn is_colored(scene: &Scene, mesh: &Mesh) -> bool {
    let material = &scene.materials()[mesh.material()];
    let texture = material.base_color_texture();
    mesh.colors().is_some()
        || texture.is_some_and(|used| mesh.uvs(used.uv_set).is_some())
        || material.base_color.truncate() != Vec3::ONE
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
    if let Some(used) = &material.base_color_texture()
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
