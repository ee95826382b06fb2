//! Compressed `.ply` of PlayCanvas and SuperSplat → planes. 256 splats share the ranges of an
//! element `chunk`. Axes as 3DGS PLY.

use super::bytes::{check_count, exp, plane, planes, with_largest};
use super::found::Found;
use super::ply_table::{Table, tables};
use super::{Format, ReadError};
use crate::harmonics::C0;
use crate::ply_header::Header;
use crate::splats::SplatParts;
use std::f32::consts::SQRT_2;

const CHUNK: usize = 256;

const ELEMENTS: [&str; 3] = ["chunk", "vertex", "sh"];

/// Properties that are read; with a `*`, any ending.
const READ: [&str; 4] = ["min_*", "max_*", "packed_*", "f_rest_*"];

pub(super) fn read(bytes: &[u8], header: &Header) -> Result<Found, ReadError> {
    let [chunks, vertices, sh] = tables(header, bytes, ELEMENTS)?;
    let missing =
        |name: &str| ReadError::malformed("compressed PLY", format!("it has no element {name:?}"));
    let (chunks, table) =
        (chunks.ok_or_else(|| missing("chunk"))?, vertices.ok_or_else(|| missing("vertex"))?);
    let count = check_count(table.count as u64, bytes.len())?;
    if chunks.count != count.div_ceil(CHUNK) {
        let reason = format!(
            "{} chunks for {count} splats, where {} are needed",
            chunks.count,
            count.div_ceil(CHUNK)
        );
        return Err(ReadError::malformed("compressed PLY", reason));
    }
    let position = table.need("packed_position")?;
    let scale = table.need("packed_scale")?;
    let rotation = table.need("packed_rotation")?;
    let color = table.need("packed_color")?;
    let positions = ranges(&chunks, ["x", "y", "z"])?;
    let scales = ranges(&chunks, ["scale_x", "scale_y", "scale_z"])?;
    let colors = if header.has("chunk", "min_r") {
        ranges(&chunks, ["r", "g", "b"])?
    } else {
        std::array::from_fn(|_| vec![[0.0, 1.0]; chunks.count])
    };
    let within = |ranges: &[Vec<[f32; 2]>; 3], i: usize, axis: usize, unit: f32| {
        let [low, high] = ranges[axis][i / CHUNK];
        low + (high - low) * unit
    };
    let parts = SplatParts {
        position: planes(count, |i, axis| {
            within(&positions, i, axis, third(position.get(i) as u32, axis))
        }),
        scale: planes(count, |i, axis| {
            exp(within(&scales, i, axis, third(scale.get(i) as u32, axis)).into())
        }),
        rotation: planes(count, |i, axis| quaternion(rotation.get(i) as u32)[axis]),
        opacity: plane(count, |i| byte(color.get(i) as u32, 3)),
        harmonics: {
            let base = planes::<3>(count, |i, c| {
                (within(&colors, i, c, byte(color.get(i) as u32, c)) - 0.5) / C0
            });
            let mut harmonics: Vec<Vec<f32>> = base.into();
            harmonics.extend(rest(sh.as_ref(), count)?);
            harmonics
        },
        ..SplatParts::default()
    };
    let mut found = Found::new(Format::PackedPly, parts);
    found.ignored = header.unread(&ELEMENTS, &READ);
    found.has_degree_4 = header.has("sh", "f_rest_71");
    Ok(found)
}

/// Smallest and largest value of each chunk, for three quantities.
fn ranges(chunks: &Table<'_>, names: [&str; 3]) -> Result<[Vec<[f32; 2]>; 3], ReadError> {
    let mut out = [const { Vec::new() }; 3];
    for (name, range) in names.iter().zip(&mut out) {
        let low = chunks.need(&format!("min_{name}"))?;
        let high = chunks.need(&format!("max_{name}"))?;
        *range = (0..chunks.count).map(|k| [low.get(k) as f32, high.get(k) as f32]).collect();
    }
    Ok(out)
}

/// 11, 10 and 11 bits from the top, as 0 to 1.
fn third(packed: u32, axis: usize) -> f32 {
    match axis {
        0 => (packed >> 21) as f32 / 2047.0,
        1 => (packed >> 11 & 1023) as f32 / 1023.0,
        _ => (packed & 2047) as f32 / 2047.0,
    }
}

/// Byte 0 is the top one; as 0 to 1.
fn byte(packed: u32, k: usize) -> f32 {
    f32::from(packed.to_be_bytes()[k]) / 255.0
}

/// Two bits name the largest of w, x, y, z; the others follow in 10 bits each.
fn quaternion(packed: u32) -> [f32; 4] {
    let other = |shift: u32| ((packed >> shift & 1023) as f32 / 1023.0 - 0.5) * SQRT_2;
    with_largest((packed >> 30) as usize, [other(20), other(10), other(0)])
}

/// The planes of the higher harmonics, from bytes; the ends of a byte's range are exact.
fn rest(sh: Option<&Table<'_>>, count: usize) -> Result<Vec<Vec<f32>>, ReadError> {
    let Some(sh) = sh.filter(|sh| sh.column("f_rest_0").is_some()) else { return Ok(Vec::new()) };
    if sh.count != count {
        let reason = format!("{} rows of harmonics for {count} splats", sh.count);
        return Err(ReadError::malformed("compressed PLY", reason));
    }
    sh.higher_harmonics(count, |byte| match byte {
        0.0 => -4.0,
        255.0 => 4.0,
        _ => ((byte + 0.5) / 256.0 - 0.5) as f32 * 8.0,
    })
}
