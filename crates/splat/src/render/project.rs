//! Splats and a camera → each visible splat in the picture: an ellipse, colour and depth (EWA
//! splatting, Zwicker et al. 2001, with the choices of 3D Gaussian Splatting, Kerbl et al. 2023).
//!
//! Works on batches of [`BATCH`] splats, each step one loop over lanes that the compiler turns into
//! vector instructions. Only + − × ÷ √, comparisons and selections: the same bits on every machine.

#![expect(
    clippy::needless_range_loop,
    reason = "counted loops over arrays are the form that the compiler turns into vector instructions"
)]

use super::settings::{Cut, Settings};
use crate::camera::{Camera, Lens, SIDE_PX_MAX};
use crate::harmonics::{C0, basis, coefficients};
use crate::read::Order;
use crate::splats::Splats;
use glam::DVec3;

/// Splats whose numbers are computed together.
const BATCH: usize = 32;

/// Splats of one task. [`Place`] has twelve bits for the index in a task.
pub(super) const TASK: usize = 1 << 12;

/// Edge of a tile, in pixels.
pub const TILE: usize = 16;

/// Opacities below it are not drawn: half a step of an 8-bit picture would not show them.
pub const ALPHA_MIN: f32 = 1.0 / 255.0;

/// `x/z` and `y/z` are held to this multiple of the picture's half size where the projection is
/// linearised: far outside it is no good approximation.
const HOLD: f64 = 1.3;

/// log₂ e / 2: opacity o · 2^(−q · HALF_LOG2_E), q the squared distance in standard deviations.
const HALF_LOG2_E: f32 = std::f32::consts::LOG2_E / 2.0;

/// A visible splat. With (dx, dy) from its centre, e = (a·dx + b·dy)² + c·dy²: the Cholesky factors
/// of the inverse covariance, which stay exact for needles, where the usual three terms cancel.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub(super) struct Ellipse {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) a: f32,
    pub(super) b: f32,
    pub(super) c: f32,
    pub(super) opacity: f32,
    pub(super) rgb: [f32; 3],
    /// Along the view's axis.
    pub(super) depth: f32,
    /// Half the size of the box outside which opacity is below [`ALPHA_MIN`], slightly enlarged.
    pub(super) half: [f32; 2],
    /// Towards the eye.
    pub(super) normal: [f32; 3],
    /// Where e is larger, opacity is below [`ALPHA_MIN`].
    pub(super) e_max: f32,
}

impl Ellipse {
    /// In the order of the fields.
    pub(super) fn numbers(&self) -> [f32; 16] {
        let Self { x, y, a, b, c, opacity, rgb, depth, half, normal, e_max } = *self;
        let [red, green, blue] = rgb;
        let [nx, ny, nz] = normal;
        [x, y, a, b, c, opacity, red, green, blue, depth, half[0], half[1], nx, ny, nz, e_max]
    }
}

/// Columns from..to and rows from..to of tiles.
pub(super) type TileBox = [u16; 4];

/// Number of tiles in a box.
pub(super) fn area([left, right, top, bottom]: TileBox) -> u64 {
    u64::from(right - left) * u64::from(bottom - top)
}

/// The visible splats of a task, in the order of the file.
#[derive(Default)]
pub(super) struct Projected {
    pub(super) ellipses: Vec<Ellipse>,
    pub(super) boxes: Vec<TileBox>,
    /// Rises with depth or distance.
    pub(super) keys: Vec<u32>,
    /// Of a splat and a tile that it touches.
    pub(super) pairs: u64,
}

/// A camera in single precision, relative to the splats' origin.
struct View {
    rows: [[f32; 3]; 3],
    offset: [f32; 3],
    eye: [f32; 3],
    forward: [f32; 3],
    focal: [f32; 2],
    center: [f32; 2],
    hold: [f32; 2],
    size: [f32; 2],
    tiles: [i32; 2],
    is_perspective: bool,
}

