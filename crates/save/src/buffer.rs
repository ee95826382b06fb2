//! Binary chunk, views, accessors, and the file around them. glTF 2.0, sections 3.6 and 4.4.

use super::error::SaveError;
use glam::Vec3;
use serde_json::{Value, json};
use std::io::{self, Write};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Header of the file, and header of each of its two chunks.
const HEADER_BYTES: usize = 12;
const CHUNK_HEADER_BYTES: usize = 8;

/// Writes the bytes of one view.
type Part<'a> = Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>;

/// Bytes to come and their description; made when written, so memory never has the whole file.
#[derive(Default)]
pub(super) struct Buffer<'a> {
    length: usize,
    /// Each on a boundary of four: padded to it, then written.
    parts: Vec<(usize, Part<'a>)>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl<'a> Buffer<'a> {
    /// Appends `length` bytes on a boundary of four, and returns their view's index.
    pub(super) fn view(&mut self, length: usize, part: Part<'a>, target: Option<u32>) -> usize {
        let offset = self.length.next_multiple_of(4);
        self.parts.push((offset - self.length, part));
        self.length = offset + length;
        let mut view = json!({"buffer": 0, "byteOffset": offset, "byteLength": length});
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Appends `count` vectors of `N` numbers, and returns their accessor's index.
    pub(super) fn floats<const N: usize>(
        &mut self,
        count: usize,
        vectors: impl Iterator<Item = [f32; N]> + Clone + 'a,
    ) -> usize {
        let part = move |out: &mut dyn Write| {
            let mut numbers = vectors.clone().flatten();
            numbers.try_for_each(|number| out.write_all(&number.to_le_bytes()))
        };
        let view = self.view(4 * N * count, Box::new(part), Some(ARRAY_BUFFER));
        let kind = format!("VEC{N}");
        self.accessors.push(
            json!({"bufferView": view, "componentType": FLOAT, "count": count, "type": kind}),
        );
        self.accessors.len() - 1
    }

    /// Positions, with the bounds that the format demands of them.
    pub(super) fn positions(&mut self, positions: &'a [Vec3]) -> usize {
        let index = self.floats(positions.len(), positions.iter().map(Vec3::to_array));
        let (min, max) = positions
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(min, max), &p| (min.min(p), max.max(p)));
        if !positions.is_empty() {
            self.accessors[index]["min"] = json!(min.to_array());
            self.accessors[index]["max"] = json!(max.to_array());
        }
        index
    }

    /// Vertex indices, three to a triangle.
    pub(super) fn triangles(&mut self, triangles: &'a [[u32; 3]]) -> usize {
        let part = |out: &mut dyn Write| {
            let mut corners = triangles.iter().flatten();
            corners.try_for_each(|corner| out.write_all(&corner.to_le_bytes()))
        };
        let target = Some(ELEMENT_ARRAY_BUFFER);
        let view = self.view(12 * triangles.len(), Box::new(part), target);
        self.accessors.push(json!({"bufferView": view, "componentType": UNSIGNED_INT, "count": 3 * triangles.len(), "type": "SCALAR"}));
        self.accessors.len() - 1
    }

    /// The file: header; JSON chunk, space-padded; binary chunk, zero-padded. Returns its length.
    pub(super) fn finish(self, mut root: Value, out: &mut dyn Write) -> Result<u64, SaveError> {
        let padded = self.length.next_multiple_of(4);
        root["buffers"] = json!([{"byteLength": self.length}]);
        root["bufferViews"] = self.views.into();
        root["accessors"] = self.accessors.into();
        let mut text = root.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = HEADER_BYTES + 2 * CHUNK_HEADER_BYTES + text.len() + padded;
        let length = |bytes: usize| {
            u32::try_from(bytes).map_err(|_| SaveError::TooLarge { bytes: bytes as u64 })
        };
        let [total_length, text_length, binary_length] =
            [length(total)?, length(text.len())?, length(padded)?].map(u32::to_le_bytes);
        let mut write = || -> io::Result<()> {
            out.write_all(b"glTF")?;
            out.write_all(&2_u32.to_le_bytes())?;
            out.write_all(&total_length)?;
            out.write_all(&text_length)?;
            out.write_all(b"JSON")?;
            out.write_all(&text)?;
            out.write_all(&binary_length)?;
            out.write_all(b"BIN\0")?;
            for (padding, part) in &self.parts {
                out.write_all(&[0; 3][..*padding])?;
                part(&mut *out)?;
            }
            out.write_all(&[0; 3][..padded - self.length])?;
            out.flush()
        };
        write().map_err(|e| SaveError::Write { reason: e.to_string() })?;
        Ok(total as u64)
    }
}
