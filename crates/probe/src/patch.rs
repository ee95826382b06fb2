//! A texture around one place, in its own texels: marks of grain, blur, JPEG and too few levels.

use crate::scene::Texture;
use std::ops::AddAssign;

/// Texels on each side of the middle.
const AROUND: i64 = 5;

const EDGE: usize = 2 * AROUND as usize + 1;

/// A texel that is lighter or darker than its neighbours by more than this is an outlier; sum of
/// three channels of 255.
const LONE: i32 = 12;

/// JPEG's blocks.
const BLOCK: i64 = 8;

/// Sums over texels; the means follow by division.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Patch {
    texels: f64,
    /// Squared difference of texels 1, 2 and 4 apart; mean over channels, of 1.
    energy: [f64; 3],
    /// Mean difference across block borders and one texel to either side, with their number.
    border: f64,
    beside: f64,
    /// Texels that differ from all four neighbours.
    lone: f64,
    /// Pairs of neighbours that are alike.
    equal: f64,
    /// Which values occur, by bit; in any channel.
    values: [u64; 4],
    /// Logarithm to base 2 of the number of texels of the whole texture.
    size: f64,
    patches: f64,
}

impl Patch {
    /// Mean squared difference of texels 1, 2 or 4 apart.
    pub(super) fn energy(&self, step: usize) -> f64 {
        self.energy[step] / self.texels.max(1.0)
    }

    /// Steps between blocks of 8 × 8 over those next to them; 1 if there are no blocks.
    pub(super) fn blockiness(&self) -> f64 {
        // One of 1,000 counts as none.
        let none = 1e-3 * self.texels.max(1.0);
        (self.border + none) / (self.beside + none)
    }

    /// Share of texels above or below all four neighbours by more than these differ.
    pub(super) fn lone(&self) -> f64 {
        self.lone / self.texels.max(1.0)
    }

    /// Share of neighbours that are exactly alike.
    pub(super) fn equal(&self) -> f64 {
        self.equal / (2.0 * self.texels).max(1.0)
    }

    /// How many of the 256 values occur.
    pub(super) fn levels(&self) -> f64 {
        f64::from(self.values.iter().map(|bits| bits.count_ones()).sum::<u32>())
    }

    /// Mean logarithm to base 2 of the number of texels in the whole texture.
    pub(super) fn log_size(&self) -> f64 {
        self.size / self.patches.max(1.0)
    }
}

impl AddAssign for Patch {
    fn add_assign(&mut self, other: Self) {
        self.texels += other.texels;
        for k in 0..3 {
            self.energy[k] += other.energy[k];
        }
        self.border += other.border;
        self.beside += other.beside;
        self.lone += other.lone;
        self.equal += other.equal;
        for (own, theirs) in self.values.iter_mut().zip(other.values) {
            *own |= theirs;
        }
        self.size += other.size;
        self.patches += other.patches;
    }
}