impl View {
    fn new(camera: &Camera, origin: DVec3) -> Self {
        let eye = camera.eye - origin;
        let single = |v: DVec3| v.to_array().map(|value| value as f32);
        let size = [camera.width_px, camera.height_px];
        let hold =
            |axis: usize| (HOLD * f64::from(size[axis]) / (2.0 * camera.focal_px[axis])) as f32;
        Self {
            rows: camera.axes.map(single),
            offset: camera.axes.map(|axis| -axis.dot(eye) as f32),
            eye: single(eye),
            forward: single(camera.axes[2]),
            focal: camera.focal_px.map(|value| value as f32),
            center: camera.center_px.map(|value| value as f32),
            hold: [hold(0), hold(1)],
            size: size.map(|value| value as f32),
            tiles: size.map(|value| value.div_ceil(TILE as u32) as i32),
            is_perspective: camera.lens == Lens::Perspective,
        }
    }
}

/// Every visible splat, in tasks of [`TASK`] in the order of the file.
pub(super) fn project(splats: &Splats, camera: &Camera, settings: &Settings) -> Vec<Projected> {
    let view = View::new(camera, splats.origin());
    parallel::of(splats.len().div_ceil(TASK), |task| {
        let range = task * TASK..splats.len().min((task + 1) * TASK);
        let mut out = Projected::default();
        #[cfg(target_arch = "x86_64")]
        if has_avx2() {
            // SAFETY: the processor has AVX2.
            unsafe { project_avx2(splats, &view, settings, range, &mut out) };
            return out;
        }
        project_range(splats, &view, settings, range, &mut out);
        out
    })
}

/// For tests of the instructions that every processor has.
#[cfg(test)]
pub(super) static WITHOUT_AVX2: std::sync::atomic::AtomicBool =
    std::sync::atomic::AtomicBool::new(false);

