//! Morph targets at their default weights, and skins in the rest pose that the nodes give.

use super::super::error::LoadError;
use super::super::limits::{JOINTS_MAX, MORPH_TARGETS_MAX};
use super::super::warning::{Warning, Warnings};
use super::document::Document;
use super::nodes::Nodes;
use super::vertices::{Used, colors_of, normal_matrix, used_reader, vertices};
use crate::scene::MeshParts;
use glam::{DAffine3, DMat3, DMat4, DVec3, Vec2, Vec3, Vec4};
use gltf::json::mesh::{Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, skin};
use std::collections::BTreeMap;

/// Adds the weighted differences of the morph targets. glTF 2.0, section 3.7.2.2.
///
/// `later`: accessors of each target's colours and texture coordinates, by attribute.
pub(super) fn morph(
    document: &Document<'_>,
    primitive: &Primitive,
    later: &[BTreeMap<String, u32>],
    (weights, used): (&[f32], &Used),
    positions: &mut [Vec3],
    parts: &mut MeshParts,
) -> Result<(), LoadError> {
    let (normals, tangents) = (&mut parts.normals, &mut parts.tangents);
    let active = primitive
        .targets
        .iter()
        .flatten()
        .zip(weights)
        .enumerate()
        .filter(|&(_, (_, &weight))| weight != 0.0 && weight.is_finite());
    for (number, (index, (target, &weight))) in active.enumerate() {
        document.check_limit("morph targets", number as u64 + 1, MORPH_TARGETS_MAX as u64)?;
        let difference = |index| vertices(document, index, used, Vec3::from_array);
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
        let accessor = |name: &str| Some(Index::new(*later.get(index)?.get(name)?));
        if let (Some(all), Some(by)) = (&mut parts.colors, accessor("COLOR_0")) {
            let by = colors_of(document, by, used, 0.0)?;
            for (color, by) in all.iter_mut().zip(by) {
                *color = (*color + by * weight).clamp(Vec4::ZERO, Vec4::ONE);
            }
        }
        for (set, uvs) in parts.uv_sets.iter_mut().enumerate() {
            if let Some(by) = accessor(&format!("TEXCOORD_{set}")) {
                let by: Vec<Vec2> = vertices(document, by, used, Vec2::from_array)?;
                uvs.iter_mut().zip(by).for_each(|(uv, by)| *uv += by * weight);
            }
        }
    }
    Ok(())
}

/// World-space joint matrices of a skin in the rest pose.
#[derive(Debug)]
pub(super) struct Skin {
    world_from_bind: Vec<DAffine3>,
    /// What vertices without weight move by.
    shift: DVec3,
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
        document.check_limit("joints of a skin", skin.joints.len() as u64, JOINTS_MAX as u64)?;
        let inverse_binds: Vec<DAffine3> = match skin.inverse_bind_matrices {
            None => vec![DAffine3::IDENTITY; skin.joints.len()],
            Some(accessor) => document.reader(accessor)?.floats(document, |m: [f32; 16]| {
                DAffine3::from_mat4(DMat4::from_cols_array(&m.map(f64::from)))
            })?,
        };
        if inverse_binds.len() < skin.joints.len() {
            return Err(document.broken(name(), "has fewer inverse bind matrices than joints"));
        }
        let world_from_bind = skin
            .joints
            .iter()
            .zip(&inverse_binds)
            .map(|(joint, bind_from_mesh)| {
                let world = nodes.world_from_node.get(joint.value()).ok_or_else(|| {
                    document.broken(name(), format!("has joint {}, no such node", joint.value()))
                })?;
                Ok(*world * *bind_from_mesh)
            })
            .collect::<Result<_, LoadError>>()?;
        Ok(Self { world_from_bind, shift: nodes.shift })
    }

    /// Bends the vertices; for each, whether its joints, by weight, mirror it. Those without weight
    /// stay as they are, with a warning.
    pub(super) fn bend(
        &self,
        document: &Document<'_>,
        (primitive, used): (&Primitive, &Used),
        positions: &mut [Vec3],
        (normals, tangents): (&mut Option<Vec<Vec3>>, &mut Option<Vec<Vec4>>),
        warnings: &mut Warnings,
    ) -> Result<Vec<bool>, LoadError> {
        let influences = Influences::read(document, primitive, used)?;
        let mut is_mirrored = vec![false; positions.len()];
        let mut num_unbound = 0;
        for (vertex, position) in positions.iter_mut().enumerate() {
            let Some(world) = self.blend(document, &influences, vertex)? else {
                num_unbound += 1;
                if self.shift != DVec3::ZERO {
                    *position = (position.as_dvec3() + self.shift).as_vec3();
                }
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
        warnings.count(num_unbound, |count| Warning::NoSkinWeight { count });
        Ok(is_mirrored)
    }

    /// Weighted mean of a vertex's joint matrices; weights need not sum to 1. `None` if all are 0.
    fn blend(
        &self,
        document: &Document<'_>,
        influences: &Influences,
        vertex: usize,
    ) -> Result<Option<DAffine3>, LoadError> {
        let mut sum = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
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
        used: &Used,
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
            let joints = used_reader(document, joints, used)?.joints(document, used.some())?;
            sets.push((joints, vertices(document, weights, used, |w: [f32; 4]| w)?));
        }
        Ok(Self { sets })
    }
}