/// The square around a texel, which can be outside: coordinates repeat.
pub(super) fn patch(texture: &Texture, texels: &[[u8; 4]], [x, y]: [i64; 2]) -> Patch {
    let (width, height) = (i64::from(texture.width_px()), i64::from(texture.height_px()));
    let mut square = [[[0_i32; 3]; EDGE]; EDGE];
    let mut found =
        Patch { patches: 1.0, size: libm::log2((width * height) as f64), ..Patch::default() };
    for (row, line) in square.iter_mut().enumerate() {
        let v = (y + row as i64 - AROUND).rem_euclid(height);
        for (column, texel) in line.iter_mut().enumerate() {
            let u = (x + column as i64 - AROUND).rem_euclid(width);
            let [r, g, b, _] = texels[(v * width + u) as usize];
            *texel = [r, g, b].map(i32::from);
            for value in [r, g, b] {
                found.values[usize::from(value >> 6)] |= 1 << (value & 63);
            }
        }
    }
    let apart =
        |a: [i32; 3], b: [i32; 3]| (0..3).fold(0, |sum, c| sum + (a[c] - b[c]) * (a[c] - b[c]));
    for row in 1..EDGE - 1 {
        for column in 1..EDGE - 1 {
            let here = square[row][column];
            found.texels += 1.0;
            let around = |dy: i64, dx: i64| {
                square[(row as i64 + dy) as usize][(column as i64 + dx) as usize]
            };
            let (right, below) = (apart(here, around(0, 1)), apart(here, around(1, 0)));
            found.energy[0] += f64::from(right + below);
            found.equal += f64::from(u8::from(right == 0) + u8::from(below == 0));
            let light = |texel: [i32; 3]| texel[0] + texel[1] + texel[2];
            let next = [around(0, 1), around(1, 0), around(0, -1), around(-1, 0)].map(light);
            let (low, high) = (next.iter().min().copied(), next.iter().max().copied());
            if let (Some(low), Some(high)) = (low, high) {
                let out = (light(here) - high).max(low - light(here));
                found.lone += f64::from(u8::from(out > LONE && out > high - low));
            }
            if row < EDGE - 4 && column < EDGE - 4 {
                found.energy[1] += f64::from(apart(here, around(0, 2)) + apart(here, around(2, 0)));
                found.energy[2] += f64::from(apart(here, around(0, 4)) + apart(here, around(4, 0)));
            }
            for (along, next) in
                [(x + column as i64 - AROUND, (0, 1)), (y + row as i64 - AROUND, (1, 0))]
            {
                let step = f64::from(apart(here, around(next.0, next.1))).sqrt();
                match along.rem_euclid(BLOCK) {
                    7 => found.border += step,
                    6 | 0 => found.beside += 0.5 * step,
                    _ => {}
                }
            }
        }
    }
    // To means over channels, of 1; the coarse steps have fewer places.
    let scale = 1.0 / (2.0 * 3.0 * 255.0 * 255.0);
    let fewer = ((EDGE - 2) * (EDGE - 2)) as f64 / ((EDGE - 5) * (EDGE - 5)) as f64;
    found.energy[0] *= scale;
    found.energy[1] *= scale * fewer;
    found.energy[2] *= scale * fewer;
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{ColorSpace, Wrap};

    fn around_the_middle(value: impl Fn(i32, i32) -> u8) -> Patch {
        let texels = (0..64 * 64).map(|i| [value(i % 64, i / 64); 4]).collect();
        let wrap = [Wrap::Repeat; 2];
        let texture = Texture::new(String::new(), 64, 64, texels, ColorSpace::Srgb, wrap).unwrap();
        let mut sum = Patch::default();
        for place in [[32, 32], [40, 20], [27, 50], [20, 44]] {
            sum += patch(&texture, &texture.texels(), place);
        }
        sum
    }

    #[test]
    fn steps_at_every_eighth_texel_are_blocks() {
        let blocks = around_the_middle(|x, y| ((x / 8 * 40 + y / 8 * 24) % 256) as u8);
        let slope = around_the_middle(|x, _| (4 * x) as u8);
        assert!(blocks.blockiness() > 10.0, "{}", blocks.blockiness());
        assert!((0.8..1.3).contains(&slope.blockiness()), "{}", slope.blockiness());
    }

    #[test]
    fn noise_is_alike_at_every_step_and_a_slope_grows() {
        let random =
            |x: i32, y: i32| ((x as u32 + 64 * y as u32).wrapping_mul(2_654_435_761) >> 24) as u8;
        let noise = around_the_middle(random);
        assert!((0.7..1.4).contains(&(noise.energy(2) / noise.energy(0))));
        let slope = around_the_middle(|x, _| (2 * x) as u8);
        assert!(slope.energy(2) > 8.0 * slope.energy(0));
        let two = around_the_middle(|x, y| random(x, y) & 0x80);
        assert_eq!(two.levels(), 2.0);
        assert!(noise.levels() > 100.0);
        assert_eq!(noise.log_size(), 12.0);
    }
}
