//! How much of the surface carries a texture, and how finely.

use super::facts::TextureFacts;
use super::sum::share;
use super::weld::Surface;
use crate::scene::{Mesh, Scene};
use glam::{Vec2, Vec4};

/// Texture area under which a triangle is a smear: a thousandth of a 1024² picture's texel.
const COLLAPSED_UV_AREA: f64 = 1e-9;

/// Rounding of exporters that is not "outside".
const UV_SLACK: f32 = 1e-4;

/// Measures texture coverage; only the base colour counts.
pub(super) fn measure(scene: &Scene, surface: &Surface) -> TextureFacts {
    let (mut textured, mut texels, mut outside, mut collapsed) = (0.0, 0.0, 0.0, 0.0);
    for (mesh, range) in scene.meshes().iter().zip(&surface.mesh_triangles) {
        let material = &scene.materials()[mesh.material()];
        let Some((texture_ref, uvs)) =
            material.base_color_texture().and_then(|r| Some((r, mesh.uvs(r.uv_set)?)))
        else {
            continue;
        };
        let texture = &scene.textures()[texture_ref.texture];
        let size = f64::from(texture.width_px()) * f64::from(texture.height_px());
        for (corners, area) in mesh.triangles().iter().zip(&surface.areas[range.clone()]) {
            let [a, b, c] = corners.map(|vertex| texture_ref.transform.apply(uvs[vertex as usize]));
            let uv_area = 0.5 * f64::from((b - a).perp_dot(c - a).abs());
            textured += area;
            texels += uv_area * size;
            if [a, b, c].iter().any(is_outside) {
                outside += area;
            }
            if uv_area < COLLAPSED_UV_AREA {
                collapsed += area;
            }
        }
    }
    TextureFacts {
        textured_area_share: share(textured, surface.area),
        texels_per_diagonal: share(texels, textured).sqrt() * surface.diagonal,
        uv_outside_share: share(outside, textured),
        uv_collapsed_share: share(collapsed, textured),
        has_vertex_colors: scene
            .meshes()
            .iter()
            .filter_map(Mesh::colors)
            .flatten()
            .any(|&color| color != Vec4::ONE),
    }
}

fn is_outside(uv: &Vec2) -> bool {
    uv.min_element() < -UV_SLACK || uv.max_element() > 1.0 + UV_SLACK
}
