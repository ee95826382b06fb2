//! Views → words: as many as the device's buffers hold, drawn in one submission and read at once.
//!
//! Vertices are put on their lattice by the CPU's own code, so that coverage and depth are decided
//! by the very same integers.

use super::device::{Inner, Workspace, lock};
use super::layout::{self, wanted};
use super::upload::Uploaded;
use crate::render::cpu::prepare::PreparedMesh;
use crate::render::cpu::resolve::Output;
use crate::render::cpu::transform::{
    ScreenVertex, UNREACHABLE, ViewTransform, clipped_parts, transform,
};
use crate::render::refine::{Occupied, is_refined};
use crate::render::shade::{BEHIND_GLASS, Studio};
use crate::render::shot::Shot;
use crate::render::{Channel, Light, Settings};
use crate::rig::{Placement, Rig};
use crate::scene::Scene;
use rayon::prelude::*;
use std::ops::Range;

/// A batch's samples, lists and planes take at most 112 bytes a pixel; this many take 0.9 GiB.
const PIXELS_MAX: u64 = 1 << 23;

/// Bytes of a pixel's samples in their buffer.
const SAMPLE_BYTES: u64 = 32;

/// Room for large triangles; what finds none is drawn by one thread.
const LARGE_MAX: u64 = 1 << 20;

/// Workgroups that walk large triangles.
const LARGE_GROUPS: u32 = 2048;

/// Transparent fragments that there is room for before any were counted, per pixel.
const NODES_PER_PIXEL: u64 = 1;

/// A shot, or some rows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub shot: Shot,
    pub rows: Range<u32>,
}

/// A batch's result, plane by plane; a plane has a word per pixel, part after part.
pub(super) struct Words {
    pub words: Vec<u32>,
    pub num_pixels: usize,
    pub occupied: Vec<Occupied>,
}

/// What stays the same from batch to batch.
pub(super) struct Drawing<'a> {
    pub gpu: &'a Inner,
    pub scene: &'a Scene,
    pub placement: Placement,
    pub meshes: &'a [PreparedMesh<'a>],
    pub uploaded: &'a Uploaded,
    pub rig: &'a Rig,
    pub settings: &'a Settings,
}

/// Parts in batches. Whole shots go together as far as they fit; a shot that is too large for one
/// batch is drawn in bands.
pub(super) fn plan(
    shots: impl IntoIterator<Item = Shot>,
    width: u32,
    height: u32,
    num_vertices: usize,
    plane_bytes: u64,
    binding_bytes_max: u64,
) -> Vec<Vec<Part>> {
    let pixels_max = PIXELS_MAX.min(binding_bytes_max / SAMPLE_BYTES.max(plane_bytes));
    let rows_max = ((pixels_max / u64::from(width)).max(1)).min(u64::from(height)) as u32;
    let by_pixels = pixels_max / (u64::from(width) * u64::from(rows_max));
    let by_vertices =
        binding_bytes_max / (num_vertices.max(1) as u64 * size_of::<ScreenVertex>() as u64);
    let parts_max = by_pixels.min(by_vertices).max(1) as usize;
    let parts: Vec<Part> = shots
        .into_iter()
        .flat_map(|shot| {
            (0..height)
                .step_by(rows_max as usize)
                .map(move |y| Part { shot, rows: y..(y + rows_max).min(height) })
        })
        .collect();
    parts.chunks(parts_max).map(<[Part]>::to_vec).collect()
}

/// A batch on the CPU's side.
struct Prepared {
    jobs: Vec<layout::Job>,
    screen: Vec<ScreenVertex>,
    occupied: Vec<Occupied>,
    num_pixels: u64,
    clipped_max: u32,
}

