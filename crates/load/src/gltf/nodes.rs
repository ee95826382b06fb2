//! The node hierarchy: the world transform of each node, and the nodes to draw.
//!
//! Every node has at most one parent and no node is its own ancestor (glTF 2.0, section 3.5.2);
//! what breaks this is refused. Transforms are multiplied in `f64`: a deep hierarchy in `f32` moves
//! parts against each other.

use super::super::error::LoadError;
use super::super::file_facts::FileFacts;
use super::super::files::shorten;
use super::super::limits::NODE_DEPTH_MAX;
use super::super::warning::{Warning, Warnings};
use super::document::{Document, NodePlace};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use gltf::json::{Node, Scene};
use std::collections::BTreeSet;

/// World transforms of all nodes, and the drawn ones in the order of the file.
#[derive(Debug)]
pub(super) struct Nodes {
    pub world_from_node: Vec<DAffine3>,
    /// Indices of the drawn nodes, parents first.
    pub drawn: Vec<usize>,
    /// What every transform moves by, so that the asset is near zero.
    pub shift: DVec3,
}

const NO_PARENT: usize = usize::MAX;

impl Nodes {
    /// `world_from_file` turns the axes as the caller asked, and moves assets that are far away.
    pub(super) fn of(
        document: &Document<'_>,
        world_from_file: DAffine3,
        warnings: &mut Warnings,
    ) -> Result<Self, LoadError> {
        let nodes = &document.root.nodes;
        let parents = parents(document)?;
        let mut world_from_node = vec![DAffine3::IDENTITY; nodes.len()];
        let mut depths = vec![0_usize; nodes.len()];
        let mut stack: Vec<usize> =
            (0..nodes.len()).rev().filter(|&node| parents[node] == NO_PARENT).collect();
        let mut placed = 0;
        while let Some(index) = stack.pop() {
            placed += 1;
            let exact = document.places.get(index).and_then(NodePlace::translation);
            let local = local_transform(&nodes[index], exact).ok_or_else(|| {
                document.broken(name(index), "has a transform that is not finite")
            })?;
            let (parent, depth) = match parents[index] {
                NO_PARENT => (world_from_file, 1),
                parent => (world_from_node[parent], depths[parent] + 1),
            };
            document.check_limit("node depth", depth as u64, NODE_DEPTH_MAX as u64)?;
            world_from_node[index] = parent * local;
            depths[index] = depth;
            stack.extend(children(&nodes[index]).rev());
        }
        if placed < nodes.len() {
            return Err(document.broken("the node hierarchy", "has a cycle"));
        }
        let odd = nodes.iter().filter(|node| has_odd_matrix(node)).count() as u64;
        warnings.count(odd, |count| Warning::NodeMatrix { count });
        let drawn = drawn(document, warnings)?;
        Ok(Self { world_from_node, drawn, shift: world_from_file.translation })
    }

    /// All but draw calls and pictures.
    pub(super) fn facts(&self, document: &Document<'_>) -> FileFacts {
        let root = &document.root;
        let mut is_child = vec![false; root.nodes.len()];
        root.nodes.iter().flat_map(children).for_each(|child| is_child[child] = true);
        let is_moved = |node: &Node| {
            local_transform(node, None).is_some_and(|local| local != DAffine3::IDENTITY)
        };
        let roots = self.drawn.iter().copied().filter(|&node| !is_child[node]);
        let moved = roots.filter(|&node| is_moved(&root.nodes[node]));
        let joints = root.skins.iter().flat_map(|skin| skin.joints.iter().map(|j| j.value()));
        FileFacts {
            is_in_metres: true,
            nodes: root.nodes.len(),
            moved_roots: moved.map(|node| name_of(document, node)).collect(),
            skinned_meshes: self.drawn.iter().filter(|&&n| root.nodes[n].skin.is_some()).count(),
            joints: joints.collect::<BTreeSet<_>>().len(),
            ..FileFacts::default()
        }
    }
}

/// Its own name, else that of its mesh, else its number.
pub(super) fn name_of(document: &Document<'_>, index: usize) -> String {
    let node = document.root.nodes.get(index);
    let mesh = node.and_then(|node| document.root.meshes.get(node.mesh?.value()));
    let named = node.and_then(|node| node.name.as_ref()).or(mesh.and_then(|m| m.name.as_ref()));
    named.filter(|name| !name.is_empty()).map_or_else(|| name(index), |name| shorten(name))
}

fn name(index: usize) -> String {
    format!("node {index}")
}

fn children(node: &Node) -> impl DoubleEndedIterator<Item = usize> + '_ {
    node.children.iter().flatten().map(|child| child.value())
}

