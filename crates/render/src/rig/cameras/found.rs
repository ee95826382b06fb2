//! What a file of cameras says, before it is known what it means.

use super::convention::NamedConvention;
use crate::rig::placement::Normalise;

/// Lens of one camera, as far as its file knows it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Intrinsics {
    /// Along x and y; one of them may be missing.
    pub focal_px: [Option<f64>; 2],
    /// Instead of focal lengths, radians over the width and the height.
    pub angle: [Option<f64>; 2],
    pub principal_px: Option<[f64; 2]>,
    pub size_px: Option<[u32; 2]>,
    /// Parallel rays: the picture's width in the world.
    pub width: Option<f64>,
}

/// One camera as its file states it: rows of a 3×4 matrix.
pub(super) struct FoundCamera {
    pub name: String,
    pub matrix: [[f64; 4]; 3],
    pub intrinsics: Intrinsics,
}

pub(super) struct CameraFile {
    pub cameras: Vec<FoundCamera>,
    /// What the format fixes.
    pub convention: NamedConvention,
    /// What moves the asset into the cameras' world, in our axes.
    pub asset: Option<Normalise>,
    /// The size of pictures that are next to the file.
    pub picture_px: Option<[u32; 2]>,
}

impl CameraFile {
    /// Nothing but matrices.
    pub(super) fn of_matrices(cameras: Vec<FoundCamera>) -> Self {
        Self { cameras, convention: NamedConvention::default(), asset: None, picture_px: None }
    }
}
