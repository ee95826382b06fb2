//! The header of a PLY file: which elements follow, how many, and of which properties. Turk 1994,
//! "The PLY Polygon File Format". Shared with readers of surfaces in PLY files.

/// Most bytes of a header. Real ones have a few hundred, those of splats two thousand.
pub const HEADER_BYTES_MAX: usize = 1 << 20;

/// Most properties of all elements. Splats have 62.
pub const PROPERTIES_MAX: usize = 4096;

/// How the numbers after the header are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Ascii,
    LittleEndian,
    BigEndian,
}

/// A type of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// By the format's names, and by those with a size that Blender and others write.
    fn of(name: &str) -> Result<Self, String> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            // What numpy's own integers become.
            "long" | "int64" => Self::I64,
            "ulong" | "uint64" => Self::U64,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return Err(format!("{name:?} is not a number type")),
        })
    }

    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The number in the first bytes of `at`, which has enough of them.
    #[inline]
    pub fn number(self, at: &[u8], is_big_endian: bool) -> f64 {
        macro_rules! number {
            ($kind:ty) => {{
                let bytes = at[..size_of::<$kind>()].try_into().expect("the slice has that length");
                (if is_big_endian {
                    <$kind>::from_be_bytes(bytes)
                } else {
                    <$kind>::from_le_bytes(bytes)
                }) as f64
            }};
        }
        match self {
            Self::I8 => number!(i8),
            Self::U8 => number!(u8),
            Self::I16 => number!(i16),
            Self::U16 => number!(u16),
            Self::I32 => number!(i32),
            Self::U32 => number!(u32),
            Self::I64 => number!(i64),
            Self::U64 => number!(u64),
            Self::F32 => number!(f32),
            Self::F64 => number!(f64),
        }
    }

    /// The value of 1 in a colour of this type. Floating-point colours are 0 to 1.
    pub fn full(self) -> f64 {
        match self {
            Self::I8 => 127.0,
            Self::U8 => 255.0,
            Self::I16 => 32767.0,
            Self::U16 => 65535.0,
            // Bytes in wide numbers: nobody stores a colour in 32 bits.
            Self::I32 | Self::U32 | Self::I64 | Self::U64 => 255.0,
            Self::F32 | Self::F64 => 1.0,
        }
    }
}

/// One column of an element.
#[derive(Debug, Clone)]
pub struct Property {
    pub name: String,
    /// Of the number, or of the numbers of the list.
    pub kind: Scalar,
    /// The type of the length before a list.
    pub list_count: Option<Scalar>,
}

/// One table: `vertex`, `face` and so on.
#[derive(Debug, Clone)]
pub struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    /// Where the first number with one of these names is.
    pub fn scalar(&self, names: &[&str]) -> Option<usize> {
        self.find(names, false)
    }

    /// Where the first list with one of these names is.
    pub fn list(&self, names: &[&str]) -> Option<usize> {
        self.find(names, true)
    }

    fn find(&self, names: &[&str], is_list: bool) -> Option<usize> {
        self.properties.iter().position(|property| {
            property.list_count.is_some() == is_list && names.contains(&property.name.as_str())
        })
    }

    /// The only list, whatever its name.
    pub fn only_list(&self) -> Option<usize> {
        let mut lists = self
            .properties
            .iter()
            .enumerate()
            .filter(|(_, property)| property.list_count.is_some());
        let (list, other) = (lists.next(), lists.next());
        list.filter(|_| other.is_none()).map(|(column, _)| column)
    }

    /// Fewest bytes of one row: a list may be empty.
    pub fn row_bytes_min(&self, encoding: Encoding) -> u64 {
        let bytes = |property: &Property| match encoding {
            Encoding::Ascii => 2, // a digit and what parts it from the next
            _ => property.list_count.unwrap_or(property.kind).size() as u64,
        };
        self.properties.iter().map(bytes).sum()
    }
}

/// The part before the numbers.
#[derive(Debug)]
pub struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// Names in `comment TextureFile …`, as MeshLab writes them.
    pub texture_files: Vec<String>,
    /// Where the numbers begin, in bytes from the start of the file.
    pub body_start: usize,
}

