//! What a picture shows: the one list of channels, each with name, origin, format and values.

use super::image::PixelFormat;
use crate::measure::By;

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
    /// Grey16: 65535 nearest to 1 farthest over the bounding sphere, linear in the distance along
    /// the view axis, of the point that `Position` shows; 0 where nothing is.
    Depth,
    /// Grey8, linear: share of the pixel that is covered.
    Mask,
    /// Grey16: as `Depth`, but linear in the clip space's z, which for a pinhole is linear in 1 ÷
    /// distance. What `Depth` was before version 8.
    NdcDepth,
    /// Base colour without light, sRGB, in the formats of `Rgb` and before the same background.
    BaseColor,
    /// RGB8, linear, as glTF's textures: green roughness, blue metallic, red 0; mean over the
    /// covered part of the pixel, black where nothing is.
    MetallicRoughness,
    /// Emitted light up to 1, RGB8, sRGB, before black.
    Emissive,
    /// Grey8: alpha of stacked surfaces, mean over the pixel's covered part; 0 where empty.
    Opacity,
    /// As `Normal`, along the camera's right, up and back.
    CameraNormal,
    /// As `Normal`, turned by the normal map, as light sees it.
    ShadingNormal,
    /// As `ShadingNormal`, along the camera's right, up and back.
    CameraShadingNormal,
    /// Four floats: a point in the rig's world, and 1; zeros where nothing is. Of the triangles
    /// that the pixel's samples see, it is on the one whose samples' middle is nearest to the
    /// pixel's centre, at that middle.
    Position,
    /// One float: the depth of that point along the view axis in rig units, 0 where empty.
    Z,
    /// Four floats: the first texture coordinates of that point, 0 and 1; zeros where nothing is.
    Uv,
    /// Grey16: 1 + index of that point's mesh (glTF primitive), at most 65535; 0 where empty.
    Part,
    /// As `Z`; of Gaussian splats the mean depth by share of the pixel, where `Z` is the depth at
    /// which half of the light is lost.
    ExpectedZ,
    /// RGB8: dark lines along all edges that no surface hides, one pixel wide, over `Matte`.
    Wire,
    /// RGB8: blue where a surface faces the camera, red where it is seen from behind.
    Facing,
    /// RGB8: a colour for each piece that is connected by shared positions.
    Parts,
    /// RGB8: a colour for each material.
    PartsMaterial,
    /// RGB8: a colour for each mesh: a primitive of a node.
    PartsMesh,
    /// RGB8: a colour for each chart of the texture's map; grey without texture coordinates.
    PartsChart,
}

impl Channel {
    /// All of them, in their order.
    pub const ALL: [Self; 24] = [
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
        Self::Wire,
        Self::Facing,
        Self::Parts,
        Self::PartsMaterial,
        Self::PartsMesh,
        Self::PartsChart,
    ];

