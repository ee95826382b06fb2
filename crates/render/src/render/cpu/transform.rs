//! Vertices → screen: where each lands for one view, in sub-pixels that every later step shares.

use crate::render::shot::{Shot, Window};
use crate::rig::{Camera, Placement, Projection};
use glam::{DMat4, DVec3, Vec3};

/// Sub-pixel steps per pixel: all coverage is decided on this lattice, with integers.
pub(in crate::render) const SUBPIXEL: i32 = 256;

/// Vertices farther from the picture's corner are clipped, so integers cannot overflow.
const GUARD_PX: f32 = 16384.0;

/// Marks a vertex that is behind the camera or beyond the guard band.
pub(in crate::render) const UNREACHABLE: i32 = i32::MIN;

/// A vertex on the screen. 16 bytes.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(in crate::render) struct ScreenVertex {
    /// Sub-pixels from the left edge, or [`UNREACHABLE`].
    pub x: i32,
    /// Sub-pixels from the top edge.
    pub y: i32,
    /// 0 near to 1 far, linear on the screen.
    pub z: f32,
    /// Depth along the view axis (perspective) or 1 (parallel).
    pub w: f32,
}

/// Where triangles of these vertices can be seen, widened to whole blocks of `block` pixels. Beyond
/// the guard band anything may be.
pub(super) fn window(
    vertices: &[ScreenVertex],
    [width, height]: [usize; 2],
    block: [usize; 2],
) -> Window {
    let (mut low, mut high) = ([i32::MAX; 2], [i32::MIN; 2]);
    for vertex in vertices {
        for (axis, at) in [vertex.x, vertex.y].into_iter().enumerate() {
            low[axis] = low[axis].min(at);
            high[axis] = high[axis].max(at);
        }
    }
    if low[0] == UNREACHABLE || vertices.is_empty() {
        return Window::whole(width, height);
    }
    let range = |axis: usize, size: usize| {
        let pixel = |at: i32| i64::from(at.div_euclid(SUBPIXEL)).clamp(0, size as i64) as usize;
        let (first, last) = (pixel(low[axis]), pixel(high[axis]) + 1);
        let end = last.next_multiple_of(block[axis]).min(size);
        first / block[axis] * block[axis]..end
    };
    Window { columns: range(0, width), rows: range(1, height) }
}

/// One view's numbers, in the file's own units so that vertices are used as they are.
#[derive(Debug, Clone, Copy)]
pub(in crate::render) struct ViewTransform {
    /// Rows of screen-from-file: homogeneous x, y in pixels × w, z × w, w.
    rows: [[f32; 4]; 4],
    /// The point all vertices are taken relative to, so that distant origins keep precision.
    center: Vec3,
    /// The camera in file units relative to `center`; `None` for parallel rays.
    eye: Option<Vec3>,
    /// Towards the camera, for parallel rays.
    back: Vec3,
    near: f32,
    zoom: f32,
}

impl ViewTransform {
    /// `camera` is that of the shot's view, `placement` how the rig places the scene.
    pub(crate) fn new(
        camera: &Camera,
        shot: &Shot,
        placement: &Placement,
        width_px: u32,
        height_px: u32,
    ) -> Self {
        let scale = placement.scale;
        let (near, far) = camera.near_and_far(placement.radius);
        let (width, height) = (f64::from(width_px), f64::from(height_px));
        let clip_from_world =
            camera.clip_from_view(width / height, near, far) * camera.view_from_world();
        let [x, y] = shot.at.map(f64::from);
        let half = f64::from(shot.zoom) / 2.0;
        let screen_from_clip = DMat4::from_cols_array(&[
            width * half,
            0.0,
            0.0,
            0.0,
            0.0,
            -height * half,
            0.0,
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
            width * (half - x),
            height * (half - y),
            0.0,
            1.0,
        ]);
        let screen_from_file =
            screen_from_clip * clip_from_world * DMat4::from_scale(DVec3::splat(scale));
        let rows = std::array::from_fn(|r| screen_from_file.row(r).as_vec4().to_array());
        let eye = matches!(camera.projection, Projection::Perspective { .. })
            .then(|| (camera.position() / scale).as_vec3());
        Self {
            rows,
            center: placement.center.as_vec3(),
            eye,
            back: camera.back.as_vec3(),
            near: near as f32,
            zoom: shot.zoom as f32,
        }
    }

    /// How many pixels along an edge become one of the picture: textures are filtered for the
    /// picture, not for the shot that is reduced to it.
    pub(crate) fn zoom(&self) -> f32 {
        self.zoom
    }

