//! Which of two versions has stairs: places that face along the axes and turn at every step, where
//! the other is one slope.
//!
//! Voxels without interpolation leave them. A box faces along the axes as well, but its surface
//! turns only at its edges.

use super::overlay::{Overlay, Place, Point, SAME};
use super::percent::percent;

/// Fewer places than this share of all, or than this number, say nothing.
const SHARE_MIN: f64 = 0.05;
const POINTS_MIN: usize = 100;

/// Cosine of 3°.
const ALONG_AN_AXIS: f32 = 0.9986;

/// Share of the changed places along an axis: of stairs at least, of the slope at most.
const STAIRS: f64 = 0.75;
const SLOPE: f64 = 0.35;

/// Mean of 1 − cosine between the normals there and 2 % of the size away: of stairs at least, and
/// how many times that of the slope.
const TURNS: f64 = 0.15;
const TIMES: f64 = 1.5;

/// The side with stairs, in words.
pub(super) fn has_stairs(overlay: &Overlay) -> Option<(usize, String)> {
    let all: usize = overlay.points.iter().map(Vec::len).sum();
    let is_changed = |p: &&Point| p.distance.is_finite() && p.distance >= SAME;
    let changed: Vec<&Point> = overlay.points.iter().flatten().filter(is_changed).collect();
    let count = changed.len() as f64;
    if changed.len() < POINTS_MIN || count < SHARE_MIN * all as f64 {
        return None;
    }
    let mean = |side: usize, of: &dyn Fn(&Place) -> f64| {
        changed.iter().map(|p| of(&p.at[side])).fold(0.0, |sum, v| sum + v) / count
    };
    let along = [0, 1].map(|side| {
        mean(side, &|place| {
            let is_along = place.normal.abs().max_element() > ALONG_AN_AXIS;
            if is_along { 1.0 } else { 0.0 }
        })
    });
    let turns = [0, 1].map(|side| mean(side, &|place| f64::from(place.bend[2])));
    let has_stairs = |side: &usize| {
        let (own, than) = (*side, 1 - side);
        along[own] > STAIRS
            && along[than] < SLOPE
            && turns[own] > TURNS
            && turns[own] > TIMES * turns[than]
    };
    let side = [0, 1].into_iter().find(has_stairs)?;
    let [own, than] = [along[side], along[1 - side]].map(percent);
    Some((
        side,
        format!(
            "has stairs: where the two differ, {own} of its surface faces along an axis, {than} of the other's"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::look::observe;
    use super::super::overlay::Side;
    use super::*;
    use crate::scene::{Material, Mesh, MeshParts, Scene};
    use glam::Vec3;

    /// A roof of two slopes, the right one stepped if `tilt` is given, in shares of a step.
    fn roof(tilt: Option<f32>) -> Scene {
        const STEPS: u8 = 16;
        let height = |i: u8| f32::from(i) / f32::from(STEPS);
        let mut line: Vec<(f32, f32)> = (0..=STEPS).map(|i| (height(i) - 1.0, height(i))).collect();
        for i in (0..STEPS).rev() {
            let x = 1.0 - height(i);
            let shift = |tilt: f32| tilt / f32::from(STEPS);
            line.extend(tilt.map(shift).map(|shift| (x + shift, height(i + 1) + shift)));
            line.push((x, height(i)));
        }
        let rows = [-1.0, 1.0];
        let positions = line.iter().flat_map(|&(x, y)| rows.map(|z| Vec3::new(x, y, z))).collect();
        let quads = (0..line.len() as u32 - 1).map(|i| 2 * i);
        let triangles = quads.flat_map(|i| [[i, i + 1, i + 2], [i + 1, i + 3, i + 2]]).collect();
        let parts = MeshParts { positions, triangles, ..MeshParts::default() };
        Scene::new(vec![Mesh::new(parts).unwrap()], vec![Material::default()], vec![]).unwrap()
    }

    #[test]
    fn stairs_are_where_the_other_is_one_slope() {
        let roofs = [None, Some(0.0), Some(0.2)].map(roof);
        let seen = roofs.each_ref().map(observe);
        let found = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|i| Side { body: &seen[i].body, scene: &roofs[i] });
            has_stairs(&Overlay::of(a, b).unwrap()).map(|(side, _)| side)
        };
        assert_eq!((found(0, 1), found(1, 0), found(0, 0)), (Some(1), Some(0), None));
        // Stairs against stairs that were bent: the steps are of the object.
        assert_eq!(found(1, 2), None);
    }
}
