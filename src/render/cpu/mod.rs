//! The reference renderer: a visibility buffer on all cores, no driver, the same bytes on every machine and with any number of threads.
//!
//! Per view: vertices are transformed once, triangles fill a buffer of triangle ids and depths (four samples a pixel), transparent
//! fragments are collected and sorted, and only what is visible is shaded. Views are drawn side by side; where there are
//! fewer views than threads, bands of one view are.

mod blend;
mod cutout;
mod fragment;
mod layered;
pub(super) mod prepare;
pub(super) mod raster;
pub(super) mod resolve;
pub(super) mod transform;

use super::shade::Studio;
use super::{Channel, Frame, FrameProblem, Image, Light, Settings, Timings};
use crate::rig::Rig;
use crate::scene::Scene;
use blend::BlendFragment;
use fragment::{Context, Wanted};
use prepare::{Pass, PreparedMesh, VertexRecord};
use raster::{NearestSink, PixelSamples, Target};
use rayon::prelude::*;
use resolve::{BLOCK_ROWS, Output, Scratch, Strip};
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;
use transform::{ScreenVertex, ViewTransform};

pub(crate) use raster::SAMPLES;

/// More triangles in one scene than ids can tell apart.
pub(super) const TRIANGLES_MAX: usize = u32::MAX as usize - 1;

/// The visibility buffer of one job stays below this many pixels (64 MiB); larger pictures are drawn in bands.
const BAND_PIXELS_MAX: usize = 1 << 21;

/// Rows whose transparent fragments are collected and sorted together; a multiple of [`BLOCK_ROWS`].
const BLEND_ROWS: i32 = 64;

/// Memory that goes from job to job.
#[derive(Default)]
struct Workspace {
    vertices: Vec<ScreenVertex>,
    pixels: Vec<PixelSamples>,
    scratch: Scratch,
}

/// What the views of one drawing share.
struct Drawing<'a> {
    rig: &'a Rig,
    settings: &'a Settings,
    scene: &'a Scene,
    meshes: Vec<PreparedMesh<'a>>,
    records: Vec<VertexRecord>,
    workspaces: Mutex<Vec<Workspace>>,
    timings: &'a Timings,
}

/// Draws some views and hands each frame to `each` on the thread that drew it; results are in the order of the views.
pub(super) fn draw_each<T: Send>(
    scene: &Scene,
    rig: &Rig,
    views: Range<usize>,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Vec<T> {
    let start = Instant::now();
    let pyramids = prepare::build_pyramids(scene, settings);
    let drawing = Drawing {
        rig,
        settings,
        scene,
        meshes: prepare::prepare_meshes(scene, &pyramids),
        records: prepare::build_records(scene),
        workspaces: Mutex::new(Vec::new()),
        timings,
    };
    timings.prepare.add(start.elapsed());

    // Whole rounds of one view per thread; what is left over is drawn one view at a time on all threads.
    let threads = rayon::current_num_threads();
    let first_left_over = views.end - views.len() % threads;
    let mut results: Vec<T> = (views.start..first_left_over)
        .into_par_iter()
        .with_max_len(1)
        .map(|view_idx| each(drawing.draw_view(view_idx, 1)))
        .collect();
    for view_idx in first_left_over..views.end {
        results.push(each(drawing.draw_view(view_idx, threads)));
    }
    results
}

/// Sums that tell whether a picture is worth showing.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stats {
    /// Sum of coverage over all pixels.
    pub covered: f64,
    /// Border pixels with any coverage.
    pub border_covered: u32,
    /// Pixels at least half covered, and the sum of their difference to the background.
    pub solid: u32,
    pub contrast: f64,
}

