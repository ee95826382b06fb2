//! The size at which pictures reach a judge: each is resized by our own filter to the largest size
//! that the provider leaves unscaled, so that nobody else resamples it.

use super::drawing::Drawing;
use crate::error::Error;
use crate::judge::{Judge, PictureRule};
use crate::render::{Frame, Image};
use crate::rubric::{Content, Example, Picture, PictureSpec, Rubric, unsendable};
use crate::sheet::{ReferenceStyle, Transfer, layout, resize};
use serde::{Deserialize, Serialize};

/// Below this edge of a view, details that rubrics ask about are lost.
pub const VIEW_PX_LOW: u32 = 256;

/// The size assumed for a photo that is shown whole, which is not known before it is decoded.
const WHOLE_PX: (u32, u32) = (1024, 1024);

/// How large the pictures of one judge may be.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PictureLimits {
    /// What its provider leaves unscaled; none for a judge that measures the assets themselves.
    pub rule: Option<PictureRule>,
    /// Limit that the caller sets on the longer side of a pair's sheet.
    pub fit_px: Option<u32>,
    /// Bytes of an encoded picture. Not in keys: what was answered before a limit stays answered.
    #[serde(default)]
    pub bytes_max: Option<u64>,
}

/// A picture's size, and the edge of a view in it where it shows views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenSize {
    pub size_px: (u32, u32),
    /// Edge of a view.
    pub view_px: Option<u32>,
}

/// Judges grouped by picture limits, as indices into `judges`: a group sees the same pictures.
pub fn judges_by_limits(judges: &[Judge], fit_px: Option<u32>) -> Vec<(PictureLimits, Vec<usize>)> {
    let mut found: Vec<(PictureLimits, Vec<usize>)> = Vec::new();
    for (i, judge) in judges.iter().enumerate() {
        let limits = PictureLimits {
            rule: judge.endpoint().map(|endpoint| endpoint.facts().picture),
            fit_px,
            bytes_max: judge.endpoint().and_then(|it| it.facts().picture_bytes_max),
        };
        match found.iter_mut().find(|(known, _)| *known == limits) {
            Some((_, places)) => places.push(i),
            None => found.push((limits, vec![i])),
        }
    }
    found
}

impl PictureLimits {
    /// Tile edge of that picture; `grid` is its views and columns. None without tiles.
    pub fn tile_px(
        &self,
        spec: &PictureSpec,
        grid: (usize, Option<u32>),
        drawn_px: u32,
    ) -> Option<u32> {
        let (across, down) = tiles(spec, grid)?;
        let mut tile_px = drawn_px;
        let is_sheet = matches!(spec.content, Content::PairSheet | Content::PairBelowPhoto);
        if let Some(fit_px) = self.fit_px.filter(|_| is_sheet) {
            tile_px = tile_px.min(fit_px / across.max(down));
        }
        if let Some(rule) = self.rule {
            let (width_px, height_px) = rule.fit(tile_px * across, tile_px * down);
            tile_px = tile_px.min(width_px / across).min(height_px / down);
        }
        Some(tile_px)
    }

    /// A picture without tiles, as it reaches the judge.
    ///
    /// # Errors
    /// [`Error`].
    pub fn fitted(&self, image: &Image) -> Result<Image, Error> {
        let (width_px, height_px) = match self.rule {
            Some(rule) => rule.fit(image.width_px, image.height_px),
            None => (image.width_px, image.height_px),
        };
        resize(image, width_px, height_px, Transfer::Srgb).map_err(unsendable)
    }

    /// The same for an encoded picture: its very bytes where its size is within the limits.
    ///
    /// # Errors
    /// [`Error`].
    pub fn fitted_picture(&self, picture: &Picture) -> Result<Picture, Error> {
        let size_px = (picture.width_px, picture.height_px);
        let fits = |rule: PictureRule| rule.fit(size_px.0, size_px.1) == size_px;
        if self.rule.is_none_or(fits) && self.takes(picture) {
            return Ok(picture.clone());
        }
        let image = Image::decode(&picture.bytes).map_err(unsendable)?;
        self.encoded(&self.fitted(&image)?)
    }

    fn takes(&self, picture: &Picture) -> bool {
        self.bytes_max.is_none_or(|max| picture.bytes.len() as u64 <= max)
    }

