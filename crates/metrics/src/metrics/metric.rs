//! The metrics that are known: their names, their formulas, which way is better.

use super::both_ways::{BothWays, Resampled};
use super::error::MetricError;
use super::volume::Overlap;
use crate::scene::one_of;
use Reads::{Distances, Edges, Manhattan, Matching, Volumes};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// What of a comparison a metric reads, and its number of that.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    /// Distances between samples and the other side; may be taken between samples only.
    Distances(OfDistances),
    /// Cells of a grid.
    Volumes(OfCells),
    /// A one-to-one matching of samples.
    Matching,
    /// Distances between samples, by sums of coordinates.
    Manhattan(OfDistances),
    /// Distances between the samples on sharp edges.
    Edges(OfDistances),
}

pub(super) type OfDistances = fn(&BothWays<'_>) -> f64;
/// Cells inside the result, inside the reference, and how they overlap.
pub(super) type OfCells = fn([usize; 2], Overlap) -> Option<f64>;

/// In which unit a number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// In the comparison's unit of length.
    Length,
    LengthSquared,
    /// 0 to 1; −1 to 1 where the name says signed.
    Share,
}

/// One formula. a: distances of the result's points, b: of the reference's; bars are means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub name: &'static str,
    pub formula: &'static str,
    pub dimension: Dimension,
    /// Least and most that it can be.
    pub range: (f64, f64),
    pub is_lower_better: bool,
    pub has_threshold: bool,
    pub reads: Reads,
    /// Between samples: that of a surface against itself, resampled, where it is known.
    pub floor: fn(&Resampled) -> Option<f64>,
}

impl PartialEq for Kind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

const fn length(name: &'static str, formula: &'static str, reads: Reads) -> Kind {
    Kind {
        name,
        formula,
        dimension: Dimension::Length,
        range: (0.0, f64::INFINITY),
        is_lower_better: true,
        has_threshold: false,
        reads,
        floor: |_| None,
    }
}

const fn squared(name: &'static str, formula: &'static str, reads: Reads) -> Kind {
    Kind { dimension: Dimension::LengthSquared, ..length(name, formula, reads) }
}

/// 0 to 1, and more is better.
const fn share(name: &'static str, formula: &'static str, reads: Reads) -> Kind {
    Kind {
        dimension: Dimension::Share,
        range: (0.0, 1.0),
        is_lower_better: false,
        ..length(name, formula, reads)
    }
}

const fn within(name: &'static str, formula: &'static str, reads: Reads) -> Kind {
    Kind { has_threshold: true, floor: Resampled::within, ..share(name, formula, reads) }
}

type Floor = fn(&Resampled) -> Option<f64>;
const FAR: Floor = |it| Some(it.far);
const SQUARE: Floor = |it| Some(it.square);

