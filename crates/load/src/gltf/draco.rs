//! `KHR_draco_mesh_compression` → the bytes of the accessors that have none of their own.
//!
//! `draco-core` decodes; it is safe Rust and keeps to the limits that are set here. What the stream
//! says of types and counts replaces what the accessors say, so that the rest of the loader reads
//! it like any other data. Where a file holds an uncompressed copy, that is read instead.

use super::super::error::LoadError;
use super::super::limits::{DECODED_BYTES_MAX, TRIANGLES_MAX, VERTICES_MAX};
use super::document::Document;
use draco_core::{
    DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointAttribute, PointIndex,
};
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Accessor, Index};
use serde_json::Value;
use std::collections::BTreeMap;

const NAME: &str = "KHR_draco_mesh_compression";

/// About what the decoder needs per face while working: corner table, and what it has seen of it.
const FACE_BYTES: u64 = 64;

/// Data for an accessor, and what it is.
struct Supply {
    bytes: Vec<u8>,
    count: usize,
    component: ComponentType,
    kind: Type,
}

/// A primitive's compressed data: the buffer view, and each attribute's number in the stream.
struct Compressed {
    /// Index of its mesh, and its own within that.
    place: (usize, usize),
    view: usize,
    attributes: Vec<(usize, u32)>,
    indices: usize,
}

/// Decodes every compressed primitive, and gives its accessors their data.
pub(super) fn supply(document: &mut Document<'_>) -> Result<(), LoadError> {
    let mut wanted = Vec::new();
    for (mesh_idx, mesh) in document.root.meshes.iter().enumerate() {
        for (primitive_idx, primitive) in mesh.primitives.iter().enumerate() {
            wanted.extend(compressed(document, primitive, (mesh_idx, primitive_idx))?);
        }
    }
    if wanted.is_empty() {
        return Ok(());
    }
    // Each accessor's source view: primitives share both, neither or, in some files, the accessor.
    let mut origin: BTreeMap<usize, usize> = BTreeMap::new();
    let mut bytes_left = DECODED_BYTES_MAX.min(document.bytes_left());
    wanted.sort_by_key(|compressed| compressed.view);
    for sharing in wanted.chunk_by(|a, b| a.view == b.view) {
        let view = sharing[0].view;
        let mesh = decode(document, view, bytes_left)?;
        for compressed in sharing {
            // Primitives that share a stream each get a copy.
            document.count_bytes(mesh.num_faces() as u64 * 12)?;
            let indices = (compressed.indices, faces(&mesh));
            let attributes = compressed
                .attributes
                .iter()
                .map(|&(accessor, id)| Ok((accessor, attribute(document, &mesh, id, view)?)))
                .collect::<Result<Vec<_>, LoadError>>()?;
            for (mut accessor, supply) in attributes.into_iter().chain([indices]) {
                if *origin.entry(accessor).or_insert(view) != view {
                    // Compressed apart from the mesh that has it: this primitive gets its own.
                    accessor = own_accessor(document, compressed.place, accessor);
                    origin.insert(accessor, view);
                }
                bytes_left = bytes_left.saturating_sub(supply.bytes.len() as u64);
                put(document, accessor, supply)?;
            }
        }
    }
    for mesh in &mut document.root.meshes {
        for primitive in &mut mesh.primitives {
            if extension(primitive).is_some() {
                primitive.mode = Checked::Valid(Mode::Triangles); // strips come out as lists
            }
        }
    }
    Ok(())
}

fn extension(primitive: &Primitive) -> Option<&Value> {
    primitive.extensions.as_ref()?.others.get(NAME)
}

/// What the extension of a primitive says; `None` where there is none, or an uncompressed copy.
fn compressed(
    document: &Document<'_>,
    primitive: &Primitive,
    place: (usize, usize),
) -> Result<Option<Compressed>, LoadError> {
    let Some(value) = extension(primitive) else {
        return Ok(None);
    };
    let accessors = &document.root.accessors;
    let position = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
    let has_copy = position
        .and_then(|index| accessors.get(index.value()))
        .is_some_and(|accessor| accessor.buffer_view.is_some());
    if has_copy {
        return Ok(None);
    }
    let broken = |problem: &str| document.broken(NAME, problem);
    let view = value
        .get("bufferView")
        .and_then(Value::as_u64)
        .and_then(|view| usize::try_from(view).ok())
        .ok_or_else(|| broken("names no buffer view"))?;
    let indices = primitive.indices.ok_or_else(|| broken("is on a primitive without indices"))?;
    let ids = value
        .get("attributes")
        .and_then(Value::as_object)
        .ok_or_else(|| broken("has no attributes"))?;
    let mut attributes = Vec::new();
    for (semantic, index) in &primitive.attributes {
        let Checked::Valid(semantic) = semantic else {
            continue;
        };
        let id = ids.get(&semantic.to_string()).and_then(Value::as_u64);
        if let Some(id) = id.and_then(|id| u32::try_from(id).ok()) {
            attributes.push((index.value(), id));
        }
    }
    Ok(Some(Compressed { place, view, attributes, indices: indices.value() }))
}

