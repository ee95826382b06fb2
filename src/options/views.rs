//! How assets are drawn.

use super::asking::whole;
use super::names::choice;
use crate::render::{Background, Light, NormalSpace, Renderer};
use crate::rig::Rig;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How assets are drawn: the choices of a caller. A picture of a rubric decides the rest.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[command(next_help_heading = "Pictures")]
pub struct ViewOptions {
    /// Cameras: ring, four-view, six, gpteval3d, a protocol, or a TOML file
    #[arg(long, value_name = "RIG")]
    pub rig: Option<String>,

    /// Cameras from a file: transforms.json, COLMAP's images.txt, .npy matrices, or a folder of
    /// these; the rig then places the asset
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub cameras: Option<PathBuf>,

    /// Override the detected convention of `cameras`, comma-separated: c2w or w2c, opengl or
    /// opencv, z-up or y-up
    #[arg(long, value_name = "LIST", requires = "cameras", hide_short_help = true)]
    pub camera_convention: Option<String>,

    /// Number of views: evenly around for ring, evenly chosen from other rigs
    #[arg(long, value_name = "N")]
    pub views: Option<usize>,

    /// Views next to each other on a sheet [default: the rig's, or a square]
    #[arg(long, value_name = "N", hide_short_help = true, value_parser = whole(1..=u32::from(u16::MAX)))]
    pub columns: Option<u32>,

    /// Elevation of the ring's cameras, in degrees from -90 to 90
    #[arg(id = "elevation", long, value_name = "DEGREES", allow_negative_numbers = true)]
    #[serde(alias = "elevation")]
    pub elevation_degrees: Option<f64>,

    /// Width and height of each view, in pixels [default: the rig's, 512]
    #[arg(id = "size", long, value_name = "PX", value_parser = whole(1..=Rig::TILE_PX_MAX))]
    #[serde(rename = "size_px", alias = "size")]
    #[cfg_attr(test, schemars(range(min = 1, max = 8192)))]
    pub tile_px: Option<u32>,

    /// white, black, grey, transparent or #RRGGBB [default: the rig's, white]
    #[arg(long, value_name = "COLOR")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub background: Option<Background>,

    /// Axes of normal pictures: of the normalised world, or of the camera's view [default: world]
    #[arg(long, value_name = "SPACE", hide_short_help = true, value_parser = choice::<NormalSpace>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub normal_space: Option<NormalSpace>,

    /// studio, or unlit (base colours unchanged) [default: the rig's, studio]
    #[arg(long, value_name = "LIGHT", hide_possible_values = true, value_parser = choice::<Light>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub light: Option<Light>,

    /// Environment light instead of the studio: a panorama, .hdr or .exr
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub environment: Option<PathBuf>,

    /// CPU or graphics card, which each caller opens in its own way.
    #[arg(skip)]
    #[serde(skip)]
    pub renderer: Renderer,
}

impl ViewOptions {
    /// With the paths of a file's options, which are relative to its folder. A rig without a file
    /// there is one of ours.
    #[must_use]
    pub fn in_folder(&self, folder: &Path) -> Self {
        let within = |path: &Option<PathBuf>| path.as_ref().map(|path| folder.join(path));
        Self {
            rig: self.rig.as_ref().map(|name| own_file(name, folder)),
            cameras: within(&self.cameras),
            environment: within(&self.environment),
            ..self.clone()
        }
    }
}

/// The path of a file in the folder, or the name of something built in.
pub fn own_file(name: &str, folder: &Path) -> String {
    let path = folder.join(name);
    let is_file = name.ends_with(".toml") && path.is_file();
    if is_file { path.to_string_lossy().into_owned() } else { name.to_owned() }
}
