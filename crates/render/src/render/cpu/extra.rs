//! Visible fragments → their material and position: everything that does not depend on light, from
//! the look-ups of shading.

use super::gathered::{Barycentric, Context, Gathered};
use super::layered::layer_inputs;
use super::look_up::Inputs;
use super::prepare::Pass;
use crate::render::lanes::{F8, LANES, V8};
use crate::scene::AlphaMode;
use glam::Vec2;

/// Of up to eight fragments.
pub(super) struct Extra {
    /// Linear.
    pub base_color: V8,
    pub emissive: V8,
    pub roughness: F8,
    pub metallic: F8,
    /// 1 for opaque and masked surfaces.
    pub alpha: F8,
    /// World-space unit normals: of the geometry, and turned by the normal map.
    pub normal: V8,
    pub shading_normal: V8,
    /// Relative to the point that the rig puts at the origin, in the file's units.
    pub position: V8,
    pub uv: [Vec2; LANES],
    pub mesh: [u32; LANES],
}

/// The material values of eight fragments; `inputs` are those of their materials, `normal`,
/// `shading_normal` and `position` those of their places.
#[inline(always)]
pub(super) fn extra_of(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    inputs: &Inputs,
    (normal, shading_normal, position): (V8, V8, V8),
) -> Extra {
    let meshes = context.meshes;
    let (base_color, alpha) = gathered.with_vertex_colors(bary, inputs.base_color, inputs.alpha);
    let is_blended = gathered.each_mesh(|mesh| {
        let is_blended = meshes[mesh].pass == Pass::Blend
            && meshes[mesh].material.alpha_mode == AlphaMode::Blend;
        f32::from(is_blended)
    });
    let is_blended = F8::splat(0.5).less(is_blended);
    let mut roughness = inputs.roughness;
    if context.has_layers {
        // Materials of the older workflow have glossiness, whose reverse this becomes.
        layer_inputs(context, gathered, bary, &mut roughness, normal);
    }
    let mut uv = [Vec2::ZERO; LANES];
    let mut mesh = [0; LANES];
    for (lane, source) in gathered.sources.iter().enumerate() {
        mesh[lane] = source.mesh;
        if let Some(uvs) = meshes[source.mesh()].mesh.uvs(0) {
            let corners = source.corners();
            uv[lane] = (0..3).map(|k| uvs[corners[k]] * bary.b[k].0[lane]).sum();
        }
    }
    Extra {
        base_color,
        emissive: inputs.emissive,
        roughness: roughness.clamp01(),
        metallic: inputs.metallic.clamp01(),
        alpha: is_blended.select(alpha.clamp01(), F8::ONE),
        normal,
        shading_normal,
        position,
        uv,
        mesh,
    }
}
