//! Attributes of vertices, and what a node's transform makes of them.

use super::accessor::Reader;
use super::document::Document;
use crate::error::LoadError;
use glam::{DAffine3, DMat3, Vec3, Vec4};
use gltf::json::{Accessor, Index};

/// The vertices of a primitive's attributes that are drawn: all, or some. Exporters of CAD let
/// thousands of primitives index one vertex buffer, of which each uses a few vertices.
pub(super) struct Used {
    /// Elements of each attribute.
    pub count: usize,
    /// Ascending; `None` is all.
    some: Option<Vec<u32>>,
}

impl Used {
    /// Renumbers `indices`, all below `count`, to the vertices they use, if these are fewer.
    /// `scratch` is kept between calls, so that a call takes time for its indices alone.
    pub(super) fn of(indices: &mut [u32], count: usize, scratch: &mut Vec<u32>) -> Self {
        const UNUSED: u32 = u32::MAX;
        if count <= indices.len() {
            return Self::all(count);
        }
        scratch.resize(count.max(scratch.len()), UNUSED);
        let mut used = Vec::new();
        for &index in &*indices {
            if std::mem::replace(&mut scratch[index as usize], 0) == UNUSED {
                used.push(index);
            }
        }
        used.sort_unstable();
        for (new, &old) in (0..).zip(&used) {
            scratch[old as usize] = new;
        }
        indices.iter_mut().for_each(|index| *index = scratch[*index as usize]);
        used.iter().for_each(|&old| scratch[old as usize] = UNUSED);
        Self { count, some: Some(used) }
    }

    /// How many are drawn.
    pub(super) fn len(&self) -> usize {
        self.some.as_ref().map_or(self.count, Vec::len)
    }

    pub(super) fn all(count: usize) -> Self {
        Self { count, some: None }
    }

    /// Which, unless all.
    pub(super) fn some(&self) -> Option<&[u32]> {
        self.some.as_deref()
    }
}

/// An attribute of the vertices that are drawn; it has the primitive's length.
pub(super) fn vertices<const N: usize, T: Clone>(
    document: &Document<'_>,
    index: Index<Accessor>,
    used: &Used,
    make: impl Fn([f32; N]) -> T,
) -> Result<Vec<T>, LoadError> {
    used_reader(document, index, used)?.floats_of(document, used.some(), make)
}

/// The accessor of an attribute, which has the primitive's length.
pub(super) fn used_reader<'d>(
    document: &'d Document<'_>,
    index: Index<Accessor>,
    used: &Used,
) -> Result<Reader<'d>, LoadError> {
    let reader = document.reader(index)?;
    if reader.count != used.count {
        return Err(document.broken(
            format!("accessor {}", index.value()),
            format!("has {} elements for {} vertices", reader.count, used.count),
        ));
    }
    Ok(reader)
}

/// Colours as the accessor has them; `alpha` where it has none.
pub(super) fn colors_of(
    document: &Document<'_>,
    index: Index<Accessor>,
    used: &Used,
    alpha: f32,
) -> Result<Vec<Vec4>, LoadError> {
    if document.reader(index)?.kind.multiplicity() == 3 {
        vertices(document, index, used, |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, alpha))
    } else {
        vertices(document, index, used, Vec4::from_array)
    }
}

/// Applies an affine transform to everything that has a direction; true if it mirrors.
pub(super) fn transform(
    world_from_node: DAffine3,
    positions: &mut [Vec3],
    normals: &mut Option<Vec<Vec3>>,
    tangents: &mut Option<Vec<Vec4>>,
) -> bool {
    if world_from_node == DAffine3::IDENTITY {
        return false;
    }
    let linear = world_from_node.matrix3;
    let is_mirrored = linear.determinant() < 0.0;
    for position in positions {
        *position = world_from_node.transform_point3(position.as_dvec3()).as_vec3();
    }
    let turn = normal_matrix(linear);
    for normal in normals.iter_mut().flatten() {
        *normal = (turn * normal.as_dvec3()).normalize_or_zero().as_vec3();
    }
    for tangent in tangents.iter_mut().flatten() {
        let along = (linear * tangent.truncate().as_dvec3()).normalize_or_zero();
        let hand = if is_mirrored { -tangent.w } else { tangent.w };
        *tangent = along.as_vec3().extend(hand);
    }
    is_mirrored
}

/// The inverse transpose up to a positive factor, which also exists when one scale is zero: the
/// cofactors, with the determinant's sign.
pub(super) fn normal_matrix(linear: DMat3) -> DMat3 {
    let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
    let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if linear.determinant() < 0.0 { cofactors * -1.0 } else { cofactors }
}
