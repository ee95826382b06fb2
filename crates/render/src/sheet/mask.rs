//! What a mask file says: any common way to mark an object → Grey8, 255 on the object and 0
//! elsewhere, and its box.

use super::error::SheetError;
use crate::render::{Image, PixelFormat};

/// Values from here on are the object.
const OBJECT_FROM: u8 = 128;

/// The pixels of a mask, the far sides included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaskBox {
    pub left: u32,
    pub top: u32,
    /// Inclusive.
    pub right: u32,
    /// Inclusive.
    pub bottom: u32,
}

impl MaskBox {
    /// Columns, at least 1.
    pub fn width_px(&self) -> u32 {
        self.right - self.left + 1
    }

    /// Rows, at least 1.
    pub fn height_px(&self) -> u32 {
        self.bottom - self.top + 1
    }
}

/// Grey8 of the same size, 255 where the object is and 0 elsewhere.
///
/// Where alpha varies it is the mask, else the largest colour channel is (so a mask painted red
/// counts). 128 or more is the object.
///
/// # Errors
/// [`SheetError::EmptyMask`].
pub fn read_mask(file: &Image) -> Result<Image, SheetError> {
    Ok(hard_mask(soft_mask(file)?, OBJECT_FROM))
}

/// 255 where a Grey8 mask has this value or more, and 0 elsewhere.
pub(super) fn hard_mask(mut mask: Image, object_from: u8) -> Image {
    let is_object = |value: u8| if value >= object_from { 255 } else { 0 };
    mask.pixels.iter_mut().for_each(|value| *value = is_object(*value));
    mask
}

/// As [`read_mask`] with the values between kept, which makes a smooth outline when it is enlarged.
pub(super) fn soft_mask(file: &Image) -> Result<Image, SheetError> {
    let values: Vec<u8> = match file.format {
        PixelFormat::Grey32F | PixelFormat::Rgba32F => {
            let grey = file.to_rgb8();
            grey.pixels.iter().step_by(3).copied().collect()
        }
        PixelFormat::Grey8 => file.pixels.clone(),
        PixelFormat::Grey16 => {
            file.pixels.as_chunks::<2>().0.iter().map(|&[high, _]| high).collect()
        }
        PixelFormat::Rgb8 => {
            file.pixels.as_chunks::<3>().0.iter().map(|&[r, g, b]| r.max(g).max(b)).collect()
        }
        PixelFormat::Rgba8 => {
            let pixels = file.pixels.as_chunks::<4>().0;
            let alpha_varies = pixels.iter().any(|p| p[3] != pixels[0][3]);
            let value = |&[r, g, b, a]: &[u8; 4]| if alpha_varies { a } else { r.max(g).max(b) };
            pixels.iter().map(value).collect()
        }
    };
    let largest = values.iter().copied().max().unwrap_or(0);
    if largest < OBJECT_FROM {
        return Err(SheetError::EmptyMask { largest });
    }
    Ok(grey_like(file, values))
}

/// A Grey8 picture of another one's size.
pub(super) fn grey_like(other: &Image, pixels: Vec<u8>) -> Image {
    let Image { width_px, height_px, .. } = *other;
    Image { width_px, height_px, format: PixelFormat::Grey8, pixels }
}

/// The smallest box around the object of a Grey8 mask.
///
/// # Errors
/// [`SheetError::EmptyMask`].
pub fn mask_box(mask: &Image) -> Result<MaskBox, SheetError> {
    debug_assert_eq!(mask.format, PixelFormat::Grey8);
    let mut found: Option<MaskBox> = None;
    for (y, row) in mask.pixels.chunks_exact(mask.width_px as usize).enumerate() {
        let is_object = |&value: &u8| value >= OBJECT_FROM;
        let (Some(first), Some(last)) =
            (row.iter().position(is_object), row.iter().rposition(is_object))
        else {
            continue;
        };
        let (left, right, y) = (first as u32, last as u32, y as u32);
        found = Some(found.map_or(MaskBox { left, top: y, right, bottom: y }, |b| MaskBox {
            left: b.left.min(left),
            right: b.right.max(right),
            bottom: y,
            ..b
        }));
    }
    let largest = || mask.pixels.iter().copied().max().unwrap_or(0);
    found.ok_or_else(|| SheetError::EmptyMask { largest: largest() })
}