fn parents(document: &Document<'_>) -> Result<Vec<usize>, LoadError> {
    let nodes = &document.root.nodes;
    let mut parents = vec![NO_PARENT; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for child in children(node) {
            match parents.get_mut(child) {
                None => {
                    return Err(document.broken(
                        name(index),
                        format!("has child {child} of {} nodes", nodes.len()),
                    ));
                }
                Some(parent) if *parent != NO_PARENT => {
                    return Err(document.broken(name(child), "has two parents"));
                }
                Some(parent) => *parent = index,
            }
        }
    }
    Ok(parents)
}

fn is_visible(node: &Node) -> bool {
    let extension = node.extensions.as_ref().and_then(|e| e.others.get("KHR_node_visibility"));
    extension.and_then(|e| e.get("visible")?.as_bool()) != Some(false)
}

/// The default scene, else the first, else (or if it lists none) every root node. Where that has no
/// mesh, the first scene that has one.
fn drawn(document: &Document<'_>, warnings: &mut Warnings) -> Result<Vec<usize>, LoadError> {
    let root = &document.root;
    let scene = match root.scene {
        Some(index) => Some(document.get(&root.scenes, index, "scene")?),
        None => root.scenes.first(),
    };
    let drawn = drawn_of(document, scene)?;
    let has_mesh = |drawn: &[usize]| drawn.iter().any(|&node| root.nodes[node].mesh.is_some());
    if !has_mesh(&drawn) {
        for (index, other) in root.scenes.iter().enumerate() {
            let others = drawn_of(document, Some(other))?;
            if has_mesh(&others) {
                warnings.add(Warning::OtherScene { index });
                return Ok(others);
            }
        }
    }
    Ok(drawn)
}

/// The visible nodes of a scene, or of the whole file. A node that is listed twice is drawn once.
fn drawn_of(document: &Document<'_>, scene: Option<&Scene>) -> Result<Vec<usize>, LoadError> {
    let root = &document.root;
    // A scene of nothing is no picture: a file that has nodes meant them.
    let mut stack: Vec<usize> = match scene.filter(|scene| !scene.nodes.is_empty()) {
        Some(scene) => scene.nodes.iter().map(|node| node.value()).collect(),
        None => {
            let mut is_child = vec![false; root.nodes.len()];
            for child in root.nodes.iter().flat_map(children) {
                is_child[child] = true; // in range: `parents` has checked it
            }
            (0..root.nodes.len()).filter(|&i| !is_child[i]).collect()
        }
    };
    stack.reverse();
    let mut seen = vec![false; root.nodes.len()];
    let mut drawn = Vec::new();
    while let Some(index) = stack.pop() {
        let Some(seen) = seen.get_mut(index) else {
            return Err(
                document.broken("the scene", format!("lists node {index} of {}", root.nodes.len()))
            );
        };
        // A hidden node hides its children (`KHR_node_visibility`).
        if !std::mem::replace(seen, true) && is_visible(&root.nodes[index]) {
            drawn.push(index);
            stack.extend(children(&root.nodes[index]).rev());
        }
    }
    Ok(drawn)
}

/// Whether a node has a matrix whose last row is not `0 0 0 1`, or more than a matrix.
fn has_odd_matrix(node: &Node) -> bool {
    const ERROR_MAX: f32 = 1e-3;
    let is_projective = |m: [f32; 16]| {
        (m[15] - 1.0).abs().max(m[3].abs()).max(m[7].abs()).max(m[11].abs()) > ERROR_MAX
    };
    let has_more = node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
    node.matrix.is_some_and(|matrix| has_more || is_projective(matrix))
}

/// `exact` is the translation in double precision, where that is known.
fn local_transform(node: &Node, exact: Option<DVec3>) -> Option<DAffine3> {
    let mut affine = if let Some(m) = node.matrix {
        let m = m.map(f64::from);
        let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
        DAffine3 {
            matrix3: DMat3::from_cols(column(0), column(4), column(8)),
            translation: column(12),
        }
    } else {
        let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
        let rotation = node
            .rotation
            .map_or(DQuat::IDENTITY, |rotation| DQuat::from_array(rotation.0.map(f64::from)));
        // Exporters write rotations that are not quite of unit length, and some all zero.
        let rotation =
            if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
        DAffine3::from_scale_rotation_translation(
            node.scale.map_or(DVec3::ONE, vector),
            rotation,
            node.translation.map_or(DVec3::ZERO, vector),
        )
    };
    affine.translation = exact.unwrap_or(affine.translation);
    affine.is_finite().then_some(affine)
}
