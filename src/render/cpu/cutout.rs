//! Alpha MASK in the visibility pass: each sample is tested by itself, so that cut-out edges are as smooth as others and what is finer than a
//! pixel keeps its area.

use super::fragment::sample;
use super::prepare::PreparedMesh;
use super::raster::{NearestSink, SAMPLE_X, SAMPLE_Y, SAMPLES, Sink, Target};
use super::transform::{SUBPIXEL, ScreenVertex, ViewTransform};
use crate::render::shade::cutoff_at;

/// Keeps the nearest sample whose alpha reaches the cutoff.
pub(super) struct CutoutSink<'t, 'a> {
    pub nearest: NearestSink<'t, 'a>,
    pub mesh: &'t PreparedMesh<'t>,
    /// The mesh's own vertices.
    pub vertices: &'t [ScreenVertex],
    pub transform: &'t ViewTransform,
    pub cutoff: f32,
}

impl<'t, 'a> CutoutSink<'t, 'a> {
    pub fn new(
        target: &'t mut Target<'a>,
        mesh: &'t PreparedMesh<'t>,
        vertices: &'t [ScreenVertex],
        transform: &'t ViewTransform,
        cutoff: f32,
    ) -> Self {
        Self {
            nearest: NearestSink { target },
            mesh,
            vertices,
            transform,
            cutoff,
        }
    }

    /// Whether `triangle` is cut away at sample `s` of a pixel.
    fn is_cut_out(&self, x: i32, y: i32, s: usize, triangle: u32) -> bool {
        let point = [
            x as f32 + SAMPLE_X[s] as f32 / SUBPIXEL as f32,
            y as f32 + SAMPLE_Y[s] as f32 / SUBPIXEL as f32,
        ];
        let local = (triangle - self.mesh.first_triangle) as usize;
        let corners = self.mesh.mesh.triangles()[local].map(|v| v as usize);
        let at = corners.map(|vertex| {
            let position = self.mesh.mesh.positions()[vertex];
            self.transform
                .relative_to_point(self.vertices[vertex], position, point)
        });
        let cross = |j: usize, k: usize| at[j][0] * at[k][1] - at[k][0] * at[j][1];
        let e = [cross(1, 2), cross(2, 0), cross(0, 1)];
        let sum = e[0] + e[1] + e[2];
        if sum == 0.0 {
            return false;
        }
        let b = e.map(|e| e / sum);
        let mut alpha = self.mesh.material.base_color.w;
        let mut cutoff = self.cutoff;
        if let Some(colors) = self.mesh.mesh.colors() {
            alpha *= (0..3).map(|k| colors[corners[k]].w * b[k]).sum::<f32>();
        }
        if let Some(bound) = &self.mesh.textures.base_color {
            let step = |j: usize, k: usize| {
                [
                    at[k][2] * at[j][1] - at[j][2] * at[k][1],
                    at[k][0] * at[j][2] - at[j][0] * at[k][2],
                ]
            };
            let steps = [step(1, 2), step(2, 0), step(0, 1)];
            let total = [0, 1].map(|axis| steps[0][axis] + steps[1][axis] + steps[2][axis]);
            let along = |axis: usize| -> [f32; 3] {
                std::array::from_fn(|i| (steps[i][axis] - b[i] * total[axis]) / sum)
            };
            let (texel, lod) = sample(bound, corners, &b, &along(0), &along(1));
            alpha *= texel[3];
            cutoff = cutoff_at(cutoff, lod, s);
        }
        alpha < cutoff
    }
}

impl Sink for CutoutSink<'_, '_> {
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32) {
        let mut kept = covered;
        for s in 0..SAMPLES {
            if covered >> s & 1 == 1 && self.is_cut_out(x, y, s, triangle) {
                kept &= !(1 << s);
            }
        }
        if kept != 0 {
            self.nearest.pixel(x, y, kept, depth, triangle);
        }
    }
}
