//! Decoding filters for directions, rotations, numbers and colours. In place; whole elements.

fn round(value: f32) -> i32 {
    (value + if value >= 0.0 { 0.5 } else { -0.5 }) as i32
}

/// Unit vectors from the octahedron: x, y and the value of 1; the fourth number is kept.
fn octahedral([x, y, one]: [f32; 3], full: f32) -> [i32; 3] {
    let z = one - x.abs() - y.abs();
    let fold = z.min(0.0);
    let x = x + if x >= 0.0 { fold } else { -fold };
    let y = y + if y >= 0.0 { fold } else { -fold };
    let length = (x * x + y * y + z * z).sqrt();
    let scale = if length > 0.0 { full / length } else { 0.0 };
    [x, y, z].map(|v| round(v * scale))
}

pub(super) fn octahedral_8(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let [x, y, one, _] = element.map(|b| f32::from(b as i8));
        let [x, y, z] = octahedral([x, y, one], 127.0).map(|v| v as u8);
        *element = [x, y, z, element[3]];
    }
}

fn shorts(element: &[u8; 8]) -> [i16; 4] {
    std::array::from_fn(|i| i16::from_le_bytes([element[2 * i], element[2 * i + 1]]))
}

fn put_shorts(element: &mut [u8; 8], values: [i16; 4]) {
    for (bytes, value) in element.as_chunks_mut::<2>().0.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
}

pub(super) fn octahedral_16(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, one, w] = shorts(element);
        let [x, y, z] = octahedral([x, y, one].map(f32::from), 32767.0).map(|v| v as i16);
        put_shorts(element, [x, y, z, w]);
    }
}

/// Unit quaternions from their three smaller components; the two low bits of the last number say
/// which one is missing.
pub(super) fn quaternion(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [x, y, z, last] = shorts(element);
        let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(last | 3);
        let small = [x, y, z].map(|v| f32::from(v) * scale);
        let rest = 1.0 - small[0] * small[0] - small[1] * small[1] - small[2] * small[2];
        let missing = (last & 3) as usize;
        let mut out = [0; 4];
        out[missing] = round(rest.max(0.0).sqrt() * 32767.0) as i16;
        for (i, v) in small.into_iter().enumerate() {
            out[(missing + 1 + i) & 3] = round(v * 32767.0) as i16;
        }
        put_shorts(element, out);
    }
}

/// Floats from a mantissa of 24 bits and an exponent of 8, both signed.
pub(super) fn exponential(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let word = i32::from_le_bytes(*element);
        let (exponent, mantissa) = (word >> 24, word << 8 >> 8);
        // The extension allows exponents of −100 to 100; others give 0 or infinity, which is
        // dropped as any broken number.
        let power = f32::from_bits(((exponent + 127).clamp(0, 255) as u32) << 23);
        *element = (power * mantissa as f32).to_le_bytes();
    }
}

/// RGBA from YCoCg; the highest bit of alpha says how many bits there are.
fn color([y, co, cg, alpha]: [i32; 4], full: i32) -> [i32; 4] {
    let mut range = alpha;
    for shift in [1, 2, 4, 8] {
        range |= range >> shift;
    }
    let scale = if range > 0 { full as f32 / range as f32 } else { 0.0 };
    let alpha = alpha << 1 & range | alpha & 1;
    [y + co - cg, y + cg, y - co - cg, alpha]
        .map(|v| ((v as f32 * scale + 0.5) as i32).clamp(0, full))
}

pub(super) fn color_8(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<4>().0 {
        let [y, co, cg, alpha] = *element;
        let signed = |v: u8| i32::from(v as i8);
        let out = color([i32::from(y), signed(co), signed(cg), i32::from(alpha)], 255);
        *element = out.map(|v| v as u8);
    }
}

pub(super) fn color_16(bytes: &mut [u8]) {
    for element in bytes.as_chunks_mut::<8>().0 {
        let [y, co, cg, alpha] = shorts(element);
        let unsigned = |v: i16| i32::from(v as u16);
        let out = color([unsigned(y), i32::from(co), i32::from(cg), unsigned(alpha)], 65535);
        put_shorts(element, out.map(|v| v as u16 as i16));
    }
}
