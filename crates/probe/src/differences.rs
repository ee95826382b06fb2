//! Differences between two overlaid versions, in numbers for each side.

use super::overlay::{ALONE, Overlay, Place, Point, SAME, STEPS};

/// Two open edges nearer than this share of the diagonal are the same one.
const SAME_RIM: f32 = 0.012;

/// A share of the surface that is more than points which fell on an edge: 5 of 2,730.
pub(super) const DIFFERS: f64 = 0.002;

/// Cosine of 15°: normals of two surfaces that agree less shade differently.
const SHADED_ALIKE: f32 = 0.966;

/// Colours that differ by more in one place are different there: 15 steps of 255 per channel.
const DIFFERENT_COLOR: f32 = 0.1;

/// 1 − cosine of 2°: flat.
const FLAT: f32 = 0.0006;

/// 1 − cosine of 4°: bends of two surfaces that differ by less are alike.
const ALIKE: f32 = 0.0024;

/// Of the first object, then of the second.
pub(super) type Both = [f64; 2];

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Differences {
    /// Share of the surface that is on the other to within rounding.
    pub same: Both,
    /// Share that has nothing of the other near it.
    pub alone: Both,
    /// Median and 9th decile of distance to the other where it is near; shares of the diagonal.
    pub moved: [Both; 2],
    /// Length of open edges where the other surface is closed; in diagonals.
    pub torn: Both,
    /// Length of open edges where the other has no surface.
    pub loose: Both,
    /// Edge of an equal-sided triangle of the mean area, share of the diagonal.
    pub edge: Both,
    /// Sum of signed distances of its points from the other's surface, positive in front of it,
    /// over the sum of distances.
    pub outside: Both,
    pub shape: Shape,
    pub heights: Heights,
    /// How far the corners of its triangles are off the other, over how far its surface is;
    /// logarithm, 0 if nothing differs.
    pub corners_off: Both,
    /// Of the corners of its triangles, those with a corner of the other at the same place: nearer
    /// than a fifth of the longest edge there.
    pub corners_kept: Both,
    /// Share of points whose file normals point to the back.
    pub turned: Both,
    /// Share of points that are on the other and face the other way.
    pub opposed: f64,
    /// Share of points that are on the other and whose normals for shading differ.
    pub shaded: f64,
    /// Of the colours where the surfaces coincide; none if that is too little.
    pub agreement: Option<Agreement>,
}

/// Bends around points that both have.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Shape {
    /// Mean of 1 − cosine between normals a step apart, by step.
    pub bend: [Both; 3],
    /// Of the same, the values that half, a tenth and a fiftieth of the points exceed, by step:
    /// what was smoothed has lost the last and not the first.
    pub most: [[Both; 3]; 3],
    /// Share of points that bend more than the other's, by step.
    pub more: [Both; 3],
    /// Share of points around which the other is flat.
    pub other_flat: Both,
    /// Mean squared distance between the two around these points, over that everywhere.
    pub on_flat: Both,
    /// Share of points that are bent inwards.
    pub inward: Both,
}

/// The height of each surface over the other where both are, and its relation to the bends of each.
///
/// Noise is added to a surface without a look at it, so it has nothing to do with the bends of the
/// clean one and makes those of the noisy one. Smoothing removes protruding parts, so the removed
/// part depends on the bends of both: of the sharp parts, and of the rest.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Heights {
    /// Correlation of a side's height over the other with its fall-off around, by step; −1 to 1.
    pub peaked: [Both; 3],
    /// Correlation of the height with itself a step away.
    pub drawn: [f64; 3],
}

