//! What each reader gives: splats in the file's axes, and what the file says of them.

use super::ReadError;
use crate::splats::{Repairs, SplatParts};
use glam::{DMat3, DVec3};

/// An encoding of splats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Ply,
    PackedPly,
    Splat,
    /// With its version, 1 to 4.
    Spz(u8),
    Sog,
    Gltf,
}

/// In which order a file wants its splats blended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// By depth along the view's axis.
    #[default]
    Depth,
    /// By distance from the eye, as KHR_gaussian_splatting wants.
    Distance,
}

/// Bytes of a file in the asset's folder, by name, already checked to lead nowhere else.
pub type NamedFiles<'a> = dyn Fn(&str) -> Result<Vec<u8>, ReadError> + 'a;

pub(super) struct Found {
    pub(super) format: Format,
    /// From the file's axes to ours.
    pub(super) turn: DMat3,
    pub(super) splats: SplatParts,
    pub(super) antialiased: Option<bool>,
    pub(super) order: Order,
    pub(super) other_primitives: usize,
    pub(super) has_degree_4: bool,
    pub(super) ignored: Vec<String>,
    /// Corrections that were already made.
    pub(super) repairs: Repairs,
}

impl Found {
    pub(super) fn new(format: Format, splats: SplatParts) -> Self {
        Self {
            turn: format.turn(),
            format,
            splats,
            antialiased: None,
            order: Order::Depth,
            other_primitives: 0,
            has_degree_4: false,
            ignored: Vec::new(),
            repairs: Repairs::default(),
        }
    }
}

impl Format {
    /// The turn from the usual axes of such files to ours.
    fn turn(self) -> DMat3 {
        match self {
            Self::Ply | Self::PackedPly | Self::Splat | Self::Sog => {
                DMat3::from_diagonal(DVec3::new(1.0, -1.0, -1.0))
            }
            Self::Spz(_) | Self::Gltf => DMat3::IDENTITY,
        }
    }
}
