//! A benchmark's data in addition to questions: the made assets and the scheduled pairs.

use super::folder::{read_json, write_json};
use super::sum::{Columns, Sum, sum_of};
use super::{Record, Store};
use crate::error::Error;
use crate::judge::{Judge, PhotoKey};
use crate::options::names;
use crate::rubric::{Winner, Yes};
use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Where an asset failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedAt {
    /// The generator made none.
    Generate,
    /// The file cannot be read.
    Load,
    /// It reads, but there is nothing to see.
    Draw,
    /// It does not keep the limits of the benchmark's check.
    Check,
}

impl FailedAt {
    /// As in the table.
    pub fn as_str(self) -> &'static str {
        names::<Self>()[self as usize]
    }

    fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// What a generator made of a prompt, or why there is nothing to show.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Made {
    pub method: String,
    pub prompt_id: String,
    /// Which try of the prompt.
    pub seed: u32,
    pub prompt: String,
    /// Its path; none if nothing was made.
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
    /// The photos of the prompt, as they are now.
    pub photo: Option<PhotoKey>,
}

/// How a scheduled pair is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        names::<Self>()[self as usize]
    }

    /// Who wins because the other has no asset; none where that does not decide.
    pub fn winner_by_forfeit(self) -> Option<Winner> {
        match self {
            Self::AByForfeit => Some(Winner::A),
            Self::BByForfeit => Some(Winner::B),
            Self::Asked | Self::LeftOut => None,
        }
    }

    fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

/// In a run's folder: how its judges were asked last, also where that needed no new question.
const JUDGES_FILE: &str = "judges.json";

/// Where and how a judge is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeSetup {
    /// None for a judge without a server.
    pub base_url: Option<String>,
    /// See [`Judge::settings`](crate::judge::Judge::settings).
    pub settings: String,
}

impl JudgeSetup {
    pub fn of(judge: &Judge) -> Self {
        Self { base_url: judge.base_url().map(str::to_owned), settings: judge.settings() }
    }

    /// Whether the judge was asked in this way.
    pub fn is_of(&self, record: &Record) -> bool {
        self.settings == record.settings && self.base_url == record.base_url
    }
}

/// In a run's folder: how its rubrics were shown last.
const SHOWN_FILE: &str = "shown.json";

/// What decides a rubric's questions besides asset, prompt and judge: text and pictures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub rubric_hash: String,
    /// Hash of the render protocol; none where nothing was drawn.
    pub protocol: Option<String>,
    /// Edge of the smallest view, by judge.
    pub view_px: BTreeMap<String, Option<u32>>,
    /// Whether it quotes the prompt's text; else a verdict stays valid when that is edited.
    #[serde(default = "quotes")]
    pub quotes_prompt: bool,
    /// Of a checklist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<Yes>,
}

/// Earlier versions did not say.
fn quotes() -> bool {
    true
}

