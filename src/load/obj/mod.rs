//! obj
use super::error::LoadError;
use super::files::Folder;
use super::warning::Warnings;
use super::{NormalsPolicy, NormalsSource, Parts};
use glam::DMat3;
use std::path::Path;

pub(super) struct Reader<'a> {
    pub path: &'a Path,
    pub world_from_file: DMat3,
    pub policy: NormalsPolicy,
    pub folder: &'a mut Folder,
    pub warnings: &'a mut Warnings,
}
impl Reader<'_> {
    pub(super) fn load(self, _bytes: &[u8]) -> Result<(Parts, NormalsSource), LoadError> {
        Err(LoadError::UnknownFormat {
            path: self.path.to_path_buf(),
        })
    }
}
