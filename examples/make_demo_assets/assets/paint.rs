//! Textures by formula, written as indexed PNG.

use super::shape::{cos_turn, sin_turn};

/// Rows of palette indices.
#[derive(Clone)]
pub struct Picture {
    pub side: usize,
    pub palette: Vec<[u8; 3]>,
    pub indices: Vec<u8>,
}

impl Picture {
    /// Paints with `colour(u, v)` between 0 and 1 along a ramp of colours: the value is quantised to `steps`.
    pub fn ramp(
        side: usize,
        steps: usize,
        stops: &[[f32; 3]],
        value: impl Fn(f32, f32) -> f32,
    ) -> Self {
        let palette = (0..steps)
            .map(|i| {
                let at = i as f32 / (steps - 1) as f32 * (stops.len() - 1) as f32;
                let first = (at as usize).min(stops.len() - 2);
                let t = at - first as f32;
                std::array::from_fn(|c| {
                    (stops[first][c] * (1.0 - t) + stops[first + 1][c] * t + 0.5) as u8
                })
            })
            .collect();
        let at = |i: usize| (i as f32 + 0.5) / side as f32;
        let indices = (0..side * side)
            .map(|i| {
                (value(at(i % side), at(i / side)).clamp(0.0, 1.0) * (steps - 1) as f32 + 0.5) as u8
            })
            .collect();
        Self {
            side,
            palette,
            indices,
        }
    }

    /// The same picture averaged over blocks, at a lower size: what is left is blur. Colours are averaged as they are encoded, and
    /// rounded until they fit a palette; up to 256 texels have an entry each.
    pub fn coarse(&self, side: usize) -> Self {
        let block = self.side / side;
        let means: Vec<[usize; 3]> = (0..side * side)
            .map(|i| {
                let (bx, by) = (i % side * block, i / side * block);
                let mut sum = [0_usize; 3];
                for (y, x) in (0..block).flat_map(|y| (0..block).map(move |x| (y, x))) {
                    let at = (by + y) * self.side + bx + x;
                    let color = self.palette[usize::from(self.indices[at])];
                    sum.iter_mut()
                        .zip(color)
                        .for_each(|(s, c)| *s += usize::from(c));
                }
                sum.map(|s| s / (block * block))
            })
            .collect();
        if means.len() <= 256 {
            return Self {
                side,
                palette: means.iter().map(|mean| mean.map(|c| c as u8)).collect(),
                indices: (0..means.len()).map(|i| i as u8).collect(),
            };
        }
        let rounded = |step: usize| -> Option<Self> {
            let mut palette = Vec::new();
            let mut place = |mean: &[usize; 3]| {
                let color = mean.map(|c| (c / step * step + step / 2).min(255) as u8);
                let known = palette.iter().position(|p| *p == color);
                known.unwrap_or_else(|| {
                    palette.push(color);
                    palette.len() - 1
                })
            };
            let places: Vec<usize> = means.iter().map(&mut place).collect();
            let indices: Option<Vec<u8>> = places.iter().map(|&i| u8::try_from(i).ok()).collect();
            indices.map(|indices| Self {
                side,
                palette,
                indices,
            })
        };
        [1, 4, 8, 16, 32]
            .into_iter()
            .find_map(rounded)
            .expect("steps of 32 leave at most a few hundred colours, most of them unused")
    }

    /// PNG bytes.
    pub fn png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let side = self.side as u32;
        let mut encoder = png::Encoder::new(&mut bytes, side, side);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(self.palette.as_flattened().to_vec());
        encoder.set_compression(png::Compression::High);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder
            .write_header()
            .expect("a header for a small picture");
        writer
            .write_image_data(&self.indices)
            .expect("indices for every pixel");
        writer.finish().expect("the end of a picture");
        bytes
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
        hash(
            (x0 as i32 + dx).rem_euclid(cells[0]),
            (y0 as i32 + dy).rem_euclid(cells[1]),
            seed,
        )
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
    let pore = if noise(u, v, [128, 16], 5) > 0.86 {
        0.35
    } else {
        0.0
    };
    0.12 + 0.52 * growth + 0.34 * fibre - pore
}

/// The chair's wood.
pub fn wood() -> Picture {
    let stops = [
        [86.0, 49.0, 24.0],
        [150.0, 95.0, 50.0],
        [190.0, 132.0, 78.0],
        [222.0, 172.0, 116.0],
    ];
    Picture::ramp(256, 24, &stops, wood_value)
}

/// White glaze with cobalt bands, a meander, waves and petals; v runs from the foot (1) to the lip (0). Repeats in u.
pub fn glaze() -> Picture {
    let stops = [
        [24.0, 38.0, 120.0],
        [60.0, 92.0, 180.0],
        [236.0, 240.0, 240.0],
        [246.0, 244.0, 236.0],
    ];
    Picture::ramp(512, 16, &stops, |u, v| {
        let soft = 0.004;
        let inside = |d: f32| (0.5 - d / soft).clamp(0.0, 1.0);
        let band = |from: f32, to: f32| inside((from - v).max(v - to));
        let mut ink: f32 = 0.0;
        for (from, to) in [
            (0.10, 0.125),
            (0.225, 0.235),
            (0.335, 0.345),
            (0.36, 0.385),
            (0.66, 0.67),
            (0.93, 0.97),
        ] {
            ink = ink.max(band(from, to));
        }
        ink = ink.max(meander(u * 16.0, (v - 0.245) / 0.08));
        // A wave of dots between shoulder and belly.
        let wave = (v - 0.52 - 0.05 * sin_turn(u * 8.0)).abs() - 0.008;
        ink = ink.max(inside(wave));
        for centre in [0.44, 0.60] {
            let du = ((u * 16.0 + if centre > 0.5 { 0.5 } else { 0.0 }).fract() - 0.5) / 16.0 * 1.6;
            ink = ink.max(inside(
                (du * du + (v - centre) * (v - centre)).sqrt() - 0.014,
            ));
        }
        // Petals that stand on the foot, one per lobe.
        let across = ((u * 8.0).fract() - 0.5).abs() * 2.0;
        let height = (0.92 - v) / 0.23;
        let rim = 0.9 * (1.0 - height * height).max(0.0).sqrt() - across;
        if (0.0..1.0).contains(&height) {
            ink = ink
                .max(inside((rim * 0.06).abs() - 0.006))
                .max(0.55 * inside(-(rim - 0.30) * 0.06));
        }
        ink = ink.max(0.35 * band(0.0, 0.05) * (0.6 + 0.4 * cos_turn(u * 32.0)));
        0.93 - 0.93 * ink + 0.05 * noise(u, v, [9, 9], 7)
    })
}

/// A Greek key in a unit cell; 1 is ink. `y` outside 0..1 is empty.
fn meander(x: f32, y: f32) -> f32 {
    const KEY: [&[u8; 8]; 7] = [
        b"########",
        b"#......#",
        b"#.####.#",
        b"#.#..#.#",
        b"#.#.##.#",
        b"#.#....#",
        b"#.######",
    ];
    if !(0.0..1.0).contains(&y) {
        return 0.0;
    }
    let (column, row) = ((x.rem_euclid(1.0) * 8.0) as usize, (y * 7.0) as usize);
    if KEY[row.min(6)][column.min(7)] == b'#' {
        1.0
    } else {
        0.0
    }
}