impl Drawing<'_> {
    /// Draws a batch. `Err` says why it cannot be.
    pub(super) fn draw(
        &self,
        parts: &[Part],
        transform_time: &crate::render::timings::Timer,
        gpu_time: &crate::render::timings::Timer,
    ) -> Result<Words, String> {
        let start = std::time::Instant::now();
        let mut prepared = self.prepare(parts);
        transform_time.add(start.elapsed());
        let screen_bytes = size_of_val(&prepared.screen[..]) as u64;
        if screen_bytes > self.gpu.binding_bytes_max {
            return Err(format!("the vertices of one view take {} MiB", screen_bytes >> 20));
        }
        let start = std::time::Instant::now();
        // No rayon from here on: a thread that waits for its helpers may be handed another drawing,
        // which waits for this lock.
        let mut workspace = lock(&self.gpu.workspace);
        let mut words = self.submit(&prepared, &mut workspace)?;
        words.occupied = std::mem::take(&mut prepared.occupied);
        gpu_time.add(start.elapsed());
        Ok(words)
    }

    fn prepare(&self, parts: &[Part]) -> Prepared {
        let num_vertices = self.scene.vertex_count();
        let transforms: Vec<ViewTransform> = parts
            .iter()
            .map(|part| {
                let camera = self.rig.camera(part.shot.view_idx);
                let Settings { width_px, height_px, .. } = *self.settings;
                ViewTransform::new(&camera, &part.shot, &self.placement, width_px, height_px)
            })
            .collect();
        let mut screen: Vec<ScreenVertex> = bytemuck::zeroed_vec(num_vertices * parts.len());
        let (clipped, occupied): (Vec<Vec<ScreenVertex>>, Vec<Occupied>) = screen
            .par_chunks_mut(num_vertices)
            .zip(parts.par_iter().zip(&transforms))
            .map(|(vertices, (part, view))| {
                for mesh in self.meshes {
                    let positions = mesh.mesh.positions();
                    let out = &mut vertices[mesh.first_vertex..][..positions.len()];
                    const CHUNK: usize = 1 << 15;
                    out.par_chunks_mut(CHUNK)
                        .zip(positions.par_chunks(CHUNK))
                        .for_each(|(out, positions)| transform(positions, view, out));
                }
                let occupied = Occupied::new(&part.shot, self.settings, self.meshes, vertices);
                (clipped(self.meshes, vertices, view), occupied)
            })
            .unzip();
        let mut jobs = Vec::with_capacity(parts.len());
        let (mut first_pixel, mut clipped_max) = (0, 0);
        for (idx, ((part, view), clipped)) in
            parts.iter().zip(&transforms).zip(&clipped).enumerate()
        {
            let num_clipped = (clipped.len() / 4) as u32;
            clipped_max = clipped_max.max(num_clipped);
            let mut job = self.job(part, view);
            job.first_vertex = (idx * num_vertices) as u32;
            job.first_clipped = screen.len() as u32;
            job.num_clipped = num_clipped;
            job.first_pixel = first_pixel;
            first_pixel += self.settings.width_px * job.num_rows;
            screen.extend_from_slice(clipped);
            jobs.push(job);
        }
        Prepared { jobs, screen, occupied, num_pixels: u64::from(first_pixel), clipped_max }
    }

    fn job(&self, part: &Part, view: &ViewTransform) -> layout::Job {
        let camera = self.rig.camera(part.shot.view_idx);
        let output = self.output(part.shot.view_idx);
        let (eye, is_pinhole) = view.eye().map_or((view.back(), 0.0), |eye| (eye, 1.0));
        layout::Job {
            to_light: Studio::seen_from(&camera)
                .lights()
                .map(|(to_light, strength)| to_light.extend(strength).to_array()),
            rows: view.rows(),
            eye: eye.extend(is_pinhole).to_array(),
            center: view.center().extend(0.0).to_array(),
            normal_rows: output.normal_rows.map(|row| row.extend(0.0).to_array()),
            view_rows: output.view_rows.map(|row| row.extend(0.0).to_array()),
            first_row: part.rows.start,
            num_rows: part.rows.len() as u32,
            zoom: view.zoom(),
            ..layout::Job::default()
        }
    }

    /// How a view's sums become bytes.
    pub(super) fn output(&self, view_idx: usize) -> Output {
        let Settings { background, normal_space, .. } = *self.settings;
        Output::new(
            background,
            normal_space,
            self.rig.normal_axes,
            &self.rig.camera(view_idx),
            &self.placement,
        )
    }

    pub(super) fn wanted(&self) -> u32 {
        let any = |is_it: fn(Channel) -> bool| self.settings.channels.iter().any(|&c| is_it(c));
        let asks = |channel| self.settings.channels.contains(&channel);
        let bit = |bit, is_set| if is_set { bit } else { 0 };
        bit(wanted::RGB, asks(Channel::Rgb))
            | bit(wanted::NORMAL, asks(Channel::Normal))
            | bit(wanted::MATTE, asks(Channel::Matte))
            | bit(wanted::UNLIT, self.settings.light == Light::Unlit)
            | bit(wanted::HAS_BLEND, self.uploaded.has_blend)
            | bit(wanted::DEPTHS, is_refined(self.settings))
            | bit(wanted::MATERIAL, any(Channel::is_material))
            | bit(wanted::Z, any(Channel::is_z) || asks(Channel::Depth))
            | bit(wanted::PLACE, any(Channel::is_place))
            | bit(wanted::IS_TRANSPARENT, self.settings.background.linear().is_none())
    }

    fn submit(&self, prepared: &Prepared, workspace: &mut Workspace) -> Result<Words, String> {
        let mut nodes_max = prepared.num_pixels * NODES_PER_PIXEL;
        loop {
            let (words, num_nodes) = self.submit_once(prepared, workspace, nodes_max)?;
            if u64::from(num_nodes) <= nodes_max {
                return Ok(words);
            }
            // Counted now; once more with room for all.
            nodes_max = u64::from(num_nodes);
            let bytes = nodes_max * size_of::<layout::Node>() as u64;
            if bytes > self.gpu.binding_bytes_max {
                return Err(format!("overlapping transparent surfaces take {} MiB", bytes >> 20));
            }
        }
    }

    /// Draws once → the words and the number of transparent fragments, which may exceed the room.
    fn submit_once(
        &self,
        prepared: &Prepared,
        workspace: &mut Workspace,
        nodes_max: u64,
    ) -> Result<(Words, u32), String> {
        let gpu = self.gpu;
        let has_blend = self.uploaded.has_blend;
        let nodes_max = if has_blend { nodes_max } else { 0 };
        let wanted = self.wanted();
        let plane_bytes = prepared.num_pixels * wanted::num_planes(wanted) as u64 * 4;
        let num_primitives = self.uploaded.num_triangles + prepared.clipped_max;
        let large_max = (u64::from(num_primitives) * prepared.jobs.len() as u64).min(LARGE_MAX);
        let [r, g, b] = self.settings.background.linear().unwrap_or([1.0; 3]);
        let behind = self.settings.background.linear().unwrap_or(BEHIND_GLASS.to_array());
        let drawing = layout::Drawing {
            background: [r, g, b, 0.0],
            behind: [behind[0], behind[1], behind[2], 0.0],
            width: self.settings.width_px,
            height: self.settings.height_px,
            num_triangles: self.uploaded.num_triangles,
            num_pixels: prepared.num_pixels as u32,
            num_jobs: prepared.jobs.len() as u32,
            num_primitives,
            wanted,
            large_max: large_max as u32,
            nodes_max: nodes_max as u32,
            first_environment: self.uploaded.first_environment,
            ..layout::Drawing::default()
        };
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size_of::<layout::Drawing>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(&drawing));
        let jobs = gpu.storage_of(&prepared.jobs);
        let screen = gpu.storage_of(&prepared.screen);
        let counters = gpu.storage(8, wgpu::BufferUsages::COPY_SRC);
        let pixels = prepared.num_pixels;
        let samples = grown(gpu, &mut workspace.samples, pixels * SAMPLE_BYTES);
        let heads = grown(gpu, &mut workspace.heads, if has_blend { pixels * 4 } else { 0 });
        let nodes = grown(gpu, &mut workspace.nodes, nodes_max * size_of::<layout::Node>() as u64);
        let large = grown(gpu, &mut workspace.large, large_max * 8);
        let planes = grown(gpu, &mut workspace.planes, plane_bytes);
        let up = self.uploaded;
        let [p0, p1, p2, p3] = &up.pages;
        let buffers = [
            &uniform,
            &jobs,
            &up.meshes,
            &up.triangles,
            &screen,
            &up.floats,
            &up.textures,
            &up.levels,
            p0,
            p1,
            p2,
            p3,
            &gpu.tables,
            &samples,
            &heads,
            &nodes,
            &large,
            &counters,
            &planes,
        ];
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &gpu.pipelines.buffers,
            entries: &entries,
        });
        let read_back = read_back(gpu, &mut workspace.read_back, plane_bytes + 8);
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.record(&mut encoder, &group, &counters, &drawing, prepared);
        encoder.copy_buffer_to_buffer(&planes, 0, &read_back, 0, plane_bytes);
        encoder.copy_buffer_to_buffer(&counters, 0, &read_back, plane_bytes, 8);
        let submission = gpu.queue.submit([encoder.finish()]);
        let mut words = fetch(gpu, &read_back, plane_bytes + 8, submission)?;
        let num_nodes = words.pop().unwrap_or(0);
        let words = Words { words, num_pixels: pixels as usize, occupied: Vec::new() };
        Ok((words, if has_blend { num_nodes } else { 0 }))
    }

    /// Clear, depth, triangle, blend, resolve.
    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        group: &wgpu::BindGroup,
        counters: &wgpu::Buffer,
        drawing: &layout::Drawing,
        prepared: &Prepared,
    ) {
        let pipelines = &self.gpu.pipelines;
        let num_jobs = drawing.num_jobs;
        let phases = if self.uploaded.has_blend { 3 } else { 2 };
        for phase in 0..phases {
            // The list of large triangles is made anew in each phase.
            encoder.clear_buffer(counters, 0, None);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_bind_group(0, group, &[]);
            pass.set_bind_group(1, &pipelines.phases[phase], &[]);
            if phase == 0 {
                let [x, y] = spread(prepared.num_pixels.div_ceil(64) as u32);
                pass.set_pipeline(&pipelines.clear);
                pass.dispatch_workgroups(x, y, 1);
            }
            let [x, y] = spread(drawing.num_primitives.div_ceil(64));
            pass.set_pipeline(&pipelines.raster);
            pass.dispatch_workgroups(x, y, num_jobs);
            pass.set_pipeline(&pipelines.raster_large);
            pass.dispatch_workgroups(LARGE_GROUPS, 1, 1);
            if phase + 1 == phases {
                let rows = prepared.jobs.iter().map(|job| job.num_rows).max().unwrap_or(1);
                pass.set_pipeline(&pipelines.resolve);
                pass.dispatch_workgroups(drawing.width.div_ceil(8), rows.div_ceil(8), num_jobs);
            }
        }
    }
}

