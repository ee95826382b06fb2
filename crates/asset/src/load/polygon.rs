//! Cuts polygons into triangles in their own plane: fans if convex, else ear clipping.
//!
//! Meisters 1975, "Polygons have ears". The plane is Newell's (the sum of the cross products of the
//! edges), so a bent polygon is cut as seen from its mean normal.

use super::limits::CONCAVE_CORNERS_MAX;
use glam::{DVec2, DVec3};

/// Pushes `points.len() - 2` triangles, wound as the polygon. False if it was concave with too many
/// corners, or too late, and cut as a fan. `steps_left` goes down with the work, see
/// [`super::limits::EAR_STEPS_MAX`].
pub(super) fn triangulate(
    points: &[DVec3],
    steps_left: &mut u64,
    out: &mut Vec<[usize; 3]>,
) -> bool {
    let count = points.len();
    let fan = |out: &mut Vec<[usize; 3]>| out.extend((2..count).map(|i| [0, i - 1, i]));
    if count <= 3 {
        fan(out);
        return true;
    }
    let flat = project(points);
    let is_convex =
        (0..count).all(|i| turn(flat[i], flat[(i + 1) % count], flat[(i + 2) % count]) >= 0.0);
    if is_convex || count > CONCAVE_CORNERS_MAX || *steps_left == 0 {
        fan(out);
        return is_convex;
    }
    clip_ears(&flat, steps_left, out);
    true
}

/// Drops the axis along which the normal is largest; the polygon comes out counter-clockwise.
fn project(points: &[DVec3]) -> Vec<DVec2> {
    let origin = points[0]; // nearer to the polygon than the world's: keeps digits
    let normal: DVec3 = (0..points.len())
        .map(|i| (points[i] - origin).cross(points[(i + 1) % points.len()] - origin))
        .sum();
    let size = normal.abs();
    points
        .iter()
        .map(|&point| {
            let p = point - origin;
            if size.z >= size.x && size.z >= size.y {
                DVec2::new(p.x, p.y * normal.z.signum())
            } else if size.x >= size.y {
                DVec2::new(p.y, p.z * normal.x.signum())
            } else {
                DVec2::new(p.z, p.x * normal.y.signum())
            }
        })
        .collect()
}

/// Twice the area of the triangle; positive for a left turn at `b`.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - b)
}

fn clip_ears(flat: &[DVec2], steps_left: &mut u64, out: &mut Vec<[usize; 3]>) {
    let mut ring: Vec<usize> = (0..flat.len()).collect();
    let mut at = 0;
    let mut tried = 0;
    let mut has_spikes = true;
    while ring.len() > 3 {
        let length = ring.len();
        let corners = |at: usize| [at + length - 1, at, at + 1].map(|i| ring[i % length]);
        at %= length;
        // Spikes first: they hide ears where they join the rest. New ones are next to the cut.
        let is_spike = |at: &usize| is_spike(flat, corners(*at));
        let spike = if has_spikes {
            (0..length).find(is_spike)
        } else {
            [at, (at + 1) % length, (at + length - 1) % length].into_iter().find(is_spike)
        };
        has_spikes &= spike.is_some();
        at = spike.unwrap_or(at);
        *steps_left = steps_left.saturating_sub(length as u64);
        let is_clipped = spike.is_some()
            || match tried / length {
                0 => is_ear(flat, &ring, corners(at), Touch::Corners),
                1 => is_ear(flat, &ring, corners(at), Touch::Sides),
                // Without ears, as in self-crossing polygons, any corner goes: the loop must end.
                _ => true,
            };
        if is_clipped {
            out.push(corners(at));
            ring.remove(at);
            at = at.saturating_sub(1);
            tried = 0;
        } else {
            at = (at + 1) % length;
            tried += 1;
        }
    }
    out.push([ring[0], ring[1], ring[2]]);
}

/// Where the rest of the polygon may touch an ear without being in it.
#[derive(Clone, Copy, PartialEq)]
enum Touch {
    /// A slit that joins a hole to the rim, and parts that share a corner.
    Corners,
    Sides,
}

