//! Alpha MASK in the visibility pass: each sample is tested by itself, so that cut-out edges are as
//! smooth as others and details finer than a pixel keep their area.

use super::gathered::Corners;
use super::look_up::taps_any;
use super::prepare::PreparedMesh;
use super::raster::{NearestSink, Sink, Target};
use super::transform::{SUBPIXEL, ScreenVertex, UNREACHABLE, ViewTransform};
use crate::render::lanes::{F8, LANES};
use crate::render::samples::{SAMPLE_X, SAMPLE_Y, SAMPLES};
use crate::render::shade::cutoff_at;
use crate::render::texture::Taps;
use crate::scene::Slot;

/// Keeps the nearest sample whose alpha reaches the cutoff.
pub(super) struct CutoutSink<'t, 'a> {
    nearest: NearestSink<'t, 'a>,
    mesh: &'t PreparedMesh<'t>,
    /// The mesh's own vertices.
    vertices: &'t [ScreenVertex],
    transform: &'t ViewTransform,
    cutoff: f32,
    /// As in [`Pass::Mask`](super::prepare::Pass::Mask).
    by_share: bool,
    /// Waits for a second one: the samples of two pixels fill all lanes.
    waiting: Option<Covered>,
}

/// A triangle's samples in one pixel.
#[derive(Clone, Copy)]
struct Covered {
    x: i32,
    y: i32,
    samples: u8,
    depth: [f32; SAMPLES],
    triangle: u32,
}

impl<'t, 'a> CutoutSink<'t, 'a> {
    /// `vertices` are the mesh's own, transformed.
    pub(super) fn new(
        target: &'t mut Target<'a>,
        mesh: &'t PreparedMesh<'t>,
        vertices: &'t [ScreenVertex],
        transform: &'t ViewTransform,
        (cutoff, by_share): (f32, bool),
    ) -> Self {
        Self {
            nearest: NearestSink { target },
            mesh,
            vertices,
            transform,
            cutoff,
            by_share,
            waiting: None,
        }
    }

    /// To be called when all triangles were drawn.
    pub(super) fn finish(mut self) {
        if let Some(last) = self.waiting.take() {
            self.draw(&[last, Covered { samples: 0, ..last }]);
        }
    }

    fn draw(&mut self, pair: &[Covered; 2]) {
        let cut_out = self.cut_out(pair);
        for (k, pixel) in pair.iter().enumerate() {
            let kept = pixel.samples & !(cut_out >> (k * SAMPLES)) as u8;
            if kept != 0 {
                let Covered { x, y, .. } = *pixel;
                self.nearest.pixel(x, y, kept, pixel.depth, pixel.triangle);
            }
        }
    }

    /// Bits of the samples cut away: four of the first triangle, then four of the second.
    fn cut_out(&self, pair: &[Covered; 2]) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, checked on the line above.
            return unsafe { self.cut_out_avx2(pair) };
        }
        self.cut_out_any(pair)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn cut_out_avx2(&self, pair: &[Covered; 2]) -> u32 {
        self.cut_out_any(pair)
    }

    #[inline(always)]
    fn cut_out_any(&self, pair: &[Covered; 2]) -> u32 {
        let both = pair.map(|pixel| {
            let local = (pixel.triangle - self.mesh.first_triangle) as usize;
            self.mesh.mesh.triangles()[local].map(|v| v as usize)
        });
        let corners = lanes(both);
        let offset = |at: i32| at as f32 / SUBPIXEL as f32;
        let mut points = [F8::ZERO; 2];
        for lane in 0..LANES {
            let (pixel, s) = (&pair[lane / SAMPLES], lane % SAMPLES);
            points[0].0[lane] = pixel.x as f32 + offset(SAMPLE_X[s]);
            points[1].0[lane] = pixel.y as f32 + offset(SAMPLE_Y[s]);
        }
        let mut at = Corners::EMPTY;
        for k in 0..3 {
            let screen = both.map(|corners| self.vertices[corners[k]]);
            let [x, y] = [
                screen.map(|v| f32::from_bits(v.x as u32)),
                screen.map(|v| f32::from_bits(v.y as u32)),
            ];
            let w = screen.map(|v| v.w);
            at.place(k, [x, y, w].map(|both| F8(lanes(both))), points);
            if screen.iter().any(|vertex| vertex.x == UNREACHABLE) {
                self.place_unreachable(&corners, &points, k, &mut at);
            }
        }
        let bary = at.barycentric();
        let factor = self.mesh.material.base_color.w;
        let mut alpha = F8::splat(factor);
        let mut cutoff = [self.cutoff; LANES];
        if let Some(colors) = self.mesh.mesh.colors() {
            let of = |k: usize| F8(lanes(both.map(|corners| colors[corners[k]].w)));
            alpha = alpha * (of(0) * bary.b[0] + of(1) * bary.b[1] + of(2) * bary.b[2]);
        }
        if let Some(bound) = self.mesh.texture(Slot::BaseColor) {
            let mut taps = Taps::EMPTY;
            let bound_lanes = [Some(bound); LANES];
            taps_any(bound.pyramid, &bound_lanes, &corners, &bary, &mut taps);
            let samples = u32::from(pair[0].samples) | u32::from(pair[1].samples) << SAMPLES;
            for lane in (0..LANES).filter(|lane| samples >> lane & 1 == 1) {
                alpha.0[lane] *= bound.pyramid.fetch(&taps, lane)[3];
                if self.by_share {
                    let texel = cutoff_at(self.cutoff / factor, taps.lod.0[lane], lane % SAMPLES);
                    cutoff[lane] = texel * factor;
                }
            }
        }
        (0..LANES).fold(0, |mask, lane| mask | u32::from(alpha.0[lane] < cutoff[lane]) << lane)
    }

    /// The exact positions of corners `k` that have no snapped one. Rare.
    #[cold]
    fn place_unreachable(
        &self,
        corners: &[[usize; 3]; LANES],
        points: &[F8; 2],
        k: usize,
        at: &mut Corners,
    ) {
        for (lane, corners) in corners.iter().enumerate() {
            if self.vertices[corners[k]].x == UNREACHABLE {
                let position = self.mesh.mesh.positions()[corners[k]];
                let point = points.map(|axis| axis.0[lane]);
                [at.x[k].0[lane], at.y[k].0[lane], at.w[k].0[lane]] =
                    self.transform.exact_to_point(position, point);
            }
        }
    }
}

/// The first for the lanes of one pixel, the second for those of the other.
#[inline(always)]
fn lanes<T: Copy>([first, second]: [T; 2]) -> [T; LANES] {
    let mut out = [first; LANES];
    out[SAMPLES..].fill(second);
    out
}

impl Sink for CutoutSink<'_, '_> {
    fn pixel(&mut self, x: i32, y: i32, covered: u8, depth: [f32; SAMPLES], triangle: u32) {
        // Fragments behind drawn surfaces need not be looked up.
        let drawn = &self.nearest.target.at(x, y).depth;
        let is_seen = |s: usize| u8::from(depth[s] <= drawn[s]) << s;
        let samples = covered & (0..SAMPLES).fold(0, |mask, s| mask | is_seen(s));
        if samples == 0 {
            return;
        }
        let pixel = Covered { x, y, samples, depth, triangle };
        match self.waiting.take() {
            None => self.waiting = Some(pixel),
            Some(first) => self.draw(&[first, pixel]),
        }
    }
}
