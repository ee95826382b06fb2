//! Which pairs a page shows with their pictures, and the pictures as they are embedded: scaled, compressed, each once.

use super::RunReport;
use super::gallery::{Gallery, Item};
use crate::render::Image;
use crate::sheet::{Transfer, fit};
use crate::store::{ShownPicture, Store};
use base64::Engine;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// The longer side of an embedded picture: a 2×4 grid of tiles is still 256 px a tile.
pub const PICTURE_SIDE_PX: u32 = 1024;
/// All embedded pictures together, as the page holds them: a page of this size opens at once and fits into most mail.
pub const PICTURE_BYTES_MAX: usize = 24 << 20;
/// Of 100; artefacts are hard to see from here on.
const JPEG_QUALITY: u8 = 85;
/// A larger file is not read: several times what any judge takes.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// How many pairs are shown with their pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureCount {
    /// As many as fit.
    All,
    /// None: the page is small, and lists verdicts and words only.
    None,
    /// At most so many, the most telling ones.
    Some(usize),
}

impl Default for PictureCount {
    /// What a patient reader looks at in one sitting.
    fn default() -> Self {
        Self::Some(48)
    }
}

/// A picture in the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Embedded {
    /// Width as embedded.
    #[serde(rename = "w")]
    pub width_px: u32,
    /// Height as embedded.
    #[serde(rename = "h")]
    pub height_px: u32,
    /// A data URI.
    pub src: String,
}

/// The pictures by hash, in order of hashes.
pub(super) fn embedded(
    report: &RunReport,
    gallery: &Gallery,
    count: PictureCount,
) -> BTreeMap<String, Embedded> {
    let limit = match count {
        PictureCount::All => gallery.items.len(),
        PictureCount::None => 0,
        PictureCount::Some(limit) => limit,
    };
    let mut wanted: Vec<&String> = Vec::new();
    for place in chosen(&gallery.items, limit) {
        for hash in gallery.items[place].cover().0 {
            if !wanted.contains(&hash) {
                wanted.push(hash);
            }
        }
    }
    let found: Vec<(String, Option<Embedded>)> = {
        let files: Vec<(String, Option<ShownPicture>)> = (wanted.into_iter())
            .map(|hash| (hash.clone(), find(report, hash)))
            .collect();
        (files.into_par_iter())
            .map(|(hash, file)| (hash, file.and_then(|file| embed(&file))))
            .collect()
    };
    let mut bytes = 0;
    let mut kept = BTreeMap::new();
    for (hash, picture) in found {
        let Some(picture) = picture else { continue };
        bytes += picture.src.len();
        if bytes > PICTURE_BYTES_MAX {
            break;
        }
        kept.insert(hash, picture);
    }
    kept
}

/// The item's indices, the most telling first: half of them where answers differ (people against judges before judges against each
/// other before one judge against itself), the rest spread evenly over prompts and methods.
pub(super) fn chosen(items: &[Item], limit: usize) -> Vec<usize> {
    let weight = |item: &Item| {
        let d = item.differences;
        100 * d.people.count_ones() + 10 * d.judges.count_ones() + d.orders.count_ones()
    };
    let shown = |i: &usize| !items[*i].cover().0.is_empty();
    let mut telling: Vec<usize> = (0..items.len())
        .filter(shown)
        .filter(|&i| weight(&items[i]) > 0)
        .collect();
    // A stable sort keeps the order of the gallery among equals.
    telling.sort_by_key(|&i| std::cmp::Reverse(weight(&items[i])));
    telling.truncate(limit.div_ceil(2));
    let mut chosen = telling;
    let mut uses: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let names = |item: &'_ Item| -> [(&'static str, String); 3] {
        [
            ("method", item.a.method.clone()),
            (
                "method",
                item.b.as_ref().map_or(String::new(), |b| b.method.clone()),
            ),
            ("prompt", item.prompt.clone().unwrap_or_default()),
        ]
    };
    let keys: Vec<_> = items.iter().map(names).collect();
    for &i in &chosen {
        for (kind, name) in &keys[i] {
            *uses.entry((kind, name)).or_default() += 1;
        }
    }
    let mut left: Vec<usize> = (0..items.len())
        .filter(shown)
        .filter(|i| !chosen.contains(i))
        .collect();
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
        let best = (0..left.len())
            .min_by_key(|&at| used(left[at]))
            .unwrap_or(0);
        let next = left.remove(best);
        for (kind, name) in &keys[next] {
            *uses.entry((kind, name)).or_default() += 1;
        }
        chosen.push(next);
    }
    chosen
}

