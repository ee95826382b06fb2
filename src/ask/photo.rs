//! The photo of a prompt, and a mask of its object → what a question shows of it: the object alone, or the pictures of a reconstruction.

use super::error::QuestionError;
use crate::render::Image;
use crate::rubric::Content;
use crate::sheet::{self, MaskSource, PhotoStyle, Reference, ReferenceStyle};
use serde::Serialize;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// A photo, decoded when a question first needs it.
#[derive(Debug)]
pub struct Photo {
    /// As it was read.
    photo: Vec<u8>,
    /// As it was read; none for a photo that says itself where its object is.
    mask: Option<Vec<u8>>,
    style: PhotoStyle,
    cutout: OnceLock<Cutout>,
    prepared: OnceLock<Prepared>,
}

/// What a question is identified by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhotoKey {
    /// BLAKE3 of the photo's bytes, hexadecimal.
    pub photo: String,
    /// The same of its mask.
    pub mask: Option<String>,
    /// How it is cropped and scaled.
    pub style: PhotoStyle,
}

#[derive(Debug)]
struct Cutout {
    image: Image,
    source: MaskSource,
    marks_background: bool,
}

#[derive(Debug)]
struct Prepared {
    /// Highlighted photo and zooms.
    reference: Reference,
    evidence: Arc<(Image, Image)>,
}

impl Photo {
    /// Reads the files; nothing is decoded yet.
    ///
    /// # Errors
    /// [`QuestionError::Photo`].
    pub fn open(photo: &Path, mask: Option<&Path>) -> Result<Self, QuestionError> {
        let read = |path: &Path| {
            std::fs::read(path).map_err(|e| QuestionError::Photo {
                reason: format!("cannot read the picture ({e}): {path:?}"),
            })
        };
        Ok(Self::new(read(photo)?, mask.map(read).transpose()?))
    }

    /// Of the bytes of PNG, JPEG or WebP files.
    pub fn new(photo: Vec<u8>, mask: Option<Vec<u8>>) -> Self {
        Self {
            photo,
            mask,
            style: PhotoStyle::default(),
            cutout: OnceLock::new(),
            prepared: OnceLock::new(),
        }
    }

    /// The same, shown in that way.
    pub fn with_style(self, style: PhotoStyle) -> Self {
        Self { style, ..self }
    }

    /// BLAKE3 of the photo's and of the mask's bytes, hexadecimal.
    pub fn hashes(&self) -> (String, Option<String>) {
        let hash = |bytes: &Vec<u8>| blake3::hash(bytes).to_hex().to_string();
        (hash(&self.photo), self.mask.as_ref().map(hash))
    }

    /// What identifies it in questions that show the object alone.
    pub fn key(&self) -> PhotoKey {
        let (photo, mask) = self.hashes();
        PhotoKey {
            photo,
            mask,
            style: self.style,
        }
    }

    /// Decodes photo and mask and composes the pictures of a reconstruction, once.
    ///
    /// # Errors
    /// Pictures that cannot be decoded, [`SheetError::MaskSize`](sheet::SheetError::MaskSize),
    /// [`SheetError::EmptyMask`](sheet::SheetError::EmptyMask), a photo that does not say where its object is.
    pub fn check(&self) -> Result<(), QuestionError> {
        self.prepared().map(|_| ())
    }

    /// Decodes photo and mask and cuts the object out, once; returns a warning about it.
    ///
    /// # Errors
    /// As [`check`](Self::check); a photo that does not say where its object is, is shown whole.
    pub fn cut_out(&self) -> Result<Option<String>, QuestionError> {
        let cutout = self.cutout()?;
        let note = match cutout.source {
            MaskSource::File if cutout.marks_background => {
                "its mask seems to mark the background instead of the object; turn black and white round if it does"
            }
            MaskSource::PlainBackground => "its plain background is left out",
            MaskSource::None => {
                "it has neither a mask, nor transparency, nor a plain background, so it is shown whole"
            }
            MaskSource::File | MaskSource::Alpha => return Ok(None),
        };
        Ok(Some(note.to_owned()))
    }

    /// For the probe: the photo as RGB8, and the mask as Grey8 of the same size.
    pub(super) fn evidence(&self) -> Result<Arc<(Image, Image)>, QuestionError> {
        Ok(Arc::clone(&self.prepared()?.evidence))
    }

    /// The picture of that content; `None` for a content that is not made from a photo.
    pub(super) fn picture(&self, content: Content) -> Result<Option<&Image>, QuestionError> {
        let reference = || Ok::<_, QuestionError>(&self.prepared()?.reference);
        Ok(match content {
            Content::Photo => Some(&self.cutout()?.image),
            Content::Highlighted => Some(&reference()?.highlighted),
            Content::ZoomHighlighted => Some(&reference()?.zoom_highlighted),
            Content::Zoom => Some(&reference()?.zoom),
            Content::FourView
            | Content::PairSheet
            | Content::Left
            | Content::Right
            | Content::Picture => None,
        })
    }

    fn cutout(&self) -> Result<&Cutout, QuestionError> {
        if let Some(cutout) = self.cutout.get() {
            return Ok(cutout);
        }
        let (photo, mask) = self.decoded()?;
        let (image, source) = sheet::cut_out(&photo, mask.as_ref(), self.style)?;
        let cutout = Cutout {
            image,
            source,
            marks_background: mask.as_ref().is_some_and(sheet::marks_background),
        };
        Ok(self.cutout.get_or_init(|| cutout))
    }

    fn prepared(&self) -> Result<&Prepared, QuestionError> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared);
        }
        let (photo, mask) = self.decoded()?;
        let mask = match mask {
            Some(mask) => mask,
            None => sheet::object_mask(&photo, None)?.0.ok_or_else(|| QuestionError::Photo {
                reason: "it does not say where its object is: give a mask, or a photo with a transparent or plain background".to_owned(),
            })?,
        };
        let prepared = Prepared {
            reference: sheet::reference(&photo, &mask, &ReferenceStyle::default())?,
            evidence: Arc::new((photo.to_rgb8().into_owned(), sheet::read_mask(&mask)?)),
        };
        Ok(self.prepared.get_or_init(|| prepared))
    }

    /// Both as they are to be seen: a phone notes how it was held.
    fn decoded(&self) -> Result<(Image, Option<Image>), QuestionError> {
        let wrong = |what: &str, reason: String| QuestionError::Photo {
            reason: format!("{what}{reason}"),
        };
        let (photo, turn) =
            Image::decode_photo(&self.photo, None).map_err(|e| wrong("", e.to_string()))?;
        let mask = (self.mask.as_ref())
            .map(|mask| Image::decode_photo(mask, Some(turn)))
            .transpose()
            .map_err(|e| wrong("its mask: ", e.to_string()))?;
        Ok((photo, mask.map(|(mask, _)| mask)))
    }
}
