//! Planes → `.spz` version 3: one gzip stream of a header and an array for each property.

use super::{Loss, WriteError};
use crate::read::{SPZ_FLAG_ANTIALIASED, SPZ_MAGIC};
use crate::splats::Splats;
use flate2::{Compression, write::GzEncoder};
use std::f32::consts::FRAC_1_SQRT_2;
use std::io::Write as _;

/// Fractional position bits in other programs' files; small assets get more, large ones fewer.
const FRACTIONAL_BITS: i32 = 12;

/// Positions have 24 bits with their sign.
const POSITION_MAX: f64 = 8_388_607.0;

/// The library shifts a 32-bit number by this many bits.
const FRACTIONAL_BITS_MAX: i32 = 24;

pub(super) fn write(
    splats: &Splats,
    antialiased: bool,
    losses: &mut Vec<Loss>,
) -> Result<Vec<u8>, WriteError> {
    let parts = splats.planes();
    let count = splats.len();
    let reach = (0..count)
        .map(|i| (splats.origin() + splats.position(i)).abs().max_element())
        .fold(f64::MIN_POSITIVE, f64::max);
    let bits = fractional_bits(reach).ok_or(WriteError::TooFar { found: reach })?;
    let steps_per_unit = libm::exp2(f64::from(bits));
    let mut out = SPZ_MAGIC.to_vec();
    out.extend(3_u32.to_le_bytes());
    out.extend((count as u32).to_le_bytes());
    let flags = if antialiased { SPZ_FLAG_ANTIALIASED } else { 0 };
    out.extend([splats.degree() as u8, bits as u8, flags, 0]);
    for i in 0..count {
        for value in (splats.origin() + splats.position(i)).to_array() {
            let step = (value * steps_per_unit).round() as i32;
            out.extend(&step.to_le_bytes()[..3]);
        }
    }
    losses.push(Loss::Rounded { position_step: 1.0 / steps_per_unit });
    out.extend(parts.opacity.iter().map(|&value| (value * 255.0).round() as u8));
    let (base, rest) = parts.harmonics.split_at(3);
    let color = |value: f32| (value * 0.15 + 0.5) * 255.0;
    clipped(&mut out, base, count, losses, ("colours", "-0.44 to 1.44"), color);
    let scale = |value: f32| ((libm::log(value.into()) + 10.0) * 16.0) as f32;
    clipped(&mut out, &parts.scale, count, losses, ("scales", "4.5e-5 to 379 units"), scale);
    for i in 0..count {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| parts.rotation[k][i]);
        out.extend(rotation([x, y, z, w]).to_le_bytes());
    }
    let harmonic = |value: f32| value * 128.0 + 128.0;
    clipped(&mut out, rest, count, losses, ("harmonics", "-1 to 0.99"), harmonic);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(&out).and_then(|()| encoder.finish());
    packed.map_err(|e| WriteError::Compression { reason: e.to_string() })
}

/// Enough for at least 4096 steps to the farthest splat; `None` if not even whole units fit.
fn fractional_bits(reach: f64) -> Option<i32> {
    let finest = libm::floor(libm::log2(POSITION_MAX / reach)) as i32;
    let wanted = FRACTIONAL_BITS - (libm::ceil(libm::log2(reach)) as i32).min(0);
    let bits = finest.min(wanted).min(FRACTIONAL_BITS_MAX);
    (bits >= 0).then_some(bits)
}

/// Appends a byte for each number, the planes' numbers of a splat next to each other, and notes
/// those that do not fit.
fn clipped(
    out: &mut Vec<u8>,
    planes: &[Vec<f32>],
    count: usize,
    losses: &mut Vec<Loss>,
    (what, range): (&'static str, &'static str),
    step: impl Fn(f32) -> f32,
) {
    let mut num_clipped = 0;
    for i in 0..count {
        for plane in planes {
            let step = step(plane[i]).round();
            num_clipped += usize::from(!(0.0..=255.0).contains(&step));
            out.push(step.clamp(0.0, 255.0) as u8);
        }
    }
    if num_clipped > 0 {
        losses.push(Loss::Clipped { what, count: num_clipped, range });
    }
}

/// x, y, z, w → two bits for the index of the largest, then sign and nine bits for each of the
/// others. `q` and −`q` are one rotation.
fn rotation(q: [f32; 4]) -> u32 {
    let largest =
        (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).expect("there are four");
    let sign = q[largest].signum();
    let others = (0..4).filter(|&k| k != largest);
    others.fold(largest as u32, |packed, k| {
        let value = q[k] * sign;
        let size = (value.abs() / FRAC_1_SQRT_2 * 511.0).round().min(511.0) as u32;
        packed << 10 | u32::from(value < 0.0) << 9 | size
    })
}
