//! One object's views in tiles of 16 × 16 px: enough to tell where two objects show the same surface, and what became of its colours there.

use super::structure::Gradients;
use crate::render::Image;
use glam::Vec3;

const TILE: usize = 16;

/// Fewer pixels away from outlines say nothing: under a third of a tile.
const PIXELS_MIN: f32 = 80.0;

/// Two tiles show the same place when they have as many pixels of surface, within this,
const SAME_PIXELS: f32 = 5.0;

/// as deep, as a share of the bounding sphere, within this,
const SAME_DEPTH: f32 = 0.002;

/// and the same surface when their mean normals differ by less: 1.1°.
const SAME_NORMAL: f32 = 0.02;

/// Added to energies before they are compared: a byte step on every pixel.
const ENERGY_FLOOR: f32 = 1.5e-5;

/// One tile of one view.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tile {
    /// Pixels away from outlines.
    pixels: f32,
    depth: f32,
    normal: Vec3,
    /// Their mean squared gradient of colour.
    energy: f32,
}

/// What two objects have in common, tile by tile.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Common {
    /// Of tiles that show one of them, the share that shows the same surface of both: same places, same normals.
    pub alike: f64,
    /// The same without a look at normals.
    pub aligned: f64,
    /// Quartiles of ln(energy of the second / energy of the first) over aligned tiles with any structure.
    pub energy: Option<[f64; 3]>,
}

impl Common {
    /// With first and second exchanged.
    pub(super) fn mirrored(&self) -> Self {
        Self {
            energy: self
                .energy
                .map(|[low, middle, high]| [-high, -middle, -low]),
            ..self.clone()
        }
    }
}

/// The tiles of a view, row-major.
pub(super) fn tiles(
    normals: &Image,
    depth: &[f32],
    color: &Gradients,
    counts: &[bool],
) -> Vec<Tile> {
    let width = color.width;
    let columns = width / TILE;
    let mut tiles = vec![Tile::default(); columns * (color.height / TILE)];
    for at in (0..counts.len()).filter(|&at| counts[at]) {
        let (x, y) = (at % width / TILE, at / width / TILE);
        if let Some(tile) = tiles.get_mut(y * columns + x) {
            let encoded = [0, 1, 2].map(|c| f32::from(normals.pixels[at * 3 + c]) / 127.5 - 1.0);
            let length = color.length(at);
            tile.pixels += 1.0;
            tile.depth += depth[at];
            tile.normal += Vec3::from_array(encoded);
            tile.energy += length * length;
        }
    }
    for tile in tiles.iter_mut().filter(|tile| tile.pixels > 0.0) {
        tile.depth /= tile.pixels;
        tile.normal /= tile.pixels;
        tile.energy /= tile.pixels;
    }
    tiles
}

/// Compares tile by tile; both lists come from the same views.
pub(super) fn common(first: &[Tile], second: &[Tile]) -> Common {
    let (mut shown, mut aligned, mut alike) = (0.0, 0.0, 0.0);
    let mut ratios = Vec::new();
    for (a, b) in first.iter().zip(second) {
        if a.pixels.max(b.pixels) < PIXELS_MIN {
            continue;
        }
        shown += 1.0;
        let is_same_place =
            (a.pixels - b.pixels).abs() <= SAME_PIXELS && (a.depth - b.depth).abs() < SAME_DEPTH;
        if !is_same_place {
            continue;
        }
        aligned += 1.0;
        if (a.normal - b.normal).length() < SAME_NORMAL {
            alike += 1.0;
        }
        if a.energy.max(b.energy) > ENERGY_FLOOR {
            let ratio = (b.energy + ENERGY_FLOOR) / (a.energy + ENERGY_FLOOR);
            ratios.push(libm::log(f64::from(ratio)));
        }
    }
    let share = |part: f64| if shown > 0.0 { part / shown } else { 0.0 };
    Common {
        alike: share(alike),
        aligned: share(aligned),
        energy: quartiles(ratios),
    }
}

fn quartiles(mut values: Vec<f64>) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    // Between two values their mean, so that turning the signs turns the quartiles.
    Some([1, 2, 3].map(|quarter| {
        let [below, above] = [last * quarter / 4, (last * quarter).div_ceil(4)];
        0.5 * (values[below] + values[above])
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_mirrored_with_their_values() {
        let values = vec![3.0, -1.0, 0.5, 7.0, 2.0, 9.0];
        let [low, middle, high] = quartiles(values.clone()).unwrap();
        let mirrored = quartiles(values.iter().map(|v| -v).collect()).unwrap();
        assert_eq!(mirrored, [-high, -middle, -low]);
        assert_eq!(quartiles(Vec::new()), None);
    }
}
