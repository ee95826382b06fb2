//! Games → a deduplicated win table, cell by cell and cluster by cluster, so that a bootstrap adds
//! up counts and never sees a game again.
//!
//! Games are gathered by a stable radix sort (Knuth, vol. 3, 5.2.5): weights are added in the order
//! of the games, so the sums do not depend on how they are gathered.

use super::error::RateError;
use super::game::{Game, Side, sorted};
use crate::winner::Winner;

/// Two methods, `a` < `b`, and the side of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    pub a: usize,
    pub b: usize,
    pub side: Side,
}

impl Cell {
    /// +1 if `a` is on the left, −1 if `b` is, 0 if neither: the factor of the left/right bias.
    pub fn left(&self) -> f64 {
        self.side.left()
    }
}

/// Weights of the games in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    pub a_wins: f64,
    pub b_wins: f64,
    pub ties: f64,
}

impl Counts {
    pub fn total(&self) -> f64 {
        self.a_wins + self.b_wins + self.ties
    }

    /// Of one game.
    pub(super) fn one(winner: Winner, weight: f64) -> Self {
        let mut counts = Self::default();
        *counts.of(winner) = weight;
        counts
    }

    pub(super) fn of(&mut self, winner: Winner) -> &mut f64 {
        match winner {
            Winner::A => &mut self.a_wins,
            Winner::B => &mut self.b_wins,
            Winner::Tie => &mut self.ties,
        }
    }
}

/// What one cluster says in one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Index of the cluster, below [`Table::num_clusters`]; clusters are numbered by rising prompt.
    pub cluster: u32,
    pub counts: Counts,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Number of methods; indices are below it.
    pub num_methods: usize,
    /// Every cell that has a game, sorted.
    pub cells: Vec<Cell>,
    /// Sums over all clusters; as long as `cells`.
    pub totals: Vec<Counts>,
    pub num_clusters: usize,
    /// All shares, by cell, then by cluster.
    shares: Vec<Share>,
    /// Where the shares of each cell begin; one longer than `cells`.
    starts: Vec<usize>,
}

impl Table {
    /// Gathers games.
    ///
    /// # Errors
    /// No games, an index out of range, a method against itself, a weight that is not positive.
    pub fn new(num_methods: usize, games: &[Game]) -> Result<Self, RateError> {
        Self::gathered(num_methods, games.iter().copied())
    }

    /// As [`Table::new`], of games not kept: a large run's take more memory than the table.
    pub(super) fn gathered(
        num_methods: usize,
        games: impl Iterator<Item = Game>,
    ) -> Result<Self, RateError> {
        let items: Result<Vec<Item>, RateError> =
            games.enumerate().map(|(i, game)| item(num_methods, i, &game)).collect();
        let mut items = items?;
        if items.is_empty() {
            return Err(RateError::NoGames);
        }
        let mut spare = items.clone();
        sort(&mut items, &mut spare, |item| item.prompt);
        let num_clusters = number_clusters(&mut items);
        sort(&mut items, &mut spare, Item::cell);
        drop(spare);

        let mut table = Self {
            num_methods,
            cells: Vec::new(),
            totals: Vec::new(),
            num_clusters,
            shares: Vec::new(),
            starts: Vec::new(),
        };
        for same in items.chunk_by(|x, y| x.cell() == y.cell()) {
            table.starts.push(table.shares.len());
            table.cells.push(cell(num_methods, same[0].cell()));
            let mut total = Counts::default();
            for same in same.chunk_by(|x, y| x.prompt == y.prompt) {
                let mut counts = Counts::default();
                same.iter().for_each(|item| *counts.of(item.winner()) += item.weight);
                total.a_wins += counts.a_wins;
                total.b_wins += counts.b_wins;
                total.ties += counts.ties;
                let cluster = same[0].prompt as u32;
                table.shares.push(Share { cluster, counts });
            }
            table.totals.push(total);
        }
        table.starts.push(table.shares.len());
        Ok(table)
    }

    /// Of all cells.
    pub(super) fn num_shares(&self) -> usize {
        self.shares.len()
    }

    /// What each cluster says in the cell of this index, by rising cluster.
    pub fn shares(&self, cell: usize) -> &[Share] {
        &self.shares[self.starts[cell]..self.starts[cell + 1]]
    }
}

/// A game on its way into the table.
#[derive(Clone, Copy)]
struct Item {
    /// The prompt, then the index of its cluster.
    prompt: u64,
    /// `((a · methods + b) · 3 + side) · 3 + winner`: sorts as [`Cell`] does, whatever the winner.
    cell_and_winner: u64,
    weight: f64,
}

impl Item {
    fn cell(&self) -> u64 {
        self.cell_and_winner / WINNERS.len() as u64
    }

    fn winner(&self) -> Winner {
        WINNERS[(self.cell_and_winner % WINNERS.len() as u64) as usize]
    }
}

