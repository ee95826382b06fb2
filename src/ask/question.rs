//! A template, drawn assets and the limits of a judge's pictures → questions: both orders of a pair, or one about a single asset.

use super::drawing::Drawing;
use super::error::QuestionError;
use super::photo::Photo;
use super::picture_limits::{PictureLimits, drawn_px};
use crate::judge::{Asset, Evidence, Picture, Question, Specimen};
use crate::render::{Channel, Frame, Image, ProtocolRecord};
use crate::rubric::{Content, Example, Order, Rubric};
use crate::sheet::{self, SheetError};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Pictures of this pair that another group of judges is shown as well.
    pub composed: &'a Composed,
}

/// Pictures of one pair, each composed, encoded and hashed once, whoever sees it and in whichever order.
#[derive(Default)]
pub(super) struct Composed(Mutex<BTreeMap<PictureKey, Picture>>);

/// What decides a picture of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PictureKey {
    /// Its place in the rubric.
    picture: usize,
    shows: Shows,
    /// Of both objects.
    tile_px: [Option<u32>; 2],
}

/// Indices are those of the pair as listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shows {
    Pair { left: usize },
    Side(usize),
}

impl Composed {
    fn has(&self, key: &PictureKey) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains_key(key)
    }

    fn get(&self, key: &PictureKey) -> Picture {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[key].clone()
    }

    fn extend(&self, pictures: Vec<(PictureKey, Picture)>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(pictures);
    }
}

impl Composer<'_> {
    /// Both orders of a pair; `[0]` is the order as listed.
    pub(super) fn pair(&self, sides: &[Shown; 2]) -> Result<Vec<Arc<Question>>, QuestionError> {
        let specs = self.template.rubric.pictures();
        let all = || {
            (Order::BOTH.into_iter()).flat_map(|order| (0..specs.len()).map(move |i| (order, i)))
        };
        let mut keys: Vec<PictureKey> = all()
            .map(|(order, i)| self.picture_key(i, order, sides))
            .collect::<Result<_, _>>()?;
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| !self.composed.has(key));
        let composed: Result<Vec<(PictureKey, Picture)>, QuestionError> = (keys.into_par_iter())
            .map(|key| Ok((key, self.pair_picture(&key, sides)?)))
            .collect();
        self.composed.extend(composed?);
        let pictures = |order: Order| -> Result<Vec<Picture>, QuestionError> {
            (0..specs.len())
                .map(|i| Ok(self.composed.get(&self.picture_key(i, order, sides)?)))
                .collect()
        };
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
            question(Order::AsListed, pictures(Order::AsListed)?)?,
            question(Order::Swapped, pictures(Order::Swapped)?)?,
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

    /// What a picture of a pair shows, at which size.
    fn picture_key(
        &self,
        picture: usize,
        order: Order,
        sides: &[Shown; 2],
    ) -> Result<PictureKey, QuestionError> {
        let spec = &self.template.rubric.pictures()[picture];
        let (left, right) = match order {
            Order::AsListed => (0, 1),
            Order::Swapped => (1, 0),
        };
        let shows = match spec.content {
            Content::PairSheet => Shows::Pair { left },
            Content::Left => Shows::Side(left),
            Content::Right => Shows::Side(right),
            _ => return Err(self.unfit(&spec.id)),
        };
        let tile_px = [0, 1].map(|side: usize| {
            let frames = &sides[side].frames[picture];
            let drawn = drawn_px(frames)?;
            self.limits
                .tile_px(spec, frames.len(), drawn)
                .or(Some(drawn))
        });
        // The left and the right picture of one object are the same where they are drawn alike.
        let picture = match shows {
            Shows::Side(_) => (0..picture)
                .find(|&before| self.is_alike(before, picture))
                .unwrap_or(picture),
            Shows::Pair { .. } => picture,
        };
        Ok(PictureKey {
            picture,
            shows,
            tile_px,
        })
    }

    /// Whether two pictures of single objects differ in nothing but the side.
    fn is_alike(&self, x: usize, y: usize) -> bool {
        let specs = self.template.rubric.pictures();
        let is_side = |i: usize| matches!(specs[i].content, Content::Left | Content::Right);
        is_side(x)
            && is_side(y)
            && specs[x].only == specs[y].only
            && self.template.drawings[x] == self.template.drawings[y]
    }

    /// A picture of both objects, or of one of them.
    fn pair_picture(&self, key: &PictureKey, sides: &[Shown; 2]) -> Result<Picture, QuestionError> {
        let picture = key.picture;
        let spec = &self.template.rubric.pictures()[picture];
        let channels = self.channels(picture);
        let side = match key.shows {
            Shows::Pair { left } => {
                let [left, right] = [left, 1 - left].map(|side| &sides[side].frames[picture]);
                let (left, right) = (self.tiles(picture, left)?, self.tiles(picture, right)?);
                return Ok(Picture::from_image(&sheet::pair(&left, &right, channels)?)?);
            }
            Shows::Side(side) => &sides[side],
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
