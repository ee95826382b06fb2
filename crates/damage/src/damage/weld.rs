//! Corners at one place as one vertex, so that a surface moves without opening at its seams.

use super::soup::{Soup, face_normal};
use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// Which corners are one vertex.
pub(super) struct Weld {
    /// Vertices of each triangle, in the order of parts and triangles.
    pub triangles: Vec<[u32; 3]>,
    pub positions: Vec<Vec3>,
    /// The mean normal there, by area.
    pub normals: Vec<Vec3>,
}

impl Weld {
    pub(super) fn of(soup: &Soup) -> Self {
        let mut known: HashMap<[u32; 3], u32> = HashMap::new();
        let mut positions = Vec::new();
        let mut sums: Vec<Vec3> = Vec::new();
        let mut triangles = Vec::new();
        for triangle in soup.triangles() {
            let vertices = triangle.map(|corner| {
                // Adding zero makes −0 and 0 one.
                let position = corner.position + Vec3::ZERO;
                *known.entry(position.to_array().map(f32::to_bits)).or_insert_with(|| {
                    positions.push(position);
                    sums.push(Vec3::ZERO);
                    positions.len() as u32 - 1
                })
            });
            let [a, b, c] = triangle.map(|corner| corner.position);
            for vertex in vertices {
                sums[vertex as usize] += (b - a).cross(c - a);
            }
            triangles.push(vertices);
        }
        Self {
            triangles,
            positions,
            normals: sums.into_iter().map(Vec3::normalize_or_zero).collect(),
        }
    }

    /// Vertices that share an edge with each vertex, each once.
    pub(super) fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut neighbours = vec![Vec::new(); self.positions.len()];
        for &[a, b, c] in &self.triangles {
            for (x, y) in [(a, b), (b, c), (c, a)] {
                neighbours[x as usize].push(y);
                neighbours[y as usize].push(x);
            }
        }
        for (vertex, list) in neighbours.iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            list.retain(|&other| other as usize != vertex);
        }
        neighbours
    }

    /// Moves every vertex and makes normals anew: corners that had one normal at one place have one
    /// again, so edges stay sharp. Returns the root mean square of the way moved.
    pub(super) fn move_to(&self, soup: &mut Soup, places: &[Vec3]) -> f64 {
        let mut groups: HashMap<(u32, [u32; 3]), usize> = HashMap::new();
        let mut sums: Vec<Vec3> = Vec::new();
        let mut group_of = Vec::with_capacity(self.triangles.len());
        let each = soup.parts.iter_mut().flat_map(|part| &mut part.triangles);
        for (triangle, vertices) in each.zip(&self.triangles) {
            for (corner, &vertex) in triangle.iter_mut().zip(vertices) {
                corner.position = places[vertex as usize];
            }
            let [a, b, c] = triangle.map(|corner| corner.position);
            let cross = (b - a).cross(c - a);
            group_of.push([0, 1, 2].map(|i| {
                let key = (vertices[i], triangle[i].normal.to_array().map(f32::to_bits));
                let group = *groups.entry(key).or_insert_with(|| {
                    sums.push(Vec3::ZERO);
                    sums.len() - 1
                });
                sums[group] += cross;
                group
            }));
        }
        let each = soup.parts.iter_mut().flat_map(|part| &mut part.triangles);
        for (triangle, groups) in each.zip(group_of) {
            let face = face_normal(triangle);
            for (corner, group) in triangle.iter_mut().zip(groups) {
                corner.normal = sums[group].try_normalize().unwrap_or(face);
            }
        }
        let moved = self
            .positions
            .iter()
            .zip(places)
            .map(|(from, to)| DVec3::length_squared(to.as_dvec3() - from.as_dvec3()));
        (moved.sum::<f64>() / self.positions.len().max(1) as f64).sqrt()
    }
}
