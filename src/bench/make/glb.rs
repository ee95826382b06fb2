//! Whether bytes are a whole GLB.

/// glTF 2.0, 4.4.2: magic, version, length of all, each four bytes.
pub(super) const HEADER_BYTES: usize = 12;

/// What bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Glb,
    /// The file is incomplete: its length in bytes according to its header.
    CutOff(u32),
    Other,
}

/// `start` has at least the header, of a file of `length` bytes.
pub(super) fn found(start: &[u8], length: u64) -> Found {
    if !start.starts_with(b"glTF") {
        return Found::Other;
    }
    let says = start.get(8..HEADER_BYTES).and_then(|b| b.try_into().ok());
    match says.map(u32::from_le_bytes) {
        Some(says) if length >= u64::from(says) => Found::Glb,
        says => Found::CutOff(says.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Found {
        found(bytes, bytes.len() as u64)
    }

    #[test]
    fn a_glb_has_all_that_it_says() {
        let mut glb = b"glTF\x02\0\0\0\x10\0\0\0....".to_vec();
        assert_eq!(whole(&glb), Found::Glb);
        glb.pop();
        assert_eq!(whole(&glb), Found::CutOff(16));
        assert_eq!(whole(b"glTF"), Found::CutOff(0));
        assert_eq!(whole(b"{}"), Found::Other);
    }
}
