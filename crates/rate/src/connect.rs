//! Whether the games tie the methods together, and whether a finite maximum exists without a prior.

use super::error::RateError;
use super::game::Side;
use super::model::Model;
use super::table::{Cell, Counts, Table};

/// Groups of methods that games link, even drawn or one-sided; each sorted, by first member.
pub(super) fn components(table: &Table) -> Vec<Vec<usize>> {
    groups(table.num_methods, table.cells.iter())
}

/// The same of these cells alone.
pub(super) fn groups<'a>(
    num_methods: usize,
    cells: impl Iterator<Item = &'a Cell>,
) -> Vec<Vec<usize>> {
    let mut links = vec![Vec::new(); num_methods];
    for cell in cells {
        links[cell.a].push(cell.b);
        links[cell.b].push(cell.a);
    }
    let mut group = vec![usize::MAX; num_methods];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for start in 0..num_methods {
        if group[start] != usize::MAX {
            continue;
        }
        let mut members = reach(&links, start);
        members.sort_unstable();
        members.iter().for_each(|m| group[*m] = groups.len());
        groups.push(members);
    }
    groups
}

/// Groups within which each method can be reached from each other along "did not lose to", the best
/// group first. More than one group: some methods only win against the rest and the maximum is at
/// infinity (Ford 1957; Hunter 2004, assumption 1).
pub(super) fn strong_components(table: &Table) -> Vec<Vec<usize>> {
    let n = table.num_methods;
    let (mut beats, mut beaten) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for (cell, Counts { a_wins, b_wins, ties }) in table.cells.iter().zip(&table.totals) {
        if a_wins + ties > 0.0 {
            beats[cell.a].push(cell.b);
            beaten[cell.b].push(cell.a);
        }
        if b_wins + ties > 0.0 {
            beats[cell.b].push(cell.a);
            beaten[cell.a].push(cell.b);
        }
    }
    let mut is_placed = vec![false; n];
    let mut groups = Vec::new();
    for start in 0..n {
        if is_placed[start] {
            continue;
        }
        let down = reach(&beats, start);
        let up: std::collections::BTreeSet<usize> = reach(&beaten, start).into_iter().collect();
        let mut both: Vec<usize> = down.iter().copied().filter(|m| up.contains(m)).collect();
        both.sort_unstable();
        both.iter().for_each(|m| is_placed[*m] = true);
        // A group that reaches more is higher.
        groups.push((std::cmp::Reverse(down.len()), both));
    }
    groups.sort();
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Whether the games separate the left/right bias from the strengths: no strengths give the left
/// side of every game one and the same lead. False without games that have a side.
pub(super) fn separates_sides(table: &Table) -> bool {
    let lead = |cell: &Cell| cell.left() as i64;
    let mut at: Vec<Option<i64>> = vec![None; table.num_methods];
    for group in components(table) {
        at[group[0]] = Some(0);
    }
    let mut is_moved = true;
    while std::mem::replace(&mut is_moved, false) {
        for cell in &table.cells {
            match (at[cell.a], at[cell.b]) {
                (Some(a), None) => at[cell.b] = Some(a - lead(cell)),
                (None, Some(b)) => at[cell.a] = Some(b + lead(cell)),
                _ => continue,
            }
            is_moved = true;
        }
    }
    let is_explained =
        |cell: &Cell| at[cell.a].zip(at[cell.b]).is_some_and(|(a, b)| a - b == lead(cell));
    !table.cells.iter().all(is_explained)
}

/// The model for games of units: those of one order only have their left/right bias fitted, if
/// the games separate it from the strengths.
///
/// # Errors
/// Every game is of one order only, and none of them separates the two.
pub(super) fn with_sides(model: &Model, table: &Table) -> Result<Model, RateError> {
    let fits_bias = separates_sides(table);
    if !fits_bias && table.cells.iter().all(|cell| cell.side != Side::Neither) {
        return Err(RateError::OneSided);
    }
    Ok(Model { fits_bias, ..*model })
}

/// What can be reached along links, the start first.
pub(super) fn reach(links: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut is_seen = vec![false; links.len()];
    is_seen[start] = true;
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        for &to in &links[at] {
            if !std::mem::replace(&mut is_seen[to], true) {
                found.push(to);
            }
        }
    }
    found
}
