//! Columns of a table of verdicts → a board's answers for [`rate_answers`](super::rate_answers).

use super::rate::{JudgedGame, NamedGame};
use crate::error::Error;
use crate::rate::{Side, Winner};
use crate::store::Rater;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The judge of a person's vote without a name.
const PEOPLE: &str = "people";

/// The cells of a column as text; none is missing.
pub(super) type Cells = Vec<Option<String>>;

/// The columns of verdicts, equal in length. Those that a table need not have are options.
#[derive(Debug, Clone, Default)]
pub struct GameRows {
    pub a: Cells,
    pub b: Cells,
    /// `a`, `b` or `tie`; a row without a winner is left out.
    pub winner: Cells,
    /// Without prompts, each row has its own.
    pub prompt: Option<Cells>,
    /// Distinguishes prompts with one text.
    pub prompt_id: Option<Cells>,
    /// `people`, `human:NAME`, or a judge's name.
    pub judge: Option<Cells>,
    /// `ab` or `ba`: the asset on the left is first. Without it, each row is a game.
    pub order: Option<Cells>,
    pub seed: Option<Cells>,
    pub hashes: [Option<Cells>; 2],
    /// Columns that have one value on a board, with their plurals.
    pub boards: Vec<(&'static str, &'static str, Cells)>,
}

fn cell(column: Option<&Cells>, row: usize) -> Option<&str> {
    column?.get(row)?.as_deref()
}

impl GameRows {
    /// Rows with a winner, each with its number.
    ///
    /// # Errors
    /// A cell that is none of the allowed words, or columns of different lengths.
    pub fn answers(&self) -> Result<Vec<(usize, JudgedGame)>, Error> {
        let length = self.a.len();
        let others = [Some(&self.b), Some(&self.winner), self.prompt.as_ref()];
        if others.into_iter().flatten().any(|cells| cells.len() != length) {
            return Err(Error::rate("the columns of the games differ in length"));
        }
        let shared = self.shared_texts();
        let mut read = Vec::new();
        for row in 0..length {
            let (Some(a), Some(b), Some(said)) = (&self.a[row], &self.b[row], &self.winner[row])
            else {
                continue;
            };
            let judge = match cell(self.judge.as_ref(), row) {
                Some(PEOPLE) => Rater::person(""),
                name => Rater::named(name.unwrap_or_default()),
            };
            let side = side_of(row, cell(self.order.as_ref(), row))?;
            let hash = |side: usize| cell(self.hashes[side].as_ref(), row).unwrap_or_default();
            let mut hashes = [hash(0), hash(1)];
            hashes.sort_unstable();
            let seed = cell(self.seed.as_ref(), row).unwrap_or_default();
            let game = NamedGame {
                a: a.clone(),
                b: b.clone(),
                prompt: self.prompt_of(row, &shared),
                winner: winner_of(row, said)?,
            };
            let answer = JudgedGame {
                game,
                // A person sees a pair once, and other programs' orders are unknown.
                side: if judge.is_asked() { side } else { Side::Neither },
                judge,
                assets: format!("{seed} {}", hashes.join(" ")),
            };
            read.push((row, answer));
        }
        Ok(read)
    }

    /// Texts that several prompts have.
    fn shared_texts(&self) -> HashSet<&str> {
        let mut first: HashMap<&str, &str> = HashMap::new();
        let named = |row: usize| {
            Some((cell(self.prompt.as_ref(), row)?, cell(self.prompt_id.as_ref(), row)?))
        };
        (0..self.a.len())
            .filter_map(named)
            .filter(|(text, id)| *first.entry(text).or_insert(id) != *id)
            .map(|(text, _)| text)
            .collect()
    }

    /// The text, and the id with it where prompts share the text, as on a run's boards.
    fn prompt_of(&self, row: usize, shared: &HashSet<&str>) -> String {
        let text = cell(self.prompt.as_ref(), row).unwrap_or_default();
        match cell(self.prompt_id.as_ref(), row) {
            None if self.prompt.is_none() && self.prompt_id.is_none() => row.to_string(),
            Some(id) if text.is_empty() => id.to_owned(),
            Some(id) if shared.contains(text) => format!("{text} ({id})"),
            _ => text.to_owned(),
        }
    }

    /// Refuses rows of several boards. With `several_judges`, those of all judges are one.
    ///
    /// # Errors
    /// [`Error`].
    pub fn check_one_board(
        &self,
        read: &[(usize, JudgedGame)],
        several_judges: bool,
    ) -> Result<(), Error> {
        let several = |column: &str, what: &str, found: BTreeSet<&str>| {
            let Some(first) = found.first().filter(|_| found.len() > 1) else {
                return Ok(());
            };
            let more = match column {
                "judge" => ", or give judge=None if every row is a game, with any judge",
                _ => "",
            };
            let (count, names) = (found.len(), Vec::from_iter(found.iter().copied()).join(", "));
            Err(Error::rate(format!(
                "the rows have {count} {what} ({names}), each of which needs a board of its own; choose one, as in rows.filter({column}={first:?}){more}"
            )))
        };
        for (column, what, cells) in &self.boards {
            let found = read.iter().filter_map(|(row, _)| cell(Some(cells), *row));
            several(column, what, found.filter(|cell| !cell.is_empty()).collect())?;
        }
        let voice = |(_, row): &'_ (usize, JudgedGame)| row.judge.is_person();
        let judges = read.iter().map(|row| if voice(row) { PEOPLE } else { row.1.judge.as_str() });
        if several_judges { Ok(()) } else { several("judge", "judges", judges.collect()) }
    }
}

fn winner_of(row: usize, said: &str) -> Result<Winner, Error> {
    match said {
        "a" => Ok(Winner::A),
        "b" => Ok(Winner::B),
        "tie" => Ok(Winner::Tie),
        _ => Err(Error::rate(format!("row {row} has the winner {said:?}; give 'a', 'b' or 'tie'"))),
    }
}

fn side_of(row: usize, said: Option<&str>) -> Result<Side, Error> {
    match said {
        None => Ok(Side::Neither),
        Some("ab") => Ok(Side::ALeft),
        Some("ba") => Ok(Side::BLeft),
        Some(other) => Err(Error::rate(format!(
            "row {row} has the order {other:?}; give 'ab' if a was on the left, 'ba' if b was"
        ))),
    }
}
