//! Shader inputs: structures of `shaders/layout.wgsl`, byte for byte; a test compares them.

use crate::scene::Slot;
use bytemuck::{Pod, Zeroable};

/// No texture.
pub(super) const NOTHING: u32 = u32::MAX;

/// Bits of [`Mesh::flags`].
pub(super) mod mesh_flag {
    pub(crate) const HAS_NORMALS: u32 = 1;
    pub(crate) const HAS_TANGENTS: u32 = 2;
    pub(crate) const HAS_COLORS: u32 = 4;
    pub(crate) const IS_DOUBLE_SIDED: u32 = 8;
    pub(crate) const IS_UNLIT: u32 = 16;
    pub(crate) const IS_ALPHA_BLENDED: u32 = 32;
    pub(crate) const IS_HALF_OPAQUE: u32 = 64;
    pub(crate) const HAS_LAYERS: u32 = 128;
    pub(crate) const IS_SPECULAR_GLOSSINESS: u32 = 256;
}

/// Bits of [`Drawing::wanted`].
pub(super) mod wanted {
    pub(crate) const RGB: u32 = 1;
    pub(crate) const NORMAL: u32 = 2;
    pub(crate) const MATTE: u32 = 4;
    pub(crate) const UNLIT: u32 = 8;
    pub(crate) const HAS_BLEND: u32 = 16;
    pub(crate) const IS_TRANSPARENT: u32 = 32;
    pub(crate) const DEPTHS: u32 = 64;
    pub(crate) const MATERIAL: u32 = 128;
    pub(crate) const Z: u32 = 256;
    pub(crate) const PLACE: u32 = 512;
    /// What a plane is made for.
    pub(crate) const PLANES: u32 = RGB | NORMAL | MATTE | DEPTHS | Z;
    /// [`MATERIAL`] planes: base colour; roughness, metallic, opacity; emission; 3 normals.
    pub(crate) const MATERIAL_PLANES: usize = 6;
    /// Planes of [`PLACE`]: three of the position, two of the texture coordinates, the part.
    pub(crate) const PLACE_PLANES: usize = 6;

    /// How many planes a batch has.
    pub(crate) fn num_planes(wanted: u32) -> usize {
        let more = |bit, planes| if wanted & bit != 0 { planes } else { 0 };
        1 + (wanted & PLANES).count_ones() as usize
            + more(MATERIAL, MATERIAL_PLANES)
            + more(PLACE, PLACE_PLANES)
    }
}

/// What all views share.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Drawing {
    pub background: [f32; 4],
    pub behind: [f32; 4],
    pub width: u32,
    pub height: u32,
    pub num_triangles: u32,
    pub num_pixels: u32,
    pub num_jobs: u32,
    pub num_primitives: u32,
    pub wanted: u32,
    pub large_max: u32,
    pub nodes_max: u32,
    pub zero: u32,
    /// Into `floats`, or [`NOTHING`].
    pub first_environment: u32,
    pub pad_1: u32,
}

/// One view, or some rows of it.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Job {
    pub to_light: [[f32; 4]; 3],
    pub rows: [[f32; 4]; 4],
    pub eye: [f32; 4],
    pub center: [f32; 4],
    pub normal_rows: [[f32; 4]; 3],
    pub view_rows: [[f32; 4]; 3],
    pub first_vertex: u32,
    pub first_clipped: u32,
    pub num_clipped: u32,
    pub first_row: u32,
    pub num_rows: u32,
    pub first_pixel: u32,
    pub zoom: f32,
    pub pad: u32,
}

/// A texture with the coordinates of a mesh.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Binding {
    pub texture: u32,
    pub first_uv: u32,
    pub offset: [f32; 2],
    pub linear: [f32; 4],
}

impl Binding {
    pub(super) const NONE: Self =
        Self { texture: NOTHING, first_uv: 0, offset: [0.0; 2], linear: [0.0; 4] };
}

