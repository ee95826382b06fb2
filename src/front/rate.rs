//! Games by name → a leaderboard. Independent of meshes.

use crate::rate::{Answer, Board, BoardSettings, RateError, Side, Winner, board};
use std::collections::BTreeSet;

/// Who won between two methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGame {
    pub a: String,
    pub b: String,
    /// What both were given; games on one prompt are a cluster of the bootstrap.
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
    let sorted = |names: BTreeSet<&String>| -> Vec<String> { names.into_iter().cloned().collect() };
    let methods = sorted(games.iter().flat_map(|game| [&game.a, &game.b]).collect());
    let prompts = sorted(games.iter().map(|game| &game.prompt).collect());
    let index = |names: &[String], name: &String| names.binary_search(name).unwrap_or_default();
    let answers: Vec<Answer> = (games.iter().enumerate())
        .map(|(number, game)| Answer {
            a: index(&methods, &game.a),
            b: index(&methods, &game.b),
            prompt: index(&prompts, &game.prompt),
            key: number as u64,
            side: Side::Neither,
            winner: game.winner,
        })
        .collect();
    let board = board(&methods, &answers, settings)?;
    Ok((methods, board))
}
