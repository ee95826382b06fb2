//! The render protocol: all except the asset that decides a picture, as a record with a hash.
//!
//! It is stored with every verdict; ratings refuse to mix two protocols unless a setting allows it.

use super::channel::Channel;
use super::samples::SAMPLES;
use super::settings::{Background, Light, NormalSpace, Settings};
use crate::rig::Rig;
use crate::scene::reading::{MtlTint, Options, Points, VertexColors};
use serde::Serialize;

/// Raised with every change that moves a pixel of some file.
const RENDERER_VERSION: u32 = 11;

/// One canonical record. Serialises with its fields in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Protocol {
    pub renderer: &'static str,
    pub renderer_version: u32,
    pub rig: Rig,
    pub width_px: u32,
    pub height_px: u32,
    /// What was drawn, sorted.
    pub channels: Vec<Channel>,
    pub background: Background,
    pub normal_space: NormalSpace,
    pub light: Light,
    /// BLAKE3 of the panorama that lights instead of the studio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    pub tone_map: &'static str,
    pub samples: usize,
    /// The policy for normals of the load options.
    pub normals: String,
    /// As the load options name the axis.
    pub up: String,
    /// As the load options name the axis.
    pub front: String,
    /// What became of a material library's tint, where that is not the format's own rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtl_tint: Option<&'static str>,
    /// Whether the vertex colours of glTF files were read as sRGB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertex_colors: Option<&'static str>,
    /// Whether points and lines were drawn next to surfaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<&'static str>,
}

/// A record of how pictures came about, as it is kept: the canonical JSON and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtocolRecord {
    /// BLAKE3 of `json`, 64 hexadecimal digits.
    pub hash: String,
    /// Of our own pictures, a [`Protocol`].
    pub json: String,
}

impl ProtocolRecord {
    pub fn new(json: String) -> Self {
        Self { hash: blake3::hash(json.as_bytes()).to_hex().to_string(), json }
    }
}

impl Protocol {
    /// The stored part.
    pub fn record(&self) -> ProtocolRecord {
        ProtocolRecord::new(self.to_json())
    }

    /// The record of a drawing; `load` are the loader's options.
    pub fn new(rig: &Rig, settings: &Settings, load: &Options) -> Self {
        let mut channels = settings.channels.clone();
        channels.sort_unstable();
        channels.dedup();
        Self {
            renderer: settings.renderer.name(),
            renderer_version: RENDERER_VERSION,
            rig: rig.clone(),
            width_px: settings.width_px,
            height_px: settings.height_px,
            channels,
            background: settings.background,
            normal_space: settings.normal_space,
            light: settings.light,
            environment: settings.environment.as_ref().map(|light| light.hash().to_owned()),
            tone_map: match settings.light {
                Light::Studio => "khronos-pbr-neutral",
                Light::Unlit => "none",
            },
            samples: SAMPLES,
            normals: format!("{:?}", load.normals).to_lowercase(),
            up: load.up.to_string(),
            front: load.front.to_string(),
            mtl_tint: (load.mtl_tint == MtlTint::Ignore).then_some("ignore"),
            points: (load.points == Points::Always).then_some("always"),
            vertex_colors: (load.vertex_colors == VertexColors::Srgb).then_some("srgb"),
        }
    }

    /// The record as compact JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a protocol has only strings, numbers and lists")
    }

    /// BLAKE3 of [`Protocol::to_json`], hexadecimal.
    pub fn hash(&self) -> String {
        self.record().hash
    }
}
