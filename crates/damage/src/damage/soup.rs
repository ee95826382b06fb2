//! A scene taken apart: triangles whose corners carry everything, so that they can be cut, moved
//! and dropped one by one.

use super::error::DamageError;
use crate::scene::{Material, Mesh, MeshParts, Scene, Texture};
use glam::{DVec3, Vec2, Vec3, Vec4};
use std::collections::HashMap;

/// Texture coordinate sets of a corner; a scene has no more.
pub(super) const UV_SETS: usize = 4;
const _: () = assert!(UV_SETS == Mesh::UV_SETS_MAX);

/// One corner of a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    pub position: Vec3,
    /// Unit, or zero where there is none.
    pub normal: Vec3,
    pub uvs: [Vec2; UV_SETS],
    pub color: Vec4,
}

impl Corner {
    /// A corner of something new, without texture.
    pub(super) fn plain(position: Vec3, normal: Vec3) -> Self {
        Self { position, normal, uvs: [Vec2::ZERO; UV_SETS], color: Vec4::ONE }
    }

    /// The same corner at another place.
    pub(super) fn moved_to(&self, position: Vec3, normal: Vec3) -> Self {
        Self { position, normal, ..*self }
    }

    /// Between two corners; the middle is the same from both sides.
    pub(super) fn between(&self, other: &Self, t: f32) -> Self {
        let normal = self.normal.lerp(other.normal, t);
        Self {
            position: if t == 0.5 {
                (self.position + other.position) * 0.5
            } else {
                self.position.lerp(other.position, t)
            },
            normal: normal.normalize_or_zero(),
            uvs: std::array::from_fn(|set| self.uvs[set].lerp(other.uvs[set], t)),
            color: self.color.lerp(other.color, t),
        }
    }

    fn bits(&self) -> [u32; 18] {
        let mut bits = [0; 18];
        let numbers = self
            .position
            .to_array()
            .into_iter()
            .chain(self.normal.to_array())
            .chain(self.uvs.iter().flat_map(|uv| uv.to_array()))
            .chain(self.color.to_array());
        bits.iter_mut().zip(numbers).for_each(|(b, n)| *b = n.to_bits());
        bits
    }
}

/// Three corners, counter-clockwise from the front.
pub(super) type Triangle = [Corner; 3];

/// The triangles of one mesh.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub triangles: Vec<Triangle>,
    pub material: usize,
    pub num_uv_sets: usize,
    pub has_normals: bool,
    pub has_colors: bool,
}

impl Part {
    /// An empty one of a new material.
    pub(super) fn new(material: usize, num_uv_sets: usize) -> Self {
        Self { triangles: Vec::new(), material, num_uv_sets, has_normals: true, has_colors: false }
    }
}

/// A scene taken apart.
#[derive(Debug, Clone)]
pub(super) struct Soup {
    pub parts: Vec<Part>,
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    pub origin: DVec3,
}

impl Soup {
    pub(super) fn of(scene: &Scene) -> Self {
        Self {
            parts: scene.meshes().iter().map(part).collect(),
            materials: scene.materials().to_vec(),
            textures: scene.textures().to_vec(),
            origin: scene.origin(),
        }
    }

    /// Puts it together again: equal corners are one vertex; tangents are left to derive.
    pub(super) fn into_scene(self) -> Result<Scene, DamageError> {
        let meshes = self
            .parts
            .into_iter()
            .filter(|part| !part.triangles.is_empty())
            .map(|part| Mesh::new(parts_of(part)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Scene::new(meshes, self.materials, self.textures)?.at(self.origin))
    }

    pub(super) fn triangles(&self) -> impl Iterator<Item = &Triangle> {
        self.parts.iter().flat_map(|part| &part.triangles)
    }

    pub(super) fn bounds(&self) -> (Vec3, Vec3) {
        let corners = self.triangles().flatten();
        corners.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), c| {
            (min.min(c.position), max.max(c.position))
        })
    }

    /// Length of the box's diagonal.
    pub(super) fn diagonal(&self) -> f32 {
        let (min, max) = self.bounds();
        (max - min).length()
    }

    pub(super) fn area(&self) -> f64 {
        self.triangles().map(area).sum()
    }
}