impl Differences {
    pub(super) fn of(overlay: &Overlay) -> Self {
        let by_side = |of: &dyn Fn(&[Point]) -> f64| [0, 1].map(|side| of(&overlay.points[side]));
        let share = |is: &dyn Fn(&Point) -> bool| {
            by_side(&|points| {
                ratio(points.iter().filter(|p| is(p)).count() as f64, points.len() as f64)
            })
        };
        let quantile = |at: f64| {
            by_side(&|points| {
                let mut distances: Vec<f32> =
                    points.iter().map(|p| p.distance).filter(|d| d.is_finite()).collect();
                distances.sort_by(f32::total_cmp);
                let index = (distances.len().saturating_sub(1)) as f64 * at;
                distances.get(index as usize).map_or(0.0, |&d| f64::from(d))
            })
        };
        let shared: Vec<Point> =
            overlay.points.iter().flatten().copied().filter(|p| p.distance.is_finite()).collect();
        let (torn, loose) = rims(overlay);
        let shaded =
            |p: &&Point| p.distance < SAME && p.at[0].shading.dot(p.at[1].shading) < SHADED_ALIKE;
        let opposed = |p: &&Point| p.distance < SAME && p.at[0].normal.dot(p.at[1].normal) < -0.5;
        Self {
            same: share(&|p| p.distance < SAME),
            alone: share(&|p| p.distance.is_infinite()),
            moved: [quantile(0.5), quantile(0.9)],
            torn,
            loose,
            edge: [0, 1].map(|side| {
                let body = overlay.sides[side].body;
                let scale =
                    if side == 0 { 1.0 } else { f64::from(overlay.placement.scale.max_element()) };
                let area = body.area / body.tree.triangle_count().max(1) as f64;
                // An equal-sided triangle of edge 1 has an area of √3 / 4.
                (area * 4.0 / 3.0_f64.sqrt()).sqrt() * scale / f64::from(overlay.diagonal)
            }),
            outside: [0, 1].map(|side| {
                let near = overlay.points[side].iter().filter(|p| p.distance.is_finite());
                let (signed, all) = near.fold((0.0, 0.0), |(signed, all), p| {
                    let height = f64::from(p.offset.dot(p.at[1 - side].normal));
                    (signed + height, all + f64::from(p.distance))
                });
                ratio(signed, all)
            }),
            shape: shape(&shared),
            heights: heights(overlay),
            corners_off: corners_off(overlay),
            corners_kept: [0, 1].map(|side| corners_kept(overlay, side)),
            turned: [0, 1].map(|side| {
                let points = &overlay.points[side];
                ratio(
                    points.iter().filter(|p| p.at[side].is_turned).count() as f64,
                    points.len() as f64,
                )
            }),
            opposed: ratio(shared.iter().filter(opposed).count() as f64, shared.len() as f64),
            shaded: ratio(shared.iter().filter(shaded).count() as f64, shared.len() as f64),
            agreement: agreement(&overlay.points),
        }
    }
}

/// Whether the colours are the same where the surfaces coincide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Agreement {
    /// Share of the points where they coincide, on the side with less.
    pub share: f64,
    /// Root mean square difference, 0 to 1.
    pub difference: f64,
    /// Share of these points whose colours differ.
    pub changed: f64,
}

impl Agreement {
    /// Root mean square difference, of 1, from which on it shows: three steps of 255.
    const VISIBLE: f64 = 0.012;

    /// As a whole and in each place.
    pub(super) fn is_same(&self) -> bool {
        self.difference < Self::VISIBLE && self.changed < DIFFERS
    }
}

fn agreement(points: &[Vec<Point>; 2]) -> Option<Agreement> {
    let apart: Vec<f64> = points
        .iter()
        .flatten()
        .filter(|p| p.distance < SAME)
        .filter_map(|p| Some(f64::from((p.at[0].color? - p.at[1].color?).length())))
        .collect();
    let count = apart.len() as f64;
    let share = |points: &Vec<Point>| {
        let same = points.iter().filter(|p| p.distance < SAME).count();
        ratio(same as f64, points.len() as f64)
    };
    (apart.len() >= POINTS_MIN).then(|| Agreement {
        share: share(&points[0]).min(share(&points[1])),
        difference: (apart.iter().fold(0.0, |sum, d| sum + d * d) / count).sqrt(),
        changed: apart.iter().filter(|d| **d > f64::from(DIFFERENT_COLOR)).count() as f64 / count,
    })
}

