//! Games by name → a leaderboard. Independent of meshes.

use crate::rate::{
    Anchor, Answer, Board, BoardSettings, Controlled, Draws, Meeting, RateError, Refused, Side,
    Vote, Winner, board, controlled,
};
use crate::results::{AnchoredIn, UnanchoredReason, Voice, anchored_in, merged};
use crate::store::Rater;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Who won between two methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedGame {
    pub a: String,
    pub b: String,
    /// The prompt of both; games on one prompt are a cluster of the bootstrap.
    pub prompt: String,
    pub winner: Winner,
}

/// Rates methods by Bradley–Terry on the Elo scale, with 95 % intervals over
/// prompts. Returns the methods by name, and a board whose indices are into these.
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
/// # Ok::<(), meshjudge::RateError>(())
/// ```
pub fn rate(
    games: &[NamedGame],
    settings: &BoardSettings,
) -> Result<(Vec<String>, Board), RateError> {
    let names = Names::of(games.iter());
    let answers: Vec<Answer> = games
        .iter()
        .enumerate()
        .map(|(number, game)| names.answer(game, number, Side::Neither))
        .collect();
    let board = board(&names.methods, &answers, settings)?;
    Ok((names.methods, board))
}

/// An answer of a judge, as a row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedGame {
    pub game: NamedGame,
    pub judge: Rater,
    /// The asset on the left, so that a judge's preference for a side can be fitted. Answers of one
    /// judge and prompt about the same two assets in both orders are one unit, and its samples in
    /// one order are one answer. Without a side, an answer is a unit of its own.
    pub side: Side,
    /// Distinguishes assets of one method and prompt: their seed, or hashes in their own order.
    pub assets: String,
}

/// Rates methods from answers on one criterion, by the path of a run's boards: samples are merged,
/// and both orders are one game, which is a draw if they disagree.
///
/// # Errors
/// As [`rate`].
pub fn rate_answers(
    rows: &[JudgedGame],
    settings: &BoardSettings,
) -> Result<(Vec<String>, Board), RateError> {
    let names = Names::of(rows.iter().map(|row| &row.game));
    let mut answers = names.answers(rows);
    merged(&mut answers, |answer| *answer, |answer| &mut answer.winner);
    let board = board(&names.methods, &answers, settings)?;
    Ok((names.methods, board))
}

/// Rates what people prefer, their votes anchored in the boards of judges: the methods by name, and
/// a board with indices into these. People are raters of the kind
/// [`RaterKind::Person`](crate::store::RaterKind::Person); each nameless vote has its own voter.
///
/// # Errors
/// [`UnanchoredReason`].
pub fn rate_people(
    games: &[JudgedGame],
    draws: Draws,
    seed: u64,
) -> Result<(Vec<String>, AnchoredIn), UnanchoredReason> {
    let names = Names::of(games.iter().map(|judged| &judged.game));
    let mut voters: BTreeMap<&str, usize> = BTreeMap::new();
    let mut votes = Vec::new();
    let mut judges: BTreeMap<Voice, Vec<Answer>> = BTreeMap::new();
    for ((number, judged), answer) in games.iter().enumerate().zip(names.answers(games)) {
        if judged.judge.is_person() {
            let Answer { a, b, prompt, winner, .. } = answer;
            let voter = games.len() + voters.len();
            let source = match judged.judge.short_name() {
                "" => number,
                name => *voters.entry(name).or_insert(voter),
            };
            votes.push(Vote { prompt, a, b, source, winner });
        } else {
            let voice = Voice::Judge(judged.judge.clone());
            judges.entry(voice).or_default().push(answer);
        }
    }
    for answers in judges.values_mut() {
        merged(answers, |answer| *answer, |answer| &mut answer.winner);
    }
    let found = anchored_in(names.methods.len(), &votes, judges, draws, seed)?;
    Ok((names.methods, found))
}

/// Rates methods from answers with figures of the assets held equal; answers become games as in
/// [`rate_answers`]. `differences` has, by answer and figure, that of `a` less that of `b`.
///
/// # Errors
/// [`RateError`].
pub fn rate_controlled(
    rows: &[JudgedGame],
    differences: &[Vec<Option<f64>>],
    settings: &BoardSettings,
) -> Result<(Vec<String>, Option<Controlled>, Refused), RateError> {
    let names = Names::of(rows.iter().map(|row| &row.game));
    let mut answers: Vec<(Answer, &Vec<Option<f64>>)> =
        names.answers(rows).into_iter().zip(differences).collect();
    merged(&mut answers, |(answer, _)| *answer, |(answer, _)| &mut answer.winner);
    let unit = |(answer, _): &(Answer, &Vec<Option<f64>>)| {
        let Answer { a, b, prompt, .. } = *answer;
        (prompt, a.min(b), a.max(b), answer.key)
    };
    answers.sort_by_key(unit);
    let of_unit = |of: &[(Answer, &Vec<Option<f64>>)]| {
        let (first, differences) = &of[0];
        let answers: Vec<Answer> = of.iter().map(|(answer, _)| *answer).collect();
        let sign = if first.a < first.b { 1.0 } else { -1.0 };
        let differences: Vec<_> = differences.iter().map(|it| it.map(|it| sign * it)).collect();
        Meeting::of(&answers, &differences)
    };
    let units = answers.chunk_by(|x, y| unit(x) == unit(y));
    let meetings: Vec<Meeting> = units.flat_map(of_unit).collect();
    let BoardSettings { model, anchor, replicates, seed } = *settings;
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
        Err(_) => Err(RateError::UnknownAnchor { anchor: anchor.to_owned(), methods }),
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

    /// Numbered by judge and assets where both orders belong together, else each by itself.
    fn answers(&self, rows: &[JudgedGame]) -> Vec<Answer> {
        let mut keys: HashMap<(&Rater, &str), usize> = HashMap::new();
        let mut answers = Vec::with_capacity(rows.len());
        for (number, row) in rows.iter().enumerate() {
            let next = keys.len();
            let key = match row.side {
                Side::Neither => rows.len() + number,
                _ => *keys.entry((&row.judge, &row.assets)).or_insert(next),
            };
            answers.push(self.answer(&row.game, key, row.side));
        }
        answers
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
