//! Tiles in a grid: GPTEval3D's pair and column, the four-view sheet, and any other number of
//! columns. No gap, no label, no resize unless asked for.

use super::error::{SheetError, checked_size};
use super::resize;
use super::transfer::Transfer;
use crate::render::{Channel, Frame, Image, PixelFormat};
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
        return Err(SheetError::TooFewViews { wanted: count, total });
    }
    Ok((0..total).step_by(total / count).take(count).collect())
}

/// Two [`grid`]s, left = object 1. 4 views of 512 px in rgb and normals make 2048 × 2048 px.
///
/// # Errors
/// [`SheetError::UnequalViews`] and those of [`grid`].
pub fn pair(
    left: &[Frame],
    right: &[Frame],
    channels: &[Channel],
    columns: Option<u32>,
) -> Result<Image, SheetError> {
    if left.len() != right.len() {
        return Err(SheetError::UnequalViews { left: left.len(), right: right.len() });
    }
    compose(&[left, right], channels, columns)
}

/// One object: for each channel, in order, a grid of tiles, row-major, each grid below the one
/// before. RGB8. See [`layout`].
///
/// Transparent pictures are laid over white.
///
/// # Errors
/// [`SheetError::TileCount`], [`SheetError::NoChannel`], [`SheetError::MissingChannel`],
/// [`SheetError::TileSize`], [`SheetError::Size`].
pub fn grid(
    frames: &[Frame],
    channels: &[Channel],
    columns: Option<u32>,
) -> Result<Image, SheetError> {
    compose(&[frames], channels, columns)
}

/// Front and side above, top and isometric below: a `four-view` rig's `rgb` pictures in order.
///
/// # Errors
/// [`SheetError::TileCount`] unless there are four frames, and those of [`grid`].
pub fn four_view(frames: &[Frame]) -> Result<Image, SheetError> {
    if frames.len() != 4 {
        return Err(SheetError::TileCount { found: frames.len() });
    }
    grid(frames, &[Channel::Rgb], None)
}

/// As [`pair`], with tiles resized so that the longer side of the sheet is at most `longest_px`.
///
/// Filters each tile alone by its own transfer: neither neighbours nor the other half bleed in.
///
/// # Errors
/// Those of [`pair`]; [`SheetError::Size`] when a tile would vanish.
pub fn pair_fitted(
    left: &[Frame],
    right: &[Frame],
    channels: &[Channel],
    columns: Option<u32>,
    longest_px: u32,
) -> Result<Image, SheetError> {
    let (across, down) = layout(left.len(), columns)?;
    let tile_px = longest_px / (2 * across).max(down * channels.len() as u32).max(1);
    pair(
        &fit_tiles(left, channels, tile_px)?,
        &fit_tiles(right, channels, tile_px)?,
        channels,
        columns,
    )
}

/// A sheet with pictures in a row above it: side by side in the middle of a white band of that
/// height, none larger than it. RGB8.
///
/// # Errors
/// [`SheetError::Size`].
pub fn below_strip(pictures: &[Image], sheet: &Image, height_px: u32) -> Result<Image, SheetError> {
    let (width, height) = (u64::from(sheet.width_px), u64::from(sheet.height_px));
    let (width_px, all_px) = checked_size(width, height + u64::from(height_px))?;
    let mut whole = Image::filled(width_px, all_px, PixelFormat::Rgb8, &[255; 3]);
    paste(&mut whole, &sheet.to_rgb8(), 0, height_px);
    let edge_px = height_px.min(width_px / pictures.len().max(1) as u32);
    let mut x = (width_px - edge_px * pictures.len() as u32) / 2;
    for picture in pictures {
        let scaled = |px: u32| (px * edge_px / picture.width_px.max(picture.height_px)).max(1);
        let (across, down) = (scaled(picture.width_px), scaled(picture.height_px));
        let small = resize(picture, across, down, Transfer::Srgb)?;
        paste(&mut whole, &small.to_rgb8(), x + (edge_px - across) / 2, (height_px - down) / 2);
        x += edge_px;
    }
    Ok(whole)
}

/// The frames with every wanted channel resized to `tile_px` squares; other channels are dropped.
///
/// # Errors
/// [`SheetError::MissingChannel`], [`SheetError::TileSize`] for a tile that is not square,
/// [`SheetError::Size`].
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
                Ok((channel, resize(tile, tile_px, tile_px, Transfer::of(channel))?))
            })
            .collect::<Result<BTreeMap<_, _>, SheetError>>()?;
        Ok(Frame { images, ..frame.clone() })
    };
    parallel::map(frames, fit_frame).into_iter().collect()
}

/// Tiles across and down of that many views: in `columns`, or else a square of 1, 4, 9 or 16.
///
/// # Errors
/// [`SheetError::TileCount`] and [`SheetError::Columns`].
pub fn layout(count: usize, columns: Option<u32>) -> Result<(u32, u32), SheetError> {
    let Some(columns) = columns else {
        let side = (1..=4_u32).find(|n| (n * n) as usize == count);
        let side = side.ok_or(SheetError::TileCount { found: count })?;
        return Ok((side, side));
    };
    let rows = (count as u32).checked_div(columns).unwrap_or(0);
    if rows > 0 && (rows * columns) as usize == count {
        Ok((columns, rows))
    } else {
        Err(SheetError::Columns { found: count, columns })
    }
}

fn tile_of(frame: &Frame, channel: Channel) -> Result<&Image, SheetError> {
    frame
        .images
        .get(&channel)
        .ok_or(SheetError::MissingChannel { view_idx: frame.view_idx, channel })
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
fn compose(
    objects: &[&[Frame]],
    channels: &[Channel],
    columns: Option<u32>,
) -> Result<Image, SheetError> {
    let &first_channel = channels.first().ok_or(SheetError::NoChannel)?;
    let (across, down) = layout(objects[0].len(), columns)?;
    let tile_px = tile_of(&objects[0][0], first_channel)?.width_px;
    let along = |tiles: u32| u64::from(tiles) * u64::from(tile_px);
    let (width_px, height_px) =
        checked_size(along(across) * objects.len() as u64, along(down) * channels.len() as u64)?;
    let mut sheet = Image::filled(width_px, height_px, PixelFormat::Rgb8, &[0, 0, 0]);
    for (object, frames) in objects.iter().enumerate() {
        for (band, &channel) in channels.iter().enumerate() {
            for (tile_idx, frame) in frames.iter().enumerate() {
                let tile = tile_of(frame, channel)?;
                check_tile(frame, tile, tile_px)?;
                let (column, row) = (tile_idx as u32 % across, tile_idx as u32 / across);
                let x = (object as u32 * across + column) * tile_px;
                let y = (band as u32 * down + row) * tile_px;
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
