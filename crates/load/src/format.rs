//! Which format a file is in.

use super::error::LoadError;
use super::files::shorten;
use meshjudge_splat::read::has_splats;
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Gltf,
    Obj,
    Ply,
    Stl,
    /// Of an encoding that has nothing but splats; PLY and glTF may have either.
    Splats,
}

/// Lower-case extensions of supported formats.
pub const EXTENSIONS: [&str; 8] = ["glb", "gltf", "obj", "ply", "stl", "spz", "sog", "splat"];

/// Formats that people try, refused by name. Each first entry is a lower-case extension.
const REFUSED: [(&str, &str); 22] = [
    ("fbx", "FBX"),
    ("usd", "USD"),
    ("usda", "USD"),
    ("usdc", "USD"),
    ("usdz", "USD"),
    ("blend", "Blender"),
    ("dae", "COLLADA"),
    ("3ds", "3DS"),
    ("3mf", "3MF"),
    ("off", "OFF"),
    ("x3d", "X3D"),
    ("vrml", "VRML"),
    ("wrl", "VRML"),
    ("ksplat", ".ksplat"),
    ("abc", "Alembic"),
    ("amf", "AMF"),
    ("vtp", "VTK"),
    ("vtk", "VTK"),
    ("step", "STEP"),
    ("stp", "STEP"),
    ("iges", "IGES"),
    ("igs", "IGES"),
];

/// The refused format with a lower-case extension, if any.
pub fn refused_format(extension: &str) -> Option<&'static str> {
    let refused = REFUSED.iter().find(|(known, _)| *known == extension);
    refused.map(|(_, format)| *format)
}

/// First bytes that name a format that is refused.
const REFUSED_MAGIC: [(&[u8], &str); 4] = [
    (b"Kaydara FBX Binary", "FBX"),
    (b"PXR-USDC", "USD"),
    (b"BLENDER", "Blender"),
    (b"#usda", "USD"),
];

/// First bytes of files that may have splats: plain and gzipped SPZ, and a bundle of SOG.
const SPLATS_MAGIC: [&[u8]; 3] = [b"NGSP", b"\x1f\x8b", b"PK\x03\x04"];

/// First bytes of files that come in place of others.
const MISTAKEN_MAGIC: [(&[u8], &str); 14] = [
    (LFS_POINTER, "a pointer of Git LFS (fetch the file with git lfs pull)"),
    (b"PK\x03\x04", "a ZIP archive (unpack it)"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "a gzip archive (unpack it)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive (unpack it)"),
    (b"Rar!", "a RAR archive (unpack it)"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive (unpack it)"),
    (b"BZh", "a bzip2 archive (unpack it)"),
    (b"\xfd7zXZ", "an xz archive (unpack it)"),
    (b"Z2xURg", "base64 text (decode it)"),
    (b"data:", "base64 text, a data URI (decode it)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"%PDF", "a PDF document"),
];

/// How the text begins that Git leaves in place of a file that its large file storage holds.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// What a file is that came in place of another: a web page, an archive, a pointer.
pub(super) fn mistaken(bytes: &[u8]) -> Option<String> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let found = MISTAKEN_MAGIC.iter().find(|(magic, _)| text.starts_with(magic));
    if let Some((_, what)) = found {
        return Some((*what).to_owned());
    }
    if let Some(target) = link_as_text(text) {
        return Some(format!(
            "the text of a symbolic link to {:?} (copy the folder with its links resolved, as `cp -L` does)",
            shorten(target)
        ));
    }
    if !text.starts_with(b"<") {
        return None;
    }
    let start = String::from_utf8_lossy(&text[..text.len().min(1024)]).to_ascii_lowercase();
    let is_page =
        ["<html", "<!doctype html", "<head", "<body"].iter().any(|tag| start.contains(tag));
    if start.contains("<svg") {
        return Some("a drawing in SVG, which has no surface".to_owned());
    }
    Some(if is_page {
        "a web page (HTML), such as a server's error page".to_owned()
    } else {
        "an XML document, such as a server's error reply".to_owned()
    })
}

/// The path that is all that a file has: a link, copied or checked out where there are none.
fn link_as_text(text: &[u8]) -> Option<&str> {
    const PATH_BYTES_MAX: usize = 1024;
    let path = std::str::from_utf8(text.get(..text.len().min(PATH_BYTES_MAX))?).ok()?.trim_end();
    let is_path = (path.starts_with("../") || path.starts_with("./") || path.starts_with('/'))
        && text.len() < PATH_BYTES_MAX
        && !path.contains(|c: char| c.is_whitespace() || c.is_control());
    is_path.then_some(path)
}

/// UTF-8 from UTF-16 with a mark, as some Windows programs save any text; `None` for all else.
pub(super) fn from_utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let (from, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let (pairs, _) = rest.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| from(pair)).collect();
    String::from_utf16(&units).ok().map(String::into_bytes)
}

