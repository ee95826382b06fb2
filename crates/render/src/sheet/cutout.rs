//! A photo → its object on a plain background, square, as judges and voters see it.
//!
//! The mask marks the object; without a mask, it is the opaque part of the photo, or the part that
//! differs from a plain background. A photo without any of these is shown whole.

use super::error::{SheetError, check_mask_size};
use super::mask::{MaskBox, grey_like, hard_mask, mask_box, read_mask, soft_mask};
use super::resize::resize;
use super::transfer::Transfer;
use crate::render::{Image, PixelFormat};
use serde::{Deserialize, Serialize};

/// How a photo is cropped and scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhotoStyle {
    /// A square of 1.2 times the object's longer side, 512 px, white
    #[default]
    Plain,
    /// As TRELLIS does: 1.2 times the longer side of the part over 80 % opaque, 518 px, black
    Trellis,
    /// As Hunyuan3D-2 prepares it: the object's longer side fills 85 %, 512 px, white
    Hunyuan3d,
}

impl PhotoStyle {
    /// Its name in benchmark files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Trellis => "trellis",
            Self::Hunyuan3d => "hunyuan3d",
        }
    }

    /// Edge of the picture, in pixels.
    pub fn size_px(self) -> u32 {
        match self {
            Self::Trellis => 518,
            Self::Plain | Self::Hunyuan3d => 512,
        }
    }

    /// The square's edge in longer sides of the object.
    fn air(self) -> f64 {
        match self {
            Self::Plain | Self::Trellis => 1.2,
            Self::Hunyuan3d => 1.0 / 0.85,
        }
    }

    fn ground(self) -> u8 {
        match self {
            Self::Trellis => 0,
            Self::Plain | Self::Hunyuan3d => 255,
        }
    }

    /// The least opacity that counts as the object.
    fn opaque_from(self) -> u8 {
        match self {
            Self::Plain => 128,
            Self::Trellis => 205,
            Self::Hunyuan3d => 1,
        }
    }
}

/// The source of an object's mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaskSource {
    /// A mask of its own.
    File,
    /// The photo's transparency.
    Alpha,
    /// The photo's background, which has one colour.
    PlainBackground,
    /// Nothing: the whole photo is shown.
    None,
}

/// The mask of a photo's object: Grey8 of its size, 255 on the object; and its source.
///
/// # Errors
/// [`SheetError::MaskSize`] and [`SheetError::EmptyMask`].
pub fn object_mask(
    photo: &Image,
    mask: Option<&Image>,
) -> Result<(Option<Image>, MaskSource), SheetError> {
    if let Some(mask) = mask {
        check_mask_size(photo, mask)?;
        return Ok((Some(stretched(soft_mask(mask)?)), MaskSource::File));
    }
    if let Some(alpha) = alpha(photo) {
        return Ok((Some(alpha), MaskSource::Alpha));
    }
    match apart_from_ground(photo) {
        Some(found) => Ok((Some(found), MaskSource::PlainBackground)),
        None => Ok((None, MaskSource::None)),
    }
}

/// The object on a plain background, RGB8, its mask in the photo, and the source of that.
///
/// # Errors
/// As [`object_mask`].
pub fn cut_out(
    photo: &Image,
    mask: Option<&Image>,
    style: PhotoStyle,
) -> Result<(Image, Option<Image>, MaskSource), SheetError> {
    let (found, source) = object_mask(photo, mask)?;
    let size_px = style.size_px();
    let whole = MaskBox { left: 0, top: 0, right: photo.width_px - 1, bottom: photo.height_px - 1 };
    let (place, air) = match &found {
        Some(found) => (mask_box(&hard_mask(found.clone(), style.opaque_from()))?, style.air()),
        None => (whole, 1.0),
    };
    let longest_px = place.width_px().max(place.height_px());
    let side_px = (f64::from(longest_px) * air).round().max(1.0) as u32;
    let square = on_ground(photo, found.as_ref(), place, side_px, style.ground());
    Ok((resize(&square, size_px, size_px, Transfer::Srgb)?, found, source))
}