    /// Everything else asks this, and names single channels only to write them.
    const fn declared(self) -> Declared {
        use OfSplats::{Absent, Colors, Geometry};
        use Origin::{Depth, Light, Material, Place, Topology as Of, Z};
        use PixelFormat::{Grey8, Grey16, Grey32F, Rgb8, Rgba32F};
        use Values::{Centered, Color, Covered, Mean};
        match self {
            Self::Rgb => of("rgb", Light, Rgb8, Color, Colors),
            Self::Normal => of("normal", Light, Rgb8, Mean, Geometry),
            Self::Matte => of("matte", Light, Rgb8, Color, Absent),
            Self::Depth => of("depth", Depth, Grey16, Centered, Geometry),
            Self::Mask => of("mask", Light, Grey8, Mean, Colors),
            Self::NdcDepth => of("ndc-depth", Depth, Grey16, Centered, Geometry),
            Self::BaseColor => of("base-color", Material, Rgb8, Color, Absent),
            Self::MetallicRoughness => of("metallic-roughness", Material, Rgb8, Covered, Absent),
            Self::Emissive => of("emissive", Material, Rgb8, Color, Absent),
            Self::Opacity => of("opacity", Material, Grey8, Covered, Colors),
            Self::CameraNormal => of("camera-normal", Material, Rgb8, Mean, Geometry),
            Self::ShadingNormal => of("shading-normal", Material, Rgb8, Mean, Absent),
            Self::CameraShadingNormal => of("camera-shading-normal", Material, Rgb8, Mean, Absent),
            Self::Position => of("position", Place, Rgba32F, Centered, Geometry),
            Self::Z => of("z", Z, Grey32F, Centered, Geometry),
            Self::Uv => of("uv", Place, Rgba32F, Centered, Absent),
            Self::Part => of("part", Place, Grey16, Centered, Absent),
            Self::Wire => of("wire", Of(Topology::Lines), Rgb8, Color, Absent),
            Self::Facing => of("facing", Of(Topology::Sides), Rgb8, Color, Absent),
            Self::Parts => of("parts", Of(Topology::Labels(By::Piece)), Rgb8, Color, Absent),
            Self::PartsMaterial => {
                of("parts-material", Of(Topology::Labels(By::Material)), Rgb8, Color, Absent)
            }
            Self::PartsMesh => {
                of("parts-mesh", Of(Topology::Labels(By::Mesh)), Rgb8, Color, Absent)
            }
            Self::PartsChart => {
                of("parts-chart", Of(Topology::Labels(By::Chart)), Rgb8, Color, Absent)
            }
            Self::ExpectedZ => of("expected-z", Z, Grey32F, Centered, Geometry),
        }
    }

    /// As flags, files and records name it.
    pub const fn name(self) -> &'static str {
        self.declared().name
    }

    /// The format of its pictures, before a transparent background.
    pub const fn format(self) -> PixelFormat {
        self.declared().format
    }

    /// Whether its bytes are colours, encoded as sRGB.
    pub fn is_color(self) -> bool {
        self.values() == Values::Color
    }

    pub(super) fn values(self) -> Values {
        self.declared().values
    }

    pub(super) fn of_splats(self) -> OfSplats {
        self.declared().of_splats
    }

    /// Whether it averages what material and normals say, without light.
    pub(super) fn is_material(self) -> bool {
        self.declared().origin == Origin::Material
    }

    /// Whether it is one float, a depth in the rig's units.
    pub(crate) fn is_z(self) -> bool {
        self.declared().origin == Origin::Z
    }

    /// Whether it is a depth of any unit.
    pub(super) fn is_depth(self) -> bool {
        self.is_z() || self.declared().origin == Origin::Depth
    }

    /// What it shows of the mesh itself.
    pub(super) fn topology(self) -> Option<Topology> {
        match self.declared().origin {
            Origin::Topology(topology) => Some(topology),
            _ => None,
        }
    }

    /// Whether it shows one triangle alone, which nothing is mixed with.
    pub(super) fn is_place(self) -> bool {
        self.declared().origin == Origin::Place
    }
}

struct Declared {
    name: &'static str,
    origin: Origin,
    format: PixelFormat,
    values: Values,
    of_splats: OfSplats,
}

const fn of(
    name: &'static str,
    origin: Origin,
    format: PixelFormat,
    values: Values,
    of_splats: OfSplats,
) -> Declared {
    Declared { name, origin, format, values, of_splats }
}

/// What a pixel is made of.
#[derive(PartialEq)]
enum Origin {
    /// Samples with light or coverage.
    Light,
    Material,
    Depth,
    /// A depth in the rig's units.
    Z,
    /// The triangle nearest to the pixel's centre.
    Place,
    /// A painted copy of the scene.
    Topology(Topology),
}

/// A picture of the mesh itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topology {
    Lines,
    Sides,
    Labels(By),
}

/// What a pixel has of several finer ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// The mean in linear light.
    Color,
    Mean,
    /// The mean of those that show something.
    Covered,
    /// The coarser pixel's own; where that shows nothing, the first that shows something.
    Centered,
}

/// What gives splats a channel. They have no materials, lamps, texture coordinates or parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfSplats {
    Absent,
    Colors,
    Geometry,
}
