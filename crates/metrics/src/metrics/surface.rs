//! One list of triangles in double precision, for sampling and distances.

use super::error::MetricError;
use crate::measure::sum_fixed;
use crate::scene::Scene;
use crate::scene::draws::{STEP, mixed};
use glam::DVec3;

/// Coordinates beyond this would overflow when they are multiplied four times.
const COORDINATE_MAX: f64 = 1e15;

/// Triangles in space. Vertices that no triangle uses are gone; nothing is welded. At least one
/// triangle has an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Of each triangle, in units squared.
    areas: Vec<f64>,
    area: f64,
    min: DVec3,
    max: DVec3,
}

impl Surface {
    /// All triangles of a scene, in its order.
    ///
    /// # Errors
    /// [`MetricError::NoArea`] or [`MetricError::NotFinite`], which name `which`.
    pub fn of(scene: &Scene, which: &'static str) -> Result<Self, MetricError> {
        let mut positions = Vec::with_capacity(scene.vertex_count());
        let mut triangles = Vec::with_capacity(scene.triangle_count());
        for mesh in scene.meshes() {
            let first = positions.len() as u32;
            let origin = scene.origin();
            positions.extend(mesh.positions().iter().map(|p| p.as_dvec3() + origin));
            triangles.extend(mesh.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        Self::new(positions, triangles, which)
    }

    /// # Errors
    /// [`MetricError::VertexIndex`], [`MetricError::NoArea`] or [`MetricError::NotFinite`].
    pub fn new(
        positions: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        which: &'static str,
    ) -> Result<Self, MetricError> {
        let count = positions.len();
        let mut new_index = vec![u32::MAX; count];
        let mut kept = Vec::with_capacity(count);
        let mut renumbered = Vec::with_capacity(triangles.len());
        for corners in triangles {
            let mut out = [0; 3];
            for (to, vertex) in out.iter_mut().zip(corners) {
                let slot = new_index.get_mut(vertex as usize).ok_or(MetricError::VertexIndex {
                    which,
                    vertex,
                    count,
                })?;
                if *slot == u32::MAX {
                    *slot = kept.len() as u32;
                    kept.push(positions[vertex as usize]);
                }
                *to = *slot;
            }
            renumbered.push(out);
        }
        Self::from_used(kept, renumbered, which)
    }

    fn from_used(
        positions: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        which: &'static str,
    ) -> Result<Self, MetricError> {
        let is_sane = |p: &DVec3| p.is_finite() && p.abs().max_element() <= COORDINATE_MAX;
        if !positions.iter().all(is_sane) {
            return Err(MetricError::NotFinite { which });
        }
        let areas: Vec<f64> = parallel::map(&triangles, |corners| {
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        });
        let area = areas.iter().fold(0.0, |sum, area| sum + area);
        if area <= 0.0 {
            return Err(MetricError::NoArea { which });
        }
        let (min, max) =
            positions.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| {
                (min.min(*p), max.max(*p))
            });
        Ok(Self { positions, triangles, areas, area, min, max })
    }

    /// The same triangles with every position moved. `which` names the mesh in errors.
    pub(super) fn mapped(&self, map: impl Fn(DVec3) -> DVec3 + Sync) -> Result<Self, MetricError> {
        let positions = parallel::map(&self.positions, |p| map(*p));
        Self::from_used(positions, self.triangles.clone(), "moved")
    }

    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|v| self.positions[v as usize])
    }

    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// Sum of all areas, added in the order of the triangles.
    pub fn area(&self) -> f64 {
        self.area
    }

    /// Unit normal by the winding; zero where there is no area.
    pub fn normal(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// Lowest corner of the box.
    pub fn min(&self) -> DVec3 {
        self.min
    }

    /// Highest corner of the box.
    pub fn max(&self) -> DVec3 {
        self.max
    }

    pub fn box_center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    pub fn longest_side(&self) -> f64 {
        (self.max - self.min).max_element()
    }

    pub fn diagonal(&self) -> f64 {
        (self.max - self.min).length()
    }

    /// Centre of the area: mean over the surface, not vertices, so tessellation does not matter.
    pub fn centroid(&self) -> DVec3 {
        let sum = sum_fixed(self.triangles.len(), |t| {
            let [a, b, c] = self.corners(t);
            ((a + b + c) / 3.0 * self.areas[t]).to_array()
        });
        DVec3::from_array(sum) / self.area
    }

    /// Whether the volume that it encloses, seen from its middle, is negative: a surface that is
    /// inside out. The fan from the middle closes an opening.
    pub fn faces_inwards(&self) -> bool {
        let center = self.centroid();
        let [volume] = sum_fixed(self.triangles.len(), |t| {
            let [a, b, c] = self.corners(t).map(|p| p - center);
            [a.dot(b.cross(c)) / 6.0]
        });
        volume < -1e-9 * self.area * self.longest_side()
    }

    /// Mean over the surface of the products of coordinates about `center`: xx, yy, zz, xy, xz, yz.
    /// Exact for triangles: the mean of a quadratic form over one is a twelfth of (the sum over its
    /// corners + 9 times that at its middle).
    pub(super) fn covariance(&self, center: DVec3) -> [f64; 6] {
        let products =
            |p: DVec3| [p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z];
        let sum = sum_fixed(self.triangles.len(), |t| {
            let [a, b, c] = self.corners(t).map(|p| p - center);
            let at = [a, b, c, (a + b + c) / 3.0].map(products);
            std::array::from_fn(|k| {
                (at[0][k] + at[1][k] + at[2][k] + 9.0 * at[3][k]) / 12.0 * self.areas[t]
            })
        });
        sum.map(|value| value / self.area)
    }

    /// Whether directed edges cancel: each runs as often one way as the other, so the surface
    /// encloses volume and its winding number is whole everywhere. Positions decide, not indices.
    ///
    /// An edge adds its fingerprint one way and takes it off the other way, in wrapping arithmetic,
    /// so the order does not matter. Sums of 128 bits that are 0 by chance are not expected in the
    /// life of the universe.
    pub fn is_closed(&self) -> bool {
        let prints: Vec<[u64; 2]> = parallel::map(&self.positions, |p| fingerprint(*p));
        let of_triangle = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| prints[v as usize]);
            [[a, b], [b, c], [c, a]].map(directed).into_iter().fold([0; 2], added)
        };
        let sums = parallel::map_chunks(&self.triangles, 1 << 12, |_, triangles| {
            triangles.iter().map(of_triangle).fold([0; 2], added)
        });
        let sum = sums.into_iter().fold([0; 2], added);
        sum == [0; 2]
    }
}

fn added(a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
    [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
}

/// Two independent words of a position; −0 is 0.
fn fingerprint(position: DVec3) -> [u64; 2] {
    let bits = (position + DVec3::ZERO).to_array().map(f64::to_bits);
    [STEP, 0xD1B5_4A32_D192_ED03].map(|step| {
        bits.into_iter().fold(step, |word, bits| mixed((word ^ bits).wrapping_add(step)))
    })
}

/// Of a directed edge by the fingerprints of its ends; that of the other direction is its negative.
fn directed([from, to]: [[u64; 2]; 2]) -> [u64; 2] {
    let (low, high) = if from <= to { (from, to) } else { (to, from) };
    [0, 1].map(|k| {
        let word = mixed(mixed(low[k]).wrapping_add(high[k]));
        match from.cmp(&to) {
            std::cmp::Ordering::Less => word,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => word.wrapping_neg(),
        }
    })
}
