//! Drawn assets and the limits of judges → a question's encoded pictures: all of it that takes
//! time, and nothing that names a judge, a method or a run, so that another machine can do it.

use super::case::Template;
use super::photo::Photo;
use super::picture_limits::{PictureLimits, drawn_px};
use crate::error::Error;
use crate::judge::Picture;
use crate::render::{Channel, Frame};
use crate::rubric::{Content, Order, PictureSpec};
use crate::sheet::{self, SheetError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// For each picture of a rubric, its frames; empty for one that is not drawn.
type Frames = [Arc<Vec<Frame>>];

/// Composes the pictures of a rubric for one group of judges.
#[derive(Clone, Copy)]
pub(super) struct PictureComposer<'a> {
    pub template: &'a Template,
    pub limits: PictureLimits,
    /// What the objects were made from.
    pub photo: Option<&'a Photo>,
    /// Pictures of this pair that another group of judges is shown as well.
    pub shared: &'a Shared,
}

/// The pictures of one question, ready to be sent.
///
/// By group of judges, then by order (one for a single object), then by picture of the rubric.
/// Groups are those of [`judges_by_limits`](super::judges_by_limits).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComposedPictures(pub Vec<Vec<Vec<Picture>>>);

/// Pictures of one pair, each composed, encoded and hashed once for all judges and both orders.
#[derive(Default)]
pub(super) struct Shared(Mutex<BTreeMap<PictureKey, Picture>>);

/// What decides a picture of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PictureKey {
    /// Its place in the rubric.
    picture: usize,
    shows: Shows,
    /// Of both objects.
    tile_px: [Option<u32>; 2],
    bytes_max: Option<u64>,
}

/// Indices are those of the pair as listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shows {
    /// The same in both orders; its place among the prompt's images.
    Photo(usize),
    Pair {
        left: usize,
    },
    Side(usize),
}

impl Shared {
    fn has(&self, key: &PictureKey) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(key)
    }

    fn get(&self, key: &PictureKey) -> Picture {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)[key].clone()
    }

    fn extend(&self, pictures: Vec<(PictureKey, Picture)>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(pictures);
    }
}

