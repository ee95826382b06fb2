//! Attributes of vertices, and what a node's transform makes of them.

use super::document::Document;
use crate::load::error::LoadError;
use glam::{DAffine3, DMat3, Vec3, Vec4};
use gltf::json::{Accessor, Index};

/// An attribute of the primitive's length.
pub(super) fn vertices<const N: usize, T: Clone>(
    document: &Document<'_>,
    index: Index<Accessor>,
    count: usize,
    make: impl Fn([f32; N]) -> T,
) -> Result<Vec<T>, LoadError> {
    let reader = document.reader(index)?;
    if reader.count != count {
        return Err(document.broken(
            format!("accessor {}", index.value()),
            format!("has {} elements for {count} vertices", reader.count),
        ));
    }
    reader.floats(document, make)
}

/// Colours as the accessor has them; `alpha` where it has none.
pub(super) fn colors(
    document: &Document<'_>,
    index: Index<Accessor>,
    count: usize,
    alpha: f32,
) -> Result<Vec<Vec4>, LoadError> {
    if document.reader(index)?.kind.multiplicity() == 3 {
        vertices(document, index, count, |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, alpha))
    } else {
        vertices(document, index, count, Vec4::from_array)
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
