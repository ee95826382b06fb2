//! A case and its views → questions: both orders of a pair, or one about a single asset.

use super::case::{Case, Side, Source};
use super::photo::Photo;
use super::pictures::PictureComposer;
use super::studio::Views;
use crate::error::Error;
use crate::judge::{Evidence, PhotoKey, Picture, Question};
use crate::render::Image;
use crate::rubric::{Example, Order, unsendable};
use crate::sheet;
use std::sync::Arc;

/// A case for one group of judges, who are shown the same pictures.
pub(super) struct Composer<'a> {
    pub case: &'a Case,
    pub pictures: PictureComposer<'a>,
    /// Worked examples, their pictures within the limits.
    pub examples: &'a [Example],
    pub plan_key: &'a str,
    /// This group's pictures, by order and picture of the rubric, if another machine composed them.
    pub composed: Option<&'a [Vec<Picture>]>,
}

impl Composer<'_> {
    pub(super) fn questions(&self, views: &[Views]) -> Result<Vec<Arc<Question>>, Error> {
        match (views, self.case.photo.as_deref()) {
            ([a, b], _) => self.pair([a, b]),
            ([one], Some(photo)) => self.reconstruction(one, photo),
            ([one], None) => self.category(one),
            _ => Ok(Vec::new()),
        }
    }

    /// `[0]` is the order as listed.
    fn pair(&self, sides: [&Views; 2]) -> Result<Vec<Arc<Question>>, Error> {
        let pictures = match self.composed {
            Some(composed) => composed.to_vec(),
            None => self.pictures.pair(sides.map(|views| views.frames.as_slice()))?,
        };
        let question = |(order, pictures): (Order, &Vec<Picture>)| {
            let mut scenes: Vec<_> = sides.iter().filter_map(|s| s.specimen.clone()).collect();
            if order == Order::Swapped {
                scenes.reverse();
            }
            let shown = self.case.photo.as_deref();
            // A photo that does not say where its object is, is no evidence.
            let measured = shown.filter(|_| !scenes.is_empty());
            let photo = measured.and_then(|photo| photo.evidence().ok());
            let evidence = Evidence { scenes, photo, picture: None };
            self.question(pictures, evidence, order, shown.map(Photo::key))
        };
        Order::BOTH.into_iter().zip(&pictures).map(question).collect()
    }

    /// One object, or none, and the photo of its prompt.
    fn reconstruction(&self, views: &Views, photo: &Photo) -> Result<Vec<Arc<Question>>, Error> {
        let pictures = match self.composed.and_then(<[_]>::first) {
            Some(composed) => composed.clone(),
            None => self.pictures.reconstruction(&views.frames, photo)?,
        };
        let scenes = views.specimen.iter().cloned().collect();
        let mut evidence = Evidence { scenes, ..Evidence::default() };
        let key = match self.case.template.rubric.needs_photo() {
            true => {
                evidence.photo = Some(photo.evidence()?);
                photo.whole_key()
            }
            false => photo.key(),
        };
        Ok(vec![self.question(&pictures, evidence, Order::AsListed, Some(key))?])
    }

    /// One object's grid, or a given picture as it is, against its prompt.
    fn category(&self, views: &Views) -> Result<Vec<Arc<Question>>, Error> {
        let composer = &self.pictures;
        let source = self.case.sides.first().map(|side| &side.source);
        let (pictures, picture) = match (source, self.composed.and_then(<[_]>::first)) {
            (Some(Source::Picture(picture, image)), _) => {
                if let Some(spec) = composer.unfit_for_category() {
                    return Err(composer.unfit(&spec.id));
                }
                let fitted = composer.limits.fitted_picture(picture)?;
                let pictures = vec![fitted; composer.template.rubric.pictures().len()];
                (pictures, Some(Arc::clone(image)))
            }
            // Only who is shown unscaled pictures measures them.
            (_, Some(composed)) => {
                let first = composed.first().filter(|_| composer.limits.rule.is_none());
                (composed.clone(), first.map(decoded).transpose()?)
            }
            (_, None) => {
                let image = match views.frames.first() {
                    Some(frames) => {
                        let (channels, columns) = (composer.channels(0), composer.columns(0));
                        Some(Arc::new(sheet::grid(frames, channels, columns)?))
                    }
                    None => None,
                };
                (composer.category(&views.frames)?, image)
            }
        };
        let scenes = views.specimen.iter().cloned().collect();
        let evidence = Evidence { scenes, picture, ..Evidence::default() };
        Ok(vec![self.question(&pictures, evidence, Order::AsListed, None)?])
    }

    fn question(
        &self,
        pictures: &[Picture],
        evidence: Evidence,
        order: Order,
        photo: Option<PhotoKey>,
    ) -> Result<Arc<Question>, Error> {
        let Case { template, category, prompt, sides, .. } = self.case;
        let (category_name, text) = (category.as_deref(), prompt.as_deref());
        // Only a pair shows several photos by the names of their sides.
        let shown = self.case.photo.as_deref().filter(|_| sides.len() == 2);
        let names = shown.map_or_else(Vec::new, Photo::sides);
        let rubric = &template.rubric;
        let asset = |side: &Side| side.asset.clone();
        Ok(Arc::new(Question {
            rubric: Arc::clone(rubric),
            category: category.clone(),
            prompt: prompt.clone(),
            parts: rubric.message(category_name, text, self.examples, pictures, &names)?,
            photo,
            evidence,
            a: asset(&sides[0]),
            b: sides.get(1).map(asset),
            order,
            protocol: template.protocol.clone(),
            plan_key: Some(self.plan_key.to_owned()),
            view_px: self.pictures.limits.view_px(rubric, &template.drawings),
        }))
    }
}

fn decoded(picture: &Picture) -> Result<Arc<Image>, Error> {
    let image = Image::decode(&picture.bytes).map_err(unsendable)?;
    Ok(Arc::new(image))
}
