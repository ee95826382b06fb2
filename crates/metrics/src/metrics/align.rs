//! Brings a result into the frame of its reference, in a stated way, and says what was done to it.
//!
//! The full search starts where the centres of area and the mean squared radii agree and tries
//! turns: the axes of inertia onto each other in all 24 proper ways, the 24 turns by right angles,
//! and a fixed grid of 512 over all rotations (super-Fibonacci spirals, Alexa 2022). The best are
//! refined over rotation, shift and scale until they no longer improve (Levenberg–Marquardt on
//! distances between the surfaces, both ways at once, so that the result is not shrunk into a
//! corner of its reference). Nothing is mirrored; the same search over the mirrored result only
//! says whether that would have fitted better.

use super::sample::{Sample, sample};
use super::similarity::{Similarity, eigen};
use super::surface::Surface;
use super::tree::{Closest, SurfaceTree};
use crate::measure::right_angles;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::{SQRT_2, TAU};

/// How a result is brought into its reference's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    /// As the files are.
    #[default]
    None,
    /// The middle and the longest side of the box are made those of the reference's box; no turn.
    Box,
    /// Axes of inertia onto each other, centres of area and mean squared radii made equal; of the
    /// 24 proper ways the one of the least distance.
    Axes,
    /// Over all turns, shifts and scales.
    Search,
}

/// What was done to the result. Residuals are root mean squares of the distances both ways,
/// relative to the reference's diagonal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alignment {
    pub method: Align,
    /// As a row-major 4 × 4 matrix in JSON.
    pub reference_from_result: Similarity,
    pub scale: f64,
    pub rotation_degrees: f64,
    pub residual_before: f64,
    pub residual_after: f64,
    /// Of a search that left more than 2e-3: what the mirrored result would leave. Not used.
    pub residual_if_mirrored: Option<f64>,
}

impl Alignment {
    /// The mirrored result would fit much better: it may be a mirror image of its reference.
    pub fn is_mirror_better(&self) -> bool {
        self.residual_if_mirrored.is_some_and(|mirrored| mirrored < 0.5 * self.residual_after)
    }
}

/// A residual up to this leaves nothing for a mirror to better.
const MIRROR_MATTERS: f64 = 2e-3;
/// A residual up to this ends the search: the surfaces are the same but for rounding.
const SAME: f64 = 1e-5;
/// Turns that are refined side by side before the next ones are.
const BATCH: usize = 4;

/// Points of each surface that rank the turns.
const RANKED_POINTS: usize = 128;
/// Turns of the grid.
const TURNS: usize = 512;
/// Turns that are refined, at least this far apart.
const REFINED: usize = 12;
const APART_DEGREES: f64 = 12.0;
/// Points of each surface for the first and the second refinement, and rounds of each at most.
const COARSE: (usize, usize) = (400, 25);
const FINE: (usize, usize) = (3000, 60);
const SEED: u64 = 1;

/// A surface and its tree.
#[derive(Clone, Copy)]
pub struct Body<'a> {
    pub surface: &'a Surface,
    pub tree: &'a SurfaceTree,
}

/// Finds what `method` asks for.
pub fn align(result: Body<'_>, reference: Body<'_>, method: Align) -> Alignment {
    let pair = Pair::new(result, reference, FINE.0);
    let (found, mirrored) = match method {
        Align::None => (Similarity::IDENTITY, None),
        Align::Box => (box_to_box(result.surface, reference.surface), None),
        Align::Axes => (pair.best_of(&pair.axes_turns()), None),
        Align::Search => search(&pair),
    };
    let diagonal = reference.surface.diagonal();
    let residual = |at: &Similarity| pair.misfit(at).sqrt() / diagonal;
    Alignment {
        method,
        scale: found.scale,
        rotation_degrees: found.degrees(),
        residual_before: residual(&Similarity::IDENTITY),
        residual_after: residual(&found),
        residual_if_mirrored: mirrored.map(|misfit: f64| misfit.sqrt() / diagonal),
        reference_from_result: found,
    }
}

fn box_to_box(result: &Surface, reference: &Surface) -> Similarity {
    let is_same = result.min() == reference.min() && result.max() == reference.max();
    if is_same {
        return Similarity::IDENTITY;
    }
    let scale = reference.longest_side() / result.longest_side();
    Similarity {
        scale,
        rotation: DMat3::IDENTITY,
        translation: reference.box_center() - result.box_center() * scale,
    }
}

