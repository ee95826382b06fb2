//! Rows of half as many texels, each the mean of four: colours in linear light.

use super::color_space::ColorSpace;
use crate::color::{ENCODE_STEPS, LINEAR_FROM_SRGB8, srgb8_table};
use wide::{f32x4, i16x8, u8x16};

/// One row of half as many texels, of two rows above each other whose length is even.
pub fn halve_rows(upper: &[[u8; 4]], lower: &[[u8; 4]], row: &mut [[u8; 4]], space: ColorSpace) {
    match space {
        ColorSpace::Linear => {
            let (pairs, rest) = row.as_chunks_mut::<2>();
            let (upper, last_upper) = upper.as_chunks::<4>();
            let (lower, last_lower) = lower.as_chunks::<4>();
            for ((out, upper), lower) in pairs.iter_mut().zip(upper).zip(lower) {
                *out = mean_of_bytes(upper, lower);
            }
            if let ([out], [a, b], [c, d]) = (rest, last_upper, last_lower) {
                [*out, _] = mean_of_bytes(&[*a, *b, *a, *b], &[*c, *d, *c, *d]);
            }
        }
        ColorSpace::Srgb => {
            let linear = &*LINEAR_FROM_SRGB8;
            let encode = srgb8_table();
            let (upper, lower) = (upper.as_chunks::<2>().0, lower.as_chunks::<2>().0);
            for ((out, [a, b]), [c, d]) in row.iter_mut().zip(upper).zip(lower) {
                let light =
                    |[r, g, b, _]: &[u8; 4]| f32x4::from([r, g, b, r].map(|c| linear[*c as usize]));
                let sum = light(a) + light(b) + light(c) + light(d);
                // As `encode_index` of a quarter of it, which is within 0..1.
                let index = sum * f32x4::splat(ENCODE_STEPS as f32 * 0.25) + f32x4::splat(0.5);
                let [red, green, blue, _] =
                    index.fast_trunc_int().to_array().map(|i| encode[i as usize]);
                let alpha = u16::from(a[3]) + u16::from(b[3]) + u16::from(c[3]) + u16::from(d[3]);
                *out = [red, green, blue, ((alpha + 2) >> 2) as u8];
            }
        }
    }
}

/// Two texels, each the mean of the two above each other and the two next to them, half rounded up.
#[inline(always)]
fn mean_of_bytes(upper: &[[u8; 4]; 4], lower: &[[u8; 4]; 4]) -> [[u8; 4]; 2] {
    let [upper, lower]: [u8x16; 2] = [bytemuck::cast(*upper), bytemuck::cast(*lower)];
    let first = i16x8::from_u8x16_low(upper) + i16x8::from_u8x16_low(lower);
    let second = i16x8::from_u8x16_high(upper) + i16x8::from_u8x16_high(lower);
    let ([a, b], [c, d]): ([u64; 2], [u64; 2]) = (bytemuck::cast(first), bytemuck::cast(second));
    let sum: i16x8 = bytemuck::cast::<_, i16x8>([a, c]) + bytemuck::cast::<_, i16x8>([b, d]);
    let mean: i16x8 = (sum + i16x8::splat(2)) >> 2_i32;
    let [low, _]: [u64; 2] = bytemuck::cast(u8x16::narrow_i16x8(mean, mean));
    bytemuck::cast(low)
}
