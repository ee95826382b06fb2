//! The probe's data about one object before a comparison: measured facts, its surface to overlay
//! another, its textures' hashes.

use super::coat::{Coat, coat};
use crate::measure::{Body, MeshFacts, measure_body};
use crate::render::{
    self, Background, Channel, Frame, Image, Light, NormalSpace, Renderer, Settings,
};
use crate::rig::{Projection, Rig, View};
use crate::scene::{Material, Scene};
use glam::Vec3;
use serde::Serialize;
use std::collections::BTreeSet;

/// Edge of the probe's pictures: about a judge's tile after the provider's downscale (273 px).
const TILE_PX: u32 = 256;

/// Azimuth and elevation: a ring slightly from above, one view from high up, one from below.
const VIEWS: [(f64, f64); 8] = [
    (0.0, 15.0),
    (60.0, 15.0),
    (120.0, 15.0),
    (180.0, 15.0),
    (240.0, 15.0),
    (300.0, 15.0),
    (30.0, 65.0),
    (210.0, -50.0),
];

/// A step in depth between neighbours that is an outline, as a share of the bounding sphere's
/// depth: a wall at 80° to the view direction steps by 0.02 a pixel at this size.
const DEPTH_STEP: f32 = 0.025;

/// One object, measured by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observed {
    pub facts: MeshFacts,
    #[serde(skip)]
    pub coat: Coat,
    /// Hashes of the texels of its base colour textures, each once.
    #[serde(skip)]
    pub(super) textures: BTreeSet<[u8; 32]>,
    #[serde(skip)]
    pub(super) body: Body,
    /// Per axis, ascending: number of different coordinates over number of corners looked at.
    #[serde(skip)]
    pub(super) values: [f64; 3],
    /// Per axis, ascending, 0 to 1: how far coordinates are multiples of one step, beyond chance.
    #[serde(skip)]
    pub(super) steps: [f64; 3],
}

/// Measures an object.
pub fn observe(scene: &Scene) -> Observed {
    let ((facts, body), textures) = rayon::join(|| measure_body(scene), || textures(scene));
    let (values, steps) = places(body.tree.positions());
    Observed { coat: coat(scene, &body), facts, textures, values, steps, body }
}

fn textures(scene: &Scene) -> BTreeSet<[u8; 32]> {
    let base = scene.materials().iter().filter_map(|material| material.base_color_texture());
    let used: BTreeSet<usize> = base.map(|base| base.texture).collect();
    let used: Vec<usize> = used.into_iter().collect();
    let hash =
        |index: &usize| *blake3::hash(scene.textures()[*index].texels().as_flattened()).as_bytes();
    parallel::map(&used, hash).into_iter().collect()
}

/// Rounding to a lattice or to layers leaves few different coordinates, at even steps. Those that
/// differ by under 1e-4 of the diagonal are one.
fn places(corners: &[Vec3]) -> ([f64; 3], [f64; 3]) {
    const LOOKED_AT: usize = 2048;
    let fold = |of: fn(Vec3, Vec3) -> Vec3| corners.iter().copied().reduce(of).unwrap_or_default();
    let (low, high) = (fold(Vec3::min), fold(Vec3::max));
    let scale = 1e4 / (high - low).length().max(f32::MIN_POSITIVE);
    let chosen: Vec<Vec3> =
        corners.iter().copied().step_by((corners.len() / LOOKED_AT).max(1)).collect();
    let different = [0, 1, 2].map(|axis| {
        let rounded = |corner: &Vec3| ((corner[axis] - low[axis]) * scale).round() as u32;
        chosen.iter().map(rounded).collect::<BTreeSet<u32>>()
    });
    let ascending = |mut shares: [f64; 3]| {
        shares.sort_by(f64::total_cmp);
        shares
    };
    let share = |axis: &BTreeSet<u32>| axis.len() as f64 / chosen.len().max(1) as f64;
    (ascending(different.each_ref().map(share)), ascending(different.each_ref().map(even_share)))
}

/// Share of the gaps between neighbours that are multiples of a small one, less the share by
/// chance; 0 if there is too little data.
fn even_share(different: &BTreeSet<u32>) -> f64 {
    const GAPS_MIN: usize = 4;
    /// What rounding to whole numbers may do to a gap.
    const SLACK: f64 = 1.5;
    let next = different.iter().skip(1);
    let mut gaps: Vec<f64> =
        next.zip(different).map(|(next, value)| f64::from(next - value)).collect();
    if gaps.len() < GAPS_MIN {
        return 0.0;
    }
    gaps.sort_by(f64::total_cmp);
    let small = gaps[gaps.len() / 4];
    let alike = gaps.iter().filter(|gap| (*gap - small).abs() <= SLACK);
    let (sum, count) = alike.fold((0.0, 0.0), |(sum, count), gap| (sum + gap, count + 1.0));
    let step = sum / count;
    let chance = 2.0 * SLACK / step;
    if chance >= 0.75 {
        return 0.0;
    }
    let is_even = |gap: &&f64| (*gap - (*gap / step).round() * step).abs() <= SLACK;
    let share = gaps.iter().filter(is_even).count() as f64 / gaps.len() as f64;
    ((share - chance) / (1.0 - chance)).max(0.0)
}

