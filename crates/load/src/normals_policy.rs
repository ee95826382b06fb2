//! Which normals a scene gets, and where they came from.

use super::normals::{Smoothing, corner_normals};
use crate::scene::MeshParts;
use crate::scene::reading::NormalsPolicy;
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How many triangles got their normals in which way. Part of the render protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NormalsSource {
    /// As the file has them.
    pub file: u64,
    pub flat: u64,
    /// By the smoothing groups of an OBJ file.
    pub smoothing_groups: u64,
    pub creases: u64,
    pub smooth: u64,
}

/// Gives glTF meshes the normals that were asked for.
pub(super) fn apply_policy(
    meshes: &mut [MeshParts],
    policy: NormalsPolicy,
    source: &mut NormalsSource,
) {
    for parts in meshes {
        let triangles = parts.triangles.len() as u64;
        match policy {
            NormalsPolicy::File if parts.normals.is_some() => source.file += triangles,
            NormalsPolicy::File | NormalsPolicy::Flat => {
                parts.normals = None;
                source.flat += triangles;
            }
            NormalsPolicy::Smooth => {
                parts.normals = Some(smooth(parts));
                source.smooth += triangles;
            }
        }
        if policy != NormalsPolicy::File || parts.normals.is_none() {
            parts.tangents = None; // they belong to the file's normals
        }
    }
}

/// One normal for each place, over all faces there.
fn smooth(parts: &MeshParts) -> Vec<Vec3> {
    let computed = corner_normals(&parts.positions, &parts.triangles, Smoothing::All);
    let mut normals = vec![Vec3::ZERO; parts.positions.len()];
    for (triangle, corners) in parts.triangles.iter().zip(&computed.corners) {
        for (&vertex, &normal) in triangle.iter().zip(corners) {
            normals[vertex as usize] = computed.normals[normal as usize];
        }
    }
    normals
}
