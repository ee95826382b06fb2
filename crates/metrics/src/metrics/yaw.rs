//! Which rotation about the vertical axis gives one asset the front of another.
//!
//! Generators disagree about the front, so a sheet shows one chair's front and the other's side.
//! Each asset is drawn from 36 azimuths. For each rotation, 12 views of one asset are compared with
//! the views of the other that the rotation brings to the same place, by outline, colours and
//! edges. A round or symmetric asset looks alike after several rotations; the margin says so.

use crate::render::{Background, Channel, Frame, Light, NormalSpace, RenderError, Settings, draw};
use crate::rig::{Projection, Rig, ring_views};
use crate::scene::{AssetRef, ViewScale};

const STEPS: usize = Yaw::STEPS;

/// Every third view of one of the assets is looked at.
const STRIDE: usize = 3;

/// Rotations closer than this to the best one, 30°, are not its rivals.
const RIVAL_STEPS: usize = 3;

/// Edge of a view.
const VIEW_PX: u32 = 160;

/// Edge of the square that the object is brought into; its longer side takes 7⁄8.
const SIDE: usize = 64;

/// Cells of the square's edge: for colours, and for edges.
const COLOR_CELLS: usize = 16;
const EDGE_CELLS: usize = 8;
const DIRECTIONS: usize = 8;

const ELEVATION_DEGREES: f64 = 12.0;

/// Narrow, so that proportions count more than perspective.
const FOV_Y_DEGREES: f64 = 30.0;

#[derive(Debug)]
pub struct AllSides(Vec<Look>);

/// What one view shows, at the same place and size in every view.
#[derive(Debug, Clone)]
struct Look {
    /// Rows of the outline.
    inside: [u64; SIDE],
    area: u32,
    /// Mean colours of cells, less the mean of all, of length 1.
    colors: Vec<f32>,
    /// Strengths of edges by cell and direction, of length 1.
    edges: Vec<f32>,
}

/// A rotation about the vertical axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Yaw {
    /// The azimuth that has to become the front: 0 to 350, in steps of 10.
    pub degrees: u16,
    /// How much better it is than any rotation at least 30° away; scores are at most 2.5.
    pub margin: f64,
}

impl Yaw {
    /// Rotations that are compared, 10° apart.
    pub const STEPS: usize = 36;

    /// From this margin on, all rotations of 542 damaged copies of 11 real assets were within 15°;
    /// half of the copies reach it (docs/runs/fidelity/2026-11-26-fronts.md).
    pub const MARGIN_MIN: f64 = 0.05;

    /// The best rotation by the score of each.
    pub fn of_scores(scores: &[f64; Self::STEPS]) -> Self {
        // The first of equal ones, so that a round asset stays as it is.
        let best =
            (0..STEPS).fold(0, |best, step| if scores[step] > scores[best] { step } else { best });
        let is_rival = |step: &usize| {
            let away = step.abs_diff(best);
            away.min(STEPS - away) >= RIVAL_STEPS
        };
        let rival = (0..STEPS).filter(is_rival).map(|step| scores[step]).fold(f64::MIN, f64::max);
        Self { degrees: (best * 360 / STEPS) as u16, margin: scores[best] - rival }
    }

    /// Whether it can be believed.
    pub fn is_clear(&self) -> bool {
        self.margin >= Self::MARGIN_MIN
    }
}

impl AllSides {
    fn rig() -> Rig {
        let projection = Projection::Perspective {
            fov_y_degrees: FOV_Y_DEGREES,
            distance: 1.1 / libm::sin((FOV_Y_DEGREES / 2.0).to_radians()),
        };
        let views = ring_views(STEPS, ELEVATION_DEGREES, false);
        Rig::new("all-sides", "", projection, VIEW_PX, views)
    }

    /// How large the views show an asset.
    pub fn view_scale() -> Option<ViewScale> {
        Self::rig().view_scale(VIEW_PX)
    }

    /// Draws the views.
    ///
    /// # Errors
    /// As [`draw`].
    pub fn new<'a>(asset: impl Into<AssetRef<'a>>) -> Result<Self, RenderError> {
        let settings = Settings {
            width_px: VIEW_PX,
            height_px: VIEW_PX,
            channels: vec![Channel::Rgb, Channel::Normal, Channel::Mask],
            background: Background::Grey,
            normal_space: NormalSpace::View,
            light: Light::Unlit,
            ..Settings::default()
        };
        let frames = draw(asset, &Self::rig(), &settings)?;
        Ok(Self(frames.iter().map(Look::new).collect()))
    }

    /// The rotation of `other` that gives it the front of this asset.
    pub fn yaw_of(&self, other: &Self) -> Yaw {
        let score = |step: usize| {
            let views = (0..STEPS).step_by(STRIDE);
            let scores = views.map(|k| self.0[k].likeness(&other.0[(k + step) % STEPS]));
            scores.sum::<f64>() / (STEPS / STRIDE) as f64
        };
        Yaw::of_scores(&std::array::from_fn(score))
    }
}

