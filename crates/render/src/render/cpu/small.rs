//! Opaque triangles of a few pixels, many at a time: what dense meshes consist of.
//!
//! Some hundred triangles are looked at together, coordinate by coordinate, so that a processor
//! decides on eight at once; those that are seen are put together by the size of their box of
//! pixels, and each size has its own way without a loop. What a processor cannot guess is not
//! asked. The order in which triangles are drawn changes by that, and nothing that is seen: see
//! [`PixelSamples::keep`].

use super::prepare::PreparedMesh;
use super::raster::{
    NearestSink, SMALL_PX, Target, depth_at_samples, draw_indexed, first_pixel, past_last_pixel,
};
use super::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE, ViewTransform};
use crate::render::lanes::prefetch;
use crate::render::samples::{SAMPLE_X, SAMPLE_Y, SAMPLES};
use wide::{i16x8, i32x4};

/// Triangles that are looked at together.
const CHUNK: usize = 256;

/// The ways a triangle can be drawn, by the width and height of its box in pixels.
const NOT: u8 = 0;
const ONE: u8 = 1;
const WIDE: u8 = 2;
const HIGH: u8 = 3;
const FOUR: u8 = 4;
/// Up to [`FEW_PX`] wide and high.
const FEW: u8 = 5;
/// As any other triangle.
const ELSE: u8 = 6;
const WAYS: usize = 7;

/// Of a larger box so much is empty that it is better walked with branches.
const FEW_PX: i32 = 4;

/// Some triangles, coordinate by coordinate.
struct Chunk {
    /// Of each corner, in sub-pixels.
    x: [[i32; CHUNK]; 3],
    y: [[i32; CHUNK]; 3],
    /// The box: first pixels, and numbers of pixels.
    left: [i32; CHUNK],
    top: [i32; CHUNK],
    columns: [i32; CHUNK],
    lines: [i32; CHUNK],
    way: [u8; CHUNK],
}

/// What all triangles of a mesh share.
struct Drawn<'a> {
    mesh: &'a PreparedMesh<'a>,
    vertices: &'a [ScreenVertex],
}

/// Draws an opaque mesh. `vertices` are the mesh's own, transformed.
#[inline(always)]
pub(super) fn draw_mesh(
    mesh: &PreparedMesh<'_>,
    vertices: &[ScreenVertex],
    transform: &ViewTransform,
    target: &mut Target<'_>,
) {
    let drawn = Drawn { mesh, vertices };
    let mut chunk = Chunk {
        x: [[0; CHUNK]; 3],
        y: [[0; CHUNK]; 3],
        left: [0; CHUNK],
        top: [0; CHUNK],
        columns: [0; CHUNK],
        lines: [0; CHUNK],
        way: [NOT; CHUNK],
    };
    let mut lists = [[0_u8; CHUNK]; WAYS];
    let triangles = mesh.mesh.triangles();
    for (chunk_idx, triangles) in triangles.chunks(CHUNK).enumerate() {
        let first = chunk_idx * CHUNK;
        for (k, corners) in triangles.iter().enumerate() {
            for (c, &vertex) in corners.iter().enumerate() {
                let vertex = &vertices[vertex as usize];
                (chunk.x[c][k], chunk.y[c][k]) = (vertex.x, vertex.y);
            }
        }
        chunk.choose_ways(target, mesh.material.double_sided);
        let counts = chunk.sort(triangles.len(), target, &mut lists);
        let list = |way: u8| &lists[way as usize][..counts[way as usize]];
        for &k in list(ONE) {
            drawn.draw(&chunk, first, k, [1, 1], target);
        }
        for &k in list(WIDE) {
            drawn.draw(&chunk, first, k, [2, 1], target);
        }
        for &k in list(HIGH) {
            drawn.draw(&chunk, first, k, [1, 2], target);
        }
        for &k in list(FOUR) {
            drawn.draw(&chunk, first, k, [2, 2], target);
        }
        for &k in list(FEW) {
            let idx = usize::from(k);
            let size = [chunk.columns[idx] as usize, chunk.lines[idx] as usize];
            drawn.draw(&chunk, first, k, size, target);
        }
        let (width, rows) = (target.width, target.rows.clone());
        let mut sink = NearestSink { target };
        for &k in list(ELSE) {
            let index = first + usize::from(k);
            draw_indexed(mesh, vertices, index, transform, width, &rows, &mut sink);
        }
    }
}

