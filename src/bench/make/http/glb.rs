//! Whether bytes are a whole GLB.

/// glTF 2.0, 4.4.2: magic, version, length of all, each four bytes.
const HEADER_BYTES: usize = 12;

/// What bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    Glb,
    /// The file is incomplete: its length in bytes according to its header.
    CutOff(u32),
    Other,
}

pub(super) fn found(bytes: &[u8]) -> Found {
    if !bytes.starts_with(b"glTF") {
        return Found::Other;
    }
    let length = bytes.get(8..HEADER_BYTES).and_then(|b| b.try_into().ok());
    match length.map(u32::from_le_bytes) {
        Some(length) if bytes.len() as u64 >= u64::from(length) => Found::Glb,
        length => Found::CutOff(length.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glb_has_all_that_it_says() {
        let mut glb = b"glTF\x02\0\0\0\x10\0\0\0....".to_vec();
        assert_eq!(found(&glb), Found::Glb);
        glb.pop();
        assert_eq!(found(&glb), Found::CutOff(16));
        assert_eq!(found(b"glTF"), Found::CutOff(0));
        assert_eq!(found(b"{}"), Found::Other);
    }
}
