//! What a benchmark keeps beside questions: which assets were made, and which pairs were scheduled.

use super::{Store, StoreError};
use rusqlite::params;

/// Where an asset failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedAt {
    /// The generator made none.
    Generate,
    /// The file cannot be read.
    Load,
    /// It reads, but there is nothing to see.
    Draw,
}

impl FailedAt {
    /// As in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Load => "load",
            Self::Draw => "draw",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Generate, Self::Load, Self::Draw]
            .into_iter()
            .find(|stage| stage.as_str() == name)
    }
}

/// What a generator made of a prompt, or why there is nothing to show.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Made {
    pub method: String,
    pub prompt_id: String,
    /// Which try of the prompt.
    pub seed: u32,
    pub prompt: String,
    /// Where it lies; none where nothing was made.
    pub path: Option<String>,
    /// BLAKE3 of everything it is loaded from; none where it cannot be read.
    pub hash: Option<String>,
    /// Size of its file when it was hashed.
    pub file_bytes: Option<u64>,
    /// Time of its file when it was hashed: nanoseconds since 1970.
    pub file_modified_ns: Option<i64>,
    /// How long its making took; none where it was there already.
    pub seconds: Option<f64>,
    /// Where and why it failed; none for an asset that can be judged.
    pub failure: Option<(FailedAt, String)>,
}

/// How a scheduled pair is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairResult {
    Asked,
    /// `b` has no asset, and the rule says that this is a loss.
    AByForfeit,
    /// `a` has no asset, and the rule says that this is a loss.
    BByForfeit,
    /// Not at all: both have none, or the rule says that one missing asset leaves the pair out.
    LeftOut,
}

impl PairResult {
    /// As in the table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::AByForfeit => "a_by_forfeit",
            Self::BByForfeit => "b_by_forfeit",
            Self::LeftOut => "left_out",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [
            Self::Asked,
            Self::AByForfeit,
            Self::BByForfeit,
            Self::LeftOut,
        ]
        .into_iter()
        .find(|result| result.as_str() == name)
    }
}

/// A pair of methods on one prompt, as scheduled.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct PlannedPair {
    pub rubric: String,
    pub prompt_id: String,
    pub prompt: String,
    /// Which try of the prompt.
    pub seed: u32,
    /// The method listed first.
    pub a: String,
    /// The method listed second.
    pub b: String,
    /// How it is decided.
    pub result: PairResult,
}

impl Store {
    /// Keeps what was made, all or none; a later try replaces an earlier one.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_made(&mut self, made: &[Made]) -> Result<(), StoreError> {
        self.transaction(|t| {
            for made in made {
                let failure = made.failure.as_ref();
                t.prepare_cached(
                    "INSERT OR REPLACE INTO made VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    made.method,
                    made.prompt_id,
                    made.seed,
                    made.prompt,
                    made.path,
                    made.hash,
                    made.file_bytes.map(super::to_i64),
                    made.file_modified_ns,
                    made.seconds,
                    failure.map(|(stage, _)| stage.as_str()),
                    failure.map(|(_, reason)| reason),
                ])?;
            }
            Ok(())
        })
    }

    /// Everything that was made, by method, prompt id and seed.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn made(&self) -> Result<Vec<Made>, StoreError> {
        let read = |row: &rusqlite::Row<'_>| {
            let stage: Option<String> = row.get(9)?;
            let reason: Option<String> = row.get(10)?;
            let bytes: Option<i64> = row.get(6)?;
            Ok(Made {
                method: row.get(0)?,
                prompt_id: row.get(1)?,
                seed: row.get(2)?,
                prompt: row.get(3)?,
                path: row.get(4)?,
                hash: row.get(5)?,
                file_bytes: bytes.and_then(|n| u64::try_from(n).ok()),
                file_modified_ns: row.get(7)?,
                seconds: row.get(8)?,
                failure: stage.and_then(|stage| FailedAt::named(&stage)).zip(reason),
            })
        };
        self.connection
            .prepare_cached("SELECT * FROM made ORDER BY method, prompt_id, seed")
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .map_err(|e| self.failed(&e))
    }

    /// Keeps scheduled pairs, all or none; a pair that is already there gets the new result.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_pairs(&mut self, pairs: &[PlannedPair]) -> Result<(), StoreError> {
        self.transaction(|t| {
            for pair in pairs {
                t.prepare_cached(
                    "INSERT INTO pairs (rubric, prompt_id, prompt, seed, a, b, result) VALUES (?, ?, ?, ?, ?, ?, ?)
                     ON CONFLICT (rubric, prompt_id, seed, a, b) DO UPDATE SET result = excluded.result",
                )?
                .execute(params![
                    pair.rubric,
                    pair.prompt_id,
                    pair.prompt,
                    pair.seed,
                    pair.a,
                    pair.b,
                    pair.result.as_str(),
                ])?;
            }
            Ok(())
        })
    }

    /// All scheduled pairs, in the order of their scheduling.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn pairs(&self) -> Result<Vec<PlannedPair>, StoreError> {
        let read = |row: &rusqlite::Row<'_>| {
            let result: String = row.get(6)?;
            Ok(PlannedPair {
                rubric: row.get(0)?,
                prompt_id: row.get(1)?,
                prompt: row.get(2)?,
                seed: row.get(3)?,
                a: row.get(4)?,
                b: row.get(5)?,
                result: PairResult::named(&result).ok_or(rusqlite::Error::InvalidQuery)?,
            })
        };
        self.connection
            .prepare_cached(
                "SELECT rubric, prompt_id, prompt, seed, a, b, result FROM pairs ORDER BY number",
            )
            .and_then(|mut statement| statement.query_map([], read)?.collect())
            .map_err(|e| self.failed(&e))
    }
}
