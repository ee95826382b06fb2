//! Games → a deduplicated win table, cluster by cluster, so that a bootstrap adds up counts and never sees a game again.

use super::{Game, RateError, Side, Winner};
use std::collections::BTreeMap;

/// Two methods, `a` < `b`, and who of them stood left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Index of the one method.
    pub a: usize,
    /// Index of the other.
    pub b: usize,
    /// Who stood left.
    pub side: Side,
}

impl Cell {
    /// +1 where `a` stands left, −1 where `b` does, 0 where neither: the factor of the left/right bias.
    pub fn left(&self) -> f64 {
        match self.side {
            Side::ALeft => 1.0,
            Side::BLeft => -1.0,
            Side::Neither => 0.0,
        }
    }
}

/// Weights of the games in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Won by `a`.
    pub a_wins: f64,
    /// Won by `b`.
    pub b_wins: f64,
    /// Drawn.
    pub ties: f64,
}

impl Counts {
    /// Everything together.
    pub fn total(&self) -> f64 {
        self.a_wins + self.b_wins + self.ties
    }
}

/// All games of one criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Number of methods; indices are below it.
    pub num_methods: usize,
    /// Every cell that has a game, sorted.
    pub cells: Vec<Cell>,
    /// Sums over all clusters; as long as `cells`.
    pub totals: Vec<Counts>,
    /// For each cluster with a game: index into `cells`, and the counts there; sorted by cell.
    pub clusters: Vec<Vec<(u32, Counts)>>,
}

impl Table {
    /// Gathers games.
    ///
    /// # Errors
    /// No games, an index out of range, a method against itself, a weight that is not positive.
    pub fn new(num_methods: usize, games: &[Game]) -> Result<Self, RateError> {
        if games.is_empty() {
            return Err(RateError::NoGames);
        }
        let mut clusters: BTreeMap<usize, BTreeMap<Cell, Counts>> = BTreeMap::new();
        for (i, game) in games.iter().enumerate() {
            if game.a == game.b || game.a.max(game.b) >= num_methods {
                return Err(RateError::BadGame { game: i });
            }
            if !(game.weight.is_finite() && game.weight > 0.0) {
                return Err(RateError::BadWeight {
                    game: i,
                    weight: game.weight,
                });
            }
            let (cell, winner) = sorted(game);
            let counts = clusters
                .entry(game.prompt)
                .or_default()
                .entry(cell)
                .or_default();
            match winner {
                Winner::A => counts.a_wins += game.weight,
                Winner::B => counts.b_wins += game.weight,
                Winner::Tie => counts.ties += game.weight,
            }
        }
        let mut totals: BTreeMap<Cell, Counts> = BTreeMap::new();
        for (cell, counts) in clusters.values().flatten() {
            let total = totals.entry(*cell).or_default();
            total.a_wins += counts.a_wins;
            total.b_wins += counts.b_wins;
            total.ties += counts.ties;
        }
        let place: BTreeMap<Cell, u32> = (0..).zip(totals.keys()).map(|(i, c)| (*c, i)).collect();
        let clusters = clusters
            .into_values()
            .map(|cells| {
                cells
                    .into_iter()
                    .map(|(cell, n)| (place[&cell], n))
                    .collect()
            })
            .collect();
        Ok(Self {
            num_methods,
            cells: totals.keys().copied().collect(),
            totals: totals.into_values().collect(),
            clusters,
        })
    }
}

fn sorted(game: &Game) -> (Cell, Winner) {
    let (a, b) = (game.a, game.b);
    if a < b {
        let side = game.side;
        return (Cell { a, b, side }, game.winner);
    }
    let side = match game.side {
        Side::ALeft => Side::BLeft,
        Side::BLeft => Side::ALeft,
        Side::Neither => Side::Neither,
    };
    let winner = match game.winner {
        Winner::A => Winner::B,
        Winner::B => Winner::A,
        Winner::Tie => Winner::Tie,
    };
    (Cell { a: b, b: a, side }, winner)
}
