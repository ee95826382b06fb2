//! Colours at vertices and faces of OBJ, PLY and STL files → linear light.
//!
//! They are sRGB: what writes them (MeshLab, trimesh, the exporters of image-to-3D models) divides
//! the bytes of a picture by 255.

use super::warning::{Warning, Warnings};
use glam::Vec4;

/// Colours above this are bytes that were not divided. Interpolation, rounding and lights go a
/// little above 1, and are clamped.
pub(super) const BYTES_MIN: f32 = 8.0;

/// How far the colours of a mesh reach.
#[derive(Debug, Default)]
pub(super) struct Range {
    largest: f32,
    outside: u64,
}

impl Range {
    pub(super) fn see<'a>(&mut self, colors: impl Iterator<Item = &'a [f32]>) {
        for color in colors {
            self.largest = color.iter().copied().fold(self.largest, f32::max);
            self.outside += u64::from(is_outside(color));
        }
    }

    /// Warns of colours that are bytes, and of those that are clamped.
    pub(super) fn warn(&self, warnings: &mut Warnings) {
        if self.largest > BYTES_MIN {
            warnings.add(Warning::ColorRange { count: 1, range: 255 });
        } else {
            warnings.count(self.outside, |count| Warning::ColorClamped { count });
        }
    }
}

/// Beyond 0 to 1 by more than rounding.
pub(super) fn is_outside(color: &[f32]) -> bool {
    color.iter().any(|value| *value > 1.002 || *value < -0.002)
}

/// Opaque linear colours. Values that are not finite become white.
pub(super) fn linear_colors(srgb: &[[f32; 3]]) -> Vec<Vec4> {
    let largest = srgb.as_flattened().iter().copied().fold(0.0, f32::max);
    let scale = if largest > BYTES_MIN { 1.0 / 255.0 } else { 1.0 };
    let table: Vec<f32> = (0..=255).map(|byte| srgb_to_linear(byte as f32 / 255.0)).collect();
    let linear = |value: f32| {
        let value = (value * scale).clamp(0.0, 1.0);
        // Nearly all values are bytes, and a table is 20 times as fast as the power function.
        let byte = (value * 255.0 + 0.5) as usize;
        if (value * 255.0 - byte as f32).abs() < 1e-3 {
            table.get(byte).copied().unwrap_or(1.0)
        } else {
            srgb_to_linear(value)
        }
    };
    srgb.iter()
        .map(|&[r, g, b]| {
            if r.is_finite() && g.is_finite() && b.is_finite() {
                Vec4::new(linear(r), linear(g), linear(b), 1.0)
            } else {
                Vec4::ONE
            }
        })
        .collect()
}

/// IEC 61966-2-1.
pub(super) fn srgb_to_linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}
