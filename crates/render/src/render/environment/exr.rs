//! OpenEXR → linear pixels: one part's scan lines, uncompressed, RLE or zip, half or float.
//!
//! By "OpenEXR File Layout", version 2. Refuses other compressions, tiles and multipart by name.

use flate2::read::ZlibDecoder;
use glam::Vec3;
use std::io::Read as _;

/// Larger panoramas are refused before they are decoded: 8192 × 4096.
pub(super) const PIXELS_MAX: u64 = 1 << 25;

const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];

/// Flags of the version: tiles, deep data, several parts.
const UNREAD_FLAGS: u32 = 0x200 | 0x800 | 0x1000;

/// More channels in one file are refused.
const CHANNELS_MAX: usize = 64;

/// Longer rows, over all channels, are refused: a block of 16 of them is unpacked at a time.
const ROW_BYTES_MAX: usize = 1 << 24;

pub(super) fn is_exr(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Bytes from a place on; every read is checked.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("4 bytes")))
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or("it is cut off")?;
        let text = self.take(end)?;
        self.take(1)?;
        std::str::from_utf8(text).map_err(|_| "a name is not text".to_owned())
    }
}

/// One channel, in the order of the file.
struct Channel {
    /// 0, 1 or 2 for red, green and blue; all of them for grey.
    goes_to: Vec<usize>,
    is_half: bool,
}

struct Header {
    width: usize,
    height: usize,
    first_row: i32,
    channels: Vec<Channel>,
    compression: u8,
}

