//! Triangles → the visibility buffer: which triangle each sample of each pixel sees.
//!
//! Four samples a pixel on a rotated grid. Coverage is exact integer arithmetic with a top-left
//! rule, so triangles that share an edge cover each sample once. Depth decides; at equal depth the
//! earlier triangle stays. Does not shade.

use super::prepare::PreparedMesh;
use super::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE, ViewTransform, clipped_parts};
use crate::render::samples::{SAMPLE_X, SAMPLE_Y, SAMPLES};
use std::ops::Range;
use wide::{f32x4, i32x4, u32x4};

/// log2 of [`SUBPIXEL`].
pub(super) const SUBPIXEL_BITS: i32 = 8;

/// No triangle.
pub(super) const NOTHING: u32 = u32::MAX;

/// Triangles up to this many pixels wide and high are walked pixel by pixel with 32-bit edge
/// functions: (64 · 256)² · 2 < 2³¹.
pub(super) const SMALL_PX: i32 = 64;

/// Larger triangles are walked in square blocks of this many pixels.
const BLOCK_PX: i32 = 8;

/// The four samples of one pixel. 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(32))]
pub(super) struct PixelSamples {
    /// 0 near to 1 far; [`f32::INFINITY`] where nothing is.
    pub depth: [f32; SAMPLES],
    /// Triangle index in the shared list, or [`NOTHING`].
    pub triangle: [u32; SAMPLES],
}

impl PixelSamples {
    pub(super) const EMPTY: Self =
        Self { depth: [f32::INFINITY; SAMPLES], triangle: [NOTHING; SAMPLES] };

    /// Keeps a triangle at the samples where `outside` is not negative and its depth is within 0..1
    /// and the nearest; at equal depth the earlier triangle stays, in whichever order they come.
    /// Without a branch: a processor cannot predict which samples a small triangle covers.
    #[inline(always)]
    pub(super) fn keep(&mut self, outside: i32x4, depth: f32x4, triangle: u32) {
        let (old_depth, old) = (f32x4::from(self.depth), u32x4::from(self.triangle));
        let new = u32x4::splat(triangle);
        let is_earlier: f32x4 = bytemuck::cast(old.simd_gt(new));
        let is_nearer = depth.simd_lt(old_depth) | (depth.simd_eq(old_depth) & is_earlier);
        let is_within = depth.simd_ge(f32x4::ZERO) & depth.simd_le(f32x4::ONE);
        let is_taken: i32x4 = bytemuck::cast(is_nearer & is_within);
        let is_taken = is_taken & !(outside >> 31_i32);
        self.depth = bytemuck::cast::<_, f32x4>(is_taken).bitselect(depth, old_depth).to_array();
        self.triangle = bytemuck::cast::<_, u32x4>(is_taken).bitselect(new, old).to_array();
    }
}

/// A horizontal band of a picture.
pub(super) struct Target<'a> {
    /// Row-major, `width × rows.len()`.
    pub pixels: &'a mut [PixelSamples],
    pub width: i32,
    /// Rows of the whole picture that `pixels` holds.
    pub rows: Range<i32>,
}

impl Target<'_> {
    /// The place of a pixel in `pixels`.
    #[inline(always)]
    pub(super) fn index(&self, x: i32, y: i32) -> usize {
        let row = (y - self.rows.start) as usize;
        row * self.width as usize + x as usize
    }

    #[inline(always)]
    pub(super) fn at(&mut self, x: i32, y: i32) -> &mut PixelSamples {
        let index = self.index(x, y);
        &mut self.pixels[index]
    }
}

/// Handles a pixel's covered samples: the opaque pass keeps the nearest, the blended one all.
pub(super) trait Sink {
    /// `covered` has bit s set where sample s is covered and within depth 0..1; at least one is.
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32);

    /// `outside` is negative at uncovered samples, which may be all; depth may be out of range.
    #[inline(always)]
    fn tested(&mut self, x: i32, y: i32, outside: i32x4, depth: f32x4, triangle: u32) {
        let covered = !(outside.to_bitmask() | out_of_range(depth).to_bitmask()) as u8 & 0b1111;
        if covered != 0 {
            self.pixel(x, y, covered, depth.to_array(), triangle);
        }
    }
}

/// All bits set where a depth is not within 0..1.
#[inline(always)]
fn out_of_range(depth: f32x4) -> f32x4 {
    depth.simd_lt(f32x4::ZERO) | f32x4::ONE.simd_lt(depth)
}

/// Keeps the nearest triangle of each sample.
pub(super) struct NearestSink<'t, 'a> {
    pub target: &'t mut Target<'a>,
}