/// Share of covered pixels whose nearest surface shows its back: through a hole, or inside out.
///
/// # Errors
/// What the renderer says, in words.
pub fn back_face_share(scene: &Scene) -> Result<f64, String> {
    let seen = draw(&with_sides(scene, true)?, &[Channel::NdcDepth, Channel::Mask])?;
    let fronts = draw(&with_sides(scene, false)?, &[Channel::NdcDepth])?;
    let (mut covered, mut backs) = (0_usize, 0_usize);
    for (frame, fronts) in seen.iter().zip(&fronts) {
        let depth = depths(&frame.images[&Channel::NdcDepth]);
        let front_depth = depths(&fronts.images[&Channel::NdcDepth]);
        let mask = &frame.images[&Channel::Mask].pixels;
        for at in (0..mask.len()).filter(|&at| mask[at] == 255) {
            covered += 1;
            // Half a step: the first surface is the same one, or it is another.
            let is_other = (front_depth[at] - depth[at]).abs() > 0.5 * DEPTH_STEP;
            backs += usize::from(front_depth[at] == 0.0 || is_other);
        }
    }
    Ok(backs as f64 / covered.max(1) as f64)
}

/// The scene with every material double-sided or not.
fn with_sides(scene: &Scene, double_sided: bool) -> Result<Scene, String> {
    let materials = scene
        .materials()
        .iter()
        .map(|material| Material { double_sided, ..material.clone() })
        .collect();
    Scene::new(scene.meshes().to_vec(), materials, scene.textures().to_vec())
        .map_err(|e| e.to_string())
}

/// Parallel rays with the whole bounding sphere in the picture.
pub(super) const PARALLEL: Projection = Projection::Orthographic { half_height: 1.02 };

/// Views of an object of radius 1.
pub(super) fn rig(views: Vec<View>, tile_px: u32, projection: Projection) -> Rig {
    let description = "what the probe looks at";
    Rig::new("probe", description, projection, tile_px, views)
}

pub(super) fn view(azimuth_degrees: f64, elevation_degrees: f64) -> View {
    View::at(azimuth_degrees, elevation_degrees)
}

pub(super) fn settings(tile_px: u32, channels: &[Channel]) -> Settings {
    Settings {
        width_px: tile_px,
        height_px: tile_px,
        channels: channels.to_vec(),
        background: Background::Black,
        light: Light::Unlit,
        environment: None,
        normal_space: NormalSpace::View,
        // Measurements are the same everywhere, whatever draws the pictures.
        renderer: Renderer::Cpu,
    }
}

fn draw(scene: &Scene, channels: &[Channel]) -> Result<Vec<Frame>, String> {
    let views = VIEWS.iter().map(|&(azimuth, elevation)| view(azimuth, elevation)).collect();
    render::draw(scene, &rig(views, TILE_PX, PARALLEL), &settings(TILE_PX, channels))
        .map_err(|e| e.to_string())
}

/// 0 to 1 over the bounding sphere, 0 where nothing is.
fn depths(image: &Image) -> Vec<f32> {
    image
        .pixels
        .as_chunks::<2>()
        .0
        .iter()
        .map(|&pair| f32::from(u16::from_be_bytes(pair)) / 65_535.0)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_to_a_lattice_leaves_few_coordinates() {
        let corner = |i: u32| {
            let at = |k: u32| ((i * 3 + k).wrapping_mul(2_654_435_761) >> 8) as f32 / 16_777_216.0;
            Vec3::new(at(0), at(1), at(2))
        };
        let corners: Vec<Vec3> = (0..500).map(corner).collect();
        let with = |y: fn(f32) -> f32| -> Vec<Vec3> {
            let moved = corners.iter().map(|c| Vec3::new(c.x, y(c.y), c.z));
            moved.collect()
        };
        let (values, steps) = places(&corners);
        assert!(values[0] > 0.9 && steps == [0.0; 3], "{values:?} {steps:?}");
        // Twenty even layers, and the walls of a machined part: few coordinates both, but no step
        // leads from one to the next.
        let ([least, middle, _], steps) = places(&with(|y| (y * 20.0).round() / 20.0));
        assert!(least < 0.05 && middle > 0.9, "{least} {middle}");
        assert!(steps[2] > 0.9 && steps[1] == 0.0, "{steps:?}");
        let walls = |y: f32| libm::powf((y * 12.0).floor(), 1.37) / 30.0;
        let ([least, ..], steps) = places(&with(walls));
        assert!(least < 0.05 && steps[2] < 0.3, "{least} {steps:?}");
        assert_eq!(places(&[]), ([0.0; 3], [0.0; 3]));
    }
}
