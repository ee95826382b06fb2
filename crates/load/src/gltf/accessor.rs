//! Reads accessors: any component type, normalised, interleaved, sparse or without a buffer view.
//!
//! All arithmetic is in `u64` and every range is checked against the real buffer before memory is
//! taken. glTF 2.0, section 3.6.2.

use super::super::error::LoadError;
use super::super::limits::{VERTICES_MAX, ZERO_ACCESSOR_COUNT_MAX};
use super::document::{Buffer, Document};
use gltf::json::accessor::{ComponentType, Type};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Index, buffer};

/// Elements of one buffer view, `stride` bytes apart; checked to be inside.
#[derive(Debug, Clone, Copy)]
struct Elements<'d> {
    bytes: &'d [u8],
    stride: usize,
    size: usize,
}

impl<'d> Elements<'d> {
    fn at(&self, index: usize) -> &'d [u8] {
        &self.bytes[index * self.stride..index * self.stride + self.size]
    }

    fn iter(self, count: usize) -> impl Iterator<Item = &'d [u8]> {
        (0..count).map(move |index| self.at(index))
    }
}

/// An accessor whose type and place are checked.
#[derive(Debug)]
pub(super) struct Reader<'d> {
    name: String,
    pub count: usize,
    pub kind: Type,
    component: ComponentType,
    normalized: bool,
    base: Option<Elements<'d>>,
    sparse: Option<(usize, Elements<'d>, ComponentType, Elements<'d>)>,
}

impl Document<'_> {
    /// Checks accessor `index` as a whole.
    pub(super) fn reader(&self, index: Index<Accessor>) -> Result<Reader<'_>, LoadError> {
        let accessor = self.get(&self.root.accessors, index, "accessor")?;
        let name = format!("accessor {}", index.value());
        let (Checked::Valid(kind), Checked::Valid(component)) =
            (accessor.type_, accessor.component_type)
        else {
            return Err(self.broken(name, "has a type that glTF 2.0 does not know"));
        };
        let component = component.0;
        let size = kind.multiplicity() * component.size();
        let count = accessor.count.0;
        self.check_limit(&format!("elements of {name}"), count, VERTICES_MAX * 4)?;
        let supplied = self.supplied.get(&index.value());
        let base = match accessor.buffer_view {
            _ if supplied.is_some_and(|bytes| bytes.len() as u64 == count * size as u64) => {
                supplied.map(|bytes| Elements { bytes, stride: size, size })
            }
            Some(view) => {
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                Some(self.elements(&name, view, offset, count, size)?)
            }
            None => {
                self.check_limit(
                    &format!("elements without data of {name}"),
                    count,
                    ZERO_ACCESSOR_COUNT_MAX,
                )?;
                None
            }
        };
        let sparse = match &accessor.sparse {
            None => None,
            Some(sparse) => {
                if sparse.count.0 > count {
                    return Err(self.broken(name, "has more sparse elements than elements"));
                }
                let Checked::Valid(index_type) = sparse.indices.component_type else {
                    return Err(self.broken(name, "has sparse indices of an unknown type"));
                };
                let indices = self.elements(
                    &name,
                    sparse.indices.buffer_view,
                    sparse.indices.byte_offset.0,
                    sparse.count.0,
                    index_type.0.size(),
                )?;
                let values = self.elements(
                    &name,
                    sparse.values.buffer_view,
                    sparse.values.byte_offset.0,
                    sparse.count.0,
                    size,
                )?;
                Some((sparse.count.0 as usize, indices, index_type.0, values))
            }
        };
        Ok(Reader {
            name,
            count: count as usize,
            kind,
            component,
            normalized: accessor.normalized,
            base,
            sparse,
        })
    }

    /// `count` elements of `size` bytes from `offset` of a buffer view.
    fn elements(
        &self,
        name: &str,
        view: Index<buffer::View>,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Elements<'_>, LoadError> {
        let stride = self
            .get(&self.root.buffer_views, view, "buffer view")?
            .byte_stride
            .map_or(0, |stride| stride.0);
        let stride = if stride == 0 { size } else { stride };
        if stride < size {
            return Err(self.broken(name, format!("has elements of {size} bytes every {stride}")));
        }
        if count == 0 {
            return Ok(Elements { bytes: &[], stride, size });
        }
        let bytes = self.view(view)?;
        // At most 2^28 × 2^8 here, but a hostile stride is a `usize`: hence checked.
        let end = (count - 1)
            .checked_mul(stride as u64)
            .and_then(|last| last.checked_add(size as u64))
            .and_then(|length| length.checked_add(offset));
        match end {
            Some(end) if end <= bytes.len() as u64 && offset <= bytes.len() as u64 => {
                Ok(Elements {
                    bytes: &bytes[offset as usize..],
                    stride,
                    size,
                })
            }
            _ => Err(self.broken(
                name,
                format!(
                    "asks for {count} elements from byte {offset} of buffer view {}, which has {} bytes",
                    view.value(),
                    bytes.len()
                ),
            )),
        }
    }

    /// The bytes of a buffer view, decoded if it is compressed.
    pub(super) fn view(&self, index: Index<buffer::View>) -> Result<&[u8], LoadError> {
        let view = self.get(&self.root.buffer_views, index, "buffer view")?;
        if let Some(decoded) = self.views.get(&index.value()) {
            return Ok(decoded);
        }
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let name = format!("buffer view {}", index.value());
        self.span(&name, view.buffer.value(), start, view.byte_length.0)
    }

    /// `length` bytes from byte `start` of a buffer; `name` says who asks.
    pub(super) fn span(
        &self,
        name: &str,
        buffer: usize,
        start: u64,
        length: u64,
    ) -> Result<&[u8], LoadError> {
        let lies_in =
            |problem: &str| self.broken(name, format!("is in buffer {buffer}, {problem}"));
        let (data, stated) = match self.buffers.get(buffer) {
            Some(Buffer::Read { data, stated }) => (data, *stated),
            Some(Buffer::Nowhere) => return Err(lies_in("which has no data")),
            Some(Buffer::Failed(error)) => {
                let error = error.lock().ok().and_then(|mut error| error.take());
                return Err(error.unwrap_or_else(|| lies_in("which cannot be read")));
            }
            None => return Err(lies_in("which does not exist")),
        };
        let found = data.len() as u64;
        match start.checked_add(length) {
            Some(end) if end <= stated.min(found) => Ok(&data[start as usize..end as usize]),
            Some(end) if end <= stated => Err(self.broken(
                format!("buffer {buffer}"),
                format!("should have {stated} bytes and has {found}"),
            )),
            _ => Err(self.broken(
                name,
                format!("spans {length} bytes from byte {start} of a buffer of {stated}"),
            )),
        }
    }
}

