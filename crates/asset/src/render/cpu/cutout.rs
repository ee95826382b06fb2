//! Alpha MASK in the visibility pass: each sample is tested by itself, so that cut-out edges are as smooth as others and what is finer than a
//! pixel keeps its area.

use super::gathered::Corners;
use super::look_up::taps_at;
use super::prepare::PreparedMesh;
use super::raster::{NearestSink, Sink, Target};
use super::transform::{SUBPIXEL, ScreenVertex, ViewTransform};
use crate::render::lanes::{F8, LANES};
use crate::render::samples::{SAMPLE_X, SAMPLE_Y, SAMPLES};
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
    pub(super) fn new(
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

    /// The samples of a pixel at which `triangle` is cut away, as bits.
    fn cut_out(&self, x: i32, y: i32, triangle: u32) -> u8 {
        let local = (triangle - self.mesh.first_triangle) as usize;
        let corners = self.mesh.mesh.triangles()[local].map(|v| v as usize);
        let mut at = Corners::EMPTY;
        for (k, &vertex) in corners.iter().enumerate() {
            let position = self.mesh.mesh.positions()[vertex];
            for s in 0..SAMPLES {
                let point = [
                    x as f32 + SAMPLE_X[s] as f32 / SUBPIXEL as f32,
                    y as f32 + SAMPLE_Y[s] as f32 / SUBPIXEL as f32,
                ];
                let transform = self.transform;
                let screen = self.vertices[vertex];
                [at.x[k].0[s], at.y[k].0[s], at.w[k].0[s]] =
                    transform.relative_to_point(screen, position, point);
            }
        }
        let bary = at.barycentric();
        let mut alpha = F8::splat(self.mesh.material.base_color.w);
        let mut cutoff = [self.cutoff; SAMPLES];
        if let Some(colors) = self.mesh.mesh.colors() {
            let [a, b, c] = corners.map(|vertex| F8::splat(colors[vertex].w));
            alpha = alpha * (a * bary.b[0] + b * bary.b[1] + c * bary.b[2]);
        }
        if let Some(bound) = &self.mesh.textures.base_color {
            let taps = taps_at(
                bound.pyramid,
                &[Some(bound); LANES],
                &[corners; LANES],
                &bary,
            );
            for (s, cutoff) in cutoff.iter_mut().enumerate() {
                alpha.0[s] *= bound.pyramid.fetch(&taps, s)[3];
                *cutoff = cutoff_at(self.cutoff, taps.lod.0[s], s);
            }
        }
        (0..SAMPLES).fold(0, |mask, s| mask | u8::from(alpha.0[s] < cutoff[s]) << s)
    }
}

impl Sink for CutoutSink<'_, '_> {
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32) {
        let kept = covered & !self.cut_out(x, y, triangle);
        if kept != 0 {
            self.nearest.pixel(x, y, kept, depth, triangle);
        }
    }
}
