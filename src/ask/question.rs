//! A template, drawn assets and the limits of a judge's pictures → questions: both orders of a pair, or one about a single asset.

use super::drawing::Drawing;
use super::error::QuestionError;
use super::photo::Photo;
use super::picture_limits::{PictureLimits, drawn_px};
use crate::judge::{Asset, Evidence, Picture, Question, Specimen};
use crate::render::{Channel, Frame, Image, ProtocolRecord};
use crate::rubric::{Content, Example, Order, PictureSpec, Rubric};
use crate::sheet::{self, SheetError};
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

/// What is asked, independent of assets and judges.
#[derive(Debug, Clone)]
pub struct QuestionTemplate<'a> {
    pub rubric: &'a Arc<Rubric>,
    /// For the category rubric.
    pub category: Option<&'a str>,
    pub prompt: Option<&'a str>,
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
    pub limits: PictureLimits,
    /// Worked examples, their pictures within the limits.
    pub examples: &'a [Example],
    pub plan_key: String,
}

impl Composer<'_> {
    /// Both orders of a pair; `[0]` is the order as listed.
    pub(super) fn pair(&self, sides: &[Shown; 2]) -> Result<Vec<Arc<Question>>, QuestionError> {
        let pictures = |order: Order| -> Result<Vec<Picture>, QuestionError> {
            let shown = match order {
                Order::AsListed => [&sides[0], &sides[1]],
                Order::Swapped => [&sides[1], &sides[0]],
            };
            (self.template.rubric.pictures().iter().enumerate())
                .map(|(i, spec)| self.pair_picture(i, spec, shown))
                .collect()
        };
        let (listed, swapped) =
            rayon::join(|| pictures(Order::AsListed), || pictures(Order::Swapped));
        let question = |order: Order, pictures: Vec<Picture>| {
            let mut specimens: Vec<_> = sides.iter().filter_map(|s| s.specimen.clone()).collect();
            if order == Order::Swapped {
                specimens.reverse();
            }
            let evidence = Evidence {
                scenes: specimens,
                ..Evidence::default()
            };
            self.question(&pictures, evidence, order, &sides[0], Some(&sides[1]))
        };
        Ok(vec![
            question(Order::AsListed, listed?)?,
            question(Order::Swapped, swapped?)?,
        ])
    }

    /// One object against its photo.
    pub(super) fn reconstruction(
        &self,
        shown: &Shown,
        photo: &Photo,
    ) -> Result<Arc<Question>, QuestionError> {
        let pictures = (self.template.rubric.pictures().iter().enumerate())
            .map(|(i, spec)| match photo.picture(spec.content)? {
                Some(image) => Ok(Picture::from_image(&self.limits.fitted(image)?)?),
                None if spec.content == Content::FourView => {
                    let frames = self.tiles(i, &shown.frames[i])?;
                    Ok(Picture::from_image(&sheet::four_view(&frames)?)?)
                }
                None => Err(self.unfit(&spec.id)),
            })
            .collect::<Result<Vec<_>, QuestionError>>()?;
        let evidence = Evidence {
            scenes: shown.specimen.iter().cloned().collect(),
            photo: Some(photo.evidence()?),
            picture: None,
        };
        self.question(&pictures, evidence, Order::AsListed, shown, None)
    }

    /// One object's grid, or a given picture as it is, against its prompt.
    pub(super) fn category(
        &self,
        shown: &Shown,
        given: Option<(&Picture, &Arc<Image>)>,
    ) -> Result<Arc<Question>, QuestionError> {
        let mut evidence = Evidence {
            scenes: shown.specimen.iter().cloned().collect(),
            ..Evidence::default()
        };
        let mut pictures = Vec::new();
        for (i, spec) in self.template.rubric.pictures().iter().enumerate() {
            if spec.content != Content::Picture {
                return Err(self.unfit(&spec.id));
            }
            let image = match given {
                Some((picture, image)) => {
                    pictures.push(self.limits.fitted_picture(picture)?);
                    Arc::clone(image)
                }
                None => {
                    let image = sheet::grid(&shown.frames[i], self.channels(i))?;
                    let tiles = self.tiles(i, &shown.frames[i])?;
                    let seen = sheet::grid(&tiles, self.channels(i))?;
                    pictures.push(Picture::from_image(&seen)?);
                    Arc::new(image)
                }
            };
            evidence.picture.get_or_insert(image);
        }
        self.question(&pictures, evidence, Order::AsListed, shown, None)
    }

    fn question(
        &self,
        pictures: &[Picture],
        evidence: Evidence,
        order: Order,
        a: &Shown,
        b: Option<&Shown>,
    ) -> Result<Arc<Question>, QuestionError> {
        let QuestionTemplate {
            rubric,
            category,
            prompt,
            drawings,
            protocol,
            ..
        } = self.template;
        Ok(Arc::new(Question {
            rubric: Arc::clone(rubric),
            category: category.map(str::to_owned),
            prompt: prompt.map(str::to_owned),
            parts: rubric.message(*category, *prompt, self.examples, pictures)?,
            evidence,
            a: a.asset.clone(),
            b: b.map(|shown| shown.asset.clone()),
            order,
            protocol: protocol.clone(),
            plan_key: Some(self.plan_key.clone()),
            view_px: self.limits.view_px(rubric, drawings),
        }))
    }

    /// The frames of a picture at the size of the judge's tiles.
    fn tiles(
        &self,
        picture: usize,
        frames: &Arc<Vec<Frame>>,
    ) -> Result<Arc<Vec<Frame>>, SheetError> {
        let spec = &self.template.rubric.pictures()[picture];
        let Some(drawn) = drawn_px(frames) else {
            return Ok(Arc::clone(frames));
        };
        match self.limits.tile_px(spec, frames.len(), drawn) {
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
            rubric: self.template.rubric.name().to_owned(),
        }
    }

    fn channels(&self, picture: usize) -> &[Channel] {
        let drawing = self.template.drawings[picture].as_ref();
        drawing.map_or(&[], |drawing| &drawing.settings.channels)
    }
}
