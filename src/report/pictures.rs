//! Which pairs a page shows with their pictures, and the pictures as they are embedded: scaled,
//! compressed, each once.

use super::RunReport;
use super::extent::PictureCount;
use super::gallery::Item;
use crate::render::Image;
use crate::sheet::{Transfer, fit};
use crate::store::{ShownPicture, Store, read_picture};
use base64::Engine;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The longer side of an embedded picture: a 2×4 grid of tiles is still 256 px a tile.
pub const PICTURE_SIDE_PX: u32 = 1024;
/// All embedded pictures, as stored in the page: such a page opens at once and fits most mail.
pub const PICTURE_BYTES_MAX: usize = 24 << 20;
/// From 100; artefacts are hard to see from here on.
const JPEG_QUALITY: u8 = 85;
/// A larger file is not read: several times what any judge takes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Among this many items, evenly spread, those with the most methods and prompts are chosen.
const SPREAD_OVER_MAX: usize = 5_000;

/// A picture as the page's script knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Embedded {
    #[serde(rename = "w")]
    width_px: u32,
    #[serde(rename = "h")]
    height_px: u32,
    /// A data URI, or a file next to the page.
    src: String,
}

/// A picture, scaled and compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scaled {
    pub width_px: u32,
    pub height_px: u32,
    media_type: &'static str,
    pub bytes: Vec<u8>,
}

impl Scaled {
    pub(super) fn shown(&self, src: String) -> Embedded {
        Embedded { width_px: self.width_px, height_px: self.height_px, src }
    }

    pub(super) fn data_uri(&self) -> String {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.bytes);
        format!("data:{};base64,{data}", self.media_type)
    }

    pub(super) fn extension(&self) -> &'static str {
        self.media_type.trim_start_matches("image/")
    }
}

/// The pictures by hash, in order of hashes.
pub(super) fn embedded(report: &RunReport, count: PictureCount) -> BTreeMap<String, Scaled> {
    let gallery = &report.gallery;
    let limit = match count {
        PictureCount::All => gallery.items.len(),
        PictureCount::None => 0,
        PictureCount::Some(limit) => limit,
    };
    let stores: Vec<Store> =
        report.folders.iter().filter_map(|folder| Store::read(folder).ok()).collect();
    let mut wanted: Vec<&str> = Vec::new();
    for place in chosen(&gallery.items, limit) {
        for hash in gallery.items[place].cover().0 {
            if !wanted.contains(&&**hash) {
                wanted.push(hash);
            }
        }
    }
    let files: Vec<(String, PathBuf)> = wanted
        .into_iter()
        .filter_map(|hash| Some((hash.to_owned(), find(&stores, hash)?.path)))
        .collect();
    let found = parallel::map(&files, |(_, path)| embed(path));
    let mut bytes = 0;
    let mut kept = BTreeMap::new();
    for ((hash, _), picture) in files.into_iter().zip(found) {
        let Some(picture) = picture else { continue };
        bytes += picture.bytes.len().div_ceil(3) * 4;
        if bytes > PICTURE_BYTES_MAX {
            break;
        }
        kept.insert(hash, picture);
    }
    kept
}

/// The items' indices, the most informative first: half of them where answers differ (people
/// against judges before judges against each other before one judge against itself), the rest
/// spread evenly over prompts and methods.
pub(super) fn chosen(items: &[Item], limit: usize) -> Vec<usize> {
    let weight = |item: &Item| {
        let d = item.differences;
        100 * d.people.count_ones() + 10 * d.judges.count_ones() + d.orders.count_ones()
    };
    let shown = |i: &usize| !items[*i].cover().0.is_empty();
    let mut telling: Vec<usize> =
        (0..items.len()).filter(shown).filter(|&i| weight(&items[i]) > 0).collect();
    // A stable sort keeps the order of the gallery among equals.
    telling.sort_by_key(|&i| std::cmp::Reverse(weight(&items[i])));
    telling.truncate(limit.div_ceil(2));
    let mut chosen = telling;
    let mut uses: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let names = |item: &'_ Item| -> [(&'static str, String); 3] {
        [
            ("method", item.a.method.to_string()),
            ("method", item.b.as_ref().map_or(String::new(), |b| b.method.to_string())),
            ("prompt", item.prompt.as_deref().unwrap_or_default().to_owned()),
        ]
    };
    let keys: Vec<_> = items.iter().map(names).collect();
    for &i in &chosen {
        for (kind, name) in &keys[i] {
            *uses.entry((kind, name)).or_default() += 1;
        }
    }
    let is_chosen: BTreeSet<usize> = chosen.iter().copied().collect();
    let mut left: Vec<usize> =
        (0..items.len()).filter(shown).filter(|i| !is_chosen.contains(i)).collect();
    // Spread over all of a large run, without looking at each item once for each that is chosen.
    if left.len() > SPREAD_OVER_MAX && limit < SPREAD_OVER_MAX {
        let step = left.len() / SPREAD_OVER_MAX;
        left = left.into_iter().step_by(step).collect();
    }
    if left.len() + chosen.len() <= limit {
        chosen.extend(left);
        return chosen;
    }
    while chosen.len() < limit && !left.is_empty() {
        let used = |i: usize| -> usize {
            let of = |(kind, name): &(&'static str, String)| {
                uses.get(&(*kind, name.as_str())).copied().unwrap_or(0)
            };
            keys[i].iter().map(of).sum()
        };
        let best = (0..left.len()).min_by_key(|&at| used(left[at])).unwrap_or(0);
        let next = left.remove(best);
        for (kind, name) in &keys[next] {
            *uses.entry((kind, name)).or_default() += 1;
        }
        chosen.push(next);
    }
    chosen
}

