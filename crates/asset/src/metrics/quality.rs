//! Figures of one asset that need no reference, with their names on boards.

use super::definition::FigureDefinition;
use super::error::MetricError;
use crate::load::Loaded;
use crate::measure::{Counts, MeshFacts, QualityFacts, measure, measure_quality};
use std::fmt;
use std::str::FromStr;

/// Raised with every change that moves a number.
const QUALITY_VERSION: u32 = 3;

const NO_COORDINATES: &str = "the asset has no such texture coordinates";
const CUT_SHORT: &str = "so much of the asset overlaps that the measurement was cut short";

/// What a figure is read from.
struct Facts {
    mesh: MeshFacts,
    quality: QualityFacts,
    file_bytes: u64,
}

struct Kind {
    name: &'static str,
    /// Most that it can be; the least is 0.
    max: f64,
    formula: &'static str,
    /// None where neither more nor less is better by itself.
    is_lower_better: Option<bool>,
    /// A number, or why there is none.
    read: fn(&Facts) -> Result<f64, &'static str>,
}

fn yes(is: bool) -> Result<f64, &'static str> {
    Ok(if is { 1.0 } else { 0.0 })
}

fn share_of_triangles(facts: &Facts, count: usize) -> Result<f64, &'static str> {
    Ok(count as f64 / facts.mesh.counts.triangles.max(1) as f64)
}

/// A part of a count is no count.
fn whole(value: f64, is_complete: bool) -> Result<f64, &'static str> {
    if is_complete { Ok(value) } else { Err(CUT_SHORT) }
}

const KINDS: [Kind; 17] = [
    Kind {
        name: "watertight",
        max: 1.0,
        formula: "1 where every edge has two faces that agree on the direction (equal positions are one vertex), else 0",
        is_lower_better: Some(false),
        read: |f| yes(f.mesh.is_watertight),
    },
    Kind {
        name: "edge_manifold",
        max: 1.0,
        formula: "1 where no edge has more than two faces, else 0",
        is_lower_better: Some(false),
        read: |f| yes(f.quality.manifold.is_edge_manifold),
    },
    Kind {
        name: "vertex_manifold",
        max: 1.0,
        formula: "1 where the faces at each vertex are one fan, else 0",
        is_lower_better: Some(false),
        read: |f| yes(f.quality.manifold.is_vertex_manifold),
    },
    Kind {
        name: "crossings",
        max: f64::INFINITY,
        formula: "pairs of triangles without a common vertex that intersect in a segment",
        is_lower_better: Some(true),
        read: |f| whole(f.quality.crossings.pairs as f64, f.quality.crossings.is_complete),
    },
    Kind {
        name: "crossing_area",
        max: 1.0,
        formula: "area of triangles in such a pair / area",
        is_lower_better: Some(true),
        read: |f| whole(f.quality.crossings.area_share, f.quality.crossings.is_complete),
    },
    Kind {
        name: "components",
        max: f64::INFINITY,
        formula: "pieces connected by shared positions",
        is_lower_better: None,
        read: |f| Ok(f.mesh.parts.components as f64),
    },
    Kind {
        name: "floaters",
        max: f64::INFINITY,
        formula: "groups of pieces with a gap around them and under 6 % of the area",
        is_lower_better: Some(true),
        read: |f| whole(f.mesh.parts.floaters as f64, f.mesh.parts.is_complete),
    },
    Kind {
        name: "degenerate",
        max: 1.0,
        formula: "triangles of the file without area / all of its triangles",
        is_lower_better: Some(true),
        read: |f| {
            let Counts { triangles, degenerate_triangles: left_out, .. } = f.mesh.counts;
            Ok(left_out as f64 / (triangles + left_out).max(1) as f64)
        },
    },
    Kind {
        name: "duplicates",
        max: 1.0,
        formula: "triangles with the three positions of an earlier one / triangles",
        is_lower_better: Some(true),
        read: |f| share_of_triangles(f, f.mesh.counts.duplicate_triangles),
    },
    Kind {
        name: "needles",
        max: 1.0,
        formula: "triangles with an angle under 1 degree / triangles",
        is_lower_better: Some(true),
        read: |f| Ok(f.quality.triangles.needle_share),
    },
    Kind {
        name: "uv_overlap",
        max: 1.0,
        formula: "share of the used texture that more than one triangle uses, in cells of 1/1024",
        is_lower_better: Some(true),
        read: |f| {
            let uv = f.quality.uv.as_ref().ok_or(NO_COORDINATES)?;
            whole(uv.overlap_share, uv.overlap_is_complete)
        },
    },
    Kind {
        name: "uv_stretch",
        max: f64::INFINITY,
        formula: "L2 stretch of texture coordinates scaled to the surface's area; 1 is none",
        is_lower_better: Some(true),
        read: |f| {
            let uv = f.quality.uv.as_ref();
            uv.map(|uv| uv.stretch_l2).ok_or(NO_COORDINATES)
        },
    },
    Kind {
        name: "texel_spread",
        max: f64::INFINITY,
        formula: "90 % over 10 % quantile of texels along a unit of length, by area; 1 is even",
        is_lower_better: Some(true),
        read: |f| {
            let uv = f.quality.uv.as_ref();
            uv.and_then(|uv| uv.texel_spread).ok_or(NO_COORDINATES)
        },
    },
    Kind {
        name: "texel_density",
        max: f64::INFINITY,
        formula: "texels along the box's diagonal if all were spread evenly over the textured area",
        is_lower_better: None,
        read: |f| {
            let texels = f.mesh.texture.texels_per_diagonal;
            (texels > 0.0).then_some(texels).ok_or(NO_COORDINATES)
        },
    },
    Kind {
        name: "triangles",
        max: f64::INFINITY,
        formula: "triangles in the file",
        is_lower_better: None,
        read: |f| Ok(f.mesh.counts.triangles as f64),
    },
    Kind {
        name: "file_bytes",
        max: f64::INFINITY,
        formula: "bytes of the asset's file, without files that it names",
        is_lower_better: None,
        read: |f| Ok(f.file_bytes as f64),
    },
    Kind {
        name: "size",
        max: f64::INFINITY,
        formula: "longest side of the box, in the file's unit",
        is_lower_better: None,
        read: |f| {
            let [min, max] = [f.mesh.extent.min, f.mesh.extent.max];
            let sides = (0..3).map(|k| f64::from(max[k]) - f64::from(min[k]));
            Ok(sides.fold(0.0, f64::max))
        },
    },
];

