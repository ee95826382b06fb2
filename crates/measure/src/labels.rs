//! Which triangles belong together.

use super::charts::Charts;
use super::parts::Groups;
use super::weld::Surface;
use crate::scene::Scene;
use std::collections::BTreeMap;

/// What makes triangles belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Shared positions.
    Piece,
    Material,
    /// A primitive of a node.
    Mesh,
    /// Shared vertices of the texture's map.
    Chart,
}

/// Of triangles without a chart.
pub const NO_LABEL: u32 = u32::MAX;

/// One for each triangle in the order of the scene, from 0 by first use.
pub fn labels(scene: &Scene, by: By) -> Vec<u32> {
    let per_mesh = |of: &dyn Fn(usize) -> u32| {
        let meshes = scene.meshes().iter().enumerate();
        meshes.flat_map(|(idx, mesh)| vec![of(idx); mesh.triangles().len()]).collect()
    };
    let roots: Vec<u32> = match by {
        By::Piece => {
            let surface = Surface::of(scene);
            let mut groups = Groups::new(surface.positions.len());
            for &[a, b, c] in &surface.triangles {
                groups.join(a, b);
                groups.join(a, c);
            }
            surface.triangles.iter().map(|t| groups.root(t[0])).collect()
        }
        By::Material => per_mesh(&|mesh| scene.meshes()[mesh].material() as u32),
        By::Mesh => per_mesh(&|mesh| mesh as u32),
        By::Chart => {
            let mut roots = vec![NO_LABEL; scene.triangle_count()];
            let charts = Charts::of(scene);
            for (mapped, root) in charts.triangles.iter().zip(&charts.roots) {
                roots[mapped.triangle] = *root;
            }
            roots
        }
    };
    let mut known = BTreeMap::new();
    let number = |root: u32| {
        let next = known.len() as u32;
        if root == NO_LABEL { NO_LABEL } else { *known.entry(root).or_insert(next) }
    };
    roots.into_iter().map(number).collect()
}
