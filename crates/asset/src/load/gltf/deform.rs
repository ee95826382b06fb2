//! Morph targets at their default weights, and skins in the rest pose that the nodes give.

use super::super::error::LoadError;
use super::super::limits::{JOINTS_MAX, MORPH_TARGETS_MAX};
use super::document::Document;
use super::nodes::Nodes;
use super::vertices::{normal_matrix, vertices};
use glam::{DAffine3, DMat3, DMat4, DVec3, Vec3, Vec4};
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, skin};

/// Adds the weighted differences of the morph targets. glTF 2.0, section 3.7.2.2.
pub(super) fn morph(
    document: &Document<'_>,
    primitive: &Primitive,
    weights: &[f32],
    positions: &mut [Vec3],
    normals: &mut Option<Vec<Vec3>>,
    tangents: &mut Option<Vec<Vec4>>,
) -> Result<(), LoadError> {
    let active = (primitive.targets.iter().flatten().zip(weights))
        .filter(|&(_, &weight)| weight != 0.0 && weight.is_finite());
    for (number, (target, &weight)) in active.enumerate() {
        document.check_limit("morph targets", number as u64 + 1, MORPH_TARGETS_MAX as u64)?;
        let difference = |index| vertices(document, index, positions.len(), Vec3::from_array);
        let moved = target.positions.map(difference).transpose()?;
        let turned = target.normals.map(difference).transpose()?;
        let twisted = target.tangents.map(difference).transpose()?;
        for (position, by) in positions.iter_mut().zip(moved.iter().flatten()) {
            *position += *by * weight;
        }
        for (normal, by) in normals.iter_mut().flatten().zip(turned.iter().flatten()) {
            *normal += *by * weight;
        }
        for (tangent, by) in tangents.iter_mut().flatten().zip(twisted.iter().flatten()) {
            *tangent += (*by * weight).extend(0.0);
        }
    }
    Ok(())
}

/// World-space joint matrices of a skin in the rest pose.
#[derive(Debug)]
pub(super) struct Skin {
    world_from_bind: Vec<DAffine3>,
}

impl Skin {
    /// glTF 2.0, section 3.7.3.2: each joint's world transform times its inverse bind matrix.
    pub(super) fn of(
        document: &Document<'_>,
        index: Index<skin::Skin>,
        nodes: &Nodes,
    ) -> Result<Self, LoadError> {
        let skin = document.get(&document.root.skins, index, "skin")?;
        let name = || format!("skin {}", index.value());
        document.check_limit(
            "joints of a skin",
            skin.joints.len() as u64,
            JOINTS_MAX as u64,
        )?;
        let inverse_binds: Vec<DAffine3> = match skin.inverse_bind_matrices {
            None => vec![DAffine3::IDENTITY; skin.joints.len()],
            Some(accessor) => document
                .reader(accessor)?
                .floats(document, |m: [f32; 16]| {
                    DAffine3::from_mat4(DMat4::from_cols_array(&m.map(f64::from)))
                })?,
        };
        if inverse_binds.len() < skin.joints.len() {
            return Err(document.broken(name(), "has fewer inverse bind matrices than joints"));
        }
        let world_from_bind = (skin.joints.iter().zip(&inverse_binds))
            .map(|(joint, bind_from_mesh)| {
                let world = (nodes.world_from_node.get(joint.value())).ok_or_else(|| {
                    document.broken(name(), format!("has joint {}, no such node", joint.value()))
                })?;
                Ok(*world * *bind_from_mesh)
            })
            .collect::<Result<_, LoadError>>()?;
        Ok(Self { world_from_bind })
    }

    /// Bends the vertices; for each, whether its joints, by weight, mirror it. Those without weight stay as they are.
    pub(super) fn bend(
        &self,
        document: &Document<'_>,
        primitive: &Primitive,
        positions: &mut [Vec3],
        normals: &mut Option<Vec<Vec3>>,
        tangents: &mut Option<Vec<Vec4>>,
    ) -> Result<Vec<bool>, LoadError> {
        let influences = Influences::read(document, primitive, positions.len())?;
        let mut is_mirrored = vec![false; positions.len()];
        for (vertex, position) in positions.iter_mut().enumerate() {
            let Some(world) = self.blend(document, &influences, vertex)? else {
                continue;
            };
            is_mirrored[vertex] = world.matrix3.determinant() < 0.0;
            *position = world.transform_point3(position.as_dvec3()).as_vec3();
            if let Some(normal) = normals.as_mut().and_then(|n| n.get_mut(vertex)) {
                let turned = normal_matrix(world.matrix3) * normal.as_dvec3();
                *normal = turned.normalize_or_zero().as_vec3();
            }
            if let Some(tangent) = tangents.as_mut().and_then(|t| t.get_mut(vertex)) {
                let along = world.matrix3 * tangent.truncate().as_dvec3();
                let hand = tangent.w * world.matrix3.determinant().signum() as f32;
                *tangent = along.normalize_or_zero().as_vec3().extend(hand);
            }
        }
        Ok(is_mirrored)
    }

    /// The weighted mean of a vertex's joint matrices; weights need not sum to 1. `None` where all weights are 0.
    fn blend(
        &self,
        document: &Document<'_>,
        influences: &Influences,
        vertex: usize,
    ) -> Result<Option<DAffine3>, LoadError> {
        let mut sum = DAffine3 {
            matrix3: DMat3::ZERO,
            translation: DVec3::ZERO,
        };
        let mut total = 0.0;
        for (joints, weights) in &influences.sets {
            for (joint, weight) in joints[vertex].iter().zip(weights[vertex]) {
                if weight == 0.0 || !weight.is_finite() {
                    continue;
                }
                let matrix = self.world_from_bind.get(*joint as usize).ok_or_else(|| {
                    document.broken(
                        "a skinned primitive",
                        format!("uses joint {joint}, which its skin lacks"),
                    )
                })?;
                let weight = f64::from(weight);
                sum.matrix3 += matrix.matrix3 * weight;
                sum.translation += matrix.translation * weight;
                total += weight;
            }
        }
        if total == 0.0 {
            return Ok(None);
        }
        Ok(Some(DAffine3 {
            matrix3: sum.matrix3 * (1.0 / total),
            translation: sum.translation / total,
        }))
    }
}

/// Four joints and their weights for every vertex.
type InfluenceSet = (Vec<[u32; 4]>, Vec<[f32; 4]>);

/// Joints and weights of every vertex, in sets of four.
struct Influences {
    sets: Vec<InfluenceSet>,
}

impl Influences {
    fn read(
        document: &Document<'_>,
        primitive: &Primitive,
        count: usize,
    ) -> Result<Self, LoadError> {
        const SETS_MAX: u32 = 4; // sixteen joints a vertex; exporters write one or two sets
        let mut sets = Vec::new();
        for set in 0..SETS_MAX {
            let get = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
            let (Some(joints), Some(weights)) =
                (get(Semantic::Joints(set)), get(Semantic::Weights(set)))
            else {
                break;
            };
            let joints = document.reader(joints)?.joints(document)?;
            if joints.len() != count {
                return Err(document.broken(
                    "a skinned primitive",
                    format!("has joints for {} of {count} vertices", joints.len()),
                ));
            }
            sets.push((joints, vertices(document, weights, count, |w: [f32; 4]| w)?));
        }
        Ok(Self { sets })
    }
}
