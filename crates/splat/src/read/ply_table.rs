//! PLY → elements as number tables by column name. Ascii, binary, both byte orders (Turk 1994).

use super::ReadError;
use super::bytes::{plane, slice};
use crate::harmonics::coefficients;
use crate::ply_header::{self, Element, Encoding, Header, Property, Scalar};
use std::borrow::Cow;

/// The numbers of an element.
pub(super) struct Table<'a> {
    pub(super) count: usize,
    stride: usize,
    big_endian: bool,
    columns: Vec<(String, usize, Scalar)>,
    bytes: Cow<'a, [u8]>,
}

#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    bytes: &'a [u8],
    stride: usize,
    offset: usize,
    scalar: Scalar,
    big_endian: bool,
}

impl Column<'_> {
    #[inline]
    pub(super) fn get(&self, row: usize) -> f64 {
        self.scalar.number(&self.bytes[row * self.stride + self.offset..], self.big_endian)
    }
}

impl Table<'_> {
    pub(super) fn column(&self, name: &str) -> Option<Column<'_>> {
        let (_, offset, scalar) = self.columns.iter().find(|(known, ..)| known == name)?;
        Some(Column {
            bytes: &self.bytes,
            stride: self.stride,
            offset: *offset,
            scalar: *scalar,
            big_endian: self.big_endian,
        })
    }

    /// # Errors
    /// Where there is no such column.
    pub(super) fn need(&self, name: &str) -> Result<Column<'_>, ReadError> {
        let reason = || format!("it has no property {name:?}");
        self.column(name).ok_or_else(|| ReadError::malformed("PLY", reason()))
    }

    /// The planes of the harmonics after the first of each channel: red, green and blue of each.
    /// The columns `f_rest_*` have all red, then all green, then all blue.
    ///
    /// # Errors
    /// Where their number is that of no degree.
    pub(super) fn higher_harmonics(
        &self,
        count: usize,
        value: impl Fn(f64) -> f32 + Sync + Send,
    ) -> Result<Vec<Vec<f32>>, ReadError> {
        let columns: Vec<_> = (0..).map_while(|k| self.column(&format!("f_rest_{k}"))).collect();
        let (degree, per_channel) = (degree_of(columns.len())?, columns.len() / 3);
        let order = (0..coefficients(degree) - 1)
            .flat_map(|k| [0, 1, 2].map(|channel| channel * per_channel + k));
        Ok(order.map(|k| plane(count, |i| value(columns[k].get(i)))).collect())
    }
}

/// The degree of 0, 9, 24 or 45 coefficients besides the first of each channel. Degree 4, where a
/// file has it, is left out.
fn degree_of(rest: usize) -> Result<usize, ReadError> {
    match rest {
        0 => Ok(0),
        9 => Ok(1),
        24 => Ok(2),
        45 | 72 => Ok(3),
        _ => Err(ReadError::malformed(
            "PLY",
            format!("{rest} properties f_rest_*; 0, 9, 24, 45 or 72 are possible"),
        )),
    }
}

/// The header; a broken one is described by its line.
pub(super) fn header_of(bytes: &[u8]) -> Result<Header, ReadError> {
    ply_header::read(bytes).map_err(|(line, problem)| {
        ReadError::malformed("PLY", format!("line {line} of its header: {problem}"))
    })
}

/// The tables of the named elements, in that order; `None` where the file has no such element.
pub(super) fn tables<'a, const N: usize>(
    header: &Header,
    bytes: &'a [u8],
    wanted: [&str; N],
) -> Result<[Option<Table<'a>>; N], ReadError> {
    let mut out = [const { None }; N];
    let mut body = Body { bytes, at: header.body_start as u64 };
    for element in &header.elements {
        let place = wanted.iter().position(|&name| name == element.name);
        if wanted[..].iter().zip(&out).all(|(name, table)| {
            table.is_some() || !header.elements.iter().any(|e| e.name == *name)
        }) {
            break; // what follows is not needed, and may have lists
        }
        if element.properties.iter().any(|property| property.list_count.is_some()) {
            return Err(ReadError::malformed(
                "PLY",
                format!("lists in the element {:?}, which comes before the splats", element.name),
            ));
        }
        let table = body.table(element, header.encoding)?;
        if let Some(place) = place {
            out[place] = Some(table);
        }
    }
    Ok(out)
}

struct Body<'a> {
    bytes: &'a [u8],
    at: u64,
}

impl<'a> Body<'a> {
    fn table(&mut self, element: &Element, encoding: Encoding) -> Result<Table<'a>, ReadError> {
        let is_text = encoding == Encoding::Ascii;
        let mut stride = 0;
        let mut columns = Vec::new();
        for Property { name, kind, .. } in &element.properties {
            let scalar = if is_text { Scalar::F64 } else { *kind };
            columns.push((name.clone(), stride, scalar));
            stride += scalar.size();
        }
        let what = format!("{} rows of {:?}", element.count, element.name);
        // Two characters are the shortest number with its separator.
        let row_bytes = if is_text { 2 * columns.len() as u64 } else { stride as u64 };
        let needed = element.count.saturating_mul(row_bytes).saturating_sub(u64::from(is_text));
        let bytes = slice(self.bytes, "PLY", &what, self.at, needed)?;
        let bytes = if is_text {
            Cow::Owned(self.text_numbers(element.count * columns.len() as u64)?)
        } else {
            self.at += needed;
            Cow::Borrowed(bytes)
        };
        Ok(Table {
            count: if stride == 0 { 0 } else { element.count as usize },
            stride,
            big_endian: encoding == Encoding::BigEndian,
            columns,
            bytes,
        })
    }

    /// The next `count` numbers of a text, in binary; `count` is already checked by the bytes.
    fn text_numbers(&mut self, count: u64) -> Result<Vec<u8>, ReadError> {
        let mut out = Vec::with_capacity(count as usize * 8);
        let mut rest = &self.bytes[self.at as usize..];
        for _ in 0..count {
            rest = rest.trim_ascii_start();
            let len = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(len);
            let number: f64 = std::str::from_utf8(word)
                .ok()
                .and_then(|word| word.parse().ok())
                .ok_or_else(|| {
                    let shown: String = String::from_utf8_lossy(word).chars().take(40).collect();
                    ReadError::malformed("PLY", format!("{shown:?} where a number is expected"))
                })?;
            out.extend(number.to_le_bytes());
            rest = after;
        }
        self.at = (self.bytes.len() - rest.len()) as u64;
        Ok(out)
    }
}