fn find(report: &RunReport, hash: &str) -> Option<ShownPicture> {
    let in_folder = |folder: &std::path::PathBuf| {
        let store = Store::read(folder).ok()?;
        store
            .shown_picture(hash)
            .ok()?
            .filter(|shown| shown.path.is_file())
    };
    report.folders.iter().find_map(in_folder)
}

/// None for a file that is gone or no picture: the page then lists the pair without it.
fn embed(file: &ShownPicture) -> Option<Embedded> {
    if std::fs::metadata(&file.path).ok()?.len() > FILE_BYTES_MAX {
        return None;
    }
    let image = Image::decode(&std::fs::read(&file.path).ok()?).ok()?;
    let longest = image.width_px.max(image.height_px);
    let image = if longest > PICTURE_SIDE_PX {
        fit(&image, PICTURE_SIDE_PX, Transfer::Srgb).ok()?
    } else {
        image
    };
    let (bytes, media_type) = compressed(&image.to_rgb8())?;
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    Some(Embedded {
        width_px: image.width_px,
        height_px: image.height_px,
        src: format!("data:{media_type};base64,{data}"),
    })
}

/// Whichever is smaller: JPEG, or lossless WebP, which wins where there is much empty background.
fn compressed(image: &Image) -> Option<(Vec<u8>, &'static str)> {
    let (width, height) = (image.width_px, image.height_px);
    let color = image::ExtendedColorType::Rgb8;
    let (mut jpeg, mut webp) = (Vec::new(), Vec::new());
    JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY)
        .encode(&image.pixels, width, height, color)
        .ok()?;
    WebPEncoder::new_lossless(&mut webp)
        .encode(&image.pixels, width, height, color)
        .ok()?;
    Some(if webp.len() < jpeg.len() {
        (webp, "image/webp")
    } else {
        (jpeg, "image/jpeg")
    })
}

#[cfg(test)]
mod tests {
    use super::super::gallery::{Differences, GalleryAnswer, Object};
    use super::*;
    use crate::rubric::{Order, Outcome};
    use crate::store::Rater;

    fn item(prompt: &str, a: &str, b: &str, orders: u32) -> Item {
        let object = |name: &str| Object {
            method: name.to_owned(),
            hash: name.to_owned(),
        };
        let said = GalleryAnswer {
            judge: Rater::named("j"),
            order: Order::AsListed,
            sample: 0,
            outcome: Outcome::Refusal,
            raw: None,
            seconds: 0.0,
            cost_usd: None,
            pictures: vec![format!("{prompt}{a}{b}")],
        };
        Item {
            rubric: "pairwise".to_owned(),
            rubric_hash: String::new(),
            category: None,
            prompt: Some(prompt.to_owned()),
            a: object(a),
            b: Some(object(b)),
            said: vec![said],
            differences: Differences {
                orders,
                ..Differences::default()
            },
        }
    }

    #[test]
    fn disagreement_comes_first_and_the_rest_is_spread() {
        let mut items: Vec<Item> = (0..6).map(|p| item(&p.to_string(), "x", "y", 0)).collect();
        items.push(item("0", "x", "z", 0));
        items.push(item("5", "x", "y", 0b11));
        let chosen = chosen(&items, 3);
        assert_eq!(chosen[0], 7, "the only one in dispute");
        assert_eq!(chosen[1], 6, "a method that was not seen yet");
        assert_eq!(chosen.len(), 3);
        assert!(super::chosen(&items, 0).is_empty());
        assert_eq!(super::chosen(&items, 100).len(), items.len());
    }
}
