//! The photos of a prompt, and masks of their object → what a question shows of them: the object
//! alone, or the pictures of a reconstruction.
//!
//! Photos of phones take long to decode and much memory, so everything is made once and kept small.

use super::photo_cut::Cutout;
use super::picture_limits::PictureLimits;
use super::sides::Sides;
use crate::error::{Error, Kind};
use crate::judge::PhotoKey;
use crate::render::Image;
use crate::rubric::{Content, Picture};
use crate::sheet::{self, MaskSource, PhotoStyle, Reference, ReferenceStyle};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A prompt's photo, or several of named sides of one object. Decoded when a question needs it.
#[derive(Debug)]
pub struct Photo {
    images: Vec<Source>,
    style: PhotoStyle,
    /// With the hashes and names of the images; without the style.
    key: PhotoKey,
    cutouts: OnceLock<Vec<Cutout>>,
    /// Highlighted photo and zooms.
    reference: OnceLock<Reference>,
    /// The object close up and its mask, while a question about it is measured.
    evidence: Mutex<Weak<(Image, Image)>>,
    /// Where cut-outs are kept, if anywhere.
    kept_in: Option<PathBuf>,
    /// Pictures at the size that judges see, each made once.
    shown: Mutex<Vec<(ShownKey, Picture)>>,
}

type ShownKey = (Content, usize, PictureLimits);

/// An image and its mask; none for an image that says itself where its object is.
#[derive(Debug)]
struct Source {
    image: Bytes,
    mask: Option<Bytes>,
}

/// The content of a file. A file is read again when it is decoded, so that a thousand prompts do
/// not keep theirs in memory.
#[derive(Debug)]
enum Bytes {
    File(PathBuf),
    Given(Vec<u8>),
}

impl Bytes {
    fn read(&self) -> Result<Cow<'_, [u8]>, Error> {
        match self {
            Self::Given(bytes) => Ok(bytes.into()),
            Self::File(path) => std::fs::read(path)
                .map(Into::into)
                .map_err(|e| Error::cannot_read(Kind::Picture, "picture", e, path)),
        }
    }

    fn hash(&self) -> Result<String, Error> {
        Ok(blake3::hash(&self.read()?).to_hex().to_string())
    }
}

