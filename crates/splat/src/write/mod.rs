//! Splats → the bytes of a file, and what its encoding cannot keep. Knows nothing of disks.
//!
//! | format | numbers | axes |
//! | --- | --- | --- |
//! | 3DGS `.ply`, binary, little endian, without normals | single precision | turned back by half a turn about x |
//! | `.spz` version 3 | 8 to 24 bits each | none |
//! | `.glb` with KHR_gaussian_splatting, not required | single precision | none |
//!
//! [`read`](mod@crate::read) has the same table, so a file that is read and written in its own
//! format keeps its axes.

mod gltf;
mod ply;
mod spz;

use crate::read::{Loaded, Order};
use crate::splats::ColorSpace;
use std::path::Path;

/// An encoding to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Ply,
    Spz,
    Glb,
}

impl Target {
    /// The encoding of a file with this name: `.ply`, `.spz` or `.glb`.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_ascii_lowercase();
        let known = [("ply", Self::Ply), ("spz", Self::Spz), ("glb", Self::Glb)];
        known.into_iter().find(|(name, _)| extension == *name).map(|(_, target)| target)
    }

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ply => "3DGS PLY",
            Self::Spz => "SPZ 3",
            Self::Glb => "GLB with KHR_gaussian_splatting",
        }
    }
}

/// Something of the splats that the file does not have. `Display` says what it means for pictures.
#[derive(Debug, Clone, PartialEq, serde::Serialize, thiserror::Error)]
#[serde(tag = "loss", rename_all = "snake_case")]
pub enum Loss {
    #[error(
        "{format} cannot say that splats were trained antialiased, so they are drawn with unreduced opacity and look thicker from afar"
    )]
    Antialiased { format: &'static str },
    #[error(
        "splats are ordered by {order} in {format}, so overlapping splats can look slightly different"
    )]
    Order { order: &'static str, format: &'static str },
    #[error("positions are rounded to {step:.1e} units, because the file's zero is far from them")]
    FarFromZero { step: f64 },
    #[error(
        "numbers are rounded: positions to {position_step:.1e} units, scales to steps of 6.4 %, rotations to 0.2 degrees, opacities, colours and harmonics to 8 bits"
    )]
    Rounded { position_step: f64 },
    #[error("{what} outside {range} are clipped ({count})")]
    Clipped { what: &'static str, count: usize, range: &'static str },
}

/// Why splats cannot have this encoding.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WriteError {
    #[error("these splats are blended in linear light, which {format} cannot say; write a .glb")]
    LinearLight { format: &'static str },
    #[error("SPZ has positions of less than 8388608 units, and one has {found:.1e}; write a .ply")]
    TooFar { found: f64 },
    #[error("the splats need {bytes} bytes, but a GLB is limited to 4 GiB; write a .spz")]
    TooLarge { bytes: usize },
    #[error("the splats cannot be compressed ({reason})")]
    Compression { reason: String },
}

/// A file in memory.
#[derive(Debug)]
pub struct Written {
    pub target: Target,
    pub bytes: Vec<u8>,
    pub losses: Vec<Loss>,
}

/// Encodes splats read with [`Axes::Usual`](crate::read::Axes::Usual), deterministically.
///
/// # Errors
/// [`WriteError`].
pub fn write(loaded: &Loaded, target: Target) -> Result<Written, WriteError> {
    let format = target.name();
    let splats = &loaded.splats;
    if target != Target::Glb && splats.color_space() == ColorSpace::Linear {
        return Err(WriteError::LinearLight { format });
    }
    let mut losses = Vec::new();
    if target != Target::Spz && loaded.antialiased == Some(true) {
        losses.push(Loss::Antialiased { format });
    }
    match (target, loaded.order) {
        (Target::Glb, Order::Depth) => {
            losses.push(Loss::Order { order: "distance to the eye", format });
        }
        (Target::Ply | Target::Spz, Order::Distance) => {
            losses.push(Loss::Order { order: "depth", format });
        }
        _ => {}
    }
    let bytes = match target {
        Target::Ply => ply::write(splats, &mut losses),
        Target::Spz => spz::write(splats, loaded.antialiased == Some(true), &mut losses)?,
        Target::Glb => gltf::write(splats)?,
    };
    Ok(Written { target, bytes, losses })
}
