//! A template, assets and their pictures → questions: both orders of a pair, or one about a single asset.

use super::drawing::Drawing;
use super::error::QuestionError;
use super::photo::Photo;
use super::pictures::{ComposedPictures, PictureComposer};
use crate::judge::{Asset, Evidence, PhotoKey, Picture, Question, Specimen};
use crate::render::{Frame, Image, ProtocolRecord};
use crate::rubric::{Example, Order, Rubric, RubricError};
use crate::sheet;
use std::sync::Arc;

/// An asset as a question shows it.
#[derive(Debug, Clone)]
pub struct Shown {
    /// As records name it.
    pub asset: Asset,
    /// For the probe; none for pictures that were drawn elsewhere.
    pub specimen: Option<Arc<Specimen>>,
    /// For each picture of the rubric, its frames; empty for one that is not drawn.
    pub frames: Vec<Arc<Vec<Frame>>>,
}

/// An asset or a pair, with its pictures if another machine composed them. Without, they are composed of the frames.
#[derive(Debug, Clone)]
pub struct Drawn<S> {
    pub shown: S,
    pub composed: Option<ComposedPictures>,
}

impl<S> From<S> for Drawn<S> {
    fn from(shown: S) -> Self {
        Self { shown, composed: None }
    }
}

/// The question, independent of assets and judges.
#[derive(Debug, Clone)]
pub struct QuestionTemplate<'a> {
    pub rubric: &'a Arc<Rubric>,
    /// For the category rubric.
    pub category: Option<&'a str>,
    pub prompt: Option<&'a str>,
    /// What both objects of a pair were made from, for a rubric that shows it.
    pub photo: Option<&'a Photo>,
    /// For each picture of the rubric, how it is drawn.
    pub drawings: &'a [Option<Drawing>],
    /// How the pictures are drawn, as a record.
    pub protocol: Option<Arc<ProtocolRecord>>,
    /// Names the question in messages.
    pub what: String,
}

/// A template for one group of judges, who are shown the same pictures.
pub(super) struct Composer<'a> {
    pub template: &'a QuestionTemplate<'a>,
    pub pictures: PictureComposer<'a>,
    /// Worked examples, their pictures within the limits.
    pub examples: &'a [Example],
    pub plan_key: String,
    /// This group's pictures, by order and picture of the rubric, if another machine composed them.
    pub composed: Option<&'a [Vec<Picture>]>,
}

impl Composer<'_> {
    /// Both orders of a pair; `[0]` is the order as listed.
    pub(super) fn pair(&self, sides: &[Shown; 2]) -> Result<Vec<Arc<Question>>, QuestionError> {
        let pictures = match self.composed {
            Some(composed) => composed.to_vec(),
            None => self.pictures.pair([&sides[0].frames, &sides[1].frames])?,
        };
        let question = |(order, pictures): (Order, &Vec<Picture>)| {
            let mut specimens: Vec<_> = sides.iter().filter_map(|s| s.specimen.clone()).collect();
            if order == Order::Swapped {
                specimens.reverse();
            }
            // A photo that does not say where its object is, is no evidence.
            let photo = self.template.photo.filter(|_| !specimens.is_empty());
            let photo = photo.and_then(|photo| photo.evidence().ok());
            let evidence = Evidence { scenes: specimens, photo, picture: None };
            let photo = self.template.photo.map(Photo::key);
            let assets = (&sides[0], Some(&sides[1]));
            self.question(pictures, evidence, order, assets, photo)
        };
        Order::BOTH.into_iter().zip(&pictures).map(question).collect()
    }

    /// One object against its photo.
    pub(super) fn reconstruction(
        &self,
        shown: &Shown,
        photo: &Photo,
    ) -> Result<Arc<Question>, QuestionError> {
        let pictures = match self.composed.and_then(<[_]>::first) {
            Some(composed) => composed.clone(),
            None => self.pictures.reconstruction(&shown.frames, photo)?,
        };
        let evidence = Evidence {
            scenes: shown.specimen.iter().cloned().collect(),
            photo: Some(photo.evidence()?),
            picture: None,
        };
        let photo = Some(photo.whole_key());
        self.question(&pictures, evidence, Order::AsListed, (shown, None), photo)
    }

    /// One object's grid, or a given picture as it is, against its prompt.
    pub(super) fn category(
        &self,
        shown: &Shown,
        given: Option<(&Picture, &Arc<Image>)>,
    ) -> Result<Arc<Question>, QuestionError> {
        let composer = &self.pictures;
        let (pictures, picture) = match (given, self.composed.and_then(<[_]>::first)) {
            (Some((picture, image)), _) => {
                if let Some(spec) = composer.unfit_for_category() {
                    return Err(composer.unfit(&spec.id));
                }
                let fitted = composer.limits.fitted_picture(picture)?;
                let pictures = vec![fitted; composer.rubric.pictures().len()];
                (pictures, Some(Arc::clone(image)))
            }
            // Only who is shown unscaled pictures measures them.
            (None, Some(composed)) => {
                let first = composed.first().filter(|_| composer.limits.rule.is_none());
                (composed.clone(), first.map(decoded).transpose()?)
            }
            (None, None) => {
                let image = match shown.frames.first() {
                    Some(frames) => {
                        let (channels, columns) = (composer.channels(0), composer.columns(0));
                        Some(Arc::new(sheet::grid(frames, channels, columns)?))
                    }
                    None => None,
                };
                (composer.category(&shown.frames)?, image)
            }
        };
        let evidence = Evidence {
            scenes: shown.specimen.iter().cloned().collect(),
            picture,
            ..Evidence::default()
        };
        self.question(&pictures, evidence, Order::AsListed, (shown, None), None)
    }

    fn question(
        &self,
        pictures: &[Picture],
        evidence: Evidence,
        order: Order,
        (a, b): (&Shown, Option<&Shown>),
        photo: Option<PhotoKey>,
    ) -> Result<Arc<Question>, QuestionError> {
        let QuestionTemplate { rubric, category, prompt, drawings, protocol, .. } = self.template;
        Ok(Arc::new(Question {
            rubric: Arc::clone(rubric),
            category: category.map(str::to_owned),
            prompt: prompt.map(str::to_owned),
            parts: {
                let sides = self.template.photo.map_or_else(Vec::new, Photo::sides);
                rubric.message(*category, *prompt, self.examples, pictures, &sides)?
            },
            photo,
            evidence,
            a: a.asset.clone(),
            b: b.map(|shown| shown.asset.clone()),
            order,
            protocol: protocol.clone(),
            plan_key: Some(self.plan_key.clone()),
            view_px: self.pictures.limits.view_px(rubric, drawings),
        }))
    }
}

fn decoded(picture: &Picture) -> Result<Arc<Image>, RubricError> {
    let image = Image::decode(&picture.bytes)
        .map_err(|e| RubricError::Picture { reason: e.to_string() })?;
    Ok(Arc::new(image))
}
