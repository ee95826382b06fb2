//! The reference renderer: a visibility buffer on all cores, no driver, the same bytes on every
//! machine and with any number of threads.
//!
//! Per view: vertices are transformed once, triangles fill a buffer of triangle ids and depths
//! (four samples a pixel), transparent fragments are collected and sorted, and only visible
//! fragments are shaded. Views are drawn side by side; where there are fewer views than threads,
//! bands of one view are.

mod blend;
mod cutout;
mod extra;
pub(super) mod extra_sums;
mod fragment;
mod gathered;
mod layered;
mod look_up;
pub(super) mod prepare;
pub(super) mod raster;
pub(super) mod resolve;
mod small;
pub(super) mod transform;

use super::channel::Channel;
use super::frame::Frame;
use super::refine::{Needed, Occupied, Picture, refine};
use super::settings::{Light, Settings};
use super::shade::Studio;
use super::shot::{Shot, Stats, Window};
use super::stop::Switch;
use super::timings::Timings;
use super::view_by_view::view_by_view;
use crate::rig::{Placement, Rig};
use crate::scene::Scene;
use gathered::{Context, Wanted};
use prepare::{Pass, PreparedMesh, VertexRecord};
use raster::{PixelSamples, Target};
use rayon::prelude::*;
use resolve::{BLOCK_COLUMNS, BLOCK_ROWS, Output, RowsJob, Scratch, Strip};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;
use transform::{ScreenVertex, ViewTransform};

/// More triangles in one scene than ids can distinguish.
pub(super) const TRIANGLES_MAX: usize = u32::MAX as usize - 1;

/// Limit of a job's visibility buffer in pixels (64 MiB); larger pictures are drawn in bands.
const BAND_PIXELS_MAX: usize = 1 << 21;

/// Of scenes with few triangles it stays in a core's own cache (512 KiB).
const CACHED_PIXELS_MAX: usize = 1 << 14;

/// See [`CACHED_PIXELS_MAX`].
const FEW_TRIANGLES: usize = 1 << 13;

/// Rows that one job shades, and whose transparent fragments are collected and sorted together; a
/// multiple of [`BLOCK_ROWS`].
const SHADED_ROWS: i32 = 64;

/// Memory that goes from job to job.
#[derive(Default)]
struct Pool<T>(Mutex<Vec<T>>);

impl<T: Default> Pool<T> {
    fn take(&self) -> T {
        lock(&self.0).pop().unwrap_or_default()
    }

    fn give(&self, thing: T) {
        lock(&self.0).push(thing);
    }
}

/// What the views of one drawing share.
struct Drawing<'a> {
    rig: &'a Rig,
    settings: &'a Settings,
    scene: &'a Scene,
    placement: Placement,
    meshes: Vec<PreparedMesh<'a>>,
    records: Vec<VertexRecord>,
    vertices: Pool<Vec<ScreenVertex>>,
    pixels: Pool<Vec<PixelSamples>>,
    scratch: Pool<Scratch>,
    switch: Switch,
    timings: &'a Timings,
}

/// Draws some views; hands each frame to `each` on its drawing thread. Results in view order.
pub(super) fn draw_each<T: Send>(
    (scene, placement): (&Scene, Placement),
    rig: &Rig,
    views: Range<usize>,
    settings: &Settings,
    timings: &Timings,
    each: impl Fn(Frame) -> T + Sync,
) -> Vec<T> {
    let start = Instant::now();
    let textures = prepare::build_packed_textures(scene, settings);
    let drawing = Drawing {
        rig,
        settings,
        scene,
        placement,
        meshes: prepare::prepare_meshes(scene, &textures),
        records: prepare::build_records(scene, placement.center.as_vec3()),
        vertices: Pool::default(),
        pixels: Pool::default(),
        scratch: Pool::default(),
        switch: Switch::of_this_thread(),
        timings,
    };
    timings.prepare.add(start.elapsed());

    // Where there are fewer views than threads, each view has several; and a thread that is done
    // shades rows of others' views.
    let threads = rayon::current_num_threads();
    let threads_per_view = (threads / views.len().max(1)).max(1);
    view_by_view(views, |view_idx| each(drawing.draw_view(view_idx, threads_per_view)))
}