impl Differences {
    /// Whether each surface is on the other, with the same openings, facing and shading normals.
    pub(super) fn is_same_shape(&self) -> bool {
        let none = |both: Both| both[0].max(both[1]) < DIFFERS;
        none(self.same.map(|share| 1.0 - share))
            && [self.alone, self.torn, self.loose, self.turned, [self.opposed; 2], [self.shaded; 2]]
                .into_iter()
                .all(none)
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Lengths of open edges that the other lacks: where its surface is closed, and where it has none.
fn rims(overlay: &Overlay) -> (Both, Both) {
    let (mut torn, mut loose) = ([0.0; 2], [0.0; 2]);
    for side in 0..2 {
        for &(point, length) in &overlay.sides[side].body.rim_points {
            let (point, other) = (overlay.global(side, point), 1 - side);
            if overlay.distance(other, point, true, SAME_RIM).is_finite() {
                continue;
            }
            let scale = if side == 0 { 1.0 } else { overlay.placement.scale.max_element() };
            let length = f64::from(length * scale / overlay.diagonal);
            if overlay.distance(other, point, false, SAME_RIM).is_finite() {
                torn[side] += length;
            } else {
                loose[side] += length;
            }
        }
    }
    (torn, loose)
}

fn shape(points: &[Point]) -> Shape {
    let count = points.len() as f64;
    let mean = |of: &dyn Fn(&Point) -> f64| {
        ratio(points.iter().map(of).fold(0.0, |sum, v| sum + v), count)
    };
    let both = |of: &dyn Fn(&Place, &Place) -> f64| {
        [0, 1].map(|side| mean(&|p| of(&p.at[side], &p.at[1 - side])))
    };
    let is = |yes: bool| if yes { 1.0 } else { 0.0 };
    let is_flat = |place: &Place| place.bend.iter().all(|&b| b < FLAT);
    let other_flat = both(&|_, other| is(is_flat(other)));
    let apart = mean(&|p| square(p.distance));
    let apart_on_flat = [0, 1].map(|side| {
        mean(&|p| {
            if is_flat(&p.at[1 - side]) { square(p.distance) } else { 0.0 }
        })
    });
    let most = |k: usize, side: usize| {
        let mut bends: Vec<f32> = points.iter().map(|p| p.at[side].bend[k]).collect();
        bends.sort_by(f32::total_cmp);
        let at = |share: usize| {
            bends.get((bends.len() * share / 100).min(bends.len().saturating_sub(1)))
        };
        [50, 90, 98].map(|share| at(share).map_or(0.0, |&b| f64::from(b)))
    };
    Shape {
        bend: [0, 1, 2].map(|k| both(&|own, _| f64::from(own.bend[k]))),
        most: [0, 1, 2].map(|k| {
            let [a, b] = [0, 1].map(|side| most(k, side));
            [0, 1, 2].map(|q| [a[q], b[q]])
        }),
        on_flat: [0, 1].map(|side| ratio(ratio(apart_on_flat[side], other_flat[side]), apart)),
        more: [0, 1, 2].map(|k| both(&|own, other| is(own.bend[k] > other.bend[k] + ALIKE))),
        other_flat,
        inward: both(&|own, _| is(own.rise[1] > 0.02)),
    }
}

fn heights(overlay: &Overlay) -> Heights {
    /// Heights are cut to this many medians: a few places must not make a correlation.
    const CUT: f64 = 4.0;
    /// Falls steeper than this are a corner; in steps.
    const STEEP: f64 = 0.5;
    // Of the first over the second, with the falls of both by step.
    let mut found: Vec<(f64, [Both; 3])> = Vec::new();
    for side in 0..2 {
        for p in overlay.points[side].iter().filter(|p| p.distance.is_finite()) {
            if p.at[0].normal.dot(p.at[1].normal) < 0.2 {
                continue;
            }
            let height = f64::from(p.offset.dot(p.at[1 - side].normal));
            let fall = |k: usize, s: usize| f64::from(-p.at[s].rise[k]).clamp(-STEEP, STEEP);
            found.push((
                if side == 0 { height } else { -height },
                [0, 1, 2].map(|k| [0, 1].map(|s| fall(k, s))),
            ));
        }
    }
    let mut sizes: Vec<f64> = found.iter().map(|(height, _)| height.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
    if median < 1e-6 {
        return Heights::default();
    }
    let cut = |height: f64| height.clamp(-CUT * median, CUT * median);
    let sum = |of: &dyn Fn(f64, &[Both; 3]) -> f64| {
        found.iter().fold(0.0, |sum, (height, falls)| sum + of(cut(*height), falls))
    };
    let square = sum(&|h, _| h * h);
    let correlation = |k: usize, s: usize| {
        let with = sum(&|h, falls| h * falls[k][s]);
        let falls = sum(&|_, falls| falls[k][s] * falls[k][s]);
        let sign = if s == 0 { 1.0 } else { -1.0 };
        sign * ratio(with, (square * falls).sqrt())
    };
    Heights {
        peaked: [0, 1, 2].map(|k| [0, 1].map(|s| correlation(k, s))),
        drawn: [0, 1, 2].map(|k| {
            let step = f64::from(STEPS[k]);
            let with = sum(&|h, falls| h * cut(h + step * (falls[k][1] - falls[k][0])));
            ratio(with, square)
        }),
    }
}

fn square(value: f32) -> f64 {
    f64::from(value) * f64::from(value)
}

/// Corners of triangles that are looked at.
const CORNERS: usize = 512;

fn corners_off(overlay: &Overlay) -> Both {
    [0, 1].map(|side| {
        let tree = &overlay.sides[side].body.tree;
        let count = tree.triangle_count();
        let step = (count / CORNERS).max(1);
        let squares = parallel::of(count.div_ceil(step), |at| {
            let triangle = at * step;
            let corner = overlay.global(side, tree.corners(triangle as u32)[triangle % 3]);
            let distance = overlay.distance(1 - side, corner, false, ALONE);
            distance.is_finite().then(|| square(distance))
        });
        let squares: Vec<f64> = squares.into_iter().flatten().collect();
        let near = overlay.points[side].iter().filter(|p| p.distance.is_finite());
        let (all, points) =
            near.fold((0.0, 0.0), |(all, count), p| (all + square(p.distance), count + 1.0));
        // Nearer than this is the same place.
        let none = square(SAME) * 0.1;
        let corners = squares.iter().fold(0.0, |sum, v| sum + v);
        0.5 * libm::log((ratio(corners, squares.len() as f64) + none) / (ratio(all, points) + none))
    })
}

fn corners_kept(overlay: &Overlay, side: usize) -> f64 {
    let tree = &overlay.sides[side].body.tree;
    let other = &overlay.sides[1 - side].body.tree;
    let stretch = if side == 1 { 1.0 } else { overlay.placement.stretch() };
    let count = tree.triangle_count();
    let step = (count / CORNERS).max(1);
    let are_kept = parallel::of(count.div_ceil(step), |at| {
        let triangle = at * step;
        let corner = overlay.global(side, tree.corners(triangle as u32)[triangle % 3]);
        let from = overlay.local(1 - side, corner);
        let hit = other.closest(from, ALONE * overlay.diagonal * stretch)?;
        let corners = other.corners(hit.triangle);
        let edges = [0, 1, 2].map(|k| corners[k].distance(corners[(k + 1) % 3]));
        let reach = 0.2 * edges.into_iter().fold(0.0, f32::max);
        Some(corners.iter().any(|corner| corner.distance(hit.point) < reach))
    });
    let are_kept: Vec<bool> = are_kept.into_iter().flatten().collect();
    ratio(are_kept.iter().filter(|kept| **kept).count() as f64, are_kept.len() as f64)
}

/// Fewer points of both say nothing about colours.
const POINTS_MIN: usize = 200;
