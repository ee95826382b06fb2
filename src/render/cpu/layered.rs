//! The layers of eight fragments: factors times textures. Meshes without layers get ones that change nothing.

use super::fragment::{Barycentric, Context, Gathered, LanePoint, perturb, tangent_normal};
use super::prepare::{BoundTexture, PreparedLayers};
use crate::render::lanes::{B8, F8, LANES, V8};
use crate::render::layers::SurfaceLayers;
use glam::Vec3;

/// Gathers the layers; `roughness` becomes that of the glossiness where a material has one. `shown_normal` is that of the geometry.
pub(super) fn layer_inputs(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    roughness: &mut F8,
    shown_normal: V8,
) -> SurfaceLayers {
    let mut out = SurfaceLayers::none(shown_normal);
    let mut coat_normal = V8::splat(Vec3::Z);
    let mut is_bumpy = [false; LANES];
    for (lane, source) in gathered.sources.iter().enumerate() {
        let Some(prepared) = &context.meshes[source.mesh()].layers else {
            continue;
        };
        let point = LanePoint::new(bary, lane, source);
        let mut last = None;
        let mut texel = |bound: &Option<BoundTexture<'_>>| {
            let sample = |bound| point.sample(bound, &mut last);
            bound.as_ref().map_or([1.0; 4], sample)
        };
        let PreparedLayers {
            layers,
            f0,
            textures,
        } = &**prepared;
        if let Some(glossy) = &layers.specular_glossiness {
            let [r, g, b, a] = texel(&textures.specular_glossiness);
            out.f0.set(lane, *f0 * Vec3::new(r, g, b));
            roughness.0[lane] = 1.0 - glossy.glossiness * a;
            out.is_specular_glossiness.0[lane] = true;
        } else {
            let strength = layers.specular * texel(&textures.specular)[3];
            let [r, g, b, _] = texel(&textures.specular_color);
            let color = (*f0 * Vec3::new(r, g, b)).min(Vec3::ONE);
            out.f0.set(lane, color * strength);
            out.f90.0[lane] = strength;
        }
        if layers.coat > 0.0 {
            out.coat.0[lane] = layers.coat * texel(&textures.coat)[0];
            out.coat_roughness.0[lane] = layers.coat_roughness * texel(&textures.coat_roughness)[1];
            if let Some(bound) = &textures.coat_normal {
                let texel = texel(&Some(*bound));
                coat_normal.set(lane, tangent_normal(texel, layers.coat_normal_scale));
                is_bumpy[lane] = true;
            }
        }
        if layers.sheen_color != Vec3::ZERO {
            let [r, g, b, _] = texel(&textures.sheen_color);
            out.sheen_color
                .set(lane, layers.sheen_color * Vec3::new(r, g, b));
            out.sheen_roughness.0[lane] =
                layers.sheen_roughness * texel(&textures.sheen_roughness)[3];
        }
    }
    if is_bumpy.contains(&true) {
        let bumpy = perturb(
            context,
            gathered,
            bary,
            shown_normal,
            &coat_normal,
            |mesh| mesh.layers.as_ref()?.textures.coat_normal,
        );
        out.coat_normal = V8::select(B8(is_bumpy), bumpy, shown_normal);
    }
    out
}
