//! Two versions of an asset, point by point: the same places on both, and what each shows there.
//!
//! Lengths are shares of one diagonal, that of the surface which both have, so that a slab or a
//! floating lump changes no measure.

use super::paint::Paint;
use crate::measure::{Body, Hit, Placement, place};
use crate::scene::Scene;
use glam::Vec3;

/// Points of each surface that are looked at.
const POINTS: usize = 1365;

/// Steps along the surface from each point, shares of the diagonal: a pixel of a large picture, a
/// pixel of a small one, and a bump.
pub(super) const STEPS: [f32; 3] = [0.002, 0.006, 0.02];

/// What has nothing of the other surface within this share of the diagonal is there alone.
pub(super) const ALONE: f32 = 0.02;

/// Nearer than this share of the diagonal, a place is the same place: rounding of coordinates.
pub(super) const SAME: f32 = 1e-4;

/// An object as it is laid over another.
pub(super) struct Side<'a> {
    pub body: &'a Body,
    pub scene: &'a Scene,
}

/// What one surface shows at a place, and around it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    /// Unit, of the triangle, in the frame of the first object.
    pub normal: Vec3,
    /// Whether the file's normal points to the other side of the triangle.
    pub is_turned: bool,
    /// Mean of 1 − cosine between the normals here and a step away, by step.
    pub bend: [f32; 3],
    /// Mean height a step away over the plane here, in steps, by step; negative where convex.
    pub rise: [f32; 3],
    /// The file's normal where it has one, else the triangle's; in the frame of the first object.
    pub shading: Vec3,
    /// Base colour, encoded as sRGB; none where the other surface is not near.
    pub color: Option<Vec3>,
}

/// A point of one surface and the closest one of the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// To the other surface, share of the diagonal; infinite where nothing is near.
    pub distance: f32,
    /// From the other surface to here, in the frame of the first object; share of the diagonal.
    pub offset: Vec3,
    /// On the first object and on the second.
    pub at: [Place; 2],
    /// The two points, each in its own body.
    pub hits: [Option<Hit>; 2],
}

