//! Database rows → [`Record`]s, each value parsed once and each row checked by its checksum.
//!
//! Questions, their pictures and their attempts are walked side by side in the order of questions,
//! so that a run of any length is read in one pass and in little memory.

use super::attempt::Ending;
use super::sum::{Columns, Sum};
use super::{Rater, Record, Store};
use crate::error::Error;
use crate::judge::{Asset, PhotoKey};
use crate::rubric::{Order, Outcome};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::types::Type;
use rusqlite::{Row, Rows};

/// In the order of the checksum, which the pictures follow.
const QUESTIONS: &str = r#"
SELECT q.number, q.id, q.request, q.planned, q.rubric, q.rubric_hash, q.category, q.prompt, q."order", q.sample, q.judge, q.base_url,
    q.settings, q.protocol, q.view_px, q.recorded_at, a.hash, a.path, a.method, b.hash, b.path, b.method, p.text, q.sum
FROM questions q JOIN assets a ON a.id = q.a LEFT JOIN assets b ON b.id = q.b LEFT JOIN texts p ON p.hash = q.photo WHERE q.number BETWEEN ? AND ? ORDER BY q.number"#;

const PICTURES: &str = "
SELECT question, picture FROM parts WHERE picture IS NOT NULL AND question BETWEEN ? AND ? ORDER BY question, place";

/// In the order of the checksum, which the question's id begins.
const ATTEMPTS: &str = "
SELECT question, asked_at, seconds, outcome, reason, verdict, raw, finish, http_status, model_reported, fingerprint, input_tokens,
    output_tokens, reasoning_tokens, cached_tokens, cost_usd, cost_usd_max, probabilities, reused_from, answers, restates, sum
FROM attempts WHERE question BETWEEN ? AND ? ORDER BY question, id";

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
    // The three walks see the same run.
    let _snapshot = connection
        .is_autocommit()
        .then(|| connection.unchecked_transaction())
        .transpose()
        .map_err(failed)?;
    let statement = |text: &str| connection.prepare_cached(text).map_err(failed);
    let mut questions = statement(QUESTIONS)?;
    let mut pictures = statement(PICTURES)?;
    let mut attempts = statement(ATTEMPTS)?;
    let range = [first, last];
    let mut questions = questions.query(range).map_err(failed)?;
    let mut pictures = Beside::of(pictures.query(range).map_err(failed)?).map_err(failed)?;
    let mut attempts = Beside::of(attempts.query(range).map_err(failed)?).map_err(failed)?;
    let mut walked = Walked::default();
    let mut sum = Sum::default();
    while let Some(row) = questions.next().map_err(failed)? {
        walked.questions += 1;
        let number: i64 = row.get(0).map_err(failed)?;
        let record = asked(row, &mut pictures, number, &mut sum).map_err(failed)?;
        let Some(mut record) = record else {
            return Ok(Err(format!("question {number}")));
        };
        let mut said = Said::default();
        while let Some(row) = attempts.of_question(number).map_err(failed)? {
            walked.attempts += 1;
            if !said.add(row, &mut record, &mut sum).map_err(failed)? {
                return Ok(Err(format!("an attempt at question {number}")));
            }
            attempts.rows.advance().map_err(failed)?;
        }
        match said.complete(record).map_err(failed)? {
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

/// Rows that are read in parallel with those of questions; the first column is the question.
struct Beside<'a> {
    rows: Rows<'a>,
}

impl<'a> Beside<'a> {
    fn of(mut rows: Rows<'a>) -> rusqlite::Result<Self> {
        rows.advance()?;
        Ok(Self { rows })
    }

    /// The row that is next, if it belongs to that question.
    fn of_question(&self, number: i64) -> rusqlite::Result<Option<&Row<'a>>> {
        match self.rows.get() {
            Some(row) if row.get::<_, i64>(0)? == number => Ok(Some(row)),
            _ => Ok(None),
        }
    }
}

/// The record of a question, without its attempts and with an outcome that those replace; none
/// where the row is not what was written.
fn asked(
    row: &Row<'_>,
    pictures: &mut Beside<'_>,
    number: i64,
    sum: &mut Sum,
) -> rusqlite::Result<Option<Record>> {
    let mut columns = Columns::of(row, 1, sum);
    let id = columns.next()?;
    columns.skip()?; // request
    columns.skip()?; // planned
    let (rubric, rubric_hash) = (columns.next()?, columns.next()?);
    let (category, prompt) = (columns.next()?, columns.next()?);
    let order: String = columns.next()?;
    let (sample, judge) = (columns.next()?, columns.next::<String>()?);
    let (base_url, settings) = (columns.next()?, columns.next()?);
    let (protocol, view_px) = (columns.next()?, columns.next()?);
    columns.skip()?; // recorded_at
    let mut asset = || -> rusqlite::Result<Option<Asset>> {
        let hash: Option<String> = columns.next()?;
        let path: Option<String> = columns.next()?;
        let method: Option<String> = columns.next()?;
        Ok(hash.zip(path).zip(method).map(|((hash, path), method)| Asset { path, hash, method }))
    };
    let a = asset()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let b = asset()?;
    let photo: Option<String> = columns.next()?;
    let mut shown = Vec::new();
    while let Some(row) = pictures.of_question(number)? {
        shown.push(row.get::<_, String>(1)?);
        pictures.rows.advance()?;
    }
    for picture in &shown {
        columns.add_text(picture);
    }
    if !columns.check()? {
        return Ok(None);
    }
    let order = Order::named(&order).ok_or_else(|| unknown("order", &order))?;
    let photo = photo.as_deref().and_then(PhotoKey::from_text);
    let cut_out = photo.as_ref().filter(|photo| photo.photo_style.is_some());
    let num_photos = cut_out.map_or(0, |photo| photo.images.len());
    let unanswered = Outcome::ProviderError { reason: String::new() };
    Ok(Some(Record {
        number,
        rubric,
        rubric_hash,
        category,
        prompt,
        sample,
        base_url,
        settings,
        protocol,
        view_px,
        b,
        photo,
        photos: shown.iter().take(num_photos).cloned().collect(),
        pictures: shown,
        ..Record::bare(id, a, order, Rater::named(judge), unanswered)
    }))
}

