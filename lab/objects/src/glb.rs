//! Surfaces → the smallest GLB file that loads to the same scene bit by bit: floats and indices in
//! `KHR_meshopt_compression`, textures as PNG with a palette.
//!
//! One node, one mesh, a primitive for each surface. glTF 2.0, sections 3 and 4.4.

use crate::meshopt::encode;
use crate::picture::smallest_png;
use glam::Vec3;
use meshjudge_asset::objects::kit::Surface;
use serde_json::{Value, json};

const MESHOPT: &str = "KHR_meshopt_compression";

// glTF 2.0, section 3.6.2.2.
const UNSIGNED_SHORT: u32 = 5123;
const FLOAT: u32 = 5126;

/// Buffer 0 holds the bytes; buffer 1 has none and is where compressed views would be, as the
/// extension wants it.
#[derive(Default)]
struct Buffers {
    bytes: Vec<u8>,
    decoded_bytes: usize,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffers {
    fn append(&mut self, bytes: &[u8]) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        offset
    }

    fn plain(&mut self, bytes: &[u8]) -> usize {
        let offset = self.append(bytes);
        let view = json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() });
        self.views.push(view);
        self.views.len() - 1
    }

    /// A view and an accessor. `strides`: bytes of an element of the stream, to be tried.
    fn compressed(&mut self, bytes: &[u8], strides: &[usize], accessor: Value) -> usize {
        let stream = encode(bytes, strides);
        let (offset, length) = (self.append(&stream.bytes), stream.bytes.len());
        let decoded = stream.count * stream.stride;
        self.views.push(json!({
            "buffer": 1, "byteOffset": self.decoded_bytes, "byteLength": decoded,
            "extensions": { MESHOPT: {
                "buffer": 0, "byteOffset": offset, "byteLength": length,
                "byteStride": stream.stride, "count": stream.count, "mode": "ATTRIBUTES",
            } },
        }));
        self.decoded_bytes += decoded;
        let mut accessor = accessor;
        accessor["bufferView"] = (self.views.len() - 1).into();
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats<const N: usize>(&mut self, values: &[[f32; N]], kind: &str) -> usize {
        let bytes: Vec<u8> = values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let accessor = json!({ "componentType": FLOAT, "count": values.len(), "type": kind });
        // Two vertices an element: where every second one belongs to another ring.
        self.compressed(&bytes, &[4 * N, 8 * N], accessor)
    }

    /// Two triangles an element: most come in pairs, and each pair has the indices of the one
    /// before, plus one or two.
    fn triangles(&mut self, triangles: &[[u32; 3]]) -> usize {
        let bytes: Vec<u8> = triangles
            .iter()
            .flatten()
            .map(|&v| u16::try_from(v).expect("indices of 16 bits"))
            .flat_map(u16::to_le_bytes)
            .collect();
        let accessor = json!({ "componentType": UNSIGNED_SHORT, "count": 3 * triangles.len(), "type": "SCALAR" });
        self.compressed(&bytes, &[12], accessor)
    }
}

/// GLB bytes.
pub(crate) fn write(surfaces: &[Surface]) -> Vec<u8> {
    let mut buffers = Buffers::default();
    let (mut primitives, mut materials, mut images) = (vec![], vec![], vec![]);
    for surface in surfaces {
        let shape = surface.shape.compacted();
        let (min, max) = shape
            .positions
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), &p| (min.min(p), max.max(p)));
        let arrays = |vectors: &[Vec3]| vectors.iter().map(|v| v.to_array()).collect::<Vec<_>>();
        let positions = buffers.floats(&arrays(&shape.positions), "VEC3");
        buffers.accessors[positions]["min"] = json!(min.to_array());
        buffers.accessors[positions]["max"] = json!(max.to_array());
        let normals = buffers.floats(&arrays(&shape.normals()), "VEC3");
        let uvs: Vec<[f32; 2]> = shape.uvs.iter().map(|uv| uv.to_array()).collect();
        let uvs = buffers.floats(&uvs, "VEC2");
        let indices = buffers.triangles(&shape.triangles);
        primitives.push(json!({
            "attributes": { "POSITION": positions, "NORMAL": normals, "TEXCOORD_0": uvs },
            "indices": indices, "material": materials.len(),
        }));
        let [r, g, b] = surface.color;
        let mut pbr = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": surface.metallic, "roughnessFactor": surface.roughness });
        if let Some(picture) = &surface.texture {
            let view = buffers.plain(&smallest_png(picture));
            pbr["baseColorTexture"] = json!({ "index": images.len() });
            images.push(
                json!({ "bufferView": view, "mimeType": "image/png", "name": surface.material }),
            );
        }
        materials.push(json!({ "name": surface.material, "pbrMetallicRoughness": pbr }));
    }
    let textures: Vec<Value> = (0..images.len()).map(|i| json!({ "source": i })).collect();
    let document = json!({
        "asset": { "version": "2.0", "generator": "meshjudge-lab-objects" },
        "extensionsUsed": [MESHOPT], "extensionsRequired": [MESHOPT],
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": primitives }],
        "materials": materials, "accessors": buffers.accessors, "bufferViews": buffers.views,
        "buffers": [
            { "byteLength": buffers.bytes.len() },
            { "byteLength": buffers.decoded_bytes, "extensions": { MESHOPT: { "fallback": true } } },
        ],
        "images": images, "textures": textures,
    });
    container(document.to_string().into_bytes(), buffers.bytes)
}

/// Header, JSON chunk padded with blanks, binary chunk padded with zeros.
pub(crate) fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + binary.len();
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    out.extend([2, total as u32].iter().flat_map(|n| n.to_le_bytes()));
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    out
}