/// What the search takes from both surfaces, and the best similarity it finds, with the misfit of
/// the best mirrored one.
fn search(pair: &Pair<'_>) -> (Similarity, Option<f64>) {
    let unmoved = pair.misfit(&Similarity::IDENTITY);
    // Rounding of a result that is already aligned with its reference.
    if unmoved.sqrt() <= 1e-12 * pair.reference.surface.diagonal() {
        return (Similarity::IDENTITY, None);
    }
    let (found, misfit) = pair.search();
    let (found, misfit) =
        if unmoved <= misfit { (Similarity::IDENTITY, unmoved) } else { (found, misfit) };
    let is_close = misfit.sqrt() <= MIRROR_MATTERS * pair.reference.surface.diagonal();
    let mirror = pair.mirrored().filter(|_| !is_close);
    (found, mirror.map(|mirror| mirror.pair().search().1))
}

struct Pair<'a> {
    result: Body<'a>,
    reference: Body<'a>,
    /// Of the result and of the reference.
    points: [Vec<Sample>; 2],
    /// The result's centre of area.
    center: DVec3,
    /// With the centres of area and the mean squared radii made equal, not turned.
    start: Similarity,
}

/// A mirrored result, which a [`Pair`] can be made of.
struct Mirrored<'a> {
    surface: Surface,
    tree: SurfaceTree,
    reference: Body<'a>,
    count: usize,
}

impl Mirrored<'_> {
    fn pair(&self) -> Pair<'_> {
        let result = Body { surface: &self.surface, tree: &self.tree };
        Pair::new(result, self.reference, self.count)
    }
}

impl<'a> Pair<'a> {
    fn new(result: Body<'a>, reference: Body<'a>, count: usize) -> Self {
        let points = [result, reference].map(|body| sample(body.surface, count, SEED));
        let [from, to] = [result, reference].map(|body| {
            let center = body.surface.centroid();
            let [xx, yy, zz, ..] = body.surface.covariance(center);
            (center, (xx + yy + zz).sqrt())
        });
        let scale = to.1 / from.1;
        let start =
            Similarity { scale, rotation: DMat3::IDENTITY, translation: to.0 - from.0 * scale };
        Self { result, reference, points, center: from.0, start }
    }

    /// The start, turned about the centre of area.
    fn turned(&self, rotation: DMat3) -> Similarity {
        let Similarity { scale, .. } = self.start;
        Similarity {
            scale,
            rotation,
            translation: self.start.apply(self.center) - rotation * self.center * scale,
        }
    }

