//! What figures of one asset are read from, and what a figure is.

use crate::load::{ImageFacts, Loaded};
use crate::measure::{
    Extent, MeshFacts, MeshFaults, QualityFacts, ReadyFacts, UvFacts, measure, measure_quality,
    measure_ready,
};
use std::cell::OnceCell;

pub(super) const NO_COORDINATES: &str = "the asset has no such texture coordinates";
const CUT_SHORT: &str = "so much of the asset overlaps that the measurement was cut short";

/// An asset's facts, each measured when a figure first needs it.
pub struct Facts<'a> {
    pub(super) loaded: &'a Loaded,
    pub(super) file_bytes: u64,
    /// Errors and warnings of the glTF Validator's report.
    pub(super) issues: Option<[u64; 2]>,
    mesh: OnceCell<MeshFacts>,
    quality: OnceCell<QualityFacts>,
    ready: OnceCell<ReadyFacts>,
}

impl<'a> Facts<'a> {
    /// `file_bytes` are those of the main file only; `issues` are the errors and warnings that the
    /// glTF Validator reported.
    pub fn new(loaded: &'a Loaded, file_bytes: u64, issues: Option<[u64; 2]>) -> Self {
        let (mesh, quality, ready) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { loaded, file_bytes, issues, mesh, quality, ready }
    }

    pub(super) fn mesh(&self) -> &MeshFacts {
        self.mesh.get_or_init(|| measure(&self.loaded.scene))
    }

    pub(super) fn quality(&self) -> &QualityFacts {
        self.quality.get_or_init(|| measure_quality(&self.loaded.scene))
    }

    pub(super) fn ready(&self) -> &ReadyFacts {
        self.ready.get_or_init(|| measure_ready(&self.loaded.scene))
    }

    pub(super) fn images(&self) -> &[ImageFacts] {
        &self.loaded.file.images
    }

    /// Width, height and depth of the box.
    pub(super) fn sides(&self) -> [f64; 3] {
        let Extent { min, max, .. } = self.mesh().extent;
        [0, 1, 2].map(|k| f64::from(max[k]) - f64::from(min[k]))
    }

    pub(super) fn uv(&self) -> Result<&UvFacts, &'static str> {
        self.quality().uv.as_ref().ok_or(NO_COORDINATES)
    }

    /// How many units of the file are its box's diagonal.
    pub fn diagonal(&self) -> f64 {
        self.mesh().extent.diagonal
    }
}

/// What a figure counts or measures; it decides the units of its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Count,
    /// 1 or 0.
    YesNo,
    /// 0 to 1.
    Share,
    Ratio,
    /// In the file's unit.
    Length,
    /// In the file's unit, cubed.
    Volume,
    Pixels,
    /// Texels along one unit of the file.
    PixelsPerLength,
    Bytes,
}

/// Where a fault is.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Asset,
    /// How much of it each mesh has.
    Meshes(fn(&MeshFaults) -> f64),
    /// The figure of each picture.
    Images(fn(&ImageFacts) -> f64),
    /// Root nodes.
    Roots,
}

pub(super) struct Kind {
    pub name: &'static str,
    pub quantity: Quantity,
    pub formula: &'static str,
    /// None where neither more nor less is better by itself.
    pub is_lower_better: Option<bool>,
    pub place: Place,
    /// A number, or why there is none.
    pub read: fn(&Facts<'_>) -> Result<f64, &'static str>,
}

pub(super) fn yes(is: bool) -> Result<f64, &'static str> {
    Ok(if is { 1.0 } else { 0.0 })
}

/// A part of a count is no count.
pub(super) fn whole(value: f64, is_complete: bool) -> Result<f64, &'static str> {
    if is_complete { Ok(value) } else { Err(CUT_SHORT) }
}