fn decode(document: &Document<'_>, view: usize, bytes_max: u64) -> Result<Mesh, LoadError> {
    let bytes = document.view(Index::<View>::new(view as u32))?;
    let limits = DecodeLimits::default()
        .with_max_points(VERTICES_MAX)
        .with_max_faces(TRIANGLES_MAX.min(document.bytes_left() / FACE_BYTES))
        .with_max_decoded_bytes(bytes_max);
    let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
    let mut mesh = Mesh::new();
    MeshDecoder::new().decode(&mut buffer, &mut mesh).map_err(|e| {
        document.broken(
            format!("buffer view {view}"),
            format!("holds Draco data that cannot be decoded ({e})"),
        )
    })?;
    document.check_limit("vertices", mesh.num_points() as u64, VERTICES_MAX)?;
    document.check_limit("triangles", mesh.num_faces() as u64, TRIANGLES_MAX)?;
    Ok(mesh)
}

fn faces(mesh: &Mesh) -> Supply {
    let indices = mesh.faces().iter().flatten();
    Supply {
        bytes: indices.flat_map(|index| index.0.to_le_bytes()).collect(),
        count: mesh.num_faces() * 3,
        component: ComponentType::U32,
        kind: Type::Scalar,
    }
}

/// The values of an attribute, one for each point.
fn attribute(
    document: &Document<'_>,
    mesh: &Mesh,
    id: u32,
    view: usize,
) -> Result<Supply, LoadError> {
    let broken = |problem: String| document.broken(format!("buffer view {view}"), problem);
    let attribute: &PointAttribute = mesh
        .attribute_by_unique_id(id)
        .ok_or_else(|| broken(format!("holds Draco data without attribute {id}")))?;
    let (component, kind) =
        match (component(attribute.data_type()), kind(attribute.num_components())) {
            (Some(component), Some(kind)) => (component, kind),
            _ => {
                return Err(broken(format!(
                    "holds Draco attribute {id} of a type that glTF lacks"
                )));
            }
        };
    let size = component.size() * kind.multiplicity();
    let stride = usize::try_from(attribute.byte_stride()).unwrap_or(0);
    let data = attribute.buffer().data();
    let count = mesh.num_points();
    document.count_bytes((count * size) as u64)?;
    let mut bytes = Vec::with_capacity(count * size);
    for point in 0..count {
        let value = attribute.mapped_index(PointIndex(point as u32)).0 as usize;
        let start = value.saturating_mul(stride);
        let value = data.get(start..start.saturating_add(size));
        bytes.extend(
            value.ok_or_else(|| broken(format!("holds too little of Draco attribute {id}")))?,
        );
    }
    Ok(Supply { bytes, count, component, kind })
}

fn component(kind: DataType) -> Option<ComponentType> {
    Some(match kind {
        DataType::Int8 => ComponentType::I8,
        DataType::Uint8 => ComponentType::U8,
        DataType::Int16 => ComponentType::I16,
        DataType::Uint16 => ComponentType::U16,
        DataType::Uint32 => ComponentType::U32,
        DataType::Float32 => ComponentType::F32,
        _ => return None,
    })
}

fn kind(components: u8) -> Option<Type> {
    let kinds = [Type::Scalar, Type::Vec2, Type::Vec3, Type::Vec4];
    kinds.get(usize::from(components).checked_sub(1)?).copied()
}

/// A copy of an accessor for one primitive alone, by its index.
fn own_accessor(
    document: &mut Document<'_>,
    (mesh, primitive): (usize, usize),
    shared: usize,
) -> usize {
    let root = &mut document.root;
    let Some(accessor) = root.accessors.get(shared).cloned() else {
        return shared; // `put` says that there is none
    };
    let own = root.accessors.len();
    root.accessors.push(accessor);
    let primitive = &mut root.meshes[mesh].primitives[primitive];
    for index in primitive.attributes.values_mut().chain(&mut primitive.indices) {
        if index.value() == shared {
            *index = Index::new(own as u32);
        }
    }
    own
}

fn put(document: &mut Document<'_>, index: usize, supply: Supply) -> Result<(), LoadError> {
    let count = document.root.accessors.len();
    let Some(accessor): Option<&mut Accessor> = document.root.accessors.get_mut(index) else {
        return Err(document
            .broken(format!("accessor {index}"), format!("does not exist; there are {count}")));
    };
    accessor.count = USize64(supply.count as u64);
    accessor.component_type = Checked::Valid(GenericComponentType(supply.component));
    accessor.type_ = Checked::Valid(supply.kind);
    accessor.buffer_view = None;
    accessor.sparse = None;
    document.supplied.insert(index, supply.bytes);
    Ok(())
}
