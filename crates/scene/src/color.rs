//! sRGB (IEC 61966-2-1) both ways, by tables, so that every machine gives the same bytes.

use std::sync::LazyLock;
use wide::f32x4;

/// Encoding table entries. 1/16384 is below the darkest sRGB step (1/255 ÷ 12.92 ≈ 5/16384).
pub const ENCODE_STEPS: usize = 16384;

/// The transfer function, encoded 0..1 → linear 0..1.
pub fn linear_from_srgb(encoded: f64) -> f64 {
    if encoded <= 0.04045 { encoded / 12.92 } else { libm::pow((encoded + 0.055) / 1.055, 2.4) }
}

/// The transfer function, linear 0..1 → encoded 0..1.
pub fn srgb_from_linear(linear: f64) -> f64 {
    if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * libm::pow(linear, 1.0 / 2.4) - 0.055
    }
}

/// Linear light for each sRGB byte.
pub static LINEAR_FROM_SRGB8: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| linear_from_srgb(i as f64 / 255.0) as f32));

/// A byte as a share of 255.
pub static LINEAR_FROM_UNORM8: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|i| (i as f64 / 255.0) as f32));

static SRGB8_FROM_LINEAR: LazyLock<Box<[u8]>> = LazyLock::new(|| {
    (0..=ENCODE_STEPS)
        .map(|i| (srgb_from_linear(i as f64 / ENCODE_STEPS as f64) * 255.0 + 0.5) as u8)
        .collect()
});

/// The encoding table itself, for loops that index it often; index with [`encode_index`].
#[inline]
pub fn srgb8_table() -> &'static [u8] {
    &SRGB8_FROM_LINEAR
}

/// The index of `linear` (any value, clamped to 0..1) in [`srgb8_table`].
#[inline(always)]
pub fn encode_index(linear: f32) -> usize {
    let clamped = if linear > 0.0 { linear } else { 0.0 };
    let clamped = if clamped < 1.0 { clamped } else { 1.0 };
    (clamped * ENCODE_STEPS as f32 + 0.5) as i32 as usize
}

/// 0..1 → 0..255, rounded, clamped.
#[inline(always)]
pub fn unorm8(value: f32) -> u8 {
    (value * 255.0 + 0.5) as u8
}

/// [`unorm8`] of four numbers.
#[inline(always)]
pub fn unorm8_each(values: f32x4) -> [u8; 4] {
    let scaled = values * f32x4::splat(255.0) + f32x4::splat(0.5);
    let clamped = scaled.fast_max(f32x4::ZERO).fast_min(f32x4::splat(255.0));
    let [r, g, b, a] = clamped.fast_trunc_int().to_array();
    [r as u8, g as u8, b as u8, a as u8]
}

/// The bytes of [`srgb8_table`] for four linear numbers.
#[inline(always)]
pub fn srgb8_each(table: &[u8], linear: f32x4) -> [u8; 4] {
    let clamped = linear.fast_max(f32x4::ZERO).fast_min(f32x4::ONE);
    let steps = clamped * f32x4::splat(ENCODE_STEPS as f32) + f32x4::splat(0.5);
    let [r, g, b, a] = steps.fast_trunc_int().to_array();
    let byte = |step: i32| table[step as usize];
    [byte(r), byte(g), byte(b), byte(a)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_at_a_time_are_what_one_is() {
        let wild = [f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, -3.0, 7.0];
        let all = (0..=5000).map(|k| k as f32 * 0.0003 - 0.25).chain(wild);
        for value in all {
            let four = f32x4::from([value, 0.25, value, 1.0]);
            let unorm = [value, 0.25, value, 1.0].map(unorm8);
            assert_eq!(unorm8_each(four), unorm, "{value}");
            let srgb = [value, 0.25, value, 1.0].map(|v| srgb8_table()[encode_index(v)]);
            assert_eq!(srgb8_each(srgb8_table(), four), srgb, "{value}");
        }
    }

    #[test]
    fn every_srgb_byte_survives_the_round_trip() {
        for byte in 0..=255_u8 {
            let linear = LINEAR_FROM_SRGB8[byte as usize];
            assert_eq!(srgb8_table()[encode_index(linear)], byte);
        }
    }

    #[test]
    fn half_the_light_is_188() {
        assert_eq!(srgb8_table()[encode_index(0.5)], 188);
    }
}
