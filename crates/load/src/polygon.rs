//! Cuts polygons into triangles in their own plane: fans if convex, else by the crate `earcut`.
//!
//! The plane is Newell's (the sum of the cross products of the edges), so a bent polygon is cut as
//! seen from its mean normal. `earcut` drops corners on a straight edge where it gets stuck; they
//! are put back, because the polygon next door has them too.

use super::limits::CROSSING_CORNERS_MAX;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// Largest area, in squares of the polygon's size, that triangles may cover twice or not at all.
const AREA_ERROR_MAX: f64 = 1e-6;

/// Pushes triangles, wound as the polygon. False if they do not cover it once, because it crosses
/// itself, or is concave with too many corners, or comes too late, and is cut as a fan.
/// `steps_left` goes down with the work, see [`super::limits::EAR_STEPS_MAX`].
pub(super) fn triangulate(
    points: &[DVec3],
    steps_left: &mut u64,
    out: &mut Vec<[usize; 3]>,
) -> bool {
    let count = points.len();
    let fan = |out: &mut Vec<[usize; 3]>| out.extend((2..count).map(|i| [0, i - 1, i]));
    if count <= 3 || !points.iter().all(|point| point.is_finite()) {
        fan(out);
        return true;
    }
    let outline = Outline::new(points);
    let Outline { flat, ring, .. } = &outline;
    let (is_convex, may_be_simple) = outline.shape();
    let steps = (ring.len() as u64).pow(2);
    let is_large = ring.len() > CROSSING_CORNERS_MAX && !may_be_simple || steps > *steps_left;
    if is_convex || is_large {
        fan(out);
        return is_convex;
    }
    *steps_left -= steps;
    let mut places: Vec<usize> = Vec::new();
    earcut::Earcut::new().earcut(ring.iter().map(|&i| flat[i].to_array()), &[], &mut places);
    let mut cut = places.as_chunks::<3>().0.to_vec();
    outline.put_back(&mut cut);
    let area = |[a, b, c]: [usize; 3]| turn(flat[ring[a]], flat[ring[b]], flat[ring[c]]);
    let covered: f64 = cut.iter().map(|&t| area(t).abs()).sum();
    let wanted: f64 = (2..ring.len()).map(|i| area([0, i - 1, i])).sum();
    let size = flat.iter().map(|point| point.abs().max_element()).fold(0.0, f64::max);
    if cut.is_empty() {
        fan(out); // no area: the caller counts what it drops
        return true;
    }
    let wound = |[a, b, c]: [usize; 3]| if outline.is_turned { [a, c, b] } else { [a, b, c] };
    out.extend(cut.iter().map(|&t| wound(t).map(|i| ring[i])));
    (covered - wanted).abs() <= AREA_ERROR_MAX * size * size
}

/// A polygon in the plane.
struct Outline {
    /// Of every corner.
    flat: Vec<DVec2>,
    /// Corners counter-clockwise, those at the place of the one before left out: a polygon and its
    /// other side are cut alike.
    ring: Vec<usize>,
    /// The ring runs against the polygon.
    is_turned: bool,
}

impl Outline {
    /// Drops the axis along which the normal is largest.
    fn new(points: &[DVec3]) -> Self {
        let origin = points[0]; // nearer to the polygon than the world's: keeps digits
        let count = points.len();
        let normal: DVec3 =
            (0..count).map(|i| (points[i] - origin).cross(points[(i + 1) % count] - origin)).sum();
        let size = normal.abs();
        let (axis, height) = if size.z >= size.x && size.z >= size.y {
            (2, normal.z)
        } else if size.x >= size.y {
            (0, normal.x)
        } else {
            (1, normal.y)
        };
        let flatten = |&point: &DVec3| {
            let p = (point - origin).to_array();
            DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3])
        };
        let flat: Vec<DVec2> = points.iter().map(flatten).collect();
        let is_turned = height < 0.0;
        let at = |i: usize| if is_turned { (count - i) % count } else { i };
        let mut ring: Vec<usize> = (0..count).map(at).collect();
        ring.dedup_by_key(|corner| flat[*corner].to_array());
        while ring.len() > 1 && flat[ring[0]] == flat[ring[ring.len() - 1]] {
            ring.pop();
        }
        Self { flat, ring, is_turned }
    }

    /// Whether the outline is convex, and whether it turns once in all, as those do that do not
    /// cross themselves.
    fn shape(&self) -> (bool, bool) {
        let count = self.ring.len();
        let edge =
            |i: usize| self.flat[self.ring[(i + 1) % count]] - self.flat[self.ring[i % count]];
        // How often the direction passes that of the first axis, left turns less right ones.
        let (mut turns, mut spikes, mut is_left) = (0_i64, 0, true);
        for i in 0..count {
            let (from, to) = (edge(i), edge(i + 1));
            let side = from.perp_dot(to);
            is_left &= side >= 0.0;
            spikes += i64::from(side == 0.0 && from.dot(to) < 0.0);
            turns += i64::from(side > 0.0 && from.y < 0.0 && to.y >= 0.0);
            turns -= i64::from(side < 0.0 && from.y >= 0.0 && to.y < 0.0);
        }
        (is_left && spikes == 0 && turns == 1, (turns - 1).abs() <= spikes)
    }

    /// Splits triangles of `ring` places at corners on their edges that none of them has.
    fn put_back(&self, cut: &mut Vec<[usize; 3]>) {
        let count = self.ring.len();
        let mut is_used = vec![false; count];
        cut.iter().flatten().for_each(|&place| is_used[place] = true);
        let Some(first) = is_used.iter().position(|&is_used| is_used) else { return };
        if is_used.iter().all(|&is_used| is_used) {
            return;
        }
        let mut triangle_of: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        for (triangle, &[a, b, c]) in cut.iter().enumerate() {
            triangle_of.extend([([a, b], triangle), ([b, c], triangle), ([c, a], triangle)]);
        }
        let place = |i: usize| self.flat[self.ring[i % count]];
        let mut from = first;
        while from < first + count {
            let next = (from + 1..).find(|&i| is_used[i % count]).unwrap_or(from + count);
            let (mut a, b) = (from % count, next % count);
            for between in from + 1..next {
                let p = place(between);
                let is_on_edge =
                    turn(place(a), p, place(b)) == 0.0 && (p - place(a)).dot(place(b) - p) > 0.0;
                let Some(&triangle) = triangle_of.get(&[a, b]).filter(|_| is_on_edge) else {
                    continue;
                };
                let corners = cut[triangle];
                let Some(c) = corners.into_iter().find(|&corner| corner != a && corner != b) else {
                    continue;
                };
                let middle = between % count;
                cut[triangle] = [a, middle, c];
                triangle_of.extend([([a, middle], triangle), ([middle, c], triangle)]);
                for edge in [[middle, b], [b, c], [c, middle]] {
                    triangle_of.insert(edge, cut.len());
                }
                cut.push([middle, b, c]);
                a = middle;
            }
            from = next;
        }
    }
}

