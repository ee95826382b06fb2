//! The metrics that are known: their names, their formulas, which way is better.

use super::error::MetricError;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// What of a comparison a metric reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Distances between samples and the other side; may be taken between samples only.
    Distances,
    /// Cells of a grid.
    Volumes,
    /// A one-to-one matching of samples.
    Matching,
    /// Distances between samples, by sums of coordinates.
    Manhattan,
    /// Distances between the samples on sharp edges.
    Edges,
}

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
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Kind {
    pub name: &'static str,
    pub formula: &'static str,
    pub dimension: Dimension,
    pub is_lower_better: bool,
    pub has_threshold: bool,
    pub reads: Reads,
}

const fn length(name: &'static str, formula: &'static str) -> Kind {
    Kind {
        name,
        formula,
        dimension: Dimension::Length,
        is_lower_better: true,
        has_threshold: false,
        reads: Reads::Distances,
    }
}

const fn squared(name: &'static str, formula: &'static str) -> Kind {
    Kind { dimension: Dimension::LengthSquared, ..length(name, formula) }
}

const fn share(name: &'static str, formula: &'static str, has_threshold: bool) -> Kind {
    Kind {
        dimension: Dimension::Share,
        is_lower_better: false,
        has_threshold,
        ..length(name, formula)
    }
}

pub(super) const KINDS: [Kind; 28] = [
    length("acc", "mean a"),
    length("comp", "mean b"),
    squared("acc2", "mean a^2"),
    squared("comp2", "mean b^2"),
    length("cd_l1_half", "(mean a + mean b) / 2"),
    length("cd_l1_sum", "mean a + mean b"),
    squared("cd_l2_half", "(mean a^2 + mean b^2) / 2"),
    squared("cd_l2_sum", "mean a^2 + mean b^2"),
    squared("cd_l2_total", "sum a^2 + sum b^2"),
    length("hausdorff", "max(max a, max b)"),
    length("hausdorff_q50", "max(q50 a, q50 b), quantiles linear between the two nearest"),
    length("hausdorff_q90", "max(q90 a, q90 b), quantiles linear between the two nearest"),
    length("hausdorff_q95", "max(q95 a, q95 b), quantiles linear between the two nearest"),
    length("hausdorff_q99", "max(q99 a, q99 b), quantiles linear between the two nearest"),
    share("precision", "share of a < threshold", true),
    share("recall", "share of b < threshold", true),
    share(
        "f",
        "2 P R / (P + R), 0 where P + R = 0; P = share of a < threshold, R = share of b < threshold",
        true,
    ),
    share(
        "f_le",
        "2 P R / (P + R), 0 where P + R = 0; P = share of a <= threshold, R = share of b <= threshold",
        true,
    ),
    share(
        "nc",
        "(mean |cos| of a + mean |cos| of b) / 2, cos between the normal of a point's triangle and that of the nearest one, of those as near to 1e-9 of the distance and 1e-12 of the reference's diagonal the first",
        false,
    ),
    share(
        "nc_signed",
        "(mean cos of a + mean cos of b) / 2, cos between the normal of a point's triangle and that of the nearest one, of those as near to 1e-9 of the distance and 1e-12 of the reference's diagonal the first",
        false,
    ),
    length(
        "asymmetry",
        "mean b - mean a: above 0 where the result lacks parts, below where it has too many",
    ),
    Kind {
        reads: Reads::Volumes,
        ..share(
            "iou",
            "cells inside both / cells inside either; inside: winding number of the cell's middle > 1/2",
            false,
        )
    },
    Kind {
        reads: Reads::Volumes,
        ..share("volume_ratio", "cells inside the result / cells inside the reference", false)
    },
    Kind {
        reads: Reads::Manhattan,
        ..length(
            "cd_manhattan",
            "mean a + mean b, of the nearest sample by |dx| + |dy| + |dz|, and that sum",
        )
    },
    Kind {
        reads: Reads::Edges,
        ..length(
            "edge_cd_l1_sum",
            "mean a + mean b between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
        )
    },
    Kind {
        reads: Reads::Edges,
        ..squared(
            "edge_cd_l2_sum",
            "mean a^2 + mean b^2 between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
        )
    },
    Kind {
        reads: Reads::Edges,
        ..share(
            "edge_f",
            "2 P R / (P + R), 0 where P + R = 0; P = share of a < threshold, R = share of b < threshold, between samples on edges: those with another sample of their side within 0.004 whose normal has |cos| < 0.2",
            true,
        )
    },
    Kind {
        reads: Reads::Matching,
        ..length(
            "emd",
            "least mean distance of a one-to-one matching of equally many points, exactly (shortest augmenting paths)",
        )
    },
];

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
        match (self.kind.name, self.dimension()) {
            ("asymmetry", _) => (f64::NEG_INFINITY, f64::INFINITY),
            ("nc_signed", _) => (-1.0, 1.0),
            ("volume_ratio", _) | (_, Dimension::Length | Dimension::LengthSquared) => {
                (0.0, f64::INFINITY)
            }
            (_, Dimension::Share) => (0.0, 1.0),
        }
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
        let unknown = || MetricError::Unknown {
            name: text.to_owned(),
            known: Self::names().collect::<Vec<_>>().join(", "),
        };
        let (name, threshold) = match text.split_once('@') {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let (name, is_between_points) = match name.strip_suffix("_pp") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let kind = KINDS.iter().find(|kind| kind.name == name).ok_or_else(unknown)?;
        if is_between_points && kind.reads != Reads::Distances {
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
