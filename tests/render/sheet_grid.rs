//! The sheets' layouts, position by position.

use meshjudge::unstable::render::{Channel, Frame, Image, PixelFormat};
use meshjudge::unstable::sheet::{self, SheetError};
use std::collections::BTreeMap;

/// A frame whose every pixel names its object, view and channel.
fn frame(object: u8, view_idx: usize, tile_px: u32) -> Frame {
    let tile = |channel: u8| {
        Image::filled(tile_px, tile_px, PixelFormat::Rgb8, &[object, view_idx as u8, channel])
    };
    Frame {
        view_idx,
        images: BTreeMap::from([(Channel::Rgb, tile(1)), (Channel::Normal, tile(2))]),
        coverage: 1.0,
        problems: Vec::new(),
    }
}

fn frames(object: u8, count: usize, tile_px: u32) -> Vec<Frame> {
    (0..count).map(|view_idx| frame(object, view_idx, tile_px)).collect()
}

#[test]
fn gpteval3d_views_are_the_published_ones() {
    assert_eq!(sheet::select_views(120, 1).unwrap(), [0]);
    assert_eq!(sheet::select_views(120, 4).unwrap(), [0, 30, 60, 90]);
    assert_eq!(sheet::select_views(120, 9).unwrap(), [0, 13, 26, 39, 52, 65, 78, 91, 104]);
    assert_eq!(sheet::select_views(4, 4).unwrap(), [0, 1, 2, 3]);
    let too_few = SheetError::TooFewViews { wanted: 4, total: 3 };
    assert_eq!(sheet::select_views(3, 4).unwrap_err(), too_few);
    assert_eq!(sheet::select_views(3, 0).unwrap_err(), SheetError::TileCount { found: 0 });
}

#[test]
fn every_pixel_of_the_pair_is_where_gpteval3d_puts_it() {
    for (count, side) in [(1_u32, 1_u32), (4, 2), (9, 3), (16, 4)] {
        let tile_px = 4;
        let (left, right) =
            (frames(1, count as usize, tile_px), frames(2, count as usize, tile_px));
        let pair = sheet::pair(&left, &right, &[Channel::Rgb, Channel::Normal], None).unwrap();
        assert_eq!((pair.width_px, pair.height_px), (2 * side * tile_px, 2 * side * tile_px));
        for y in 0..pair.height_px {
            for x in 0..pair.width_px {
                let (column, row) = (x / tile_px, y / tile_px);
                let object = 1 + column / side;
                let channel = 1 + row / side;
                let view = (row % side) * side + column % side;
                let expected = [object as u8, view as u8, channel as u8];
                assert_eq!(pair.pixel(x, y), expected, "({x}, {y})");
            }
        }
    }
}

#[test]
fn the_published_sizes_come_out() {
    let (left, right) = (frames(1, 4, 512), frames(2, 4, 512));
    let both = sheet::pair(&left, &right, &[Channel::Rgb, Channel::Normal], None).unwrap();
    assert_eq!((both.width_px, both.height_px), (2048, 2048));
    let rgb = sheet::pair(&left, &right, &[Channel::Rgb], None).unwrap();
    assert_eq!((rgb.width_px, rgb.height_px), (2048, 1024));
    let one = sheet::pair(&left[..1], &right[..1], &[Channel::Rgb, Channel::Normal], None).unwrap();
    assert_eq!((one.width_px, one.height_px), (1024, 1024));
}

#[test]
fn a_fitted_pair_has_no_mixed_pixel() {
    let (left, right) = (frames(1, 4, 50), frames(2, 4, 50));
    let channels = [Channel::Rgb, Channel::Normal];
    let pair = sheet::pair_fitted(&left, &right, &channels, None, 87).unwrap();
    assert_eq!((pair.width_px, pair.height_px), (84, 84));
    let mut seen = BTreeMap::new();
    pair.pixels.as_chunks::<3>().0.iter().for_each(|&p| *seen.entry(p).or_insert(0) += 1);
    assert_eq!(seen.len(), 16);
    assert!(seen.values().all(|&count| count == 21 * 21));
    assert!(matches!(
        sheet::pair_fitted(&left, &right, &channels, None, 3),
        Err(SheetError::Size { .. })
    ));
}

#[test]
fn a_grid_has_any_number_of_columns_that_its_views_fill() {
    let channels = [Channel::Rgb, Channel::Normal];
    for (columns, rows) in [(2_u32, 3_u32), (3, 2), (4, 2), (1, 8), (8, 1)] {
        let count = (columns * rows) as usize;
        let (left, right) = (frames(1, count, 4), frames(2, count, 4));
        let pair = sheet::pair(&left, &right, &channels, Some(columns)).unwrap();
        let size_px = (pair.width_px, pair.height_px);
        assert_eq!(size_px, (2 * columns * 4, 2 * rows * 4));
        for (object, band, view) in [(0, 0, 1), (1, 0, 0), (0, 1, count - 1), (1, 1, count - 1)] {
            let (column, row) = (view as u32 % columns, view as u32 / columns);
            let x = (object * columns + column) * 4 + 1;
            let y = (band * rows + row) * 4 + 1;
            let pixel = [object as u8 + 1, view as u8, band as u8 + 1];
            assert_eq!(pair.pixel(x, y), pixel, "{columns} × {rows}");
        }
        let fitted = sheet::pair_fitted(&left, &right, &channels, Some(columns), 32).unwrap();
        assert!(fitted.width_px.max(fitted.height_px) <= 32);
    }
    let unfilled = sheet::grid(&frames(1, 6, 8), &channels, Some(4)).unwrap_err();
    assert_eq!(unfilled, SheetError::Columns { found: 6, columns: 4 });
}

#[test]
fn four_views_stand_two_by_two() {
    let sheet = sheet::four_view(&frames(7, 4, 8)).unwrap();
    assert_eq!((sheet.width_px, sheet.height_px), (16, 16));
    let at = |x, y| sheet.pixel(x, y)[1];
    assert_eq!([at(0, 0), at(15, 7), at(7, 8), at(8, 15)], [0, 1, 2, 3]);
    assert_eq!(sheet::four_view(&frames(7, 1, 8)).unwrap_err(), SheetError::TileCount { found: 1 });
}

#[test]
fn what_does_not_fit_is_named() {
    let rgb = [Channel::Rgb];
    let missing = SheetError::MissingChannel { view_idx: 0, channel: Channel::Depth };
    let uneven_pair = sheet::pair(&frames(1, 4, 8), &frames(2, 1, 8), &rgb, None);
    for (found, expected) in [
        (uneven_pair, SheetError::UnequalViews { left: 4, right: 1 }),
        (sheet::grid(&frames(1, 5, 8), &rgb, None), SheetError::TileCount { found: 5 }),
        (sheet::grid(&frames(1, 1, 8), &[], None), SheetError::NoChannel),
        (sheet::grid(&frames(1, 1, 8), &[Channel::Depth], None), missing),
    ] {
        assert_eq!(found.unwrap_err(), expected);
    }
    let mut uneven = frames(1, 4, 8);
    uneven[2] = frame(1, 2, 9);
    assert!(matches!(
        sheet::grid(&uneven, &rgb, None).unwrap_err(),
        SheetError::TileSize { view_idx: 2, width_px: 9, tile_px: 8, .. }
    ));
    assert!(matches!(sheet::grid(&frames(1, 16, 4097), &rgb, None), Err(SheetError::Size { .. })));
}
