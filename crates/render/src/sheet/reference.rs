//! A photo and its mask → the three pictures that say which object is meant: highlighted, zoomed
//! and highlighted, zoomed.
//!
//! The highlight is a translucent purple fill and, outside the object, a solid purple outline with
//! a white hairline around it. Any colour differs from purple or from white, so one of the two is
//! seen on every photo. Does not find the object.

use super::error::{SheetError, check_mask_size};
use super::mask::{MaskBox, mask_box, read_mask, soft_mask};
use super::resize;
use super::resize::fit;
use super::transfer::Transfer;
use crate::render::{Image, PixelFormat};

/// How the object is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceStyle {
    /// sRGB of fill and outline.
    pub color: [u8; 3],
    /// Share of the fill over the object, 0 to 1, mixed in encoded space.
    pub fill_opacity: f32,
    /// Outline width as a share of the picture's longer side; at least
    /// [`ReferenceStyle::OUTLINE_PX_MIN`].
    pub outline_share: f32,
    /// Air on each side of the mask's box, as a share of the box's longer side.
    pub margin_share: f32,
    /// Longer side of both zooms, in pixels; smaller cut-outs are enlarged.
    pub zoom_px: u32,
    /// A photo with a longer side is scaled down to it before it is highlighted.
    pub photo_px_max: u32,
}

impl ReferenceStyle {
    /// Thinner outlines are lost when a judge scales the picture down.
    pub const OUTLINE_PX_MIN: f32 = 2.0;
    /// The zoom never shows fewer photo pixels a side (unless the photo has fewer), so that a speck
    /// keeps its surroundings.
    pub const ZOOM_SOURCE_PX_MIN: u32 = 48;
    /// The white hairline is this share of the outline's width, at least 1 px.
    pub const HAIRLINE_SHARE: f32 = 0.4;
}

impl Default for ReferenceStyle {
    /// Purple `#A020F0`, 40 % fill, an outline of 1/200 (5 px of 1024), 15 % margin, zooms of 768
    /// px (what endpoints keep of a picture's short side), photos up to 2048 px.
    fn default() -> Self {
        Self {
            color: [160, 32, 240],
            fill_opacity: 0.4,
            outline_share: 0.005,
            margin_share: 0.15,
            zoom_px: 768,
            photo_px_max: 2048,
        }
    }
}

/// The three pictures, RGB8 sRGB, in the order the rubric shows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The whole photo, the object highlighted.
    pub highlighted: Image,
    /// A square around the object, highlighted.
    pub zoom_highlighted: Image,
    /// The same square of the plain photo.
    pub zoom: Image,
}

/// The cut-out of a photo, in its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoomWindow {
    pub left: u32,
    pub top: u32,
    pub width_px: u32,
    /// Rows; equal to the columns unless the photo is too small for the square.
    pub height_px: u32,
}

/// Highlights the object and zooms in on it. `mask` may be grey, colour or alpha; see
/// [`read_mask`](super::read_mask).
///
/// # Errors
/// [`SheetError::MaskSize`], [`SheetError::EmptyMask`], and [`SheetError::Size`] for a style with
/// sizes out of range.
pub fn reference(
    photo: &Image,
    mask: &Image,
    style: &ReferenceStyle,
) -> Result<Reference, SheetError> {
    check_mask_size(photo, mask)?;
    let photo = photo.to_rgb8();
    let mask = soft_mask(mask)?;
    let window = zoom_window(mask_box(&mask)?, photo.width_px, photo.height_px, style.margin_share);
    let zoom = fit(&crop(&photo, window), style.zoom_px, Transfer::Srgb)?;
    let zoom_mask = resize(&crop(&mask, window), zoom.width_px, zoom.height_px, Transfer::Linear)?;
    let longest_px = photo.width_px.max(photo.height_px).min(style.photo_px_max);
    let shown = fit(&photo, longest_px, Transfer::Srgb)?;
    let shown_mask = resize(&mask, shown.width_px, shown.height_px, Transfer::Linear)?;
    Ok(Reference {
        highlighted: highlight(&shown, &shown_mask, style),
        zoom_highlighted: highlight(&zoom, &zoom_mask, style),
        zoom,
    })
}

/// Edge of a [`close_up`]: twelve pixels for each one of a comparison of outlines and colours.
const CLOSE_UP_PX_MAX: u32 = 768;

/// Air around the object of a [`close_up`], as a share of its longer side.
const CLOSE_UP_MARGIN: f32 = 0.125;

/// The square around the object, RGB8, and its mask, Grey8: unscaled unless larger than 768 px.
///
/// # Errors
/// As [`reference`](fn@reference).
pub fn close_up(photo: &Image, mask: &Image) -> Result<(Image, Image), SheetError> {
    let mask = read_mask(mask)?;
    let window = zoom_window(mask_box(&mask)?, photo.width_px, photo.height_px, CLOSE_UP_MARGIN);
    let photo = crop(&photo.to_rgb8(), window);
    let longest_px = window.width_px.max(window.height_px).min(CLOSE_UP_PX_MAX);
    let shown = fit(&photo, longest_px, Transfer::Srgb)?;
    let mask = resize(&crop(&mask, window), shown.width_px, shown.height_px, Transfer::Linear)?;
    Ok((shown, mask))
}

