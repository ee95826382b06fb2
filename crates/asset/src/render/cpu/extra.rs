//! Visible fragments → what they are made of and where they lie: all that no light decides. The same visibility buffer, shaded once more.

use super::fragment::{gather_fragments, surface_points};
use super::gathered::{Barycentric, Context, Fragment, Gathered, Source, Wanted};
use super::layered::layer_inputs;
use super::look_up::{LookUps, first_taps, material_inputs, perturb};
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

/// Hands every eight fragments to `each`, in their order.
#[inline(never)]
pub(super) fn each_extra(
    context: &Context<'_>,
    fragments: &[Fragment],
    sources: &[Source],
    mut each: impl FnMut(&[Fragment], &Extra),
) {
    let context = Context {
        wanted: Wanted {
            rgb: true,
            matte: false,
            is_unlit: false,
        },
        ..*context
    };
    let mut gathered = Gathered::EMPTY;
    for (batch, of) in fragments.chunks(LANES).zip(sources.chunks(LANES)) {
        let bary = gather_fragments(&context, batch, of, &mut gathered);
        let extra = extra_of(&context, &gathered, &bary);
        each(batch, &extra);
    }
}

/// A function of its own for textured and plain fragments alike: what it inlines is large, and compiled once.
#[inline(never)]
fn extra_of(context: &Context<'_>, gathered: &Gathered, bary: &Barycentric) -> Extra {
    let meshes = context.meshes;
    let (normal, position) = surface_points(gathered, bary);
    let place = first_taps(context, gathered, bary);
    let look_ups = LookUps::new(context, gathered, bary, place.as_ref());
    let inputs = material_inputs::<true>(context, gathered, look_ups);
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
    let shading_normal = match &inputs.tangent_normal {
        Some(tangent_normal) => perturb(context, gathered, bary, normal, tangent_normal, |mesh| {
            mesh.textures.normal.as_ref()
        }),
        None => normal,
    };
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
