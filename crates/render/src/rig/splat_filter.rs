//! How a protocol smooths splats.

use serde::{Deserialize, Serialize};

/// The low-pass filter of splats; a key that is left out is as without any filter in the rig.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplatFilter {
    /// Added to the picture's variances, px²; 0.3 without it, 0.1 in Mip-Splatting and TRELLIS.
    pub kernel: Option<f32>,
    /// Whether opacity falls as the filter widens a splat; as the file claims without it.
    pub antialiased: Option<bool>,
}
