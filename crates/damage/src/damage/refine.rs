//! Splits triangles until they are small enough for a change.

use super::error::DamageError;
use super::soup::{Soup, Triangle};

/// More triangles are not made.
pub(super) const TRIANGLES_MAX: usize = 6_000_000;

/// Rounds of halving; each halves the longest edges.
const ROUNDS_MAX: usize = 12;

/// Halves every edge that is longer than `edge` until none is. Both sides of an edge halve it at
/// the same place, so nothing opens.
pub(super) fn refine(soup: &mut Soup, edge: f32) -> Result<(), DamageError> {
    for _ in 0..ROUNDS_MAX {
        let mut has_long = false;
        let mut total = 0;
        for part in &mut soup.parts {
            let mut finer = Vec::with_capacity(part.triangles.len());
            for triangle in &part.triangles {
                let long = [0, 1, 2].map(|i| {
                    let (a, b) = (triangle[i].position, triangle[(i + 1) % 3].position);
                    (b - a).length_squared() > edge * edge
                });
                has_long |= long.contains(&true);
                split(triangle, long, &mut finer);
            }
            part.triangles = finer;
            total += part.triangles.len();
        }
        if total > TRIANGLES_MAX {
            return Err(DamageError::TooLarge { found: total, max: TRIANGLES_MAX });
        }
        if !has_long {
            break;
        }
    }
    Ok(())
}

/// `long[i]`: whether the edge from corner `i` to the next is halved.
fn split(triangle: &Triangle, long: [bool; 3], out: &mut Vec<Triangle>) {
    let mid = |i: usize| triangle[i].between(&triangle[(i + 1) % 3], 0.5);
    match long.iter().filter(|l| **l).count() {
        0 => out.push(*triangle),
        1 => {
            let i = long.iter().position(|l| *l).unwrap_or(0);
            let [a, b, c] = [0, 1, 2].map(|k| triangle[(i + k) % 3]);
            let m = mid(i);
            out.extend([[a, m, c], [m, b, c]]);
        }
        2 => {
            // The edge that stays is between the two halved ones' far ends.
            let i = long.iter().position(|l| !*l).unwrap_or(0);
            let [a, b, c] = [0, 1, 2].map(|k| triangle[(i + k) % 3]);
            let (m, n) = (mid((i + 1) % 3), mid((i + 2) % 3));
            out.extend([[a, b, m], [a, m, n], [n, m, c]]);
        }
        _ => {
            let [a, b, c] = *triangle;
            let (m, n, o) = (mid(0), mid(1), mid(2));
            out.extend([[a, m, o], [m, b, n], [o, n, c], [m, n, o]]);
        }
    }
}
