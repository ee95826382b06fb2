//! `.spz` versions 1 to 4 (Niantic) → planes. Our axes: x right, y up, z towards the viewer.
//!
//! Versions 1 to 3 are one gzip stream: a header of 16 bytes, then an array for each property.
//! Version 4 has a plain header of 32 bytes, extension records, a table of contents and one
//! Zstandard stream for each array.

use super::bytes::{check_count, exp, plane, planes, slice, u16_at, u32_at, unpack, with_largest};
use super::found::Found;
use super::{Format, ReadError};
use crate::harmonics::coefficients;
use crate::splats::SplatParts;
use flate2::read::MultiGzDecoder;
use glam::{DMat3, DVec3};
use std::f32::consts::FRAC_1_SQRT_2;

const NAME: &str = "SPZ";
pub(crate) const MAGIC: &[u8; 4] = b"NGSP";
const HEADER: usize = 16;

/// A channel's coefficients after the first, by header degree. Degree 4 is read up to degree 3.
const REST: [usize; 5] = [0, 3, 8, 15, 24];

pub(crate) const FLAG_ANTIALIASED: u8 = 1;
const FLAG_EXTENSIONS: u8 = 2;

/// All the bits of a coordinate. With more, every splat would be at one point.
const FRACTIONAL_BITS_MAX: u8 = 24;

/// Most bytes of extension records, which have a few dozen.
const EXTENSIONS_BYTES_MAX: usize = 1 << 16;

struct Header {
    version: u32,
    count: usize,
    degree: usize,
    fractional_bits: u8,
    flags: u8,
}

impl Header {
    fn parse(bytes: &[u8], file_bytes: usize) -> Result<Self, ReadError> {
        let bytes = slice(bytes, NAME, "the header's fields", 0, HEADER as u64)?;
        let version = u32_at(bytes, 4);
        if !bytes.starts_with(MAGIC) || !(1..=4).contains(&version) {
            let what = format!("SPZ version {version}");
            return Err(ReadError::unsupported(what, "export it as version 1 to 4"));
        }
        let degree = usize::from(bytes[12]);
        if degree >= REST.len() {
            return Err(ReadError::malformed(
                NAME,
                format!("spherical harmonics of degree {degree}; 0 to 4 are possible"),
            ));
        }
        if version > 1 && bytes[13] > FRACTIONAL_BITS_MAX {
            return Err(ReadError::malformed(
                NAME,
                format!("positions with {} fractional bits; 0 to 24 are possible", bytes[13]),
            ));
        }
        Ok(Self {
            version,
            count: check_count(u32_at(bytes, 8).into(), file_bytes)?,
            degree,
            fractional_bits: bytes[13],
            flags: bytes[14],
        })
    }

