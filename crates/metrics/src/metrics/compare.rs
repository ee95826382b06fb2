//! A result against its reference: surfaces in, numbers out, each with its definition.

use super::align::{Align, Alignment, Body, align};
use super::both_ways::{BothWays, Resampled};
use super::definition::{hash_of, to_json};
use super::distances::{Distances, to_points, to_points_manhattan, to_surface};
use super::edges::{NEAR, between_edges, on_edges};
use super::error::MetricError;
use super::matching::{POINTS_MAX, earthmover};
use super::metric::{Dimension, Metric, OfCells, Reads};
use super::points::PointTree;
use super::sample::{Sample, sample};
use super::similarity::Similarity;
use super::surface::Surface;
use super::tree::SurfaceTree;
use super::volume::{Grid, Overlap, inside, overlap};
use crate::scene::Scene;
use serde::{Deserialize, Serialize};

/// Raised with every change that moves a number.
pub const DEFINITIONS_VERSION: u32 = 1;

/// What lengths are divided by before anything is computed. One length for both sides, so that an
/// error of scale is not hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// The longest side of the reference's box.
    #[default]
    Longest,
    /// The diagonal of the reference's box.
    Diagonal,
    /// Nothing: the unit of the reference's file.
    File,
}

impl Unit {
    fn of(self, reference: &Surface) -> f64 {
        match self {
            Self::Longest => reference.longest_side(),
            Self::Diagonal => reference.diagonal(),
            Self::File => 1.0,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct CompareSettings {
    pub metrics: Vec<Metric>,
    /// Points drawn on each surface, up to [`CompareSettings::SAMPLES_MAX`].
    pub samples: usize,
    /// Of both surfaces: equal surfaces get equal points.
    pub seed: u64,
    pub unit: Unit,
    pub align: Align,
    /// Along the longest side of the box around both, for volumes.
    pub cells: usize,
    /// Points matched one to one.
    pub matched: usize,
}

impl CompareSettings {
    pub const SAMPLES_MAX: usize = 20_000_000;

    /// # Errors
    /// [`MetricError::OutOfRange`].
    pub fn check(&self) -> Result<(), MetricError> {
        for (what, min, max, value) in [
            ("the number of samples", 1, Self::SAMPLES_MAX, self.samples),
            ("the number of matched points", 1, POINTS_MAX, self.matched),
            (
                "the number of cells along the longest side",
                Grid::CELLS_MIN,
                Grid::CELLS_MAX,
                self.cells,
            ),
        ] {
            if !(min..=max).contains(&value) {
                return Err(MetricError::OutOfRange { what, min, max, value });
            }
        }
        Ok(())
    }
}

impl Default for CompareSettings {
    fn default() -> Self {
        Self {
            metrics: Metric::DEFAULTS.iter().filter_map(|name| name.parse().ok()).collect(),
            samples: 100_000,
            seed: 0,
            unit: Unit::Longest,
            align: Align::None,
            cells: 64,
            matched: 1024,
        }
    }
}

/// Everything that decides a number except the two surfaces. Serialises with its fields in this
/// order; fields that do not matter to a metric are left out of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Definition {
    pub metric: Metric,
    pub formula: &'static str,
    pub version: u32,
    /// `point-surface` or `point-point`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Cells along the longest side of the box around both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// What lengths are divided by, where lengths matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    pub align: Align,
    pub missing: &'static str,
}

/// How the points are drawn, in one word of a definition.
const SAMPLER: &str = "area-uniform, SplitMix64 by index, one seed for both";

impl Definition {
    pub fn of(metric: &Metric, settings: &CompareSettings) -> Self {
        let samples = match metric.kind.reads {
            Reads::Distances(_) | Reads::Manhattan(_) | Reads::Edges(_) => Some(settings.samples),
            Reads::Matching => Some(settings.matched),
            Reads::Volumes(_) => None,
        };
        let has_length = metric.dimension() != Dimension::Share || metric.threshold.is_some();
        Self {
            metric: *metric,
            formula: metric.formula(),
            version: DEFINITIONS_VERSION,
            distance: match (metric.kind.reads, metric.is_between_points) {
                (Reads::Volumes(_), _) => None,
                (Reads::Distances(_), false) => Some("point-surface"),
                _ => Some("point-point"),
            },
            threshold: metric.threshold,
            samples,
            sampler: samples.map(|_| SAMPLER),
            seed: samples.map(|_| settings.seed),
            cells: samples.is_none().then_some(settings.cells),
            unit: has_length.then_some(settings.unit),
            align: settings.align,
            missing: "no value; what is made of that is decided where values are collected",
        }
    }

    pub fn to_json(&self) -> String {
        to_json(self)
    }

    /// BLAKE3 of [`Definition::to_json`], 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hash_of(&self.to_json())
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricValue {
    pub metric: Metric,
    /// Never a substitute: if there is no value, `why` has the reason.
    pub value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Between points: a surface of the reference's area against itself, resampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Hash of the [`Definition`].
    pub definition: String,
}

/// One side, in its file's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    pub triangles: usize,
    pub area: f64,
    /// Extents of the box.
    pub size: [f64; 3],
    /// Encloses a volume. Open surfaces' `iou` depends on a boundary that fades over openings.
    pub is_closed: bool,
    /// Its faces point inwards, which changes no number but `nc_signed`.
    pub faces_inwards: bool,
}

impl Side {
    fn of(surface: &Surface) -> Self {
        Self {
            triangles: surface.triangles().len(),
            area: surface.area(),
            size: (surface.max() - surface.min()).to_array(),
            is_closed: surface.is_closed(),
            faces_inwards: surface.faces_inwards(),
        }
    }
}

/// Everything that was measured of a pair.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// In the order of [`CompareSettings::metrics`].
    pub values: Vec<MetricValue>,
    pub alignment: Alignment,
    /// Length that is 1 in the values, in the reference file's units.
    pub unit_length: f64,
    pub result: Side,
    pub reference: Side,
    /// Longest side of the result's box ÷ that of the reference's, as the files are.
    pub size_ratio: f64,
}

impl Comparison {
    pub fn value(&self, metric: &str) -> Option<f64> {
        let found = self.values.iter().find(|v| v.metric.to_string() == metric);
        found?.value
    }
}

/// A reference, made ready once for any number of results.
#[derive(Debug, Clone)]
pub struct Reference {
    pub(super) surface: Surface,
    pub(super) tree: SurfaceTree,
    samples: Vec<Sample>,
    point_tree: Option<PointTree>,
    side: Side,
    /// Length that is 1 in the values.
    pub(super) unit_length: f64,
    settings: CompareSettings,
}

impl Reference {
    /// # Errors
    /// A surface without area, settings out of range.
    pub fn new(scene: &Scene, settings: &CompareSettings) -> Result<Self, MetricError> {
        Self::of(Surface::of(scene, "reference")?, settings)
    }

