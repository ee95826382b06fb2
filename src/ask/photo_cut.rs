//! A photo and its mask, decoded → the object cut out as judges see it, and close up for measuring.
//! Both are small and kept in a file of the run, so a photo of 12 megapixels is decoded once.

use crate::error::Error;
use crate::render::{Image, PixelFormat};
use crate::rubric::Picture;
use crate::save::write_file;
use crate::sheet::{self, MaskSource, PhotoStyle};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Part of the name of a kept file; a change to its content needs another one.
const DEFINITION: &str = "photo 1";

/// What questions show of one image.
#[derive(Debug)]
pub(super) struct Cutout {
    pub picture: Picture,
    pub source: MaskSource,
    pub marks_background: bool,
    /// [`sheet::close_up`] as PNG, the mask as its alpha; none if the object's place is unknown.
    close_up: Option<Vec<u8>>,
}

/// The first line of a kept file; the two pictures follow.
#[derive(Serialize, Deserialize)]
struct Head {
    source: MaskSource,
    marks_background: bool,
    size_px: (u32, u32),
    bytes: usize,
    /// BLAKE3 of all that follows.
    hash: String,
}

impl Cutout {
    pub(super) fn new(
        image: &Image,
        mask: Option<&Image>,
        style: PhotoStyle,
    ) -> Result<Self, Error> {
        let (shown, found, source) = sheet::cut_out(image, mask, style)?;
        let close_up = found.map(|found| -> Result<Vec<u8>, Error> {
            let (mut photo, mask) = sheet::close_up(image, &found)?;
            let pixels = photo.pixels.as_chunks::<3>().0.iter().zip(&mask.pixels);
            photo.pixels = pixels.flat_map(|(&[r, g, b], &a)| [r, g, b, a]).collect();
            let image = Image { format: PixelFormat::Rgba8, ..photo };
            Ok(image.to_png()?)
        });
        Ok(Self {
            picture: Picture::from_image(&shown)?,
            source,
            marks_background: mask.is_some_and(sheet::marks_background),
            close_up: close_up.transpose()?,
        })
    }

    /// RGB8, and the mask as Grey8 of the same size.
    pub(super) fn close_up(&self) -> Option<(Image, Image)> {
        let image = Image::decode(self.close_up.as_ref()?).ok()?;
        let pixels = image.pixels.as_chunks::<4>().0;
        let photo = pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        let mask = pixels.iter().map(|pixel| pixel[3]).collect();
        let of = |format: PixelFormat, pixels: Vec<u8>| Image {
            width_px: image.width_px,
            height_px: image.height_px,
            format,
            pixels,
        };
        Some((of(PixelFormat::Rgb8, photo), of(PixelFormat::Grey8, mask)))
    }

    /// The name of its file; `key` is the content of image and mask.
    pub(super) fn file(key: &impl Serialize, style: PhotoStyle) -> String {
        let key = serde_json::to_vec(&(DEFINITION, key, style)).expect("texts are JSON");
        blake3::hash(&key).to_hex().to_string()
    }

    /// Reads a file that [`keep`](Self::keep) wrote; none if it is missing or damaged.
    pub(super) fn kept(path: &Path) -> Option<Self> {
        let bytes = std::fs::read(path).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&bytes[..end]).ok()?;
        let rest = &bytes[end + 1..];
        if blake3::hash(rest).to_hex().as_str() != head.hash {
            return None;
        }
        let (picture, close_up) = rest.split_at_checked(head.bytes)?;
        Some(Self {
            picture: Picture::of_encoded(picture.to_vec(), head.size_px),
            source: head.source,
            marks_background: head.marks_background,
            close_up: (!close_up.is_empty()).then(|| close_up.to_vec()),
        })
    }

    /// Keeps it in a file. One that cannot be written is made again another time.
    pub(super) fn keep(&self, path: &Path) {
        let close_up = self.close_up.as_deref().unwrap_or_default();
        let rest = [&self.picture.bytes, close_up].concat();
        let head = Head {
            source: self.source,
            marks_background: self.marks_background,
            size_px: (self.picture.width_px, self.picture.height_px),
            bytes: self.picture.bytes.len(),
            hash: blake3::hash(&rest).to_hex().to_string(),
        };
        let head = serde_json::to_vec(&head).expect("numbers and texts are JSON");
        let made = path.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
        if made {
            _ = write_file(path, &[&head, &b"\n"[..], &rest].concat());
        }
    }
}
