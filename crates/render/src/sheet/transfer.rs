//! How bytes map to light: sRGB or plain, by table, the same on every machine.

use crate::render::Channel;
use crate::scene::color::{LINEAR_FROM_SRGB8, LINEAR_FROM_UNORM8, linear_from_srgb};
use std::sync::OnceLock;

/// What the bytes of a picture mean to a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// Colour, sRGB-encoded (IEC 61966-2-1); filtered in linear light.
    Srgb,
    /// Plain numbers: normals, depth, coverage; filtered as they are.
    Linear,
}

impl Transfer {
    /// How a channel is stored; see [`Channel`].
    pub fn of(channel: Channel) -> Self {
        if channel.is_color() { Self::Srgb } else { Self::Linear }
    }

    /// Linear value, 0 to 1, of each byte.
    pub(super) fn decode_table(self) -> &'static [f32; 256] {
        match self {
            Self::Srgb => &LINEAR_FROM_SRGB8,
            Self::Linear => &LINEAR_FROM_UNORM8,
        }
    }

    /// The byte nearest to a linear value; clamps to 0..1.
    #[inline]
    pub(super) fn encode(self, value: f32) -> u8 {
        match self {
            Self::Srgb => encode_srgb(value),
            Self::Linear => (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
        }
    }
}

/// Linear light, 0 to 1, of an sRGB byte.
#[inline]
pub fn decode_srgb(byte: u8) -> f32 {
    Transfer::Srgb.decode_table()[byte as usize]
}

/// The sRGB byte nearest (in encoded steps) to a linear value; clamps to 0..1.
#[inline]
pub fn encode_srgb(value: f32) -> u8 {
    // Entry k is the light at which byte k rounds up to byte k + 1.
    static STEPS: OnceLock<[f32; 255]> = OnceLock::new();
    let steps = STEPS
        .get_or_init(|| std::array::from_fn(|k| linear_from_srgb((k as f64 + 0.5) / 255.0) as f32));
    steps.partition_point(|&step| step <= value) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_there_and_back() {
        for byte in 0..=255 {
            assert_eq!(encode_srgb(decode_srgb(byte)), byte);
            assert_eq!(
                Transfer::Linear.encode(Transfer::Linear.decode_table()[byte as usize]),
                byte
            );
        }
    }

    #[test]
    fn half_the_light_is_188() {
        assert_eq!(encode_srgb(0.5), 188);
        assert_eq!((encode_srgb(-1.0), encode_srgb(7.0)), (0, 255));
    }
}
