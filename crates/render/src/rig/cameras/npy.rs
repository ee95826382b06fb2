//! NumPy's `.npy` with one matrix of 3×4 or 4×4, or many.

use super::found::{FoundCamera, Intrinsics};

/// Numbers in one file: 4×4 of as many cameras as a rig may have, and a hundred times that.
const NUMBERS_MAX: usize = 16 * 4096 * 100;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<Vec<FoundCamera>, String> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("not a .npy file")?;
    let (header_bytes, start) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err("a .npy file of an unknown version".into()),
    };
    let rest = &rest[start..];
    let header = rest.get(..header_bytes).ok_or("its header is cut off")?;
    let header = String::from_utf8_lossy(header);
    let data = &rest[header_bytes..];
    let after =
        |key: &str| header.split_once(key).map(|(_, after)| after.trim_start_matches([':', ' ']));
    if after("'fortran_order'").is_some_and(|value| value.starts_with("True")) {
        return Err("it is in Fortran order; save np.ascontiguousarray of it".into());
    }
    let shape = after("'shape'")
        .and_then(|rest| rest.strip_prefix('('))
        .and_then(|rest| rest.split_once(')'));
    let (shape, _) = shape.ok_or("its header names no shape")?;
    let shape: Vec<usize> = shape.split(',').filter_map(|word| word.trim().parse().ok()).collect();
    let (count, rows) = match shape[..] {
        [rows @ (3 | 4), 4] => (1, rows),
        [count, rows @ (3 | 4), 4] => (count, rows),
        _ => return Err(format!("of shape {shape:?}; give matrices of 3×4 or 4×4")),
    };
    let descr = after("'descr'").unwrap_or_default();
    let numbers: Vec<f64> = if descr.starts_with("'<f8'") {
        let (chunks, _) = data.as_chunks::<8>();
        chunks.iter().take(NUMBERS_MAX).map(|b| f64::from_le_bytes(*b)).collect()
    } else if descr.starts_with("'<f4'") {
        let (chunks, _) = data.as_chunks::<4>();
        chunks.iter().take(NUMBERS_MAX).map(|b| f64::from(f32::from_le_bytes(*b))).collect()
    } else if descr.starts_with("'|O'") {
        return Err("it has Python objects, which can run code; save only the matrices".into());
    } else {
        return Err("not of 32- or 64-bit floats".into());
    };
    let matrices: Vec<&[f64]> = numbers.chunks_exact(rows * 4).collect();
    if Some(matrices.len() * rows * 4) < count.checked_mul(rows * 4) {
        return Err("it is cut off".into());
    }
    let camera = |(idx, m): (usize, &&[f64])| FoundCamera {
        name: if count == 1 { name.to_owned() } else { format!("{name}{idx:03}") },
        matrix: std::array::from_fn(|row| std::array::from_fn(|column| m[row * 4 + column])),
        intrinsics: Intrinsics::default(),
    };
    Ok(matrices.iter().take(count).enumerate().map(camera).collect())
}