#[cfg(target_arch = "x86_64")]
pub(super) fn has_avx2() -> bool {
    #[cfg(test)]
    if WITHOUT_AVX2.load(std::sync::atomic::Ordering::Relaxed) {
        return false;
    }
    is_x86_feature_detected!("avx2")
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn project_avx2(
    splats: &Splats,
    view: &View,
    settings: &Settings,
    range: std::ops::Range<usize>,
    out: &mut Projected,
) {
    project_range(splats, view, settings, range, out);
}

#[inline(always)]
fn project_range(
    splats: &Splats,
    view: &View,
    settings: &Settings,
    range: std::ops::Range<usize>,
    out: &mut Projected,
) {
    for start in range.clone().step_by(BATCH) {
        let lanes = Lanes { start, len: BATCH.min(range.end - start) };
        let shapes = shapes(splats, view, settings, lanes);
        if shapes.is_visible.contains(&true) {
            let colors = colors(splats, &shapes.direction, lanes);
            push(&shapes, &colors, view, settings, out);
        }
    }
}

#[derive(Clone, Copy)]
struct Lanes {
    start: usize,
    len: usize,
}

type Row = [f32; BATCH];

impl Lanes {
    #[inline(always)]
    fn load(self, plane: &[f32]) -> Row {
        let mut out = [0.0; BATCH];
        match plane.get(self.start..self.start + BATCH) {
            Some(all) => out.copy_from_slice(all),
            None => out[..self.len].copy_from_slice(&plane[self.start..]),
        }
        out
    }
}

struct Shapes {
    is_visible: [bool; BATCH],
    x: Row,
    y: Row,
    depth: Row,
    order: Row,
    a: Row,
    b: Row,
    c: Row,
    opacity: Row,
    e_max: Row,
    half: [Row; 2],
    radius: Row,
    direction: [Row; 3],
    normal: [Row; 3],
}

const ZERO: Row = [0.0; BATCH];

#[inline(always)]
fn shapes(splats: &Splats, view: &View, settings: &Settings, lanes: Lanes) -> Shapes {
    let planes = splats.planes();
    let [x, y, z] = &planes.position;
    let position = [lanes.load(x), lanes.load(y), lanes.load(z)];
    let [x, y, z] = &planes.scale;
    let scale = [lanes.load(x), lanes.load(y), lanes.load(z)];
    let [w, x, y, z] = &planes.rotation;
    let rotation = [lanes.load(w), lanes.load(x), lanes.load(y), lanes.load(z)];
    let opacity = lanes.load(&planes.opacity);
    let mut out = Shapes {
        is_visible: [false; BATCH],
        x: ZERO,
        y: ZERO,
        depth: ZERO,
        order: ZERO,
        a: ZERO,
        b: ZERO,
        c: ZERO,
        opacity: ZERO,
        e_max: ZERO,
        half: [ZERO; 2],
        radius: ZERO,
        direction: [ZERO; 3],
        normal: [ZERO; 3],
    };
    for i in 0..BATCH {
        let p = [position[0][i], position[1][i], position[2][i]];
        let s = [scale[0][i], scale[1][i], scale[2][i]];
        let [right, down, forward] = turned(&view.rows, p);
        let (x, y, z) = (right + view.offset[0], down + view.offset[1], forward + view.offset[2]);

        let to = [p[0] - view.eye[0], p[1] - view.eye[1], p[2] - view.eye[2]];
        let distance = dot(to, to).sqrt();
        let mut d = view.forward;
        for k in 0..3 {
            d[k] = if view.is_perspective { to[k] / distance } else { d[k] };
        }

        let per_z = if view.is_perspective { 1.0 / z } else { 1.0 };
        let slope = [x * per_z, y * per_z];
        let held = |axis: usize| {
            let held = max(min(slope[axis], view.hold[axis]), -view.hold[axis]);
            if view.is_perspective { held } else { 0.0 }
        };
        let (held_x, held_y) = (held(0), held(1));
        let (fx, fy) = (view.focal[0] * per_z, view.focal[1] * per_z);

        // Columns of R; then the rows of J W R S, whose squares are the covariance in the picture.
        let axes = columns([rotation[0][i], rotation[1][i], rotation[2][i], rotation[3][i]]);
        let mut across = [0.0; 3];
        let mut along = [0.0; 3];
        for k in 0..3 {
            let [right, down, forward] = turned(&view.rows, axes[k]);
            across[k] = fx * s[k] * (right - held_x * forward);
            along[k] = fy * s[k] * (down - held_y * forward);
        }
        let (xx, yy, xy) = (dot(across, across), dot(along, along), dot(across, along));
        let normal = cross(across, along);
        let det_before = dot(normal, normal); // Cauchy and Binet: no difference of large numbers
        let low_pass = settings.low_pass_px2;
        let det = det_before + low_pass * (xx + yy) + low_pass * low_pass;
        let (cxx, cyy) = (xx + low_pass, yy + low_pass);

        let kept = if settings.compensated { (det_before / det).sqrt() } else { 1.0 };
        let opacity = opacity[i] * kept;
        let e_max = log2_above(opacity * 255.0);
        let reach = 2.0 * std::f32::consts::LN_2 * e_max;
        let enlarged = |variance: f32| (reach * variance).sqrt() * 1.0001 + 0.001;
        let half = [enlarged(cxx), enlarged(cyy)];
        let a = (HALF_LOG2_E * cyy / det).sqrt();
        let half_difference = 0.5 * (cxx - cyy);
        let root = max(0.1, half_difference * half_difference + xy * xy).sqrt();
        let center =
            [slope[0] * view.focal[0] + view.center[0], slope[1] * view.focal[1] + view.center[1]];

        out.x[i] = center[0];
        out.y[i] = center[1];
        out.depth[i] = z;
        out.order[i] = if settings.order == Order::Distance { distance } else { z };
        out.a[i] = a;
        out.b[i] = -(xy / cyy) * a;
        out.c[i] = HALF_LOG2_E / cyy;
        out.opacity[i] = opacity;
        out.e_max[i] = e_max;
        out.half[0][i] = half[0];
        out.half[1][i] = half[1];
        out.radius[i] = (3.0 * (0.5 * (cxx + cyy) + root).sqrt()).ceil();
        for k in 0..3 {
            out.direction[k][i] = d[k];
        }
        // Not short-circuited, and false for undefined numbers. The determinant overflows beyond
        // deviations of 4e9 px.
        out.is_visible[i] = (z > settings.near)
            & (det > 0.0)
            & (det < f32::MAX)
            & (opacity >= ALPHA_MIN)
            & (a > 0.0)
            & (center[0] + half[0] > 0.0)
            & (center[0] - half[0] < view.size[0])
            & (center[1] + half[1] > 0.0)
            & (center[1] - half[1] < view.size[1]);
        if settings.geometry {
            let y_is_shorter = s[1] < s[0];
            let z_is_shortest = s[2] < min(s[0], s[1]);
            let is_round = (s[0] == s[1]) & (s[1] == s[2]);
            let mut axis = axes[2];
            for k in 0..3 {
                let of_two = if y_is_shorter { axes[1][k] } else { axes[0][k] };
                let shortest = if z_is_shortest { axis[k] } else { of_two };
                axis[k] = if is_round { d[k] } else { shortest }; // a ball faces the eye
            }
            let away = dot(axis, d);
            let sign = if away > 0.0 { -1.0 } else { 1.0 };
            // Seen from the edge, it faces neither way.
            let sign = if away == 0.0 { 0.0 } else { sign };
            for k in 0..3 {
                out.normal[k][i] = axis[k] * sign;
            }
        }
    }
    out.is_visible[lanes.len..].fill(false);
    out
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn turned(rows: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)]
}