impl PictureComposer<'_> {
    /// Of both orders of a pair; `[0]` is the order as listed.
    pub(super) fn pair(&self, sides: [&Frames; 2]) -> Result<Vec<Vec<Picture>>, Error> {
        let keys_in = |order: Order| -> Result<Vec<PictureKey>, Error> {
            self.places()
                .into_iter()
                .map(|(picture, image)| self.picture_key(picture, image, order, sides))
                .collect()
        };
        let [listed, swapped] = Order::BOTH.map(keys_in);
        let orders = [listed?, swapped?];
        let mut keys = orders.concat();
        keys.sort_unstable();
        keys.dedup();
        keys.retain(|key| !self.shared.has(key));
        let composed = parallel::map(&keys, |key| self.pair_picture(key, sides));
        let composed: Vec<Picture> = composed.into_iter().collect::<Result<_, Error>>()?;
        self.shared.extend(keys.into_iter().zip(composed).collect());
        let pictures =
            |keys: &Vec<PictureKey>| keys.iter().map(|key| self.shared.get(key)).collect();
        Ok(orders.iter().map(pictures).collect())
    }

    /// The rubric's pictures in order, the photo once per prompt image; with the image's place.
    fn places(&self) -> Vec<(usize, usize)> {
        let images = self.photo.map_or(1, |photo| photo.sides().len());
        let times = |spec: &PictureSpec| match spec.content {
            Content::Photo => images,
            _ => 1,
        };
        self.template
            .rubric
            .pictures()
            .iter()
            .enumerate()
            .flat_map(|(i, spec)| (0..times(spec)).map(move |image| (i, image)))
            .collect()
    }

    /// Of one object and the photo of its prompt.
    pub(super) fn reconstruction(
        &self,
        frames: &Frames,
        photo: &Photo,
    ) -> Result<Vec<Picture>, Error> {
        self.template
            .rubric
            .pictures()
            .iter()
            .enumerate()
            .map(|(i, spec)| match photo.shown(spec.content, 0, &self.limits)? {
                Some(picture) => Ok(picture),
                None if spec.content == Content::FourView => {
                    let frames = self.tiles(i, &frames[i])?;
                    Ok(self.limits.encoded(&sheet::four_view(&frames)?)?)
                }
                None if spec.content == Content::Picture => self.grid(i, &frames[i]),
                None => Err(self.unfit(&spec.id)),
            })
            .collect()
    }

    /// Of one object against its prompt: grids of views.
    pub(super) fn category(&self, frames: &Frames) -> Result<Vec<Picture>, Error> {
        if let Some(spec) = self.unfit_for_category() {
            return Err(self.unfit(&spec.id));
        }
        (0..self.template.rubric.pictures().len()).map(|i| self.grid(i, &frames[i])).collect()
    }

    /// A picture of one object's views.
    fn grid(&self, picture: usize, frames: &Arc<Vec<Frame>>) -> Result<Picture, Error> {
        let tiles = self.tiles(picture, frames)?;
        let seen = sheet::grid(&tiles, self.channels(picture), self.columns(picture))?;
        self.limits.encoded(&seen)
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
        let grid = (frames.len(), self.columns(picture));
        match self.limits.tile_px(spec, grid, drawn) {
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
        image: usize,
        order: Order,
        sides: [&Frames; 2],
    ) -> Result<PictureKey, Error> {
        let spec = &self.template.rubric.pictures()[picture];
        let (left, right) = match order {
            Order::AsListed => (0, 1),
            Order::Swapped => (1, 0),
        };
        let shows = match spec.content {
            Content::Photo if self.photo.is_some() => Shows::Photo(image),
            Content::PairSheet => Shows::Pair { left },
            Content::PairBelowPhoto if self.photo.is_some() => Shows::Pair { left },
            Content::Left => Shows::Side(left),
            Content::Right => Shows::Side(right),
            _ => return Err(self.unfit(&spec.id)),
        };
        let tile_px = [0, 1].map(|side: usize| {
            let frames = &sides[side][picture];
            let drawn = drawn_px(frames)?;
            let grid = (frames.len(), self.columns(picture));
            self.limits.tile_px(spec, grid, drawn).or(Some(drawn))
        });
        // The left and the right picture of one object are the same where they are drawn alike.
        let picture = match shows {
            Shows::Side(_) => {
                (0..picture).find(|&before| self.is_alike(before, picture)).unwrap_or(picture)
            }
            Shows::Pair { .. } | Shows::Photo(_) => picture,
        };
        Ok(PictureKey { picture, shows, tile_px, bytes_max: self.limits.bytes_max })
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
    fn pair_picture(&self, key: &PictureKey, sides: [&Frames; 2]) -> Result<Picture, Error> {
        let picture = key.picture;
        let spec = &self.template.rubric.pictures()[picture];
        let (channels, columns) = (self.channels(picture), self.columns(picture));
        let side = match key.shows {
            Shows::Photo(image) => {
                let shown = self
                    .photo
                    .map(|photo| photo.shown(spec.content, image, &self.limits))
                    .transpose()?;
                return shown.flatten().ok_or_else(|| self.unfit(&spec.id));
            }
            Shows::Pair { left } => {
                let [left, right] = [left, 1 - left].map(|side| &sides[side][picture]);
                let (left, right) = (self.tiles(picture, left)?, self.tiles(picture, right)?);
                let sheet = sheet::pair(&left, &right, channels, columns)?;
                let image = match (spec.content, self.photo, drawn_px(&left)) {
                    (Content::PairBelowPhoto, Some(photo), Some(tile_px)) => {
                        sheet::below_strip(&photo.objects()?, &sheet, tile_px)?
                    }
                    _ => sheet,
                };
                return self.limits.encoded(&image);
            }
            Shows::Side(side) => &sides[side],
        };
        let frames = self.tiles(picture, &side[picture])?;
        let image = match spec.only {
            None => sheet::grid(&frames, channels, columns)?,
            Some(only) => {
                let frame = frames.get(only.view as usize);
                let one = frame.ok_or_else(|| self.unfit(&spec.id))?;
                sheet::grid(std::slice::from_ref(one), &[only.channel], None)?
            }
        };
        self.limits.encoded(&image)
    }

    /// A picture that a question about one object and its prompt does not have.
    pub(super) fn unfit_for_category(&self) -> Option<&PictureSpec> {
        let mut specs = self.template.rubric.pictures().iter();
        specs.find(|spec| spec.content != Content::Picture)
    }

    pub(super) fn unfit(&self, picture: &str) -> Error {
        Error::rubric(format!(
            "the picture {picture:?} of the rubric {:?} cannot be made here; its content does not suit the rubric's kind",
            self.template.rubric.name()
        ))
    }

    /// Columns of its grid; none for a square.
    pub(super) fn columns(&self, picture: usize) -> Option<u32> {
        self.template.drawings[picture].as_ref()?.rig.columns
    }

    pub(super) fn channels(&self, picture: usize) -> &[Channel] {
        let drawing = self.template.drawings[picture].as_ref();
        drawing.map_or(&[], |drawing| &drawing.settings.channels)
    }
}

/// The pictures of one question for each group of judges; `sides` are the frames of one asset or of
/// two, and `photo` what they were made from, for a rubric that shows it.
///
/// # Errors
/// [`Error`].
pub fn compose_pictures(
    template: &Template,
    groups: &[PictureLimits],
    sides: &[Vec<Arc<Vec<Frame>>>],
    photo: Option<&Photo>,
) -> Result<ComposedPictures, Error> {
    let shared = Shared::default();
    let each = groups.iter().map(|&limits| {
        let composer = PictureComposer { template, limits, photo, shared: &shared };
        match (sides, photo) {
            ([a, b], _) => composer.pair([a, b]),
            ([one], Some(photo)) => Ok(vec![composer.reconstruction(one, photo)?]),
            ([one], None) => Ok(vec![composer.category(one)?]),
            _ => Ok(Vec::new()),
        }
    });
    each.collect::<Result<_, _>>().map(ComposedPictures)
}

/// The part before the pictures' bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    /// Indices into `pictures`.
    groups: Vec<Vec<Vec<usize>>>,
    pictures: Vec<PictureHead>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PictureHead {
    width_px: u32,
    height_px: u32,
    bytes: usize,
}

impl ComposedPictures {
    /// To be sent to another process of the same version: the length of a JSON head (4 bytes,
    /// little-endian), the head, and each distinct picture once.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut distinct: Vec<&Picture> = Vec::new();
        for picture in self.0.iter().flatten().flatten() {
            if !distinct.contains(&picture) {
                distinct.push(picture);
            }
        }
        let place = |picture: &Picture| distinct.iter().position(|other| *other == picture);
        let order = |pictures: &Vec<Picture>| pictures.iter().filter_map(place).collect();
        let group = |orders: &Vec<Vec<Picture>>| orders.iter().map(order).collect();
        let groups = self.0.iter().map(group).collect();
        let pictures = distinct
            .iter()
            .map(|picture| PictureHead {
                width_px: picture.width_px,
                height_px: picture.height_px,
                bytes: picture.bytes.len(),
            })
            .collect();
        let head = serde_json::to_vec(&Head { groups, pictures }).expect("numbers are JSON");
        let mut all = (head.len() as u32).to_le_bytes().to_vec();
        all.extend(head);
        for picture in distinct {
            all.extend_from_slice(&picture.bytes);
        }
        all
    }

    /// None for bytes not from [`to_bytes`](Self::to_bytes). The pictures are not decoded.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (head, mut rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mut pictures = Vec::new();
        for picture in &head.pictures {
            let (png, after) = rest.split_at_checked(picture.bytes)?;
            let size_px = (picture.width_px, picture.height_px);
            pictures.push(Picture::of_encoded(png.to_vec(), size_px));
            rest = after;
        }
        let picture = |i: &usize| pictures.get(*i).cloned();
        let order = |indices: &Vec<usize>| indices.iter().map(picture).collect::<Option<Vec<_>>>();
        let group = |orders: &Vec<Vec<usize>>| orders.iter().map(order).collect::<Option<Vec<_>>>();
        let groups = head.groups.iter().map(group).collect::<Option<Vec<_>>>()?;
        rest.is_empty().then_some(Self(groups))
    }
}
