//! Buffer views compressed by `EXT_meshopt_compression` or `KHR_meshopt_compression` → bytes.
//!
//! The bitstreams are described in the extensions' texts (appendix A, "Bitstream", and B,
//! "Filters"). Everything is bounded by the stated size, which is checked before memory is taken.

mod filter;
mod index;
mod vertex;

use serde_json::Value;

/// A compressed buffer view, as its extension object states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Compressed {
    pub buffer: usize,
    pub byte_offset: u64,
    pub byte_length: u64,
    pub stride: usize,
    pub count: usize,
    mode: Mode,
    filter: Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// Names of the extension, the ratified one first.
pub(super) const NAMES: [&str; 2] = ["KHR_meshopt_compression", "EXT_meshopt_compression"];

impl Compressed {
    /// Reads the extension object; the reason when it breaks the extension's rules.
    pub(super) fn of(value: &Value) -> Result<Self, String> {
        let number = |key: &str| value.get(key).and_then(Value::as_u64);
        let needed = |key: &str| number(key).ok_or_else(|| format!("has no {key}"));
        let place = |number: u64| usize::try_from(number).map_err(|_| format!("has {number}"));
        let mode = match value.get("mode").and_then(Value::as_str) {
            Some("ATTRIBUTES") => Mode::Attributes,
            Some("TRIANGLES") => Mode::Triangles,
            Some("INDICES") => Mode::Indices,
            _ => return Err("has an unknown mode".to_owned()),
        };
        let filter = match value.get("filter").and_then(Value::as_str) {
            None | Some("NONE") => Filter::None,
            Some("OCTAHEDRAL") => Filter::Octahedral,
            Some("QUATERNION") => Filter::Quaternion,
            Some("EXPONENTIAL") => Filter::Exponential,
            Some("COLOR") => Filter::Color,
            Some(_) => return Err("has an unknown filter".to_owned()),
        };
        let out = Self {
            buffer: place(needed("buffer")?)?,
            byte_offset: number("byteOffset").unwrap_or(0),
            byte_length: needed("byteLength")?,
            stride: place(needed("byteStride")?)?,
            count: place(needed("count")?)?,
            mode,
            filter,
        };
        let is_stride_good = match mode {
            Mode::Attributes => {
                out.stride.is_multiple_of(4)
                    && (4..=256).contains(&out.stride)
                    && filter.takes(out.stride)
            }
            Mode::Triangles | Mode::Indices => {
                matches!(out.stride, 2 | 4) && filter == Filter::None
            }
        };
        if !is_stride_good {
            return Err(format!(
                "has a stride of {} that its mode and filter do not allow",
                out.stride
            ));
        }
        if mode == Mode::Triangles && !out.count.is_multiple_of(3) {
            return Err(format!("has {} indices of triangles", out.count));
        }
        Ok(out)
    }

    pub(super) fn decoded_bytes(&self) -> u64 {
        (self.count as u64).saturating_mul(self.stride as u64)
    }

    /// Decodes `bytes`, which are `byte_length` long.
    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let Self { count, stride, .. } = *self;
        let mut out = match self.mode {
            Mode::Attributes => vertex::decode(bytes, count, stride),
            Mode::Triangles => {
                index::triangles(bytes, count).map(|list| index::pack(&list, stride))
            }
            Mode::Indices => index::sequence(bytes, count).map(|list| index::pack(&list, stride)),
        }
        .ok_or_else(|| "is cut off or damaged".to_owned())?;
        match (self.filter, stride) {
            (Filter::None, _) => {}
            (Filter::Octahedral, 4) => filter::octahedral_8(&mut out),
            (Filter::Octahedral, _) => filter::octahedral_16(&mut out),
            (Filter::Quaternion, _) => filter::quaternion(&mut out),
            (Filter::Exponential, _) => filter::exponential(&mut out),
            (Filter::Color, 4) => filter::color_8(&mut out),
            (Filter::Color, _) => filter::color_16(&mut out),
        }
        Ok(out)
    }
}

impl Filter {
    fn takes(self, stride: usize) -> bool {
        match self {
            Self::None | Self::Exponential => true,
            Self::Octahedral | Self::Color => matches!(stride, 4 | 8),
            Self::Quaternion => stride == 8,
        }
    }
}
