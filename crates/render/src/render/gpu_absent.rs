//! The public names of `gpu/` without the feature `gpu`: no card is found, none can be opened.

use super::card::{AdapterChoice, AdapterFacts, GpuError, Notice};
use super::{Frame, Settings, Timings};
use crate::rig::{Placement, Rig};
use crate::scene::Scene;
use meshjudge_splat::Splats;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::render::{Picture, RenderError as SplatError, Settings as SplatSettings};
use std::convert::Infallible;

/// A graphics card that draws. This build has none, so no value of this type exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu(Infallible);

impl Gpu {
    /// # Errors
    /// Always [`GpuError::NotBuilt`].
    pub fn detect(_: Notice) -> Result<Self, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// # Errors
    /// Always [`GpuError::NotBuilt`].
    pub fn open(_: &AdapterChoice, _: Notice) -> Result<Self, GpuError> {
        Err(GpuError::NotBuilt)
    }

    /// # Errors
    /// Always [`GpuError::NotBuilt`].
    pub fn open_within(_: &AdapterChoice, _: u64, _: Notice) -> Result<Self, GpuError> {
        Err(GpuError::NotBuilt)
    }

    pub fn facts(&self) -> &AdapterFacts {
        match self.0 {}
    }

    pub fn lose(&self) {
        match self.0 {}
    }

    /// How many views the CPU has drawn instead so far.
    pub fn num_stood_in(&self) -> usize {
        match self.0 {}
    }

    pub(super) fn stand_in(&self, _: usize, _: &str) {
        match self.0 {}
    }
}

/// None: this build cannot ask drivers.
pub fn adapters() -> Vec<AdapterFacts> {
    Vec::new()
}

pub(super) struct Drawn<T> {
    pub results: Vec<T>,
    pub stopped: Option<String>,
}

pub(super) fn draw_each<T: Send>(
    gpu: &Gpu,
    _: (&Scene, Placement),
    _: &Rig,
    _: &Settings,
    _: &Timings,
    _: impl Fn(Frame) -> T + Sync,
) -> Drawn<T> {
    match gpu.0 {}
}

pub(super) fn draw_splats(
    gpu: &Gpu,
    _: &Splats,
    _: &Camera,
    _: &SplatSettings,
    _: &[f32],
) -> Result<Result<Picture, String>, SplatError> {
    match gpu.0 {}
}