impl Drawing<'_> {
    fn draw_view(&self, view_idx: usize, threads: usize) -> Frame {
        let shot = Shot::whole(view_idx);
        let mut picture = self.draw_shot(shot, None, threads);
        let Ok(()) = refine(shot, &mut picture, self.settings, &|shot, needed| {
            Ok::<_, Infallible>(self.draw_shot(shot, Some(needed), threads))
        });
        let Picture { images, stats, .. } = picture;
        Frame::of(self.settings, view_idx, images, &stats)
    }

    /// Only the needed part of a shot is shaded; the rest shows the background.
    fn draw_shot(&self, shot: Shot, needed: Option<Needed<'_>>, threads: usize) -> Picture {
        self.switch.check();
        let camera = self.rig.camera(shot.view_idx);
        let (width_px, height_px) = (self.settings.width_px, self.settings.height_px);
        let transform = ViewTransform::new(&camera, &shot, &self.placement, width_px, height_px);
        let output = Output::new(
            self.settings.background,
            self.settings.normal_space,
            self.rig.normal_axes,
            &camera,
            &self.placement,
        );
        let asks = |is_it: fn(Channel) -> bool| self.settings.channels.iter().any(|&c| is_it(c));
        let mut vertices = self.vertices.take();
        self.transform_vertices(&transform, threads, &mut vertices);
        let occupied = Occupied::new(&shot, self.settings, &self.meshes, &vertices);
        let size = [width_px, height_px].map(|side| side as usize);
        let block = [BLOCK_COLUMNS, BLOCK_ROWS as usize];
        let window = transform::window(&vertices, size, block);

        let context = Context {
            meshes: &self.meshes,
            vertices: &vertices,
            records: &self.records,
            transform: &transform,
            studio: Studio::seen_from(&camera),
            environment: self.settings.environment.as_ref(),
            wanted: Wanted {
                rgb: self.settings.channels.contains(&Channel::Rgb),
                matte: self.settings.channels.contains(&Channel::Matte),
                is_unlit: self.settings.light == Light::Unlit,
            },
            wants_extra: asks(|c| c.is_material() || c.is_place()),
            has_textures: self.meshes.iter().any(|mesh| mesh.base_textures().next().is_some()),
            has_layers: self.meshes.iter().any(|mesh| mesh.layers.is_some()),
        };
        let images = resolve::new_images(&self.settings.channels, &output, width_px, height_px);
        let mut picture = Picture::new(images, self.settings);
        let rows_max = self.band_rows_max(width_px as i32);
        let bands = bands(rows_max, height_px as i32, threads);
        let jobs = split_rows(&mut picture, &bands, width_px as usize);
        let run = |job| self.draw_band(&context, &output, (needed, &window), job);
        let stats = if threads > 1 {
            let bands = jobs.into_par_iter().with_max_len(1);
            bands.flat_map_iter(run).collect()
        } else {
            jobs.into_iter().flat_map(run).collect()
        };
        self.vertices.give(vertices);
        picture.stats = stats;
        picture.occupied = occupied;
        picture.window = window;
        picture
    }

    /// Rows that one visibility buffer may have. Every triangle is looked at once for each buffer,
    /// which costs less than memory does where they are few.
    fn band_rows_max(&self, width_px: i32) -> i32 {
        let is_few = self.scene.triangle_count() <= FEW_TRIANGLES;
        let pixels = if is_few { CACHED_PIXELS_MAX } else { BAND_PIXELS_MAX };
        let rows = pixels as i32 / width_px;
        (rows / BLOCK_ROWS * BLOCK_ROWS).max(BLOCK_ROWS)
    }

    fn transform_vertices(
        &self,
        transform: &ViewTransform,
        threads: usize,
        vertices: &mut Vec<ScreenVertex>,
    ) {
        let start = Instant::now();
        const CHUNK: usize = 1 << 15;
        let blank = ScreenVertex { x: 0, y: 0, z: 0.0, w: 1.0 };
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

    /// The sums of each job's rows, in their order.
    fn draw_band(
        &self,
        context: &Context<'_>,
        output: &Output,
        (needed, window): (Option<Needed<'_>>, &Window),
        band: BandJob<'_>,
    ) -> Vec<Stats> {
        self.switch.check();
        let start = Instant::now();
        let (width, rows) = (self.settings.width_px as i32, band.rows);
        let mut pixels = self.pixels.take();
        pixels.resize(rows.len() * width as usize, PixelSamples::EMPTY);
        // What a strip may look at that reaches into the window.
        let first = window.rows.start.saturating_sub(BLOCK_ROWS as usize);
        let seen = first as i32..(window.rows.end as i32 + BLOCK_ROWS);
        for (_, row) in (rows.clone().zip(pixels.chunks_exact_mut(width as usize)))
            .filter(|(y, _)| seen.contains(y))
        {
            row[window.columns.clone()].fill(PixelSamples::EMPTY);
        }
        let mut target = Target { pixels: &mut pixels, width, rows: rows.clone() };
        fill_visibility(context, &mut target);
        self.timings.rasterise.add(start.elapsed());
        let shade = |mut job: RowsJob<'_>, pixels: &[PixelSamples]| {
            self.switch.check();
            let start = Instant::now();
            let mut scratch = self.scratch.take();
            let shading = Shading {
                context,
                output,
                needed,
                window,
                width,
                height: self.settings.height_px as i32,
                rows: job.rows.clone(),
            };
            let stats = shading.resolve(pixels, &mut scratch, &mut job);
            self.scratch.give(scratch);
            self.timings.shade.add(start.elapsed());
            stats
        };
        let row_pixels = pixels.par_chunks(SHADED_ROWS as usize * width as usize);
        let stats = band
            .jobs
            .into_par_iter()
            .with_max_len(1)
            .zip(row_pixels)
            .map(|(job, pixels)| shade(job, pixels))
            .collect();
        self.pixels.give(pixels);
        stats
    }
}

