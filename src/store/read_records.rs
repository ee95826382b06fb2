//! Database rows → [`Record`]s, each row checked by its checksum.
//!
//! Questions and their attempts are walked side by side in the order of questions, so that a run of
//! any length is read in one pass and in little memory.

use super::asked::{ASKED, Asked, PartKey};
use super::attempt::Said;
use super::document::read;
use super::{Rater, Record, Store};
use crate::error::Error;
use crate::rubric::Outcome;
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;

/// What a walk came by.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Walked {
    questions: i64,
    attempts: i64,
    /// Questions whose first reply has not arrived.
    pub without_outcome: usize,
}

impl Walked {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            attempts: self.attempts + other.attempts,
            without_outcome: self.without_outcome + other.without_outcome,
        }
    }
}

impl Store {
    /// Calls `each` with every question asked, in recording order. A recorded question whose first
    /// reply never arrived has no outcome yet and is left out; their number is returned.
    ///
    /// # Errors
    /// [`Error`], and whatever `each` fails with.
    pub fn records(&self, each: impl FnMut(Record) -> Result<(), Error>) -> Result<usize, Error> {
        // What another process writes meanwhile is not seen.
        let _snapshot = self
            .connection
            .is_autocommit()
            .then(|| self.connection.unchecked_transaction())
            .transpose()
            .map_err(|e| self.failed(&e))?;
        let walked = walk(self, i64::MIN, i64::MAX, each)?;
        check_whole(self, walked)?;
        Ok(walked.without_outcome)
    }

    /// As [`Store::records`], of the questions with these numbers, both included.
    ///
    /// # Errors
    /// As [`Store::records`].
    pub fn records_between(
        &self,
        first: i64,
        last: i64,
        each: impl FnMut(Record) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        Ok(walk(self, first, last, each)?.without_outcome)
    }

    /// As [`Store::records`], of the questions with an attempt after the `attempt`th; returns the
    /// newest attempt. 0 reads all.
    ///
    /// # Errors
    /// As [`Store::records`].
    pub fn records_since(
        &self,
        attempt: i64,
        mut each: impl FnMut(Record) -> Result<(), Error>,
    ) -> Result<i64, Error> {
        let newest = self.newest_attempt()?;
        if attempt == 0 {
            self.records(each)?;
            return Ok(newest);
        }
        let numbers: Vec<i64> = self.rows(
            "SELECT DISTINCT question FROM attempts WHERE id > ? AND id <= ? ORDER BY question",
            [attempt, newest],
            |row| row.get(0),
        )?;
        for run in numbers.chunk_by(|x, y| x + 1 == *y) {
            self.records_between(run[0], run[run.len() - 1], &mut each)?;
        }
        Ok(newest)
    }

    /// From now on the connection sees the run as it is now; the number of its last attempt.
    ///
    /// # Errors
    /// [`Error`].
    pub fn begin(&self) -> Result<i64, Error> {
        self.connection.execute_batch("BEGIN").map_err(|e| self.failed(&e))?;
        self.newest_attempt()
    }

    fn newest_attempt(&self) -> Result<i64, Error> {
        self.number("SELECT coalesce(max(id), 0) FROM attempts")
    }

    /// The record of one request, if it has an outcome.
    ///
    /// # Errors
    /// [`Error`].
    pub fn record(&self, id: &str) -> Result<Option<Record>, Error> {
        let number = "SELECT number FROM questions WHERE id = ?";
        let number = self.maybe_row(number, [id], |row| row.get(0))?;
        let Some(number) = number else {
            return Ok(None);
        };
        let mut found = None;
        walk(self, number, number, |record| {
            found = Some(record);
            Ok::<(), Error>(())
        })?;
        Ok(found)
    }
}

/// Hands every request with an outcome and a number from `first` to `last` to `each`.
pub(super) fn walk(
    store: &Store,
    first: i64,
    last: i64,
    each: impl FnMut(Record) -> Result<(), Error>,
) -> Result<Walked, Error> {
    walk_to_damage(store, first, last, each)?.map_err(|what| store.damaged(&what))
}

/// As [`walk`], to the first row that is not what was written, which is then named.
pub(super) fn walk_to_damage(
    store: &Store,
    first: i64,
    last: i64,
    mut each: impl FnMut(Record) -> Result<(), Error>,
) -> Result<Result<Walked, String>, Error> {
    let failed = |e: rusqlite::Error| store.failed(&e);
    let connection = &store.connection;
    // Both walks see the same run.
    let _snapshot = connection
        .is_autocommit()
        .then(|| connection.unchecked_transaction())
        .transpose()
        .map_err(failed)?;
    let mut questions = connection
        .prepare_cached(&format!("SELECT {ASKED} WHERE number BETWEEN ? AND ? ORDER BY number"))
        .map_err(failed)?;
    let mut attempts = connection
        .prepare_cached("SELECT question, body, sum FROM attempts WHERE question BETWEEN ? AND ? ORDER BY question, id")
        .map_err(failed)?;
    let mut questions = questions.query([first, last]).map_err(failed)?;
    let mut attempts = attempts.query([first, last]).map_err(failed)?;
    attempts.advance().map_err(failed)?;
    let mut walked = Walked::default();
    while let Some(row) = questions.next().map_err(failed)? {
        walked.questions += 1;
        let Some(asked) = Asked::read(row).map_err(failed)? else {
            let number: i64 = row.get(0).map_err(failed)?;
            return Ok(Err(format!("question {number}")));
        };
        let number = asked.number;
        let mut record = unanswered(asked);
        let mut answers = Answers::default();
        while let Some(row) = attempts.get() {
            if row.get::<_, i64>(0).map_err(failed)? != number {
                break;
            }
            walked.attempts += 1;
            let row = row.get_ref(1).and_then(|body| Ok((body.as_str()?, row.get(2)?)));
            let (body, sum) = row.map_err(failed)?;
            let Some(said) = read::<Said>(&record.id, body, sum) else {
                return Ok(Err(format!("an attempt at question {number}")));
            };
            answers.add(said, &mut record);
            attempts.advance().map_err(failed)?;
        }
        match answers.complete(record) {
            Some(record) => each(record)?,
            None => walked.without_outcome += 1,
        }
    }
    Ok(Ok(walked))
}

