//! Drawn assets and a rubric → a unit of questions: both orders of a pair, or one question about one object.

use super::ask::Unit;
use super::drawing::Drawing;
use super::sight::{Sight, drawn_px};
use crate::judge::{Evidence, Picture, Question, Specimen};
use crate::load::Options;
use crate::render::{Channel, Frame, Image};
use crate::rubric::{Content, Example, Order, PictureSpec, Rubric, RubricError};
use crate::sheet::{self, Reference, ReferenceStyle, SheetError};
use crate::store::{Asset, Protocol, Subject};
use std::sync::Arc;

/// Why a question could not be composed.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The pictures do not go together.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The rubric's text or a picture.
    #[error(transparent)]
    Rubric(#[from] RubricError),
    /// The rubric wants a picture that its kind does not have.
    #[error(
        "the picture {picture:?} of the rubric {rubric:?} cannot be made here; its content does not suit the rubric's kind"
    )]
    Unfit {
        /// Its id.
        picture: String,
        /// The rubric's name.
        rubric: String,
    },
}

/// A photo with its mask, and the pictures made of them.
#[derive(Debug, Clone)]
pub struct Photo {
    /// Highlighted photo and zooms.
    reference: Arc<Reference>,
    /// What a measuring judge looks at.
    evidence: Arc<(Image, Image)>,
}

impl Photo {
    /// Of a photo and a mask of its size.
    ///
    /// # Errors
    /// [`SheetError::MaskSize`], [`SheetError::EmptyMask`].
    pub fn new(photo: &Image, mask: &Image) -> Result<Self, SheetError> {
        let reference = sheet::reference(photo, mask, &ReferenceStyle::default())?;
        let evidence = (photo.to_rgb8().into_owned(), sheet::read_mask(mask)?);
        Ok(Self {
            reference: Arc::new(reference),
            evidence: Arc::new(evidence),
        })
    }

    fn picture(&self, content: Content) -> Option<&Image> {
        match content {
            Content::Highlighted => Some(&self.reference.highlighted),
            Content::ZoomHighlighted => Some(&self.reference.zoom_highlighted),
            Content::Zoom => Some(&self.reference.zoom),
            Content::FourView
            | Content::PairSheet
            | Content::Left
            | Content::Right
            | Content::Picture => None,
        }
    }
}

/// An asset as a question shows it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// As rows name it.
    pub asset: Asset,
    /// For judges that measure; none for pictures that were drawn elsewhere.
    pub specimen: Option<Arc<Specimen>>,
    /// For each picture of the rubric, its frames; empty for one that is not drawn.
    pub frames: Vec<Arc<Vec<Frame>>>,
}

/// What is asked, beside the assets.
#[derive(Debug, Clone)]
pub struct Asking<'a> {
    /// The rubric.
    pub rubric: &'a Arc<Rubric>,
    /// For the category rubric.
    pub category: Option<&'a str>,
    /// The text prompt.
    pub prompt: Option<&'a str>,
    /// Worked examples.
    pub examples: &'a [Example],
    /// For each picture of the rubric, how it is drawn.
    pub drawings: &'a [Option<Drawing>],
    /// How large pictures may be.
    pub sight: Sight,
    /// Which judges are asked; none for every one.
    pub judges: Option<Vec<usize>>,
    /// How the pictures were drawn.
    pub protocol: Option<Arc<Protocol>>,
    /// See [`Subject::plan`].
    pub plan: Option<String>,
    /// What it is about, for people.
    pub what: String,
}

impl Asking<'_> {
    fn subject(
        &self,
        pictures: &[Picture],
        evidence: Evidence,
        order: Order,
        [a, b]: [Option<&Asset>; 2],
    ) -> Result<Subject, QuestionError> {
        let parts = (self.rubric).message(self.category, self.prompt, self.examples, pictures)?;
        let question = Question {
            rubric: Arc::clone(self.rubric),
            category: self.category.map(str::to_owned),
            prompt: self.prompt.map(str::to_owned),
            parts,
            evidence,
        };
        Ok(Subject {
            question: Arc::new(question),
            a: a.cloned().expect("a question has a first asset"),
            b: b.cloned(),
            order,
            protocol: self.protocol.clone(),
            plan: self.plan.clone(),
            view_px: self.sight.view_px(self.rubric, self.drawings),
        })
    }

    /// The frames of a picture at the size of the judge's tiles.
    fn tiles(
        &self,
        picture: usize,
        frames: &Arc<Vec<Frame>>,
    ) -> Result<Arc<Vec<Frame>>, SheetError> {
        let spec = &self.rubric.pictures()[picture];
        let Some(drawn) = drawn_px(frames) else {
            return Ok(Arc::clone(frames));
        };
        match self.sight.tile_px(spec, frames.len(), drawn) {
            Some(tile_px) if tile_px != drawn => {
                sheet::fit_tiles(frames, self.channels(picture), tile_px).map(Arc::new)
            }
            _ => Ok(Arc::clone(frames)),
        }
    }

    /// A picture of both objects, or of one of them.
    fn pair_picture(
        &self,
        picture: usize,
        spec: &PictureSpec,
        [left, right]: [&Shown; 2],
    ) -> Result<Picture, QuestionError> {
        let channels = self.channels(picture);
        let side = match spec.content {
            Content::PairSheet => {
                let left = self.tiles(picture, &left.frames[picture])?;
                let right = self.tiles(picture, &right.frames[picture])?;
                return Ok(Picture::from_image(&sheet::pair(&left, &right, channels)?)?);
            }
            Content::Left => left,
            Content::Right => right,
            _ => return Err(self.unfit(&spec.id)),
        };
        let frames = self.tiles(picture, &side.frames[picture])?;
        let image = match spec.only {
            None => sheet::grid(&frames, channels)?,
            Some(only) => {
                let frame = frames.get(only.view as usize);
                let one = frame.ok_or_else(|| self.unfit(&spec.id))?;
                sheet::grid(std::slice::from_ref(one), &[only.channel])?
            }
        };
        Ok(Picture::from_image(&image)?)
    }

    fn unfit(&self, picture: &str) -> QuestionError {
        QuestionError::Unfit {
            picture: picture.to_owned(),
            rubric: self.rubric.name().to_owned(),
        }
    }

    fn channels(&self, picture: usize) -> &[Channel] {
        (self.drawings[picture].as_ref()).map_or(&[], |drawing| &drawing.settings.channels)
    }
}