    /// A picture of that size as it is sent: a PNG, or where that has too many bytes a JPEG, made
    /// smaller until it has not.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn encoded(&self, image: &Image) -> Result<Picture, Error> {
        let mut picture = Picture::from_image(image)?;
        if !self.takes(&picture) {
            picture = Picture::jpeg_of(image)?;
        }
        let mut scale = 1.0;
        while !self.takes(&picture) && picture.width_px.max(picture.height_px) > 1 {
            scale *= 0.875;
            let scaled = |px: u32| (f64::from(px) * scale).round().max(1.0) as u32;
            let (width_px, height_px) = (scaled(image.width_px), scaled(image.height_px));
            let smaller = resize(image, width_px, height_px, Transfer::Srgb);
            picture = Picture::jpeg_of(&smaller.map_err(unsendable)?)?;
        }
        Ok(picture)
    }

    /// Worked examples, as they reach the judge.
    ///
    /// # Errors
    /// [`Error`].
    pub fn fitted_examples(&self, examples: &[Example]) -> Result<Vec<Example>, Error> {
        examples
            .iter()
            .map(|example| {
                Ok(Example {
                    pictures: example
                        .pictures
                        .iter()
                        .map(|picture| self.fitted_picture(picture))
                        .collect::<Result<_, _>>()?,
                    answer: example.answer.clone(),
                })
            })
            .collect()
    }

    /// The sizes of a question's pictures before anything is drawn; `photos` is how many images a
    /// prompt has, and their size when they are cut out.
    pub fn sizes(
        &self,
        rubric: &Rubric,
        drawings: &[Option<Drawing>],
        photos: (usize, u32),
    ) -> Vec<SeenSize> {
        let fitted = |size: (u32, u32)| self.rule.map_or(size, |rule| rule.fit(size.0, size.1));
        rubric
            .pictures()
            .iter()
            .zip(drawings)
            .flat_map(|(spec, drawing)| {
                let tiled = drawing.as_ref().and_then(|drawing| {
                    let grid = (drawing.rig.views.len(), drawing.rig.columns);
                    let (across, down) = tiles(spec, grid)?;
                    let px = self.tile_px(spec, grid, drawing.settings.width_px)?;
                    Some(SeenSize { size_px: (px * across, px * down), view_px: Some(px) })
                });
                let zoom_px = ReferenceStyle::default().zoom_px;
                let (times, size_px) = match spec.content {
                    Content::Photo => (photos.0, (photos.1, photos.1)),
                    Content::Zoom | Content::ZoomHighlighted => (1, (zoom_px, zoom_px)),
                    _ => (1, WHOLE_PX),
                };
                let photo = SeenSize { size_px: fitted(size_px), view_px: None };
                let times = if tiled.is_some() { 1 } else { times };
                std::iter::repeat_n(tiled.unwrap_or(photo), times)
            })
            .collect()
    }

    /// The smallest view that the judge sees of a question; none where it sees none.
    pub fn view_px(&self, rubric: &Rubric, drawings: &[Option<Drawing>]) -> Option<u32> {
        let sizes = self.sizes(rubric, drawings, (1, 1));
        sizes.iter().filter_map(|size| size.view_px).min()
    }
}

/// Tiles across and down.
fn tiles(spec: &PictureSpec, (num_views, columns): (usize, Option<u32>)) -> Option<(u32, u32)> {
    let (across, down) = layout(num_views, columns).ok()?;
    let bands = spec.channels.len().max(1) as u32;
    match spec.content {
        Content::PairSheet => Some((2 * across, down * bands)),
        Content::PairBelowPhoto => Some((2 * across, down * bands + 1)),
        Content::Left | Content::Right if spec.only.is_some() => Some((1, 1)),
        Content::Left | Content::Right | Content::Picture => Some((across, down * bands)),
        Content::FourView => Some((2, 2)),
        Content::Photo | Content::Highlighted | Content::ZoomHighlighted | Content::Zoom => None,
    }
}

/// Edge of a tile as it was drawn.
pub(super) fn drawn_px(frames: &[Frame]) -> Option<u32> {
    let images = frames.first()?.images.values();
    images.map(|image| image.width_px).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::PixelFormat;

    #[test]
    fn a_picture_of_too_many_bytes_becomes_a_jpeg_and_then_smaller() {
        let mut image = Image::filled(256, 192, PixelFormat::Rgb8, &[0; 3]);
        let mut state = 1_u32;
        for value in &mut image.pixels {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            *value = 96 + (state >> 27) as u8;
        }
        let limits = |bytes_max| PictureLimits { bytes_max, ..PictureLimits::default() };
        let png = limits(None).encoded(&image).unwrap();
        let of = |bytes_max: u64| {
            let picture = limits(Some(bytes_max)).encoded(&image).unwrap();
            assert!(picture.bytes.len() as u64 <= bytes_max);
            let decoded = Image::decode(&picture.bytes).unwrap();
            let size_px = (picture.width_px, picture.height_px);
            assert_eq!((decoded.width_px, decoded.height_px), size_px);
            (picture.media_type, size_px)
        };
        let len = png.bytes.len() as u64;
        assert_eq!(of(len), ("image/png", (256, 192)));
        assert_eq!(of(len - 1), ("image/jpeg", (256, 192)));
        let (media_type, (width_px, height_px)) = of(len / 8);
        assert_eq!(media_type, "image/jpeg");
        assert!(
            width_px < 256 && (width_px * 3).abs_diff(height_px * 4) <= 4,
            "{width_px} × {height_px}"
        );
        // What was given encoded is sent as it is, or by the same rule.
        assert_eq!(limits(Some(len)).fitted_picture(&png).unwrap(), png);
        assert_eq!(limits(Some(len - 1)).fitted_picture(&png).unwrap().media_type, "image/jpeg");
    }
}
