//! Planes → a GLB with one primitive of KHR_gaussian_splatting, its attributes uncompressed.

use super::WriteError;
use crate::splats::{ColorSpace, Splats};
use glam::DVec3;
use serde_json::{Map, Value, json};

const FLOAT: u32 = 5126;
const EXTENSION: &str = crate::read::GLTF_EXTENSION;

/// The binary chunk and what describes it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    attributes: Map<String, Value>,
}

impl Buffer {
    /// Appends an attribute whose components are these planes.
    fn add(&mut self, name: &str, planes: &[&Vec<f32>]) {
        let (start, count) = (self.bytes.len(), planes[0].len());
        for i in 0..count {
            planes.iter().for_each(|plane| self.bytes.extend(plane[i].to_le_bytes()));
        }
        let kind = ["SCALAR", "", "VEC3", "VEC4"][planes.len() - 1];
        let view =
            json!({"buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start});
        self.attributes.insert(name.to_owned(), self.accessors.len().into());
        let accessor = json!({"bufferView": self.views.len(), "componentType": FLOAT, "count": count, "type": kind});
        self.accessors.push(accessor);
        self.views.push(view);
    }
}

pub(super) fn write(splats: &Splats) -> Result<Vec<u8>, WriteError> {
    let parts = splats.planes();
    let needed = splats.len().saturating_mul(4 * (11 + parts.harmonics.len())) + (1 << 16);
    if u32::try_from(needed).is_err() {
        return Err(WriteError::TooLarge { bytes: needed });
    }
    let mut buffer = Buffer::default();
    let own = |name: &str| format!("{EXTENSION}:{name}");
    let [x, y, z] = &parts.position;
    buffer.add("POSITION", &[x, y, z]);
    let edge = |of: fn(f32, f32) -> f32| {
        parts.position.each_ref().map(|plane| plane.iter().copied().reduce(of))
    };
    buffer.accessors[0]["min"] = json!(edge(f32::min));
    buffer.accessors[0]["max"] = json!(edge(f32::max));
    let [w, x, y, z] = &parts.rotation;
    buffer.add(&own("ROTATION"), &[x, y, z, w]);
    let [x, y, z] = &parts.scale;
    buffer.add(&own("SCALE"), &[x, y, z]);
    buffer.add(&own("OPACITY"), &[&parts.opacity]);
    for (k, planes) in parts.harmonics.chunks(3).enumerate() {
        let degree = k.isqrt();
        let name = own(&format!("SH_DEGREE_{degree}_COEF_{}", k - degree * degree));
        buffer.add(&name, &[&planes[0], &planes[1], &planes[2]]);
    }
    let space = match splats.color_space() {
        ColorSpace::Display => "srgb_rec709_display",
        ColorSpace::Linear => "lin_rec709_display",
    };
    let mut root = json!({
        "asset": {"version": "2.0", "generator": concat!("meshjudge ", env!("CARGO_PKG_VERSION"))},
        "extensionsUsed": [EXTENSION],
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{
            "mode": 0,
            "attributes": buffer.attributes,
            "extensions": {EXTENSION: {"kernel": "ellipse", "colorSpace": space}},
        }]}],
        "buffers": [{"byteLength": buffer.bytes.len()}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    if splats.origin() != DVec3::ZERO {
        root["nodes"][0]["translation"] = json!(splats.origin().to_array());
    }
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let lengths = [28 + text.len() + buffer.bytes.len(), text.len(), buffer.bytes.len()];
    let [total, text_length, binary_length] = lengths.map(|length| (length as u32).to_le_bytes());
    Ok([
        &b"glTF\x02\0\0\0"[..],
        &total,
        &text_length,
        b"JSON",
        &text,
        &binary_length,
        b"BIN\0",
        &buffer.bytes,
    ]
    .concat())
}