pub(super) fn area(triangle: &Triangle) -> f64 {
    let [a, b, c] = triangle.map(|corner| corner.position.as_dvec3());
    0.5 * (b - a).cross(c - a).length()
}

/// Unit normal of one triangle by its winding, zero without area.
pub(super) fn face_normal(triangle: &Triangle) -> Vec3 {
    let [a, b, c] = triangle.map(|corner| corner.position);
    (b - a).cross(c - a).normalize_or_zero()
}

pub(super) fn middle(triangle: &Triangle) -> Vec3 {
    let [a, b, c] = triangle.map(|corner| corner.position);
    (a + b + c) / 3.0
}

/// The same surface seen from behind.
pub(super) fn turned([a, b, c]: Triangle) -> Triangle {
    [a, c, b].map(|corner| Corner { normal: -corner.normal, ..corner })
}

/// One side of a box, square to `axis`. `corner` gives the corner at the high ends of the marked
/// axes, with this normal.
pub(super) fn box_side(
    axis: usize,
    is_far: bool,
    corner: impl Fn([bool; 3], Vec3) -> Corner,
) -> [Triangle; 2] {
    let mut normal = Vec3::ZERO;
    normal[axis] = if is_far { 1.0 } else { -1.0 };
    let [a, b, c, d] =
        [(false, false), (true, false), (true, true), (false, true)].map(|(at_u, at_v)| {
            let mut is_high = [is_far; 3];
            (is_high[(axis + 1) % 3], is_high[(axis + 2) % 3]) = (at_u, at_v);
            corner(is_high, normal)
        });
    if is_far { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] }
}

fn part(mesh: &Mesh) -> Part {
    let corner = |vertex: u32| {
        let v = vertex as usize;
        Corner {
            position: mesh.positions()[v],
            normal: mesh.normals().map_or(Vec3::ZERO, |normals| normals[v]),
            uvs: std::array::from_fn(|set| mesh.uvs(set).map_or(Vec2::ZERO, |uvs| uvs[v])),
            color: mesh.colors().map_or(Vec4::ONE, |colors| colors[v]),
        }
    };
    let triangle = |corners: &[u32; 3]| {
        let mut triangle = corners.map(corner);
        let normal = face_normal(&triangle);
        for corner in &mut triangle {
            if corner.normal == Vec3::ZERO {
                corner.normal = normal;
            }
        }
        triangle
    };
    Part {
        triangles: mesh.triangles().iter().map(triangle).collect(),
        material: mesh.material(),
        num_uv_sets: mesh.uv_set_count(),
        has_normals: mesh.normals().is_some(),
        has_colors: mesh.colors().is_some(),
    }
}

fn parts_of(part: Part) -> MeshParts {
    let mut known: HashMap<[u32; 18], u32> = HashMap::new();
    let mut corners: Vec<Corner> = Vec::new();
    let mut triangles = Vec::with_capacity(part.triangles.len());
    for triangle in &part.triangles {
        triangles.push(triangle.map(|mut corner| {
            if !part.has_normals {
                corner.normal = Vec3::ZERO;
            }
            *known.entry(corner.bits()).or_insert_with(|| {
                corners.push(corner);
                corners.len() as u32 - 1
            })
        }));
    }
    let sets = 0..part.num_uv_sets;
    MeshParts {
        positions: corners.iter().map(|c| c.position).collect(),
        triangles,
        normals: part.has_normals.then(|| corners.iter().map(|c| c.normal).collect()),
        tangents: None,
        uv_sets: sets.map(|set| corners.iter().map(|c| c.uvs[set]).collect()).collect(),
        colors: part.has_colors.then(|| corners.iter().map(|c| c.color).collect()),
        material: part.material,
        name: String::new(),
    }
}