/// Width, height, pixels from the upper left.
pub(super) fn decode(bytes: &[u8]) -> Result<(usize, usize, Vec<Vec3>), String> {
    let mut reader = Reader(bytes);
    reader.take(4)?;
    let version = reader.u32()?;
    if version & 0xff != 2 || version & UNREAD_FLAGS != 0 {
        return Err(
            "an EXR of tiles, several parts or deep data; save it as scan lines of one part"
                .to_owned(),
        );
    }
    let header = header(&mut reader)?;
    let rows_at_once = match header.compression {
        0..=2 => 1,
        3 => 16,
        other => {
            let names = ["", "", "", "", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB"];
            let name = names.get(usize::from(other)).unwrap_or(&"an unknown one");
            return Err(format!(
                "the EXR compression {name} is not read; save it with zip compression or none"
            ));
        }
    };
    let (width, height) = (header.width, header.height);
    let num_blocks = height.div_ceil(rows_at_once);
    reader.take(num_blocks.checked_mul(8).ok_or("too many rows")?)?;
    let bytes_in_row: usize =
        header.channels.iter().map(|channel| width * if channel.is_half { 2 } else { 4 }).sum();
    if bytes_in_row > ROW_BYTES_MAX {
        return Err(format!("a row of all its channels has {bytes_in_row} bytes"));
    }
    let mut pixels = vec![Vec3::ZERO; width * height];
    for _ in 0..num_blocks {
        let row = reader.u32()? as i32;
        let size = reader.u32()? as usize;
        let data = reader.take(size)?;
        let row = i64::from(row) - i64::from(header.first_row);
        let first = usize::try_from(row).ok().filter(|&row| row < height);
        let first = first.ok_or("a row is outside the picture")?;
        let num_rows = rows_at_once.min(height - first);
        let raw = unpacked(header.compression, data, num_rows * bytes_in_row)?;
        for (y, row) in (first..).zip(raw.chunks_exact(bytes_in_row)) {
            read_row(&header, row, &mut pixels[y * width..][..width]);
        }
    }
    Ok((width, height, pixels))
}

fn header(reader: &mut Reader<'_>) -> Result<Header, String> {
    let (mut channels, mut compression, mut window) = (None, None, None);
    loop {
        let name = reader.text()?;
        if name.is_empty() {
            break;
        }
        let _kind = reader.text()?;
        let size = reader.u32()? as usize;
        let mut value = Reader(reader.take(size)?);
        match name {
            "channels" => channels = Some(channel_list(&mut value)?),
            "compression" => compression = value.0.first().copied(),
            "dataWindow" => {
                let mut corner = || value.u32().map(|bits| i64::from(bits as i32));
                window = Some([corner()?, corner()?, corner()?, corner()?]);
            }
            _ => {}
        }
    }
    let [left, top, right, bottom] = window.ok_or("it has no data window")?;
    let (width, height) = (right - left + 1, bottom - top + 1);
    if width < 1 || height < 1 || (width as u64).saturating_mul(height as u64) > PIXELS_MAX {
        return Err(format!("it is {width}×{height} px"));
    }
    Ok(Header {
        width: width as usize,
        height: height as usize,
        first_row: top as i32,
        channels: channels.ok_or("it has no channels")?,
        compression: compression.ok_or("it names no compression")?,
    })
}

fn channel_list(reader: &mut Reader<'_>) -> Result<Vec<Channel>, String> {
    let mut channels = Vec::new();
    loop {
        let name = reader.text()?;
        if name.is_empty() {
            break;
        }
        let kind = reader.u32()?;
        reader.take(4)?;
        if reader.u32()? != 1 || reader.u32()? != 1 {
            return Err("a channel has fewer pixels than the picture".to_owned());
        }
        if channels.len() == CHANNELS_MAX {
            return Err(format!("it has more than {CHANNELS_MAX} channels"));
        }
        channels.push(Channel {
            goes_to: match name {
                "R" => vec![0],
                "G" => vec![1],
                "B" => vec![2],
                "Y" => vec![0, 1, 2],
                _ => Vec::new(),
            },
            is_half: match kind {
                1 => true,
                0 | 2 => false,
                _ => return Err("a channel has numbers of an unknown type".to_owned()),
            },
        });
    }
    let is_shown = |k: usize| channels.iter().any(|c| c.goes_to.contains(&k));
    if (0..3).all(is_shown) {
        Ok(channels)
    } else {
        Err("it has no channels R, G and B".to_owned())
    }
}

/// The bytes of some rows; `expected` of them, or it is no file that can be read.
fn unpacked(compression: u8, data: &[u8], expected: usize) -> Result<Vec<u8>, String> {
    // What would not become smaller is stored as it is.
    if compression == 0 || data.len() == expected {
        return (data.len() == expected)
            .then(|| data.to_vec())
            .ok_or_else(|| "a row is cut off".to_owned());
    }
    let mut raw = Vec::new();
    if compression == 1 {
        let mut reader = Reader(data);
        while !reader.0.is_empty() {
            let count = reader.take(1)?[0] as i8;
            if count < 0 {
                raw.extend(reader.take(usize::from(count.unsigned_abs()))?);
            } else {
                let byte = reader.take(1)?[0];
                raw.resize(raw.len() + usize::from(count as u8) + 1, byte);
            }
            if raw.len() > expected {
                break;
            }
        }
    } else {
        ZlibDecoder::new(data)
            .take(expected as u64 + 1)
            .read_to_end(&mut raw)
            .map_err(|e| e.to_string())?;
    }
    if raw.len() != expected {
        return Err("a row has the wrong number of bytes".to_owned());
    }
    // Differences, then the two halves of the bytes in turn.
    for k in 1..raw.len() {
        raw[k] = raw[k - 1].wrapping_add(raw[k]).wrapping_sub(128);
    }
    let (even, odd) = raw.split_at(raw.len().div_ceil(2));
    let byte = |k: usize| {
        if k.is_multiple_of(2) { even[k / 2] } else { odd[k / 2] }
    };
    Ok((0..raw.len()).map(byte).collect())
}

fn read_row(header: &Header, row: &[u8], out: &mut [Vec3]) {
    let mut rest = row;
    for channel in &header.channels {
        let bytes = out.len() * if channel.is_half { 2 } else { 4 };
        let (mine, after) = rest.split_at(bytes);
        rest = after;
        for (x, pixel) in out.iter_mut().enumerate() {
            let value = if channel.is_half {
                from_half(u16::from_le_bytes([mine[2 * x], mine[2 * x + 1]]))
            } else {
                let four = std::array::from_fn(|k| mine[4 * x + k]);
                f32::from_le_bytes(four)
            };
            for &k in &channel.goes_to {
                pixel[k] = value;
            }
        }
    }
}

/// IEEE 754 half precision.
fn from_half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (bits >> 10 & 31, f32::from(bits & 1023) / 1024.0);
    let two_to = |power: i32| f32::from_bits(((power + 127) << 23) as u32);
    sign * match exponent {
        0 => fraction * two_to(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * two_to(i32::from(exponent) - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of 4 × 2 pixels, red 1.5, green 0.25 times the column, blue 8 times the row, with an
    /// alpha channel that nobody reads.
    fn file(compression: u8, is_half: bool) -> Vec<u8> {
        let value = |channel: usize, x: usize, y: usize| match channel {
            0 => 0.5,
            1 => 8.0 * y as f32,
            2 => 0.25 * x as f32,
            _ => 1.5,
        };
        // Exact for these numbers, which are 0 or have few binary digits.
        let half = |value: f32| match value.to_bits() {
            0 => 0_u16,
            bits => (((bits >> 23) - 112) << 10 | bits >> 13 & 1023) as u16,
        };
        let mut out = [&MAGIC[..], &[2, 0, 0, 0]].concat();
        let mut attribute = |name: &str, kind: &str, value: &[u8]| {
            out.extend([name.as_bytes(), &[0], kind.as_bytes(), &[0]].concat());
            out.extend((value.len() as u32).to_le_bytes());
            out.extend(value);
        };
        let mut list = Vec::new();
        for name in ["A", "B", "G", "R"] {
            list.extend([name.as_bytes(), &[0]].concat());
            for number in [if is_half { 1_u32 } else { 2 }, 0, 1, 1] {
                list.extend(number.to_le_bytes());
            }
        }
        list.push(0);
        attribute("channels", "chlist", &list);
        attribute("compression", "compression", &[compression]);
        // The picture has another place in its window.
        let window: Vec<u8> = [10_i32, -5, 13, -4].map(i32::to_le_bytes).concat();
        attribute("dataWindow", "box2i", &window);
        out.push(0);
        let row = |y: usize| -> Vec<u8> {
            let numbers = (0..16).map(|k| value(k / 4, k % 4, y));
            if is_half {
                numbers.flat_map(|v| half(v).to_le_bytes()).collect()
            } else {
                numbers.flat_map(f32::to_le_bytes).collect()
            }
        };
        let blocks = match compression {
            3 => vec![[row(0), row(1)].concat()],
            _ => vec![row(0), row(1)],
        };
        out.extend(vec![0; blocks.len() * 8]);
        for (k, block) in blocks.iter().enumerate() {
            let packed = packed(compression, block);
            out.extend((k as i32 - 5).to_le_bytes());
            out.extend((packed.len() as u32).to_le_bytes());
            out.extend(packed);
        }
        out
    }

    fn packed(compression: u8, raw: &[u8]) -> Vec<u8> {
        use std::io::Write as _;
        let (even, odd): (Vec<_>, Vec<_>) = raw.iter().enumerate().partition(|(k, _)| k % 2 == 0);
        let mut bytes: Vec<u8> = even.iter().chain(&odd).map(|(_, byte)| **byte).collect();
        for k in (1..bytes.len()).rev() {
            bytes[k] = bytes[k].wrapping_sub(bytes[k - 1]).wrapping_add(128);
        }
        match compression {
            0 => raw.to_vec(),
            // One run of literals after the other.
            1 => (bytes.chunks(100))
                .flat_map(|part| [&[(part.len() as i8).wrapping_neg() as u8], part].concat())
                .collect(),
            _ => {
                let mut zip =
                    flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
                zip.write_all(&bytes).unwrap();
                zip.finish().unwrap()
            }
        }
    }

    #[test]
    fn every_compression_that_is_read_gives_the_same_pixels() {
        for compression in 0..=3 {
            for is_half in [false, true] {
                let (width, height, pixels) = decode(&file(compression, is_half)).unwrap();
                assert_eq!((width, height), (4, 2));
                for (k, pixel) in pixels.iter().enumerate() {
                    let expected = Vec3::new(1.5, 0.25 * (k % 4) as f32, 8.0 * (k / 4) as f32);
                    assert_eq!(*pixel, expected, "{compression} {is_half} {k}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_read_is_named_and_what_is_broken_is_no_panic() {
        let error = decode(&file(4, true)).unwrap_err();
        assert!(error.contains("PIZ"), "{error}");
        for compression in [0, 1, 3] {
            let whole = file(compression, true);
            for end in 0..whole.len() {
                assert!(decode(&whole[..end]).is_err(), "{compression} {end}");
                let mut changed = whole.clone();
                changed[end] ^= 0xff;
                // Whatever comes of it, it is an answer.
                let _ = decode(&changed);
            }
        }
    }

    #[test]
    fn halves_are_read() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65_504.0),
            (0x0001, 5.960_464_5e-8),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
        ] {
            assert_eq!(from_half(bits), value);
        }
        assert!(from_half(0x7e00).is_nan());
    }
}
