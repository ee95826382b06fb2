//! Lays one surface over another by positions alone: textures, triangles and names may differ.
//!
//! The frame of the file comes first. Where that does not fit, the 24 turns by right angles are
//! tried, each with the scale and the shift that bring the spread of both surfaces together, and
//! the best are refined by closest points. Surfaces with the same triangles are laid corner to
//! corner.

use super::body::Body;
use super::rotations::right_angles;
use glam::{Mat3, Vec3};

/// Points of each surface that are tried.
const TRIED: usize = 384;

/// A point is on the other surface if it is nearer than this share of the diagonal.
pub(super) const NEAR: f32 = 0.02;

/// As placed, the shares of both surfaces that are on the other one.
const SHARES: [f64; 2] = [0.7, 0.3];

/// The same where the placement was found: two boxes can be scaled onto each other.
const SHARES_FOUND: [f64; 2] = [0.85, 0.5];

/// For surfaces that were pressed flat: after all three axes were scaled.
const SHARES_SCALED: [f64; 2] = [0.97, 0.97];

/// Turns whose spread fits best are refined.
const REFINED: usize = 3;
const ROUNDS: usize = 10;

/// Takes points of the second surface to the first one's frame: `turn · point · scale + shift`, the
/// scale by axis of the first frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    pub turn: Mat3,
    pub scale: Vec3,
    pub shift: Vec3,
}

impl Placement {
    const AS_IT_IS: Self = Self { turn: Mat3::IDENTITY, scale: Vec3::ONE, shift: Vec3::ZERO };

    /// From the second surface to the first.
    pub fn apply(&self, point: Vec3) -> Vec3 {
        if *self == Self::AS_IT_IS {
            return point;
        }
        self.turn * point * self.scale + self.shift
    }

    /// From the first surface to the second.
    pub fn undo(&self, point: Vec3) -> Vec3 {
        if *self == Self::AS_IT_IS {
            return point;
        }
        self.turn.transpose() * ((point - self.shift) / self.scale)
    }

    /// A unit normal of the second surface in the first one's frame.
    pub fn apply_to_normal(&self, normal: Vec3) -> Vec3 {
        (self.turn * normal / self.scale).normalize_or_zero()
    }

    /// How much longer a length of the first frame is in the second.
    pub fn stretch(&self) -> f32 {
        1.0 / self.scale.min_element()
    }
}

/// The placement of the second of two surfaces on the first, if they are one shape.
pub fn place(first: &Body, second: &Body) -> Option<Placement> {
    if let Some(flat) = pressed(first, second)
        && fits(first, second, &flat, SHARES_SCALED)
    {
        return Some(flat);
    }
    let unit = Placement { shift: (second.origin - first.origin).as_vec3(), ..Placement::AS_IT_IS };
    if fits(first, second, &unit, SHARES) {
        return Some(unit);
    }
    if let Some(placement) = by_corners(first, second) {
        return Some(placement);
    }
    let (ours, theirs) = (Spread::of(first), Spread::of(second));
    let mut turns: Vec<(f32, Placement)> = right_angles()
        .filter_map(|turn| {
            let turn = turn.as_mat3();
            let placement = scaled(&ours, &theirs.turned(turn), turn)?;
            Some((ours.difference(&theirs.turned(turn), &placement), placement))
        })
        .collect();
    turns.sort_by(|a, b| a.0.total_cmp(&b.0));
    turns.truncate(REFINED);
    turns
        .into_iter()
        .map(|(_, placement)| refine(first, second, placement))
        .find(|placement| fits(first, second, placement, SHARES_FOUND))
}

/// Of a body's points: along each axis the quantiles.
struct Spread([[f32; 5]; 3]);

impl Spread {
    fn of(body: &Body) -> Self {
        Self([0, 1, 2].map(|axis| {
            let mut along: Vec<f32> = body.samples.iter().map(|s| s.point[axis]).collect();
            along.sort_by(f32::total_cmp);
            let at = |share: f32| along[((along.len() - 1) as f32 * share) as usize];
            [0.02, 0.25, 0.5, 0.75, 0.98].map(at)
        }))
    }

