//! A small picture of each asset, cut from a picture that judges saw: a strip for each prompt, with
//! one square tile for each generator. Reads no assets, so it also works where they are gone.

use super::gallery::{Gallery, Item, PROMPT_CHARS_MAX};
use super::pictures::{Scaled, find, jpeg};
use super::show::cut as shortened;
use crate::render::{Image, PixelFormat};
use crate::rubric::{Content, Order, PictureSpec, Rubric};
use crate::sheet::{Transfer, layout, resize};
use crate::store::{Store, read_picture};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Sharp at half that size on a dense screen; 4 KB as JPEG.
pub(super) const TILE_PX: u32 = 160;

/// More tiles in one file are half as wide, so that each prompt has its pictures.
const LARGE_TILES_MAX: usize = 1500;
const JPEG_QUALITY: u8 = 80;

/// Where an asset is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    /// Content hash.
    picture: Arc<str>,
    rubric: Arc<str>,
    /// In the right half of the picture of a pair.
    is_right: bool,
    is_pair: bool,
}

/// The tiles of one prompt, by generator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Strip(BTreeMap<Arc<str>, Shown>);

/// The strips by title of their prompts, in the order of the gallery. Prompts without a picture
/// have none.
pub(super) fn strips(gallery: &Gallery) -> Vec<(Arc<str>, Strip)> {
    let mut strips: Vec<(Arc<str>, Strip)> = Vec::new();
    let mut places: HashMap<Arc<str>, usize> = HashMap::new();
    // First pictures that show two assets without a tile, so that few pictures are read.
    for least in [2, 1] {
        for item in &gallery.items {
            let Some(title) = &item.title else { continue };
            let shown = shown(item);
            if shown.is_empty() {
                continue;
            }
            let at = *places.entry(Arc::clone(title)).or_insert_with(|| {
                strips.push((Arc::clone(title), Strip::default()));
                strips.len() - 1
            });
            let tiles = &mut strips[at].1.0;
            let new: Vec<_> = shown.into_iter().filter(|(m, _)| !tiles.contains_key(m)).collect();
            if new.len() >= least {
                tiles.extend(new);
            }
        }
    }
    strips
}

/// Each asset of an item, in its first picture that is no photo.
fn shown(item: &Item) -> Vec<(Arc<str>, Shown)> {
    let (cover, order) = item.cover();
    let mut pictures = cover.iter().filter(|hash| !item.photos().contains(hash));
    let Some(picture) = pictures.next() else {
        return Vec::new();
    };
    let is_pair = item.b.is_some();
    let tile = |method: &Arc<str>, is_right| {
        let (picture, rubric) = (Arc::clone(picture), Arc::clone(&item.rubric));
        (Arc::clone(method), Shown { picture, rubric, is_right, is_pair })
    };
    let is_turned = order == Order::Swapped;
    // Where each asset has pictures of its own, the first picture is of the left one.
    let has_both = pictures.next().is_none();
    let mut tiles = vec![tile(&item.a.method, is_turned)];
    tiles.extend(item.b.as_ref().map(|b| tile(&b.method, !is_turned)));
    if is_pair && !has_both {
        tiles.retain(|(_, shown)| !shown.is_right);
        tiles.iter_mut().for_each(|(_, shown)| shown.is_pair = false);
    }
    tiles
}

/// Views of an asset in a picture, and how many are next to each other if that was chosen.
type Grid = (usize, Option<u32>);

/// As the run's pictures were drawn.
fn grid_of(store: &Store) -> Option<Grid> {
    let record: Value = serde_json::from_str(&store.newest_protocol().ok()??).ok()?;
    let (views, columns) = (&record["rig"]["views"], &record["rig"]["columns"]);
    Some((views.as_array()?.len(), columns.as_u64().map(|columns| columns as u32)))
}

/// Left, top and side of a tile in a picture: the first view of the asset.
fn tile_of(
    picture: &Image,
    shown: &Shown,
    spec: Option<&PictureSpec>,
    drawn: Option<Grid>,
) -> (u32, u32, u32) {
    let planned = spec.map(|spec| (spec.views.unwrap_or(4) as usize, spec.columns));
    let (views, columns) = drawn.or(planned).unwrap_or((4, None));
    let across = layout(views, columns).map_or(1, |(across, _)| across);
    let halves = if shown.is_pair { 2 } else { 1 };
    let side = (picture.width_px / (halves * across)).max(1);
    let top = match spec.map(|spec| spec.content) {
        // The row of photos is as high as a tile.
        Some(Content::PairBelowPhoto) => side,
        _ => 0,
    };
    let left = if shown.is_right { picture.width_px / 2 } else { 0 };
    let side = side.min(picture.height_px.saturating_sub(top).max(1));
    (left, top.min(picture.height_px - side), side)
}