/// What the attempts at a question say, in addition to the sums in its record.
#[derive(Default)]
struct Said {
    /// Outcome, reason and verdict of the attempt with the verdict, else of the last one.
    ending: Option<(String, Option<String>, Option<String>)>,
    /// Ending, reasoning, time, text, model and form of the last reply to the question itself.
    restated: Option<[Option<String>; 6]>,
    num_replies: usize,
    num_costs: usize,
}

impl Said {
    /// Adds an attempt to the record of its question; false where the row is not what was written.
    fn add(&mut self, row: &Row<'_>, record: &mut Record, sum: &mut Sum) -> rusqlite::Result<bool> {
        sum.add_text(&record.id);
        let mut columns = Columns::of(row, 1, sum);
        let (asked_at, seconds) = (columns.next()?, columns.next::<f64>()?);
        let (outcome, reason) = (columns.next::<String>()?, columns.next()?);
        let (verdict, raw) = (columns.next()?, columns.next::<Option<String>>()?);
        let finish: Option<String> = columns.next()?;
        columns.skip()?; // http_status
        let model_reported = columns.next()?;
        columns.skip()?; // fingerprint
        let (input, output): (Option<i64>, _) = (columns.next()?, columns.next()?);
        let reasoning = columns.next()?;
        columns.skip()?; // cached_tokens
        let cost_usd: Option<f64> = columns.next()?;
        columns.skip()?; // cost_usd_max
        let (probabilities, reused_from): (Option<String>, Option<String>) =
            (columns.next()?, columns.next()?);
        let (answers, restates): (Option<String>, Option<String>) =
            (columns.next()?, columns.next()?);
        if !columns.check()? {
            return Ok(false);
        }
        for (total, more) in [
            (&mut record.input_tokens, input),
            (&mut record.output_tokens, output),
            (&mut record.reasoning_tokens, reasoning),
        ] {
            if let Some(more) = more.and_then(|count| u64::try_from(count).ok()) {
                *total = Some(total.unwrap_or(0).saturating_add(more));
            }
        }
        record.seconds += seconds;
        record.attempts += u32::from(outcome != "budget_stopped" && reused_from.is_none());
        self.num_replies += usize::from(raw.is_some());
        if let Some(cost) = cost_usd {
            self.num_costs += 1;
            record.cost_usd = Some(record.cost_usd.unwrap_or(0.0) + cost);
        }
        if self.ending.as_ref().is_none_or(|(outcome, ..)| outcome != "verdict") {
            // The evidence of a restatement is the reply that it restates.
            let is_restated = restates.is_some();
            let said = self.restated.clone().filter(|_| is_restated).unwrap_or_else(|| {
                let Ending { finish, reasoning } = Ending::read(finish.as_deref());
                let ending = finish.word().map(str::to_owned);
                let reasoning = Some(reasoning).filter(|text| !text.is_empty());
                [ending, reasoning, Some(asked_at), raw.clone(), model_reported, answers]
            });
            if !is_restated && raw.is_some() {
                self.restated = Some(said.clone());
            }
            let [ending, reasoning, asked_at, first, model_reported, answers] = said;
            (record.ending, record.reasoning) = (ending, reasoning);
            record.asked_at = asked_at.unwrap_or_default();
            (record.model_reported, record.answers) = (model_reported, answers);
            record.raw = first;
            record.restatement = raw.filter(|_| is_restated);
            record.restated = is_restated && outcome == "verdict";
            // Log-probabilities are an extra: what cannot be read is as good as not asked for.
            record.probabilities = probabilities.and_then(|text| serde_json::from_str(&text).ok());
            record.reused_from = reused_from;
            self.ending = Some((outcome, reason, verdict));
        }
        Ok(true)
    }

    /// The record with its outcome; none without an attempt.
    fn complete(self, record: Record) -> rusqlite::Result<Option<Record>> {
        let Some((outcome, reason, verdict)) = self.ending else {
            return Ok(None);
        };
        let outcome = Outcome::from_parts(&outcome, reason, verdict.as_deref());
        let outcome = outcome
            .map_err(|e| rusqlite::Error::FromSqlConversionFailure(0, Type::Text, Box::new(e)))?;
        let cost_usd = record.cost_usd.filter(|_| self.num_replies == self.num_costs);
        Ok(Some(Record { outcome, cost_usd, ..record }))
    }
}

fn unknown(column: &str, value: &str) -> rusqlite::Error {
    let reason =
        format!("the {column} {value:?} is unknown to this version; use the version that wrote it");
    rusqlite::Error::FromSqlConversionFailure(0, Type::Text, reason.into())
}
