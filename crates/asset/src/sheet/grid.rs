//! Tiles in a square: GPTEval3D's pair and column, and the four-view sheet. No gap, no label, no resize unless asked for.

use super::error::{SheetError, checked_size};
use super::resize;
use super::transfer::Transfer;
use crate::render::{Channel, Frame, Image, PixelFormat};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Which views GPTEval3D shows: `range(0, total, total // count)`, cut off after `count`.
///
/// 4 of 120 gives 0 30 60 90; 9 gives 0 13 … 104.
///
/// # Errors
/// [`SheetError::TileCount`] for none, [`SheetError::TooFewViews`].
pub fn select_views(total: usize, count: usize) -> Result<Vec<usize>, SheetError> {
    if count == 0 {
        return Err(SheetError::TileCount { found: 0 });
    }
    if count > total {
        return Err(SheetError::TooFewViews {
            wanted: count,
            total,
        });
    }
    Ok((0..total).step_by(total / count).take(count).collect())
}

/// Two objects side by side, left = object 1: each a [`grid`]. 4 views of 512 px in rgb and normals make 2048 × 2048 px.
///
/// # Errors
/// [`SheetError::UnequalViews`] and those of [`grid`].
pub fn pair(left: &[Frame], right: &[Frame], channels: &[Channel]) -> Result<Image, SheetError> {
    if left.len() != right.len() {
        return Err(SheetError::UnequalViews {
            left: left.len(),
            right: right.len(),
        });
    }
    compose(&[left, right], channels)
}

/// One object: for each channel, in order, a √n × √n square of tiles, row-major, each square below the one before. RGB8.
///
/// Transparent pictures are laid over white.
///
/// # Errors
/// [`SheetError::TileCount`], [`SheetError::NoChannel`], [`SheetError::MissingChannel`], [`SheetError::TileSize`], [`SheetError::Size`].
pub fn grid(frames: &[Frame], channels: &[Channel]) -> Result<Image, SheetError> {
    compose(&[frames], channels)
}

/// Front and side above, top and isometric below: the `rgb` pictures of a `four-view` rig in its order.
///
/// # Errors
/// [`SheetError::TileCount`] unless there are four frames, and those of [`grid`].
pub fn four_view(frames: &[Frame]) -> Result<Image, SheetError> {
    if frames.len() != 4 {
        return Err(SheetError::TileCount {
            found: frames.len(),
        });
    }
    grid(frames, &[Channel::Rgb])
}

/// As [`pair`], with tiles resized so that the longer side of the sheet is at most `longest_px`.
///
/// Each tile is filtered by itself and by its own transfer, so neither a neighbour nor the other half bleeds in.
///
/// # Errors
/// Those of [`pair`]; [`SheetError::Size`] when a tile would vanish.
pub fn pair_fitted(
    left: &[Frame],
    right: &[Frame],
    channels: &[Channel],
    longest_px: u32,
) -> Result<Image, SheetError> {
    let tiles_across = 2 * tiles_per_side(left.len())?;
    let tiles_down = tiles_per_side(left.len())? * channels.len() as u32;
    let tile_px = longest_px / tiles_across.max(tiles_down).max(1);
    pair(
        &fit_tiles(left, channels, tile_px)?,
        &fit_tiles(right, channels, tile_px)?,
        channels,
    )
}

/// The frames with every wanted channel resized to `tile_px` squares; other channels are dropped.
///
/// # Errors
/// [`SheetError::MissingChannel`], [`SheetError::TileSize`] for a tile that is not square, [`SheetError::Size`].
pub fn fit_tiles(
    frames: &[Frame],
    channels: &[Channel],
    tile_px: u32,
) -> Result<Vec<Frame>, SheetError> {
    let fit_frame = |frame: &Frame| {
        let images = channels
            .iter()
            .map(|&channel| {
                let tile = tile_of(frame, channel)?;
                check_tile(frame, tile, tile.width_px)?;
                Ok((
                    channel,
                    resize(tile, tile_px, tile_px, Transfer::of(channel))?,
                ))
            })
            .collect::<Result<BTreeMap<_, _>, SheetError>>()?;
        Ok(Frame {
            images,
            ..frame.clone()
        })
    };
    frames.par_iter().map(fit_frame).collect()
}

/// Square root of 1, 4, 9 or 16.
fn tiles_per_side(count: usize) -> Result<u32, SheetError> {
    match count {
        1 => Ok(1),
        4 => Ok(2),
        9 => Ok(3),
        16 => Ok(4),
        found => Err(SheetError::TileCount { found }),
    }
}

fn tile_of(frame: &Frame, channel: Channel) -> Result<&Image, SheetError> {
    frame
        .images
        .get(&channel)
        .ok_or(SheetError::MissingChannel {
            view_idx: frame.view_idx,
            channel,
        })
}

fn check_tile(frame: &Frame, tile: &Image, tile_px: u32) -> Result<(), SheetError> {
    if (tile.width_px, tile.height_px) == (tile_px, tile_px) {
        return Ok(());
    }
    Err(SheetError::TileSize {
        view_idx: frame.view_idx,
        width_px: tile.width_px,
        height_px: tile.height_px,
        tile_px,
    })
}

/// Objects from left to right, channels from top to bottom.
fn compose(objects: &[&[Frame]], channels: &[Channel]) -> Result<Image, SheetError> {
    let &first_channel = channels.first().ok_or(SheetError::NoChannel)?;
    let per_side = tiles_per_side(objects[0].len())?;
    let tile_px = tile_of(&objects[0][0], first_channel)?.width_px;
    let square_px = u64::from(per_side) * u64::from(tile_px);
    let (width_px, height_px) = checked_size(
        square_px * objects.len() as u64,
        square_px * channels.len() as u64,
    )?;
    let mut sheet = Image::filled(width_px, height_px, PixelFormat::Rgb8, &[0, 0, 0]);
    for (object, frames) in objects.iter().enumerate() {
        for (band, &channel) in channels.iter().enumerate() {
            for (tile_idx, frame) in frames.iter().enumerate() {
                let tile = tile_of(frame, channel)?;
                check_tile(frame, tile, tile_px)?;
                let (column, row) = (tile_idx as u32 % per_side, tile_idx as u32 / per_side);
                let x = (object as u32 * per_side + column) * tile_px;
                let y = (band as u32 * per_side + row) * tile_px;
                paste(&mut sheet, &tile.to_rgb8(), x, y);
            }
        }
    }
    Ok(sheet)
}

/// Copies an RGB8 picture to column `x`, row `y` of a larger one.
fn paste(sheet: &mut Image, tile: &Image, x: u32, y: u32) {
    let (sheet_stride, tile_stride) = (sheet.width_px as usize * 3, tile.width_px as usize * 3);
    for (row, pixels) in tile.pixels.chunks_exact(tile_stride).enumerate() {
        let start = (y as usize + row) * sheet_stride + x as usize * 3;
        sheet.pixels[start..start + tile_stride].copy_from_slice(pixels);
    }
}