/// Whether a mask marks surroundings: nearly all of the edge, but not all of the picture.
pub fn marks_background(mask: &Image) -> bool {
    let Ok(mask) = read_mask(mask) else {
        return false;
    };
    let share = |marked: usize, all: usize| marked as f64 / all as f64;
    let edge = edge_of(mask.width_px as usize, mask.height_px as usize);
    let on_edge = edge.clone().filter(|i| mask.pixels[*i] > 0).count();
    let all = mask.pixels.iter().filter(|value| **value > 0).count();
    share(on_edge, edge.count()) > 0.9 && share(all, mask.pixels.len()) < 0.99
}

/// With its largest value at 255: a mask painted in a dark colour is as opaque as a white one.
fn stretched(mut mask: Image) -> Image {
    let largest = u32::from(mask.pixels.iter().copied().max().unwrap_or(255).max(1));
    let scaled = |value: u8| (u32::from(value) * 255 / largest) as u8;
    mask.pixels.iter_mut().for_each(|value| *value = scaled(*value));
    mask
}

/// A photo's opacity, where it varies.
fn alpha(photo: &Image) -> Option<Image> {
    if photo.format != PixelFormat::Rgba8 {
        return None;
    }
    let values: Vec<u8> = photo.pixels.iter().skip(3).step_by(4).copied().collect();
    let is_cut = values.iter().any(|value| *value < 255) && values.iter().any(|value| *value > 127);
    is_cut.then(|| grey_like(photo, values))
}

/// The part that differs from a background of one colour, which fills nearly all of the picture's
/// edge; `None` for any other background.
fn apart_from_ground(photo: &Image) -> Option<Image> {
    /// Error of a colour channel in JPEG.
    const TOLERANCE: u8 = 12;
    const EDGE_SHARE_MIN: f64 = 0.98;
    /// Minimum share of the picture that an object fills.
    const OBJECT_SHARE_MIN: f64 = 0.001;
    let photo = photo.to_rgb8();
    let (width, height) = (photo.width_px as usize, photo.height_px as usize);
    let pixels = photo.pixels.as_chunks::<3>().0;
    let ground: [u8; 3] = std::array::from_fn(|channel| {
        let mut values: Vec<u8> = edge_of(width, height).map(|i| pixels[i][channel]).collect();
        values.sort_unstable();
        values[values.len() / 2]
    });
    let is_ground = |i: usize| {
        let mut steps = pixels[i].iter().zip(ground);
        steps.all(|(value, ground)| value.abs_diff(ground) <= TOLERANCE)
    };
    let edge: Vec<usize> = edge_of(width, height).filter(|i| is_ground(*i)).collect();
    if (edge.len() as f64) < EDGE_SHARE_MIN * edge_of(width, height).count() as f64 {
        return None;
    }
    // The background is what the edge leads to; the same colour within the object is the object.
    let mut mask = vec![255_u8; pixels.len()];
    let mut open = edge;
    open.iter().for_each(|i| mask[*i] = 0);
    while let Some(i) = open.pop() {
        let (x, y) = (i % width, i / width);
        let around = [
            (x > 0).then(|| i - 1),
            (x + 1 < width).then(|| i + 1),
            (y > 0).then(|| i - width),
            (y + 1 < height).then(|| i + width),
        ];
        for next in around.into_iter().flatten() {
            if mask[next] > 0 && is_ground(next) {
                mask[next] = 0;
                open.push(next);
            }
        }
    }
    let object = mask.iter().filter(|value| **value > 0).count();
    let is_there = object as f64 >= OBJECT_SHARE_MIN * pixels.len() as f64;
    is_there.then(|| grey_like(&photo, mask))
}

/// The pixels on the edge of a picture, by index.
fn edge_of(width: usize, height: usize) -> impl Iterator<Item = usize> + Clone {
    let rows = (0..width).flat_map(move |x| [x, (height - 1) * width + x]);
    let columns = (0..height).flat_map(move |y| [y * width, y * width + width - 1]);
    rows.chain(columns)
}

