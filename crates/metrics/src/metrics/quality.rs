//! Figures of one asset that need no reference, with their names on boards.

use super::definition::FigureDefinition;
use super::error::MetricError;
use super::figure::{Facts, Kind, NO_COORDINATES, Place, Quantity, whole, yes};
use super::ready::READY_KINDS;
use crate::load::{ImageFacts, Loaded};
use crate::measure::Counts;
use crate::scene::{Mesh, one_of};
use std::fmt;
use std::str::FromStr;

/// Raised with every change that moves a number.
const QUALITY_VERSION: u32 = 3;

fn share_of_triangles(facts: &Facts<'_>, count: usize) -> Result<f64, &'static str> {
    Ok(count as f64 / facts.mesh().counts.triangles.max(1) as f64)
}

const KINDS: [Kind; 17] = [
    Kind {
        name: "watertight",
        quantity: Quantity::YesNo,
        formula: "1 where every edge has two faces that agree on the direction (equal positions are one vertex), else 0",
        is_lower_better: Some(false),
        place: Place::Asset,
        read: |f| yes(f.mesh().is_watertight),
    },
    Kind {
        name: "edge_manifold",
        quantity: Quantity::YesNo,
        formula: "1 where no edge has more than two faces, else 0",
        is_lower_better: Some(false),
        place: Place::Asset,
        read: |f| yes(f.quality().manifold.is_edge_manifold),
    },
    Kind {
        name: "vertex_manifold",
        quantity: Quantity::YesNo,
        formula: "1 where the faces at each vertex are one fan, else 0",
        is_lower_better: Some(false),
        place: Place::Asset,
        read: |f| yes(f.quality().manifold.is_vertex_manifold),
    },
    Kind {
        name: "crossings",
        quantity: Quantity::Count,
        formula: "pairs of triangles without a common vertex that intersect in a segment",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| whole(f.quality().crossings.pairs as f64, f.quality().crossings.is_complete),
    },
    Kind {
        name: "crossing_area",
        quantity: Quantity::Share,
        formula: "area of triangles in such a pair / area",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| whole(f.quality().crossings.area_share, f.quality().crossings.is_complete),
    },
    Kind {
        name: "components",
        quantity: Quantity::Count,
        formula: "pieces connected by shared positions",
        is_lower_better: None,
        place: Place::Asset,
        read: |f| Ok(f.mesh().parts.components as f64),
    },
    Kind {
        name: "floaters",
        quantity: Quantity::Count,
        formula: "groups of pieces with a gap around them and under 6 % of the area",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| whole(f.mesh().parts.floaters as f64, f.mesh().parts.is_complete),
    },
    Kind {
        name: "degenerate",
        quantity: Quantity::Share,
        formula: "triangles of the file without area / all of its triangles",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| {
            let Counts { triangles, degenerate_triangles: left_out, .. } = f.mesh().counts;
            Ok(left_out as f64 / (triangles + left_out).max(1) as f64)
        },
    },
    Kind {
        name: "duplicates",
        quantity: Quantity::Share,
        formula: "triangles with the three positions of an earlier one / triangles",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| share_of_triangles(f, f.mesh().counts.duplicate_triangles),
    },
    Kind {
        name: "needles",
        quantity: Quantity::Share,
        formula: "triangles with an angle under 1 degree / triangles",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| Ok(f.quality().triangles.needle_share),
    },
    Kind {
        name: "uv_overlap",
        quantity: Quantity::Share,
        formula: "share of the used texture that more than one triangle uses, in cells of 1/1024",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| {
            let uv = f.uv()?;
            whole(uv.overlap_share, uv.overlap_is_complete)
        },
    },
    Kind {
        name: "uv_stretch",
        quantity: Quantity::Ratio,
        formula: "L2 stretch of texture coordinates scaled to the surface's area; 1 is none",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| Ok(f.uv()?.stretch_l2),
    },
    Kind {
        name: "texel_spread",
        quantity: Quantity::Ratio,
        formula: "90 % over 10 % quantile of texels along a unit of length, by area; 1 is even",
        is_lower_better: Some(true),
        place: Place::Asset,
        read: |f| f.uv()?.texel_spread.ok_or(NO_COORDINATES),
    },
    Kind {
        name: "texel_density",
        quantity: Quantity::Ratio,
        formula: "texels along the box's diagonal if all were spread evenly over the textured area",
        is_lower_better: None,
        place: Place::Asset,
        read: |f| {
            let texels = f.mesh().texture.texels_per_diagonal;
            (texels > 0.0).then_some(texels).ok_or(NO_COORDINATES)
        },
    },
    Kind {
        name: "triangles",
        quantity: Quantity::Count,
        formula: "triangles in the file",
        is_lower_better: None,
        place: Place::Asset,
        read: |f| Ok(f.mesh().counts.triangles as f64),
    },
    Kind {
        name: "file_bytes",
        quantity: Quantity::Bytes,
        formula: "bytes of the asset's file, without files that it names",
        is_lower_better: None,
        place: Place::Asset,
        read: |f| Ok(f.file_bytes as f64),
    },
    Kind {
        name: "size",
        quantity: Quantity::Length,
        formula: "longest side of the box, in the file's unit",
        is_lower_better: None,
        place: Place::Asset,
        read: |f| Ok(f.sides().into_iter().fold(0.0, f64::max)),
    },
];

/// A figure of one asset, as in `watertight`.
#[derive(Clone, Copy)]
pub struct QualityMetric {
    kind: &'static Kind,
}

impl QualityMetric {
    pub fn all() -> impl Iterator<Item = Self> {
        Self::defaults().chain(READY_KINDS.iter().map(|kind| Self { kind }))
    }

    /// Those of boards that name none.
    pub fn defaults() -> impl Iterator<Item = Self> {
        KINDS.iter().map(|kind| Self { kind })
    }

    pub fn quantity(self) -> Quantity {
        self.kind.quantity
    }

    /// # Errors
    /// In words: the asset has nothing to measure, or the measurement was cut short.
    pub fn value(self, facts: &Facts<'_>) -> Result<f64, &'static str> {
        (self.kind.read)(facts)
    }

    /// Names of the meshes, pictures or nodes with a fault, the worst first; `is_fault` is
    /// about the
    /// figure of one picture.
    pub fn places(self, facts: &Facts<'_>, is_fault: impl Fn(f64) -> bool) -> Vec<String> {
        match self.kind.place {
            Place::Asset => Vec::new(),
            Place::Roots => {
                facts.loaded.file.moved_roots.iter().map(|name| format!("node {name:?}")).collect()
            }
            Place::Images(of) => {
                let faulty = facts.images().iter().filter(|image| is_fault(of(image)));
                faulty
                    .map(|ImageFacts { name, width_px, height_px, .. }| {
                        format!("texture {name:?} ({width_px} × {height_px} px)")
                    })
                    .collect()
            }
            Place::Meshes(of) => {
                let scene = &facts.loaded.scene;
                let meshes = scene.meshes().iter().zip(&facts.ready().meshes);
                let mut faulty: Vec<_> = meshes.filter(|(_, faults)| of(faults) > 0.0).collect();
                faulty.sort_by(|a, b| of(b.1).total_cmp(&of(a.1)));
                let name = |(mesh, _): (&Mesh, _)| {
                    let named = [
                        ("mesh", mesh.name()),
                        ("material", &scene.materials()[mesh.material()].name),
                    ];
                    let named = named.into_iter().filter(|(_, name)| !name.is_empty());
                    let parts: Vec<String> =
                        named.map(|(what, name)| format!("{what} {name:?}")).collect();
                    (!parts.is_empty()).then(|| parts.join(", "))
                };
                faulty.into_iter().filter_map(name).collect()
            }
        }
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
        let max = match self.kind.quantity {
            Quantity::YesNo | Quantity::Share => 1.0,
            _ => f64::INFINITY,
        };
        (0.0, max)
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
            known: one_of(text, Self::all().map(Self::name)),
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
    let facts = Facts::new(loaded, file_bytes, None);
    metrics.iter().map(|metric| metric.value(&facts)).collect()
}