/// A poisoned lock means that another thread panicked, which ends the drawing anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Rows of each job: all of a picture, unless threads are to share it or its buffer would be large.
fn bands(rows_max: i32, height: i32, threads: usize) -> Vec<Range<i32>> {
    let for_threads = if threads > 1 { height / (threads as i32 * 2).min(height) } else { height };
    let rows = for_threads.min(rows_max).max(1);
    (0..height).step_by(rows as usize).map(|y| y..(y + rows).min(height)).collect()
}

/// Rows that share a visibility buffer, and what shades them.
struct BandJob<'i> {
    rows: Range<i32>,
    jobs: Vec<RowsJob<'i>>,
}

/// The bytes of every picture, cut at the bands and within them at every [`SHADED_ROWS`].
fn split_rows<'i>(
    picture: &'i mut Picture,
    bands: &[Range<i32>],
    width: usize,
) -> Vec<BandJob<'i>> {
    let cut = |band: &Range<i32>| {
        let (band, starts) = (band.clone(), band.clone().step_by(SHADED_ROWS as usize));
        let jobs = starts.map(|y| RowsJob {
            rows: y..(y + SHADED_ROWS).min(band.end),
            images: Vec::new(),
            depths: &mut [],
        });
        BandJob { rows: band.clone(), jobs: jobs.collect() }
    };
    let mut cuts: Vec<BandJob<'_>> = bands.iter().map(cut).collect();
    for (channel, image) in &mut picture.images {
        let row_bytes = width * image.format.bytes();
        let mut rest = image.pixels.as_mut_slice();
        for job in cuts.iter_mut().flat_map(|band| &mut band.jobs) {
            let (part, after) = rest.split_at_mut(job.rows.len() * row_bytes);
            job.images.push((*channel, part));
            rest = after;
        }
    }
    let mut rest = picture.depths.as_mut_slice();
    for job in cuts.iter_mut().flat_map(|band| &mut band.jobs) {
        let count = (job.rows.len() * width).min(rest.len());
        (job.depths, rest) = rest.split_at_mut(count);
    }
    cuts
}