fn is_ear(flat: &[DVec2], ring: &[usize], corners: [usize; 3], touch: Touch) -> bool {
    let [a, b, c] = corners.map(|i| flat[i]);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    let sides = [(a, b), (b, c), (c, a)];
    let place = |i: usize| flat[ring[i % ring.len()]];
    !ring.iter().enumerate().any(|(i, &other)| {
        let p = flat[other];
        let is_at_corner = p == a || p == b || p == c;
        if !is_at_corner && sides.iter().any(|&(from, to)| turn(from, to, p) < 0.0) {
            return false;
        }
        if corners.contains(&other) {
            return false;
        }
        let enters = |next: DVec2| {
            sides.iter().all(|&(from, to)| {
                // At a corner, rounding could say otherwise.
                let is_inside =
                    if is_at_corner { p != from && p != to } else { turn(from, to, p) > 0.0 };
                is_inside || (to - from).perp_dot(next - p) > 0.0
            })
        };
        (touch == Touch::Corners && !is_at_corner)
            || enters(place(i + 1))
            || enters(place(i + ring.len() - 1))
    })
}

/// Whether the outline goes back the way that it came.
fn is_spike(flat: &[DVec2], corners: [usize; 3]) -> bool {
    let [a, b, c] = corners.map(|i| flat[i]);
    turn(a, b, c) == 0.0 && (a - b).dot(c - b) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn areas(points: &[[f64; 2]]) -> (f64, Vec<f64>) {
        let points: Vec<DVec3> = points.iter().map(|p| DVec3::new(p[0], 0.0, -p[1])).collect();
        let mut out = Vec::new();
        assert!(triangulate(&points, &mut u64::MAX.clone(), &mut out));
        assert_eq!(out.len(), points.len() - 2);
        let signed = |t: &[usize; 3]| {
            (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).y * 0.5
        };
        let each: Vec<f64> = out.iter().map(signed).collect();
        (each.iter().sum(), each)
    }

    #[test]
    fn concave_polygons_are_covered_once() {
        // An arrow head, a comb and a star: areas by hand.
        let arrow = [[0.0, 0.0], [4.0, 4.0], [0.0, 1.0], [-4.0, 4.0]];
        let comb = [
            [0.0, 0.0],
            [5.0, 0.0],
            [5.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [3.0, 1.0],
            [3.0, 3.0],
            [2.0, 3.0],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        for (polygon, area) in [(&arrow[..], 4.0), (&comb[..], 11.0)] {
            for shift in 0..polygon.len() {
                let mut turned = polygon.to_vec();
                turned.rotate_left(shift);
                let (sum, each) = areas(&turned);
                assert!((sum - area).abs() < 1e-12, "start {shift}: {sum}");
                assert!(each.iter().all(|&a| a >= 0.0), "start {shift}: {each:?}");
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
        let all =
            [(&two[..], 2.0), (&three, 3.0), (&petals, 12.0), (&notches, 12.0), (&antenna, 16.0)];
        for (polygon, area) in all {
            for shift in 0..polygon.len() {
                for angle in [0.0_f64, 0.3, 2.0] {
                    let turn = DVec2::from_angle(angle);
                    let mut turned: Vec<[f64; 2]> = polygon
                        .iter()
                        .map(|p| turn.rotate(DVec2::new(f64::from(p[0]), f64::from(p[1]))).into())
                        .collect();
                    turned.rotate_left(shift);
                    let (sum, each) = areas(&turned);
                    let all: f64 = each.iter().map(|area| area.abs()).sum();
                    assert!((sum - area).abs() < 1e-12, "{polygon:?} from {shift}: {sum}");
                    assert!(all - sum < 1e-12, "{polygon:?} from {shift}: {each:?}");
                }
            }
        }
    }

    #[test]
    fn a_polygon_that_crosses_itself_ends() {
        let mut out = Vec::new();
        let points: Vec<DVec3> =
            (0..7).map(|i| DVec3::new(f64::from(i * 3 % 7), f64::from(i * 5 % 7), 0.0)).collect();
        triangulate(&points, &mut u64::MAX.clone(), &mut out);
        assert_eq!(out.len(), 5);
    }
}