impl Drawing<'_> {
    fn draw_view(&self, view_idx: usize, threads: usize) -> Frame {
        let camera = self.rig.camera(view_idx);
        let (width_px, height_px) = (self.settings.width_px, self.settings.height_px);
        let transform = ViewTransform::new(
            &camera,
            &self.scene.bounds(),
            self.rig.object_radius,
            width_px,
            height_px,
        );
        let output = Output::new(
            self.settings.background,
            self.settings.normal_space,
            self.rig.normal_axes,
            &camera,
        );
        let mut workspace = self.take_workspace();
        let mut vertices = std::mem::take(&mut workspace.vertices);
        self.give_workspace(workspace);
        self.transform_vertices(&transform, threads, &mut vertices);

        let context = Context {
            meshes: &self.meshes,
            vertices: &vertices,
            records: &self.records,
            transform: &transform,
            studio: Studio::seen_from(&camera),
            wanted: Wanted {
                rgb: self.settings.channels.contains(&Channel::Rgb),
                matte: self.settings.channels.contains(&Channel::Matte),
                is_unlit: self.settings.light == Light::Unlit,
            },
            has_layers: self.meshes.iter().any(|mesh| mesh.layers.is_some()),
        };
        let mut images = resolve::new_images(&self.settings.channels, &output, width_px, height_px);
        let bands = bands(width_px as i32, height_px as i32, threads);
        let jobs = split_rows(&mut images, &bands, width_px as usize);
        let run = |(rows, mut out): BandJob<'_>| {
            let mut workspace = self.take_workspace();
            let stats = self.draw_band(&context, &output, rows, &mut workspace, &mut out);
            self.give_workspace(workspace);
            stats
        };
        let stats: Vec<Stats> = if threads > 1 {
            jobs.into_par_iter().with_max_len(1).map(run).collect()
        } else {
            jobs.into_iter().map(run).collect()
        };
        let mut workspace = self.take_workspace();
        workspace.vertices = vertices;
        self.give_workspace(workspace);
        finish(self.settings, view_idx, images, &stats)
    }

    fn take_workspace(&self) -> Workspace {
        lock(&self.workspaces).pop().unwrap_or_default()
    }

    fn give_workspace(&self, workspace: Workspace) {
        lock(&self.workspaces).push(workspace);
    }

    fn transform_vertices(
        &self,
        transform: &ViewTransform,
        threads: usize,
        vertices: &mut Vec<ScreenVertex>,
    ) {
        let start = Instant::now();
        const CHUNK: usize = 1 << 15;
        let blank = ScreenVertex {
            x: 0,
            y: 0,
            z: 0.0,
            w: 1.0,
        };
        vertices.resize(self.scene.vertex_count(), blank);
        for mesh in &self.meshes {
            let positions = mesh.mesh.positions();
            let out = &mut vertices[mesh.first_vertex..][..positions.len()];
            if threads > 1 {
                out.par_chunks_mut(CHUNK)
                    .zip(positions.par_chunks(CHUNK))
                    .for_each(|(out, positions)| transform::transform(positions, transform, out));
            } else {
                transform::transform(positions, transform, out);
            }
        }
        self.timings.transform.add(start.elapsed());
    }

    fn draw_band(
        &self,
        context: &Context<'_>,
        output: &Output,
        rows: Range<i32>,
        workspace: &mut Workspace,
        out: &mut [(Channel, &mut [u8])],
    ) -> Stats {
        let start = Instant::now();
        let width = self.settings.width_px as i32;
        let count = (rows.len() as i32 * width) as usize;
        workspace.pixels.clear();
        workspace.pixels.resize(count, PixelSamples::EMPTY);
        let mut target = Target {
            pixels: &mut workspace.pixels,
            width,
            rows: rows.clone(),
        };
        fill_visibility(context, &mut target);
        let rasterised = Instant::now();
        self.timings.rasterise.add(rasterised - start);
        let shading = Shading {
            context,
            output,
            width,
            height: self.settings.height_px as i32,
            rows,
        };
        let stats = shading.resolve(&workspace.pixels, &mut workspace.scratch, out);
        self.timings.shade.add(rasterised.elapsed());
        stats
    }
}

/// A view's pictures with what can be said of them.
pub(super) fn finish(
    settings: &Settings,
    view_idx: usize,
    images: Vec<(Channel, Image)>,
    stats: &[Stats],
) -> Frame {
    let (width, height) = (settings.width_px, settings.height_px);
    let sum = |of: fn(&Stats) -> f64| stats.iter().map(of).sum::<f64>();
    let covered = sum(|s| s.covered);
    let solid = sum(|s| f64::from(s.solid));
    let border = f64::from((2 * (width + height)).saturating_sub(4).max(1));
    let border_share = sum(|s| f64::from(s.border_covered)) / border;
    let mut problems = Vec::new();
    if covered < FrameProblem::BLANK_PIXELS {
        problems.push(FrameProblem::Blank);
    } else if border_share > 0.0 {
        problems.push(FrameProblem::Clipped {
            border_share: border_share as f32,
        });
    }
    let shows_background =
        settings.channels.contains(&Channel::Rgb) && settings.background.linear().is_some();
    let mean_difference = sum(|s| s.contrast) / solid.max(1.0);
    if shows_background && solid > 0.0 && mean_difference < FrameProblem::LOW_CONTRAST {
        problems.push(FrameProblem::LowContrast {
            mean_difference: mean_difference as f32,
        });
    }
    Frame {
        view_idx,
        images: images.into_iter().collect(),
        coverage: (covered / (f64::from(width) * f64::from(height))) as f32,
        problems,
    }
}

