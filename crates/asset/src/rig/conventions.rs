//! What a published protocol asks beside its cameras: light, background, the files' axes and names; and where all of it was read.

use crate::load::Axis;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How `transforms.json` is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransformsStyle {
    /// What NeRF tools read.
    #[default]
    Nerf,
    /// With `aabb`, `scale` and `offset`, which move the asset; NeRF tools would take the last two to move cameras.
    Trellis,
}

/// Conventions of a protocol; those left open are ours.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Conventions {
    /// Where the protocol was read.
    pub source: String,
    /// What the source states.
    pub certain: Vec<String>,
    /// What the source leaves open, and how this rig reads it.
    pub reading: Vec<String>,
    /// As [`Background`](crate::render::Background) reads it.
    pub background: Option<String>,
    /// As [`Light`](crate::render::Light) is named.
    pub light: Option<String>,
    /// A panorama that lights instead of the studio, `.hdr` or `.exr`; beside the rig's file.
    pub environment: Option<PathBuf>,
    /// Up and front of the files that the protocol is given.
    pub file_axes: Option<[Axis; 2]>,
    /// Name of each channel's files: `{view}` is the index of the view, `{view:03}` the same with three digits, `{name}` the view's name.
    pub files: BTreeMap<String, String>,
    pub transforms: TransformsStyle,
}

impl Conventions {
    /// The file of a channel's picture, without folder.
    pub fn file_name(&self, channel: &str, view_idx: usize, view_name: &str) -> String {
        let Some(pattern) = self.files.get(channel) else {
            return format!("{channel}_{view_idx}.png");
        };
        pattern
            .replace("{view:03}", &format!("{view_idx:03}"))
            .replace("{view}", &view_idx.to_string())
            .replace("{name}", view_name)
    }
}