impl Sink for NearestSink<'_, '_> {
    #[inline(always)]
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32) {
        let samples = self.target.at(x, y);
        for (s, depth) in depth.into_iter().enumerate() {
            let is_earlier = depth == samples.depth[s] && triangle < samples.triangle[s];
            if covered >> s & 1 == 1 && (depth < samples.depth[s] || is_earlier) {
                samples.depth[s] = depth;
                samples.triangle[s] = triangle;
            }
        }
    }

    #[inline(always)]
    fn tested(&mut self, x: i32, y: i32, outside: i32x4, depth: f32x4, triangle: u32) {
        if outside.to_bitmask() != 0b1111 {
            self.target.at(x, y).keep(outside, depth, triangle);
        }
    }
}

/// A triangle ready to walk. Its area is positive for either winding on the y-down screen.
struct Setup {
    /// Edge i runs from corner i + 1 to corner i + 2; inside where all three are ≥ 0.
    edges: [Edge; 3],
    /// Depth at the centre of pixel (0, 0) relative to `origin`, and its change per sub-pixel.
    depth: DepthPlane,
    /// Pixel range, clamped to the target.
    x: Range<i32>,
    y: Range<i32>,
}

/// `a · x + b · y + c ≥ 0` inside, x and y in sub-pixels; the top-left rule is in `c`.
#[derive(Clone, Copy)]
struct Edge {
    a: i64,
    b: i64,
    c: i64,
}

impl Edge {
    #[inline(always)]
    fn new(from: (i32, i32), to: (i32, i32)) -> Self {
        let a = i64::from(from.1) - i64::from(to.1);
        let b = i64::from(to.0) - i64::from(from.0);
        let c = -(a * i64::from(from.0) + b * i64::from(from.1));
        // Positive area on a y-down screen is clockwise to the eye: a top edge runs right (a = 0,
        // b > 0), a left edge runs up (a > 0).
        let is_top_left = a > 0 || (a == 0 && b > 0);
        Self { a, b, c: if is_top_left { c } else { c - 1 } }
    }

    #[inline(always)]
    fn at(&self, x: i64, y: i64) -> i64 {
        self.a * x + self.b * y + self.c
    }
}

#[derive(Clone, Copy)]
struct DepthPlane {
    origin: (i32, i32),
    z: f32,
    dx: f32,
    dy: f32,
}

impl DepthPlane {
    #[inline(always)]
    fn at_samples(&self, x: i32, y: i32) -> f32x4 {
        let dx = (x * SUBPIXEL - self.origin.0) as f32;
        let dy = (y * SUBPIXEL - self.origin.1) as f32;
        depth_at_samples(self.z, [self.dx, self.dy], [dx, dy])
    }
}

/// Depth at the samples of the pixel whose corner is `at` sub-pixels from the point where depth is
/// `z`; `change` is per sub-pixel.
#[inline(always)]
pub(super) fn depth_at_samples(z: f32, change: [f32; 2], at: [f32; 2]) -> f32x4 {
    let base = z + change[0] * at[0] + change[1] * at[1];
    let offsets_x = f32x4::from(SAMPLE_X.map(|v| v as f32));
    let offsets_y = f32x4::from(SAMPLE_Y.map(|v| v as f32));
    f32x4::splat(base) + offsets_x * f32x4::splat(change[0]) + offsets_y * f32x4::splat(change[1])
}

/// Draws a mesh's triangles into a sink, in order. `vertices` are the mesh's, transformed.
#[inline(always)]
pub(super) fn draw_mesh<S: Sink>(
    mesh: &PreparedMesh<'_>,
    vertices: &[ScreenVertex],
    transform: &ViewTransform,
    width: i32,
    rows: &Range<i32>,
    sink: &mut S,
) {
    for index in 0..mesh.mesh.triangles().len() {
        draw_indexed(mesh, vertices, index, transform, width, rows, sink);
    }
}

/// Draws one triangle of a mesh.
#[inline(always)]
pub(super) fn draw_indexed<S: Sink>(
    mesh: &PreparedMesh<'_>,
    vertices: &[ScreenVertex],
    index: usize,
    transform: &ViewTransform,
    width: i32,
    rows: &Range<i32>,
    sink: &mut S,
) {
    let is_double_sided = mesh.material.double_sided;
    let indices = mesh.mesh.triangles()[index];
    let corners = indices.map(|vertex| vertices[vertex as usize]);
    let triangle = mesh.first_triangle + index as u32;
    if corners.iter().all(|corner| corner.x != UNREACHABLE) {
        draw_triangle(corners, is_double_sided, triangle, width, rows, sink);
    } else {
        let positions = indices.map(|vertex| mesh.mesh.positions()[vertex as usize]);
        draw_clipped(positions, transform, is_double_sided, triangle, width, rows, sink);
    }
}

