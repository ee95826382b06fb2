//! A small picture of each asset, cut from a picture that judges saw: a strip for each prompt, with
//! one square tile for each generator. Reads no assets, so it also works where they are gone.

use super::gallery::{Differences, Gallery, Item, PROMPT_CHARS_MAX};
use super::pictures::{Scaled, find, jpeg};
use super::show::cut as shortened;
use crate::render::{Image, PixelFormat};
use crate::rubric::{Content, Order, PictureSpec, Rubric};
use crate::sheet::{Transfer, layout, resize};
use crate::store::{Store, read_picture};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// Sharp at half that size on a dense screen; 4 KB as JPEG.
const TILE_PX: u32 = 160;

/// More tiles in one file are half as wide, so that it opens at once.
const LARGE_TILES_MAX: usize = 1_500;

/// Tiles on a page that no server draws them for: in one file about 8 MB, and seconds to cut.
const TILES_MAX: usize = 5_000;

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

/// The tiles of one prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Strip {
    /// By generator.
    tiles: BTreeMap<Arc<str>, Shown>,
    /// On all criteria.
    num_differences: u32,
}

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
            let strip = &mut strips[at].1;
            let is_new = |tile: &(Arc<str>, Shown)| !strip.tiles.contains_key(&tile.0);
            let new: Vec<_> = shown.into_iter().filter(is_new).collect();
            if new.len() >= least {
                strip.tiles.extend(new);
            }
            if least == 2 {
                let Differences { orders, judges, people } = item.differences;
                strip.num_differences +=
                    [orders, judges, people].map(u32::count_ones).iter().sum::<u32>();
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

fn cut(picture: &Image, (left, top, side): (u32, u32, u32)) -> Option<Image> {
    let mut tile = Image::filled(side, side, PixelFormat::Rgb8, &[255; 3]);
    let (from, to) = (picture.width_px as usize * 3, side as usize * 3);
    for (row, out) in tile.pixels.chunks_exact_mut(to).enumerate() {
        let start = (top as usize + row) * from + left as usize * 3;
        out.copy_from_slice(picture.pixels.get(start..start + to)?);
    }
    Some(tile)
}

impl Strip {
    /// The generators, in the order of the tiles.
    pub(super) fn methods(&self) -> impl Iterator<Item = &str> {
        self.tiles.keys().map(|method| &**method)
    }
}

/// Where the pictures of runs are, and how they were drawn.
pub(super) struct Sheets {
    stores: Vec<Store>,
    grid: Option<Grid>,
    /// By rubric: that of its first picture of views.
    specs: HashMap<Arc<str>, Option<PictureSpec>>,
}

/// A tile of a strip, and the file that it is cut from.
struct Found<'a> {
    path: PathBuf,
    shown: &'a Shown,
    spec: Option<PictureSpec>,
    grid: Option<Grid>,
}

impl Sheets {
    pub(super) fn of(folders: &[PathBuf]) -> Self {
        let stores: Vec<Store> =
            folders.iter().filter_map(|folder| Store::read(folder).ok()).collect();
        Self { grid: stores.iter().find_map(grid_of), stores, specs: HashMap::new() }
    }

    /// Its tiles, in order; none where a picture is not there.
    fn find<'a>(&mut self, strip: &'a Strip) -> Vec<Option<Found<'a>>> {
        let Self { stores, grid, specs } = self;
        let found = |shown: &'a Shown| {
            let path = find(stores, &shown.picture)?.path;
            let spec = specs.entry(Arc::clone(&shown.rubric)).or_insert_with(|| {
                let rubric = Rubric::open(&shown.rubric).ok()?;
                rubric.pictures().iter().find(|spec| spec.views.is_some()).cloned()
            });
            Some(Found { path, shown, spec: spec.clone(), grid: *grid })
        };
        strip.tiles.values().map(found).collect()
    }

    /// See [`drawn`].
    pub(super) fn drawn(&mut self, strip: &Strip) -> Option<Scaled> {
        drawn(&self.find(strip), TILE_PX)
    }
}

