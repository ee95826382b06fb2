//! A picture as it is sent: bytes with their true media type, size and hash.

use super::file::{unreadable, unusable};
use crate::error::Error;
use crate::render::Image;
use std::path::Path;
use std::sync::Arc;

const JPEG: &str = "image/jpeg";

/// A picture as it is sent: the very bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// PNG or JPEG bytes.
    pub bytes: Arc<[u8]>,
    /// `image/png` or `image/jpeg`, from the bytes.
    pub media_type: &'static str,
    /// BLAKE3 of the bytes, hexadecimal.
    pub hash: String,
    pub width_px: u32,
    pub height_px: u32,
}

/// The bytes are no picture that judges take.
pub(crate) fn unsendable(reason: impl std::fmt::Display) -> Error {
    Error::rubric(format!("not a picture that can be sent ({reason}); use PNG, JPEG or WebP"))
}

impl Picture {
    /// Files larger than this are not read: 64 MiB, several times what any judge takes.
    pub const FILE_BYTES_MAX: u64 = 64 << 20;

    /// PNG of a picture in memory.
    ///
    /// # Errors
    /// [`Error`].
    pub fn from_image(image: &Image) -> Result<Self, Error> {
        let bytes = image.to_png().map_err(unsendable)?;
        Ok(Self::new(bytes, "image/png", (image.width_px, image.height_px)))
    }

    /// JPEG of a picture in memory, alpha over white: a fraction of the bytes of a PNG of a photo.
    ///
    /// # Errors
    /// [`Error`].
    pub fn jpeg_of(image: &Image) -> Result<Self, Error> {
        const QUALITY: u8 = 92;
        let bytes = image.to_rgb8().to_jpeg(QUALITY).map_err(unsendable)?;
        Ok(Self::new(bytes, JPEG, (image.width_px, image.height_px)))
    }

    /// PNG and JPEG bytes as they are; WebP is written anew as PNG, because some servers refuse it.
    /// The whole picture is decoded once, so that a broken one is found here and not by the judge.
    ///
    /// # Errors
    /// [`Error`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        let image = Image::decode(&bytes).map_err(unsendable)?;
        let size_px = (image.width_px, image.height_px);
        match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', ..] => Ok(Self::new(bytes, "image/png", size_px)),
            [0xff, 0xd8, 0xff, ..] => Ok(Self::new(bytes, JPEG, size_px)),
            _ => Self::from_image(&image),
        }
    }

    /// The picture in that file.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        let size = std::fs::metadata(path).map_err(|e| unreadable("picture", e, path))?.len();
        if size > Self::FILE_BYTES_MAX {
            let reason = format!("{size} bytes, at most {} are read", Self::FILE_BYTES_MAX);
            return Err(unreadable("picture", reason, path));
        }
        let bytes = std::fs::read(path).map_err(|e| unreadable("picture", e, path))?;
        Self::from_bytes(bytes).map_err(|e| unusable("picture", e, path))
    }

    /// `png` or `jpg`.
    pub fn extension(&self) -> &'static str {
        if self.media_type == JPEG { "jpg" } else { "png" }
    }

    /// Bytes that this program encoded, whose size is known.
    pub(crate) fn of_encoded(bytes: Vec<u8>, size_px: (u32, u32)) -> Self {
        let is_jpeg = bytes.starts_with(&[0xff, 0xd8]);
        Self::new(bytes, if is_jpeg { JPEG } else { "image/png" }, size_px)
    }

    fn new(bytes: Vec<u8>, media_type: &'static str, (width_px, height_px): (u32, u32)) -> Self {
        Self {
            hash: blake3::hash(&bytes).to_hex().to_string(),
            bytes: bytes.into(),
            media_type,
            width_px,
            height_px,
        }
    }
}
