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
mod loss;
mod ply;
mod spz;

pub use loss::{Loss, WriteError};

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