/// A figure of one asset, as in `watertight`.
#[derive(Clone, Copy)]
pub struct QualityMetric {
    kind: &'static Kind,
}

impl QualityMetric {
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|kind| Self { kind })
    }

    pub fn name(self) -> &'static str {
        self.kind.name
    }

    /// None where neither more nor less is better by itself.
    pub fn is_lower_better(self) -> Option<bool> {
        self.kind.is_lower_better
    }

    /// Least and most that it can be.
    pub fn range(self) -> (f64, f64) {
        (0.0, self.kind.max)
    }

    pub fn definition(self) -> FigureDefinition {
        let Kind { name: metric, formula, .. } = *self.kind;
        FigureDefinition { metric, formula, version: QUALITY_VERSION, background: None }
    }
}

impl fmt::Debug for QualityMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)
    }
}

impl FromStr for QualityMetric {
    type Err = MetricError;

    fn from_str(text: &str) -> Result<Self, MetricError> {
        let found = Self::all().find(|metric| metric.name() == text);
        found.ok_or_else(|| MetricError::UnknownQuality {
            name: text.to_owned(),
            known: Self::all().map(Self::name).collect::<Vec<_>>().join(", "),
        })
    }
}

/// One number for each metric, in their order, or why there is none: the asset has nothing to
/// measure, such as texture coordinates, or the measurement was cut short.
pub fn quality_values(
    loaded: &Loaded,
    file_bytes: u64,
    metrics: &[QualityMetric],
) -> Vec<Result<f64, &'static str>> {
    let facts =
        Facts { mesh: measure(&loaded.scene), quality: measure_quality(&loaded.scene), file_bytes };
    let read = metrics.iter().map(|metric| (metric.kind.read)(&facts));
    read.collect()
}