    fn turned(&self, turn: Mat3) -> Self {
        Self([0, 1, 2].map(|axis| {
            let row = turn.row(axis).to_array();
            let from = (0..3).find(|&i| row[i] != 0.0).unwrap_or(axis);
            let mut quantiles = self.0[from].map(|q| q * row[from]);
            quantiles.sort_by(f32::total_cmp);
            quantiles
        }))
    }

    /// Widths along the three axes.
    fn widths(&self) -> Vec3 {
        Vec3::from_array(self.0.map(|q| q[4] - q[0]))
    }

    fn difference(&self, other: &Self, placement: &Placement) -> f32 {
        let mut sum = 0.0;
        for axis in 0..3 {
            for (a, b) in self.0[axis].iter().zip(other.0[axis]) {
                sum += (a - b * placement.scale[axis] - placement.shift[axis]).abs();
            }
        }
        sum / self.widths().length().max(f32::MIN_POSITIVE)
    }
}

/// The scale and shift that bring the quantiles together.
fn scaled(ours: &Spread, theirs: &Spread, turn: Mat3) -> Option<Placement> {
    let (a, b) = (ours.widths().length(), theirs.widths().length());
    if a <= 0.0 || b <= 0.0 {
        return None;
    }
    let scale = Vec3::splat(a / b);
    let middle = |spread: &Spread| Vec3::from_array(spread.0.map(|q| (q[0] + q[4] + q[2]) / 3.0));
    Some(Placement { turn, scale, shift: middle(ours) - middle(theirs) * scale })
}

/// What brings the boxes together axis by axis, where that keeps two of the axes as they are.
fn pressed(first: &Body, second: &Body) -> Option<Placement> {
    let [low, high] = corners(&mut first.tree.positions().iter().copied());
    let [from, to] = corners(&mut second.tree.positions().iter().copied());
    let scale = (high - low) / (to - from);
    let is_kept = |axis: usize| (scale[axis] - 1.0).abs() < 0.005;
    if !scale.is_finite() || (0..3).filter(|&axis| is_kept(axis)).count() != 2 {
        return None;
    }
    let scale =
        Vec3::from_array([0, 1, 2].map(|axis| if is_kept(axis) { 1.0 } else { scale[axis] }));
    Some(Placement {
        turn: Mat3::IDENTITY,
        scale,
        shift: 0.5 * (low + high) - 0.5 * (from + to) * scale,
    })
}

/// Lowest and highest.
fn corners(points: &mut dyn Iterator<Item = Vec3>) -> [Vec3; 2] {
    points.fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
}

/// What brings the boxes together, for surfaces that are alike to their last vertex.
fn by_boxes(first: &Body, second: &Body, turn: Mat3) -> Placement {
    let [low, high] = corners(&mut first.tree.positions().iter().copied());
    let [from, to] = corners(&mut second.tree.positions().iter().map(|p| turn * *p));
    let scale = Vec3::splat((high - low).length() / (to - from).length().max(f32::MIN_POSITIVE));
    Placement { turn, scale, shift: 0.5 * (low + high) - 0.5 * (from + to) * scale }
}

/// How far corners may be from each other, root mean square, as a share of the size: what smoothing
/// shrinks by more is another shape.
const CORNERS_APART: f32 = 0.1;

/// What brings the corners together, for surfaces with the same triangles, however they are turned,
/// scaled and smoothed.
fn by_corners(first: &Body, second: &Body) -> Option<Placement> {
    /// More corners say nothing more.
    const LOOKED_AT: usize = 4096;
    if !first.tree.has_triangles_of(&second.tree) {
        return None;
    }
    let step = (first.tree.positions().len() / LOOKED_AT).max(1);
    let ours = first.tree.positions().iter().step_by(step);
    let pairs: Vec<(Vec3, Vec3)> =
        second.tree.positions().iter().step_by(step).copied().zip(ours.copied()).collect();
    let placement = aligned(&pairs, Mat3::IDENTITY)?;
    let square = pairs
        .iter()
        .fold(0.0, |sum, (theirs, ours)| sum + placement.apply(*theirs).distance_squared(*ours));
    let apart = (square / pairs.len() as f32).sqrt();
    (apart < CORNERS_APART * extent(first)).then_some(placement)
}