/// A mesh with its material.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Mesh {
    pub base_color: [f32; 4],
    pub emissive: [f32; 3],
    pub metallic: f32,
    pub roughness: f32,
    pub normal_scale: f32,
    pub occlusion_strength: f32,
    pub transmission: f32,
    pub cutoff: f32,
    pub alpha_pass: u32,
    pub flags: u32,
    pub first_vertex: u32,
    pub first_normal: u32,
    pub first_tangent: u32,
    pub first_color: u32,
    pub first_uv: u32,
    pub layer_f0: [f32; 3],
    pub specular: f32,
    pub sheen_color: [f32; 3],
    pub sheen_roughness: f32,
    pub coat: f32,
    pub coat_roughness: f32,
    pub coat_normal_scale: f32,
    pub glossiness: f32,
    pub halvings: [f32; 3],
    pub iridescence: f32,
    /// Index of refraction, least and most thickness in nanometres.
    pub film: [f32; 3],
    pub pad: f32,
    /// Strength of the grain, cosine and sine of its rotation, 0.
    pub anisotropy: [f32; 4],
    /// By [`Slot`].
    pub bindings: [Binding; Slot::ALL.len()],
}

/// A texture and its levels.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Texture {
    pub first_level: u32,
    pub num_levels: u32,
    pub wrap: [u32; 2],
    pub is_srgb: u32,
    pub is_nearest: u32,
    pub pad_1: u32,
    pub pad_2: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Level {
    pub page: u32,
    pub first: u32,
    pub width: i32,
    pub height: i32,
}

/// A transparent fragment; only the GPU writes these.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Node {
    pub next: u32,
    pub triangle: u32,
    pub covered: u32,
    pub depth: f32,
}

/// Which phase of the rasteriser runs.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Phase {
    pub phase: u32,
    pub pad_0: u32,
    pub pad_1: u32,
    pub pad_2: u32,
}

#[cfg(test)]
mod tests {
    use super::super::pipelines::shader_source;
    use super::super::splats;
    use super::*;
    use std::mem::{offset_of, size_of};

    fn module() -> naga::Module {
        naga::front::wgsl::parse_str(&shader_source()).expect("the shaders are WGSL")
    }

    #[test]
    fn every_shader_is_valid_without_extras_and_can_be_written_for_vulkan_metal_and_dx12() {
        for (source, entry_points) in [
            (shader_source(), &["clear", "raster", "raster_large", "resolve"][..]),
            (splats::shader_source(), &["blend"]),
        ] {
            assert_is_portable(&source, entry_points);
        }
    }

    fn assert_is_portable(source: &str, entry_points: &[&str]) {
        let module = naga::front::wgsl::parse_str(source).expect("the shaders are WGSL");
        let mut names: Vec<_> = module.entry_points.iter().map(|e| e.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, entry_points);
        let flags = naga::valid::ValidationFlags::all();
        let capabilities = naga::valid::Capabilities::empty();
        let mut validator = naga::valid::Validator::new(flags, capabilities);
        let info = match validator.validate(&module) {
            Ok(info) => info,
            Err(e) => panic!("{}", e.emit_to_string(source)),
        };
        let spirv = naga::back::spv::Options::default();
        let words = naga::back::spv::write_vec(&module, &info, &spirv, None).expect("Vulkan");
        let (metal, _) = naga::back::msl::write_string(
            &module,
            &info,
            &naga::back::msl::Options {
                lang_version: (2, 4),
                ..naga::back::msl::Options::default()
            },
            &naga::back::msl::PipelineOptions::default(),
        )
        .expect("Metal");
        let mut dx12 = String::new();
        let options = naga::back::hlsl::Options::default();
        let pipeline = naga::back::hlsl::PipelineOptions::default();
        naga::back::hlsl::Writer::new(&mut dx12, &options, &pipeline)
            .write(&module, &info, None)
            .expect("DX12");
        assert!(words.len() > 1000);
        assert!(names.iter().all(|name| dx12.contains(&format!("void {name}("))));
        assert!(names.iter().all(|name| metal.contains(&format!("kernel void {name}"))));
    }