/// The square around a box, centred, with margin. Shifted inwards at the photo's edge; a side is
/// shortened only where the photo is shorter, so the whole object is always inside.
pub fn zoom_window(
    object: MaskBox,
    photo_width_px: u32,
    photo_height_px: u32,
    margin_share: f32,
) -> ZoomWindow {
    let longest_px = object.width_px().max(object.height_px());
    let margin_px = (longest_px as f32 * margin_share.max(0.0)).round() as u32;
    let side_px = longest_px
        .saturating_add(margin_px.saturating_mul(2))
        .max(ReferenceStyle::ZOOM_SOURCE_PX_MIN);
    let along = |first: u32, last: u32, photo_px: u32| {
        let length_px = side_px.min(photo_px);
        // Twice the centre, so that an odd box stays centred to half a pixel.
        let start = (i64::from(first) + i64::from(last) + 1 - i64::from(length_px)).div_euclid(2);
        (start.clamp(0, i64::from(photo_px - length_px)) as u32, length_px)
    };
    let (left, width_px) = along(object.left, object.right, photo_width_px);
    let (top, height_px) = along(object.top, object.bottom, photo_height_px);
    ZoomWindow { left, top, width_px, height_px }
}

/// Fill, outline and hairline over an RGB8 photo; `mask`: Grey8, same size, object from 128 on.
///
/// Outline and hairline are outside the object so that nothing of it is covered; where the object
/// touches the picture's edge they run inside along the edge.
pub fn highlight(photo: &Image, mask: &Image, style: &ReferenceStyle) -> Image {
    assert_eq!(
        (photo.format, mask.format),
        (PixelFormat::Rgb8, PixelFormat::Grey8),
        "formats of photo and mask"
    );
    assert_eq!((photo.width_px, photo.height_px), (mask.width_px, mask.height_px), "one size");
    let longest_px = photo.width_px.max(photo.height_px) as f32;
    let outline_px = (style.outline_share * longest_px).max(ReferenceStyle::OUTLINE_PX_MIN);
    let hairline_px = (outline_px * ReferenceStyle::HAIRLINE_SHARE).max(1.0);
    let reach_px = (outline_px + hairline_px).ceil() as u32 + 1;
    let in_row = distances_in_rows(mask, reach_px);
    let mut out = photo.clone();
    let width = photo.width_px as usize;
    parallel::each_chunk(&mut out.pixels, width * 3, |y, row| {
        for (x, pixel) in row.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let is_object = mask.pixels[y * width + x] >= 128;
            let distance_px = if is_object {
                mix(pixel, style.color, style.fill_opacity);
                edge_distance_px(x, y, photo)
            } else {
                distance_px(&in_row, width, x, y, reach_px)
            };
            // The object ends half a pixel before distance 1, and a band fades over one pixel.
            mix(pixel, [255; 3], (outline_px + hairline_px + 1.0 - distance_px).clamp(0.0, 1.0));
            mix(pixel, style.color, (outline_px + 1.0 - distance_px).clamp(0.0, 1.0));
        }
    });
    out
}

/// Distance of an object's pixel to the outside of the picture: 1 on the edge itself.
fn edge_distance_px(x: usize, y: usize, picture: &Image) -> f32 {
    let (right, below) = (picture.width_px as usize - x, picture.height_px as usize - y);
    (x + 1).min(y + 1).min(right).min(below) as f32
}

/// Distance of every pixel to the nearest object pixel in its own row, at most `reach_px`.
fn distances_in_rows(mask: &Image, reach_px: u32) -> Vec<u32> {
    let width = mask.width_px as usize;
    let mut distances = vec![reach_px; mask.pixels.len()];
    parallel::each_chunk(&mut distances, width, |y, out| {
        let row = &mask.pixels[y * width..][..out.len()];
        let mut last = reach_px;
        for (distance, &value) in out.iter_mut().zip(row) {
            last = if value >= 128 { 0 } else { (last + 1).min(reach_px) };
            *distance = last;
        }
        for i in (0..width.saturating_sub(1)).rev() {
            out[i] = out[i].min(out[i + 1] + 1);
        }
    });
    distances
}

/// Exact Euclidean distance to the object, at most `reach_px`: the smallest over rows in reach.
fn distance_px(in_row: &[u32], width: usize, x: usize, y: usize, reach_px: u32) -> f32 {
    let reach = reach_px as usize;
    let last_row = (in_row.len() / width - 1).min(y + reach);
    let squared = (y.saturating_sub(reach)..=last_row)
        .map(|row| {
            let (dx, dy) = (u64::from(in_row[row * width + x]), row.abs_diff(y) as u64);
            dx * dx + dy * dy
        })
        .min();
    squared.map_or(reach_px as f32, |s| (s as f32).sqrt()).min(reach_px as f32)
}

fn mix(pixel: &mut [u8; 3], color: [u8; 3], share: f32) {
    for (byte, target) in pixel.iter_mut().zip(color) {
        *byte = (f32::from(*byte) * (1.0 - share) + f32::from(target) * share + 0.5) as u8;
    }
}

fn crop(image: &Image, window: ZoomWindow) -> Image {
    let bytes = image.format.bytes();
    let stride = image.width_px as usize * bytes;
    let pixels = (window.top..window.top + window.height_px)
        .flat_map(|y| {
            let start = y as usize * stride + window.left as usize * bytes;
            &image.pixels[start..start + window.width_px as usize * bytes]
        })
        .copied()
        .collect();
    Image { width_px: window.width_px, height_px: window.height_px, format: image.format, pixels }
}