    /// Names and bytes of the arrays.
    fn arrays(&self) -> [(&'static str, usize); 6] {
        let n = self.count;
        [
            ("positions", n * if self.version == 1 { 6 } else { 9 }),
            ("opacities", n),
            ("colours", n * 3),
            ("scales", n * 3),
            ("rotations", n * if self.version >= 3 { 4 } else { 3 }),
            ("harmonics", n * 3 * REST[self.degree]),
        ]
    }
}

/// A file that is gzip outside and SPZ inside.
pub(super) fn is_packed(bytes: &[u8]) -> bool {
    let mut start = [0; 4];
    bytes.starts_with(b"\x1f\x8b")
        && std::io::Read::read_exact(&mut MultiGzDecoder::new(bytes), &mut start).is_ok()
        && start == *MAGIC
}

pub(super) fn read(bytes: &[u8]) -> Result<Found, ReadError> {
    if bytes.starts_with(MAGIC) {
        return match slice(bytes, NAME, "the header's fields", 4, 4)? {
            [4, 0, 0, 0] => read_streams(bytes),
            _ => read_arrays(bytes, bytes.len()), // unpacked already, as inside some tools
        };
    }
    // The header first: it says how much there is to unpack.
    let mut start = Vec::new();
    let mut reader = std::io::Read::take(MultiGzDecoder::new(bytes), HEADER as u64);
    std::io::Read::read_to_end(&mut reader, &mut start).map_err(|reason| {
        ReadError::malformed(NAME, format!("its gzip stream is broken ({reason})"))
    })?;
    let header = Header::parse(&start, bytes.len())?;
    let len = HEADER + header.arrays().iter().map(|(_, len)| len).sum::<usize>();
    let more = if header.flags & FLAG_EXTENSIONS != 0 { EXTENSIONS_BYTES_MAX } else { 0 };
    let plain = unpack(MultiGzDecoder::new(bytes), NAME, "the arrays", len, more)?;
    read_arrays(&plain, bytes.len())
}

fn read_arrays(bytes: &[u8], file_bytes: usize) -> Result<Found, ReadError> {
    let header = Header::parse(bytes, file_bytes)?;
    if header.version == 4 {
        return Err(ReadError::malformed(NAME, "version 4 inside a gzip stream"));
    }
    let mut at = HEADER as u64;
    let mut arrays = Vec::new();
    for (what, len) in header.arrays() {
        arrays.push(slice(bytes, NAME, what, at, len as u64)?);
        at += len as u64;
    }
    let mut found = decode(&header, arrays[..].try_into().expect("six arrays"));
    if header.flags & FLAG_EXTENSIONS != 0 {
        found.extended(&bytes[at as usize..])?;
    }
    Ok(found)
}

fn read_streams(bytes: &[u8]) -> Result<Found, ReadError> {
    let header = Header::parse(bytes, bytes.len())?;
    let fixed = slice(bytes, NAME, "the header's fields", 0, 32)?;
    let (num_streams, toc) = (usize::from(fixed[15]), u64::from(u32_at(fixed, 16)));
    let arrays = header.arrays();
    let used = if header.degree == 0 { 5 } else { 6 };
    if num_streams < used || num_streams > arrays.len() {
        return Err(ReadError::malformed(
            NAME,
            format!("{num_streams} streams, where {used} are needed"),
        ));
    }
    let entries = slice(bytes, NAME, "the table's entries", toc, 16 * num_streams as u64)?;
    let mut at = toc + 16 * num_streams as u64;
    let mut unpacked = Vec::new();
    for (k, (what, len)) in arrays.into_iter().enumerate() {
        if k >= num_streams {
            unpacked.push(Vec::new());
            continue;
        }
        let packed =
            u64::from_le_bytes(entries[16 * k..16 * k + 8].try_into().expect("eight bytes"));
        let stream = slice(bytes, NAME, what, at, packed)?;
        at = at.saturating_add(packed);
        if len == 0 {
            unpacked.push(Vec::new());
            continue;
        }
        let reader = ruzstd::StreamingDecoder::new(stream).map_err(|reason| {
            ReadError::malformed(NAME, format!("{what} cannot be unpacked ({reason})"))
        })?;
        unpacked.push(unpack(reader, NAME, what, len, 0)?);
    }
    let arrays: Vec<&[u8]> = unpacked.iter().map(Vec::as_slice).collect();
    let mut found = decode(&header, arrays[..].try_into().expect("six arrays"));
    if header.flags & FLAG_EXTENSIONS != 0 {
        let len = toc.saturating_sub(32).min(EXTENSIONS_BYTES_MAX as u64);
        found.extended(slice(bytes, NAME, "the extensions' bytes", 32, len)?)?;
    }
    Ok(found)
}

impl Found {
    /// Reads extension records: type, length, bytes. SPZ_ADOBE_coordinate_system turns the axes,
    /// SPZ_ADOBE_safe_orbit_camera is for viewers that move.
    fn extended(&mut self, records: &[u8]) -> Result<(), ReadError> {
        const COORDINATE_SYSTEM: u32 = 0xADBE_0003;
        const SAFE_ORBIT_CAMERA: u32 = 0xADBE_0002;
        let mut at = 0;
        while at + 8 <= records.len() {
            let (kind, len) = (u32_at(records, at), u32_at(records, at + 4) as usize);
            at = (at + 8).saturating_add(len);
            match kind {
                _ if at > records.len() => {}
                COORDINATE_SYSTEM if len == 4 => self.turn = axes(u32_at(records, at - 4))?,
                SAFE_ORBIT_CAMERA => {}
                _ => self.ignored.push(format!("extension {kind:#010x}")),
            }
        }
        Ok(())
    }
}

/// The library's numbers: 1 is left, down, back along x, y, z; then the bits of the number less one
/// say right, up, front. From 9 on, y is front or back (by the third bit) and z is down or up.
fn axes(number: u32) -> Result<DMat3, ReadError> {
    let bits = match number {
        0 => return Ok(DMat3::IDENTITY), // not specified
        1..=16 => number - 1,
        _ => {
            return Err(ReadError::malformed(
                NAME,
                format!("axes number {number}; 0 to 16 are known"),
            ));
        }
    };
    let sign = |bit: u32| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let (right, up, third) = (DVec3::X * sign(0), sign(1), sign(2));
    // Rows: what becomes our x (right), y (up) and z (back).
    let rows = if bits < 8 {
        [right, DVec3::Y * up, DVec3::Z * -third]
    } else {
        [right, DVec3::Z * up, DVec3::Y * third]
    };
    Ok(DMat3::from_cols(rows[0], rows[1], rows[2]).transpose())
}

fn decode(
    header: &Header,
    [positions, opacities, colors, scales, rotations, harmonics]: [&[u8]; 6],
) -> Found {
    let count = header.count;
    let byte = |array: &[u8], at: usize| f32::from(array[at]);
    let unit = libm::exp2(-f64::from(header.fractional_bits));
    let quaternion = |i: usize| match header.version {
        1 | 2 => {
            let [x, y, z] = [0, 1, 2].map(|k| byte(rotations, 3 * i + k) / 127.5 - 1.0);
            [(1.0 - x * x - y * y - z * z).max(0.0).sqrt(), x, y, z]
        }
        _ => {
            let packed = u32_at(rotations, 4 * i);
            let other = |shift: u32| {
                let size = (packed >> shift & 511) as f32 / 511.0 * FRAC_1_SQRT_2;
                if packed >> shift & 512 == 0 { size } else { -size }
            };
            let [x, y, z, w] =
                with_largest((packed >> 30) as usize, [other(20), other(10), other(0)]);
            [w, x, y, z]
        }
    };
    let (stored, kept) = (REST[header.degree], coefficients(header.degree.min(3)) - 1);
    let base = planes::<3>(count, |i, c| (byte(colors, 3 * i + c) / 255.0 - 0.5) / 0.15);
    let rest = (0..3 * kept)
        .map(|k| plane(count, move |i| (f32::from(harmonics[3 * stored * i + k]) - 128.0) / 128.0));
    let parts = SplatParts {
        position: planes(count, |i, axis| match header.version {
            1 => half(u16_at(positions, 6 * i + 2 * axis)),
            _ => {
                let at = 9 * i + 3 * axis;
                let bytes = [0, positions[at], positions[at + 1], positions[at + 2]];
                (f64::from(i32::from_le_bytes(bytes) >> 8) * unit) as f32
            }
        }),
        opacity: plane(count, |i| byte(opacities, i) / 255.0),
        scale: planes(count, |i, axis| exp(f64::from(byte(scales, 3 * i + axis)) / 16.0 - 10.0)),
        rotation: planes(count, |i, axis| quaternion(i)[axis]),
        harmonics: base.into_iter().chain(rest).collect(),
        ..SplatParts::default()
    };
    let mut found = Found::new(Format::Spz(header.version as u8), parts);
    found.has_degree_4 = header.degree == 4;
    found.antialiased = Some(header.flags & FLAG_ANTIALIASED != 0);
    found
}

/// IEEE 754 half precision.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (u32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let size = match exponent {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * f32::from_bits((exponent + 112) << 23),
    };
    if bits >> 15 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::{DVec3, axes};

    #[test]
    fn axes_are_the_letters_of_their_number() {
        let file = |name: &str| match name {
            "L" => DVec3::NEG_X,
            "R" => DVec3::X,
            "D" => DVec3::NEG_Y,
            "U" => DVec3::Y,
            "F" => DVec3::NEG_Z,
            _ => DVec3::Z,
        };
        let names = "LDB RDB LUB RUB LDF RDF LUF RUF LFD RFD LFU RFU LBD RBD LBU RBU";
        for (number, name) in (1..).zip(names.split(' ')) {
            let turn = axes(number).expect("a known number");
            for (k, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                assert_eq!(turn * axis, file(&name[k..=k]), "{name} {k}");
            }
        }
        assert!(axes(17).is_err());
    }

    #[test]
    fn halves_are_what_the_standard_says() {
        let known = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
        ];
        for (bits, value) in known {
            assert_eq!(super::half(bits), value);
        }
        assert!(super::half(0x7c00).is_infinite() && super::half(0x7c01).is_nan());
    }
}
