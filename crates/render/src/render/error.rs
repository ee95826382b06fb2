//! Why nothing was drawn.

use super::cpu;
use crate::rig::Rig;

/// Why nothing was drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// A picture size out of range.
    #[error("pictures of {width_px}×{height_px} px cannot be rendered; each side must be 1 to {max} px", max = Rig::TILE_PX_MAX)]
    Size { width_px: u32, height_px: u32 },
    #[error("no channel was selected; name at least one, for example rgb")]
    NoChannel,
    /// More triangles than ids can distinguish.
    #[error("the scene has {found} triangles; at most {max} can be rendered", max = cpu::TRIANGLES_MAX)]
    TooManyTriangles { found: usize },
    #[error("the mesh cannot be painted for this picture ({reason})")]
    Painted { reason: String },
    /// A channel of materials, lamps, texture coordinates or parts.
    #[error(
        "Gaussian splats have no {channel}; choose among rgb, mask, opacity, normal, camera-normal, depth, ndc-depth, z, expected-z and position"
    )]
    NotOfSplats { channel: &'static str },
    #[error(transparent)]
    Splats(#[from] meshjudge_splat::render::RenderError),
}
