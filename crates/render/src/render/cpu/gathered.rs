//! The shading inputs of eight fragments: their triangles' corners, and their places in them.

use super::prepare::{PreparedMesh, VertexRecord, mesh_of};
use super::transform::{SUBPIXEL, ScreenVertex, ViewTransform};
use crate::render::environment::Environment;
use crate::render::lanes::{F8, LANES, V8, prefetch};
use crate::render::samples::SAMPLES;
use crate::render::shade::Studio;
use glam::Vec3;

/// A triangle's share of one pixel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fragment {
    pub x: i32,
    pub y: i32,
    /// Which samples it has; at least one.
    pub covered: u8,
    /// Index in the shared list.
    pub triangle: u32,
}

impl Fragment {
    /// Its share of the pixel.
    #[inline(always)]
    pub(super) fn weight(&self) -> f32 {
        self.covered.count_ones() as f32 * (1.0 / SAMPLES as f32)
    }
}

/// What a drawing asks of each fragment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub rgb: bool,
    pub matte: bool,
    /// Base colour only, neither light nor tone map.
    pub is_unlit: bool,
}

/// What all fragments of a view share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub meshes: &'a [PreparedMesh<'a>],
    /// Transformed vertices of all meshes.
    pub vertices: &'a [ScreenVertex],
    /// The same vertices as shading sees them.
    pub records: &'a [VertexRecord],
    pub transform: &'a ViewTransform,
    pub studio: Studio,
    /// Instead of the studio's light, but for `matte`.
    pub environment: Option<&'a Environment>,
    pub wanted: Wanted,
    /// Whether channels are wanted that no light decides.
    pub wants_extra: bool,
    pub has_textures: bool,
    pub has_layers: bool,
}

/// Perspective-correct barycentric coordinates of eight points, and their changes per pixel step.
#[derive(Clone, Copy)]
pub(super) struct Barycentric {
    pub b: [F8; 3],
    pub dx: [F8; 3],
    pub dy: [F8; 3],
    /// 1 where the front is seen, −1 where the back is.
    pub facing: F8,
}

impl Barycentric {
    pub(super) const EMPTY: Self =
        Self { b: [F8::ZERO; 3], dx: [F8::ZERO; 3], dy: [F8::ZERO; 3], facing: F8::ONE };
}

/// Corners of eight triangles in homogeneous screen coordinates relative to the shaded point:
/// `(x_i − px · w_i, y_i − py · w_i, w_i)`, which keeps tiny triangles precise (Woop 2013, rays).
#[derive(Clone, Copy)]
pub(super) struct Corners {
    pub x: [F8; 3],
    pub y: [F8; 3],
    pub w: [F8; 3],
}

impl Corners {
    pub(super) const EMPTY: Self = Self { x: [F8::ZERO; 3], y: [F8::ZERO; 3], w: [F8::ZERO; 3] };

    /// Sets corner `k`. `[x, y, w]` are [`ScreenVertex`]'s, x and y the snapped ones that decided
    /// coverage, so that a covered point is inside its triangle.
    #[inline(always)]
    pub(super) fn place(&mut self, k: usize, [x, y, w]: [F8; 3], [px, py]: [F8; 2]) {
        self.x[k] = (pixels(x) - px) * w;
        self.y[k] = (pixels(y) - py) * w;
        self.w[k] = w;
    }

    #[inline(always)]
    pub(super) fn barycentric(&self) -> Barycentric {
        let mut out = Barycentric::EMPTY;
        for lane in 0..LANES {
            let of = |v: &[F8; 3]| [v[0].0[lane], v[1].0[lane], v[2].0[lane]];
            let (x, y, w) = (of(&self.x), of(&self.y), of(&self.w));
            let edge = |j: usize, k: usize| x[j] * y[k] - x[k] * y[j];
            let edge_dx = |j: usize, k: usize| w[k] * y[j] - w[j] * y[k];
            let edge_dy = |j: usize, k: usize| x[k] * w[j] - x[j] * w[k];
            let e = [edge(1, 2), edge(2, 0), edge(0, 1)];
            let sum = e[0] + e[1] + e[2];
            let safe = if sum.abs() < 1e-30 { 1e-30 } else { sum };
            let inverse = 1.0 / safe;
            let ex = [edge_dx(1, 2), edge_dx(2, 0), edge_dx(0, 1)];
            let ey = [edge_dy(1, 2), edge_dy(2, 0), edge_dy(0, 1)];
            let (sum_x, sum_y) = (ex[0] + ex[1] + ex[2], ey[0] + ey[1] + ey[2]);
            for k in 0..3 {
                let b = e[k] * inverse;
                out.b[k].0[lane] = b;
                out.dx[k].0[lane] = (ex[k] - b * sum_x) * inverse;
                out.dy[k].0[lane] = (ey[k] - b * sum_y) * inverse;
            }
            out.facing.0[lane] = if sum < 0.0 { 1.0 } else { -1.0 };
        }
        out
    }
}

