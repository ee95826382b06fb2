//! Games → a deduplicated win table, cell by cell and cluster by cluster, so that a bootstrap adds
//! up counts and never sees a game again.

use super::error::RateError;
use super::game::{Game, Side};
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

    /// The rest, without these.
    pub(super) fn less(self, other: &Self) -> Self {
        Self {
            a_wins: (self.a_wins - other.a_wins).max(0.0),
            b_wins: (self.b_wins - other.b_wins).max(0.0),
            ties: (self.ties - other.ties).max(0.0),
        }
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
        let items = games.enumerate().map(|(i, game)| item(num_methods, i, game));
        let mut items = items.collect::<Result<Vec<Game>, RateError>>()?;
        if items.is_empty() {
            return Err(RateError::NoGames);
        }
        // Stable: weights are added in the order of the games.
        items.sort_by_key(|it| (it.a, it.b, it.side, it.prompt));
        let mut prompts: Vec<usize> = items.iter().map(|it| it.prompt).collect();
        prompts.sort_unstable();
        prompts.dedup();

        let mut table = Self {
            num_methods,
            cells: Vec::new(),
            totals: Vec::new(),
            num_clusters: prompts.len(),
            shares: Vec::new(),
            starts: Vec::new(),
        };
        let cell = |it: &Game| Cell { a: it.a, b: it.b, side: it.side };
        for same in items.chunk_by(|x, y| cell(x) == cell(y)) {
            table.starts.push(table.shares.len());
            table.cells.push(cell(&same[0]));
            let mut total = Counts::default();
            for same in same.chunk_by(|x, y| x.prompt == y.prompt) {
                let mut counts = Counts::default();
                same.iter().for_each(|it| *counts.of(it.winner) += it.weight);
                total.a_wins += counts.a_wins;
                total.b_wins += counts.b_wins;
                total.ties += counts.ties;
                let cluster = prompts.binary_search(&same[0].prompt).unwrap_or_default() as u32;
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

/// A valid game, the smaller method listed first.
fn item(num_methods: usize, at: usize, game: Game) -> Result<Game, RateError> {
    if game.a == game.b || game.a.max(game.b) >= num_methods {
        return Err(RateError::BadGame { game: at });
    }
    let weight = game.weight;
    if !(weight.is_finite() && weight > 0.0) {
        return Err(RateError::BadWeight { game: at, weight });
    }
    Ok(game.sorted())
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
            let Game { a, b, side, winner, .. } = game.sorted();
            let clusters = found.entry(Cell { a, b, side }).or_default();
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
                        side: [Side::ALeft, Side::BLeft, Side::Neither][random.below(3)],
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
