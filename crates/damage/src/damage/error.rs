//! Why an asset cannot be damaged.

use crate::scene::SceneError;

/// Why there is no damaged asset.
#[derive(Debug, thiserror::Error)]
pub enum DamageError {
    #[error("the level is {found}, but must be from 0 (no damage) to 1")]
    Level { found: f32 },
    #[error("this damage needs {needs}, which the asset lacks; choose another kind")]
    Needs { needs: &'static str },
    /// A kind for something else.
    #[error("this damage does not apply to scenes of the category {category}; choose another kind")]
    Category { category: &'static str },
    /// Too large to be refined for this kind.
    #[error(
        "the asset would get {found} triangles, but at most {max} are allowed; use a smaller asset"
    )]
    TooLarge { found: usize, max: usize },
    /// The remaining part is not an asset.
    #[error("nothing drawable is left ({0}); choose a lower level")]
    Nothing(#[from] SceneError),
    /// Too many, or none left.
    #[error(transparent)]
    Splats(#[from] meshjudge_splat::splats::SplatsError),
}