    fn mirrored(&self) -> Option<Mirrored<'a>> {
        let surface = self.result.surface.mapped(|p| DVec3::new(-p.x, p.y, p.z)).ok()?;
        Some(Mirrored {
            tree: SurfaceTree::new(&surface),
            surface,
            reference: self.reference,
            count: self.points[0].len(),
        })
    }

    /// Half the mean squared distance of each surface's points from the other, added; in the
    /// reference's units squared.
    fn misfit(&self, at: &Similarity) -> f64 {
        let one_way = |points: &[Sample], distance: &(dyn Fn(DVec3) -> f64 + Sync)| {
            let squares: Vec<f64> = parallel::map(points, |s| distance(s.point));
            squares.iter().sum::<f64>() / points.len() as f64
        };
        let forth = one_way(&self.points[0], &|p| {
            self.reference.tree.closest(at.apply(p), None).distance_squared
        });
        let back = one_way(&self.points[1], &|p| {
            let there = self.result.tree.closest(at.undo(p), None);
            there.distance_squared * at.scale * at.scale
        });
        0.5 * (forth + back)
    }

    /// The same over the first points only, on one thread.
    fn rough_misfit(&self, at: &Similarity, count: usize) -> f64 {
        let mut sum = 0.0;
        for sample in &self.points[0][..count] {
            let there = self.reference.tree.closest(at.apply(sample.point), None);
            sum += there.distance_squared;
        }
        for sample in &self.points[1][..count] {
            let there = self.result.tree.closest(at.undo(sample.point), None);
            sum += there.distance_squared * at.scale * at.scale;
        }
        0.5 * sum / count as f64
    }

    /// The turns that bring axes of inertia onto axes of inertia.
    fn axes_turns(&self) -> Vec<DMat3> {
        let [from, to] = [self.result, self.reference].map(|body| {
            let [xx, yy, zz, xy, xz, yz] = body.surface.covariance(body.surface.centroid());
            let (values, vectors) = eigen([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
            let mut order = [0, 1, 2];
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            let [a, b, _] = order.map(|k| DVec3::from_array(vectors[k]));
            DMat3::from_cols(a, b, a.cross(b))
        });
        right_angles().map(|turn| to * turn * from.transpose()).collect()
    }

    fn best_of(&self, turns: &[DMat3]) -> Similarity {
        let misfits: Vec<f64> = parallel::map(turns, |turn| {
            self.rough_misfit(&self.turned(*turn), self.points[0].len())
        });
        let best = (0..turns.len()).min_by(|&a, &b| misfits[a].total_cmp(&misfits[b]));
        best.map_or(self.start, |k| self.turned(turns[k]))
    }

    fn search(&self) -> (Similarity, f64) {
        let turns: Vec<DMat3> =
            self.axes_turns().into_iter().chain(right_angles()).chain(spirals(TURNS)).collect();
        let mut ranked: Vec<(f64, usize)> = parallel::of(turns.len(), |k| {
            (self.rough_misfit(&self.turned(turns[k]), RANKED_POINTS), k)
        });
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut chosen: Vec<Similarity> = Vec::new();
        for (_, k) in ranked {
            let next = self.turned(turns[k]);
            let is_apart = chosen.iter().all(|other| {
                let between = Similarity {
                    rotation: other.rotation.transpose() * next.rotation,
                    ..Similarity::IDENTITY
                };
                between.degrees() > APART_DEGREES
            });
            if is_apart {
                chosen.push(next);
            }
            if chosen.len() == REFINED {
                break;
            }
        }
        let same = SAME * self.reference.surface.diagonal();
        let mut best: Option<(f64, Similarity)> = None;
        for batch in chosen.chunks(BATCH) {
            let refined: Vec<(f64, Similarity)> = parallel::map(batch, |from| {
                let at = self.refine(*from, COARSE);
                (self.rough_misfit(&at, COARSE.0), at)
            });
            for found in refined {
                if best.is_none_or(|best| found.0 < best.0) {
                    best = Some(found);
                }
            }
            if best.is_some_and(|best| best.0.sqrt() <= same) {
                break;
            }
        }
        let best = best.map_or(self.start, |best| best.1);
        let fine = self.refine(best, FINE);
        (fine, self.misfit(&fine))
    }

    /// Moves, turns and scales until the distances no longer fall.
    fn refine(&self, from: Similarity, (count, rounds): (usize, usize)) -> Similarity {
        /// A round that gains less than this share has converged.
        const GAIN_MIN: f64 = 1e-6;
        const DAMPING_MAX: f64 = 1e6;
        let mut at = from;
        let mut system = self.system(&at, count);
        let mut damping = 1e-4;
        for _ in 0..rounds {
            let (mut next, mut better) = (at, None);
            while damping <= DAMPING_MAX {
                if let Some(step) = system.solve(damping) {
                    next = system.moved(&at, step);
                    let there = self.system(&next, count);
                    if there.misfit < system.misfit {
                        better = Some(there);
                        break;
                    }
                }
                damping *= 8.0;
            }
            let Some(there) = better else { break };
            let gain = 1.0 - there.misfit / system.misfit;
            at = next;
            system = there;
            damping = (damping * 0.1).max(1e-9);
            if gain < GAIN_MIN || system.misfit <= 1e-28 * system.size * system.size {
                break;
            }
        }
        at
    }

    /// The linear system of a Gauss–Newton step over turn, shift and the logarithm of the scale,
    /// about the moved centre of area.
    fn system(&self, at: &Similarity, count: usize) -> System {
        let size = self.reference.surface.diagonal();
        let center = at.apply(self.center);
        let one = |moved: DVec3, onto: DVec3, normal: DVec3| {
            let away = moved - onto;
            let distance = away.length();
            // Next to the surface the way off it is rounding, and its normal is the direction in
            // which the distance grows.
            let direction = if distance > 1e-9 * size { away / distance } else { normal };
            let arm = (moved - center) / size;
            let turn = arm.cross(direction);
            let row =
                [turn.x, turn.y, turn.z, direction.x, direction.y, direction.z, arm.dot(direction)];
            (row, away.dot(direction) / size)
        };
        let forth = |s: &Sample| {
            let moved = at.apply(s.point);
            let hit: Closest = self.reference.tree.closest(moved, None);
            one(moved, hit.point, self.reference.tree.normal(hit))
        };
        let back = |s: &Sample| {
            let hit = self.result.tree.closest(at.undo(s.point), None);
            let normal = at.rotation * self.result.tree.normal(hit);
            one(at.apply(hit.point), s.point, normal)
        };
        let rows: Vec<([f64; 7], f64)> = parallel::of(2 * count, |i| match i.checked_sub(count) {
            None => forth(&self.points[0][i]),
            Some(i) => back(&self.points[1][i]),
        });
        let mut system =
            System { matrix: [[0.0; 7]; 7], right: [0.0; 7], misfit: 0.0, center, size };
        for (row, off) in &rows {
            for i in 0..7 {
                for j in 0..=i {
                    system.matrix[i][j] += row[i] * row[j];
                }
                system.right[i] -= row[i] * off;
            }
            system.misfit += off * off;
        }
        system
    }
}

struct System {
    /// Its lower half.
    matrix: [[f64; 7]; 7],
    right: [f64; 7],
    /// Sum of squared distances relative to `size`.
    misfit: f64,
    center: DVec3,
    size: f64,
}

impl System {
    /// By Cholesky's decomposition, the diagonal made larger by `damping`.
    fn solve(&self, damping: f64) -> Option<[f64; 7]> {
        let largest = (0..7).map(|k| self.matrix[k][k]).fold(0.0, f64::max);
        let mut l = self.matrix;
        for (k, row) in l.iter_mut().enumerate() {
            // A turn about an axis of symmetry changes nothing; it stays where it is.
            row[k] += damping * row[k] + 1e-9 * largest;
        }
        for i in 0..7 {
            for j in 0..=i {
                let sum = (0..j).fold(l[i][j], |sum, k| sum - l[i][k] * l[j][k]);
                if i == j {
                    if sum <= 0.0 {
                        return None;
                    }
                    l[i][i] = sum.sqrt();
                } else {
                    l[i][j] = sum / l[j][j];
                }
            }
        }
        let mut x = self.right;
        for i in 0..7 {
            x[i] = (0..i).fold(x[i], |sum, k| sum - l[i][k] * x[k]) / l[i][i];
        }
        for i in (0..7).rev() {
            x[i] = (i + 1..7).fold(x[i], |sum, k| sum - l[k][i] * x[k]) / l[i][i];
        }
        x.iter().all(|v| v.is_finite()).then_some(x)
    }

    fn moved(&self, at: &Similarity, [a, b, c, x, y, z, s]: [f64; 7]) -> Similarity {
        let turn = DVec3::new(a, b, c);
        let angle = turn.length();
        let rotation = if angle > 0.0 {
            let half = 0.5 * angle;
            let axis = turn / angle * libm::sin(half);
            DMat3::from_quat(DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(half)).normalize())
        } else {
            DMat3::IDENTITY
        };
        let scale = libm::exp(s.clamp(-0.5, 0.5));
        let shift = DVec3::new(x, y, z) * self.size;
        let next = at.then(&Similarity {
            scale,
            rotation,
            translation: self.center + shift - rotation * self.center * scale,
        });
        Similarity {
            // Products of rotations drift off the rotations by rounding.
            rotation: DMat3::from_quat(DQuat::from_mat3(&next.rotation).normalize()),
            ..next
        }
    }
}

/// Rotations spread evenly over all: super-Fibonacci spirals (Alexa 2022, algorithm 1).
fn spirals(count: usize) -> impl Iterator<Item = DMat3> {
    /// The root near 1.53 of ψ⁴ = ψ + 4.
    const PSI: f64 = 1.533_751_168_755_204_3;
    (0..count).map(move |i| {
        let s = i as f64 + 0.5;
        let (r, rest) = ((s / count as f64).sqrt(), (1.0 - s / count as f64).sqrt());
        let (alpha, beta) = (TAU * s / SQRT_2, TAU * s / PSI);
        let q = DQuat::from_xyzw(
            r * libm::sin(alpha),
            r * libm::cos(alpha),
            rest * libm::sin(beta),
            rest * libm::cos(beta),
        );
        DMat3::from_quat(q.normalize())
    })
}
