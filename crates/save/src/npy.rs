//! An array → NumPy's `.npy`.

/// Version 1.0 of the format. `descr` is NumPy's name of the type, as in `<f4`; `data` has the
/// values in row-major order.
pub fn npy(descr: &str, shape: &[usize], data: &[u8]) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    // A tuple of one has a comma.
    let shape = sizes.join(", ") + if shape.len() == 1 { "," } else { "" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The data begins at a multiple of 64.
    let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((padded as u16).to_le_bytes());
    out.extend(format!("{header:<width$}\n", width = padded - 1).into_bytes());
    out.extend(data);
    out
}
