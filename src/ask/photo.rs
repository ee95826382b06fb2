//! A photo with the mask of its object → the pictures of a reconstruction question.

use super::error::QuestionError;
use crate::render::Image;
use crate::rubric::Content;
use crate::sheet::{self, Reference, ReferenceStyle};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A photo and a mask of its size, decoded when a question first needs them.
#[derive(Debug)]
pub struct Photo {
    /// Photo and mask, as they were read.
    files: [Vec<u8>; 2],
    prepared: OnceLock<Prepared>,
}

#[derive(Debug)]
struct Prepared {
    /// Highlighted photo and zooms.
    reference: Reference,
    evidence: Arc<(Image, Image)>,
}

impl Photo {
    /// Reads both files; nothing is decoded yet.
    ///
    /// # Errors
    /// [`QuestionError::Photo`].
    pub fn open(photo: &Path, mask: &Path) -> Result<Self, QuestionError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|e| QuestionError::Photo {
                reason: format!("cannot read the picture ({e}): {path:?}"),
            })
        };
        Ok(Self::new(read(photo)?, read(mask)?))
    }

    /// Of the bytes of PNG, JPEG or WebP files.
    pub fn new(photo: Vec<u8>, mask: Vec<u8>) -> Self {
        Self {
            files: [photo, mask],
            prepared: OnceLock::new(),
        }
    }

    /// BLAKE3 of the photo's and of the mask's bytes, hexadecimal.
    pub fn hashes(&self) -> [String; 2] {
        let hash = |bytes: &Vec<u8>| blake3::hash(bytes).to_hex().to_string();
        self.files.each_ref().map(hash)
    }

    /// Decodes photo and mask and composes their pictures, once.
    ///
    /// # Errors
    /// Pictures that cannot be decoded, [`SheetError::MaskSize`](sheet::SheetError::MaskSize),
    /// [`SheetError::EmptyMask`](sheet::SheetError::EmptyMask).
    pub fn check(&self) -> Result<(), QuestionError> {
        self.prepared().map(|_| ())
    }

    /// For the probe: the photo as RGB8, and the mask as Grey8 of the same size.
    pub(super) fn evidence(&self) -> Result<Arc<(Image, Image)>, QuestionError> {
        Ok(Arc::clone(&self.prepared()?.evidence))
    }

    /// The picture of that content; `None` for a content that is not made from a photo.
    pub(super) fn picture(&self, content: Content) -> Result<Option<&Image>, QuestionError> {
        let reference = &self.prepared()?.reference;
        Ok(match content {
            Content::Highlighted => Some(&reference.highlighted),
            Content::ZoomHighlighted => Some(&reference.zoom_highlighted),
            Content::Zoom => Some(&reference.zoom),
            Content::FourView
            | Content::PairSheet
            | Content::Left
            | Content::Right
            | Content::Picture => None,
        })
    }

    fn prepared(&self) -> Result<&Prepared, QuestionError> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared);
        }
        let decoded = self.files.each_ref().map(|bytes| Image::decode(bytes));
        let [photo, mask] = decoded.map(|image| {
            image.map_err(|e| QuestionError::Photo {
                reason: e.to_string(),
            })
        });
        let (photo, mask) = (photo?, mask?);
        let prepared = Prepared {
            reference: sheet::reference(&photo, &mask, &ReferenceStyle::default())?,
            evidence: Arc::new((photo.to_rgb8().into_owned(), sheet::read_mask(&mask)?)),
        };
        Ok(self.prepared.get_or_init(|| prepared))
    }
}