/// Sub-pixels, as the bits of whole numbers, to pixels.
#[inline(always)]
fn pixels(bits: F8) -> F8 {
    let mut out = F8::ZERO;
    for lane in 0..LANES {
        out.0[lane] = (bits.0[lane].to_bits() as i32) as f32 * (1.0 / SUBPIXEL as f32);
    }
    out
}

/// Where a fragment gets its vertices from. 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    pub mesh: u32,
    /// Indices among the mesh's own vertices.
    pub corners: [u32; 3],
}

impl Source {
    #[inline(always)]
    pub(super) fn of(context: &Context<'_>, fragment: &Fragment) -> Self {
        let mesh = mesh_of(context.meshes, fragment.triangle);
        let prepared = &context.meshes[mesh];
        let triangle = (fragment.triangle - prepared.first_triangle) as usize;
        Self { mesh: mesh as u32, corners: prepared.mesh.triangles()[triangle] }
    }

    /// Asks for what [`Source::of`] will read.
    #[inline(always)]
    pub(super) fn prefetch_triangle(context: &Context<'_>, fragment: &Fragment) {
        let prepared = &context.meshes[mesh_of(context.meshes, fragment.triangle)];
        let triangle = (fragment.triangle - prepared.first_triangle) as usize;
        prefetch(prepared.mesh.triangles(), triangle);
    }

    /// Asks for what gathering will read.
    #[inline(always)]
    pub(super) fn prefetch_vertices(&self, context: &Context<'_>) {
        let prepared = &context.meshes[self.mesh()];
        for corner in self.corners() {
            prefetch(context.records, prepared.first_vertex + corner);
            prefetch(context.vertices, prepared.first_vertex + corner);
            if let Some(colors) = prepared.mesh.colors() {
                prefetch(colors, corner);
            }
        }
    }

    #[inline(always)]
    pub(super) fn mesh(&self) -> usize {
        self.mesh as usize
    }

    #[inline(always)]
    pub(super) fn corners(&self) -> [usize; 3] {
        let [a, b, c] = self.corners;
        [a as usize, b as usize, c as usize]
    }
}

#[derive(Clone, Copy)]
pub(super) struct Gathered {
    pub sources: [Source; LANES],
    /// Whether all are of one mesh.
    pub is_one_mesh: bool,
    pub positions: [V8; 3],
    pub normals: [V8; 3],
    pub has_colors: bool,
    pub colors: [(V8, F8); 3],
}

impl Gathered {
    pub(super) const EMPTY: Self = Self {
        sources: [Source { mesh: 0, corners: [0; 3] }; LANES],
        is_one_mesh: true,
        positions: [V8::ZERO; 3],
        normals: [V8::ZERO; 3],
        colors: [(V8::ZERO, F8::ZERO); 3],
        has_colors: false,
    };

    /// Base colour and alpha times those of the vertices.
    #[inline(always)]
    pub(super) fn with_vertex_colors(
        &self,
        bary: &Barycentric,
        base_color: V8,
        alpha: F8,
    ) -> (V8, F8) {
        if !self.has_colors {
            return (base_color, alpha);
        }
        let colors = &self.colors;
        let [b0, b1, b2] = bary.b;
        let rgb = colors[0].0.scale(b0) + colors[1].0.scale(b1) + colors[2].0.scale(b2);
        let of_vertices = colors[0].1 * b0 + colors[1].1 * b1 + colors[2].1 * b2;
        (base_color.times(rgb), alpha * of_vertices)
    }

    /// A number of each fragment's mesh.
    #[inline(always)]
    pub(super) fn each_mesh(&self, number: impl Fn(usize) -> f32) -> F8 {
        if self.is_one_mesh {
            return F8::splat(number(self.sources[0].mesh()));
        }
        let mut out = F8::ZERO;
        for lane in 0..LANES {
            out.0[lane] = number(self.sources[lane].mesh());
        }
        out
    }

    /// A vector of each fragment's mesh.
    #[inline(always)]
    pub(super) fn each_mesh_vector(&self, vector: impl Fn(usize) -> Vec3) -> V8 {
        if self.is_one_mesh {
            return V8::splat(vector(self.sources[0].mesh()));
        }
        let mut out = V8::ZERO;
        for lane in 0..LANES {
            out.set(lane, vector(self.sources[lane].mesh()));
        }
        out
    }
}