fn cut(picture: &Image, (left, top, side): (u32, u32, u32), tile_px: u32) -> Option<Image> {
    let mut tile = Image::filled(side, side, PixelFormat::Rgb8, &[255; 3]);
    let (from, to) = (picture.width_px as usize * 3, side as usize * 3);
    for (row, out) in tile.pixels.chunks_exact_mut(to).enumerate() {
        let start = (top as usize + row) * from + left as usize * 3;
        out.copy_from_slice(picture.pixels.get(start..start + to)?);
    }
    resize(&tile, tile_px, tile_px, Transfer::Srgb).ok()
}

impl Strip {
    /// The generators, in the order of the tiles.
    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|method| &**method)
    }

    /// None if no picture can be read. A tile whose picture cannot be read is white.
    pub(super) fn drawn(&self, folders: &[PathBuf], tile_px: u32) -> Option<Scaled> {
        let stores: Vec<Store> =
            folders.iter().filter_map(|folder| Store::read(folder).ok()).collect();
        let rubrics: BTreeMap<&str, Option<Rubric>> =
            self.0.values().map(|s| (&*s.rubric, Rubric::open(&s.rubric).ok())).collect();
        let grid = stores.iter().find_map(grid_of);
        let width_px = tile_px * self.0.len() as u32;
        let mut strip = Image::filled(width_px, tile_px, PixelFormat::Rgb8, &[255; 3]);
        let mut pictures: BTreeMap<&str, Option<Image>> = BTreeMap::new();
        let mut num_drawn = 0;
        for (place, shown) in self.0.values().enumerate() {
            let read = || {
                let path = find(&stores, &shown.picture)?.path;
                Some(Image::decode(&read_picture(&path).ok()?).ok()?.to_rgb8().into_owned())
            };
            let picture = pictures.entry(&shown.picture).or_insert_with(read);
            let mut specs = rubrics[&*shown.rubric].iter().flat_map(Rubric::pictures);
            let spec = specs.find(|spec| spec.views.is_some());
            let tile =
                picture.as_ref().and_then(|p| cut(p, tile_of(p, shown, spec, grid), tile_px));
            let Some(tile) = tile else { continue };
            num_drawn += 1;
            let (row, all) = (tile_px as usize * 3, width_px as usize * 3);
            for (y, pixels) in tile.pixels.chunks_exact(row).enumerate() {
                let start = y * all + place * row;
                strip.pixels[start..start + row].copy_from_slice(pixels);
            }
        }
        if num_drawn == 0 { None } else { jpeg(&strip, JPEG_QUALITY) }
    }
}

/// The strips as files or data, by their number.
pub(super) fn drawn(
    strips: &[(Arc<str>, Strip)],
    folders: &[PathBuf],
    tile_px: u32,
) -> Vec<Option<Scaled>> {
    parallel::map(strips, |(_, strip)| strip.drawn(folders, tile_px))
}

/// The width of a tile where all are in one file.
pub(super) fn tile_px_in_file(strips: &[(Arc<str>, Strip)]) -> u32 {
    let num_tiles: usize = strips.iter().map(|(_, strip)| strip.0.len()).sum();
    if num_tiles <= LARGE_TILES_MAX { TILE_PX } else { TILE_PX / 2 }
}

/// For the page's script: each strip's prompt and generators, by their numbers in `data`.
pub(super) fn script_strips(strips: &[(Arc<str>, Strip)], data: &Value) -> Value {
    let numbers = |list: &str| -> HashMap<String, usize> {
        let names = data[list].as_array().into_iter().flatten().enumerate();
        names.filter_map(|(n, name)| Some((name.as_str()?.to_owned(), n))).collect()
    };
    let (prompts, methods) = (numbers("prompts"), numbers("methods"));
    let of = |(title, strip): &(Arc<str>, Strip)| {
        let tiles: Vec<Option<&usize>> = strip.methods().map(|name| methods.get(name)).collect();
        json!([prompts.get(&shortened(title, PROMPT_CHARS_MAX)), tiles])
    };
    strips.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--views 1` has one view on each side where the rubric plans four.
    #[test]
    fn a_tile_is_a_whole_view_however_many_were_drawn() {
        let picture = Image::filled(512, 512, PixelFormat::Rgb8, &[0; 3]);
        let shown = |is_right| Shown {
            picture: Arc::from("p"),
            rubric: Arc::from("pairwise"),
            is_right,
            is_pair: true,
        };
        let rubric = Rubric::open("pairwise").unwrap();
        let spec = rubric.pictures().first();
        assert_eq!(tile_of(&picture, &shown(false), spec, Some((1, None))), (0, 0, 256));
        assert_eq!(tile_of(&picture, &shown(true), spec, Some((1, None))), (256, 0, 256));
        assert_eq!(tile_of(&picture, &shown(true), spec, Some((4, None))), (256, 0, 128));
        assert_eq!(tile_of(&picture, &shown(false), spec, None), (0, 0, 128));
    }
}
