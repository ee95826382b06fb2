//! A drawn view and pictures made of it: 8-bit with either alpha, over a background, a mask.

use crate::splats::ColorSpace;

/// Depths and normal of a pixel. All zero where nothing is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Geometry {
    /// Mean depth of the visible splats, weighted by their shares of the pixel.
    pub depth_expected: f32,
    /// Depth of the splat at which half of the light is lost; 0 where alpha stays below ½.
    pub depth_median: f32,
    /// Unit normal in world space: the mean of the splats' shortest axes, turned towards the eye.
    /// Means little where splats are round.
    pub normal: [f32; 3],
}

/// Whether colours of an 8-bit picture are multiplied by alpha.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alpha {
    Straight,
    Premultiplied,
}

/// A surface at a pixel, to be seen through splats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Under {
    /// Display colours, 0 to 1, not multiplied by alpha.
    pub rgb: [f32; 3],
    pub alpha: f32,
    /// Along the view's axis.
    pub depth: f32,
    /// Unit normal in world space; not used where the picture has no geometry.
    pub normal: [f32; 3],
}

/// One view. Row-major from the top left.
#[derive(Debug, Clone)]
pub struct Picture {
    pub width_px: u32,
    pub height_px: u32,
    /// Red, green, blue multiplied by alpha, and alpha from 0 to 1. Colours are in `color_space`
    /// and may exceed alpha, as training allows.
    pub rgba: Vec<[f32; 4]>,
    /// Empty unless asked for.
    pub geometry: Vec<Geometry>,
    pub color_space: ColorSpace,
    /// Splats that were not outside the picture, too near or too transparent.
    pub visible: usize,
}

impl Picture {
    /// Puts surfaces behind the splats, by index of the pixel. Where splats take less than half of
    /// the light, the depths become the surface's.
    pub fn put_under(&mut self, surfaces: impl Fn(usize) -> Option<Under>) {
        for at in 0..self.rgba.len() {
            let Some(under) = surfaces(at) else { continue };
            let [.., alpha] = self.rgba[at];
            let share = (1.0 - alpha) * under.alpha;
            let rgb = under.rgb.map(|value| self.blended(value));
            for (sum, value) in self.rgba[at].iter_mut().zip([rgb[0], rgb[1], rgb[2], 1.0]) {
                *sum += share * value;
            }
            let Some(geometry) = self.geometry.get_mut(at) else { continue };
            let weights =
                [alpha, share].map(|weight| weight / (alpha + share).max(f32::MIN_POSITIVE));
            geometry.depth_expected =
                weights[0] * geometry.depth_expected + weights[1] * under.depth;
            if geometry.depth_median == 0.0 {
                geometry.depth_median = under.depth;
            }
            let normal =
                [0, 1, 2].map(|k| weights[0] * geometry.normal[k] + weights[1] * under.normal[k]);
            let length = normal.iter().map(|value| value * value).sum::<f32>().sqrt();
            geometry.normal = normal.map(|value| if length > 0.0 { value / length } else { 0.0 });
        }
    }

    /// Display colours over a background of display colours, and full alpha.
    pub fn over(&self, background: [f32; 3]) -> Vec<[u8; 4]> {
        let background = background.map(|value| self.blended(value));
        self.rgba
            .iter()
            .map(|&[r, g, b, a]| {
                let over =
                    |value: f32, behind: f32| byte(self.displayed(value + (1.0 - a) * behind));
                [over(r, background[0]), over(g, background[1]), over(b, background[2]), 255]
            })
            .collect()
    }

    /// Display colours with transparency.
    pub fn rgba8(&self, alpha: Alpha) -> Vec<[u8; 4]> {
        self.rgba
            .iter()
            .map(|&[r, g, b, a]| {
                let straight = [r, g, b].map(|value| {
                    if a > 0.0 { self.displayed(value / a).clamp(0.0, 1.0) } else { 0.0 }
                });
                let factor = if alpha == Alpha::Straight { 1.0 } else { a };
                let [r, g, b] = straight.map(|value| byte(value * factor));
                [r, g, b, byte(a)]
            })
            .collect()
    }

    /// Whether each pixel is at least half covered: the silhouette.
    pub fn mask(&self) -> Vec<bool> {
        self.rgba.iter().map(|pixel| pixel[3] >= 0.5).collect()
    }

    /// Share of the picture that is covered, 0 to 1.
    pub fn coverage(&self) -> f64 {
        let sum: f64 = self.rgba.iter().map(|pixel| f64::from(pixel[3])).sum();
        sum / self.rgba.len() as f64
    }

    /// IEC 61966-2-1.
    fn displayed(&self, value: f32) -> f32 {
        match self.color_space {
            ColorSpace::Display => value,
            ColorSpace::Linear if value <= 0.003_130_8 => 12.92 * value,
            ColorSpace::Linear => 1.055 * libm::powf(value, 1.0 / 2.4) - 0.055,
        }
    }

    fn blended(&self, value: f32) -> f32 {
        match self.color_space {
            ColorSpace::Display => value,
            ColorSpace::Linear if value <= 0.040_45 => value / 12.92,
            ColorSpace::Linear => libm::powf((value + 0.055) / 1.055, 2.4),
        }
    }
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}