/// A square around the middle of `place`, the photo laid on the ground by its mask.
fn on_ground(
    photo: &Image,
    mask: Option<&Image>,
    place: MaskBox,
    side_px: u32,
    ground: u8,
) -> Image {
    let bytes = photo.format.bytes();
    let side = side_px as usize;
    let start = |first: u32, last: u32| {
        (i64::from(first) + i64::from(last) + 1 - i64::from(side_px)).div_euclid(2)
    };
    let (left, top) = (start(place.left, place.right), start(place.top, place.bottom));
    let mut pixels = vec![ground; side * side * 3];
    for (y, row) in pixels.chunks_exact_mut(side * 3).enumerate() {
        let Ok(from_y) = u32::try_from(top + y as i64) else {
            continue;
        };
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let from_x = u32::try_from(left + x as i64).unwrap_or(u32::MAX);
            if from_x >= photo.width_px || from_y >= photo.height_px {
                continue;
            }
            let i = from_y as usize * photo.width_px as usize + from_x as usize;
            let color: [u8; 3] =
                photo.pixels[i * bytes..i * bytes + 3].try_into().unwrap_or([ground; 3]);
            let share = mask.map_or(255, |mask| u32::from(mask.pixels[i]));
            *pixel = color.map(|c| {
                ((u32::from(c) * share + u32::from(ground) * (255 - share) + 127) / 255) as u8
            });
        }
    }
    Image { width_px: side_px, height_px: side_px, format: PixelFormat::Rgb8, pixels }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A red square of 20 px at (30, 10) in a picture of 100 × 60 px.
    fn photo(ground: [u8; 4], format: PixelFormat) -> Image {
        let pixels = (0..100 * 60).flat_map(|i| {
            let (x, y) = (i % 100, i / 100);
            let is_object = (30..50).contains(&x) && (10..30).contains(&y);
            let pixel = if is_object { [200, 0, 0, 255] } else { ground };
            pixel.into_iter().take(format.bytes()).collect::<Vec<u8>>()
        });
        Image { width_px: 100, height_px: 60, format, pixels: pixels.collect() }
    }

    /// Whether a pixel is nearly of that colour: the filter rings at hard edges.
    fn is(image: &Image, (x, y): (u32, u32), color: [u8; 3]) -> bool {
        let i = (y * image.width_px + x) as usize * 3;
        let mut pairs = image.pixels[i..i + 3].iter().zip(color);
        pairs.all(|(value, color)| value.abs_diff(color) <= 24)
    }

    #[test]
    fn the_object_fills_its_share_of_a_square_whatever_says_where_it_is() {
        let alpha = photo([0, 0, 0, 0], PixelFormat::Rgba8);
        let plain = photo([240, 240, 240, 255], PixelFormat::Rgb8);
        let mask = photo([0, 0, 0, 255], PixelFormat::Rgb8);
        let cases = [
            (&alpha, None, MaskSource::Alpha),
            (&plain, None, MaskSource::PlainBackground),
            (&plain, Some(&mask), MaskSource::File),
        ];
        for (photo, mask, source) in cases {
            let (shown, _, said) = cut_out(photo, mask, PhotoStyle::Plain).unwrap();
            assert_eq!((said, shown.width_px, shown.height_px), (source, 512, 512));
            assert!(is(&shown, (256, 256), [200, 0, 0]), "{source:?}");
            // The square has 24 px, 2 px of which are air on each side.
            assert!(is(&shown, (20, 256), [255; 3]), "{source:?}");
            assert!(is(&shown, (70, 256), [200, 0, 0]), "{source:?}");
        }
        let (shown, ..) = cut_out(&alpha, None, PhotoStyle::Trellis).unwrap();
        assert!(shown.width_px == 518 && is(&shown, (3, 3), [0; 3]));
        let (shown, ..) = cut_out(&alpha, None, PhotoStyle::Hunyuan3d).unwrap();
        assert!(is(&shown, (70, 256), [200, 0, 0]));
    }

    #[test]
    fn a_photo_without_a_sign_of_its_object_is_shown_whole() {
        let mut busy = photo([10, 200, 30, 255], PixelFormat::Rgb8);
        for (i, value) in busy.pixels.iter_mut().enumerate() {
            *value = value.wrapping_add((i * 37 % 101) as u8);
        }
        let (shown, _, source) = cut_out(&busy, None, PhotoStyle::Plain).unwrap();
        assert_eq!((source, shown.width_px), (MaskSource::None, 512));
        // Above and below the photo is ground.
        assert!(is(&shown, (256, 2), [255; 3]));
    }

    #[test]
    fn a_mask_of_the_background_is_known() {
        let object = photo([0, 0, 0, 255], PixelFormat::Rgb8);
        let mut turned = object.clone();
        turned
            .pixels
            .as_chunks_mut::<3>()
            .0
            .iter_mut()
            .for_each(|p| *p = if p[0] > 0 { [0; 3] } else { [255; 3] });
        assert!(!marks_background(&object));
        assert!(marks_background(&turned));
    }
}
