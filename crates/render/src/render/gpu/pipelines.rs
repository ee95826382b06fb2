//! The shaders as one module, and the pipelines made of it.

use super::layout::Phase;
use crate::render::environment::{DIFFUSE_EDGE, FIRST_TEXELS, SPECULAR_EDGES};
use crate::render::layers::SHEEN_ROUGHNESS_MIN;
use crate::render::samples::{SAMPLE_X, SAMPLE_Y};
use crate::render::shade::{
    CLAY, DIELECTRIC_F0, FLOOR, LIGHT_ALPHA_MIN, MIRROR_CEILING, MIRROR_FLOOR, MIRROR_WALL, SKY,
};
use crate::scene::Slot;
use crate::scene::color::ENCODE_STEPS;
use std::fmt::Write;

/// Buffers of group 0: one uniform, then storage. Shaders write from [`FIRST_WRITTEN`] on.
pub(super) const BUFFERS: u32 = 19;
const FIRST_WRITTEN: u32 = 13;

/// Most storage buffers per shader: more than WebGPU promises, fewer than any desktop driver has.
pub(super) const STORAGE_BUFFERS: u32 = BUFFERS - 1;

/// All shaders, behind the numbers that they share with the CPU's.
pub(super) fn shader_source() -> String {
    let mut source = String::new();
    let numbers = [
        ("SKY", SKY),
        ("FLOOR", FLOOR),
        ("MIRROR_CEILING", MIRROR_CEILING),
        ("MIRROR_WALL", MIRROR_WALL),
        ("MIRROR_FLOOR", MIRROR_FLOOR),
        ("LIGHT_ALPHA_MIN", LIGHT_ALPHA_MIN),
        ("DIELECTRIC_F0", DIELECTRIC_F0),
        ("CLAY", CLAY),
        ("SHEEN_ROUGHNESS_MIN", SHEEN_ROUGHNESS_MIN),
    ];
    for (name, value) in numbers {
        let _ = writeln!(source, "const {name}: f32 = {value:?};");
    }
    let packed = |places: [i32; 4]| u32::from_le_bytes(places.map(|place| place as u8));
    let _ = writeln!(source, "const SAMPLES_X: u32 = {}u;", packed(SAMPLE_X));
    let _ = writeln!(source, "const SAMPLES_Y: u32 = {}u;", packed(SAMPLE_Y));
    let _ = writeln!(source, "const ENCODE_STEPS: u32 = {ENCODE_STEPS}u;");
    let listed = |numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(|n| format!("{n}u")).collect();
        format!("array<u32, {}>({})", numbers.len(), numbers.join(", "))
    };
    let levels = SPECULAR_EDGES.len();
    let edges = listed(&SPECULAR_EDGES);
    let firsts = listed(&FIRST_TEXELS[..levels]);
    let first = FIRST_TEXELS[levels];
    let _ = writeln!(source, "const ENVIRONMENT_LEVELS: u32 = {levels}u;");
    let _ = writeln!(source, "const ENVIRONMENT_EDGES = {edges};");
    let _ = writeln!(source, "const ENVIRONMENT_FIRSTS = {firsts};");
    let _ = writeln!(source, "const ENVIRONMENT_DIFFUSE_FIRST: u32 = {first}u;");
    let _ = writeln!(source, "const ENVIRONMENT_DIFFUSE_EDGE: u32 = {DIFFUSE_EDGE}u;");
    // The slots of textures; those of layers are counted from the first of them.
    let first = Slot::FIRST_OF_LAYERS;
    for (idx, slot) in Slot::ALL.iter().enumerate() {
        let place = idx.checked_sub(first).unwrap_or(idx);
        let _ = writeln!(source, "const {}: u32 = {place}u;", shouted(&format!("{slot:?}")));
    }
    let _ = writeln!(source, "const FIRST_OF_LAYERS: u32 = {first}u;");
    let _ = writeln!(source, "const NUM_OF_LAYERS: u32 = {}u;", Slot::NUM_OF_LAYERS);
    let _ = writeln!(source, "const NUM_SLOTS: u32 = {}u;", Slot::ALL.len());
    for file in meshjudge_shaders::FILES {
        source.push_str(file);
    }
    source
}

/// `BaseColor` as `BASE_COLOR`.
fn shouted(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// Everything that a device runs, compiled once.
pub(super) struct Pipelines {
    pub buffers: wgpu::BindGroupLayout,
    pub clear: wgpu::ComputePipeline,
    pub raster: wgpu::ComputePipeline,
    pub raster_large: wgpu::ComputePipeline,
    pub resolve: wgpu::ComputePipeline,
    /// Group 1 of the rasteriser, by phase: depth, triangle, blend.
    pub phases: [wgpu::BindGroup; 3],
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("meshjudge"),
            source: wgpu::ShaderSource::Wgsl(shader_source().into()),
        });
        let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let entries: Vec<_> = (0..BUFFERS)
            .map(|binding| match binding {
                0 => entry(binding, wgpu::BufferBindingType::Uniform),
                _ => entry(
                    binding,
                    wgpu::BufferBindingType::Storage { read_only: binding < FIRST_WRITTEN },
                ),
            })
            .collect();
        let buffers = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        });
        let phase = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[entry(0, wgpu::BufferBindingType::Uniform)],
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&buffers), Some(&phase)],
            immediate_size: 0,
        });
        let pipeline = |entry_point| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let phases = std::array::from_fn(|idx| {
            let number = Phase { phase: idx as u32, pad_0: 0, pad_1: 0, pad_2: 0 };
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size_of::<Phase>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            queue.write_buffer(&buffer, 0, bytemuck::bytes_of(&number));
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &phase,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: buffer.as_entire_binding(),
                }],
            })
        });
        Self {
            clear: pipeline("clear"),
            raster: pipeline("raster"),
            raster_large: pipeline("raster_large"),
            resolve: pipeline("resolve"),
            phases,
            buffers,
        }
    }
}
