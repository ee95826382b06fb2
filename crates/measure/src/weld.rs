//! One list of triangles over distinct positions, made from every mesh of a scene.

use super::size::LARGE_TRIANGLES;
use super::sum::sum_fixed;
use crate::scene::{AlphaMode, Scene};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// All triangles, welded. The order is the scene's.
pub(super) struct Surface {
    /// Distinct positions in the order of their first use.
    pub positions: Vec<Vec3>,
    /// Three indices into `positions` each; may repeat one.
    pub triangles: Vec<[u32; 3]>,
    /// Area of each triangle, in the file's units squared.
    pub areas: Vec<f64>,
    /// Unit normal of each triangle, zero where it has no area.
    pub normals: Vec<Vec3>,
    /// Which triangles belong to each mesh.
    pub mesh_triangles: Vec<Range<usize>>,
    /// Length of the diagonal of the box.
    pub diagonal: f64,
    /// Sum of `areas`.
    pub area: f64,
}

impl Surface {
    /// Welds the positions that triangles use.
    pub(super) fn of(scene: &Scene) -> Self {
        let mut welder = Welder::with_room_for(scene.vertex_count());
        let mut triangles = Vec::with_capacity(scene.triangle_count());
        let mut mesh_triangles = Vec::with_capacity(scene.meshes().len());
        for mesh in scene.meshes() {
            let first = triangles.len();
            let mut welded = vec![u32::MAX; mesh.positions().len()];
            for corners in mesh.triangles() {
                triangles.push(corners.map(|vertex| {
                    let slot = &mut welded[vertex as usize];
                    if *slot == u32::MAX {
                        *slot = welder.index_of(mesh.positions()[vertex as usize]);
                    }
                    *slot
                }));
            }
            mesh_triangles.push(first..triangles.len());
        }
        let mut positions = welder.positions;
        positions.shrink_to_fit();
        let of_triangle = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|vertex| positions[vertex as usize].as_dvec3());
            let cross = (b - a).cross(c - a);
            let length = cross.length();
            let normal = if length > 0.0 { cross / length } else { DVec3::ZERO };
            (0.5 * length, normal.as_vec3())
        };
        let (areas, normals): (Vec<f64>, Vec<Vec3>) =
            parallel::map(&triangles, of_triangle).into_iter().unzip();
        let [area] = sum_fixed(areas.len(), |triangle| [areas[triangle]]);
        Self {
            diagonal: (scene.bounds().max.as_dvec3() - scene.bounds().min.as_dvec3()).length(),
            positions,
            triangles,
            areas,
            normals,
            mesh_triangles,
            area,
        }
    }

    /// Runs both, on two threads unless the surface is large.
    pub(super) fn both<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        if self.triangles.len() > LARGE_TRIANGLES {
            (first(), second())
        } else {
            rayon::join(first, second)
        }
    }

    /// Whether each triangle's material is opaque.
    pub(super) fn is_solid(&self, scene: &Scene) -> Vec<bool> {
        let mut is_solid = vec![true; self.triangles.len()];
        for (mesh, range) in scene.meshes().iter().zip(&self.mesh_triangles) {
            let alpha = scene.materials()[mesh.material()].alpha_mode;
            is_solid[range.clone()].fill(alpha == AlphaMode::Opaque);
        }
        is_solid
    }

    /// The mesh that a triangle belongs to.
    pub(super) fn mesh_of(&self, triangle: usize) -> usize {
        self.mesh_triangles.partition_point(|range| range.end <= triangle)
    }

    /// A position in double precision.
    pub(super) fn at(&self, vertex: u32) -> DVec3 {
        self.positions[vertex as usize].as_dvec3()
    }

    /// The three positions of a triangle.
    pub(super) fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|vertex| self.at(vertex))
    }

    /// Three distinct positions: the triangle has three edges.
    pub(super) fn has_edges(&self, triangle: usize) -> bool {
        let [a, b, c] = self.triangles[triangle];
        a != b && b != c && c != a
    }
}

/// Open-addressing table from position to index. std's map would do; this one has no random state
/// and is about three times as fast.
struct Welder {
    positions: Vec<Vec3>,
    slots: Vec<u32>,
}

impl Welder {
    fn with_room_for(count: usize) -> Self {
        Self {
            positions: Vec::new(),
            slots: vec![u32::MAX; (count * 2).next_power_of_two().max(16)],
        }
    }

    fn index_of(&mut self, position: Vec3) -> u32 {
        // Adding zero makes −0 and 0 one.
        let position = position + Vec3::ZERO;
        let mask = self.slots.len() - 1;
        let mut slot = hash(position) as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == u32::MAX {
                let index = self.positions.len() as u32;
                self.slots[slot] = index;
                self.positions.push(position);
                return index;
            }
            if self.positions[found as usize] == position {
                return found;
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// Mixes the bits of three floats; the finaliser is SplitMix64's (Steele, Lea, Flood 2014).
fn hash(position: Vec3) -> u64 {
    let [x, y, z] = position.to_array().map(|c| u64::from(c.to_bits()));
    let mut h =
        (x | y << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ z.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    h = (h ^ (h >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    h ^ (h >> 31)
}

/// How many triangles have the same three positions as an earlier one.
pub(super) fn duplicates(surface: &Surface) -> usize {
    let mut keys: Vec<[u32; 3]> = parallel::map(&surface.triangles, |corners| {
        let mut sorted = *corners;
        sorted.sort_unstable();
        sorted
    });
    keys.par_sort_unstable();
    keys.windows(2).filter(|pair| pair[0] == pair[1]).count()
}
