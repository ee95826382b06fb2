//! Gaussian splats on the CPU.
pub mod camera;
mod extent;
pub mod harmonics;
mod placement;
pub mod read;
pub mod render;
pub mod splats;

pub use extent::Extent;