impl Reader<'_> {
    /// Elements of `N` components as `f32`, integers normalised if the accessor says so (glTF 2.0,
    /// section 3.6.2.2). Any component type is taken (`KHR_mesh_quantization`).
    pub(super) fn floats<const N: usize, T: Clone>(
        &self,
        document: &Document<'_>,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, LoadError> {
        self.floats_of(document, None, make)
    }

    /// As [`Self::floats`], of the elements in an ascending list only, if there is one.
    pub(super) fn floats_of<const N: usize, T: Clone>(
        &self,
        document: &Document<'_>,
        used: Option<&[u32]>,
        make: impl Fn([f32; N]) -> T,
    ) -> Result<Vec<T>, LoadError> {
        if self.kind.multiplicity() != N {
            return Err(document.broken(
                &*self.name,
                format!("has {} components where {N} are needed", self.kind.multiplicity()),
            ));
        }
        let count = used.map_or(self.count, <[u32]>::len);
        // Sparse elements are walked at every use, even if few are taken.
        let num_sparse = self.sparse.as_ref().map_or(0, |&(count, ..)| count);
        document.count_bytes((count.max(num_sparse) * size_of::<T>()) as u64)?;
        let element = |bytes: &[u8]| make(self.decode(bytes));
        let mut out: Vec<T> = match (&self.base, used) {
            (None, _) => vec![make([0.0; N]); count],
            (Some(base), Some(used)) => {
                used.iter().map(|&i| element(base.at(i as usize))).collect()
            }
            (Some(base), None) if self.component == ComponentType::F32 && base.stride == 4 * N => {
                // Tightly packed floats: a million positions in 3 ms; 20 ms the general way.
                let (values, _) = base.bytes[..self.count * base.size].as_chunks::<4>();
                values
                    .as_chunks::<N>()
                    .0
                    .iter()
                    .map(|value| make(value.map(f32::from_le_bytes)))
                    .collect()
            }
            (Some(base), None) => base.iter(count).map(element).collect(),
        };
        self.replace(document, &mut out, used, element)?;
        Ok(out)
    }

    /// Vertex indices: scalar, unsigned integers.
    pub(super) fn indices(&self, document: &Document<'_>) -> Result<Vec<u32>, LoadError> {
        let is_unsigned =
            matches!(self.component, ComponentType::U8 | ComponentType::U16 | ComponentType::U32);
        if self.kind != Type::Scalar || !is_unsigned {
            return Err(
                document.broken(&*self.name, "holds vertex indices and must be unsigned scalars")
            );
        }
        document.count_bytes(self.count as u64 * 4)?;
        let mut out: Vec<u32> = match (&self.base, self.component) {
            (None, _) => vec![0; self.count], // as every accessor without a buffer view
            (Some(base), ComponentType::U32) if base.stride == 4 => base.bytes[..self.count * 4]
                .as_chunks()
                .0
                .iter()
                .map(|&value| u32::from_le_bytes(value))
                .collect(),
            (Some(base), ComponentType::U16) if base.stride == 2 => base.bytes[..self.count * 2]
                .as_chunks()
                .0
                .iter()
                .map(|&value| u32::from(u16::from_le_bytes(value)))
                .collect(),
            (Some(base), component) => {
                base.iter(self.count).map(|bytes| integer(component, bytes)).collect()
            }
        };
        self.replace(document, &mut out, None, |bytes| integer(self.component, bytes))?;
        Ok(out)
    }

    /// Puts the sparse elements in their places.
    fn replace<T>(
        &self,
        document: &Document<'_>,
        out: &mut [T],
        used: Option<&[u32]>,
        element: impl Fn(&[u8]) -> T,
    ) -> Result<(), LoadError> {
        let Some((count, indices, index_type, values)) = &self.sparse else {
            return Ok(());
        };
        for (index, value) in indices.iter(*count).zip(values.iter(*count)) {
            let index = integer(*index_type, index);
            if index as usize >= self.count {
                let problem = format!("has a sparse index {index} of {}", self.count);
                return Err(document.broken(&*self.name, problem));
            }
            let place = used.map_or(Ok(index as usize), |used| used.binary_search(&index));
            if let Ok(place) = place {
                out[place] = element(value);
            }
        }
        Ok(())
    }

    /// Joint indices: four unsigned bytes or shorts, or whole floats of some Draco encoders.
    pub(super) fn joints(
        &self,
        document: &Document<'_>,
        used: Option<&[u32]>,
    ) -> Result<Vec<[u32; 4]>, LoadError> {
        if self.kind != Type::Vec4
            || !matches!(
                self.component,
                ComponentType::U8 | ComponentType::U16 | ComponentType::F32
            )
        {
            return Err(document.broken(&*self.name, "holds joints and must be four integers each"));
        }
        let joints = self.floats_of(document, used, |joints: [f32; 4]| joints)?;
        if (joints.iter().flatten()).any(|&joint| !(joint >= 0.0 && joint.fract() == 0.0)) {
            return Err(document.broken(&*self.name, "holds joints that are no whole numbers"));
        }
        Ok(joints.into_iter().map(|four| four.map(|joint| joint as u32)).collect())
    }

    fn decode<const N: usize>(&self, bytes: &[u8]) -> [f32; N] {
        let size = self.component.size();
        std::array::from_fn(|i| {
            component(self.component, self.normalized, &bytes[i * size..(i + 1) * size])
        })
    }
}