/// Workgroups in two dimensions, since one takes at most 65535.
fn spread(groups: u32) -> [u32; 2] {
    let x = groups.clamp(1, 32768);
    [x, groups.div_ceil(x).max(1)]
}

/// Parts of triangles off the lattice: three vertices each, then the triangle's number.
fn clipped(
    meshes: &[PreparedMesh<'_>],
    vertices: &[ScreenVertex],
    view: &ViewTransform,
) -> Vec<ScreenVertex> {
    let mut out = Vec::new();
    if vertices.iter().all(|vertex| vertex.x != UNREACHABLE) {
        return out;
    }
    for mesh in meshes {
        let is_unreachable = |v: u32| vertices[mesh.first_vertex + v as usize].x == UNREACHABLE;
        for (idx, corners) in mesh.mesh.triangles().iter().enumerate() {
            if !corners.iter().any(|&v| is_unreachable(v)) {
                continue;
            }
            let positions = corners.map(|v| mesh.mesh.positions()[v as usize]);
            let number =
                ScreenVertex { x: (mesh.first_triangle + idx as u32) as i32, y: 0, z: 0.0, w: 0.0 };
            for part in clipped_parts(positions, view) {
                out.extend(part);
                out.push(number);
            }
        }
    }
    out
}

/// The buffer of a place in the workspace, made anew if it is too small.
pub(super) fn grown(gpu: &Inner, place: &mut Option<wgpu::Buffer>, bytes: u64) -> wgpu::Buffer {
    let buffer = place.take().filter(|buffer| buffer.size() >= bytes);
    let buffer = buffer.unwrap_or_else(|| gpu.storage(bytes, wgpu::BufferUsages::COPY_SRC));
    place.insert(buffer).clone()
}

pub(super) fn read_back(gpu: &Inner, place: &mut Option<wgpu::Buffer>, bytes: u64) -> wgpu::Buffer {
    let buffer = place.take().filter(|buffer| buffer.size() >= bytes);
    let buffer = buffer.unwrap_or_else(|| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    });
    place.insert(buffer).clone()
}

