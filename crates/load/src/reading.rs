//! The findings of one reading of a file besides the scene's parts.

use super::file_facts::FileFacts;
use super::frame::FileFrame;
use super::normals_policy::NormalsSource;
use super::warning::Warnings;
use crate::scene::ViewScale;
use crate::scene::reading::Options;
use std::path::Path;

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
