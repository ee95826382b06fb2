//! What a picture shows.

/// What a picture shows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// Shaded colour, sRGB; RGB8, or RGBA8 with straight alpha when the background is transparent.
    Rgb,
    /// Geometric normals as `(n + 1) / 2`, RGB8, linear; black where nothing is.
    Normal,
    /// Grey clay under the same light, RGB8, sRGB: shape without texture.
    Matte,
    /// Grey16: 65535 nearest to 1 farthest over the bounding sphere, linear in the distance along the view axis; 0 where nothing is.
    Depth,
    /// Grey8, linear: share of the pixel that is covered.
    Mask,
    /// Grey16: as `Depth`, but linear in the clip space's z, which for a pinhole is linear in 1 ÷ distance. What `Depth` was before version 8.
    NdcDepth,
    /// Base colour without light, sRGB, in the formats of `Rgb` and before the same background.
    BaseColor,
    /// RGB8, linear, as glTF's textures: green roughness, blue metallic, red 0; mean over the covered part of the pixel, black where nothing is.
    MetallicRoughness,
    /// Emitted light up to 1, RGB8, sRGB, before black.
    Emissive,
    /// Grey8: alpha of the surfaces over each other, mean over the covered part of the pixel; 0 where nothing is.
    Opacity,
    /// As `Normal`, along the camera's right, up and back.
    CameraNormal,
    /// As `Normal`, turned by the normal map, as light sees it.
    ShadingNormal,
    /// As `ShadingNormal`, along the camera's right, up and back.
    CameraShadingNormal,
    /// Four floats: a point in the rig's world, in the middle of the visible part of the nearest triangle, and 1; zeros where nothing is.
    Position,
    /// One float: depth of the nearest sample along the view axis in the rig's units, 0 where nothing is.
    Z,
    /// Four floats: first texture coordinates of the nearest triangle as the file has them, 0 and 1; zeros where nothing is.
    Uv,
    /// Grey16: 1 + index of the nearest triangle's mesh (in glTF a primitive), at most 65535; 0 where nothing is.
    Part,
    /// As `Z`; of Gaussian splats the mean depth by share of the pixel, where `Z` is the depth at which half of the light is lost.
    ExpectedZ,
}

impl Channel {
    /// All of them, in their order.
    pub const ALL: [Self; 18] = [
        Self::Rgb,
        Self::Normal,
        Self::Matte,
        Self::Depth,
        Self::Mask,
        Self::NdcDepth,
        Self::BaseColor,
        Self::MetallicRoughness,
        Self::Emissive,
        Self::Opacity,
        Self::CameraNormal,
        Self::ShadingNormal,
        Self::CameraShadingNormal,
        Self::Position,
        Self::Z,
        Self::Uv,
        Self::Part,
        Self::ExpectedZ,
    ];

    /// As flags, files and records name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rgb => "rgb",
            Self::Normal => "normal",
            Self::Matte => "matte",
            Self::Depth => "depth",
            Self::Mask => "mask",
            Self::NdcDepth => "ndc-depth",
            Self::BaseColor => "base-color",
            Self::MetallicRoughness => "metallic-roughness",
            Self::Emissive => "emissive",
            Self::Opacity => "opacity",
            Self::CameraNormal => "camera-normal",
            Self::ShadingNormal => "shading-normal",
            Self::CameraShadingNormal => "camera-shading-normal",
            Self::Position => "position",
            Self::Z => "z",
            Self::Uv => "uv",
            Self::Part => "part",
            Self::ExpectedZ => "expected-z",
        }
    }

    /// Whether it averages what material and normals say, without light.
    pub(super) fn is_material(self) -> bool {
        matches!(
            self,
            Self::BaseColor
                | Self::MetallicRoughness
                | Self::Emissive
                | Self::Opacity
                | Self::CameraNormal
                | Self::ShadingNormal
                | Self::CameraShadingNormal
        )
    }

    /// Whether it is one float, a depth in the rig's units.
    pub(crate) fn is_z(self) -> bool {
        matches!(self, Self::Z | Self::ExpectedZ)
    }

    /// Whether it shows the nearest triangle alone, which nothing is mixed with.
    pub(super) fn is_place(self) -> bool {
        matches!(self, Self::Position | Self::Uv | Self::Part)
    }
}
