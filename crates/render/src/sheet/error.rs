//! Why a sheet could not be composed, and the limit on its size.

use crate::render::{Channel, Image};

/// No side of a sheet is longer: 16384 px, what common picture decoders and GPUs still take.
pub const SHEET_SIDE_PX_MAX: u32 = 16_384;

/// Why a sheet could not be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SheetError {
    /// A grid of that many tiles is not square.
    #[error(
        "a square grid needs 1, 4, 9 or 16 views, not {found}; choose one of these, or set the number of columns"
    )]
    TileCount { found: usize },
    /// The last row of a grid would not be full.
    #[error(
        "{found} views do not fill rows of {columns}; choose a number of columns that divides {found}"
    )]
    Columns { found: usize, columns: u32 },
    /// The two objects have not the same number of views.
    #[error(
        "the left object has {left} views and the right one {right}; render both with the same rig"
    )]
    UnequalViews { left: usize, right: usize },
    #[error("a sheet needs at least one channel, for example rgb")]
    NoChannel,
    #[error("view {view_idx} has no {channel:?} picture; render it with that channel")]
    MissingChannel { view_idx: usize, channel: Channel },
    /// Tiles differ in size, or are not square.
    #[error(
        "view {view_idx} is {width_px}×{height_px} px but tiles are {tile_px}×{tile_px} px; render all views square and at the same size"
    )]
    TileSize { view_idx: usize, width_px: u32, height_px: u32, tile_px: u32 },
    /// More views are wanted than there are.
    #[error(
        "the picture shows {wanted} views, but the rig has {total}; show fewer views, or take a rig with more"
    )]
    TooFewViews { wanted: usize, total: usize },
    /// The picture would be empty or larger than allowed.
    #[error("a picture cannot be {width_px}×{height_px} px; each side must be 1 to {max} px", max = SHEET_SIDE_PX_MAX)]
    Size { width_px: u64, height_px: u64 },
    /// Photo and mask do not belong together.
    #[error(
        "the photo is {photo_width_px}×{photo_height_px} px but its mask is {mask_width_px}×{mask_height_px} px; use a mask of the photo's size"
    )]
    MaskSize { photo_width_px: u32, photo_height_px: u32, mask_width_px: u32, mask_height_px: u32 },
    #[error(
        "the mask is empty: its largest value is {largest}, but object pixels need 128 or more; make the object white (scale a mask of 0 and 1 by 255)"
    )]
    EmptyMask { largest: u8 },
}

/// Checks that a mask is of its photo's size.
pub(super) fn check_mask_size(photo: &Image, mask: &Image) -> Result<(), SheetError> {
    if (photo.width_px, photo.height_px) == (mask.width_px, mask.height_px) {
        return Ok(());
    }
    Err(SheetError::MaskSize {
        photo_width_px: photo.width_px,
        photo_height_px: photo.height_px,
        mask_width_px: mask.width_px,
        mask_height_px: mask.height_px,
    })
}

/// Checks a size before it is allocated.
pub(super) fn checked_size(width_px: u64, height_px: u64) -> Result<(u32, u32), SheetError> {
    let side_max = u64::from(SHEET_SIDE_PX_MAX);
    let inside = (1..=side_max).contains(&width_px) && (1..=side_max).contains(&height_px);
    if !inside || width_px * height_px > Image::PIXELS_MAX {
        return Err(SheetError::Size { width_px, height_px });
    }
    Ok((width_px as u32, height_px as u32))
}