impl Header {
    /// Names of other elements, and of other properties of these elements.
    pub(crate) fn unread(&self, elements: &[&str], properties: &[&str]) -> Vec<String> {
        let is_read = |name: &str| {
            properties.iter().any(|known| match known.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *known,
            })
        };
        let of = |element: &Element| match elements.contains(&element.name.as_str()) {
            true => element.properties.iter().map(|it| it.name.clone()).collect(),
            false => vec![element.name.clone()],
        };
        self.elements.iter().flat_map(of).filter(|name| !is_read(name)).collect()
    }

    pub(crate) fn has(&self, element: &str, property: &str) -> bool {
        let found = self.elements.iter().find(|known| known.name == element);
        found.is_some_and(|known| known.scalar(&[property]).is_some())
    }

    /// Whether anything in the file has a surface.
    pub fn has_faces(&self) -> bool {
        let is_surface = |e: &Element| matches!(e.name.as_str(), "face" | "tristrips");
        self.elements.iter().any(|element| is_surface(element) && element.count > 0)
    }
}

/// An unusable line: its number from 1, and the error.
pub type HeaderProblem = (usize, String);

/// Reads the header. Lines end with `\n`, `\r\n` or, in files of old Macintoshes, `\r`.
pub fn read(bytes: &[u8]) -> Result<Header, HeaderProblem> {
    let mut header = Header {
        encoding: Encoding::Ascii,
        elements: Vec::new(),
        texture_files: Vec::new(),
        body_start: 0,
    };
    let mut has_format = false;
    let mut properties = 0;
    let mut at = 0;
    for line_number in 1.. {
        let problem = |text: &str| (line_number, text.to_owned());
        let end = bytes
            .iter()
            .skip(at)
            .take(HEADER_BYTES_MAX)
            .position(|&byte| byte == b'\n' || byte == b'\r')
            .map(|length| at + length)
            .filter(|&end| end <= HEADER_BYTES_MAX)
            .ok_or_else(|| problem("the header does not end (no end_header)"))?;
        let line = String::from_utf8_lossy(&bytes[at..end]).into_owned();
        let is_pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
        at = end + 1 + usize::from(is_pair);
        let mut words = line.split_ascii_whitespace();
        let lower = |word: Option<&str>| word.map(str::to_ascii_lowercase);
        match lower(words.next()).as_deref() {
            Some("format") => {
                header.encoding = match lower(words.next()).as_deref() {
                    Some("ascii") => Encoding::Ascii,
                    Some("binary_little_endian") => Encoding::LittleEndian,
                    Some("binary_big_endian") => Encoding::BigEndian,
                    _ => return Err(problem("the format is neither ascii nor binary")),
                };
                has_format = true;
            }
            Some("comment") => {
                if let Some(word) = words.next()
                    && word.eq_ignore_ascii_case("TextureFile")
                    && let Some((_, name)) = line.split_once(word)
                {
                    header.texture_files.push(name.trim().to_owned());
                }
            }
            Some("element") => {
                let (name, count) = (lower(words.next()), words.next());
                let count = count.and_then(whole);
                let (Some(name), Some(count)) = (name, count) else {
                    return Err(problem("an element needs a name and a number of rows"));
                };
                if header.elements.iter().any(|known| known.name == name) {
                    return Err(problem("an element of this name was announced before"));
                }
                header.elements.push(Element { name, count, properties: Vec::new() });
            }
            Some("property") => {
                properties += 1;
                if properties > PROPERTIES_MAX {
                    return Err(problem("there are too many properties"));
                }
                let element = header
                    .elements
                    .last_mut()
                    .ok_or_else(|| problem("a property comes before any element"))?;
                let property = property(words).map_err(|text| problem(&text))?;
                element.properties.push(property);
            }
            Some("end_header") => break,
            _ => {} // the magic word, obj_info, empty lines
        }
    }
    if !has_format {
        return Err((1, "the header names no format".to_owned()));
    }
    header.body_start = at;
    Ok(header)
}

/// A count, which some programs write as `24.0`.
fn whole(text: &str) -> Option<u64> {
    let whole = text.parse::<f64>().ok().filter(|n| *n >= 0.0 && n.fract() == 0.0 && *n < 1e15);
    text.parse().ok().or(whole.map(|n| n as u64))
}

fn property<'w>(mut words: impl Iterator<Item = &'w str>) -> Result<Property, String> {
    let mut word = || words.next().ok_or("a property needs a type and a name".to_owned());
    let first = word()?;
    let (list_count, kind) = if first.eq_ignore_ascii_case("list") {
        (Some(Scalar::of(word()?)?), word()?)
    } else {
        (None, first)
    };
    Ok(Property { kind: Scalar::of(kind)?, name: word()?.to_ascii_lowercase(), list_count })
}
