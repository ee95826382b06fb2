//! `.glb` and `.gltf` (glTF 2.0) → meshes, materials and textures.
//!
//! `gltf::json` gives the syntax; every index it holds is checked here when it is followed, so no
//! file can make this panic. Animations are not played: skins keep their rest pose, morph targets
//! their default weights. Cameras and lights are not read.

mod accessor;
mod deform;
mod document;
mod draco;
mod extensions;
mod instances;
mod layers;
mod lenient;
mod material;
mod meshopt;
mod names;
mod nodes;
mod primitive;
mod vertices;

use super::clean::drop_without_area;
use super::dots;
use super::error::LoadError;
use super::file_facts::FileFacts;
use super::files::Folder;
use super::limits::PRIMITIVES_MAX;
use super::normals_policy::apply_policy;
use super::parts::Parts;
use super::reading::Reading;
use super::texture::{Asset, Bank};
use super::warning::Warning;
use crate::scene::MeshParts;
use crate::scene::reading::{Options, Points};
use deform::Skin;
use document::Document;
use glam::{DAffine3, DVec3, Vec4};
use gltf::json::validation::Checked;
use gltf::json::{Index, Node, mesh};
use instances::Copy;
use material::Materials;
use nodes::Nodes;
use primitive::{Place, Read, Totals};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

/// Reads a whole asset, and the names of its variants. `bytes` is the main file.
pub(super) fn load(
    bytes: &[u8],
    reading: &mut Reading<'_>,
    folder: &mut Folder,
) -> Result<Parts, LoadError> {
    let Reading { path, options, view_scale, frame, has_splats, warnings, normals, variants, file } =
        reading;
    let (json, bin) = split(bytes, path)?;
    let mut document = Document::read(json, bin, path, folder, warnings)?;
    if frame.origin != DVec3::ZERO {
        document.places = document::places(json);
    }
    if *has_splats {
        extensions::drop_splats(&mut document);
    }
    extensions::check(&document, warnings)?;
    extensions::note_names(json, warnings);
    document.decode_views()?;
    draco::supply(&mut document)?;
    if document.root.nodes.is_empty() && !document.root.meshes.is_empty() {
        // Without nodes nothing is placed: the meshes keep the positions of their vertices.
        for mesh in 0..document.root.meshes.len() {
            document
                .root
                .nodes
                .push(Node { mesh: Some(Index::new(mesh as u32)), ..Node::default() });
        }
        warnings.add(Warning::NoNodes);
    }
    let document = document;
    let root = DAffine3 { matrix3: frame.turn(), translation: -frame.origin };
    let nodes = Nodes::of(&document, root, warnings)?;
    let mut materials = Materials::new(&document, folder, warnings);
    let mut meshes = meshes(&document, &nodes, options, &mut materials, file)?;
    if !frame.settles(&meshes) {
        return Ok(Parts::default());
    }
    let (mut materials, bank): (_, Bank<'_>) = materials.finish();
    meshes.iter_mut().for_each(|parts| drop_without_area(parts, warnings));
    let asset = Asset::new(folder, &meshes, *view_scale);
    let (textures, images) = bank.finish(&mut materials, &asset, warnings);
    file.images = images;
    *variants = extensions::variants(&document);
    apply_policy(&mut meshes, options.normals, normals);
    Ok((meshes, materials, textures))
}

/// Warns of names that are not read, for files that another reader takes.
pub(super) fn note_names(bytes: &[u8], reading: &mut Reading<'_>) {
    if let Ok((json, _)) = split(bytes, reading.path) {
        extensions::note_names(json, &mut reading.warnings);
    }
}

/// The JSON and the binary chunk. Chunks of other types, and what follows the last one, are passed
/// over (glTF 2.0, section 4.4).
fn split<'a>(bytes: &'a [u8], path: &Path) -> Result<(&'a [u8], Option<&'a [u8]>), LoadError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let incomplete = |reason: &str| LoadError::incomplete("GLB", reason, path);
    let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (Some(version), Some(_)) = (number(4), number(8)) else {
        return Err(incomplete("its header is cut off"));
    };
    if version != 2 {
        let reason = format!("its container is of version {version}, but only 2 is read");
        return Err(LoadError::malformed("GLB", reason, path));
    }
    let (mut json, mut bin) = (None, None);
    let mut at = 12;
    while let (Some(length), Some(kind)) = (number(at), number(at + 4)) {
        let place = match &kind.to_le_bytes() {
            b"JSON" => Some(&mut json),
            b"BIN\0" => Some(&mut bin),
            _ => None,
        };
        let chunk = bytes.get(at + 8..).and_then(|rest| rest.get(..length as usize));
        match (place, chunk) {
            (Some(place @ None), Some(chunk)) => *place = Some(chunk),
            (Some(None), None) => return Err(incomplete("a chunk is cut off")),
            (_, None) => break,
            _ => {}
        }
        at += 8 + length as usize;
    }
    let json = json.ok_or_else(|| incomplete("it has no JSON chunk"))?;
    Ok((json, bin))
}