/// `bytes` has the component's size. Scale factors: glTF 2.0, section 3.11 (animation) and 3.6.2.2,
/// which share one table.
fn component(kind: ComponentType, normalized: bool, bytes: &[u8]) -> f32 {
    let (value, full) = match (kind, bytes) {
        (ComponentType::F32, &[a, b, c, d]) => return f32::from_le_bytes([a, b, c, d]),
        (ComponentType::I8, &[a]) => (f32::from(a as i8), 127.0),
        (ComponentType::U8, &[a]) => (f32::from(a), 255.0),
        (ComponentType::I16, &[a, b]) => (f32::from(i16::from_le_bytes([a, b])), 32767.0),
        (ComponentType::U16, &[a, b]) => (f32::from(u16::from_le_bytes([a, b])), 65535.0),
        (ComponentType::U32, &[a, b, c, d]) => {
            (u32::from_le_bytes([a, b, c, d]) as f32, u32::MAX as f32)
        }
        _ => (0.0, 1.0), // no other size is handed in
    };
    if normalized { (value / full).max(-1.0) } else { value }
}

fn integer(kind: ComponentType, bytes: &[u8]) -> u32 {
    match (kind, bytes) {
        (ComponentType::U8, &[a]) => u32::from(a),
        (ComponentType::U16, &[a, b]) => u32::from(u16::from_le_bytes([a, b])),
        (_, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => u32::MAX, // no vertex has this number: refused where it is used
    }
}
