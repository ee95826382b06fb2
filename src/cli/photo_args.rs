//! `--image` and `--mask`: one photo, or several that show named sides of one object.

use super::Printer;
use crate::ask::{Photo, Sides, ordered_sides};
use crate::error::Error;
use crate::rubric::Rubric;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
pub(super) struct PhotoArgs {
    /// Photo that the asset or pair was made from; several as SIDE=PHOTO, like front=a.png
    #[arg(long = "image", value_name = "PHOTO")]
    images: Vec<PathBuf>,

    /// Where the object is in the photo: white or opaque; SIDE=MASK with several photos. Default:
    /// from the photo's transparency or plain background
    #[arg(long = "mask", value_name = "MASK", requires = "images")]
    masks: Vec<PathBuf>,
}

impl PhotoArgs {
    /// The photos in the order in which a judge sees them.
    ///
    /// # Errors
    /// Two of one name, or names that are no names.
    pub(super) fn sides(&self) -> Result<Sides<PathBuf>, Error> {
        if let ([image], [] | [_]) = (&*self.images, &*self.masks) {
            let (side, image) = named(image);
            let (mask_side, mask) = self.masks.first().map(|mask| named(mask)).unzip();
            if let Some(of) = mask_side.flatten().filter(|of| side.as_ref() != Some(of)) {
                return Err(Error::usage(format!(
                    "there is a mask {of:?} but no photo of that name"
                )));
            }
            return Ok(vec![(String::new(), image, mask)]);
        }
        let images = self.images.iter().enumerate().map(|(i, image)| {
            let (side, path) = named(image);
            (side.unwrap_or_else(|| format!("view {}", i + 1)), path)
        });
        let images = distinct(images)?;
        let masks = self.masks.iter().map(|mask| match named(mask) {
            (Some(side), path) => Ok((side, path)),
            (None, path) => Err(Error::usage(
                "several photos are given; write --mask SIDE=MASK with the name of one of them",
            )
            .at(path)),
        });
        let masks = distinct(masks.collect::<Result<Vec<_>, Error>>()?)?;
        ordered_sides(images, masks).map_err(|reason| Error::usage(format!("there is {reason}")))
    }

    /// The photo that they are; none where none is given.
    ///
    /// # Errors
    /// As [`sides`](Self::sides), and files that cannot be read.
    pub(super) fn open(&self) -> Result<Option<Photo>, Error> {
        let sides = self.sides()?;
        let paths = sides.iter().map(|(side, image, mask)| (&**side, &**image, mask.as_deref()));
        (!sides.is_empty()).then(|| Photo::open_sides(paths)).transpose()
    }

    pub(super) fn is_given(&self) -> bool {
        !self.images.is_empty()
    }

    /// # Errors
    /// A photo that the rubric would leave out.
    pub(super) fn check(&self, rubric: &Rubric) -> Result<(), Error> {
        if self.is_given() && !rubric.shows_photo() && !rubric.needs_photo() {
            return Err(Error::usage(format!(
                "the rubric {:?} uses no photo; leave out --image, or choose another rubric with --rubric",
                rubric.name()
            )));
        }
        Ok(())
    }
}

/// Prints where the object in a photo was found, unless the user's mask or transparency says so.
///
/// # Errors
/// Pictures that cannot be decoded.
pub(super) fn warn_of_photo(photo: Option<&Photo>, printer: &Printer) -> Result<(), Error> {
    if let Some(note) = photo.map(Photo::cut_out).transpose()?.flatten() {
        printer.warn(&format!("the photo: {note}"));
    }
    Ok(())
}

/// `SIDE=PATH` or a path. A file that exists is a path, whatever its name.
fn named(given: &Path) -> (Option<String>, PathBuf) {
    match given.to_str().and_then(|text| text.split_once('=')) {
        Some((side, path)) if !given.exists() => (Some(side.to_owned()), path.into()),
        _ => (None, given.to_owned()),
    }
}

fn distinct(
    named: impl IntoIterator<Item = (String, PathBuf)>,
) -> Result<BTreeMap<String, PathBuf>, Error> {
    let mut found = BTreeMap::new();
    for (side, path) in named {
        if let Some(earlier) = found.insert(side.clone(), path.clone()) {
            return Err(Error::usage(format!(
                "two files are given for {side:?}: {earlier:?}, {path:?}"
            )));
        }
    }
    Ok(found)
}
