//! What a picture shows.

/// What a picture shows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// Shaded colour, sRGB; RGB8, or RGBA8 with straight alpha when the background is transparent.
    Rgb,
    /// Geometric normals as `(n + 1) / 2`, RGB8, linear; black where nothing is.
    Normal,
    /// Grey clay under the same light, RGB8, sRGB: shape without texture.
    Matte,
    /// Grey16, linear: 65535 nearest to 1 farthest over the bounding sphere, 0 where nothing is.
    Depth,
    /// Grey8, linear: share of the pixel that is covered.
    Mask,
}