/// The second object laid over the first one.
pub(super) struct Overlay<'a> {
    pub sides: [Side<'a>; 2],
    pub placement: Placement,
    /// Of the surface that both have, in the first object's units.
    pub diagonal: f32,
    /// Points that were taken from each.
    pub points: [Vec<Point>; 2],
    pub paints: [Paint<'a>; 2],
}

impl<'a> Overlay<'a> {
    /// None if the two are no versions of one asset.
    pub(super) fn of(first: Side<'a>, second: Side<'a>) -> Option<Self> {
        let placement = place(first.body, second.body)?;
        let diagonal = common_diagonal(first.body, second.body, &placement);
        let paints = [Paint::of(first.scene), Paint::of(second.scene)];
        let sides = [first, second];
        let mut overlay = Self { sides, placement, diagonal, points: Default::default(), paints };
        overlay.points = [0, 1].map(|side| overlay.points_of(side));
        Some(overlay)
    }

    /// A point of the first object's frame in the frame of a side.
    pub(super) fn local(&self, side: usize, point: Vec3) -> Vec3 {
        if side == 0 { point } else { self.placement.undo(point) }
    }

    /// A point of a side in the frame of the first object.
    pub(super) fn global(&self, side: usize, point: Vec3) -> Vec3 {
        if side == 0 { point } else { self.placement.apply(point) }
    }

    /// Distance from a point of the first object's frame to a side's surface, or to its open edges;
    /// share of the diagonal. Infinite beyond `reach`.
    pub(super) fn distance(&self, side: usize, point: Vec3, to_rim: bool, reach: f32) -> f32 {
        let body = self.sides[side].body;
        let tree = if to_rim { &body.rim } else { &body.tree };
        let stretch = if side == 0 { 1.0 } else { self.placement.stretch() };
        let hit = tree.closest(self.local(side, point), reach * self.diagonal * stretch);
        hit.map_or(f32::INFINITY, |hit| {
            (self.global(side, hit.point) - point).length() / self.diagonal
        })
    }

    fn points_of(&self, side: usize) -> Vec<Point> {
        let samples = &self.sides[side].body.samples;
        let step = (samples.len() / POINTS).max(1);
        let chosen: Vec<(usize, Hit)> = samples.iter().copied().step_by(step).enumerate().collect();
        parallel::map(&chosen, |&(index, own)| self.point(side, index, own))
    }

    fn point(&self, side: usize, index: usize, own: Hit) -> Point {
        let other = 1 - side;
        let here = self.global(side, own.point);
        let stretch = if other == 0 { 1.0 } else { self.placement.stretch() };
        let hit = self.sides[other]
            .body
            .tree
            .closest(self.local(other, here), 2.0 * ALONE * self.diagonal * stretch);
        let normal = self.normal(side, own.triangle);
        // Directions by the golden angle, so that neighbours look different ways.
        let turn = index as f32 * 2.399_963_2;
        let (across, along) = normal.any_orthonormal_pair();
        let way = across * libm::cosf(turn) + along * libm::sinf(turn);
        let mut at = [Place::default(); 2];
        at[side] = self.place(side, &own, way);
        let mut offset = Vec3::ZERO;
        let mut hits = [Some(own); 2];
        hits[other] = hit;
        let distance = hit.map_or(f32::INFINITY, |hit| {
            at[other] = self.place(other, &hit, way);
            offset = (here - self.global(other, hit.point)) / self.diagonal;
            offset.length()
        });
        Point {
            distance: if distance < ALONE { distance } else { f32::INFINITY },
            offset,
            at,
            hits,
        }
    }

    fn place(&self, side: usize, hit: &Hit, way: Vec3) -> Place {
        let here = self.global(side, hit.point);
        let normal = self.normal(side, hit.triangle);
        let flat = self.sides[side].body.tree.normal(hit.triangle);
        let from_file = self.paints[side].normal(hit);
        let color = self.paints[side].color(hit);
        let mut place = Place {
            normal,
            shading: from_file.map_or(normal, |n| self.turned(side, n)),
            is_turned: from_file.is_some_and(|n| n.dot(flat) < -0.2),
            color,
            ..Place::default()
        };
        let stretch = if side == 0 { 1.0 } else { self.placement.stretch() };
        for (step, share) in STEPS.into_iter().enumerate() {
            let length = share * self.diagonal;
            for sign in [1.0, -1.0] {
                let from = self.local(side, here + way * (sign * length));
                let Some(next) = self.sides[side].body.tree.closest(from, 1.5 * length * stretch)
                else {
                    continue;
                };
                let cosine = normal.dot(self.normal(side, next.triangle)).abs();
                place.bend[step] += 0.5 * (1.0 - cosine).max(0.0);
                let up = (self.global(side, next.point) - here).dot(normal);
                place.rise[step] += 0.5 * up / length;
            }
        }
        place
    }

    fn normal(&self, side: usize, triangle: u32) -> Vec3 {
        self.turned(side, self.sides[side].body.tree.normal(triangle))
    }

    /// A direction of a side in the frame of the first object.
    fn turned(&self, side: usize, normal: Vec3) -> Vec3 {
        if side == 0 { normal } else { self.placement.apply_to_normal(normal) }
    }
}

/// Points of the second surface that are on the first one.
fn common_diagonal(first: &Body, second: &Body, placement: &Placement) -> f32 {
    let bounds = |points: &mut dyn Iterator<Item = Vec3>| {
        let (low, high) = points
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        (high - low).length()
    };
    let all = bounds(&mut first.samples.iter().map(|s| s.point));
    let moved = second.samples.iter().step_by(4);
    let mut near = moved
        .map(|s| placement.apply(s.point))
        .filter(|&p| first.tree.closest(p, ALONE * all).is_some());
    bounds(&mut near).min(all)
}
