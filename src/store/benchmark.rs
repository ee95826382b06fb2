//! A benchmark's data in addition to questions: the made assets and the scheduled pairs.

use super::document::keep;
use super::{Record, Store};
use crate::error::Error;
use crate::judge::{Judge, PhotoKey};
use crate::options::names;
use crate::rubric::{Winner, Yes};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use serde_json::json;
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
}

/// What a generator made of a prompt, or why there is nothing to show.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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
}

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

    /// Notes that the judge of that name is asked so now.
    pub(super) fn keep(&self, t: &Connection, judge: &str) -> rusqlite::Result<()> {
        keep(t, "judges", judge, self)
    }

    /// Whether the judge was asked in this way.
    pub fn is_of(&self, record: &Record) -> bool {
        self.settings == record.settings && self.base_url == record.base_url
    }
}

/// What decides a rubric's questions besides asset, prompt and judge: text and pictures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    pub rubric_hash: String,
    /// Hash of the render protocol; none where nothing was drawn.
    pub protocol: Option<String>,
    /// Edge of the smallest view, by judge.
    pub view_px: BTreeMap<String, Option<u32>>,
    /// Whether it quotes the prompt's text; else a verdict stays valid when that is edited.
    pub quotes_prompt: bool,
    /// Of a checklist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<Yes>,
}

impl Shown {
    /// Whether the question was asked in this way.
    pub fn is_of(&self, record: &Record) -> bool {
        let now = self.view_px.get(record.judge.as_str());
        self.rubric_hash == record.rubric_hash
            && self.protocol == record.protocol
            && now.is_none_or(|now| *now == record.view_px)
    }
}

/// A pair of methods on one prompt, as scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

impl Made {
    fn key(&self) -> String {
        json!([self.method, self.prompt_id, self.seed]).to_string()
    }
}

impl PlannedPair {
    fn key(&self) -> String {
        json!([self.rubric, self.prompt_id, self.seed, self.a, self.b]).to_string()
    }
}

impl Store {
    /// Keeps what was made, all or none; a later try replaces an earlier one.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_made(&mut self, made: &[Made]) -> Result<(), Error> {
        self.transaction(|t| made.iter().try_for_each(|it| keep(t, "made", &it.key(), it)))
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
                t.prepare_cached("DELETE FROM made WHERE key = ?")?.execute([made.key()])?;
            }
            Ok(())
        })?;
        Ok(listed)
    }

    /// Notes how the judges are asked from now on, if they have answered so before: one that is
    /// changed back to what it was gets no new questions. Others are noted with their first
    /// verdict, so that a call without one changes nothing.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_judges(&mut self, judges: &[Judge]) -> Result<(), Error> {
        let verdicts = "SELECT 1 FROM questions q JOIN attempts t ON t.question = q.number
             WHERE q.judge = ? AND q.base_url IS ? AND q.settings = ? AND t.outcome = 'verdict' LIMIT 1";
        for judge in judges {
            let (name, setup) = (judge.name(), JudgeSetup::of(judge));
            if self.exists(verdicts, params![name, setup.base_url, setup.settings])? {
                self.transaction(|t| setup.keep(t, &name))?;
            }
        }
        Ok(())
    }

    /// Notes how rubrics are shown from now on, by name: a rubric or picture that is changed back
    /// needs no new questions.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_shown(&mut self, shown: BTreeMap<String, Shown>) -> Result<(), Error> {
        let mut before = self.shown()?;
        self.transaction(|t| {
            shown.into_iter().try_for_each(|(rubric, mut now)| {
                // Judges of earlier calls saw it so.
                if let Some(before) = before.remove(&rubric)
                    && before.rubric_hash == now.rubric_hash
                    && before.protocol == now.protocol
                {
                    now.view_px = before.view_px.into_iter().chain(now.view_px).collect();
                }
                keep(t, "rubrics", &rubric, &now)
            })
        })
    }

    /// How rubrics were shown last, by name.
    ///
    /// # Errors
    /// [`Error`].
    pub fn shown(&self) -> Result<BTreeMap<String, Shown>, Error> {
        self.documents_by_key("rubrics")
    }

    /// Address and settings with which each judge was last asked.
    ///
    /// # Errors
    /// [`Error`].
    pub fn judge_setups(&self) -> Result<HashMap<String, JudgeSetup>, Error> {
        self.documents_by_key("judges")
    }

    /// Everything that was made, by method, prompt id and seed.
    ///
    /// # Errors
    /// [`Error`].
    pub fn made(&self) -> Result<Vec<Made>, Error> {
        let mut made: Vec<Made> = self.documents("made")?;
        let place = |it: &'_ Made| (it.method.clone(), it.prompt_id.clone(), it.seed);
        made.sort_by_cached_key(place);
        Ok(made)
    }

    /// Keeps scheduled pairs, all or none; a pair that is already there gets the new result.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_pairs(&mut self, pairs: &[PlannedPair]) -> Result<(), Error> {
        self.transaction(|t| pairs.iter().try_for_each(|it| keep(t, "pairs", &it.key(), it)))
    }

    /// All scheduled pairs, in the order of their scheduling.
    ///
    /// # Errors
    /// [`Error`].
    pub fn pairs(&self) -> Result<Vec<PlannedPair>, Error> {
        self.documents("pairs")
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
        let mut last = number;
        self.each_document("pairs", number, |number, _, pair| {
            last = number;
            each(pair);
        })?;
        Ok(last)
    }
}