const SIDES: [Side; 3] = [Side::ALeft, Side::BLeft, Side::Neither];
const WINNERS: [Winner; 3] = [Winner::A, Winner::B, Winner::Tie];

fn item(num_methods: usize, at: usize, game: &Game) -> Result<Item, RateError> {
    if game.a == game.b || game.a.max(game.b) >= num_methods {
        return Err(RateError::BadGame { game: at });
    }
    let weight = game.weight;
    if !(weight.is_finite() && weight > 0.0) {
        return Err(RateError::BadWeight { game: at, weight });
    }
    let (cell, winner) = cell_of(game);
    Ok(Item {
        prompt: game.prompt as u64,
        cell_and_winner: (((cell.a * num_methods + cell.b) * SIDES.len() + cell.side as usize)
            * WINNERS.len()
            + winner as usize) as u64,
        weight,
    })
}

/// The cell of this number.
fn cell(num_methods: usize, key: u64) -> Cell {
    let (pair, side) = (key as usize / SIDES.len(), key as usize % SIDES.len());
    Cell { a: pair / num_methods, b: pair % num_methods, side: SIDES[side] }
}

/// Replaces prompts by cluster indices; items are sorted by prompt. Returns the cluster count.
fn number_clusters(items: &mut [Item]) -> usize {
    let mut num_clusters = 0;
    for same in items.chunk_by_mut(|x, y| x.prompt == y.prompt) {
        same.iter_mut().for_each(|item| item.prompt = num_clusters);
        num_clusters += 1;
    }
    num_clusters as usize
}

/// Bits of one pass: 2,048 places to write to stay within the first-level cache.
const DIGIT_BITS: u32 = 11;

/// Stable, from the lowest digit to the highest; a digit that is the same everywhere costs one
/// look. `spare` is as long as `items`.
fn sort(items: &mut Vec<Item>, spare: &mut Vec<Item>, key: impl Fn(&Item) -> u64) {
    let all = items.iter().fold(0, |bits, item| bits | key(item));
    for shift in (0..u64::BITS - all.leading_zeros()).step_by(DIGIT_BITS as usize) {
        let digit = |item: &Item| (key(item) >> shift) as usize & ((1 << DIGIT_BITS) - 1);
        let mut places = [0_usize; 1 << DIGIT_BITS];
        items.iter().for_each(|item| places[digit(item)] += 1);
        if places.contains(&items.len()) {
            continue;
        }
        let mut next = 0;
        for place in &mut places {
            next += std::mem::replace(place, next);
        }
        for item in items.iter() {
            let place = &mut places[digit(item)];
            spare[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, spare);
    }
}

fn cell_of(game: &Game) -> (Cell, Winner) {
    let (a, b, side, winner) = sorted((game.a, game.b), game.side, game.winner);
    (Cell { a, b, side }, winner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use std::collections::BTreeMap;

    /// The plain way: a map of maps.
    fn by_maps(games: &[Game]) -> BTreeMap<Cell, BTreeMap<usize, Counts>> {
        let mut found: BTreeMap<Cell, BTreeMap<usize, Counts>> = BTreeMap::new();
        for game in games {
            let (cell, winner) = cell_of(game);
            let clusters = found.entry(cell).or_default();
            *clusters.entry(game.prompt).or_default().of(winner) += game.weight;
        }
        found
    }

    #[test]
    fn gathering_equals_a_map_of_maps_bit_for_bit() {
        let mut random = Random::new(3, 3);
        // Prompts near together, far apart, and as large as they get.
        for (num_methods, prompts) in
            [(2, vec![7]), (5, vec![0, 1, 2]), (61, vec![3, 5_000, 1 << 40, usize::MAX])]
        {
            let games: Vec<Game> = (0..4_000)
                .map(|_| {
                    let a = random.below(num_methods);
                    Game {
                        a,
                        b: (a + 1 + random.below(num_methods - 1)) % num_methods,
                        prompt: prompts[random.below(prompts.len())],
                        winner: [Winner::A, Winner::B, Winner::Tie][random.below(3)],
                        side: SIDES[random.below(3)],
                        weight: random.unit() + 1e-3,
                    }
                })
                .collect();
            let table = Table::new(num_methods, &games).unwrap();
            let want = by_maps(&games);
            assert_eq!(table.num_clusters, prompts.len());
            assert!(table.cells.iter().eq(want.keys()));
            for (i, clusters) in want.values().enumerate() {
                let found: Vec<(usize, Counts)> = table
                    .shares(i)
                    .iter()
                    .map(|s| (prompts[s.cluster as usize], s.counts))
                    .collect();
                let clusters: Vec<(usize, Counts)> =
                    clusters.iter().map(|(p, c)| (*p, *c)).collect();
                assert_eq!(found, clusters);
                let ties: f64 = clusters.iter().map(|(_, c)| c.ties).sum();
                assert_eq!(table.totals[i].ties, ties);
            }
        }
    }
}
