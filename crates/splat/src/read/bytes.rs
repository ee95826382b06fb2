//! Checked access to the bytes of a file, and the limits of what a file may expand to.

use super::ReadError;
use crate::splats::SPLATS_MAX;
use std::io::Read;

/// Splats that a small file may have; beyond it, one for each byte. Real encodings need at least
/// four bytes for a splat.
const SPLATS_BASE: u64 = 1 << 16;

/// Checks a count from a header against the file's own size.
pub(super) fn check_count(count: u64, file_bytes: usize) -> Result<usize, ReadError> {
    let max = SPLATS_BASE.saturating_add(file_bytes as u64).min(SPLATS_MAX as u64);
    if count > max {
        return Err(ReadError::TooMany {
            what: "splats in a file of this size",
            found: count,
            max,
        });
    }
    Ok(count as usize)
}

/// `len` bytes from `start`, if they are there.
pub(super) fn slice<'a>(
    bytes: &'a [u8],
    format: &'static str,
    what: &str,
    start: u64,
    len: u64,
) -> Result<&'a [u8], ReadError> {
    let found = (bytes.len() as u64).saturating_sub(start);
    if found < len {
        return Err(ReadError::Truncated { format, what: what.to_owned(), needed: len, found });
    }
    Ok(&bytes[start as usize..(start + len) as usize])
}

/// A whole stream that must unpack to `len` bytes, and at most `more` behind them; `len` is already
/// checked against the file.
pub(super) fn unpack(
    reader: impl Read,
    format: &'static str,
    what: &str,
    len: usize,
    more: usize,
) -> Result<Vec<u8>, ReadError> {
    let (mut out, max) = (Vec::new(), len + more);
    let broken = |reason: String| ReadError::malformed(format, format!("{what} {reason}"));
    let read = reader.take(max as u64 + 1).read_to_end(&mut out);
    read.map_err(|reason| broken(format!("cannot be unpacked ({reason})")))?;
    if out.len() > max {
        return Err(broken(format!("unpack to more than the {max} bytes that the header implies")));
    }
    slice(&out, format, what, 0, len as u64)?;
    Ok(out)
}

/// The number of every splat.
pub(super) fn plane(count: usize, value: impl Fn(usize) -> f32 + Sync + Send) -> Vec<f32> {
    parallel::of(count, value)
}

/// Three or four planes.
pub(super) fn planes<const N: usize>(
    count: usize,
    value: impl Fn(usize, usize) -> f32 + Sync + Send,
) -> [Vec<f32>; N] {
    std::array::from_fn(|axis| plane(count, |i| value(i, axis)))
}

/// e^x, where a file has logarithms.
pub(super) fn exp(x: f64) -> f32 {
    libm::exp(x) as f32
}

/// The three smallest components of a quaternion of length 1 → all four, in their own order.
pub(super) fn with_largest(largest: usize, others: [f32; 3]) -> [f32; 4] {
    let mut out = [0.0; 4];
    let mut others_left = others.iter();
    for (k, value) in out.iter_mut().enumerate() {
        *value = if k == largest {
            (1.0 - others.iter().map(|v| v * v).sum::<f32>()).max(0.0).sqrt()
        } else {
            *others_left.next().expect("three of four are not the largest")
        };
    }
    out
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(super) fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}