/// Twice the area of the triangle; positive for a left turn at `b`.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of triangles, twice; and whether all are good.
    fn areas(points: &[DVec2]) -> (Vec<[usize; 3]>, Vec<f64>) {
        // On the ground, so that the plane is not the paper's.
        let points: Vec<DVec3> = points.iter().map(|p| DVec3::new(p.x, 0.0, -p.y)).collect();
        let mut out = Vec::new();
        assert!(triangulate(&points, &mut u64::MAX.clone(), &mut out));
        let signed =
            |t: &[usize; 3]| (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).y;
        let each = out.iter().map(signed).collect();
        (out, each)
    }

    fn assert_covered_once(outline: &[DVec2], area: f64) {
        let (triangles, each) = areas(outline);
        let (sum, all) = each.iter().fold((0.0, 0.0), |(s, a), area| (s + area, a + area.abs()));
        let error = 1e-12 * area.max(1.0);
        assert!((sum / 2.0 - area).abs() < error, "{sum} of {area}: {outline:?}");
        assert!(all - sum < error, "{each:?}: {outline:?}");
        assert!(triangles.len() <= outline.len() - 2);
    }

    fn polygon(corners: &[[i32; 2]]) -> Vec<DVec2> {
        corners.iter().map(|&[x, y]| DVec2::new(f64::from(x), f64::from(y))).collect()
    }

    #[test]
    fn concave_polygons_are_covered_once() {
        // An arrow head, a comb and a star: areas by hand.
        let arrow = [[0, 0], [4, 4], [0, 1], [-4, 4]];
        let comb = [
            [0, 0],
            [5, 0],
            [5, 3],
            [4, 3],
            [4, 1],
            [3, 1],
            [3, 3],
            [2, 3],
            [2, 1],
            [1, 1],
            [1, 3],
            [0, 3],
        ];
        for (outline, area) in [(&arrow[..], 4.0), (&comb[..], 11.0)] {
            for shift in 0..outline.len() {
                let mut turned = polygon(outline);
                turned.rotate_left(shift);
                assert_covered_once(&turned, area);
            }
        }
    }

    /// Such outlines come from pixels, letters and cuts of solids.
    #[test]
    fn parts_that_touch_at_a_corner_are_covered_once() {
        let two = [[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [1, 2], [1, 1], [0, 1]];
        let three = [
            [0, 0],
            [1, 0],
            [1, 1],
            [2, 1],
            [2, 2],
            [3, 2],
            [3, 3],
            [2, 3],
            [2, 2],
            [1, 2],
            [1, 1],
            [0, 1],
        ];
        let petals = [
            [0, 0],
            [2, -1],
            [3, 0],
            [2, 1],
            [0, 0],
            [1, 2],
            [0, 3],
            [-1, 2],
            [0, 0],
            [-2, 1],
            [-3, 0],
            [-2, -1],
            [0, 0],
            [-1, -2],
            [0, -3],
            [1, -2],
        ];
        let notches =
            [[0, 0], [4, 0], [4, 1], [2, 2], [4, 3], [4, 4], [0, 4], [0, 3], [2, 2], [0, 1]];
        let antenna = [[0, 0], [4, 0], [4, 4], [3, 4], [3, 6], [3, 4], [0, 4]];
        // Two holes, each joined to the rim or to the other hole by a slit.
        let keyholes = [
            [0, 0],
            [9, 0],
            [9, 5],
            [0, 5],
            [0, 0],
            [1, 1],
            [1, 3],
            [3, 3],
            [5, 2],
            [5, 4],
            [7, 4],
            [7, 2],
            [5, 2],
            [3, 3],
            [3, 1],
            [1, 1],
        ];
        let all = [
            (&two[..], 2.0),
            (&three, 3.0),
            (&petals, 12.0),
            (&notches, 12.0),
            (&antenna, 16.0),
            (&keyholes, 37.0),
        ];
        for (outline, area) in all {
            let corners = polygon(outline);
            let count = corners.len();
            for shift in 0..count {
                for angle in [0.0_f64, 0.3, 2.0] {
                    let turn = DVec2::from_angle(angle);
                    let mut turned: Vec<_> = corners.iter().map(|&p| turn.rotate(p)).collect();
                    turned.rotate_left(shift);
                    assert_covered_once(&turned, area);
                    // Each corner doubled, or tripled, in between.
                    let often: Vec<_> =
                        (0..count).flat_map(|i| vec![turned[i]; 1 + (i + shift) % 3]).collect();
                    assert_covered_once(&often, area);
                }
            }
        }
    }

    /// Else there would be a gap to the polygon next door, which has the corner.
    #[test]
    fn corners_on_straight_edges_stay_corners_of_triangles() {
        let steps = [[0, 0], [8, 0], [8, 4], [4, 4], [4, 8], [0, 8]];
        let corners = polygon(&steps);
        let between = |i: usize, k: u32| {
            let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
            from + (to - from) * (f64::from(k) / 4.0)
        };
        let all: Vec<DVec2> =
            (0..corners.len()).flat_map(|i| [0, 1, 1, 2, 3].map(|k| between(i, k))).collect();
        for shift in 0..all.len() {
            let mut turned = all.clone();
            turned.rotate_left(shift);
            assert_covered_once(&turned, 48.0);
            let (triangles, _) = areas(&turned);
            for corner in &turned {
                let is_it = |&i: &usize| turned[i] == *corner;
                assert!(triangles.iter().flatten().any(is_it), "{corner} from {shift}");
            }
        }
    }

    #[test]
    fn the_other_side_of_a_polygon_is_cut_alike() {
        let corners = [[0, 0], [4, 0], [4, 1], [2, 2], [4, 3], [4, 4], [0, 4], [1, 2]];
        let front: Vec<DVec3> =
            corners.iter().map(|&[x, y]| DVec3::new(f64::from(x), f64::from(y), 0.0)).collect();
        let mut back = front.clone();
        back[1..].reverse();
        let cut = |points: &[DVec3]| {
            let mut out = Vec::new();
            assert!(triangulate(points, &mut u64::MAX.clone(), &mut out));
            let mut places: Vec<_> = out
                .iter()
                .map(|t| {
                    let mut corners = t.map(|i| points[i].to_array().map(|c| c as i32));
                    corners.sort_unstable();
                    corners
                })
                .collect();
            places.sort_unstable();
            places
        };
        assert_eq!(cut(&front), cut(&back));
    }

    #[test]
    fn gears_of_many_teeth_are_covered_once() {
        for count in [1_100_u32, 20_000] {
            let radius = |i: u32| if (i / 5).is_multiple_of(2) { 0.55 } else { 1.0 };
            let at = |i: u32| f64::from(i) / f64::from(count) * std::f64::consts::TAU;
            let gear: Vec<DVec2> =
                (0..count).map(|i| DVec2::from_angle(at(i)) * radius(i)).collect();
            let area: f64 = gear.windows(2).map(|p| p[0].perp_dot(p[1])).sum::<f64>() / 2.0
                + gear[count as usize - 1].perp_dot(gear[0]) / 2.0;
            assert_covered_once(&gear, area);
        }
    }

    #[test]
    fn a_polygon_that_crosses_itself_ends_and_is_reported() {
        // The largest is a star that turns ten thousand times.
        for (count, step) in [(5, 2), (7, 3), (30_001, 10_000)] {
            let at =
                |i: u32| f64::from(i * step % count) / f64::from(count) * std::f64::consts::TAU;
            let points: Vec<DVec3> =
                (0..count).map(|i| DVec2::from_angle(at(i)).extend(0.0)).collect();
            let mut out = Vec::new();
            assert!(!triangulate(&points, &mut u64::MAX.clone(), &mut out), "{count}");
            assert!(!out.is_empty(), "{count}");
        }
    }

    #[test]
    fn a_polygon_without_area_or_number_is_a_fan_to_be_dropped() {
        let flat = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0, DVec3::X, DVec3::ZERO];
        let broken = [DVec3::ZERO, DVec3::X, DVec3::NAN, DVec3::Y];
        for points in [&flat[..], &broken, &[DVec3::ONE; 4]] {
            let mut out = Vec::new();
            assert!(triangulate(points, &mut u64::MAX.clone(), &mut out));
            assert_eq!(out.len(), points.len() - 2);
        }
    }
}
