//! `.splat` by antimatter15: records of 32 bytes without a header → planes. No harmonics; axes as
//! 3DGS PLY (x right, y down).
//!
//! A record: position 3 × f32, scale 3 × f32 (linear), red, green, blue, opacity as bytes,
//! quaternion w, x, y, z as (byte − 128) / 128.

use super::bytes::{check_count, f32_at, plane, planes};
use super::found::Found;
use super::{Format, ReadError};
use crate::harmonics::C0;
use crate::splats::SplatParts;

const RECORD: usize = 32;

pub(super) fn read(bytes: &[u8]) -> Result<Found, ReadError> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(RECORD) {
        let reason =
            format!("{} bytes are not a whole number of {RECORD}-byte records", bytes.len());
        return Err(ReadError::malformed(".splat", reason));
    }
    let count = check_count((bytes.len() / RECORD) as u64, bytes.len())?;
    let byte = |i: usize, at: usize| f32::from(bytes[i * RECORD + at]);
    let parts = SplatParts {
        position: planes(count, |i, axis| f32_at(bytes, i * RECORD + 4 * axis)),
        scale: planes(count, |i, axis| f32_at(bytes, i * RECORD + 12 + 4 * axis)),
        opacity: plane(count, |i| byte(i, 27) / 255.0),
        rotation: planes(count, |i, axis| (byte(i, 28 + axis) - 128.0) / 128.0),
        harmonics: planes::<3>(count, |i, c| (byte(i, 24 + c) / 255.0 - 0.5) / C0).into(),
        ..SplatParts::default()
    };
    Ok(Found::new(Format::Splat, parts))
}