impl Chunk {
    /// Finds each triangle's box and how to draw it. A plain loop that compilers vectorise.
    #[inline(always)]
    fn choose_ways(&mut self, target: &Target<'_>, is_double_sided: bool) {
        let ([x0, x1, x2], [y0, y1, y2]) = (&self.x, &self.y);
        let (width, rows) = (target.width, &target.rows);
        for k in 0..CHUNK {
            let (ax, ay) = (x1[k].wrapping_sub(x0[k]), y1[k].wrapping_sub(y0[k]));
            let (bx, by) = (x2[k].wrapping_sub(x0[k]), y2[k].wrapping_sub(y0[k]));
            // Right where the triangle is small.
            let area = ax.wrapping_mul(by).wrapping_sub(ay.wrapping_mul(bx));
            let (low_x, high_x) = (x0[k].min(x1[k]).min(x2[k]), x0[k].max(x1[k]).max(x2[k]));
            let (low_y, high_y) = (y0[k].min(y1[k]).min(y2[k]), y0[k].max(y1[k]).max(y2[k]));
            let limit = SMALL_PX * SUBPIXEL;
            let is_small = (low_x != UNREACHABLE)
                & (high_x.wrapping_sub(low_x) <= limit)
                & (high_y.wrapping_sub(low_y) <= limit);
            // As in `raster::set_up`.
            let is_front = area < 0;
            let is_shown = (area != 0) & (is_front | is_double_sided);
            let (left, right) = (first_pixel(low_x).max(0), past_last_pixel(high_x).min(width));
            let (top, bottom) =
                (first_pixel(low_y).max(rows.start), past_last_pixel(high_y).min(rows.end));
            let (columns, lines) = (right.wrapping_sub(left), bottom.wrapping_sub(top));
            let is_seen = is_shown & (columns > 0) & (lines > 0);
            let is_tiny = (columns <= 2) & (lines <= 2);
            let tiny = columns + 2 * lines - 2;
            let is_few = (columns <= FEW_PX) & (lines <= FEW_PX);
            let larger = i32::from(if is_few { FEW } else { ELSE });
            let drawn = if is_tiny { tiny } else { larger };
            let small = if is_seen { drawn } else { i32::from(NOT) };
            self.way[k] = (if is_small { small } else { i32::from(ELSE) }) as u8;
            (self.left[k], self.top[k]) = (left, top);
            (self.columns[k], self.lines[k]) = (columns, lines);
        }
    }

    /// Sorts the first `count` triangles by way; prefetches their pixels. Returns list lengths.
    #[inline(always)]
    fn sort(
        &self,
        count: usize,
        target: &Target<'_>,
        lists: &mut [[u8; CHUNK]; WAYS],
    ) -> [usize; WAYS] {
        let (mut seen, mut num_seen) = ([0_u8; CHUNK], 0);
        for k in 0..count {
            seen[num_seen] = k as u8;
            num_seen += usize::from(self.way[k] != NOT);
        }
        let mut counts = [0; WAYS];
        for &k in &seen[..num_seen] {
            let idx = usize::from(k);
            let way = usize::from(self.way[idx]) % WAYS;
            lists[way][counts[way] % CHUNK] = k;
            counts[way] += 1;
            let first = target.index(self.left[idx], self.top[idx]);
            prefetch(target.pixels, first);
            prefetch(target.pixels, first.wrapping_add(target.width as usize));
        }
        counts
    }
}