    /// Name, offset of every member, size.
    type Shape = (&'static str, Vec<(&'static str, usize)>, usize);

    macro_rules! shape {
        ($name:ident: $($field:ident),+) => {
            (stringify!($name), vec![$((stringify!($field), offset_of!($name, $field))),+], size_of::<$name>())
        };
    }

    fn shapes() -> Vec<Shape> {
        vec![
            shape!(Drawing: background, behind, width, height, num_triangles, num_pixels, num_jobs, num_primitives, wanted, large_max, nodes_max, zero, first_environment, pad_1),
            shape!(Job: to_light, rows, eye, center, normal_rows, view_rows, first_vertex, first_clipped, num_clipped, first_row, num_rows, first_pixel, zoom, pad),
            shape!(Binding: texture, first_uv, offset, linear),
            shape!(Mesh: base_color, emissive, metallic, roughness, normal_scale, occlusion_strength, transmission, cutoff, alpha_pass, flags, first_vertex, first_normal, first_tangent, first_color, first_uv, layer_f0, specular, sheen_color, sheen_roughness, coat, coat_roughness, coat_normal_scale, glossiness, halvings, iridescence, film, pad, anisotropy, bindings),
            shape!(Texture: first_level, num_levels, wrap, is_srgb, is_nearest, pad_1, pad_2),
            shape!(Level: page, first, width, height),
            shape!(Node: next, triangle, covered, depth),
            shape!(Phase: phase, pad_0, pad_1, pad_2),
        ]
    }

    /// What differs between the structures here and those of a WGSL module.
    fn differences(module: &naga::Module) -> Vec<String> {
        let mut out = Vec::new();
        for (name, members, size) in shapes() {
            let found = module.types.iter().find_map(|(_, ty)| match &ty.inner {
                naga::TypeInner::Struct { members, span } if ty.name.as_deref() == Some(name) => {
                    Some((members, *span as usize))
                }
                _ => None,
            });
            let Some((theirs, span)) = found else {
                out.push(format!("{name} is not in the shaders"));
                continue;
            };
            let theirs: Vec<(&str, usize)> = theirs
                .iter()
                .map(|m| (m.name.as_deref().unwrap_or(""), m.offset as usize))
                .collect();
            if theirs != members || span != size {
                out.push(format!("{name}: {members:?} {size} here, {theirs:?} {span} there"));
            }
        }
        out
    }

    #[test]
    fn rust_and_wgsl_structures_have_the_same_layout() {
        assert_eq!(differences(&module()), Vec::<String>::new());
    }

    #[test]
    fn a_member_that_moved_is_seen() {
        let moved = shader_source().replacen("    first_uv: u32,\n", "", 1);
        let moved = moved.replace("binding.first_uv", "binding.texture");
        let module = naga::front::wgsl::parse_str(&moved).expect("still WGSL");
        let found = differences(&module);
        assert!(found.iter().any(|d| d.starts_with("Binding:")), "{found:?}");
    }

    #[test]
    fn flags_have_one_value_on_both_sides() {
        let source = shader_source();
        let pairs = [
            ("HAS_NORMALS", mesh_flag::HAS_NORMALS),
            ("HAS_TANGENTS", mesh_flag::HAS_TANGENTS),
            ("HAS_COLORS", mesh_flag::HAS_COLORS),
            ("IS_DOUBLE_SIDED", mesh_flag::IS_DOUBLE_SIDED),
            ("IS_UNLIT", mesh_flag::IS_UNLIT),
            ("IS_ALPHA_BLENDED", mesh_flag::IS_ALPHA_BLENDED),
            ("IS_HALF_OPAQUE", mesh_flag::IS_HALF_OPAQUE),
            ("HAS_LAYERS", mesh_flag::HAS_LAYERS),
            ("IS_SPECULAR_GLOSSINESS", mesh_flag::IS_SPECULAR_GLOSSINESS),
            ("WANTS_RGB", wanted::RGB),
            ("WANTS_NORMAL", wanted::NORMAL),
            ("WANTS_MATTE", wanted::MATTE),
            ("WANTS_UNLIT", wanted::UNLIT),
            ("HAS_BLEND", wanted::HAS_BLEND),
            ("IS_TRANSPARENT", wanted::IS_TRANSPARENT),
            ("WANTS_DEPTHS", wanted::DEPTHS),
            ("WANTS_MATERIAL", wanted::MATERIAL),
            ("WANTS_Z", wanted::Z),
            ("WANTS_PLACE", wanted::PLACE),
        ];
        for (name, value) in pairs {
            let line = format!("const {name}: u32 = {value}u;");
            assert!(source.contains(&line), "{line}");
        }
    }
}