pub(super) const KINDS: [Kind; 28] = [
    Kind { floor: FAR, ..length("acc", "mean a", Distances(|it| it.means()[0])) },
    Kind { floor: FAR, ..length("comp", "mean b", Distances(|it| it.means()[1])) },
    Kind { floor: SQUARE, ..squared("acc2", "mean a^2", Distances(|it| it.squares()[0])) },
    Kind { floor: SQUARE, ..squared("comp2", "mean b^2", Distances(|it| it.squares()[1])) },
    Kind {
        floor: FAR,
        ..length("cd_l1_half", "(mean a + mean b) / 2", Distances(|it| 0.5 * sum(it.means())))
    },
    Kind {
        floor: |it| Some(2.0 * it.far),
        ..length("cd_l1_sum", "mean a + mean b", Distances(|it| sum(it.means())))
    },
    Kind {
        floor: SQUARE,
        ..squared(
            "cd_l2_half",
            "(mean a^2 + mean b^2) / 2",
            Distances(|it| 0.5 * sum(it.squares())),
        )
    },
    Kind {
        floor: |it| Some(2.0 * it.square),
        ..squared("cd_l2_sum", "mean a^2 + mean b^2", Distances(|it| sum(it.squares())))
    },
    squared("cd_l2_total", "sum a^2 + sum b^2", Distances(|it| sum(it.square_sums()))),
    length("hausdorff", "max(max a, max b)", Distances(|it| it.larger(1.0))),
    length(
        "hausdorff_q50",
        "max(q50 a, q50 b), quantiles linear between the two nearest",
        Distances(|it| it.larger(0.5)),
    ),
    length(
        "hausdorff_q90",
        "max(q90 a, q90 b), quantiles linear between the two nearest",
        Distances(|it| it.larger(0.9)),
    ),
    length(
        "hausdorff_q95",
        "max(q95 a, q95 b), quantiles linear between the two nearest",
        Distances(|it| it.larger(0.95)),
    ),
    length(
        "hausdorff_q99",
        "max(q99 a, q99 b), quantiles linear between the two nearest",
        Distances(|it| it.larger(0.99)),
    ),
    within("precision", "share of a < threshold", Distances(|it| it.within(true)[0])),
    within("recall", "share of b < threshold", Distances(|it| it.within(true)[1])),
    within(
        "f",
        "2 P R / (P + R), 0 where P + R = 0; P = share of a < threshold, R = share of b < threshold",
        Distances(|it| it.f_score(true)),
    ),
    within(
        "f_le",
        "2 P R / (P + R), 0 where P + R = 0; P = share of a <= threshold, R = share of b <= threshold",
        Distances(|it| it.f_score(false)),
    ),
    share(
        "nc",
        "(mean |cos| of a + mean |cos| of b) / 2, cos between the normal of a point's triangle and that of the nearest one, of those as near to 1e-9 of the distance and 1e-12 of the reference's diagonal the first",
        Distances(|it| it.cosines(false)),
    ),
    Kind {
        range: (-1.0, 1.0),
        ..share(
            "nc_signed",
            "(mean cos of a + mean cos of b) / 2, cos between the normal of a point's triangle and that of the nearest one, of those as near to 1e-9 of the distance and 1e-12 of the reference's diagonal the first",
            Distances(|it| it.cosines(true)),
        )
    },
    Kind {
        range: (f64::NEG_INFINITY, f64::INFINITY),
        ..length(
            "asymmetry",
            "mean b - mean a: above 0 where the result lacks parts, below where it has too many",
            Distances(|it| it.means()[1] - it.means()[0]),
        )
    },
    share(
        "iou",
        "cells inside both / cells inside either; inside: |winding number of the cell's middle| > 1/2, of an open surface the winding number as if it faced outwards",
        Volumes(|_, overlap| overlap.iou()),
    ),
    Kind {
        range: (0.0, f64::INFINITY),
        ..share(
            "volume_ratio",
            "cells inside the result / cells inside the reference; inside: as of iou",
            Volumes(|[ours, theirs], _| Some(ours as f64 / theirs as f64)),
        )
    },
    length(
        "cd_manhattan",
        "mean a + mean b, of the nearest sample by |dx| + |dy| + |dz|, and that sum",
        Manhattan(|it| sum(it.means())),
    ),
    length(
        "edge_cd_l1_sum",
        "mean a + mean b between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
        Edges(|it| sum(it.means())),
    ),
    squared(
        "edge_cd_l2_sum",
        "mean a^2 + mean b^2 between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
        Edges(|it| sum(it.squares())),
    ),
    within(
        "edge_f",
        "2 P R / (P + R), 0 where P + R = 0; P = share of a < threshold, R = share of b < threshold, between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
        Edges(|it| it.f_score(true)),
    ),
    length(
        "emd",
        "least mean distance of a one-to-one matching of equally many points, exactly (shortest augmenting paths)",
        Matching,
    ),
];

fn sum([a, b]: [f64; 2]) -> f64 {
    a + b
}

/// A requested metric: `cd_l1_half`, `f@0.02`, or `cd_l1_half_pp`, `f_pp@0.02` between samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    pub(super) kind: &'static Kind,
    /// Distances go to the nearest sample of the other side, not to its surface.
    pub is_between_points: bool,
    /// In the unit of length.
    pub threshold: Option<f64>,
}

impl Metric {
    pub const DEFAULTS: [&'static str; 14] = [
        "acc",
        "comp",
        "cd_l1_half",
        "cd_l1_sum",
        "cd_l2_half",
        "cd_l2_sum",
        "f@0.01",
        "f@0.02",
        "f@0.05",
        "nc",
        "nc_signed",
        "hausdorff",
        "hausdorff_q95",
        "iou",
    ];

    /// The names without thresholds.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|kind| kind.name)
    }

    pub(super) fn reads_distances(&self, is_between_points: bool) -> bool {
        let is_so = matches!(self.kind.reads, Distances(_));
        is_so && self.is_between_points == is_between_points
    }

    pub fn formula(&self) -> &'static str {
        self.kind.formula
    }

    pub fn dimension(&self) -> Dimension {
        self.kind.dimension
    }

    pub fn is_lower_better(&self) -> bool {
        self.kind.is_lower_better
    }

    /// Least and most that it can be.
    pub fn range(&self) -> (f64, f64) {
        self.kind.range
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        if self.is_between_points {
            f.write_str("_pp")?;
        }
        match self.threshold {
            Some(threshold) => write!(f, "@{threshold}"),
            None => Ok(()),
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Metric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let unknown =
            || MetricError::Unknown { name: text.to_owned(), known: one_of(text, Self::names()) };
        let (name, threshold) = match text.split_once('@') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let (name, is_between_points) = match name.strip_suffix("_pp") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
        if is_between_points && !matches!(kind.reads, Distances(_)) {
            return Err(unknown());
        }
        let threshold = match (kind.has_threshold, threshold) {
            (false, None) => None,
            (false, Some(_)) => return Err(unknown()),
            (true, number) => {
                let number = number.and_then(|number| number.parse::<f64>().ok());
                let is_sane = |number: &f64| number.is_finite() && *number > 0.0;
                Some(
                    number
                        .filter(is_sane)
                        .ok_or_else(|| MetricError::Threshold { name: name.to_owned() })?,
                )
            }
        };
        Ok(Self { kind, is_between_points, threshold })
    }
}
