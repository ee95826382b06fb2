//! Charts of the texture: pieces of the map, and the gap between them.

use super::closest::Tree;
use super::facts::ChartFacts;
use super::parts::Groups;
use crate::scene::{Mesh, Scene};
use glam::{DVec2, Vec3};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Wider gaps are not searched for, as a share of the texture's side.
const GAP_MAX: f32 = 1.0 / 64.0;

/// Coordinates beyond this are left out.
const FAR: f64 = 1e6;

/// Coordinates that are equal when counted in these steps are one vertex of the map.
const STEPS: f64 = (1 << 20) as f64;

/// A vertex of the map: its texture and its place.
type Vertex = (usize, i64, i64);

/// A triangle with an area in the texture of its base colour, or in the first set of coordinates.
pub(super) struct Mapped {
    /// In the order of the scene.
    pub triangle: usize,
    /// `usize::MAX` without a texture.
    texture: usize,
    corners: [Vec3; 3],
}

/// The mapped triangles, those of one mesh after the other, and the chart of each.
pub(super) struct Charts {
    pub triangles: Vec<Mapped>,
    pub roots: Vec<u32>,
}

impl Charts {
    pub(super) fn of(scene: &Scene) -> Self {
        let mut triangles: Vec<Mapped> = Vec::new();
        let mut keys: Vec<(Vertex, u32)> = Vec::new();
        let mut first = 0;
        for mesh in scene.meshes() {
            let texture_ref = scene.materials()[mesh.material()].base_color_texture();
            let texture = texture_ref.map_or(usize::MAX, |r| r.texture);
            if let Some(uvs) = Mesh::uvs(mesh, texture_ref.map_or(0, |r| r.uv_set)) {
                for (triangle, corners) in (first..).zip(mesh.triangles()) {
                    let own: [DVec2; 3] = corners.map(|vertex| {
                        let uv = uvs[vertex as usize];
                        texture_ref.map_or(uv, |r| r.transform.apply(uv)).as_dvec2()
                    });
                    let has_area = (own[1] - own[0]).perp_dot(own[2] - own[0]) != 0.0;
                    if !has_area || own.iter().any(|uv| uv.abs().max_element() > FAR) {
                        continue;
                    }
                    let step = |v: f64| (v * STEPS).round() as i64;
                    let place = own.map(|uv| (texture, step(uv.x), step(uv.y)));
                    keys.extend(place.into_iter().zip(3 * triangles.len() as u32..));
                    let corners = own.map(|uv| uv.as_vec2().extend(0.0));
                    triangles.push(Mapped { triangle, texture, corners });
                }
            }
            first += mesh.triangles().len();
        }
        let mut charts = Groups::new(3 * triangles.len());
        for corner in (0..3 * triangles.len() as u32).step_by(3) {
            charts.join(corner, corner + 1);
            charts.join(corner, corner + 2);
        }
        keys.par_sort_unstable();
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            charts.join(pair[0].1, pair[1].1);
        }
        let roots = (0..triangles.len() as u32).map(|t| charts.root(3 * t)).collect();
        Self { triangles, roots }
    }
}

/// `None` without texture coordinates.
pub(super) fn measure(scene: &Scene) -> Option<ChartFacts> {
    let Charts { triangles, roots } = Charts::of(scene);
    let mut of_texture: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, mapped) in triangles.iter().enumerate() {
        of_texture.entry(mapped.texture).or_default().push(at);
    }
    let (mut least, mut least_texels) = (GAP_MAX, None);
    for (texture, own) in &of_texture {
        let corners: Vec<[Vec3; 3]> = own.iter().map(|&at| triangles[at].corners).collect();
        let charts: Vec<u32> = own.iter().map(|&at| roots[at]).collect();
        let gap = gap(&corners, &charts);
        least = gap.min(least);
        if let Some(texture) = scene.textures().get(*texture) {
            let texels = gap * texture.width_px().min(texture.height_px()) as f32;
            least_texels = Some(least_texels.map_or(texels, |known: f32| known.min(texels)));
        }
    }
    let count = roots.iter().collect::<BTreeSet<_>>().len();
    (count > 0).then(|| ChartFacts {
        count,
        gap: least.into(),
        gap_texels: least_texels.map(f64::from),
    })
}

/// The least distance from a corner to a triangle of another chart, at most [`GAP_MAX`]; 0 where
/// charts overlap.
fn gap(triangles: &[[Vec3; 3]], chart_of: &[u32]) -> f32 {
    if chart_of.iter().all(|chart| *chart == chart_of[0]) {
        return GAP_MAX;
    }
    let positions = triangles.as_flattened().to_vec();
    let corners = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let tree = Tree::new(positions, corners);
    // The order of threads decides how much is searched, not the result.
    let least = AtomicU32::new(GAP_MAX.to_bits());
    parallel::each(triangles.len(), |t| {
        for &corner in &triangles[t] {
            // Numbers above zero are ordered as their bits are.
            let reach = f32::from_bits(least.load(Relaxed));
            if reach == 0.0 {
                return;
            }
            let is_other = |other: u32| chart_of[other as usize] != chart_of[t];
            if let Some(hit) = tree.closest_where(corner, reach, is_other) {
                least.fetch_min(hit.distance.max(0.0).to_bits(), Relaxed);
            }
        }
    });
    f32::from_bits(least.into_inner())
}
