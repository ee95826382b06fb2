//! What the numbers of a camera matrix mean.

/// Whether a matrix leads from the camera to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixKind {
    WorldFromCamera,
    CameraFromWorld,
}

/// The camera's own axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CameraAxes {
    /// x right, y up, looking along −z; Blender's too.
    OpenGl,
    /// x right, y down, looking along +z; COLMAP's too.
    OpenCv,
}

/// The world's axes against ours, which has y up and the asset's front at +z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldAxes {
    /// Ours: the asset has the same axes in the cameras' world as in its file.
    Asset,
    /// z up, front at −y: where Blender puts a glTF or OBJ asset.
    Blender,
}

/// How matrices are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    pub matrix: MatrixKind,
    pub axes: CameraAxes,
    pub world: WorldAxes,
}

impl std::fmt::Display for Convention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let matrix = match self.matrix {
            MatrixKind::WorldFromCamera => "c2w",
            MatrixKind::CameraFromWorld => "w2c",
        };
        let axes = match self.axes {
            CameraAxes::OpenGl => "opengl",
            CameraAxes::OpenCv => "opencv",
        };
        let world = match self.world {
            WorldAxes::Asset => "y-up",
            WorldAxes::Blender => "z-up",
        };
        write!(f, "{matrix},{axes},{world}")
    }
}

/// What of a convention is named; the rest is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NamedConvention {
    pub matrix: Option<MatrixKind>,
    pub axes: Option<CameraAxes>,
    pub world: Option<WorldAxes>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{word:?} is not part of a camera convention; use c2w or w2c, opengl or opencv, z-up or y-up, separated by commas"
)]
pub struct ConventionError {
    pub word: String,
}

impl std::str::FromStr for NamedConvention {
    type Err = ConventionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut named = Self::default();
        for word in text.split(',').map(str::trim) {
            match word {
                "c2w" => named.matrix = Some(MatrixKind::WorldFromCamera),
                "w2c" => named.matrix = Some(MatrixKind::CameraFromWorld),
                "opengl" | "blender" => named.axes = Some(CameraAxes::OpenGl),
                "opencv" | "colmap" => named.axes = Some(CameraAxes::OpenCv),
                "z-up" => named.world = Some(WorldAxes::Blender),
                "y-up" => named.world = Some(WorldAxes::Asset),
                _ => {
                    return Err(ConventionError { word: word.to_owned() });
                }
            }
        }
        Ok(named)
    }
}