fn meshes(
    document: &Document<'_>,
    nodes: &Nodes,
    options: &Options,
    materials: &mut Materials<'_, '_>,
    file: &mut FileFacts,
) -> Result<Vec<MeshParts>, LoadError> {
    let root = &document.root;
    *file = nodes.facts(document);
    let mut out = Vec::new();
    let mut sketches = Vec::new();
    let mut totals = Totals::default();
    let mut skins: BTreeMap<usize, Skin> = BTreeMap::new();
    let mut primitives = 0;
    for &index in &nodes.drawn {
        let node = document.get(&root.nodes, Index::new(index as u32), "node")?;
        let Some(mesh_index) = node.mesh else {
            continue;
        };
        let mesh: &mesh::Mesh = document.get(&root.meshes, mesh_index, "mesh")?;
        let later_targets = document.later_targets.get(mesh_index.value());
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
        // A skin decides by itself where its mesh is.
        let instances = match skin {
            Some(_) => vec![Copy::PLAIN],
            None => instances::read(document, node)?,
        };
        file.draw_calls += mesh.primitives.len();
        let each =
            instances.iter().flat_map(|i| mesh.primitives.iter().enumerate().map(move |p| (i, p)));
        for (copy, (number, primitive)) in each {
            primitives += 1;
            document.check_limit("primitives", primitives, PRIMITIVES_MAX as u64)?;
            let is_skinned = primitive
                .attributes
                .keys()
                .any(|semantic| matches!(semantic, Checked::Valid(mesh::Semantic::Joints(0))));
            let place = match skin {
                Some(skin) if is_skinned => Place::Skin(skin),
                _ => Place::Node(nodes.world_from_node[index] * copy.node_from_instance),
            };
            let read = primitive::read(
                document,
                primitive,
                (
                    later_targets.and_then(|mesh| mesh.get(number)).map_or(&[], Vec::as_slice),
                    weights,
                ),
                &place,
                options.vertex_colors,
                &mut totals,
                materials.warnings(),
            )?;
            let mut parts = match read {
                Read::Surface(mut parts) if !parts.triangles.is_empty() => {
                    if let Some(color) = copy.color {
                        let count = parts.positions.len();
                        let own = parts.colors.get_or_insert_with(|| vec![Vec4::ONE; count]);
                        own.iter_mut().for_each(|own| *own *= color);
                    }
                    parts
                }
                Read::Surface(_) | Read::Nothing => continue,
                Read::Sketch(mut sketch) => {
                    sketch.material = materials.index(primitive.material, 1.0)?;
                    sketches.push(sketch);
                    continue;
                }
            };
            let scale = match &place {
                Place::Node(world_from_node) => {
                    libm::cbrt(world_from_node.matrix3.determinant().abs())
                }
                Place::Skin(_) => 1.0,
            };
            parts.material = materials.index(primitive.material, scale)?;
            parts.name = nodes::name_of(document, index);
            let has_set = |set: usize| {
                let semantic = mesh::Semantic::TexCoords(u32::try_from(set).unwrap_or(u32::MAX));
                primitive.attributes.contains_key(&Checked::Valid(semantic))
                    && set < parts.uv_sets.len()
            };
            let lacks_uvs = materials.get(parts.material).is_some_and(|material| {
                material.texture_refs().any(|texture| !has_set(texture.uv_set))
            });
            if lacks_uvs {
                materials.warnings().add(Warning::UvMissing { count: 1 });
            }
            out.push(parts);
        }
    }
    if out.is_empty() || options.points == Points::Always {
        out.extend(dots::draw(sketches, &out, materials.warnings()));
        return Ok(out);
    }
    let lines = sketches.iter().filter(|s| !s.lines.is_empty()).count() as u64;
    let points = sketches.len() as u64 - lines;
    materials.warnings().count(points + lines, |_| Warning::NoSurface { points, lines });
    Ok(out)
}