    /// Homogeneous screen coordinates of a position in the file.
    #[inline(always)]
    pub(crate) fn homogeneous(&self, position: Vec3) -> [f32; 4] {
        let p = position - self.center;
        self.rows.map(|row| row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3])
    }

    /// Rows of screen-from-file, for positions relative to [`ViewTransform::center`].
    pub(crate) fn rows(&self) -> [[f32; 4]; 4] {
        self.rows
    }

    /// The point that positions are taken relative to.
    pub(crate) fn center(&self) -> Vec3 {
        self.center
    }

    /// Depth along the view axis below which nothing is drawn.
    pub(crate) fn near_w(&self) -> f32 {
        if self.eye.is_some() { self.near } else { f32::MIN }
    }

    /// The eye relative to the scene's centre, or `None` for parallel rays.
    pub(crate) fn eye(&self) -> Option<Vec3> {
        self.eye
    }

    /// Unit vector from the scene towards the camera.
    pub(crate) fn back(&self) -> Vec3 {
        self.back
    }

    /// Homogeneous screen coordinates `(x − px · w, y − py · w, w)` relative to `point` (pixels) of
    /// a vertex that has no snapped position.
    #[inline(always)]
    pub(crate) fn exact_to_point(&self, position: Vec3, point: [f32; 2]) -> [f32; 3] {
        let [x, y, _, w] = self.homogeneous(position);
        [x - point[0] * w, y - point[1] * w, w]
    }

    /// Where a position lands.
    #[inline(always)]
    pub(crate) fn apply(&self, position: Vec3) -> ScreenVertex {
        let [x, y, z, w] = self.homogeneous(position);
        if w < self.near_w() {
            return ScreenVertex { x: UNREACHABLE, y: 0, z: 0.0, w };
        }
        let inverse_w = 1.0 / w;
        let (x, y) = (x * inverse_w, y * inverse_w);
        let is_inside = x > -GUARD_PX && x < GUARD_PX && y > -GUARD_PX && y < GUARD_PX;
        ScreenVertex {
            x: if is_inside { to_subpixel(x) } else { UNREACHABLE },
            y: to_subpixel(y),
            z: z * inverse_w,
            w,
        }
    }
}

/// Rounds half away from zero; the same on every machine.
#[inline(always)]
fn to_subpixel(pixels: f32) -> i32 {
    let scaled = pixels * SUBPIXEL as f32;
    (scaled + if scaled < 0.0 { -0.5 } else { 0.5 }) as i32
}

/// Transforms positions into `out`, which has their number.
pub(in crate::render) fn transform(
    positions: &[Vec3],
    transform: &ViewTransform,
    out: &mut [ScreenVertex],
) {
    for (out, &position) in out.iter_mut().zip(positions) {
        *out = transform.apply(position);
    }
}

/// A triangle that reaches behind the camera or past the guard band → triangles that remain.
pub(in crate::render) fn clipped_parts(
    positions: [Vec3; 3],
    transform: &ViewTransform,
) -> Vec<[ScreenVertex; 3]> {
    let homogeneous = positions.map(|p| transform.homogeneous(p));
    let polygon: Vec<ScreenVertex> = clip(homogeneous, transform.near_w())
        .into_iter()
        .map(|[x, y, z, w]| ScreenVertex {
            x: to_subpixel((x / w) as f32),
            y: to_subpixel((y / w) as f32),
            z: (z / w) as f32,
            w: w as f32,
        })
        .collect();
    (2..polygon.len()).map(|k| [polygon[0], polygon[k - 1], polygon[k]]).collect()
}

/// A triangle cut to the near plane and the guard band → the polygon that is left, in homogeneous
/// screen coordinates, at most 8 corners.
fn clip(corners: [[f32; 4]; 3], near_w: f32) -> Vec<[f64; 4]> {
    let guard = f64::from(GUARD_PX) * 0.5;
    let near = f64::from(near_w.max(-1e30));
    // Each plane as the factors of x, y, w and a constant; ≥ 0 inside.
    let planes = [
        [0.0, 0.0, 1.0, -near],
        [1.0, 0.0, guard, 0.0],
        [-1.0, 0.0, guard, 0.0],
        [0.0, 1.0, guard, 0.0],
        [0.0, -1.0, guard, 0.0],
    ];
    let mut polygon: Vec<[f64; 4]> = corners.iter().map(|c| c.map(f64::from)).collect();
    for [x, y, w, constant] in planes {
        let distance = |p: &[f64; 4]| x * p[0] + y * p[1] + w * p[3] + constant;
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, current) in polygon.iter().enumerate() {
            let previous = &polygon[(i + polygon.len() - 1) % polygon.len()];
            let (d0, d1) = (distance(previous), distance(current));
            if (d0 >= 0.0) != (d1 >= 0.0) {
                let t = d0 / (d0 - d1);
                kept.push(std::array::from_fn(|k| previous[k] + (current[k] - previous[k]) * t));
            }
            if d1 >= 0.0 {
                kept.push(*current);
            }
        }
        polygon = kept;
        if polygon.len() < 3 {
            return Vec::new();
        }
    }
    polygon
}
