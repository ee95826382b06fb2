//! Games by name → a leaderboard. Independent of meshes.

use crate::rate::{Answer, Board, BoardSettings, RateError, Side, Winner, board};
use std::collections::{BTreeMap, BTreeSet};

/// Who won between two methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGame {
    pub a: String,
    pub b: String,
    /// What both were given; games on one prompt are a cluster of the bootstrap.
    pub prompt: String,
    pub winner: Winner,
    /// Who stood left, where one judge saw both at once and may favour a side; then a pair's two orders on a prompt are one game.
    pub side: Side,
}

/// Rates methods by Bradley–Terry on the Elo scale, with 95 % intervals from a bootstrap over prompts. Returns the methods by name, and a
/// board whose indices are into these.
///
/// # Errors
/// [`RateError`]: no games, or ratings that cannot be determined.
///
/// ```
/// use meshjudge::{NamedGame, Winner, rate::Side};
///
/// let game = |prompt: usize, a: &str, b: &str, winner| NamedGame {
///     a: a.to_owned(),
///     b: b.to_owned(),
///     prompt: prompt.to_string(),
///     winner,
///     side: Side::Neither,
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
    let sorted = |names: BTreeSet<&String>| -> Vec<String> { names.into_iter().cloned().collect() };
    let methods = sorted(games.iter().flat_map(|game| [&game.a, &game.b]).collect());
    let prompts = sorted(games.iter().map(|game| &game.prompt).collect());
    let index = |names: &[String], name: &String| names.binary_search(name).unwrap_or_default();
    // The first of one order belongs to the first of the other, the second to the second.
    let mut seen: BTreeMap<(usize, usize, usize), u64> = BTreeMap::new();
    let answers: Vec<Answer> = (games.iter().enumerate())
        .map(|(number, game)| {
            let [a, b] = [&game.a, &game.b].map(|name| index(&methods, name));
            let prompt = index(&prompts, &game.prompt);
            let (left, right) = match game.side {
                Side::BLeft => (b, a),
                Side::ALeft | Side::Neither => (a, b),
            };
            let key = match game.side {
                Side::Neither => number as u64,
                Side::ALeft | Side::BLeft => {
                    let count = seen.entry((prompt, left, right)).or_default();
                    *count += 1;
                    games.len() as u64 + *count
                }
            };
            Answer {
                a,
                b,
                prompt,
                key,
                side: game.side,
                winner: game.winner,
            }
        })
        .collect();
    let board = board(&methods, &answers, settings)?;
    Ok((methods, board))
}
