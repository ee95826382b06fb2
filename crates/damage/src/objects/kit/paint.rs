//! Textures by formula: a value at (u, v) → an index into a palette → texels. Noise and wood.

use super::shape::sin_turn;
use crate::scene::{ColorSpace, Texture, Wrap};

/// A square of palette indices.
#[derive(Debug, Clone)]
pub struct Picture {
    pub side_px: usize,
    /// sRGB; at most 256 colours.
    pub palette: Vec<[u8; 3]>,
    /// Row-major from the top left, len == side_px * side_px; each points into the palette.
    pub indices: Vec<u8>,
}

impl Picture {
    /// The texels, opaque, repeating in both directions.
    pub fn texture(&self, name: &str) -> Texture {
        let texel = |&index: &u8| {
            let [r, g, b] = self.palette[usize::from(index)];
            [r, g, b, u8::MAX]
        };
        let side_px = self.side_px as u32;
        let texels = self.indices.iter().map(texel).collect();
        Texture::new(name.to_owned(), side_px, side_px, texels, ColorSpace::Srgb, [Wrap::Repeat; 2])
            .expect("a square picture has an index for each texel")
    }
}

/// A fixed pseudo-random number from 0 to 1 for a lattice point.
pub fn hash(x: i32, y: i32, seed: u32) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x85EB_CA6B)
        ^ (y as u32).wrapping_mul(0xC2B2_AE35)
        ^ seed.wrapping_mul(0x27D4_EB2F);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    (h ^ (h >> 15)) as f32 / u32::MAX as f32
}

/// Smooth noise from 0 to 1 that repeats after 1 in u and v; `cells` lattice cells along each.
pub fn noise(u: f32, v: f32, cells: [i32; 2], seed: u32) -> f32 {
    let (x, y) = (u * cells[0] as f32, v * cells[1] as f32);
    let (x0, y0) = (x.floor(), y.floor());
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (smooth(x - x0), smooth(y - y0));
    let at = |dx: i32, dy: i32| {
        hash((x0 as i32 + dx).rem_euclid(cells[0]), (y0 as i32 + dy).rem_euclid(cells[1]), seed)
    };
    let low = at(0, 0) * (1.0 - tx) + at(1, 0) * tx;
    let high = at(0, 1) * (1.0 - tx) + at(1, 1) * tx;
    low * (1.0 - ty) + high * ty
}

/// Oak from 0 (dark) to 1: growth rings, fibres and pores along v. Repeats in both directions.
pub fn wood_value(u: f32, v: f32) -> f32 {
    let warp = 0.10 * noise(u, v, [3, 2], 1) + 0.05 * noise(u, v, [7, 3], 2) + 0.02 * sin_turn(v);
    let ring = (u + warp) * 9.0;
    let ring = ring - ring.floor();
    // Early wood is light; late wood darkens slowly and ends with a sharp line.
    let growth = 1.0 - ring * ring * ring;
    let fibre = noise(u, v, [64, 4], 3) * 0.6 + noise(u, v, [128, 6], 4) * 0.4;
    let pore = if noise(u, v, [128, 16], 5) > 0.86 { 0.35 } else { 0.0 };
    0.12 + 0.52 * growth + 0.34 * fibre - pore
}