/// An index that lost a row would hide an attempt or a question from the walk through all.
pub(super) fn check_whole(store: &Store, walked: Walked) -> Result<(), Error> {
    let is_whole = store.number("SELECT count(*) FROM attempts NOT INDEXED")? == walked.attempts
        && store.number("SELECT count(*) FROM questions")? == walked.questions;
    if is_whole { Ok(()) } else { Err(store.damaged("the list of attempts")) }
}

/// The record of a question, without its attempts and with an outcome that those replace.
fn unanswered(asked: Asked) -> Record {
    let shown = asked.parts.into_iter().filter_map(|part| match part {
        PartKey::Picture(hash) => Some(hash),
        PartKey::Text(_) | PartKey::ExampleAnswer(_) => None,
    });
    let pictures: Vec<String> = shown.collect();
    let cut_out = asked.photo.as_ref().filter(|photo| photo.photo_style.is_some());
    let num_photos = cut_out.map_or(0, |photo| photo.images.len());
    let none = Outcome::ProviderError { reason: String::new() };
    Record {
        number: asked.number,
        rubric: asked.rubric,
        rubric_hash: asked.rubric_hash,
        category: asked.category,
        prompt: asked.prompt,
        sample: asked.sample,
        base_url: asked.base_url,
        settings: asked.settings,
        protocol: asked.protocol,
        view_px: asked.view_px,
        b: asked.b,
        photo: asked.photo,
        photos: pictures.iter().take(num_photos).cloned().collect(),
        pictures,
        ..Record::bare(asked.id, asked.a, asked.order, Rater::named(asked.judge), none)
    }
}

/// What the attempts at a question say, in addition to the sums in its record.
#[derive(Default)]
struct Answers {
    /// That of the attempt with the verdict, else of the last one.
    outcome: Option<Outcome>,
    /// The last reply to the question itself, as its record has it.
    answered: Option<Evidence>,
    num_replies: usize,
    num_costs: usize,
}

/// What a record says of the reply that its verdict was read from.
#[derive(Clone, Default)]
struct Evidence {
    asked_at: String,
    raw: Option<String>,
    ending: Option<String>,
    reasoning: Option<String>,
    model_reported: Option<String>,
    answers: Option<String>,
}

impl Answers {
    /// Adds an attempt to the record of its question.
    fn add(&mut self, said: Said, record: &mut Record) {
        let usage = said.usage;
        for (total, more) in [
            (&mut record.input_tokens, usage.input_tokens),
            (&mut record.output_tokens, usage.output_tokens),
            (&mut record.reasoning_tokens, usage.reasoning_tokens),
        ] {
            if let Some(more) = more {
                *total = Some(total.unwrap_or(0).saturating_add(more));
            }
        }
        record.seconds += said.seconds;
        record.attempts += u32::from(said.is_sent());
        self.num_replies += usize::from(said.raw.is_some());
        if let Some(cost) = said.cost_usd {
            self.num_costs += 1;
            record.cost_usd = Some(record.cost_usd.unwrap_or(0.0) + cost);
        }
        if matches!(self.outcome, Some(Outcome::Verdict(_))) {
            return;
        }
        self.outcome = said.outcome();
        // The evidence of a restatement is the reply that it restates.
        let is_restated = said.restates.is_some();
        let is_reply = said.raw.is_some();
        record.restated = is_restated && said.is_verdict();
        record.restatement = said.raw.clone().filter(|_| is_restated);
        record.probabilities = said.probabilities;
        record.reused_from = said.reused_from;
        let own = Evidence {
            asked_at: said.asked_at,
            raw: said.raw,
            ending: said.finish.word().map(str::to_owned),
            reasoning: Some(said.reasoning).filter(|text| !text.is_empty()),
            model_reported: said.model_reported,
            answers: said.answers,
        };
        let evidence = self.answered.clone().filter(|_| is_restated).unwrap_or(own);
        if !is_restated && is_reply {
            self.answered = Some(evidence.clone());
        }
        record.asked_at = evidence.asked_at;
        record.raw = evidence.raw;
        (record.ending, record.reasoning) = (evidence.ending, evidence.reasoning);
        (record.model_reported, record.answers) = (evidence.model_reported, evidence.answers);
    }

    /// The record with its outcome; none without an attempt.
    fn complete(self, record: Record) -> Option<Record> {
        let cost_usd = record.cost_usd.filter(|_| self.num_replies == self.num_costs);
        Some(Record { outcome: self.outcome?, cost_usd, ..record })
    }
}
