//! The choices that file formats leave open: which way is up, which normals, what colours mean.
//! They change pictures: a loader takes them, and a picture's protocol names them.

mod axes;

pub use axes::{Axis, AxisError, rotation};

use serde::{Deserialize, Serialize};

/// Options for reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    pub normals: NormalsPolicy,
    /// The file's axis that points up.
    pub up: Axis,
    /// The file's axis that the front of the asset faces.
    pub front: Axis,
    /// Rotation about the vertical: the azimuth, in these axes, that becomes the front; 0 to 359.
    #[serde(default)]
    pub yaw_degrees: u16,
    /// The effect of `Kd` next to `map_Kd` in material libraries.
    pub mtl_tint: MtlTint,
    /// Whether points and lines are drawn next to surfaces.
    pub points: Points,
    /// What the vertex colours of glTF files are.
    pub vertex_colors: VertexColors,
}

impl Default for Options {
    /// The file's normals, y up, front towards +z.
    fn default() -> Self {
        Self {
            normals: NormalsPolicy::File,
            up: Axis::PosY,
            front: Axis::PosZ,
            yaw_degrees: 0,
            mtl_tint: MtlTint::Apply,
            points: Points::Alone,
            vertex_colors: VertexColors::Linear,
        }
    }
}

/// Which normals a scene gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormalsPolicy {
    /// The file's. Where it has none: flat in glTF, as its specification demands; in STL flat,
    /// since its normals are those of the faces; in OBJ by smoothing group, else, and in PLY,
    /// angle-weighted with creases kept where faces meet at more than 60°.
    #[default]
    File,
    /// Flat everywhere; the file's normals are not used.
    Flat,
    /// Angle-weighted over all faces at a point, without creases; the file's normals are not used.
    Smooth,
}

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

/// When points and lines are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Points {
    /// Where the file has nothing else.
    #[default]
    Alone,
    /// Also next to surfaces; for an OBJ file without any element, every vertex.
    Always,
}

/// What the colours at glTF vertices are. OBJ, PLY and STL have sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VertexColors {
    /// Linear light, as the specification says.
    #[default]
    Linear,
    /// What trimesh and programs that build on it write.
    Srgb,
}