impl Look {
    fn new(frame: &Frame) -> Self {
        let mask = &frame.images[&Channel::Mask].pixels;
        let width = VIEW_PX as usize;
        let (mut low, mut high) = ([width; 2], [0; 2]);
        for at in (0..mask.len()).filter(|&at| mask[at] >= 128) {
            for (axis, place) in [at % width, at / width].into_iter().enumerate() {
                low[axis] = low[axis].min(place);
                high[axis] = high[axis].max(place + 1);
            }
        }
        let longer = (0..2).map(|axis| high[axis].saturating_sub(low[axis])).max().unwrap_or(0);
        let scale = longer as f64 / (SIDE as f64 * 7.0 / 8.0);
        let source = |cell: usize, axis: usize| {
            let center = (low[axis] + high[axis]) as f64 / 2.0;
            let place = center + (cell as f64 + 0.5 - SIDE as f64 / 2.0) * scale;
            (place >= 0.0 && place < width as f64).then_some(place as usize)
        };
        let mut inside = [0_u64; SIDE];
        let mut color = vec![[128.0_f32; 3]; SIDE * SIDE];
        let mut normal = vec![[128.0_f32; 3]; SIDE * SIDE];
        let picture = |channel: Channel, at: usize| {
            let pixels = &frame.images[&channel].pixels[3 * at..3 * at + 3];
            [0, 1, 2].map(|c| f32::from(pixels[c]))
        };
        for (row, bits) in inside.iter_mut().enumerate() {
            for column in 0..SIDE {
                let (Some(x), Some(y)) = (source(column, 0), source(row, 1)) else { continue };
                let at = y * width + x;
                if longer > 0 && mask[at] >= 128 {
                    *bits |= 1 << column;
                    color[row * SIDE + column] = picture(Channel::Rgb, at);
                    normal[row * SIDE + column] = picture(Channel::Normal, at);
                }
            }
        }
        Self {
            inside,
            area: inside.iter().map(|bits| bits.count_ones()).sum(),
            colors: cell_colors(&color),
            edges: edges(&color, &normal),
        }
    }

    /// Outline overlap (intersection ÷ union), half the colour correlation, and edge cosine.
    fn likeness(&self, other: &Self) -> f64 {
        let rows = self.inside.iter().zip(&other.inside);
        let both: u32 = rows.map(|(a, b)| (a & b).count_ones()).sum();
        let either = (self.area + other.area - both).max(1);
        let overlap = f64::from(both) / f64::from(either);
        overlap + 0.5 * dot(&self.colors, &other.colors) + dot(&self.edges, &other.edges)
    }
}

fn cell_colors(color: &[[f32; 3]]) -> Vec<f32> {
    let mut cells = vec![0.0; COLOR_CELLS * COLOR_CELLS * 3];
    let mut mean = [0.0_f32; 3];
    for (at, rgb) in color.iter().enumerate() {
        let cell = cell_of(at, COLOR_CELLS);
        for c in 0..3 {
            cells[3 * cell + c] += rgb[c];
            mean[c] += rgb[c] / (COLOR_CELLS * COLOR_CELLS) as f32;
        }
    }
    for (i, value) in cells.iter_mut().enumerate() {
        *value -= mean[i % 3];
    }
    unit(cells)
}

/// Gradients of brightness and of the normals, by place and direction; opposite directions are one.
fn edges(color: &[[f32; 3]], normal: &[[f32; 3]]) -> Vec<f32> {
    let grey: Vec<[f32; 3]> = color.iter().map(|c| [(c[0] + c[1] + c[2]) / 3.0; 3]).collect();
    let mut cells = vec![0.0; EDGE_CELLS * EDGE_CELLS * DIRECTIONS];
    for row in 1..SIDE - 1 {
        for column in 1..SIDE - 1 {
            let at = row * SIDE + column;
            for (picture, channels) in [(normal, 3), (grey.as_slice(), 1)] {
                for &channel in &[0, 1, 2][..channels] {
                    let value = |at: usize| picture[at][channel];
                    let dx = value(at + 1) - value(at - 1);
                    let dy = value(at + SIDE) - value(at - SIDE);
                    let turn = libm::atan2f(dy, dx) / std::f32::consts::PI + 1.0;
                    let direction = (turn * DIRECTIONS as f32) as usize % DIRECTIONS;
                    let cell = cell_of(at, EDGE_CELLS);
                    cells[cell * DIRECTIONS + direction] += libm::hypotf(dx, dy);
                }
            }
        }
    }
    unit(cells)
}

/// The cell of a place in the square, of `cells` along each edge.
fn cell_of(at: usize, cells: usize) -> usize {
    let size = SIDE / cells;
    at / SIDE / size * cells + at % SIDE / size
}

/// Scaled to length 1; nothing stays nothing.
fn unit(mut values: Vec<f32>) -> Vec<f32> {
    let length = libm::sqrt(dot(&values, &values)) as f32;
    if length > 0.0 {
        values.iter_mut().for_each(|value| *value /= length);
    }
    values
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}