impl Shown {
    /// Whether the question was asked in this way.
    pub fn is_of(&self, record: &Record) -> bool {
        let now = self.view_px.get(record.judge.as_str());
        // Early versions did not write the size of views.
        let is_view = |px: u32| now.is_none_or(|now| *now == Some(px));
        self.rubric_hash == record.rubric_hash
            && self.protocol == record.protocol
            && record.view_px.is_none_or(is_view)
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
    /// [`Error`].
    pub fn keep_made(&mut self, made: &[Made]) -> Result<(), Error> {
        self.transaction(|t| {
            for made in made {
                let failure = made.failure.as_ref();
                let mut values: Vec<Value> = vec![
                    made.method.clone().into(),
                    made.prompt_id.clone().into(),
                    made.seed.into(),
                    made.prompt.clone().into(),
                    made.path.clone().into(),
                    made.hash.clone().into(),
                    made.file_bytes.map(super::to_i64).into(),
                    made.file_modified_ns.into(),
                    made.seconds.into(),
                    failure.map(|(stage, _)| stage.as_str().to_owned()).into(),
                    failure.map(|(_, reason)| reason.clone()).into(),
                    made.photo.as_ref().map(PhotoKey::to_text).into(),
                ];
                values.push(sum_of(&values).into());
                t.prepare_cached(
                    "INSERT OR REPLACE INTO made (method, prompt_id, seed, prompt, path, hash, file_bytes, file_modified_ns, seconds, failed_at,
                        reason, photo, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?
                .execute(params_from_iter(values))?;
            }
            Ok(())
        })
    }

    /// Forgets what was made that the benchmark no longer lists, and returns the rest. Its
    /// questions and answers stay.
    ///
    /// # Errors
    /// [`Error`].
    pub fn forget_made(&mut self, is_listed: impl Fn(&Made) -> bool) -> Result<Vec<Made>, Error> {
        let (listed, gone): (_, Vec<Made>) = self.made()?.into_iter().partition(is_listed);
        self.transaction(|t| {
            for made in &gone {
                t.prepare_cached(
                    "DELETE FROM made WHERE method = ? AND prompt_id = ? AND seed = ?",
                )?
                .execute(params![made.method, made.prompt_id, made.seed])?;
            }
            Ok(())
        })?;
        Ok(listed)
    }

    /// Notes how the judges are asked from now on: one that is changed back to what it was before
    /// gets no new questions.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_judges(&mut self, judges: &[Judge]) -> Result<(), Error> {
        if !self.is_on_disk {
            return Ok(());
        }
        let path = self.folder.join(JUDGES_FILE);
        let before: BTreeMap<String, JudgeSetup> = read_json(&path)?;
        let mut kept = before.clone();
        kept.extend(judges.iter().map(|judge| (judge.name(), JudgeSetup::of(judge))));
        if kept == before { Ok(()) } else { write_json(&path, &kept) }
    }

    /// Notes how rubrics are shown from now on, by name: a rubric or picture that is changed back
    /// needs no new questions.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_shown(&mut self, shown: &BTreeMap<String, Shown>) -> Result<(), Error> {
        if !self.is_on_disk {
            return Ok(());
        }
        let before = self.shown()?;
        let mut kept = before.clone();
        for (rubric, now) in shown {
            let known = kept.entry(rubric.clone()).or_insert_with(|| now.clone());
            let is_same = known.rubric_hash == now.rubric_hash && known.protocol == now.protocol;
            let mut now = now.clone();
            // Judges of earlier calls saw it so.
            if is_same {
                now.view_px =
                    std::mem::take(&mut known.view_px).into_iter().chain(now.view_px).collect();
            }
            *known = now;
        }
        if kept == before { Ok(()) } else { write_json(&self.folder.join(SHOWN_FILE), &kept) }
    }

    /// How rubrics were shown last, by name; nothing of runs of earlier versions.
    ///
    /// # Errors
    /// [`Error`].
    pub fn shown(&self) -> Result<BTreeMap<String, Shown>, Error> {
        if self.is_on_disk { read_json(&self.folder.join(SHOWN_FILE)) } else { Ok(BTreeMap::new()) }
    }

    /// Address and settings with which each judge was last asked.
    ///
    /// # Errors
    /// [`Error`].
    pub fn judge_setups(&self) -> Result<HashMap<String, JudgeSetup>, Error> {
        let mut kept: HashMap<String, JudgeSetup> = if self.is_on_disk {
            read_json(&self.folder.join(JUDGES_FILE))?
        } else {
            HashMap::new()
        };
        let mut read = || -> rusqlite::Result<HashMap<String, JudgeSetup>> {
            let mut found = HashMap::new();
            // Of few judges: a map by hand is faster than SQLite's grouping, which sorts all rows.
            let mut newest = self.connection.prepare_cached(
                "SELECT judge, base_url, settings FROM questions ORDER BY number DESC",
            )?;
            let mut rows = newest.query([])?;
            while let Some(row) = rows.next()? {
                let judge = row.get_ref(0)?.as_str()?;
                if !found.contains_key(judge) || kept.contains_key(judge) {
                    let setup = JudgeSetup { base_url: row.get(1)?, settings: row.get(2)? };
                    // What was noted counts only with an answer.
                    if kept.get(judge) == Some(&setup) {
                        kept.remove(judge);
                        found.insert(judge.to_owned(), setup);
                    } else {
                        found.entry(judge.to_owned()).or_insert(setup);
                    }
                }
            }
            Ok(found)
        };
        read().map_err(|e| self.failed(&e))
    }

