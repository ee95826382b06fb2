//! What the probe sees of one object: its measured facts, and numbers from pictures that it draws for itself.

use super::structure::{Gradients, Structure, eroded};
use super::texels::{Texels, texels};
use super::tiles::{Tile, tiles};
use crate::measure::{MeshFacts, measure};
use crate::render::{
    self, Background, Channel, Frame, Image, Light, NormalSpace, Renderer, Settings,
};
use crate::rig::{NormalAxes, Projection, Rig, View};
use crate::scene::{Material, Scene};
use rayon::prelude::*;
use serde::Serialize;

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

/// A step in depth between neighbours that is an outline, as a share of the bounding sphere's depth: a wall at 80° to the view
/// direction steps by 0.02 a pixel at this size.
const DEPTH_STEP: f32 = 0.025;

/// One object, measured by itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observed {
    pub facts: MeshFacts,
    /// Share of the covered pixels, all views together.
    pub coverage: f64,
    /// Share of covered pixels where the nearest surface shows its back: seen through a hole, or turned inside out.
    pub back_face_share: f64,
    /// Mean gradient of the unlit colour that belongs to drawn edges, outlines left out; 1 is black to white in a pixel.
    pub texture_drawn: f64,
    /// Mean gradient of the unlit colour without direction.
    pub texture_noise: f64,
    /// Mean gradient of the normal picture that belongs to drawn edges.
    pub normal_drawn: f64,
    /// Mean gradient of the normal picture without direction.
    pub normal_noise: f64,
    /// Correlation (−1 to 1) of edge strength in colour and in normals, outlines left out; `None` without any edge in one of them.
    pub edge_agreement: Option<f64>,
    /// Every view in tiles, one view after the other.
    #[serde(skip)]
    pub(super) tiles: Vec<Tile>,
    #[serde(skip)]
    pub(super) texels: Texels,
}

/// Measures an object and draws it for itself.
///
/// # Errors
/// What the renderer says, in words.
pub fn observe(scene: &Scene) -> Result<Observed, String> {
    let closed = with_sides(scene, false)?;
    let open = with_sides(scene, true)?;
    let (facts, drawn) = rayon::join(
        || measure(scene),
        || {
            let seen = draw(
                &open,
                &[Channel::Rgb, Channel::Normal, Channel::Depth, Channel::Mask],
            )?;
            Ok::<_, String>((seen, draw(&closed, &[Channel::Depth])?))
        },
    );
    let (seen, fronts) = drawn?;
    let views: Vec<ViewSums> = seen
        .par_iter()
        .zip(&fronts)
        .map(|(frame, fronts)| view_sums(frame, fronts))
        .collect();
    let mut all = ViewSums::default();
    views.iter().for_each(|view| all.add(view));
    Ok(Observed {
        facts,
        coverage: all.covered / (seen.len() as f64 * f64::from(TILE_PX * TILE_PX)),
        back_face_share: if all.covered > 0.0 {
            all.backs / all.covered
        } else {
            0.0
        },
        texture_drawn: all.texture.mean(all.texture.drawn),
        texture_noise: all.texture.mean(all.texture.noise),
        normal_drawn: all.normal.mean(all.normal.drawn),
        normal_noise: all.normal.mean(all.normal.noise),
        edge_agreement: all.agreement.correlation(),
        tiles: all.tiles,
        texels: texels(scene),
    })
}

/// The scene with every material double-sided or not.
fn with_sides(scene: &Scene, double_sided: bool) -> Result<Scene, String> {
    let materials = scene
        .materials()
        .iter()
        .map(|material| Material {
            double_sided,
            ..material.clone()
        })
        .collect();
    Scene::new(
        scene.meshes().to_vec(),
        materials,
        scene.textures().to_vec(),
    )
    .map_err(|e| e.to_string())
}

/// Parallel rays with the whole bounding sphere in the picture.
pub(super) const PARALLEL: Projection = Projection::Orthographic { half_height: 1.02 };

/// Views of an object of radius 1.
pub(super) fn rig(views: Vec<View>, tile_px: u32, projection: Projection) -> Rig {
    Rig {
        name: "probe".into(),
        description: "what the probe looks at".into(),
        object_radius: 1.0,
        projection,
        normal_axes: NormalAxes::Xyz,
        tile_px,
        views,
    }
}

pub(super) fn view(azimuth_degrees: f64, elevation_degrees: f64) -> View {
    View {
        name: String::new(),
        azimuth_degrees,
        elevation_degrees,
        roll_degrees: 0.0,
    }
}

pub(super) fn settings(tile_px: u32, channels: &[Channel]) -> Settings {
    Settings {
        width_px: tile_px,
        height_px: tile_px,
        channels: channels.to_vec(),
        background: Background::Black,
        light: Light::Unlit,
        normal_space: NormalSpace::View,
        // What is measured is the same everywhere, whatever draws the pictures.
        renderer: Renderer::Cpu,
    }
}

