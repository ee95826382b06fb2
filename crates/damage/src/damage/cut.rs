//! Triangles divided by a plane or by any smooth function of the place.

use super::soup::{Corner, Triangle};
use glam::Vec3;

/// Divides triangles where `height` is zero: (where it is positive or zero, where it is negative).
/// `height` should be linear in the place.
pub(super) fn cut(
    triangles: &[Triangle],
    height: impl Fn(Vec3) -> f32,
) -> (Vec<Triangle>, Vec<Triangle>) {
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for triangle in triangles {
        let heights = triangle.map(|corner| height(corner.position));
        if heights.iter().all(|h| *h >= 0.0) {
            above.push(*triangle);
        } else if heights.iter().all(|h| *h < 0.0) {
            below.push(*triangle);
        } else {
            fan(&half(triangle, heights, true), &mut above);
            fan(&half(triangle, heights, false), &mut below);
        }
    }
    (above, below)
}

/// The outline of one side, three or four corners.
fn half(triangle: &Triangle, heights: [f32; 3], wants_above: bool) -> Vec<Corner> {
    let mut outline = Vec::with_capacity(4);
    for i in 0..3 {
        let next = (i + 1) % 3;
        let is_above = [i, next].map(|k| heights[k] >= 0.0);
        if is_above[0] == wants_above {
            outline.push(triangle[i]);
        }
        if is_above[0] != is_above[1] {
            // From upper to lower corner, whichever triangle asks: bitwise the same place.
            let (up, down) = if is_above[0] { (i, next) } else { (next, i) };
            let t = heights[up] / (heights[up] - heights[down]);
            outline.push(triangle[up].between(&triangle[down], t));
        }
    }
    outline
}

fn fan(outline: &[Corner], out: &mut Vec<Triangle>) {
    for pair in outline.windows(2).skip(1) {
        out.push([outline[0], pair[0], pair[1]]);
    }
}
