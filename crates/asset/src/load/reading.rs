//! Options for reading a file, and the findings of one reading besides the scene's parts.

use super::axes::Axis;
use super::dots::Points;
use super::file_facts::FileFacts;
use super::frame::FileFrame;
use super::mtl_tint::MtlTint;
use super::normals_policy::{NormalsPolicy, NormalsSource};
use super::vertex_color::VertexColors;
use super::warning::Warnings;
use crate::scene::ViewScale;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Options for reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub normals: NormalsPolicy,
    /// The file's axis that points up.
    pub up: Axis,
    /// The file's axis that the front of the asset faces.
    pub front: Axis,
    /// Rotation about the vertical: the azimuth, in these axes, that becomes the front; 0 to 359.
    #[serde(default)]
    pub yaw_degrees: u16,
    /// The effect of `Kd` next to `map_Kd` in material libraries.
    pub mtl_tint: MtlTint,
    /// Whether points and lines are drawn next to surfaces.
    pub points: Points,
    /// What the vertex colours of glTF files are.
    pub vertex_colors: VertexColors,
}

impl Default for Options {
    /// The file's normals, y up, front towards +z.
    fn default() -> Self {
        Self {
            normals: NormalsPolicy::File,
            up: Axis::PosY,
            front: Axis::PosZ,
            yaw_degrees: 0,
            mtl_tint: MtlTint::Apply,
            points: Points::Alone,
            vertex_colors: VertexColors::Linear,
        }
    }
}

/// One reading of the main file: what format readers need and find besides the scene's parts.
pub(super) struct Reading<'a> {
    pub path: &'a Path,
    pub options: &'a Options,
    pub view_scale: Option<&'a ViewScale>,
    pub frame: FileFrame,
    /// Whether only the surfaces of a file are read that has splats too.
    pub has_splats: bool,
    pub warnings: Warnings,
    pub normals: NormalsSource,
    pub variants: Vec<String>,
    pub file: FileFacts,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        path: &'a Path,
        options: &'a Options,
        frame: FileFrame,
        view_scale: Option<&'a ViewScale>,
    ) -> Self {
        Self {
            path,
            options,
            view_scale,
            frame,
            has_splats: false,
            warnings: Warnings::default(),
            normals: NormalsSource::default(),
            variants: Vec::new(),
            file: FileFacts::default(),
        }
    }

    /// Forgets what was found, but not the frame.
    pub(super) fn restart(&mut self) {
        self.warnings = Warnings::default();
        self.normals = NormalsSource::default();
        self.variants.clear();
        self.file = FileFacts::default();
    }
}
