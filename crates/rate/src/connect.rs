//! Whether the games tie the methods together, and whether a finite maximum exists without a prior.

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

fn reach(links: &[Vec<usize>], start: usize) -> Vec<usize> {
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
