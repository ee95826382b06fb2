//! Gaussian splats on the card: tiles and lists by the CPU, so that projection and order are the
//! same, blending by `shaders/splats.wgsl`.

use super::batch::{fetch, grown, read_back};
use super::device::{Gpu, Inner, lock};
use meshjudge_splat::Splats;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::render::{
    ALPHA_MAX, ALPHA_MIN, Geometry, LIGHT_MIN, Lists, Picture, RenderError, Settings, TILE, lists,
};

/// See `View` in the shader.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct View {
    width: u32,
    height: u32,
    columns: u32,
    stride: u32,
    has_surfaces: u32,
    pad: [u32; 3],
}

/// As `meshjudge_splat::render::render_among`. The inner `Err` says why the card cannot draw it.
///
/// # Errors
/// As there.
pub(in crate::render) fn draw_splats(
    gpu: &Gpu,
    splats: &Splats,
    camera: &Camera,
    settings: &Settings,
    surfaces: &[f32],
) -> Result<Result<Picture, String>, RenderError> {
    let gpu = gpu.inner();
    if let Some(reason) = gpu.trouble() {
        return Ok(Err(reason));
    }
    let Some(lists) = lists(splats, camera, settings)? else {
        return Ok(Err("too many splats overlap in a view".to_owned()));
    };
    let floats = blend(gpu, &lists, camera, settings, surfaces);
    Ok(floats.map(|floats| {
        let pixels = floats.chunks_exact(stride(settings));
        let of_geometry = |pixel: &[f32]| Geometry {
            depth_expected: pixel[4],
            depth_median: pixel[5],
            normal: [pixel[6], pixel[7], pixel[8]],
        };
        Picture {
            width_px: camera.width_px,
            height_px: camera.height_px,
            rgba: pixels.clone().map(|pixel| [pixel[0], pixel[1], pixel[2], pixel[3]]).collect(),
            geometry: if settings.geometry {
                pixels.map(of_geometry).collect()
            } else {
                Vec::new()
            },
            color_space: splats.color_space(),
            visible: lists.splats.len(),
        }
    }))
}

/// Floats of a pixel.
fn stride(settings: &Settings) -> usize {
    if settings.geometry { 9 } else { 4 }
}

fn blend(
    gpu: &Inner,
    lists: &Lists,
    camera: &Camera,
    settings: &Settings,
    surfaces: &[f32],
) -> Result<Vec<f32>, String> {
    let (width, height) = (camera.width_px, camera.height_px);
    let tiles = [width, height].map(|side| side.div_ceil(TILE as u32));
    let out_bytes = 4 * u64::from(width) * u64::from(height) * stride(settings) as u64;
    let splat_bytes = size_of_val(&lists.splats[..]) as u64;
    let most = splat_bytes.max(size_of_val(&lists.places[..]) as u64).max(out_bytes);
    if most > gpu.binding_bytes_max {
        return Err(format!("the splats of one view take {} MiB", most >> 20));
    }
    let view = View {
        width,
        height,
        columns: tiles[0],
        stride: stride(settings) as u32,
        has_surfaces: u32::from(!surfaces.is_empty()),
        pad: [0; 3],
    };
    let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: size_of::<View>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&uniform, 0, bytemuck::bytes_of(&view));
    let pipeline = gpu.splats.get_or_init(|| pipeline(&gpu.device));
    // No rayon from here on: see `Drawing::draw`.
    let mut workspace = lock(&gpu.workspace);
    let pixels = grown(gpu, &mut workspace.planes, out_bytes);
    let buffers = [
        uniform,
        gpu.storage_of(&lists.splats),
        gpu.storage_of(&lists.starts),
        gpu.storage_of(&lists.places),
        gpu.storage_of(surfaces),
        pixels.clone(),
    ];
    let entries: Vec<_> = (0..)
        .zip(&buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let out = read_back(gpu, &mut workspace.read_back, out_bytes);
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(tiles[0], tiles[1], 1);
    }
    encoder.copy_buffer_to_buffer(&pixels, 0, &out, 0, out_bytes);
    let submission = gpu.queue.submit([encoder.finish()]);
    let words = fetch(gpu, &out, out_bytes, submission)?;
    Ok(words.into_iter().map(f32::from_bits).collect())
}

/// The shader, behind the numbers that it shares with the CPU's.
pub(super) fn shader_source() -> String {
    let numbers = [("ALPHA_MIN", ALPHA_MIN), ("ALPHA_MAX", ALPHA_MAX), ("LIGHT_MIN", LIGHT_MIN)];
    let numbers = numbers.map(|(name, value)| format!("const {name}: f32 = {value:?};\n"));
    numbers.concat() + meshjudge_shaders::SPLATS
}

fn pipeline(device: &wgpu::Device) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("splats"),
        source: wgpu::ShaderSource::Wgsl(shader_source().into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("splats"),
        layout: None,
        module: &module,
        entry_point: Some("blend"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}