    /// # Errors
    /// Settings out of range.
    pub fn of(surface: Surface, settings: &CompareSettings) -> Result<Self, MetricError> {
        settings.check()?;
        let tree = SurfaceTree::new(&surface);
        let samples = sample(&surface, settings.samples, settings.seed);
        let between_points = settings.metrics.iter().any(|m| {
            m.is_between_points || matches!(m.kind.reads, Reads::Manhattan(_) | Reads::Edges(_))
        });
        Ok(Self {
            point_tree: between_points.then(|| point_tree(&samples)),
            side: Side::of(&surface),
            unit_length: settings.unit.of(&surface),
            surface,
            tree,
            samples,
            settings: settings.clone(),
        })
    }

    pub fn settings(&self) -> &CompareSettings {
        &self.settings
    }

    /// Measures a result.
    ///
    /// # Errors
    /// A surface without area, cells out of range.
    pub fn compare(&self, result: &Scene) -> Result<Comparison, MetricError> {
        self.compare_surface(Surface::of(result, "result")?)
    }

    /// As [`Reference::compare`].
    ///
    /// # Errors
    /// Cells out of range.
    pub fn compare_surface(&self, result: Surface) -> Result<Comparison, MetricError> {
        let (placed, result, size_ratio) = self.place(result)?;
        let surface = &placed.surface;
        let metrics = &self.settings.metrics;
        let is_asked = |of: fn(&Metric) -> bool| metrics.iter().any(of);
        let samples = sample(surface, self.settings.samples, self.settings.seed);
        let diagonal = self.surface.diagonal();
        let on_surface = is_asked(|m| m.reads_distances(false)).then(|| {
            [
                to_surface(&samples, surface, &self.tree, diagonal),
                to_surface(&self.samples, &self.surface, &placed.tree, diagonal),
            ]
        });
        let between = self.point_tree.as_ref().map(|tree| {
            Between {
                samples: [&samples, &self.samples],
                surfaces: [surface, &self.surface],
                trees: [&point_tree(&samples), tree],
            }
            .measured(metrics, self.unit_length)
        });
        let volumes = if is_asked(|m| matches!(m.kind.reads, Reads::Volumes(_))) {
            Some(self.volumes(&placed)?)
        } else {
            None
        };
        let values = metrics
            .iter()
            .map(|metric| {
                let value = match metric.kind.reads {
                    Reads::Distances(of) => {
                        let distances = if metric.is_between_points {
                            between.as_ref().and_then(|b| b.plain.as_ref())
                        } else {
                            on_surface.as_ref()
                        };
                        Ok(distances.map(|found| of(&self.both_ways(metric, found))))
                    }
                    Reads::Manhattan(of) => {
                        let distances = between.as_ref().and_then(|b| b.manhattan.as_ref());
                        Ok(distances.map(|found| of(&self.both_ways(metric, found))))
                    }
                    Reads::Edges(of) => match between.as_ref().and_then(|b| b.edges.as_ref()) {
                        Some(Ok(found)) => Ok(Some(of(&self.both_ways(metric, found)))),
                        Some(Err(which)) => {
                            Err(format!("no sample of the {which} is on a sharp edge"))
                        }
                        None => Ok(None),
                    },
                    Reads::Volumes(of) => volumes.map(|found| found.number(of)).transpose(),
                    Reads::Matching => self.matching(&placed).map(Some).map_err(|e| e.to_string()),
                };
                self.value(metric, value)
            })
            .collect();
        Ok(Comparison {
            values,
            alignment: placed.alignment,
            unit_length: self.unit_length,
            result,
            reference: self.side.clone(),
            size_ratio,
        })
    }

