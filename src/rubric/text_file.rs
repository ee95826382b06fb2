//! Reads the small text files that people write: rubrics, prompts, lists, benchmarks.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// The text of a file of at most `bytes_max` bytes, without its byte order mark: UTF-8, or UTF-16
/// where a mark says so.
///
/// # Errors
/// A file that cannot be read; [`ErrorKind::InvalidData`] if it is larger, or in another encoding.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String> {
    let invalid = |reason: String| Error::new(ErrorKind::InvalidData, reason);
    let size = std::fs::metadata(path)?.len();
    if size > bytes_max {
        return Err(invalid(format!("it has {size} bytes, and at most {bytes_max} are read")));
    }
    let bytes = std::fs::read(path)?;
    let utf_16 = |number: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|unit| number([unit[0], *unit.get(1).unwrap_or(&0)]));
        let text: std::result::Result<String, _> = char::decode_utf16(units).collect();
        text.map_err(|e| invalid(format!("it is not UTF-16: {e}")))
    };
    match bytes.get(..2) {
        Some([0xff, 0xfe]) => return utf_16(u16::from_le_bytes),
        Some([0xfe, 0xff]) => return utf_16(u16::from_be_bytes),
        _ => {}
    }
    let text = String::from_utf8(bytes)
        .map_err(|e| invalid(format!("it is not UTF-8: {}", e.utf8_error())))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The error in a TOML text, with a remedy if a Windows path is the likely cause.
pub fn toml_reason(error: &toml::de::Error) -> String {
    let said = error.to_string();
    let help = if said.contains("escape") {
        "\nin double quotes a backslash begins an escape; write a Windows path in single quotes ('C:\\assets\\chair.glb') or with forward slashes (\"C:/assets/chair.glb\")"
    } else {
        ""
    };
    format!("{}{help}", said.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_left_out_and_other_files_are_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let marked = file("marked", b"\xEF\xBB\xBFa = 1");
        assert_eq!(read_text(&marked, 8).unwrap(), "a = 1");
        let large = read_text(&marked, 7).unwrap_err();
        assert_eq!(large.kind(), ErrorKind::InvalidData);
        assert!(large.to_string().contains("8 bytes, and at most 7"));
        let wide = |number: fn(u16) -> [u8; 2]| {
            "\u{feff}né;𝄞".encode_utf16().flat_map(number).collect::<Vec<u8>>()
        };
        for bytes in [wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
            assert_eq!(read_text(&file("wide", &bytes), 99).unwrap(), "né;𝄞");
        }
        let latin = read_text(&file("latin", b"caf\xE9"), 8).unwrap_err();
        assert!(latin.to_string().contains("not UTF-8"), "{latin}");
        let missing = read_text(&folder.path().join("none"), 8).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }
}
