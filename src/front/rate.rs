//! Games by name → a leaderboard. Independent of meshes.

use crate::rate::{
    Anchor, Answer, Board, BoardSettings, Controlled, Counts, Draws, Meeting, RateError, Refused,
    Side, Vote, Winner, board, controlled,
};
use crate::results::{AnchoredIn, UnanchoredReason, Voice, anchored_in};
use crate::store::Rater;
use std::collections::{BTreeMap, BTreeSet};

/// Who won between two methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGame {
    pub a: String,
    pub b: String,
    /// The prompt of both; games on one prompt are a cluster of the bootstrap.
    pub prompt: String,
    pub winner: Winner,
}

/// Rates methods by Bradley–Terry on the Elo scale, with 95 % intervals from a bootstrap over prompts. Returns the methods by name, and a
/// board whose indices are into these.
///
/// # Errors
/// [`RateError`]: no games, or ratings that cannot be determined.
///
/// ```
/// use meshjudge::{NamedGame, Winner};
///
/// let game = |prompt: usize, a: &str, b: &str, winner| NamedGame {
///     a: a.to_owned(),
///     b: b.to_owned(),
///     prompt: prompt.to_string(),
///     winner,
/// };
/// let games: Vec<_> = (0..10)
///     .flat_map(|prompt| {
///         let upset = if prompt % 5 == 0 { Winner::B } else { Winner::A };
///         [game(prompt, "ours", "theirs", Winner::A), game(prompt, "theirs", "old", upset)]
///     })
///     .collect();
/// let (methods, board) = meshjudge::rate(&games, &Default::default())?;
///
/// assert_eq!(methods, ["old", "ours", "theirs"]);
/// assert_eq!(methods[board.lines[0].method], "ours");
/// # Ok::<(), meshjudge::rate::RateError>(())
/// ```
pub fn rate(
    games: &[NamedGame],
    settings: &BoardSettings,
) -> Result<(Vec<String>, Board), RateError> {
    let names = Names::of(games.iter());
    let answers: Vec<Answer> = (games.iter().enumerate())
        .map(|(number, game)| names.answer(game, number, Side::Neither))
        .collect();
    let board = board(&names.methods, &answers, settings)?;
    Ok((names.methods, board))
}

/// A game, and who judged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedGame {
    pub game: NamedGame,
    pub judge: Rater,
    /// The asset on the left, so that a judge's preference for a side can be fitted. Games of one judge and prompt with the same two methods in both
    /// orders are one unit.
    pub side: Side,
}

/// Rates what people prefer, their votes being anchored in the boards of judges: the methods by name, and a board whose indices are into
/// these. People are raters of the kind [`RaterKind::Person`](crate::store::RaterKind::Person); a nameless one's votes are each a voter's own.
///
/// # Errors
/// [`UnanchoredReason`].
pub fn rate_people(
    games: &[JudgedGame],
    draws: Draws,
    replicates: usize,
    seed: u64,
) -> Result<(Vec<String>, AnchoredIn), UnanchoredReason> {
    let names = Names::of(games.iter().map(|judged| &judged.game));
    let mut voters: BTreeMap<&str, usize> = BTreeMap::new();
    let mut votes = Vec::new();
    let mut judges: BTreeMap<Voice, Vec<Answer>> = BTreeMap::new();
    for (number, judged) in games.iter().enumerate() {
        if judged.judge.is_person() {
            let Answer {
                a,
                b,
                prompt,
                winner,
                ..
            } = names.answer(&judged.game, number, Side::Neither);
            let voter = games.len() + voters.len();
            let source = match judged.judge.short_name() {
                "" => number,
                name => *voters.entry(name).or_insert(voter),
            };
            votes.push(Vote {
                prompt,
                a,
                b,
                source,
                winner,
            });
        } else {
            let voice = Voice::Judge(judged.judge.clone());
            let answers = judges.entry(voice).or_default();
            // Both orders of a unit have one key.
            let key = if judged.side == Side::Neither {
                number
            } else {
                0
            };
            answers.push(names.answer(&judged.game, key, judged.side));
        }
    }
    let found = anchored_in(names.methods.len(), &votes, judges, draws, replicates, seed)?;
    Ok((names.methods, found))
}

/// Rates methods with figures of the assets held equal. `differences` has, for each game, of each figure that of `a` less that of `b`.
///
/// # Errors
/// [`RateError`].
pub fn rate_controlled(
    games: &[NamedGame],
    differences: &[Vec<Option<f64>>],
    settings: &BoardSettings,
) -> Result<(Vec<String>, Option<Controlled>, Refused), RateError> {
    let names = Names::of(games.iter());
    let meetings: Vec<Meeting> = (games.iter().zip(differences))
        .map(|(game, differences)| {
            let Answer {
                a,
                b,
                prompt,
                winner,
                ..
            } = names.answer(game, 0, Side::Neither);
            let mut counts = Counts::default();
            *match winner {
                Winner::A => &mut counts.a_wins,
                Winner::B => &mut counts.b_wins,
                Winner::Tie => &mut counts.ties,
            } = 1.0;
            Meeting {
                a,
                b,
                prompt,
                counts,
                differences: differences.clone(),
            }
        })
        .collect();
    let BoardSettings {
        model,
        anchor,
        replicates,
        seed,
    } = *settings;
    let (board, refused) = controlled(&names.methods, &meetings, &model, anchor, replicates, seed)?;
    Ok((names.methods, board, refused))
}

/// The method of that name as the one with rating 1000; the mean for none.
///
/// # Errors
/// [`RateError::UnknownAnchor`].
pub fn anchor_named(games: &[NamedGame], anchor: Option<&str>) -> Result<Anchor, RateError> {
    let Some(anchor) = anchor else {
        return Ok(Anchor::Mean);
    };
    let methods = Names::of(games.iter()).methods;
    match methods.binary_search_by(|method| method.as_str().cmp(anchor)) {
        Ok(place) => Ok(Anchor::Method(place)),
        Err(_) => Err(RateError::UnknownAnchor {
            anchor: anchor.to_owned(),
            methods,
        }),
    }
}

/// Sorted names, which indices are into.
struct Names {
    methods: Vec<String>,
    prompts: Vec<String>,
}

impl Names {
    fn of<'a>(games: impl Iterator<Item = &'a NamedGame> + Clone) -> Self {
        let sorted = |names: BTreeSet<&String>| names.into_iter().cloned().collect();
        Self {
            methods: sorted(games.clone().flat_map(|game| [&game.a, &game.b]).collect()),
            prompts: sorted(games.map(|game| &game.prompt).collect()),
        }
    }

    fn answer(&self, game: &NamedGame, key: usize, side: Side) -> Answer {
        let index = |names: &[String], name: &String| names.binary_search(name).unwrap_or_default();
        Answer {
            a: index(&self.methods, &game.a),
            b: index(&self.methods, &game.b),
            prompt: index(&self.prompts, &game.prompt),
            key: key as u64,
            side,
            winner: game.winner,
        }
    }
}
