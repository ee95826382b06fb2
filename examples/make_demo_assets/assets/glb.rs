//! The smallest GLB writer that our objects need: one node, one mesh, a primitive per surface. glTF 2.0, sections 3 and 4.4.

use super::paint::Picture;
use super::shape::Shape;
use serde_json::{Value, json};

/// A shape and what it is made of.
#[derive(Clone)]
pub struct Surface {
    pub shape: Shape,
    pub material: &'static str,
    /// Linear RGB.
    pub color: [f32; 3],
    pub metallic: f32,
    pub roughness: f32,
    pub texture: Option<Picture>,
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

/// GLB bytes.
pub fn write(surfaces: &[Surface]) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let (mut accessors, mut primitives, mut materials, mut images) =
        (vec![], vec![], vec![], vec![]);
    for surface in surfaces {
        let shape = surface.shape.compacted();
        let first = accessors.len();
        let (min, max) = shape.positions.iter().fold(
            (glam::Vec3::INFINITY, glam::Vec3::NEG_INFINITY),
            |(a, b), p| (a.min(*p), b.max(*p)),
        );
        let floats = |values: &mut dyn Iterator<Item = f32>| {
            values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>()
        };
        let count = shape.positions.len();
        assert!(count <= 65_535, "indices of 16 bits");
        let positions = buffer.add(
            floats(&mut shape.positions.iter().flat_map(|p| p.to_array())),
            Some(34_962),
        );
        let normals = buffer.add(
            floats(&mut shape.normals().iter().flat_map(|n| n.to_array())),
            Some(34_962),
        );
        let uvs = buffer.add(
            floats(&mut shape.uvs.iter().flat_map(|uv| uv.to_array())),
            Some(34_962),
        );
        let indices = shape
            .triangles
            .as_flattened()
            .iter()
            .flat_map(|&v| (v as u16).to_le_bytes())
            .collect();
        let indices = buffer.add(indices, Some(34_963));
        accessors.extend([
            json!({ "bufferView": positions, "componentType": 5126, "count": count, "type": "VEC3", "min": min.to_array(), "max": max.to_array() }),
            json!({ "bufferView": normals, "componentType": 5126, "count": count, "type": "VEC3" }),
            json!({ "bufferView": uvs, "componentType": 5126, "count": count, "type": "VEC2" }),
            json!({ "bufferView": indices, "componentType": 5123, "count": shape.triangles.len() * 3, "type": "SCALAR" }),
        ]);
        primitives.push(json!({
            "attributes": { "POSITION": first, "NORMAL": first + 1, "TEXCOORD_0": first + 2 },
            "indices": first + 3, "material": materials.len(),
        }));
        let [r, g, b] = surface.color;
        let mut pbr = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": surface.metallic, "roughnessFactor": surface.roughness });
        if let Some(texture) = &surface.texture {
            let view = buffer.add(texture.png(), None);
            pbr["baseColorTexture"] = json!({ "index": images.len() });
            images.push(
                json!({ "bufferView": view, "mimeType": "image/png", "name": surface.material }),
            );
        }
        materials.push(
            json!({ "name": surface.material, "pbrMetallicRoughness": pbr, "doubleSided": true }),
        );
    }
    let textures: Vec<Value> = (0..images.len())
        .map(|i| json!({ "source": i, "sampler": 0 }))
        .collect();
    let document = json!({
        "asset": { "version": "2.0", "generator": "meshjudge demo assets" },
        "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": primitives }],
        "materials": materials, "accessors": accessors, "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "images": images, "textures": textures,
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 10497 }],
    });
    container(document.to_string().into_bytes(), buffer.bytes)
}

/// Header, JSON chunk padded with blanks, binary chunk padded with zeros.
fn container(mut json: Vec<u8>, mut binary: Vec<u8>) -> Vec<u8> {
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