/// Whether it begins as an STL in text: `solid`, a name, `facet normal`.
fn is_stl_text(text: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&text[..text.len().min(512)]).to_ascii_lowercase();
    let mut words = start.split_whitespace();
    words.next() == Some("solid") && words.any(|word| word == "facet")
}

/// Splats other than PLY and glTF. Reads JSON only in files of that name: glTF may be large.
fn is_splats(bytes: &[u8], path: &Path, extension: &str) -> bool {
    let is_packed = SPLATS_MAGIC.iter().any(|magic| bytes.starts_with(magic));
    // A broken bundle is the reader's to describe.
    extension == "sog" && bytes.starts_with(b"PK\x03\x04")
        || (is_packed || extension == "json") && has_splats(bytes, path)
        || extension == "splat" && !is_other(bytes)
}

/// Whether bytes of records without a magic number are text, or have a magic number that no
/// position begins with by chance.
fn is_other(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(256)];
    let is_text =
        !start.is_empty() && start.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | b' '..=b'~'));
    let mut magic = MISTAKEN_MAGIC.iter().filter(|(magic, _)| magic.len() > 3);
    is_text || magic.any(|(magic, _)| bytes.starts_with(magic))
}

impl Format {
    /// By content if possible, else by extension.
    pub(super) fn of(bytes: &[u8], path: &Path) -> Result<Self, LoadError> {
        let path_buf = || path.to_path_buf();
        if bytes.starts_with(b"glTF\x01\0\0\0") {
            return Err(LoadError::OldGltf { path: path_buf() });
        }
        if bytes.starts_with(b"glTF") {
            return Ok(Self::Gltf);
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
        let is_ply = text.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"ply"));
        if is_ply && text.get(3).is_some_and(u8::is_ascii_whitespace) {
            return Ok(Self::Ply);
        }
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        if is_splats(bytes, path, &extension) {
            return Ok(Self::Splats);
        }
        let by_magic = REFUSED_MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic));
        let refused = by_magic.map(|(_, format)| *format);
        if let Some(format) = refused.or_else(|| refused_format(&extension)) {
            return Err(match extension.as_str() {
                "ksplat" => LoadError::OldSplats { path: path_buf() },
                _ => LoadError::UnsupportedFormat { format, path: path_buf() },
            });
        }
        if extension == "stl" && super::stl::is_whole(bytes) {
            return Ok(Self::Stl); // whatever its header says
        }
        if text.starts_with(b"{") {
            return Ok(Self::Gltf);
        }
        if let Some(what) = mistaken(bytes) {
            return Err(LoadError::Mistaken { subject: "this".to_owned(), what, path: path_buf() });
        }
        let no_magic = |format, magic: &str| {
            let start = shorten(&String::from_utf8_lossy(&text[..text.len().min(40)]));
            let reason = format!("it begins with {start:?}, not with {magic}");
            Err(LoadError::malformed(format, reason, path))
        };
        match extension.as_str() {
            "ply" | "obj" | "glb" | "gltf" if is_stl_text(text) => Ok(Self::Stl),
            "gltf" => no_magic("glTF", "{"),
            "obj" => Ok(Self::Obj),
            "stl" => Ok(Self::Stl),
            "ply" => no_magic("PLY", "ply"),
            "glb" => no_magic("GLB", "glTF"),
            "spz" => no_magic("SPZ", "gzip's magic number or NGSP"),
            "sog" => no_magic("SOG", "that of a ZIP archive"),
            _ => Err(LoadError::UnknownFormat { path: path_buf() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_is_known_and_none_is_refused() {
        for extension in EXTENSIONS {
            let path = Path::new("a").with_extension(extension);
            let found = Format::of(b"", &path);
            let is_read = matches!(found, Ok(_) | Err(LoadError::Malformed { .. }));
            assert!(is_read, "{extension}");
        }
    }
}
