//! One primitive: vertices, triangles and the material they share.

use super::error::SceneError;
use glam::{Quat, Vec2, Vec3, Vec4};

/// What a [`Mesh`] is made of, unchecked. World space; per-vertex lists have one length.
#[derive(Debug, Clone, Default)]
pub struct MeshParts {
    /// World-space positions, in the file's units.
    pub positions: Vec<Vec3>,
    /// Three vertex indices each; counter-clockwise seen from the front.
    pub triangles: Vec<[u32; 3]>,
    /// Unit normals; `None` means flat: each triangle's own. Zero means "none here", drawn flat.
    pub normals: Option<Vec<Vec3>>,
    /// Tangents, handedness in `w` (glTF 2.0, section 3.7.2.1); `None`: from texture coordinates.
    pub tangents: Option<Vec<Vec4>>,
    /// Texture coordinate sets, (0, 0) at the top left of the picture; at most
    /// [`Mesh::UV_SETS_MAX`].
    pub uv_sets: Vec<Vec<Vec2>>,
    /// Linear RGBA, multiplied with the base colour.
    pub colors: Option<Vec<Vec4>>,
    /// Index into [`super::Scene::materials`].
    pub material: usize,
    /// Of its node, mesh or object in the file; may be empty.
    pub name: String,
}

/// A checked primitive: indices in range, lengths equal, numbers finite.
#[derive(Debug, Clone)]
pub struct Mesh {
    parts: MeshParts,
}

impl Mesh {
    /// Further texture coordinate sets are dropped by the loaders, with a warning.
    pub const UV_SETS_MAX: usize = 4;

    /// The same, rotated about the origin.
    pub(super) fn rotated(&self, by: Quat) -> Self {
        let mut parts = self.parts.clone();
        let directions = parts.normals.iter_mut().flatten();
        parts.positions.iter_mut().chain(directions).for_each(|it| *it = by * *it);
        for tangent in parts.tangents.iter_mut().flatten() {
            *tangent = (by * tangent.truncate()).extend(tangent.w);
        }
        Self { parts }
    }

    /// Checks the parts.
    ///
    /// # Errors
    /// [`SceneError::AttributeLength`], [`SceneError::VertexIndex`] or [`SceneError::NotFinite`].
    pub fn new(parts: MeshParts) -> Result<Self, SceneError> {
        let MeshParts {
            positions,
            triangles,
            normals,
            tangents,
            uv_sets,
            colors,
            material: _, // checked by `Scene::new`, which knows the materials
            name: _,
        } = &parts;
        let expected = positions.len();
        let check_length = |attribute, found| {
            if found == expected {
                Ok(())
            } else {
                Err(SceneError::AttributeLength { attribute, found, expected })
            }
        };
        let check_finite = |attribute, bad: Option<usize>| {
            bad.map_or(Ok(()), |index| Err(SceneError::NotFinite { attribute, index }))
        };
        check_finite("position", positions.iter().position(|p| !p.is_finite()))?;
        if let Some(normals) = normals {
            check_length("normals", normals.len())?;
            check_finite("normal", normals.iter().position(|n| !n.is_finite()))?;
        }
        if let Some(tangents) = tangents {
            check_length("tangents", tangents.len())?;
            check_finite("tangent", tangents.iter().position(|t| !t.is_finite()))?;
        }
        for uvs in uv_sets {
            check_length("texture coordinates", uvs.len())?;
            check_finite("texture coordinate", uvs.iter().position(|uv| !uv.is_finite()))?;
        }
        if let Some(colors) = colors {
            check_length("colours", colors.len())?;
            check_finite("colour", colors.iter().position(|c| !c.is_finite()))?;
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= expected) {
                return Err(SceneError::VertexIndex { triangle, vertex, count: expected });
            }
        }
        Ok(Self { parts })
    }

    /// World-space positions.
    pub fn positions(&self) -> &[Vec3] {
        &self.parts.positions
    }

    /// Vertex indices, counter-clockwise seen from the front; all in range.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.parts.triangles
    }

    /// Unit normals, or `None` for flat shading.
    pub fn normals(&self) -> Option<&[Vec3]> {
        self.parts.normals.as_deref()
    }

    /// Tangents with handedness in `w`.
    pub fn tangents(&self) -> Option<&[Vec4]> {
        self.parts.tangents.as_deref()
    }

    /// Texture coordinate set `set`, if the mesh has it.
    pub fn uvs(&self, set: usize) -> Option<&[Vec2]> {
        self.parts.uv_sets.get(set).map(Vec::as_slice)
    }

    /// Number of texture coordinate sets.
    pub fn uv_set_count(&self) -> usize {
        self.parts.uv_sets.len()
    }

    /// Linear RGBA per vertex.
    pub fn colors(&self) -> Option<&[Vec4]> {
        self.parts.colors.as_deref()
    }

    /// Name of its node, mesh or object in the file; may be empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Index into [`super::Scene::materials`].
    pub fn material(&self) -> usize {
        self.parts.material
    }

    /// Positions of the vertices that at least one triangle uses, each once.
    pub(super) fn used_positions(&self) -> impl Iterator<Item = Vec3> + '_ {
        let mut used = vec![false; self.parts.positions.len()];
        for &vertex in self.parts.triangles.iter().flatten() {
            used[vertex as usize] = true;
        }
        self.parts
            .positions
            .iter()
            .zip(used)
            .filter_map(|(&position, is_used)| is_used.then_some(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triangle() -> MeshParts {
        MeshParts {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..MeshParts::default()
        }
    }

    #[test]
    fn an_index_past_the_vertices_is_named() {
        let parts = MeshParts { triangles: vec![[0, 1, 2], [0, 1, 3]], ..triangle() };
        assert_eq!(
            Mesh::new(parts).unwrap_err(),
            SceneError::VertexIndex { triangle: 1, vertex: 3, count: 3 }
        );
    }

    #[test]
    fn a_position_that_is_no_number_is_named() {
        let mut parts = triangle();
        parts.positions[2].y = f32::NAN;
        assert_eq!(
            Mesh::new(parts).unwrap_err(),
            SceneError::NotFinite { attribute: "position", index: 2 }
        );
    }

    #[test]
    fn a_short_attribute_is_named() {
        let parts = MeshParts { normals: Some(vec![Vec3::Z; 2]), ..triangle() };
        assert!(matches!(
            Mesh::new(parts).unwrap_err(),
            SceneError::AttributeLength { attribute: "normals", found: 2, expected: 3 }
        ));
    }
}