/// The turn, scale and shift that bring the first of each pair nearest to the second (Umeyama
/// 1991, with the turn as the polar factor of the covariance by Newton's iteration). None of points
/// on a line or of mirrored ones.
fn aligned(pairs: &[(Vec3, Vec3)], from: Mat3) -> Option<Placement> {
    let count = pairs.len().max(1) as f32;
    let mean = |of: &dyn Fn(&(Vec3, Vec3)) -> Vec3| {
        pairs.iter().map(of).fold(Vec3::ZERO, |sum, p| sum + p) / count
    };
    let (theirs, ours) = (mean(&|p| from * p.0), mean(&|p| p.1));
    let mut covariance = Mat3::ZERO;
    for (p, q) in pairs {
        let (p, q) = (from * *p - theirs, *q - ours);
        covariance += Mat3::from_cols(q * p.x, q * p.y, q * p.z);
    }
    let size = covariance.to_cols_array().iter().fold(0.0, |most: f32, c| most.max(c.abs()));
    let mut turn = covariance * (1.0 / size);
    // A flat object has no covariance along its normal, and its turn is then not known.
    if turn.determinant().is_nan() || turn.determinant() < 1e-9 {
        turn = Mat3::IDENTITY;
    }
    for _ in 0..24 {
        turn = (turn + turn.inverse().transpose()) * 0.5;
    }
    let (mut up, mut down) = (0.0, 0.0);
    for (p, q) in pairs {
        let p = from * *p - theirs;
        up += (turn * p).dot(*q - ours);
        down += p.length_squared();
    }
    if down <= 0.0 || up <= 0.0 {
        return None;
    }
    let scale = Vec3::splat(up / down);
    let shift = ours - turn * theirs * scale;
    Some(Placement { turn: turn * from, scale, shift })
}

/// Mean distance of the second surface's points from the first, the farthest fifth left out.
fn misfit(first: &Body, second: &Body, placement: &Placement) -> f32 {
    let mut distances: Vec<f32> = tried(second)
        .filter_map(|point| first.tree.closest(placement.apply(point), f32::INFINITY))
        .map(|hit| hit.distance)
        .collect();
    distances.sort_by(f32::total_cmp);
    distances.truncate(distances.len() * 4 / 5);
    distances.iter().fold(0.0, |sum, d| sum + d) / distances.len().max(1) as f32
}

fn extent(body: &Body) -> f32 {
    let (low, high) =
        body.samples.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), s| {
            (low.min(s.point), high.max(s.point))
        });
    (high - low).length()
}

fn tried(body: &Body) -> impl Iterator<Item = Vec3> + '_ {
    let step = (body.samples.len() / TRIED).max(1);
    body.samples.iter().step_by(step).map(|s| s.point)
}

/// Whether so much of each is on the other, the larger share first.
fn fits(first: &Body, second: &Body, placement: &Placement, [most, least]: [f64; 2]) -> bool {
    let reach = NEAR * extent(first).min(extent(second) / placement.stretch());
    let share = |of: &Body, on: &Body, map: &dyn Fn(Vec3) -> Vec3, reach: f32| {
        let (mut near, mut all) = (0.0_f64, 0.0_f64);
        for point in tried(of) {
            all += 1.0;
            near += if on.tree.closest(map(point), reach).is_some() { 1.0 } else { 0.0 };
        }
        near / all.max(1.0)
    };
    let a = share(first, second, &|p| placement.undo(p), reach * placement.stretch());
    let b = share(second, first, &|p| placement.apply(p), reach);
    a.max(b) >= most && a.min(b) >= least
}

/// Turns, moves and scales towards closest points; the farthest fifth is left out (trimmed ICP,
/// Chetverikov 2002).
fn refine(first: &Body, second: &Body, from: Placement) -> Placement {
    let boxes = by_boxes(first, second, from.turn);
    let mut placement = from;
    for _ in 0..ROUNDS {
        let mut pairs: Vec<(f32, (Vec3, Vec3))> = tried(second)
            .filter_map(|point| {
                let hit = first.tree.closest(placement.apply(point), f32::INFINITY)?;
                Some((hit.distance, (point, hit.point)))
            })
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        pairs.truncate(pairs.len() * 4 / 5);
        let pairs: Vec<(Vec3, Vec3)> = pairs.into_iter().map(|(_, pair)| pair).collect();
        let Some(next) = aligned(&pairs, placement.turn) else { return from };
        placement = next;
    }
    if misfit(first, second, &boxes) <= misfit(first, second, &placement) {
        boxes
    } else {
        placement
    }
}
