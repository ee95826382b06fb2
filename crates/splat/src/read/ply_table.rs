//! A PLY file → its elements as tables of numbers by column name. Ascii and binary of both byte orders (Turk 1994).

use super::ReadError;
use super::bytes::slice;
use std::borrow::Cow;

/// Most bytes of a header. Splats have about two thousand.
const HEADER_BYTES_MAX: usize = 1 << 16;

/// Most properties of all elements. Splats have 62.
const PROPERTIES_MAX: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number in the first bytes of `at`.
    #[inline]
    pub(super) fn number(self, at: &[u8], big_endian: bool) -> f64 {
        macro_rules! number {
            ($kind:ty) => {{
                let bytes = at[..size_of::<$kind>()].try_into().expect("the slice has that length");
                f64::from(if big_endian {
                    <$kind>::from_be_bytes(bytes)
                } else {
                    <$kind>::from_le_bytes(bytes)
                })
            }};
        }
        match self {
            Self::I8 => number!(i8),
            Self::U8 => number!(u8),
            Self::I16 => number!(i16),
            Self::U16 => number!(u16),
            Self::I32 => number!(i32),
            Self::U32 => number!(u32),
            Self::F32 => number!(f32),
            Self::F64 => number!(f64),
        }
    }
}

#[derive(Debug)]
struct Element {
    name: String,
    count: u64,
    properties: Vec<(String, Scalar)>,
    has_list: bool,
}

/// A header, and the place of the numbers.
#[derive(Debug)]
pub(super) struct Header {
    encoding: Encoding,
    elements: Vec<Element>,
    end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Ascii,
    Little,
    Big,
}

/// The numbers of an element.
pub(super) struct Table<'a> {
    pub(super) count: usize,
    stride: usize,
    big_endian: bool,
    columns: Vec<(String, usize, Scalar)>,
    bytes: Cow<'a, [u8]>,
}

/// A column of a [`Table`].
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
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        let broken = |reason: String| ReadError::malformed("PLY", reason);
        let mut header = Self { encoding: Encoding::Ascii, elements: Vec::new(), end: 0 };
        let mut num_properties = 0;
        loop {
            let rest = &bytes[header.end..bytes.len().min(HEADER_BYTES_MAX)];
            let Some(len) = rest.iter().position(|&byte| byte == b'\n') else {
                return Err(broken(format!("no end_header in the first {HEADER_BYTES_MAX} bytes")));
            };
            header.end += len + 1;
            let line = String::from_utf8_lossy(&rest[..len]);
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            match words[..] {
                [] | ["ply"] | ["obj_info", ..] | ["comment", ..] => {}
                ["format", encoding, ..] => {
                    header.encoding = match encoding {
                        "ascii" => Encoding::Ascii,
                        "binary_little_endian" => Encoding::Little,
                        "binary_big_endian" => Encoding::Big,
                        _ => return Err(broken(format!("unknown format {encoding:?}"))),
                    }
                }
                ["element", name, count] => header.elements.push(Element {
                    name: name.to_owned(),
                    count: count
                        .parse()
                        .map_err(|_| broken(format!("{count:?} is no number of {name:?}")))?,
                    properties: Vec::new(),
                    has_list: false,
                }),
                ["property", kind, .., name] => {
                    let last = header.elements.last_mut();
                    let element =
                        last.ok_or_else(|| broken("a property without element".into()))?;
                    num_properties += 1;
                    match (kind, Scalar::of(kind)) {
                        ("list", _) => element.has_list = true,
                        (_, Some(scalar)) => element.properties.push((name.to_owned(), scalar)),
                        _ => return Err(broken(format!("{kind:?} is no type of number"))),
                    }
                }
                ["end_header"] => return Ok(header),
                _ => {
                    return Err(broken(format!(
                        "unknown header line {:?}",
                        line.chars().take(60).collect::<String>()
                    )));
                }
            }
            if num_properties > PROPERTIES_MAX {
                return Err(broken(format!("more than {PROPERTIES_MAX} properties")));
            }
        }
    }

    pub(super) fn has(&self, element: &str, property: &str) -> bool {
        let found = self.elements.iter().find(|known| known.name == element);
        found.is_some_and(|known| known.properties.iter().any(|(name, _)| name == property))
    }

    /// The tables of the named elements, in that order; `None` where the file has no such element.
    pub(super) fn tables<'a, const N: usize>(
        &self,
        bytes: &'a [u8],
        wanted: [&str; N],
    ) -> Result<[Option<Table<'a>>; N], ReadError> {
        let mut out = [const { None }; N];
        let mut body = Body { bytes, at: self.end as u64 };
        for element in &self.elements {
            let place = wanted.iter().position(|&name| name == element.name);
            if wanted[..].iter().zip(&out).all(|(name, table)| {
                table.is_some() || !self.elements.iter().any(|e| e.name == *name)
            }) {
                break; // what follows is not needed, and may have lists
            }
            if element.has_list {
                return Err(ReadError::malformed(
                    "PLY",
                    format!(
                        "lists in the element {:?}, which comes before the splats",
                        element.name
                    ),
                ));
            }
            let table = body.table(element, self.encoding)?;
            if let Some(place) = place {
                out[place] = Some(table);
            }
        }
        Ok(out)
    }
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
        for (name, scalar) in &element.properties {
            let scalar = if is_text { Scalar::F64 } else { *scalar };
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
            big_endian: encoding == Encoding::Big,
            columns,
            bytes,
        })
    }

    /// The next `count` numbers of a text, in binary. The count is already checked against the bytes.
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
