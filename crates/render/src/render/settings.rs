//! The settings of a drawing, in addition to scene and rig.

use super::channel::Channel;
use super::environment::Environment;
use super::gpu::Gpu;
use crate::scene::color::linear_from_srgb;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The background of the `rgb` and `matte` channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Background {
    /// 255, 255, 255.
    #[default]
    White,
    /// 0, 0, 0.
    Black,
    /// 128, 128, 128.
    Grey,
    /// Straight alpha in `rgb`; white in `matte`.
    Transparent,
    /// Any sRGB colour.
    Srgb([u8; 3]),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a background; use white, black, grey, transparent or a colour such as #dde0e4"
)]
pub struct BackgroundError {
    pub text: String,
}

impl Background {
    /// Linear light, or `None` for transparency.
    pub(crate) fn linear(self) -> Option<[f32; 3]> {
        Some(self.srgb()?.map(|byte| linear_from_srgb(f64::from(byte) / 255.0) as f32))
    }

    /// As pictures have it, or `None` for transparency.
    pub(super) fn srgb(self) -> Option<[u8; 3]> {
        Some(match self {
            Self::White => [255; 3],
            Self::Black => [0; 3],
            Self::Grey => [128; 3],
            Self::Srgb(srgb) => srgb,
            Self::Transparent => return None,
        })
    }
}

impl FromStr for Background {
    type Err = BackgroundError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || BackgroundError { text: text.to_owned() };
        Ok(match text {
            "white" => Self::White,
            "black" => Self::Black,
            "grey" | "gray" => Self::Grey,
            "transparent" => Self::Transparent,
            _ => {
                let digits = text.strip_prefix('#').ok_or_else(error)?;
                if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                    return Err(error());
                }
                let value = u32::from_str_radix(digits, 16).map_err(|_| error())?;
                let [_, r, g, b] = value.to_be_bytes();
                Self::Srgb([r, g, b])
            }
        })
    }
}

impl TryFrom<String> for Background {
    type Error = BackgroundError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Background> for String {
    fn from(background: Background) -> Self {
        background.to_string()
    }
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::White => f.write_str("white"),
            Self::Black => f.write_str("black"),
            Self::Grey => f.write_str("grey"),
            Self::Transparent => f.write_str("transparent"),
            Self::Srgb([r, g, b]) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

/// Which space the normal channel is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NormalSpace {
    /// The normalised world, with the rig's order of axes.
    #[default]
    World,
    /// Right, up and towards the camera.
    View,
}

/// How the `rgb` channel is lit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Light {
    #[default]
    Studio,
    /// Base colour as it is.
    Unlit,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Renderer {
    #[default]
    Cpu,
    /// A graphics card; the CPU draws what it cannot.
    Gpu(Gpu),
}

impl Renderer {
    /// As the protocol's record has it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu(_) => "gpu",
        }
    }
}

/// What to draw, and how large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Width of each picture, 1 to 8192.
    pub width_px: u32,
    /// Height of each picture, 1 to 8192.
    pub height_px: u32,
    /// At least one; repeats do no harm.
    pub channels: Vec<Channel>,
    pub background: Background,
    pub normal_space: NormalSpace,
    pub light: Light,
    /// Instead of the studio, where pictures are lit at all; `matte` keeps the studio.
    pub environment: Option<Environment>,
    pub renderer: Renderer,
}

impl Default for Settings {
    /// Colour and normals, 512 px, white, studio.
    fn default() -> Self {
        Self {
            width_px: 512,
            height_px: 512,
            channels: vec![Channel::Rgb, Channel::Normal],
            background: Background::default(),
            normal_space: NormalSpace::default(),
            light: Light::default(),
            environment: None,
            renderer: Renderer::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backgrounds_read_back_as_written() {
        for text in ["white", "black", "grey", "transparent", "#12abef"] {
            assert_eq!(text.parse::<Background>().unwrap().to_string(), text);
        }
        for text in ["", "#12abe", "#12abeg", "pink", "#+2abef"] {
            assert!(text.parse::<Background>().is_err(), "{text}");
        }
    }
}
