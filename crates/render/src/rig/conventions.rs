//! The requirements of a published protocol besides its cameras: light, background, the files' axes
//! and names; and their sources.

use crate::scene::reading::Axis;
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
    /// `aabb`, `scale` and `offset` move the asset; for NeRF tools the last two move cameras.
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
    /// A panorama that lights instead of the studio, `.hdr` or `.exr`; next to the rig's file.
    pub environment: Option<PathBuf>,
    /// Up and front of the files that the protocol is given.
    pub file_axes: Option<[Axis; 2]>,
    /// Name of each channel's files: `{view}` is the index of the view, `{view:03}` the same with
    /// three digits, `{name}` the view's name.
    pub files: BTreeMap<String, String>,
    pub transforms: TransformsStyle,
    /// Pictures of these cameras in other lights or backgrounds, in addition to the protocol's own.
    pub setups: Vec<Setup>,
    /// The folder for the pictures of channels that `files` does not name, for a set-up.
    #[serde(skip)]
    folder: Option<String>,
}

/// Another light or background for some views; missing keys are as in the protocol itself.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    pub name: String,
    pub background: Option<String>,
    pub light: Option<String>,
    pub environment: Option<PathBuf>,
    /// Names of the views that are shown so; none for all.
    #[serde(default)]
    pub views: Vec<String>,
    /// As [`Conventions::files`]; pictures of other channels are in a folder of the set-up's name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

impl Conventions {
    /// Those of a set-up.
    pub(super) fn of_setup(&self, setup: &Setup) -> Self {
        let other = setup.clone();
        // A panorama lights, whatever the protocol's own pictures are lit by.
        let lit = other.environment.is_some().then(|| "studio".to_owned());
        Self {
            background: other.background.or_else(|| self.background.clone()),
            light: other.light.or(lit).or_else(|| self.light.clone()),
            environment: other.environment.or_else(|| self.environment.clone()),
            files: other.files,
            setups: Vec::new(),
            folder: Some(other.name),
            ..self.clone()
        }
    }

    /// The file of a channel's picture, without folder.
    pub fn file_name(&self, channel: &str, view_idx: usize, view_name: &str) -> String {
        let Some(pattern) = self.files.get(channel) else {
            let folder = self.folder.iter().map(|name| format!("{name}/"));
            return folder.collect::<String>() + &format!("{channel}_{view_idx}.png");
        };
        pattern
            .replace("{view:03}", &format!("{view_idx:03}"))
            .replace("{view}", &view_idx.to_string())
            .replace("{name}", view_name)
    }
}
