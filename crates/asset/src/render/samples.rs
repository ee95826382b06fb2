//! The places of the samples in a pixel.

pub(super) const SAMPLES: usize = 4;

/// Where the samples are in a pixel, in sub-pixels from its top left corner: the usual rotated
/// grid, 1/8 apart in each axis.
pub(super) const SAMPLE_X: [i32; SAMPLES] = [96, 224, 32, 160];

pub(super) const SAMPLE_Y: [i32; SAMPLES] = [32, 96, 160, 224];
