//! One texture for a whole object: panels side by side, each with its own formula and colours.

use super::paint::Picture;
use super::shape::sin_turn;

/// Left, top, width, height; the texture runs from 0 to 1.
pub type Rect = [f32; 4];

/// Rim of a panel that no coordinate reaches, so that neighbours do not bleed in; the formula goes
/// on there. In the texture's unit: 1.5 texels of 256, 3 of 512.
pub const MARGIN: f32 = 1.5 / 256.0;

/// Shades from one colour to the next.
const SHADES: usize = 8;

/// Paints panels on a texture of `side_px`, each with its place, its colours (sRGB, 0 to 255; at
/// least two) and its value: the index of a colour at (u, v) of the panel, 1.5 between the second
/// and the third. Panels do not overlap; texels outside them take the first one's first colour.
pub fn paint<'a>(
    side_px: usize,
    panels: impl Iterator<Item = (Rect, &'a [[f32; 3]], impl Fn(f32, f32) -> f32)>,
) -> Picture {
    let mut palette = Vec::new();
    let mut indices = vec![0_u8; side_px * side_px];
    for (rect, colors, value) in panels {
        let first = palette.len();
        let last = (colors.len() - 1) * SHADES;
        palette.extend((0..=last).map(|i| {
            let at = (i / SHADES).min(colors.len() - 2);
            let t = (i - at * SHADES) as f32 / SHADES as f32;
            let (a, b) = (colors[at], colors[at + 1]);
            std::array::from_fn(|c| (a[c] * (1.0 - t) + b[c] * t + 0.5) as u8)
        }));
        assert!(palette.len() <= 256, "indices of 8 bits");
        let [left, top, width, height] = rect;
        for (i, index) in indices.iter_mut().enumerate() {
            let at = |i: usize| (i as f32 + 0.5) / side_px as f32;
            let (x, y) = (at(i % side_px) - left, at(i / side_px) - top);
            if (0.0..width).contains(&x) && (0.0..height).contains(&y) {
                let u = (x - MARGIN) / (width - 2.0 * MARGIN);
                let v = (y - MARGIN) / (height - 2.0 * MARGIN);
                let shade = (value(u, v) * SHADES as f32 + 0.5).max(0.0) as usize;
                *index = (first + shade.min(last)) as u8;
            }
        }
    }
    Picture { side_px, palette, indices }
}

/// 1 inside (negative distance), 0 outside, soft over `soft`.
pub fn inside(distance: f32, soft: f32) -> f32 {
    (0.5 - distance / soft).clamp(0.0, 1.0)
}

/// Distance of `x` to the nearest whole number.
pub fn to_line(x: f32) -> f32 {
    let part = x - x.floor();
    part.min(1.0 - part)
}

/// Distance to a circle around the origin, negative inside.
pub fn to_disc(x: f32, y: f32, radius: f32) -> f32 {
    (x * x + y * y).sqrt() - radius
}

/// Distance in courses to the nearest joint of `columns` × `rows` stones laid half over half.
pub fn to_joint(u: f32, v: f32, columns: f32, rows: f32) -> f32 {
    let row = v * rows;
    let shift = if row.floor().rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
    let across = to_line(u * columns + shift) * rows / columns;
    across.min(to_line(row))
}

/// A colour step of its own for each stone, 0 to 1.
pub fn stone(u: f32, v: f32, columns: f32, rows: f32, seed: u32) -> f32 {
    let row = (v * rows).floor();
    let shift = if row.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
    let column = (u * columns + shift).floor().rem_euclid(columns);
    super::paint::hash(column as i32, row as i32, seed)
}

/// A zigzag line between −1 and 1 that repeats after 1.
pub fn zigzag(x: f32) -> f32 {
    4.0 * to_line(x) - 1.0
}

/// A wave between −1 and 1 that repeats after 1.
pub fn wave(x: f32) -> f32 {
    sin_turn(x)
}