/// Draws opaque and cut-out meshes into `target`, with this processor's widest instruction set.
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
                small::draw_mesh(mesh, vertices, context.transform, target);
            }
            Pass::Mask { cutoff, by_share } => {
                let cutoff = (cutoff, by_share);
                let mut sink =
                    cutout::CutoutSink::new(target, mesh, vertices, context.transform, cutoff);
                raster::draw_mesh(mesh, vertices, context.transform, width, &rows, &mut sink);
                sink.finish();
            }
            Pass::Blend => {}
        }
    }
}

/// The second half of a band's job, for some of its rows.
struct Shading<'a> {
    context: &'a Context<'a>,
    output: &'a Output,
    needed: Option<Needed<'a>>,
    window: &'a Window,
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
        job: &mut RowsJob<'_>,
    ) -> Stats {
        if self.context.wants_extra {
            self.resolve_widest::<true>(pixels, scratch, job)
        } else {
            self.resolve_widest::<false>(pixels, scratch, job)
        }
    }

    /// `HAS_EXTRA` is [`Context::wants_extra`]: two functions, since a single function for both
    /// takes the compiler a minute longer.
    fn resolve_widest<const HAS_EXTRA: bool>(
        &self,
        pixels: &[PixelSamples],
        scratch: &mut Scratch,
        job: &mut RowsJob<'_>,
    ) -> Stats {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2, checked on the line above.
            return unsafe { self.resolve_avx2::<HAS_EXTRA>(pixels, scratch, job) };
        }
        self.resolve_any::<HAS_EXTRA>(pixels, scratch, job)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn resolve_avx2<const HAS_EXTRA: bool>(
        &self,
        pixels: &[PixelSamples],
        scratch: &mut Scratch,
        job: &mut RowsJob<'_>,
    ) -> Stats {
        self.resolve_any::<HAS_EXTRA>(pixels, scratch, job)
    }

    #[inline(always)]
    fn resolve_any<const HAS_EXTRA: bool>(
        &self,
        all: &[PixelSamples],
        scratch: &mut Scratch,
        job: &mut RowsJob<'_>,
    ) -> Stats {
        let has_blend = self.context.meshes.iter().any(|m| m.pass == Pass::Blend);
        let width = self.width as usize;
        let mut stats = Stats::default();
        let blended = if has_blend {
            blend::collect(self.context, all, self.width, self.rows.clone())
        } else {
            Vec::new()
        };
        let mut rest = blended.as_slice();
        let starts = self.rows.clone().step_by(BLOCK_ROWS as usize);
        for (start, pixels) in starts.zip(all.chunks(BLOCK_ROWS as usize * width)) {
            let row_idx = (start - self.rows.start) as usize;
            let last = start + BLOCK_ROWS - 1;
            let (over, after) = rest.split_at(rest.partition_point(|f| f.fragment.y <= last));
            rest = after;
            let (first, end) = (start as usize, start as usize + pixels.len() / width);
            let is_empty = end <= self.window.rows.start || self.window.rows.end <= first;
            let columns = if is_empty { 0..0 } else { self.window.columns.clone() };
            let strip = Strip {
                y: start,
                columns,
                width,
                height: self.height,
                pixels,
                needed: self.needed,
                blended: over,
            };
            let (context, output) = (self.context, self.output);
            let out = (&mut *job, &mut stats);
            resolve::resolve_strip::<HAS_EXTRA>(context, output, &strip, row_idx, scratch, out);
        }
        stats
    }
}
