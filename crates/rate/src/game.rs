//! Answers in both orders → one game for each unit of work.
//!
//! Why a unit and not an answer: judges change their mind when left and right are swapped (about a
//! quarter of raw verdicts on drawn 3D objects do), and keeping only consistent answers brings them
//! closer to people. So consistent answers count as one game; what disagrees is no evidence for
//! either side, counts as one draw, and is reported as inconsistent and not as a draw.

use crate::winner::Winner;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The method listed first.
    ALeft,
    /// The method listed second.
    BLeft,
    /// Both orders are in it, or nobody knows.
    Neither,
}

impl Side {
    /// 1 for the method listed first, −1 for the second, 0 for neither.
    pub fn left(self) -> f64 {
        match self {
            Self::ALeft => 1.0,
            Self::BLeft => -1.0,
            Self::Neither => 0.0,
        }
    }

    /// Of the same answer with the other method listed first.
    pub fn swapped(self) -> Self {
        match self {
            Self::ALeft => Self::BLeft,
            Self::BLeft => Self::ALeft,
            Self::Neither => Self::Neither,
        }
    }
}

/// What was said about two methods in one order, on one criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Index of the method listed first.
    pub a: usize,
    /// Index of the method listed second.
    pub b: usize,
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    /// Distinguishes games that are not swapped versions: judge, sample, the assets themselves. A
    /// number or a hash, since a run has millions of them.
    pub key: u64,
    pub side: Side,
    /// Who won, in the listed order.
    pub winner: Winner,
}

impl Answer {
    /// The same answer with the method of the smaller index listed first.
    #[must_use]
    pub fn sorted(self) -> Self {
        let Game { a, b, side, winner, .. } = self.game(1.0);
        Self { a, b, side, winner, ..self }
    }

    /// A game of this weight, the smaller method listed first.
    pub(super) fn game(self, weight: f64) -> Game {
        let Self { a, b, prompt, side, winner, .. } = self;
        Game { a, b, prompt, winner, side, weight }.sorted()
    }
}

/// What the orders of one unit say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consistency {
    /// Both orders say the same.
    Agreed(Winner),
    /// The orders differ: opposite winners, or a winner and a tie.
    Inconsistent,
    /// Only one order was answered, so position bias is still in it.
    OneOrder(Winner),
    /// The left side is unknown: a person's vote, which is asked once.
    Sideless(Winner),
}

impl Consistency {
    /// None where the orders differ.
    pub(super) fn winner(self) -> Option<Winner> {
        match self {
            Self::Agreed(winner) | Self::OneOrder(winner) | Self::Sideless(winner) => Some(winner),
            Self::Inconsistent => None,
        }
    }
}

/// Both orders of one question, `a` < `b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Index of the one method, the smaller.
    pub a: usize,
    pub b: usize,
    pub prompt: usize,
    /// Of `a`, where one order only was answered; else both orders are in it, or nobody knows.
    pub side: Side,
    pub consistency: Consistency,
}

/// One game: what a rating is made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Game {
    pub a: usize,
    pub b: usize,
    /// Index of the prompt, the cluster.
    pub prompt: usize,
    pub winner: Winner,
    pub side: Side,
    /// How much it counts; positive.
    pub weight: f64,
}

/// Puts the orders of each question together. Answers of one unit share methods, prompt and key; a
/// unit with several answers in one order is as consistent as all of them are. Sorted by prompt,
/// methods and key, whatever the order of the answers.
pub fn units(answers: &[Answer]) -> Vec<Unit> {
    let mut sorted: Vec<Answer> = answers.iter().map(|answer| answer.sorted()).collect();
    let key = |it: &Answer| (it.prompt, it.a, it.b, it.key);
    sorted.sort_unstable_by_key(key);
    let unit = |said: &[Answer]| {
        let Answer { a, b, prompt, side, winner, .. } = said[0];
        let is_one_order = said.iter().all(|it| it.side == side);
        let side = if is_one_order { side } else { Side::Neither };
        let consistency = if said.iter().any(|it| it.winner != winner) {
            Consistency::Inconsistent
        } else if is_one_order && side == Side::Neither {
            Consistency::Sideless(winner)
        } else if is_one_order {
            Consistency::OneOrder(winner)
        } else {
            Consistency::Agreed(winner)
        };
        Unit { a, b, prompt, side, consistency }
    };
    sorted.chunk_by(|x, y| key(x) == key(y)).map(unit).collect()
}

impl Game {
    /// The same with the smaller method listed first.
    pub(super) fn sorted(self) -> Self {
        match self.a < self.b {
            true => self,
            false => Self {
                a: self.b,
                b: self.a,
                side: self.side.swapped(),
                winner: self.winner.swapped(),
                ..self
            },
        }
    }
}

/// One game a unit: agreed and sideless count 1; inconsistent is a draw of weight 1; one order
/// alone is half of a unit, counts ½, and has its side.
pub fn games(units: &[Unit]) -> Vec<Game> {
    units.iter().map(Unit::game).collect()
}

impl Unit {
    pub(super) fn game(&self) -> Game {
        let winner = self.consistency.winner().unwrap_or(Winner::Tie);
        let is_half = matches!(self.consistency, Consistency::OneOrder(_));
        let weight = if is_half { 0.5 } else { 1.0 };
        Game { a: self.a, b: self.b, prompt: self.prompt, winner, side: self.side, weight }
    }
}

/// Each order as half a game with its side: what the left/right bias is fitted on.
pub(super) fn each_order_games(answers: &[Answer]) -> impl Iterator<Item = Game> {
    answers.iter().map(|answer| answer.game(0.5))
}
