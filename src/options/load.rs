//! How assets are loaded.

use super::layers::or;
use super::names::choice;
use crate::load::{Axis, MtlTint, NormalsPolicy, Options, Points, VertexColors};
use clap::Args;
use serde::{Deserialize, Serialize};

/// How assets are loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[command(next_help_heading = "Assets")]
pub struct LoadOptions {
    /// The files' up axis: +y, -y, +z, … [default: +y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub up: Option<Axis>,

    /// The files' front axis [default: +z]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub front: Option<Axis>,

    /// Kd next to map_Kd in .mtl files: apply (multiply the texture) or ignore [default: apply]
    #[arg(long, value_name = "HOW", hide_possible_values = true, value_parser = choice::<MtlTint>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub mtl_tint: Option<MtlTint>,

    /// Draw points and lines as dots and rods: alone (if nothing else) or always [default: alone]
    #[arg(long, value_name = "WHEN", hide_possible_values = true, value_parser = choice::<Points>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub points: Option<Points>,

    /// Vertex colours of glTF: linear (standard) or srgb (as in trimesh) [default: linear]
    #[arg(long, value_name = "SPACE", hide_possible_values = true, value_parser = choice::<VertexColors>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub vertex_colors: Option<VertexColors>,

    /// Normals: file (by its format's rules if it has none), flat, or smooth [default: file]
    #[arg(long, value_parser = choice::<NormalsPolicy>())]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub normals: Option<NormalsPolicy>,
}

impl LoadOptions {
    /// The loaders' settings.
    pub fn settings(&self) -> Options {
        self.over(Options::default())
    }

    /// The loaders' settings; without an option, as in `default`.
    pub fn over(&self, default: Options) -> Options {
        or(self, &default).expect("words and axes")
    }

    /// Whether an axis is named.
    pub fn names_axes(&self) -> bool {
        self.up.is_some() || self.front.is_some()
    }
}