/// Waits for a submission and copies what it wrote.
pub(super) fn fetch(
    gpu: &Inner,
    buffer: &wgpu::Buffer,
    bytes: u64,
    submission: wgpu::SubmissionIndex,
) -> Result<Vec<u32>, String> {
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
        let _ = sender.send(result);
    });
    let waited =
        gpu.device.poll(wgpu::PollType::Wait { submission_index: Some(submission), timeout: None });
    let said = |e: &dyn std::fmt::Display| gpu.trouble().unwrap_or_else(|| e.to_string());
    waited.map_err(|e| said(&e))?;
    match receiver.try_recv() {
        Ok(result) => result.map_err(|e| said(&e))?,
        Err(e) => return Err(said(&e)),
    }
    let mapped = buffer.slice(..bytes).get_mapped_range();
    let data = bytemuck::pod_collect_to_vec(&mapped.map_err(|e| said(&e))?);
    buffer.unmap();
    match gpu.trouble() {
        Some(reason) => Err(reason),
        None => Ok(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_share_a_batch_as_far_as_buffers_allow_and_large_ones_are_cut() {
        let mib = 1 << 20;
        let sizes = |plan: &[Vec<Part>]| plan.iter().map(Vec::len).collect::<Vec<_>>();
        // 512² samples take 8 MiB, so 128 MiB hold 16 views.
        let views = |views: Range<usize>| views.map(Shot::whole);
        let small = plan(views(0..40), 512, 512, 1000, 20, 128 * mib);
        assert_eq!(sizes(&small), [16, 16, 8]);
        // A million vertices take 16 MB a view.
        let heavy = plan(views(0..16), 512, 512, 1 << 20, 20, 128 * mib);
        assert_eq!(sizes(&heavy), [8, 8]);
        // Planes of 64 bytes a pixel, twice what samples take.
        let deep = plan(views(0..40), 512, 512, 1000, 64, 128 * mib);
        assert_eq!(sizes(&deep), [8, 8, 8, 8, 8]);
        let large = plan(views(3..4), 8192, 8192, 1000, 20, 128 * mib);
        assert_eq!(sizes(&large), [1; 16]);
        let rows: u32 = large.iter().flatten().map(|part| part.rows.len() as u32).sum();
        assert_eq!(rows, 8192);
        assert!(large.iter().flatten().all(|part| part.shot.view_idx == 3));
    }
}
