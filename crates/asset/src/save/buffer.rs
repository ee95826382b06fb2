//! The binary chunk with its views and accessors, and the file around it. glTF 2.0, sections 3.6 and 4.4.

use super::error::SaveError;
use glam::Vec3;
use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Header of the file, and header of each of its two chunks.
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

/// Bytes in the making, and what is said of them.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Appends bytes on a boundary of four, and returns their view's index.
    pub(super) fn view(
        &mut self,
        bytes: impl IntoIterator<Item = u8>,
        target: Option<u32>,
    ) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view =
            json!({"buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Appends `count` vectors, and returns their accessor's index.
    pub(super) fn floats(
        &mut self,
        kind: &str,
        count: usize,
        numbers: impl Iterator<Item = f32>,
    ) -> usize {
        let view = self.view(numbers.flat_map(f32::to_le_bytes), Some(ARRAY_BUFFER));
        self.accessors.push(
            json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind}),
        );
        self.accessors.len() - 1
    }

    /// Positions, with the bounds that the format demands of them.
    pub(super) fn positions(&mut self, positions: &[Vec3]) -> usize {
        let numbers = positions.iter().flat_map(|p| p.to_array());
        let index = self.floats("VEC3", positions.len(), numbers);
        let (min, max) = (positions.iter())
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), &p| {
                (min.min(p), max.max(p))
            });
        if !positions.is_empty() {
            self.accessors[index]["min"] = json!(min.to_array());
            self.accessors[index]["max"] = json!(max.to_array());
        }
        index
    }

    /// Vertex indices, three to a triangle.
    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]]) -> usize {
        let numbers = triangles.iter().flatten().flat_map(|i| i.to_le_bytes());
        let view = self.view(numbers, Some(ELEMENT_ARRAY_BUFFER));
        self.accessors.push(json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": 3 * triangles.len(), "type": "SCALAR"}));
        self.accessors.len() - 1
    }

    /// The file: header, JSON chunk padded with spaces, binary chunk padded with zeros.
    pub(super) fn finish(mut self, mut root: Value) -> Result<Vec<u8>, SaveError> {
        root["buffers"] = json!([{"byteLength": self.bytes.len()}]);
        root["bufferViews"] = self.views.into();
        root["accessors"] = self.accessors.into();
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let total = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + text.len() + self.bytes.len();
        let length = |bytes: usize| {
            u32::try_from(bytes).map_err(|_| SaveError::TooLarge {
                bytes: bytes as u64,
            })
        };
        let mut out = Vec::with_capacity(total);
        out.extend(b"glTF");
        out.extend(2_u32.to_le_bytes());
        out.extend(length(total)?.to_le_bytes());
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &self.bytes)] {
            out.extend(length(chunk.len())?.to_le_bytes());
            out.extend(kind);
            out.extend(chunk);
        }
        Ok(out)
    }
}
