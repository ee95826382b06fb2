//! A view's splats as lists for its tiles, for a renderer elsewhere that only blends: projection
//! and order stay here, and are the same.

use super::bins::{PAIRS_MAX, Round, sorted};
use super::project::{Ellipse, TILE, project};
use super::{RenderError, Settings, check};
use crate::camera::Camera;
use crate::splats::Splats;

/// What each tile of 16 × 16 pixels blends, front to back. Tiles are in rows from top left.
#[derive(Debug)]
pub struct Lists {
    /// x, y, a, b, then c, opacity, red, green, then blue, depth, half the box's width and height,
    /// then the normal and the largest e of each visible splat. With (dx, dy) in pixels from (x,
    /// y), e = (a·dx + b·dy)² + c·dy², and the opacity is 2^−e times its own.
    pub splats: Vec<[f32; 16]>,
    /// The list of a tile is `places[starts[tile]..starts[tile + 1]]`, with indices into `splats`.
    pub starts: Vec<u32>,
    pub places: Vec<u32>,
}

/// `None` if the picture has more pairs of a tile and a splat than memory should hold.
///
/// # Errors
/// [`RenderError`].
pub fn lists(
    splats: &Splats,
    camera: &Camera,
    settings: &Settings,
) -> Result<Option<Lists>, RenderError> {
    check(camera)?;
    let tasks = project(splats, camera, settings);
    if tasks.iter().map(|task| task.pairs).sum::<u64>() > PAIRS_MAX {
        return Ok(None);
    }
    let tiles = [camera.width_px, camera.height_px].map(|side| (side as usize).div_ceil(TILE));
    let order = sorted(&tasks);
    let round = Round::take(&tasks, &mut &order[..], tiles, PAIRS_MAX);
    let firsts = tasks.iter().scan(0, |sum, task| {
        let first = *sum;
        *sum += task.ellipses.len() as u32;
        Some(first)
    });
    let firsts: Vec<u32> = firsts.collect();
    let (mut starts, mut places) = (vec![0], Vec::new());
    for tile in 0..tiles[0] * tiles[1] {
        places.extend(round.places_of_tile(tile).map(|(task, k)| firsts[task] + k as u32));
        starts.push(places.len() as u32);
    }
    let ellipses = tasks.iter().flat_map(|task| &task.ellipses);
    Ok(Some(Lists { splats: ellipses.map(Ellipse::numbers).collect(), starts, places }))
}
