//! The least total cost of matching two equal sets one to one, exactly: shortest augmenting paths
//! (Jonker & Volgenant 1987), O(n³).

use super::error::MetricError;
use crate::render::Switch;
use glam::DVec3;

/// More points would take minutes, and 8 bytes for each pair.
pub(super) const POINTS_MAX: usize = 4096;

/// Mean distance of the best one-to-one matching: earthmover's distance of equal-weight sets.
///
/// # Errors
/// [`MetricError::Counts`] or [`MetricError::OutOfRange`].
pub fn earthmover(a: &[DVec3], b: &[DVec3]) -> Result<f64, MetricError> {
    if a.len() != b.len() {
        return Err(MetricError::Counts { a: a.len(), b: b.len() });
    }
    let count = a.len();
    if !(1..=POINTS_MAX).contains(&count) {
        return Err(MetricError::OutOfRange {
            what: "the number of points of an earthmover's distance",
            min: 1,
            max: POINTS_MAX,
            value: count,
        });
    }
    let cost: Vec<f64> = a.iter().flat_map(|p| b.iter().map(move |q| (*p - *q).length())).collect();
    let column_of = assign(&cost, count);
    // Added in the order of the first set.
    let total = column_of
        .iter()
        .enumerate()
        .fold(0.0, |sum, (row, &column)| sum + cost[row * count + column]);
    Ok(total / count as f64)
}

/// Of each row its column. `cost` is row-major, `count` × `count`.
fn assign(cost: &[f64], count: usize) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let mut price = vec![0.0; count];
    let mut row_of = vec![NONE; count];
    let mut column_of = vec![NONE; count];
    // Each column's least cost is its price; rows that meet it in a free column are matched to it.
    for (column, price) in price.iter_mut().enumerate() {
        *price = (0..count).map(|row| cost[row * count + column]).fold(f64::INFINITY, f64::min);
    }
    for row in 0..count {
        let best = (0..count).find(|&c| cost[row * count + c] <= price[c] && row_of[c] == NONE);
        if let Some(column) = best {
            row_of[column] = row;
            column_of[row] = column;
        }
    }
    let mut distance = vec![0.0; count];
    let mut before = vec![0; count];
    let mut is_done = vec![false; count];
    let mut order = Vec::with_capacity(count);
    let switch = Switch::of_this_thread();
    for free in 0..count {
        switch.check();
        if column_of[free] != NONE {
            continue;
        }
        for column in 0..count {
            distance[column] = cost[free * count + column] - price[column];
            before[column] = free;
        }
        is_done.fill(false);
        order.clear();
        let end = loop {
            let (mut at, mut least) = (NONE, f64::INFINITY);
            for column in 0..count {
                if !is_done[column] && distance[column] < least {
                    (at, least) = (column, distance[column]);
                }
            }
            is_done[at] = true;
            order.push(at);
            let row = row_of[at];
            if row == NONE {
                break at;
            }
            let costs = &cost[row * count..(row + 1) * count];
            let reduced = costs[at] - price[at];
            for column in 0..count {
                if !is_done[column] {
                    let through = least + costs[column] - price[column] - reduced;
                    if through < distance[column] {
                        distance[column] = through;
                        before[column] = row;
                    }
                }
            }
        };
        let shortest = distance[end];
        for &column in &order {
            price[column] += distance[column] - shortest;
        }
        let mut column = end;
        loop {
            let row = before[column];
            row_of[column] = row;
            std::mem::swap(&mut column_of[row], &mut column);
            if row == free {
                break;
            }
        }
    }
    column_of
}