impl Photo {
    /// Reads the files; nothing is decoded yet.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open(photo: &Path, mask: Option<&Path>) -> Result<Self, Error> {
        Self::open_sides([("", photo, mask)])
    }

    /// Several images of one object, each with the name of the side that it shows, and its mask.
    /// One image needs no name.
    ///
    /// # Errors
    /// [`Error`].
    pub fn open_sides<'a>(
        sides: impl IntoIterator<Item = (&'a str, &'a Path, Option<&'a Path>)>,
    ) -> Result<Self, Error> {
        let file = |path: &Path| Bytes::File(path.to_owned());
        let sides = sides.into_iter().map(|(side, image, mask)| {
            let (image, mask) = (file(image), mask.map(file));
            (side.to_owned(), Source { image, mask })
        });
        let (names, images) = sides.unzip();
        Self::of(names, images)
    }

    /// Of the bytes of PNG, JPEG or WebP files.
    pub fn new(photo: Vec<u8>, mask: Option<Vec<u8>>) -> Self {
        Self::new_sides(vec![(String::new(), photo, mask)])
    }

    /// The same of several images.
    pub fn new_sides(sides: Sides<Vec<u8>>) -> Self {
        let (names, images) = (sides.into_iter())
            .map(|(side, image, mask)| {
                (side, Source { image: Bytes::Given(image), mask: mask.map(Bytes::Given) })
            })
            .unzip();
        Self::of(names, images).expect("bytes in memory can be read")
    }

    fn of(mut sides: Vec<String>, images: Vec<Source>) -> Result<Self, Error> {
        let hashes = images.iter().map(|Source { image, mask }| {
            Ok((image.hash()?, mask.as_ref().map(Bytes::hash).transpose()?))
        });
        let hashes = hashes.collect::<Result<Vec<_>, Error>>()?;
        if sides.len() == 1 {
            sides.clear();
        }
        Ok(Self {
            key: PhotoKey::new(hashes, sides),
            images,
            style: PhotoStyle::default(),
            cutouts: OnceLock::new(),
            reference: OnceLock::new(),
            evidence: Mutex::default(),
            kept_in: None,
            shown: Mutex::default(),
        })
    }

    /// The same, shown in that way.
    pub fn with_style(self, style: PhotoStyle) -> Self {
        Self { style, ..self }
    }

    /// The same, with its cut-outs kept in files of that folder, if its parent exists.
    pub fn kept_in(self, folder: PathBuf) -> Self {
        Self { kept_in: Some(folder), ..self }
    }

    /// Keeps what was decoded before the folder could be written to.
    pub fn keep(&self) {
        for (place, cutout) in self.cutouts.get().into_iter().flatten().enumerate() {
            if let Some(path) = self.file(place).filter(|path| !path.exists()) {
                cutout.keep(&path);
            }
        }
    }

    /// Where the cut-out of an image is kept.
    fn file(&self, place: usize) -> Option<PathBuf> {
        let folder = self.kept_in.as_ref()?;
        folder.parent().filter(|run| run.is_dir())?;
        let PhotoKey { images, masks, .. } = &self.key;
        Some(folder.join(Cutout::file(&(images.get(place), masks.get(place)), self.style)))
    }

    /// BLAKE3 of the first image's and of its mask's bytes, hexadecimal.
    pub fn hashes(&self) -> (String, Option<String>) {
        let PhotoKey { images, masks, .. } = self.whole_key();
        (images.into_iter().next().unwrap_or_default(), masks.into_iter().next())
    }

    /// What identifies it in questions that show the object alone.
    pub fn key(&self) -> PhotoKey {
        PhotoKey { photo_style: Some(self.style), ..self.key.clone() }
    }

    /// What identifies it in questions about a reconstruction, which show the first image whole.
    pub fn whole_key(&self) -> PhotoKey {
        self.key.first_whole()
    }

    /// The names of its images; of one image, an empty one.
    pub(super) fn sides(&self) -> Vec<&str> {
        match self.key.photo_sides.as_slice() {
            [] => vec![""],
            sides => sides.iter().map(String::as_str).collect(),
        }
    }

    /// Decodes photo and mask and composes the pictures of a reconstruction, once.
    ///
    /// # Errors
    /// Pictures that cannot be decoded, [`SheetError::MaskSize`](sheet::SheetError::MaskSize),
    /// [`SheetError::EmptyMask`](sheet::SheetError::EmptyMask), a photo that does not say where its
    /// object is.
    pub fn check(&self) -> Result<(), Error> {
        self.reference().map(|_| ()).map_err(|e| self.images[0].named(self.sides()[0], e))
    }

    /// Decodes images and masks and cuts the object out, once; returns a warning about them.
    ///
    /// # Errors
    /// As [`check`](Self::check); a photo that does not say where its object is, is shown whole.
    pub fn cut_out(&self) -> Result<Option<String>, Error> {
        let note = |(side, cutout): (&str, &Cutout)| {
            let note = match cutout.source {
                MaskSource::File if cutout.marks_background => {
                    "the mask seems to mark the background instead of the object; if so, swap black and white"
                }
                MaskSource::PlainBackground => "cut out of the plain background",
                MaskSource::None => {
                    "shown whole, for lack of a mask, transparency or a plain background"
                }
                MaskSource::File | MaskSource::Alpha => return None,
            };
            Some(match side {
                "" => note.to_owned(),
                side => format!("{side}: {note}"),
            })
        };
        let cutouts = self.cutouts()?;
        let notes: Vec<String> = self.sides().into_iter().zip(cutouts).filter_map(note).collect();
        Ok(Some(notes.join("; ")).filter(|notes| !notes.is_empty()))
    }

    /// The object of the first image as the style shows it, on a plain ground.
    ///
    /// # Errors
    /// As [`cut_out`](Self::cut_out).
    pub fn object(&self) -> Result<&Picture, Error> {
        Ok(&self.cutouts()?[0].picture)
    }

    /// The objects of all images, as a style shows them.
    ///
    /// # Errors
    /// As [`cut_out`](Self::cut_out).
    pub fn objects(&self) -> Result<Vec<Image>, Error> {
        let image = |cutout: &Cutout| Image::decode(&cutout.picture.bytes);
        Ok(self.cutouts()?.iter().map(image).collect::<Result<_, _>>()?)
    }

    /// For the probe: the first photo's object close up as RGB8, its mask as Grey8 of equal size.
    pub(crate) fn evidence(&self) -> Result<Arc<(Image, Image)>, Error> {
        let known = || self.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(evidence) = known().upgrade() {
            return Ok(evidence);
        }
        let first = self.cutouts()?.first().and_then(Cutout::close_up);
        let evidence = Arc::new(first.ok_or_else(no_object)?);
        *known() = Arc::downgrade(&evidence);
        Ok(evidence)
    }

    /// The same of a photo that shows the front: the only one, or the one that is called so.
    pub(crate) fn front_evidence(&self) -> Result<Option<Arc<(Image, Image)>>, Error> {
        let is_front = matches!(self.sides()[0], "" | "front");
        is_front.then(|| self.evidence()).transpose()
    }

    /// The picture of that content as it reaches a judge, of the image at that place among the
    /// [sides](Self::sides); `None` for a content that is not made from a photo.
    pub(super) fn shown(
        &self,
        content: Content,
        place: usize,
        limits: &PictureLimits,
    ) -> Result<Option<Picture>, Error> {
        let key = (content, place, *limits);
        let shown = || self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, picture)) = shown().iter().find(|(known, _)| *known == key) {
            return Ok(Some(picture.clone()));
        }
        let reference = || self.reference();
        let whole = |image: &Image| limits.encoded(&limits.fitted(image)?);
        let picture = match content {
            Content::Photo => limits.fitted_picture(&self.cutouts()?[place].picture)?,
            Content::Highlighted => whole(&reference()?.highlighted)?,
            Content::ZoomHighlighted => whole(&reference()?.zoom_highlighted)?,
            Content::Zoom => whole(&reference()?.zoom)?,
            Content::FourView
            | Content::PairSheet
            | Content::PairBelowPhoto
            | Content::Left
            | Content::Right
            | Content::Picture => return Ok(None),
        };
        shown().push((key, picture.clone()));
        Ok(Some(picture))
    }

    fn cutouts(&self) -> Result<&[Cutout], Error> {
        if let Some(cutouts) = self.cutouts.get() {
            return Ok(cutouts);
        }
        let cutout = |place: usize, source: &Source| -> Result<Cutout, Error> {
            let path = self.file(place);
            if let Some(kept) = path.as_deref().and_then(Cutout::kept) {
                return Ok(kept);
            }
            let (image, mask) = source.decoded()?;
            let cutout = Cutout::new(&image, mask.as_ref(), self.style)?;
            if let Some(path) = &path {
                cutout.keep(path);
            }
            Ok(cutout)
        };
        let sides = self.sides();
        let cutouts = parallel::of(self.images.len(), |place| {
            let source = &self.images[place];
            cutout(place, source).map_err(|e| source.named(sides[place], e))
        });
        let cutouts = cutouts.into_iter().collect::<Result<_, Error>>()?;
        Ok(self.cutouts.get_or_init(|| cutouts))
    }

    /// The first photo with its object marked, and close up.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn reference(&self) -> Result<&Reference, Error> {
        if let Some(reference) = self.reference.get() {
            return Ok(reference);
        }
        let (photo, mask) = self.images[0].decoded()?;
        let mask = match mask {
            Some(mask) => mask,
            None => sheet::object_mask(&photo, None)?.0.ok_or_else(no_object)?,
        };
        let reference = sheet::reference(&photo, &mask, &ReferenceStyle::default())?;
        Ok(self.reference.get_or_init(|| reference))
    }
}

fn no_object() -> Error {
    Error::picture(
        "it does not say where its object is; give a mask of the object, or a photo with a transparent or plain background",
    )
}

impl Source {
    /// The error with the side and the file of the photo.
    fn named(&self, side: &str, error: Error) -> Error {
        let what = [side, "photo"].join(if side.is_empty() { "" } else { " " });
        error.within(match &self.image {
            Bytes::File(path) => format!("the {what} {path:?}"),
            Bytes::Given(_) => format!("the {what}"),
        })
    }

    /// Both as they are to be seen: a phone notes how it was held.
    fn decoded(&self) -> Result<(Image, Option<Image>), Error> {
        let (photo, turn) = Image::decode_photo(&self.image.read()?, None)?;
        let Some(mask) = &self.mask else {
            return Ok((photo, None));
        };
        let what = match mask {
            Bytes::File(path) => format!("its mask {path:?}"),
            Bytes::Given(_) => "its mask".to_owned(),
        };
        let (mask, _) = Image::decode_photo(&mask.read()?, Some(turn))
            .map_err(|e| Error::from(e).within(what))?;
        Ok((photo, Some(mask)))
    }
}
