//! A choice that material libraries leave open: the effect of `Kd` next to `map_Kd`.

use serde::{Deserialize, Serialize};

/// What a material library's colour does to its texture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MtlTint {
    /// Multiplies it, as the format says and three.js does.
    #[default]
    Apply,
    /// Nothing, as in Blender: the texture is shown as it is.
    Ignore,
}