#[inline(always)]
fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline(always)]
fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The columns of the matrix of a quaternion w, x, y, z of length 1.
#[inline(always)]
fn columns([w, x, y, z]: [f32; 4]) -> [[f32; 3]; 3] {
    let twice = |a: f32, b: f32| 2.0 * a * b;
    [
        [1.0 - twice(y, y) - twice(z, z), twice(x, y) + twice(w, z), twice(x, z) - twice(w, y)],
        [twice(x, y) - twice(w, z), 1.0 - twice(x, x) - twice(z, z), twice(y, z) + twice(w, x)],
        [twice(x, z) + twice(w, y), twice(y, z) - twice(w, x), 1.0 - twice(x, x) - twice(y, y)],
    ]
}

/// At least log₂ x, by at most 0.0862 more: the mantissa's chord, raised by its largest error.
#[inline(always)]
fn log2_above(x: f32) -> f32 {
    x.to_bits() as i32 as f32 * (1.0 / 8_388_608.0) - 127.0 + 0.0862
}

/// Colours seen from the eye, 0 or more.
#[inline(always)]
fn colors(splats: &Splats, direction: &[Row; 3], lanes: Lanes) -> [Row; 3] {
    let planes = &splats.planes().harmonics;
    let mut out = [ZERO; 3];
    for channel in 0..3 {
        let base = lanes.load(&planes[channel]);
        for i in 0..BATCH {
            out[channel][i] = 0.5 + C0 * base[i];
        }
    }
    if splats.degree() > 0 {
        let mut functions = [ZERO; 16];
        for i in 0..BATCH {
            let all = basis(direction[0][i], direction[1][i], direction[2][i]);
            for k in 0..16 {
                functions[k][i] = all[k];
            }
        }
        for k in 1..coefficients(splats.degree()) {
            for channel in 0..3 {
                let coefficient = lanes.load(&planes[3 * k + channel]);
                for i in 0..BATCH {
                    out[channel][i] += functions[k][i] * coefficient[i];
                }
            }
        }
    }
    for channel in &mut out {
        for value in channel {
            *value = max(*value, 0.0);
        }
    }
    out
}

#[inline(always)]
fn push(shapes: &Shapes, colors: &[Row; 3], view: &View, settings: &Settings, out: &mut Projected) {
    for i in (0..BATCH).filter(|&i| shapes.is_visible[i]) {
        let center = [shapes.x[i], shapes.y[i]];
        let half = [shapes.half[0][i], shapes.half[1][i]];
        let mut tiles = [0; 4];
        for axis in 0..2 {
            let side = TILE as f32;
            let mut from = ((center[axis] - half[axis]) / side).max(0.0) as i32;
            let mut to = ((center[axis] + half[axis]) / side).min(SIDE_PX_MAX as f32) as i32 + 1;
            if settings.cut == Cut::Tile16 {
                let radius = shapes.radius[i];
                from = from.max(((center[axis] - radius - 0.5) / side) as i32);
                to = to.min(((center[axis] + radius - 0.5 + 15.0) / side) as i32);
            }
            tiles[2 * axis] = from as u16;
            tiles[2 * axis + 1] = to.min(view.tiles[axis]).max(from) as u16;
        }
        out.ellipses.push(Ellipse {
            x: center[0],
            y: center[1],
            a: shapes.a[i],
            b: shapes.b[i],
            c: shapes.c[i],
            opacity: shapes.opacity[i],
            rgb: [colors[0][i], colors[1][i], colors[2][i]],
            depth: shapes.depth[i],
            half,
            normal: [shapes.normal[0][i], shapes.normal[1][i], shapes.normal[2][i]],
            e_max: shapes.e_max[i],
        });
        out.pairs += area(tiles);
        out.boxes.push(tiles);
        out.keys.push(rising(shapes.order[i]));
    }
}

/// A number with the order of the floats.
#[inline(always)]
fn rising(value: f32) -> u32 {
    let bits = value.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}