impl Drawn<'_> {
    /// Draws one triangle, whose box has `columns` times `lines` pixels.
    #[inline(always)]
    fn draw(
        &self,
        chunk: &Chunk,
        first: usize,
        k: u8,
        [columns, lines]: [usize; 2],
        target: &mut Target<'_>,
    ) {
        let k = usize::from(k);
        let index = first + k;
        let id = self.mesh.first_triangle + index as u32;
        let [z0, z1, z2] =
            self.mesh.mesh.triangles()[index].map(|vertex| self.vertices[vertex as usize].z);
        let p: [(i32, i32); 3] = std::array::from_fn(|c| (chunk.x[c][k], chunk.y[c][k]));
        let (ax, ay) = (p[1].0 - p[0].0, p[1].1 - p[0].1);
        let (bx, by) = (p[2].0 - p[0].0, p[2].1 - p[0].1);
        let area = ax * by - ay * bx;
        let (p1, p2) = if area < 0 { (p[2], p[1]) } else { (p[1], p[2]) };
        let (left, top) = (chunk.left[k], chunk.top[k]);
        let corner = (left * SUBPIXEL, top * SUBPIXEL);
        let mut row =
            [edge_at(p1, p2, corner), edge_at(p2, p[0], corner), edge_at(p[0], p1, corner)];
        let inverse_area = 1.0 / area as f32;
        let (dz1, dz2) = (z1 - z0, z2 - z0);
        let dx = (dz1 * by as f32 - dz2 * ay as f32) * inverse_area;
        let dy = (dz2 * ax as f32 - dz1 * bx as f32) * inverse_area;
        for line in 0..lines {
            let start = target.index(left, top + line as i32);
            let Some(pixels) = target.pixels.get_mut(start..start + columns) else {
                return;
            };
            for (column, pixel) in pixels.iter_mut().enumerate() {
                let x = corner.0 + column as i32 * SUBPIXEL - p[0].0;
                let y = corner.1 + line as i32 * SUBPIXEL - p[0].1;
                let depth = depth_at_samples(z0, [dx, dy], [x as f32, y as f32]);
                let outside = |edge: &SmallEdge| edge.at + edge.step_x(column);
                pixel.keep(outside(&row[0]) | outside(&row[1]) | outside(&row[2]), depth, id);
            }
            for edge in &mut row {
                edge.at += i32x4::splat(edge.b * SUBPIXEL);
            }
        }
    }
}

/// An edge function with 32 bits, for triangles no larger than [`SMALL_PX`].
struct SmallEdge {
    /// At the four samples of a pixel.
    at: i32x4,
    a: i32,
    b: i32,
}

impl SmallEdge {
    #[inline(always)]
    fn step_x(&self, pixels: usize) -> i32x4 {
        i32x4::splat(self.a * SUBPIXEL * pixels as i32)
    }
}

/// The samples of a pixel, x and y in turn.
const SAMPLES_XY: [i16; 2 * SAMPLES] = {
    let mut samples = [0; 2 * SAMPLES];
    let mut s = 0;
    while s < SAMPLES {
        samples[2 * s] = SAMPLE_X[s] as i16;
        samples[2 * s + 1] = SAMPLE_Y[s] as i16;
        s += 1;
    }
    samples
};

/// As `raster::Edge`, at the pixel whose corner is given.
#[inline(always)]
fn edge_at(from: (i32, i32), to: (i32, i32), corner: (i32, i32)) -> SmallEdge {
    let (a, b) = (from.1 - to.1, to.0 - from.0);
    let is_top_left = (a > 0) | ((a == 0) & (b > 0));
    let at = a * (corner.0 - from.0) + b * (corner.1 - from.1) - i32::from(!is_top_left);
    // Both are within ± 64 · 256 = 2¹⁴.
    let steps: i16x8 = bytemuck::cast(i32x4::splat((b << 16) | (a & 0xffff)));
    SmallEdge { at: i32x4::splat(at) + steps.dot(i16x8::from(SAMPLES_XY)), a, b }
}