/// Tiles next to each other, not larger than their views; one whose picture cannot be read is
/// white. None if no picture can be read.
fn drawn<'s>(strip: &'s [Option<Found<'_>>], tile_px: u32) -> Option<Scaled> {
    let mut pictures: BTreeMap<&str, Option<Image>> = BTreeMap::new();
    let cut = |found: Option<&'s Found<'_>>| {
        let Found { path, shown, spec, grid } = found?;
        let read = || Some(Image::decode(&read_picture(path).ok()?).ok()?.to_rgb8().into_owned());
        let picture = pictures.entry(&shown.picture).or_insert_with(read).as_ref()?;
        cut(picture, tile_of(picture, shown, spec.as_ref(), *grid))
    };
    let tiles: Vec<Option<Image>> = strip.iter().map(Option::as_ref).map(cut).collect();
    let tile_px = tiles.iter().flatten().map(|tile| tile.width_px).max()?.min(tile_px);
    let width_px = tile_px * tiles.len() as u32;
    let mut strip = Image::filled(width_px, tile_px, PixelFormat::Rgb8, &[255; 3]);
    let (row, all) = (tile_px as usize * 3, width_px as usize * 3);
    for (place, tile) in tiles.iter().enumerate() {
        let Some(tile) = tile else { continue };
        let tile = resize(tile, tile_px, tile_px, Transfer::Srgb).ok()?;
        for (y, pixels) in tile.pixels.chunks_exact(row).enumerate() {
            let start = y * all + place * row;
            strip.pixels[start..start + row].copy_from_slice(pixels);
        }
    }
    jpeg(&strip, JPEG_QUALITY)
}

/// As many strips as a page takes, those of the most disputed prompts, with their numbers.
fn most_disputed(strips: &[(Arc<str>, Strip)]) -> Vec<(usize, &Strip)> {
    let mut ranked: Vec<_> = strips.iter().map(|(_, strip)| strip).enumerate().collect();
    ranked.sort_by_key(|(_, strip)| Reverse(strip.num_differences));
    let mut num_tiles = 0;
    let fits = |(_, strip): &(usize, &Strip)| {
        num_tiles += strip.tiles.len();
        num_tiles <= TILES_MAX
    };
    ranked.into_iter().take_while(fits).collect()
}

/// The strips of a page, by the names that its script knows.
pub(super) fn drawn_strips(
    strips: &[(Arc<str>, Strip)],
    folders: &[PathBuf],
    is_one_file: bool,
) -> Vec<(String, Scaled)> {
    let mut sheets = Sheets::of(folders);
    let chosen = most_disputed(strips).into_iter();
    let found: Vec<_> = chosen.map(|(n, strip)| (n, sheets.find(strip))).collect();
    let num_tiles: usize = found.iter().map(|(_, tiles)| tiles.len()).sum();
    let is_small = is_one_file && num_tiles > LARGE_TILES_MAX;
    let tile_px = if is_small { TILE_PX / 2 } else { TILE_PX };
    let named = |(n, tiles): &(usize, Vec<_>)| Some((format!("strip-{n}"), drawn(tiles, tile_px)?));
    parallel::map(&found, named).into_iter().flatten().collect()
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

    #[test]
    fn the_most_disputed_prompts_have_pictures() {
        let shown = || Shown {
            picture: Arc::from("p"),
            rubric: Arc::from("pairwise"),
            is_right: false,
            is_pair: true,
        };
        let strip = |num_differences| {
            let tiles = (0..TILES_MAX / 2).map(|n| (Arc::from(n.to_string()), shown()));
            (Arc::from("prompt"), Strip { tiles: tiles.collect(), num_differences })
        };
        let strips = [strip(0), strip(5), strip(1)];
        let chosen = most_disputed(&strips).into_iter().map(|(number, _)| number);
        assert_eq!(chosen.collect::<Vec<_>>(), [1, 2]);
    }
}