    /// A result in this frame; what it was before, and its size over the reference's.
    pub(super) fn place(&self, result: Surface) -> Result<(Placed, Side, f64), MetricError> {
        let side = Side::of(&result);
        let size_ratio = result.longest_side() / self.surface.longest_side();
        let tree = SurfaceTree::new(&result);
        let body = |surface, tree| Body { surface, tree };
        let alignment =
            align(body(&result, &tree), body(&self.surface, &self.tree), self.settings.align);
        let place = alignment.reference_from_result;
        let placed = if place == Similarity::IDENTITY {
            Placed { surface: result, tree, alignment }
        } else {
            let surface = result.mapped(|p| place.apply(p))?;
            Placed { tree: SurfaceTree::new(&surface), surface, alignment }
        };
        Ok((placed, side, size_ratio))
    }

    fn volumes(&self, placed: &Placed) -> Result<Volumes, MetricError> {
        let (a, b) = (&placed.surface, &self.surface);
        let grid = Grid::over(a.min().min(b.min()), a.max().max(b.max()), self.settings.cells)?;
        let ours = inside(a, &placed.tree, &grid);
        let theirs = inside(b, &self.tree, &grid);
        let count = |cells: &[bool]| cells.iter().filter(|is_inside| **is_inside).count();
        Ok(Volumes { overlap: overlap(&ours, &theirs), cells: [count(&ours), count(&theirs)] })
    }

