//! `EXT_mesh_gpu_instancing` → the places of the copies of a node's mesh. Other attributes than
//! translation, rotation and scale are ignored.

use super::super::error::LoadError;
use super::super::limits::PRIMITIVES_MAX;
use super::document::Document;
use glam::{DAffine3, DQuat, DVec3};
use gltf::json::{Index, Node};
use serde_json::Value;

const NAME: &str = "EXT_mesh_gpu_instancing";

/// `node_from_instance` of each copy; a single identity for a node without the extension.
pub(super) fn read(document: &Document<'_>, node: &Node) -> Result<Vec<DAffine3>, LoadError> {
    let others = node.extensions.as_ref().map(|extensions| &extensions.others);
    let Some(value) = others.and_then(|others| others.get(NAME)) else {
        return Ok(vec![DAffine3::IDENTITY]);
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
                Ok(instance)
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

/// An attribute by name; integers are normalised as the accessor says.
fn vectors<const N: usize>(
    document: &Document<'_>,
    attributes: &Value,
    name: &str,
) -> Result<Option<Vec<[f32; N]>>, LoadError> {
    let Some(value) = attributes.get(name) else {
        return Ok(None);
    };
    let index = value
        .as_u64()
        .and_then(|index| u32::try_from(index).ok())
        .ok_or_else(|| document.broken(NAME, format!("has no accessor for {name}")))?;
    let reader = document.reader(Index::new(index))?;
    document.check_limit("instances", reader.count as u64, PRIMITIVES_MAX as u64)?;
    reader.floats(document, |value: [f32; N]| value).map(Some)
}