fn draw(scene: &Scene, channels: &[Channel]) -> Result<Vec<Frame>, String> {
    let views = VIEWS
        .iter()
        .map(|&(azimuth, elevation)| view(azimuth, elevation))
        .collect();
    render::draw(
        scene,
        &rig(views, TILE_PX, PARALLEL),
        &settings(TILE_PX, channels),
    )
    .map_err(|e| e.to_string())
}

#[derive(Default)]
struct ViewSums {
    covered: f64,
    backs: f64,
    texture: Structure,
    normal: Structure,
    agreement: Agreement,
    tiles: Vec<Tile>,
}

impl ViewSums {
    fn add(&mut self, other: &Self) {
        self.covered += other.covered;
        self.backs += other.backs;
        self.texture.add(other.texture);
        self.normal.add(other.normal);
        self.tiles.extend(&other.tiles);
        self.agreement
            .0
            .iter_mut()
            .zip(other.agreement.0)
            .for_each(|(sum, term)| *sum += term);
    }
}

fn view_sums(frame: &Frame, fronts: &Frame) -> ViewSums {
    let image = |channel| &frame.images[&channel];
    let width = TILE_PX as usize;
    let inside: Vec<bool> = image(Channel::Mask)
        .pixels
        .iter()
        .map(|&coverage| coverage == 255)
        .collect();
    let depth = depths(image(Channel::Depth));
    let front_depth = depths(&fronts.images[&Channel::Depth]);
    // Half a step: the first surface is the same one, or it is another.
    let is_back = |at: usize| {
        inside[at]
            && (front_depth[at] == 0.0 || (front_depth[at] - depth[at]).abs() > 0.5 * DEPTH_STEP)
    };
    let core = eroded(&inside, width, 2);
    let smooth = away_from_outlines(&depth, &core, width);
    let color = Gradients::of(image(Channel::Rgb), &core);
    let normal = Gradients::of(image(Channel::Normal), &core);
    // Within 60° of the view direction: further out colours and normals are both squeezed together, which is no agreement.
    let faces_us = |at: usize| smooth[at] && image(Channel::Normal).pixels[at * 3 + 2] > 191;
    let agreement = Agreement::of(&color, &normal, faces_us);
    ViewSums {
        covered: inside.iter().filter(|&&i| i).count() as f64,
        backs: (0..inside.len()).filter(|&at| is_back(at)).count() as f64,
        texture: color.structure(|at| smooth[at]),
        normal: normal.structure(|at| smooth[at]),
        agreement,
        tiles: tiles(image(Channel::Normal), &depth, &color, &smooth),
    }
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

/// Pixels at least two away from any step in depth: what is left is on the surface, not at its outline.
fn away_from_outlines(depth: &[f32], core: &[bool], width: usize) -> Vec<bool> {
    let mut is_flat = core.to_vec();
    for at in width..depth.len() - width {
        let steps = [at - 1, at + 1, at - width, at + width].map(|i| (depth[i] - depth[at]).abs());
        if core[at] && steps.iter().any(|&step| step > DEPTH_STEP) {
            is_flat[at] = false;
        }
    }
    eroded(&is_flat, width, 2)
}

/// Sums for a correlation of edge strengths: count, Σc, Σn, Σc², Σn², Σcn.
#[derive(Default)]
struct Agreement([f64; 6]);

impl Agreement {
    /// Edge strengths are means over 3 × 3 pixels, so that an edge may lie one pixel off.
    fn of(color: &Gradients, normal: &Gradients, counts: impl Fn(usize) -> bool) -> Self {
        let mut sums = [0.0; 6];
        let width = color.width;
        for y in 1..color.height.saturating_sub(1) {
            for x in 1..width - 1 {
                let at = y * width + x;
                if !counts(at) {
                    continue;
                }
                let mean = |of: &Gradients| {
                    let row = |y: usize| {
                        (y * width + x - 1..=y * width + x + 1).map(|i| f64::from(of.length(i)))
                    };
                    (y - 1..=y + 1)
                        .flat_map(row)
                        .fold(0.0, |sum, length| sum + length)
                        / 9.0
                };
                let (c, n) = (mean(color), mean(normal));
                sums.iter_mut()
                    .zip([1.0, c, n, c * c, n * n, c * n])
                    .for_each(|(sum, term)| *sum += term);
            }
        }
        Self(sums)
    }

    /// Pearson's r. Under a variance of (half a byte step)² there is no edge to speak of.
    fn correlation(&self) -> Option<f64> {
        const NO_EDGES: f64 = (0.5 / 255.0) * (0.5 / 255.0);
        let [count, c, n, cc, nn, cn] = self.0;
        if count < 64.0 {
            return None;
        }
        let variance = |square: f64, sum: f64| square / count - (sum / count) * (sum / count);
        let (vc, vn) = (variance(cc, c), variance(nn, n));
        (vc > NO_EDGES && vn > NO_EDGES)
            .then(|| (cn / count - c * n / (count * count)) / (vc * vn).sqrt())
    }
}
