//! The smallest GLB writer that our objects need: one node, one mesh, a primitive per surface. glTF
//! 2.0, sections 3 and 4.4.

use crate::glb::container;
use crate::picture::png;
use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::Surface;
use serde_json::{Value, json};

// glTF 2.0, section 3.6.2.2.
const BYTE: u32 = 5120;
const UNSIGNED_SHORT: u32 = 5123;
const FLOAT: u32 = 5126;

/// How vertices are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    /// 32 bytes a vertex, glTF without extensions.
    Floats,
    /// 20 bytes: normals as bytes (`KHR_mesh_quantization`), coordinates as 16 bits where they are
    /// in 0 to 1.
    Small,
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
}

impl Buffer {
    /// Adds a view of bytes, padded to four; `target` is 34962 for vertices, 34963 for indices.
    fn add(&mut self, bytes: Vec<u8>, target: Option<u32>) -> usize {
        let mut view =
            json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }
}

/// Normals as bytes with one byte of padding, 1 → 127. glTF 2.0, section 3.6.2.2.
fn normal_bytes(normals: &[Vec3]) -> Vec<u8> {
    let byte = |c: f32| ((c * 127.0 + 128.5) as u8).wrapping_sub(128);
    let padded = |n: &Vec3| [byte(n.x), byte(n.y), byte(n.z), 0];
    normals.iter().flat_map(padded).collect()
}

/// Of a vertex attribute; integers are normalised.
fn accessor(view: usize, component: u32, count: usize, kind: &str) -> Value {
    let mut accessor =
        json!({ "bufferView": view, "componentType": component, "count": count, "type": kind });
    if component != FLOAT {
        accessor["normalized"] = json!(true);
    }
    accessor
}

/// GLB bytes.
pub(super) fn write(surfaces: &[Surface], packing: Packing) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let (mut accessors, mut primitives, mut materials, mut images) =
        (vec![], vec![], vec![], vec![]);
    for surface in surfaces {
        let shape = surface.shape.compacted();
        let first = accessors.len();
        let (min, max) = shape
            .positions
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(a, b), p| (a.min(*p), b.max(*p)));
        let floats = |values: &mut dyn Iterator<Item = f32>| {
            values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>()
        };
        let count = shape.positions.len();
        assert!(count <= 65_535, "indices of 16 bits");
        let positions = buffer
            .add(floats(&mut shape.positions.iter().flat_map(|p| p.to_array())), Some(34_962));
        let (normals, normal_kind) = match packing {
            Packing::Floats => {
                let floats = floats(&mut shape.normals().iter().flat_map(|n| n.to_array()));
                (buffer.add(floats, Some(34_962)), FLOAT)
            }
            Packing::Small => {
                let view = buffer.add(normal_bytes(&shape.normals()), Some(34_962));
                buffer.views[view]["byteStride"] = json!(4);
                (view, BYTE)
            }
        };
        let is_within = |uv: &Vec2| uv.min_element() >= 0.0 && uv.max_element() <= 1.0;
        let (uvs, uv_kind) = if packing == Packing::Small && shape.uvs.iter().all(is_within) {
            let short = |c: f32| ((c * 65_535.0 + 0.5) as u16).to_le_bytes();
            let shorts = shape.uvs.iter().flat_map(|uv| [short(uv.x), short(uv.y)].concat());
            let view = buffer.add(shorts.collect(), Some(34_962));
            (view, UNSIGNED_SHORT)
        } else {
            let floats = floats(&mut shape.uvs.iter().flat_map(|uv| uv.to_array()));
            (buffer.add(floats, Some(34_962)), FLOAT)
        };
        let indices =
            shape.triangles.as_flattened().iter().flat_map(|&v| (v as u16).to_le_bytes()).collect();
        let indices = buffer.add(indices, Some(34_963));
        accessors.extend([
            json!({ "bufferView": positions, "componentType": FLOAT, "count": count, "type": "VEC3", "min": min.to_array(), "max": max.to_array() }),
            accessor(normals, normal_kind, count, "VEC3"),
            accessor(uvs, uv_kind, count, "VEC2"),
            json!({ "bufferView": indices, "componentType": UNSIGNED_SHORT, "count": shape.triangles.len() * 3, "type": "SCALAR" }),
        ]);
        primitives.push(json!({
            "attributes": { "POSITION": first, "NORMAL": first + 1, "TEXCOORD_0": first + 2 },
            "indices": first + 3, "material": materials.len(),
        }));
        let [r, g, b] = surface.color;
        let mut pbr = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": surface.metallic, "roughnessFactor": surface.roughness });
        if let Some(texture) = &surface.texture {
            let view = buffer.add(png(texture, png::Filter::NoFilter), None);
            pbr["baseColorTexture"] = json!({ "index": images.len() });
            images.push(
                json!({ "bufferView": view, "mimeType": "image/png", "name": surface.material }),
            );
        }
        materials.push(
            json!({ "name": surface.material, "pbrMetallicRoughness": pbr, "doubleSided": true }),
        );
    }
    let textures: Vec<Value> =
        (0..images.len()).map(|i| json!({ "source": i, "sampler": 0 })).collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "meshjudge demo assets" },
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": primitives }],
        "materials": materials, "accessors": accessors, "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "images": images, "textures": textures,
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497 }],
    });
    if packing == Packing::Small {
        document["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
        document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    }
    container(document.to_string().into_bytes(), buffer.bytes)
}