/// The rare triangle that reaches behind the camera or far outside.
#[cold]
fn draw_clipped<S: Sink>(
    positions: [glam::Vec3; 3],
    transform: &ViewTransform,
    is_double_sided: bool,
    triangle: u32,
    width: i32,
    rows: &Range<i32>,
    sink: &mut S,
) {
    for corners in clipped_parts(positions, transform) {
        draw_triangle(corners, is_double_sided, triangle, width, rows, sink);
    }
}

#[inline(always)]
fn draw_triangle<S: Sink>(
    corners: [ScreenVertex; 3],
    is_double_sided: bool,
    triangle: u32,
    width: i32,
    rows: &Range<i32>,
    sink: &mut S,
) {
    let Some(setup) = set_up(corners, is_double_sided, width, rows) else {
        return;
    };
    if is_small(&corners) {
        // The corner is within a pixel of the triangle's box: values < 2 · 64² · 256² + 2²³ < 2³⁰.
        let (x, y) = (setup.x.clone(), setup.y.clone());
        let edges = setup.edges.each_ref();
        let edges = edges.map(|edge| NearEdge::new(edge, x.start, y.start));
        walk_pixels(&setup.depth, edges, x, y, triangle, sink);
    } else {
        walk_blocks(&setup, triangle, sink);
    }
}

/// Whether the whole triangle, not only its visible part, fits the 32-bit edge functions.
#[inline(always)]
fn is_small(corners: &[ScreenVertex; 3]) -> bool {
    let limit = SMALL_PX * SUBPIXEL;
    let spread = |a: i32, b: i32, c: i32| a.max(b).max(c) - a.min(b).min(c);
    spread(corners[0].x, corners[1].x, corners[2].x) <= limit
        && spread(corners[0].y, corners[1].y, corners[2].y) <= limit
}

/// The first pixel along an axis with a sample that is not before `low`; samples are at 32, 96, 160
/// and 224 sub-pixels along both. Also for numbers that mean nothing.
#[inline(always)]
pub(super) fn first_pixel(low: i32) -> i32 {
    low.wrapping_sub(224 - SUBPIXEL + 1) >> SUBPIXEL_BITS
}

/// The pixel after the last with a sample that is not past `high`.
#[inline(always)]
pub(super) fn past_last_pixel(high: i32) -> i32 {
    (high.wrapping_sub(32) >> SUBPIXEL_BITS) + 1
}

/// `None` where the triangle faces away, has no area or covers no sample of the target.
#[inline(always)]
fn set_up(
    [v0, v1, v2]: [ScreenVertex; 3],
    is_double_sided: bool,
    width: i32,
    rows: &Range<i32>,
) -> Option<Setup> {
    let (ax, ay) = (i64::from(v1.x) - i64::from(v0.x), i64::from(v1.y) - i64::from(v0.y));
    let (bx, by) = (i64::from(v2.x) - i64::from(v0.x), i64::from(v2.y) - i64::from(v0.y));
    let area = ax * by - ay * bx;
    // Counter-clockwise to the eye is negative on a y-down screen.
    let is_front = area < 0;
    if area == 0 || (!is_front && !is_double_sided) {
        return None;
    }
    let x = first_pixel(v0.x.min(v1.x).min(v2.x)).max(0)
        ..past_last_pixel(v0.x.max(v1.x).max(v2.x)).min(width);
    let y = first_pixel(v0.y.min(v1.y).min(v2.y)).max(rows.start)
        ..past_last_pixel(v0.y.max(v1.y).max(v2.y)).min(rows.end);
    if x.start >= x.end || y.start >= y.end {
        return None;
    }
    let (p0, p1, p2) = ((v0.x, v0.y), (v1.x, v1.y), (v2.x, v2.y));
    let (p1, p2) = if is_front { (p2, p1) } else { (p1, p2) };
    let inverse_area = 1.0 / area as f32;
    let (dz1, dz2) = (v1.z - v0.z, v2.z - v0.z);
    Some(Setup {
        edges: [Edge::new(p1, p2), Edge::new(p2, p0), Edge::new(p0, p1)],
        depth: DepthPlane {
            origin: p0,
            z: v0.z,
            dx: (dz1 * by as f32 - dz2 * ay as f32) * inverse_area,
            dy: (dz2 * ax as f32 - dz1 * bx as f32) * inverse_area,
        },
        x,
        y,
    })
}

/// An edge function near a pixel, in 32 bits: value at the pixel's corner, change per sub-pixel.
#[derive(Clone, Copy)]
struct NearEdge {
    at: i32,
    a: i32,
    b: i32,
}

impl NearEdge {
    /// Every sample is inside.
    const INSIDE: Self = Self { at: 0, a: 0, b: 0 };

