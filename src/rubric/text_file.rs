//! Reads the small text files that people write: rubrics, prompts, lists, benchmarks.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// The text of a UTF-8 file of at most `bytes_max` bytes, without a byte order mark.
///
/// # Errors
/// A file that cannot be read; [`ErrorKind::InvalidData`] if it is larger, or not UTF-8.
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String> {
    let invalid = |reason: String| Error::new(ErrorKind::InvalidData, reason);
    let size = std::fs::metadata(path)?.len();
    if size > bytes_max {
        return Err(invalid(format!(
            "it has {size} bytes, and at most {bytes_max} are read"
        )));
    }
    let text = String::from_utf8(std::fs::read(path)?)
        .map_err(|e| invalid(format!("it is not UTF-8: {}", e.utf8_error())))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
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
        let latin = read_text(&file("latin", b"caf\xE9"), 8).unwrap_err();
        assert!(latin.to_string().contains("not UTF-8"), "{latin}");
        let missing = read_text(&folder.path().join("none"), 8).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
    }
}
