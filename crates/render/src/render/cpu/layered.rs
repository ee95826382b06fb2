//! Layers of eight fragments: factors times textures. Meshes without layers get neutral ones.

use super::gathered::{Barycentric, Context, Gathered};
use super::look_up::{LookUps, perturb, tangent_normal};
use super::prepare::{PreparedLayers, PreparedMesh};
use crate::render::lanes::{B8, F8, LANES, V8};
use crate::render::layers::SurfaceLayers;
use crate::scene::Slot;
use glam::Vec3;

/// Gathers the layers; `roughness` becomes that of the glossiness where a material has one.
/// `shown_normal` is that of the geometry.
pub(super) fn layer_inputs(
    context: &Context<'_>,
    gathered: &Gathered,
    bary: &Barycentric,
    roughness: &mut F8,
    shown_normal: V8,
) -> SurfaceLayers {
    let mut look_ups = LookUps::new(context, gathered, bary, None);
    let mut or_white = |slot| look_ups.texels(slot).unwrap_or([F8::ONE; 4]);
    let specular = or_white(Slot::Specular);
    let specular_color = or_white(Slot::SpecularColor);
    let glossy_texel = or_white(Slot::SpecularGlossiness);
    let coat = or_white(Slot::Coat);
    let coat_roughness = or_white(Slot::CoatRoughness);
    let sheen_color = or_white(Slot::SheenColor);
    let sheen_roughness = or_white(Slot::SheenRoughness);
    let thickness = or_white(Slot::Thickness);
    let film = or_white(Slot::Iridescence);
    let film_thickness = or_white(Slot::IridescenceThickness);
    let grain = look_ups.texels(Slot::Anisotropy);
    let bumps = look_ups.texels(Slot::CoatNormal);

    let mut out = SurfaceLayers::none(shown_normal);
    let mut bump_scale = F8::ONE;
    let mut is_bumpy = [false; LANES];
    // Directions of the grain along tangent and bitangent.
    let (mut along_tangent, mut along_bitangent) = (F8::ZERO, F8::ZERO);
    let rgb = |texel: &[F8; 4], lane: usize| {
        Vec3::new(texel[0].0[lane], texel[1].0[lane], texel[2].0[lane])
    };
    for (lane, source) in gathered.sources.iter().enumerate() {
        let mesh = &context.meshes[source.mesh()];
        let Some(prepared) = mesh.layers.as_deref() else {
            continue;
        };
        let PreparedLayers { layers, f0, halvings, anisotropy: [anisotropy, cosine, sine], .. } =
            prepared;
        out.halvings.set(lane, *halvings * thickness[1].0[lane]);
        if let Some(glossy) = &layers.specular_glossiness {
            out.f0.set(lane, *f0 * rgb(&glossy_texel, lane));
            roughness.0[lane] = 1.0 - glossy.glossiness * glossy_texel[3].0[lane];
            out.is_specular_glossiness.0[lane] = true;
        } else {
            let strength = layers.specular * specular[3].0[lane];
            let color = (*f0 * rgb(&specular_color, lane)).min(Vec3::ONE);
            out.f0.set(lane, color * strength);
            out.f90.0[lane] = strength;
        }
        if layers.coat > 0.0 {
            out.coat.0[lane] = layers.coat * coat[0].0[lane];
            out.coat_roughness.0[lane] = layers.coat_roughness * coat_roughness[1].0[lane];
            bump_scale.0[lane] = layers.coat_normal_scale;
            is_bumpy[lane] = mesh.texture(Slot::CoatNormal).is_some();
        }
        if layers.iridescence > 0.0 {
            let [least, most] = layers.iridescence_thickness_nm;
            out.film.0[lane] = layers.iridescence * film[0].0[lane];
            out.film_ior.0[lane] = layers.iridescence_ior;
            let share = film_thickness[1].0[lane];
            out.film_thickness_nm.0[lane] = least + (most - least) * share;
        }
        if *anisotropy > 0.0 {
            let (mut x, mut y, mut share) = (1.0, 0.0, 1.0);
            if let (Some([r, g, b, _]), Some(_)) = (&grain, mesh.texture(Slot::Anisotropy)) {
                (x, y) = (r.0[lane] * 2.0 - 1.0, g.0[lane] * 2.0 - 1.0);
                share = b.0[lane];
            }
            out.anisotropy.0[lane] = anisotropy * share;
            along_tangent.0[lane] = cosine * x - sine * y;
            along_bitangent.0[lane] = sine * x + cosine * y;
        }
        if layers.sheen_color != Vec3::ZERO {
            out.sheen_color.set(lane, layers.sheen_color * rgb(&sheen_color, lane));
            out.sheen_roughness.0[lane] = layers.sheen_roughness * sheen_roughness[3].0[lane];
        }
    }
    if out.anisotropy != F8::ZERO {
        let told = V8 { x: along_tangent, y: along_bitangent, z: F8::ZERO };
        let grid = PreparedMesh::grain_grid;
        out.grain = perturb(context, gathered, bary, shown_normal, &told, grid);
    }
    if let Some(texel) = bumps
        && is_bumpy.contains(&true)
    {
        let told = tangent_normal(texel, bump_scale, B8(is_bumpy));
        let bumpy = perturb(context, gathered, bary, shown_normal, &told, |mesh| {
            Some(mesh.texture(Slot::CoatNormal)?.grid())
        });
        out.coat_normal = V8::select(B8(is_bumpy), bumpy, shown_normal);
    }
    out
}
