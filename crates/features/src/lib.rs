//! Vectors that networks compute from pictures, points and texts → scores and distances between
//! sets; and the inputs of those networks.
//!
#![doc = include_str!("../README.md")]
//!
//! # Vocabulary
//!
//! A [`FeatureSet`] has the vectors of many assets, one or more for each: its views. A metric of
//! two sets is an [`Estimate`] with an interval over assets. [`Preprocessing`] turns a picture into
//! a network's input; [`groups`] does it for points. No network runs here, and no file is read.

#![deny(missing_docs)]

mod error;
mod frechet;
mod interval;
mod kernel;
mod neighbours;
mod points;
mod preprocess;
mod resample;
mod set;
mod similarity;
mod singular;
mod sizes;
mod text;

pub use error::FeaturesError;
pub use frechet::{
    Extrapolation, FittedLine, GROUPS, Infinity, NoiseFloor, Rank, fitted_line, frechet, infinity,
    noise_floor,
};
pub use interval::{ASSETS_MIN, Bootstrap};
pub use kernel::{Diagonal, cmmd, kernel_distance};
pub use meshjudge_rate::{Estimate, Interval};
pub use neighbours::{Neighbours, neighbours};
pub use points::{Centers, Groups, farthest_points, groups};
pub use preprocess::{
    CLIP_DEVIATION, CLIP_MEAN, Crop, CropRounding, IMAGENET_DEVIATION, IMAGENET_MEAN,
    Preprocessing, Range, Resize,
};
pub use resample::{Filter, Planes, Resampler, Rgb8, resampled};
pub use set::FeatureSet;
pub use similarity::{Views, cosine, r_precision, similarities};
pub use sizes::check_sizes;
pub use text::{
    TextBox, decoded, detector_input, recognizer_input, text_boxes, text_line, upside_down,
};
