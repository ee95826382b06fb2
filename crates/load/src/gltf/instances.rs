//! `EXT_mesh_gpu_instancing` → the places and colours of the copies of a node's mesh.

use super::super::error::LoadError;
use super::super::limits::PRIMITIVES_MAX;
use super::document::Document;
use super::vertices::{Used, colors_of};
use glam::{DAffine3, DQuat, DVec3, Vec4};
use gltf::json::{Accessor, Index, Node};
use serde_json::Value;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// A copy of a mesh.
pub(super) struct Copy {
    pub node_from_instance: DAffine3,
    /// Multiplies the colours of its vertices.
    pub color: Option<Vec4>,
}

impl Copy {
    /// The mesh itself.
    pub(super) const PLAIN: Self = Self { node_from_instance: DAffine3::IDENTITY, color: None };
}

/// Each copy; the mesh itself for a node without the extension.
pub(super) fn read(document: &Document<'_>, node: &Node) -> Result<Vec<Copy>, LoadError> {
    let others = node.extensions.as_ref().map(|extensions| &extensions.others);
    let Some(value) = others.and_then(|others| others.get(NAME)) else {
        return Ok(vec![Copy::PLAIN]);
    };
    let broken = |problem: &str| document.broken(NAME, problem);
    let attributes = value.get("attributes").ok_or_else(|| broken("has no attributes"))?;
    let translations = vectors::<3>(document, attributes, "TRANSLATION")?;
    let rotations = vectors::<4>(document, attributes, "ROTATION")?;
    let scales = vectors::<3>(document, attributes, "SCALE")?;
    let lengths = [
        translations.as_ref().map(Vec::len),
        rotations.as_ref().map(Vec::len),
        scales.as_ref().map(Vec::len),
    ];
    let count = lengths
        .iter()
        .flatten()
        .copied()
        .next()
        .or_else(|| count_of_others(document, attributes))
        .ok_or_else(|| broken("has no attributes"))?;
    document.check_limit("instances", count as u64, PRIMITIVES_MAX as u64)?;
    if lengths.iter().flatten().any(|&length| length != count) {
        return Err(broken("has attributes of different lengths"));
    }
    // As three.js and Babylon.js draw them; the extension leaves names with an underscore open.
    let colors = index_of(document, attributes, "_COLOR_0")?
        .map(|index| colors_of(document, index, &Used::all(count), 1.0))
        .transpose()?;
    (0..count)
        .map(|i| {
            let vector = |list: &Option<Vec<[f32; 3]>>, otherwise: DVec3| {
                list.as_ref().map_or(otherwise, |list| DVec3::from_array(list[i].map(f64::from)))
            };
            let rotation = rotations
                .as_ref()
                .map(|list| DQuat::from_array(list[i].map(f64::from)))
                .filter(|rotation| rotation.length_squared() > 0.0)
                .map_or(DQuat::IDENTITY, DQuat::normalize);
            let instance = DAffine3::from_scale_rotation_translation(
                vector(&scales, DVec3::ONE),
                rotation,
                vector(&translations, DVec3::ZERO),
            );
            if instance.is_finite() {
                let color = colors.as_ref().map(|colors| colors[i]);
                Ok(Copy { node_from_instance: instance, color })
            } else {
                Err(broken("has a transform that is not finite"))
            }
        })
        .collect()
}

/// How many copies there are by attributes that place none of them, such as `_ID`.
fn count_of_others(document: &Document<'_>, attributes: &Value) -> Option<usize> {
    let index = attributes.as_object()?.values().next()?.as_u64()?;
    let accessor = document.root.accessors.get(usize::try_from(index).ok()?)?;
    usize::try_from(accessor.count.0).ok()
}

fn index_of(
    document: &Document<'_>,
    attributes: &Value,
    name: &str,
) -> Result<Option<Index<Accessor>>, LoadError> {
    let index = |value: &Value| u32::try_from(value.as_u64()?).ok().map(Index::new);
    let lacking = || document.broken(NAME, format!("has no accessor for {name}"));
    attributes.get(name).map(|value| index(value).ok_or_else(lacking)).transpose()
}

/// An attribute by name; integers are normalised as the accessor says.
fn vectors<const N: usize>(
    document: &Document<'_>,
    attributes: &Value,
    name: &str,
) -> Result<Option<Vec<[f32; N]>>, LoadError> {
    let Some(index) = index_of(document, attributes, name)? else {
        return Ok(None);
    };
    let reader = document.reader(index)?;
    document.check_limit("instances", reader.count as u64, PRIMITIVES_MAX as u64)?;
    reader.floats(document, |value: [f32; N]| value).map(Some)
}