/// A poisoned lock means that another thread panicked, which ends the drawing anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Rows of each job: all of a picture, unless threads are to share it or its buffer would be large.
fn bands(width: i32, height: i32, threads: usize) -> Vec<Range<i32>> {
    let for_threads = if threads > 1 {
        height / (threads as i32 * 4).min(height)
    } else {
        height
    };
    let for_memory = (BAND_PIXELS_MAX as i32 / width).max(1);
    let rows = for_threads.min(for_memory).max(1);
    (0..height)
        .step_by(rows as usize)
        .map(|y| y..(y + rows).min(height))
        .collect()
}

/// The rows of a band, and their bytes in each picture.
type BandJob<'i> = (Range<i32>, Vec<(Channel, &'i mut [u8])>);

/// The bytes of every picture, cut at the bands.
fn split_rows<'i>(
    images: &'i mut [(Channel, Image)],
    bands: &[Range<i32>],
    width: usize,
) -> Vec<BandJob<'i>> {
    let mut jobs: Vec<_> = bands
        .iter()
        .map(|rows| (rows.clone(), Vec::new()))
        .collect();
    for (channel, image) in images {
        let row_bytes = width * image.format.bytes();
        let mut rest = image.pixels.as_mut_slice();
        for (rows, parts) in &mut jobs {
            let (part, after) = rest.split_at_mut(rows.len() * row_bytes);
            parts.push((*channel, part));
            rest = after;
        }
    }
    jobs
}

/// Draws opaque and cut-out meshes into the visibility buffer, with the widest instruction set that this processor has.
fn fill_visibility(context: &Context<'_>, target: &mut Target<'_>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, checked on the line above.
        return unsafe { fill_visibility_avx2(context, target) };
    }
    fill_visibility_any(context, target);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_visibility_avx2(context: &Context<'_>, target: &mut Target<'_>) {
    fill_visibility_any(context, target);
}

#[inline(always)]
fn fill_visibility_any(context: &Context<'_>, target: &mut Target<'_>) {
    let (width, rows) = (target.width, target.rows.clone());
    for mesh in context.meshes {
        let vertices = &context.vertices[mesh.first_vertex..][..mesh.mesh.positions().len()];
        match mesh.pass {
            Pass::Opaque => {
                let mut sink = NearestSink { target };
                raster::draw_mesh(mesh, vertices, context.transform, width, &rows, &mut sink);
            }
            Pass::Mask { cutoff } => {
                let mut sink =
                    cutout::CutoutSink::new(target, mesh, vertices, context.transform, cutoff);
                raster::draw_mesh(mesh, vertices, context.transform, width, &rows, &mut sink);
            }
            Pass::Blend => {}
        }
    }
}

/// The second half of a band's job.
struct Shading<'a> {
    context: &'a Context<'a>,
    output: &'a Output,
    width: i32,
    height: i32,
    rows: Range<i32>,
}

impl Shading<'_> {
    /// Picks the widest instruction set that this processor has; the bytes do not depend on it.
    fn resolve(
        &self,
        pixels: &[PixelSamples],
        scratch: &mut Scratch,
        out: &mut [(Channel, &mut [u8])],
    ) -> Stats {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, checked on the line above.
            return unsafe { self.resolve_avx2(pixels, scratch, out) };
        }
        self.resolve_any(pixels, scratch, out)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn resolve_avx2(
        &self,
        pixels: &[PixelSamples],
        scratch: &mut Scratch,
        out: &mut [(Channel, &mut [u8])],
    ) -> Stats {
        self.resolve_any(pixels, scratch, out)
    }

    #[inline(always)]
    fn resolve_any(
        &self,
        all: &[PixelSamples],
        scratch: &mut Scratch,
        out: &mut [(Channel, &mut [u8])],
    ) -> Stats {
        let has_blend = self.context.meshes.iter().any(|m| m.pass == Pass::Blend);
        let width = self.width as usize;
        let mut stats = Stats::default();
        let mut blended;
        let mut rest: &[BlendFragment] = &[];
        let starts = self.rows.clone().step_by(BLOCK_ROWS as usize);
        for (start, pixels) in starts.zip(all.chunks(BLOCK_ROWS as usize * width)) {
            let row_idx = (start - self.rows.start) as usize;
            if has_blend && row_idx.is_multiple_of(BLEND_ROWS as usize) {
                let end = (start + BLEND_ROWS).min(self.rows.end);
                let rows = &all[row_idx * width..][..(end - start) as usize * width];
                blended = blend::collect(self.context, rows, self.width, start..end);
                rest = &blended;
            }
            let last = start + BLOCK_ROWS - 1;
            let (over, after) = rest.split_at(rest.partition_point(|f| f.fragment.y <= last));
            rest = after;
            let strip = Strip {
                y: start,
                width,
                height: self.height,
                pixels,
                blended: over,
            };
            let (context, output) = (self.context, self.output);
            resolve::resolve_strip(context, output, &strip, row_idx, scratch, out, &mut stats);
        }
        stats
    }
}