    fn matching(&self, placed: &Placed) -> Result<f64, MetricError> {
        let points = |surface: &Surface| -> Vec<glam::DVec3> {
            let drawn = sample(surface, self.settings.matched, self.settings.seed);
            drawn.iter().map(|s| s.point).collect()
        };
        let mean = earthmover(&points(&placed.surface), &points(&self.surface))?;
        Ok(mean / self.unit_length)
    }

    fn value(&self, metric: &Metric, value: Result<Option<f64>, String>) -> MetricValue {
        let (value, why) = match value {
            Ok(value) => (value, None),
            Err(why) => (None, Some(why)),
        };
        MetricValue {
            metric: *metric,
            value,
            why,
            floor: self.floor(metric),
            definition: Definition::of(metric, &self.settings).hash(),
        }
    }

    fn both_ways<'d>(&self, metric: &Metric, [a, b]: &'d [Distances; 2]) -> BothWays<'d> {
        BothWays { a, b, unit: self.unit_length, threshold: metric.threshold }
    }

    /// What the metric gives of a surface of the reference's area against itself, resampled.
    fn floor(&self, metric: &Metric) -> Option<f64> {
        if !metric.is_between_points {
            return None;
        }
        let area_each = self.surface.area()
            / (self.unit_length * self.unit_length)
            / self.settings.samples as f64;
        (metric.kind.floor)(&Resampled {
            far: 0.5 * area_each.sqrt(),
            square: area_each / std::f64::consts::PI,
            threshold: metric.threshold,
        })
    }
}

/// A result in its reference's frame.
pub(super) struct Placed {
    pub surface: Surface,
    pub tree: SurfaceTree,
    alignment: Alignment,
}

#[derive(Debug, Clone, Copy)]
struct Volumes {
    overlap: Overlap,
    /// Inside the result, inside the reference.
    cells: [usize; 2],
}

impl Volumes {
    fn number(self, of: OfCells) -> Result<f64, String> {
        if self.cells[1] == 0 {
            return Err("the reference encloses no volume".to_owned());
        }
        of(self.cells, self.overlap).ok_or_else(|| "neither encloses a volume".to_owned())
    }
}

/// Samples of the result and of the reference, with a tree of each.
struct Between<'a> {
    samples: [&'a [Sample]; 2],
    surfaces: [&'a Surface; 2],
    trees: [&'a PointTree; 2],
}

/// Distances between samples both ways, of each sort that was asked for.
struct BetweenPoints {
    plain: Option<[Distances; 2]>,
    manhattan: Option<[Distances; 2]>,
    /// Or which side has no sharp edge.
    edges: Option<Result<[Distances; 2], &'static str>>,
}

impl Between<'_> {
    fn measured(&self, metrics: &[Metric], unit: f64) -> BetweenPoints {
        let is_asked = |of: fn(&Metric) -> bool| metrics.iter().any(of);
        let ([p, q], [x, y], [p_tree, q_tree]) = (self.samples, self.surfaces, self.trees);
        BetweenPoints {
            plain: is_asked(|m| m.reads_distances(true))
                .then(|| [to_points(p, x, q, q_tree, y), to_points(q, y, p, p_tree, x)]),
            manhattan: is_asked(|m| matches!(m.kind.reads, Reads::Manhattan(_)))
                .then(|| [to_points_manhattan(p, q_tree), to_points_manhattan(q, p_tree)]),
            edges: is_asked(|m| matches!(m.kind.reads, Reads::Edges(_))).then(|| {
                let near = NEAR * unit;
                let p = on_edges(p, p_tree, x, near);
                let q = on_edges(q, q_tree, y, near);
                match (p.is_empty(), q.is_empty()) {
                    (_, true) => Err("reference"),
                    (true, _) => Err("result"),
                    _ => {
                        Ok([between_edges(&p, &point_tree(&q)), between_edges(&q, &point_tree(&p))])
                    }
                }
            }),
        }
    }
}

fn point_tree(samples: &[Sample]) -> PointTree {
    let points: Vec<glam::DVec3> = samples.iter().map(|s| s.point).collect();
    PointTree::new(&points)
}