    /// Everything that was made, by method, prompt id and seed.
    ///
    /// # Errors
    /// [`Error`].
    pub fn made(&self) -> Result<Vec<Made>, Error> {
        let mut made = Vec::new();
        let query = "SELECT method, prompt_id, seed, prompt, path, hash, file_bytes, file_modified_ns, seconds, failed_at, reason, photo, sum
            FROM made ORDER BY method, prompt_id, seed";
        let read = |columns: &mut Columns<'_>| {
            let (method, prompt_id, seed) = (columns.next()?, columns.next()?, columns.next()?);
            let (prompt, path, hash) = (columns.next()?, columns.next()?, columns.next()?);
            let bytes: Option<i64> = columns.next()?;
            let (file_modified_ns, seconds) = (columns.next()?, columns.next()?);
            let (stage, reason): (Option<String>, _) = (columns.next()?, columns.next()?);
            let photo = columns.next::<Option<String>>()?;
            Ok(Made {
                method,
                prompt_id,
                seed,
                prompt,
                path,
                hash,
                file_bytes: bytes.and_then(|n| u64::try_from(n).ok()),
                file_modified_ns,
                seconds,
                failure: stage.and_then(|stage| FailedAt::named(&stage)).zip(reason),
                photo: photo.as_deref().and_then(PhotoKey::from_text),
            })
        };
        self.each_checked(query, "an asset's row", read, &mut |row| made.push(row))?;
        Ok(made)
    }

    /// Keeps scheduled pairs, all or none; a pair that is already there gets the new result.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_pairs(&mut self, pairs: &[PlannedPair]) -> Result<(), Error> {
        self.transaction(|t| {
            // A resumed run plans mostly what it planned before.
            let mut known = t.prepare_cached(
                "SELECT 1 FROM pairs WHERE rubric = ? AND prompt_id = ? AND seed = ? AND a = ? AND b = ? AND result = ? AND prompt = ?",
            )?;
            for pair in pairs {
                let PlannedPair { rubric, prompt_id, seed, a, b, prompt, result } = pair;
                if known.exists(params![rubric, prompt_id, seed, a, b, result.as_str(), prompt])? {
                    continue;
                }
                let mut values: Vec<Value> = vec![
                    pair.rubric.clone().into(),
                    pair.prompt_id.clone().into(),
                    pair.prompt.clone().into(),
                    pair.seed.into(),
                    pair.a.clone().into(),
                    pair.b.clone().into(),
                    pair.result.as_str().to_owned().into(),
                ];
                values.push(sum_of(&values).into());
                t.prepare_cached(
                        "INSERT INTO pairs (rubric, prompt_id, prompt, seed, a, b, result, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                         ON CONFLICT (rubric, prompt_id, seed, a, b) DO UPDATE
                         SET prompt = excluded.prompt, result = excluded.result, sum = excluded.sum
                         WHERE result <> excluded.result OR prompt <> excluded.prompt",
                    )?
                    .execute(params_from_iter(values))?;
            }
            Ok(())
        })
    }

    /// All scheduled pairs, in the order of their scheduling.
    ///
    /// # Errors
    /// [`Error`].
    pub fn pairs(&self) -> Result<Vec<PlannedPair>, Error> {
        let mut pairs = Vec::new();
        self.each_pair(|pair| pairs.push(pair))?;
        Ok(pairs)
    }

    /// The same, one at a time: a run has hundreds of thousands.
    ///
    /// # Errors
    /// As [`Store::pairs`].
    pub fn each_pair(&self, each: impl FnMut(PlannedPair)) -> Result<(), Error> {
        self.each_pair_after(0, each)?;
        Ok(())
    }

    /// The same for pairs first scheduled after the `number`th; returns the number of the last.
    ///
    /// # Errors
    /// As [`Store::pairs`].
    pub fn each_pair_after(
        &self,
        number: i64,
        mut each: impl FnMut(PlannedPair),
    ) -> Result<i64, Error> {
        let last = self.number("SELECT coalesce(max(number), 0) FROM pairs")?;
        let query = format!(
            "SELECT rubric, prompt_id, prompt, seed, a, b, result, sum FROM pairs WHERE number > {number} ORDER BY number"
        );
        let read = |columns: &mut Columns<'_>| {
            let (rubric, prompt_id, prompt) = (columns.next()?, columns.next()?, columns.next()?);
            let (seed, a, b) = (columns.next()?, columns.next()?, columns.next()?);
            let result: String = columns.next()?;
            Ok(PlannedPair {
                rubric,
                prompt_id,
                prompt,
                seed,
                a,
                b,
                result: PairResult::named(&result).ok_or(rusqlite::Error::InvalidQuery)?,
            })
        };
        self.each_checked(&query, "a pair's row", read, &mut each)?;
        Ok(last)
    }

    /// Rows whose last column, `sum` in the query, is their checksum.
    fn each_checked<T>(
        &self,
        query: &str,
        what: &str,
        read: impl Fn(&mut Columns<'_>) -> rusqlite::Result<T>,
        each: &mut dyn FnMut(T),
    ) -> Result<(), Error> {
        let mut sum = Sum::default();
        let rows = self.connection.prepare(query).and_then(|mut statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let mut columns = Columns::of(row, 0, &mut sum);
                let value = read(&mut columns)?;
                if !columns.check()? {
                    return Ok(false);
                }
                each(value);
            }
            Ok(true)
        });
        if rows.map_err(|e| self.failed(&e))? { Ok(()) } else { Err(self.damaged(what)) }
    }
}
