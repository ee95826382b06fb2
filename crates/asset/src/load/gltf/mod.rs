//! `.glb` and `.gltf` (glTF 2.0) → meshes, materials and textures.
//!
//! `gltf::json` gives the syntax; every index it holds is checked here when it is followed, so no file can make this panic.
//! Animations are not played: skins stand in their rest pose, morph targets at their default weights. Cameras and lights are not read.

mod accessor;
mod deform;
mod document;
mod draco;
mod extensions;
mod instances;
mod layers;
mod material;
mod meshopt;
mod nodes;
mod primitive;
mod vertices;

use super::dots::{self, Points};
use super::error::LoadError;
use super::files::Folder;
use super::limits::PRIMITIVES_MAX;
use super::parts::Parts;
use super::texture::{Asset, Bank};
use super::warning::{Warning, Warnings};
use crate::scene::{MeshParts, ViewScale};
use deform::Skin;
use document::Document;
use glam::{DAffine3, DMat3};
use gltf::json::{Index, Node, mesh};
use material::Materials;
use nodes::Nodes;
use primitive::{Place, Read, Totals};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// Reads a whole asset, and the names of its variants. `bytes` is the main file.
pub(super) fn load(
    bytes: &[u8],
    path: &Path,
    world_from_file: DMat3,
    view_scale: Option<&ViewScale>,
    points: Points,
    folder: &mut Folder,
    warnings: &mut Warnings,
) -> Result<(Parts, Vec<String>), LoadError> {
    let (json, bin) = split(bytes, path)?;
    let mut document = Document::read(json, bin, path, folder)?;
    extensions::check(&document, warnings)?;
    document.decode_views()?;
    draco::supply(&mut document)?;
    if document.root.nodes.is_empty() && !document.root.meshes.is_empty() {
        // Without nodes nothing is placed: the meshes stand where their vertices are.
        for mesh in 0..document.root.meshes.len() {
            document.root.nodes.push(Node {
                mesh: Some(Index::new(mesh as u32)),
                ..Node::default()
            });
        }
        warnings.add(Warning::NoNodes);
    }
    let document = document;
    let nodes = Nodes::of(&document, DAffine3::from_mat3(world_from_file))?;
    let mut materials = Materials::new(&document, folder, warnings);
    let meshes = meshes(&document, &nodes, points, &mut materials)?;
    let (mut materials, bank): (_, Bank<'_>) = materials.finish();
    let asset = Asset::new(path, folder, &meshes, view_scale);
    let textures = bank.finish(&mut materials, &asset, warnings)?;
    Ok((
        (meshes, materials, textures),
        extensions::variants(&document),
    ))
}

/// The JSON and the binary chunk.
fn split<'a>(bytes: &'a [u8], path: &Path) -> Result<(&'a [u8], Option<&'a [u8]>), LoadError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let malformed = |reason: String| LoadError::Malformed {
        format: "GLB",
        reason,
        path: path.to_path_buf(),
    };
    // `Glb::from_slice` subtracts the header's 12 bytes from this length without a look.
    let stated = bytes
        .get(8..12)
        .and_then(|b| b.try_into().ok())
        .map(u32::from_le_bytes);
    match stated {
        Some(stated) if stated >= 12 => {}
        _ => return Err(malformed("its header is cut off".to_owned())),
    }
    let glb = gltf::binary::Glb::from_slice(bytes).map_err(|e| malformed(e.to_string()))?;
    match (glb.json, glb.bin) {
        (Cow::Borrowed(json), None) => Ok((json, None)),
        (Cow::Borrowed(json), Some(Cow::Borrowed(bin))) => Ok((json, Some(bin))),
        _ => Err(malformed(
            "its chunks are not where they should be".to_owned(),
        )),
    }
}

fn meshes(
    document: &Document<'_>,
    nodes: &Nodes,
    drawn_points: Points,
    materials: &mut Materials<'_, '_>,
) -> Result<Vec<MeshParts>, LoadError> {
    let root = &document.root;
    let mut out = Vec::new();
    let mut sketches = Vec::new();
    let mut totals = Totals::default();
    let mut skins: BTreeMap<usize, Skin> = BTreeMap::new();
    let mut primitives = 0;
    for &index in &nodes.drawn {
        let node = document.get(&root.nodes, Index::new(index as u32), "node")?;
        let Some(mesh) = node.mesh else { continue };
        let mesh: &mesh::Mesh = document.get(&root.meshes, mesh, "mesh")?;
        let weights = node.weights.as_ref().or(mesh.weights.as_ref());
        let weights = weights.map_or(&[][..], Vec::as_slice);
        let skin = match node.skin {
            None => None,
            Some(skin) => {
                let known = match skins.entry(skin.value()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(slot) => slot.insert(Skin::of(document, skin, nodes)?),
                };
                Some(&*known)
            }
        };
        // A skin decides by itself where its mesh stands.
        let instances = match skin {
            Some(_) => vec![DAffine3::IDENTITY],
            None => instances::read(document, node)?,
        };
        let each = (instances.iter()).flat_map(|i| mesh.primitives.iter().map(move |p| (i, p)));
        for (&node_from_instance, primitive) in each {
            primitives += 1;
            document.check_limit("primitives", primitives, PRIMITIVES_MAX as u64)?;
            let is_skinned = primitive.attributes.keys().any(|semantic| {
                matches!(
                    semantic,
                    gltf::json::validation::Checked::Valid(mesh::Semantic::Joints(0))
                )
            });
            let place = match skin {
                Some(skin) if is_skinned => Place::Skin(skin),
                _ => Place::Node(nodes.world_from_node[index] * node_from_instance),
            };
            let read = primitive::read(
                document,
                primitive,
                weights,
                &place,
                &mut totals,
                materials.warnings(),
            )?;
            let mut parts = match read {
                Read::Surface(parts) if !parts.triangles.is_empty() => parts,
                Read::Surface(_) | Read::Nothing => continue,
                Read::Sketch(mut sketch) => {
                    sketch.material = materials.index(primitive.material)?;
                    sketches.push(sketch);
                    continue;
                }
            };
            parts.material = materials.index(primitive.material)?;
            let lacks_uvs = materials.get(parts.material).is_some_and(|material| {
                let mut refs = material.texture_refs();
                refs.any(|texture| texture.uv_set >= parts.uv_sets.len())
            });
            if lacks_uvs {
                materials.warnings().add(Warning::UvMissing { count: 1 });
            }
            out.push(parts);
        }
    }
    if out.is_empty() || drawn_points == Points::Always {
        out.extend(dots::draw(sketches, &out, materials.warnings()));
        return Ok(out);
    }
    let lines = sketches.iter().filter(|s| !s.lines.is_empty()).count() as u64;
    let points = sketches.len() as u64 - lines;
    (materials.warnings()).count(points + lines, |_| Warning::NoSurface { points, lines });
    Ok(out)
}
