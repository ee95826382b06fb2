//! Fine structure in a picture: how strong, and whether it is drawn (edges with a direction) or noise (gradients in all directions).

use crate::render::{Image, PixelFormat};

/// Half the window of the structure tensor: 5 × 5 pixels, enough to tell an edge from noise and small enough to stay local.
const HALF_WINDOW: usize = 2;

/// Gradients of an RGB8 picture, 0 where a neighbour lies outside the mask.
pub(super) struct Gradients {
    pub width: usize,
    pub height: usize,
    /// Sums over the channels of gx², gy² and gx·gy (Di Zenzo 1986); values run over 0 to 1 a channel.
    tensor: Vec<[f32; 3]>,
    /// Where all four neighbours are inside.
    pub is_valid: Vec<bool>,
}

/// Means over the pixels that count.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Structure {
    /// Sum of gradient lengths weighted by coherence²: drawn structure.
    pub drawn: f64,
    /// Sum of gradient lengths weighted by (1 − coherence)²: noise.
    pub noise: f64,
    /// How many pixels count.
    pub pixels: f64,
}

impl Structure {
    /// Adds the sums of another view.
    pub(super) fn add(&mut self, other: Self) {
        self.drawn += other.drawn;
        self.noise += other.noise;
        self.pixels += other.pixels;
    }

    /// `total / pixels`, 0 for no pixel.
    pub(super) fn mean(&self, total: f64) -> f64 {
        if self.pixels > 0.0 {
            total / self.pixels
        } else {
            0.0
        }
    }
}

impl Gradients {
    /// Central differences; `inside` says which pixels belong to the object.
    pub(super) fn of(image: &Image, inside: &[bool]) -> Self {
        assert_eq!(image.format, PixelFormat::Rgb8);
        let (width, height) = (image.width_px as usize, image.height_px as usize);
        let mut tensor = vec![[0.0; 3]; width * height];
        let mut is_valid = vec![false; width * height];
        for y in 1..height.saturating_sub(1) {
            for x in 1..width - 1 {
                let at = y * width + x;
                if ![at, at - 1, at + 1, at - width, at + width]
                    .iter()
                    .all(|&i| inside[i])
                {
                    continue;
                }
                is_valid[at] = true;
                for channel in 0..3 {
                    let value = |i: usize| f32::from(image.pixels[i * 3 + channel]) / 255.0;
                    let gx = 0.5 * (value(at + 1) - value(at - 1));
                    let gy = 0.5 * (value(at + width) - value(at - width));
                    tensor[at][0] += gx * gx;
                    tensor[at][1] += gy * gy;
                    tensor[at][2] += gx * gy;
                }
            }
        }
        Self {
            width,
            height,
            tensor,
            is_valid,
        }
    }

    /// Length of the gradient at a pixel.
    pub(super) fn length(&self, at: usize) -> f32 {
        (self.tensor[at][0] + self.tensor[at][1]).sqrt()
    }

    /// Sums over valid pixels that `counts`.
    ///
    /// Coherence is `(λ₁ − λ₂) / (λ₁ + λ₂)` of the tensor over the window (Bigün & Granlund 1987): 1 on a straight edge, near 0 in noise.
    pub(super) fn structure(&self, counts: impl Fn(usize) -> bool) -> Structure {
        let mut sum = Structure::default();
        for y in HALF_WINDOW..self.height.saturating_sub(HALF_WINDOW) {
            for x in HALF_WINDOW..self.width - HALF_WINDOW {
                let at = y * self.width + x;
                if !self.is_valid[at] || !counts(at) {
                    continue;
                }
                let coherence = self.coherence(x, y);
                let length = f64::from(self.length(at));
                sum.drawn += length * coherence * coherence;
                sum.noise += length * (1.0 - coherence) * (1.0 - coherence);
                sum.pixels += 1.0;
            }
        }
        sum
    }

    fn coherence(&self, x: usize, y: usize) -> f64 {
        let [mut xx, mut yy, mut xy] = [0.0_f32; 3];
        for row in y - HALF_WINDOW..=y + HALF_WINDOW {
            for tensor in &self.tensor
                [row * self.width + x - HALF_WINDOW..=row * self.width + x + HALF_WINDOW]
            {
                xx += tensor[0];
                yy += tensor[1];
                xy += tensor[2];
            }
        }
        let trace = xx + yy;
        // Under one byte step over the window there is no direction.
        if trace < 25.0 * 0.5 / (255.0 * 255.0) {
            return 1.0;
        }
        f64::from((((xx - yy) * (xx - yy) + 4.0 * xy * xy).sqrt() / trace).clamp(0.0, 1.0))
    }
}

/// Inside pixels whose neighbours within `radius` (a square) are all inside too.
pub(super) fn eroded(inside: &[bool], width: usize, radius: usize) -> Vec<bool> {
    let height = inside.len() / width;
    let mut in_rows = vec![false; inside.len()];
    for (y, x) in
        (0..height).flat_map(|y| (radius..width.saturating_sub(radius)).map(move |x| (y, x)))
    {
        in_rows[y * width + x] = inside[y * width + x - radius..=y * width + x + radius]
            .iter()
            .all(|&i| i);
    }
    let mut out = vec![false; inside.len()];
    for (y, x) in
        (radius..height.saturating_sub(radius)).flat_map(|y| (0..width).map(move |x| (y, x)))
    {
        out[y * width + x] = (y - radius..=y + radius).all(|row| in_rows[row * width + x]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(value: impl Fn(u32, u32) -> u8) -> Image {
        let pixels = (0..64 * 64)
            .flat_map(|i| [value(i % 64, i / 64); 3])
            .collect();
        Image {
            width_px: 64,
            height_px: 64,
            format: PixelFormat::Rgb8,
            pixels,
        }
    }

    fn measured(image: &Image) -> Structure {
        Gradients::of(image, &[true; 4096]).structure(|_| true)
    }

    #[test]
    fn stripes_are_drawn_and_random_pixels_are_noise() {
        let stripes = measured(&picture(|x, _| if x % 8 < 4 { 40 } else { 200 }));
        let random = measured(&picture(|x, y| {
            // SplitMix64's finaliser: neighbours have nothing in common.
            let mut h = u64::from(y * 64 + x + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            h = (h ^ (h >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (h >> 56) as u8
        }));
        assert!(stripes.drawn > 20.0 * stripes.noise.max(1e-9));
        assert!(random.noise > random.drawn);
        let flat = measured(&picture(|_, _| 90));
        assert_eq!((flat.drawn, flat.noise), (0.0, 0.0));
    }

    #[test]
    fn erosion_takes_the_rim() {
        let inside: Vec<bool> = (0..100)
            .map(|i| (2..8).contains(&(i % 10)) && (2..8).contains(&(i / 10)))
            .collect();
        assert_eq!(eroded(&inside, 10, 1).iter().filter(|&&i| i).count(), 16);
        assert_eq!(eroded(&inside, 10, 3).iter().filter(|&&i| i).count(), 0);
    }
}