    /// `x` and `y` are the pixel's; values within reach of it must fit 32 bits.
    #[inline(always)]
    fn new(edge: &Edge, x: i32, y: i32) -> Self {
        let corner = [x, y].map(|at| i64::from(at * SUBPIXEL));
        Self { at: edge.at(corner[0], corner[1]) as i32, a: edge.a as i32, b: edge.b as i32 }
    }
}

/// Tests every sample of a range of pixels; `edges` are relative to its first pixel.
#[inline(always)]
fn walk_pixels<S: Sink>(
    depth: &DepthPlane,
    edges: [NearEdge; 3],
    x: Range<i32>,
    y: Range<i32>,
    triangle: u32,
    sink: &mut S,
) {
    // Products one by one: SSE2 has no multiplication of four integers.
    let mut row = edges.map(|NearEdge { at, a, b }| {
        i32x4::from(std::array::from_fn(|s| at + SAMPLE_X[s] * a + SAMPLE_Y[s] * b))
    });
    let step_x = edges.map(|edge| i32x4::splat(edge.a * SUBPIXEL));
    let step_y = edges.map(|edge| i32x4::splat(edge.b * SUBPIXEL));
    for py in y {
        let mut at = row;
        for px in x.clone() {
            let depth = depth.at_samples(px, py);
            sink.tested(px, py, at[0] | at[1] | at[2], depth, triangle);
            for k in 0..3 {
                at[k] += step_x[k];
            }
        }
        for k in 0..3 {
            row[k] += step_y[k];
        }
    }
}

/// Drops samples outside the depth range, then hands the rest to the sink.
#[inline(always)]
fn emit<S: Sink>(setup: &Setup, x: i32, y: i32, covered: u8, triangle: u32, sink: &mut S) {
    let depth = setup.depth.at_samples(x, y);
    let covered = covered & !(out_of_range(depth).to_bitmask() as u8);
    if covered != 0 {
        sink.pixel(x, y, covered, depth.to_array(), triangle);
    }
}

/// From this sum of x and y changes, edges do not fit 32 bits in a block: 2¹⁹ · 8 · 256 = 2³⁰.
const STEEP: i64 = 1 << 19;

/// Large triangles: whole blocks are taken or left by their corners, with 64-bit edge functions;
/// within a block, edges that cross it are followed with 32 bits.
fn walk_blocks<S: Sink>(setup: &Setup, triangle: u32, sink: &mut S) {
    let block_span = i64::from((BLOCK_PX - 1) * SUBPIXEL);
    let mut y = setup.y.start;
    while y < setup.y.end {
        let y_end = (y + BLOCK_PX).min(setup.y.end);
        let mut x = setup.x.start;
        while x < setup.x.end {
            let x_end = (x + BLOCK_PX).min(setup.x.end);
            let mut is_outside = false;
            let mut is_steep = false;
            let mut near = [NearEdge::INSIDE; 3];
            for (near, edge) in near.iter_mut().zip(&setup.edges) {
                // The extreme samples of a full block: 32 into its first pixel, 224 into its last.
                let low_x = i64::from(x * SUBPIXEL) + 32;
                let low_y = i64::from(y * SUBPIXEL) + 32;
                let (high_x, high_y) = (low_x + block_span + 192, low_y + block_span + 192);
                let best = edge.at(
                    if edge.a > 0 { high_x } else { low_x },
                    if edge.b > 0 { high_y } else { low_y },
                );
                let worst = edge.at(
                    if edge.a > 0 { low_x } else { high_x },
                    if edge.b > 0 { low_y } else { high_y },
                );
                is_outside |= best < 0;
                if worst < 0 {
                    is_steep |= edge.a.abs() + edge.b.abs() >= STEEP;
                    *near = NearEdge::new(edge, x, y);
                }
            }
            if is_steep && !is_outside {
                walk_block_edge(setup, x..x_end, y..y_end, triangle, sink);
            } else if !is_outside {
                walk_pixels(&setup.depth, near, x..x_end, y..y_end, triangle, sink);
            }
            x = x_end;
        }
        y = y_end;
    }
}

/// A block that a steep edge crosses, in 64 bits. Rare: the triangle spans thousands of pixels.
fn walk_block_edge<S: Sink>(
    setup: &Setup,
    x: Range<i32>,
    y: Range<i32>,
    triangle: u32,
    sink: &mut S,
) {
    for py in y {
        for px in x.clone() {
            let mut covered = 0_u8;
            for s in 0..SAMPLES {
                let sx = i64::from(px * SUBPIXEL + SAMPLE_X[s]);
                let sy = i64::from(py * SUBPIXEL + SAMPLE_Y[s]);
                let is_in = setup.edges.iter().all(|edge| edge.at(sx, sy) >= 0);
                covered |= u8::from(is_in) << s;
            }
            if covered != 0 {
                emit(setup, px, py, covered, triangle, sink);
            }
        }
    }
}