/// The record of how a rubric's pictures are drawn: of its first drawn picture, which for our rubrics is the only one.
pub fn protocol(drawings: &[Option<Drawing>], load: &Options) -> Option<Arc<Protocol>> {
    let drawing = drawings.iter().flatten().next()?;
    let protocol = drawing.protocol(load);
    Some(Arc::new(Protocol {
        hash: protocol.hash(),
        record: protocol.to_json(),
    }))
}

/// Both orders of a pair, listed first as `[0]`.
///
/// # Errors
/// [`QuestionError`].
pub fn pair_unit(asking: &Asking<'_>, sides: &[Shown; 2]) -> Result<Unit, QuestionError> {
    let pictures = |order: Order| -> Result<Vec<Picture>, QuestionError> {
        let shown = match order {
            Order::AsListed => [&sides[0], &sides[1]],
            Order::Swapped => [&sides[1], &sides[0]],
        };
        (asking.rubric.pictures().iter().enumerate())
            .map(|(i, spec)| asking.pair_picture(i, spec, shown))
            .collect()
    };
    let (listed, swapped) = rayon::join(|| pictures(Order::AsListed), || pictures(Order::Swapped));
    let subject = |order: Order, pictures: Vec<Picture>| {
        let mut specimens: Vec<_> = sides.iter().filter_map(|s| s.specimen.clone()).collect();
        if order == Order::Swapped {
            specimens.reverse();
        }
        let evidence = Evidence {
            scenes: specimens,
            ..Evidence::default()
        };
        let assets = [Some(&sides[0].asset), Some(&sides[1].asset)];
        asking.subject(&pictures, evidence, order, assets)
    };
    Ok(Unit {
        subjects: vec![
            subject(Order::AsListed, listed?)?,
            subject(Order::Swapped, swapped?)?,
        ],
        what: asking.what.clone(),
        judges: asking.judges.clone(),
    })
}

/// One object against its photo.
///
/// # Errors
/// [`QuestionError`].
pub fn reconstruction_unit(
    asking: &Asking<'_>,
    shown: &Shown,
    photo: &Photo,
) -> Result<Unit, QuestionError> {
    let pictures = (asking.rubric.pictures().iter().enumerate())
        .map(|(i, spec)| match photo.picture(spec.content) {
            Some(image) => Ok(Picture::from_image(&asking.sight.fitted(image)?)?),
            None if spec.content == Content::FourView => {
                let frames = asking.tiles(i, &shown.frames[i])?;
                Ok(Picture::from_image(&sheet::four_view(&frames)?)?)
            }
            None => Err(asking.unfit(&spec.id)),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let evidence = Evidence {
        scenes: shown.specimen.iter().cloned().collect(),
        photo: Some(Arc::clone(&photo.evidence)),
        picture: None,
    };
    one(asking, shown, &pictures, evidence)
}

/// One object's grid, or a picture as it is, against its prompt.
///
/// # Errors
/// [`QuestionError`].
pub fn category_unit(
    asking: &Asking<'_>,
    shown: &Shown,
    given: Option<(&Picture, &Arc<Image>)>,
) -> Result<Unit, QuestionError> {
    let mut evidence = Evidence {
        scenes: shown.specimen.iter().cloned().collect(),
        ..Evidence::default()
    };
    let mut pictures = Vec::new();
    for (i, spec) in asking.rubric.pictures().iter().enumerate() {
        if spec.content != Content::Picture {
            return Err(asking.unfit(&spec.id));
        }
        let image = match given {
            Some((picture, image)) => {
                pictures.push(asking.sight.fitted_picture(picture)?);
                Arc::clone(image)
            }
            None => {
                let image = sheet::grid(&shown.frames[i], asking.channels(i))?;
                let tiles = asking.tiles(i, &shown.frames[i])?;
                let seen = sheet::grid(&tiles, asking.channels(i))?;
                pictures.push(Picture::from_image(&seen)?);
                Arc::new(image)
            }
        };
        evidence.picture.get_or_insert(image);
    }
    one(asking, shown, &pictures, evidence)
}

fn one(
    asking: &Asking<'_>,
    shown: &Shown,
    pictures: &[Picture],
    evidence: Evidence,
) -> Result<Unit, QuestionError> {
    let assets = [Some(&shown.asset), None];
    Ok(Unit {
        subjects: vec![asking.subject(pictures, evidence, Order::AsListed, assets)?],
        what: asking.what.clone(),
        judges: asking.judges.clone(),
    })
}
