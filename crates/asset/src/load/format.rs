//! Which format a file is in.

use super::error::LoadError;
use super::picture::LFS_POINTER;
use std::path::Path;

#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    Gltf,
    Obj,
    Ply,
    Stl,
}

/// Lower-case extensions of what is read.
pub const EXTENSIONS: [&str; 5] = ["glb", "gltf", "obj", "ply", "stl"];

/// Formats that people try, and that are refused by name. The first entry of each is a lower-case extension.
const REFUSED: [(&str, &str); 18] = [
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
    ("splat", "Gaussian splat"),
    ("ksplat", "compressed Gaussian splat"),
    ("spz", "compressed Gaussian splat"),
    ("sog", "compressed Gaussian splat"),
    ("abc", "Alembic"),
];

/// The format that a lower-case extension stands for, if it is one that is refused.
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

impl Format {
    /// By content where there is a magic, else by extension.
    pub(super) fn of(bytes: &[u8], path: &Path) -> Result<Self, LoadError> {
        let path_buf = || path.to_path_buf();
        if bytes.starts_with(LFS_POINTER) {
            return Err(LoadError::LfsPointer { path: path_buf() });
        }
        if bytes.starts_with(b"glTF\x01\0\0\0") {
            return Err(LoadError::OldGltf { path: path_buf() });
        }
        if bytes.starts_with(b"glTF") {
            return Ok(Self::Gltf);
        }
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Ok(Self::Ply);
        }
        let by_magic = REFUSED_MAGIC
            .iter()
            .find(|(magic, _)| bytes.starts_with(magic));
        if let Some(&(_, format)) = by_magic {
            return Err(LoadError::UnsupportedFormat {
                format,
                path: path_buf(),
            });
        }
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
            .unwrap_or_default();
        match extension.as_str() {
            "gltf" => return Ok(Self::Gltf),
            "obj" => return Ok(Self::Obj),
            "stl" => return Ok(Self::Stl),
            "ply" => {
                return Err(LoadError::Malformed {
                    format: "PLY",
                    reason: "it does not begin with ply".to_owned(),
                    path: path_buf(),
                });
            }
            "glb" => {
                return Err(LoadError::Malformed {
                    format: "GLB",
                    reason: "it does not begin with glTF".to_owned(),
                    path: path_buf(),
                });
            }
            _ => {}
        }
        if let Some(format) = refused_format(&extension) {
            return Err(LoadError::UnsupportedFormat {
                format,
                path: path_buf(),
            });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if text.trim_ascii_start().starts_with(b"{") {
            return Ok(Self::Gltf);
        }
        Err(LoadError::UnknownFormat { path: path_buf() })
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