pub(super) fn find(stores: &[Store], hash: &str) -> Option<ShownPicture> {
    let in_store = |store: &Store| {
        let shown = store.shown_picture(hash).ok()?;
        shown.filter(|shown| shown.path.is_file())
    };
    stores.iter().find_map(in_store)
}

/// None for a file that is gone or no picture: the page then lists the pair without it.
pub(super) fn embed(path: &Path) -> Option<Scaled> {
    if std::fs::metadata(path).ok()?.len() > FILE_BYTES_MAX {
        return None;
    }
    let image = Image::decode(&read_picture(path).ok()?).ok()?;
    let longest = image.width_px.max(image.height_px);
    let image = if longest > PICTURE_SIDE_PX {
        fit(&image, PICTURE_SIDE_PX, Transfer::Srgb).ok()?
    } else {
        image
    };
    let image = image.to_rgb8();
    // Whichever is smaller: WebP wins where there is much empty background.
    let (jpeg, webp) = (jpeg(&image, JPEG_QUALITY)?, image.to_webp().ok()?);
    if webp.len() < jpeg.bytes.len() {
        return Some(Scaled { media_type: "image/webp", bytes: webp, ..jpeg });
    }
    Some(jpeg)
}

/// A small picture, where lossless WebP would seldom win.
pub(super) fn jpeg(image: &Image, quality: u8) -> Option<Scaled> {
    let (width_px, height_px) = (image.width_px, image.height_px);
    let bytes = image.to_jpeg(quality).ok()?;
    Some(Scaled { width_px, height_px, media_type: "image/jpeg", bytes })
}

#[cfg(test)]
mod tests {
    use super::super::gallery::{Differences, GalleryAnswer, Object, Values};
    use super::*;
    use crate::rubric::Order;
    use crate::store::Rater;
    use std::sync::Arc;

    fn item(prompt: &str, a: &str, b: &str, orders: u32) -> Item {
        let object = |name: &str| Object { method: name.into(), hash: name.into() };
        let said = GalleryAnswer {
            judge: Arc::new(Rater::named("j")),
            order: Order::AsListed,
            sample: 0,
            outcome: "refusal",
            reason: None,
            values: Values::NoVerdict,
            words: None,
            seconds: 0.0,
            cost_usd: None,
            pictures: [format!("{prompt}{a}{b}").into()].into(),
        };
        Item {
            rubric: "pairwise".into(),
            rubric_hash: "".into(),
            category: None,
            prompt: Some(prompt.into()),
            title: None,
            photo: None,
            fronts: None,
            a: object(a),
            b: Some(object(b)),
            said: vec![said],
            differences: Differences { orders, ..Differences::default() },
        }
    }

    #[test]
    fn disagreement_comes_first_and_the_rest_is_spread() {
        let mut items: Vec<Item> = (0..6).map(|p| item(&p.to_string(), "x", "y", 0)).collect();
        items.push(item("0", "x", "z", 0));
        items.push(item("5", "x", "y", 0b11));
        let chosen = chosen(&items, 3);
        assert_eq!(chosen[0], 7, "the only one in dispute");
        assert_eq!(chosen[1], 6, "a generator that was not seen yet");
        assert_eq!(chosen.len(), 3);
        assert!(super::chosen(&items, 0).is_empty());
        assert_eq!(super::chosen(&items, 100).len(), items.len());
    }
}
