//! Numbers that a paper reports: geometry against a reference, pictures against references. Each
//! with the definition it was made by.
//!
//! Everything is computed in double precision, in a fixed order, by arithmetic and `libm` alone:
//! the same bytes with any number of threads and on any machine.
//! [docs/METRICS.md](../../../../docs/METRICS.md) gives each formula with its source.

mod align;
mod both_ways;
mod colored_points;
mod compare;
mod definition;
mod distances;
mod edges;
mod error;
mod error_map;
mod figure;
mod matching;
mod metric;
mod picture;
mod points;
mod quality;
mod ready;
mod sample;
mod similarity;
mod statistics;
mod surface;
mod tree;
mod volume;
mod winding;
mod yaw;

pub use align::{Align, Alignment};
pub use colored_points::{
    ColoredPoint, NoColor, PointCloud, PointFrame, PointSettings, UpAxis, colored_points,
};
pub use compare::{
    CompareSettings, Comparison, DEFINITIONS_VERSION, Definition, MetricValue, Reference, Side,
    Unit,
};
pub use definition::{FigureDefinition, Ground};
pub use error::MetricError;
pub use error_map::{ERROR_MAP_VERSION, ErrorMap};
pub use figure::{Facts, Quantity};
pub use metric::{Dimension, Metric};
pub use picture::{IDENTICAL, Picture, PictureMetric, PictureValue, compare_pictures};
pub use quality::{QualityMetric, quality_values};
pub use similarity::Similarity;
pub use surface::Surface;
pub use yaw::{AllSides, Yaw};

/// The parts that [`Reference::compare`] is made of.
pub mod parts {
    pub use super::align::{Body, align};
    pub use super::distances::{Distances, to_points, to_surface};
    pub use super::matching::earthmover;
    pub use super::points::{NearPoint, PointTree};
    pub use super::sample::{Sample, sample, sample_with};
    pub use super::statistics::{f_score, mean, mean_square, quantile, share_within};
    pub use super::tree::{Closest, SurfaceTree};
    pub use super::volume::{Grid, Overlap, inside, overlap};
    pub use super::winding::Winding;
    pub use crate::scene::draws::Draws;
}