#[cfg(test)]
mod tests {
    use super::super::prepare::{build_textures, prepare_meshes};
    use super::super::raster::{self, PixelSamples};
    use super::*;
    use crate::render::Settings;
    use crate::render::shot::Shot;
    use crate::rig::Rig;
    use crate::scene::draws::{STEP, mixed};
    use crate::scene::{Material, Mesh, MeshParts, Scene};
    use glam::Vec3;

    const WIDTH: i32 = 61;
    const HEIGHT: i32 = 47;

    /// Numbers that look random.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: i32) -> i32 {
            self.0 = self.0.wrapping_add(STEP);
            (mixed(self.0) % end as u64) as i32
        }

        /// Corners of triangles of every size, many of them on samples and at one depth; a few out
        /// of reach, some nearer or farther than all depths.
        fn corners(&mut self, count: usize) -> Vec<ScreenVertex> {
            let mut corners = Vec::new();
            for _ in 0..count {
                let spread = [100, 300, 700, 1500, 20_000][self.below(5) as usize];
                let place =
                    [self.below((WIDTH + 8) * SUBPIXEL), self.below((HEIGHT + 8) * SUBPIXEL)];
                let step = [1, 32, 64][self.below(3) as usize];
                let depth = self.below(12);
                let slope = self.below(2) * 11;
                for _ in 0..3 {
                    let [x, y] = place.map(|at| at - 4 * SUBPIXEL + self.below(spread));
                    let is_reachable = self.below(200) != 0;
                    corners.push(ScreenVertex {
                        x: if is_reachable { x / step * step } else { UNREACHABLE },
                        y: y / step * step,
                        z: (depth + self.below(slope + 1)) as f32 * 0.0625 - 0.1,
                        w: 1.0,
                    });
                }
            }
            corners
        }
    }

    fn scene(num_triangles: usize, double_sided: bool) -> Scene {
        let indices = 0..num_triangles as u32;
        let mesh = Mesh::new(MeshParts {
            positions: (0..3 * num_triangles)
                .map(|k| Vec3::new((k % 7) as f32, (k % 5) as f32, (k % 3) as f32))
                .collect(),
            triangles: indices.map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect(),
            ..MeshParts::default()
        });
        let material = Material { double_sided, ..Material::default() };
        Scene::new(vec![mesh.unwrap()], vec![material], Vec::new()).unwrap()
    }

    /// Whatever comes, the samples are those that one triangle after the other leaves.
    #[test]
    fn many_at_a_time_leave_what_one_after_the_other_leaves() {
        let mut numbers = Numbers(1);
        let (rig, settings) = (Rig::builtin("ring").unwrap(), Settings::default());
        for case in 0..40 {
            let num_triangles = [1, 255, 256, 257, 900][case % 5];
            let scene = scene(num_triangles, case % 2 == 1);
            let textures = build_textures(&scene, &settings);
            let meshes = prepare_meshes(&scene, &textures);
            let vertices = numbers.corners(num_triangles);
            let shot = Shot::whole(0);
            let (camera, placement) = (rig.camera(0), rig.placement(&scene));
            let [width, height] = [WIDTH, HEIGHT].map(|side| side as u32);
            let transform = ViewTransform::new(&camera, &shot, &placement, width, height);
            for rows in [0..HEIGHT, 7..20] {
                let blank = vec![PixelSamples::EMPTY; WIDTH as usize * rows.len()];
                let (mut found, mut expected) = (blank.clone(), blank);
                let mut target = Target { pixels: &mut found, width: WIDTH, rows: rows.clone() };
                draw_mesh(&meshes[0], &vertices, &transform, &mut target);
                let mut target = Target { pixels: &mut expected, width: WIDTH, rows: rows.clone() };
                let mut sink = NearestSink { target: &mut target };
                raster::draw_mesh(&meshes[0], &vertices, &transform, WIDTH, &rows, &mut sink);
                let seen = expected.iter().filter(|pixel| **pixel != PixelSamples::EMPTY);
                assert!(num_triangles < 900 || seen.count() > expected.len() / 8);
                assert!(found == expected, "case {case}");
            }
        }
    }
}
