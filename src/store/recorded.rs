//! Recorded replies, by the canonical request that they answer: nothing is paid twice.

use super::Store;
use super::attempt::Ending;
use crate::error::Error;
use crate::judge::Reply;

/// A recorded reply that held a verdict, or whose restatement did.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The question that it answered.
    pub question: String,
    /// The reply as it was said. It costs nothing now, and its tokens are not counted again.
    pub reply: Reply,
    /// The reply that it restates; none where it answered the question itself.
    pub restates: Option<Reply>,
    /// A probability for each option of each criterion, where the server sent log-probabilities.
    pub probabilities: Option<serde_json::Value>,
}

/// A reply without a verdict that is the last to its question.
#[derive(Debug, Clone, PartialEq)]
pub struct Unread {
    pub reply: Reply,
    /// When it was asked for, as attempts name it.
    pub asked_at: String,
    /// Why its restatement is no verdict; none where it was not restated.
    pub restated: Option<String>,
}

impl Store {
    /// The reply to that request, whichever question of this run it answered.
    ///
    /// # Errors
    /// [`Error`].
    pub fn recorded(&self, request: &str) -> Result<Option<Recorded>, Error> {
        let read = |row: &rusqlite::Row<'_>| {
            let probabilities: Option<String> = row.get(6)?;
            let restates: Option<String> = row.get(7)?;
            let first = |text| Reply { text, ..plain(row, 8) };
            Ok(Recorded {
                question: row.get(0)?,
                reply: Reply {
                    text: row.get(1)?,
                    model_reported: row.get(3)?,
                    fingerprint: row.get(4)?,
                    http_status: row.get(5)?,
                    ..plain(row, 2)
                },
                restates: restates.map(first),
                probabilities: probabilities.and_then(|text| serde_json::from_str(&text).ok()),
            })
        };
        self.maybe_row(
            "SELECT coalesce(t.reused_from, q.id), t.raw, t.finish, t.model_reported, t.fingerprint, t.http_status, t.probabilities, o.raw, o.finish
             FROM questions q JOIN attempts t ON t.question = q.number
             LEFT JOIN attempts o ON o.question = t.question AND o.asked_at = t.restates AND o.restates IS NULL AND o.raw IS NOT NULL
             WHERE q.request = ? AND t.outcome = 'verdict' AND t.raw IS NOT NULL LIMIT 1",
            [request],
            read,
        )
    }

    /// Every settings text with which a judge was asked.
    ///
    /// # Errors
    /// [`Error`].
    pub fn settings_of(&self, judge: &str) -> Result<Vec<String>, Error> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let question = "SELECT DISTINCT settings FROM questions WHERE judge = ?";
            let mut all = self.connection.prepare_cached(question)?;
            let rows = all.query_map([judge], |row| row.get(0))?;
            rows.collect()
        };
        read().map_err(|e| self.failed(&e))
    }

    /// The last reply to a question that has no verdict, and what came of its restatement.
    ///
    /// # Errors
    /// [`Error`].
    pub fn unread(&self, id: &str) -> Result<Option<Unread>, Error> {
        let read = |row: &rusqlite::Row<'_>| {
            let reply = Reply { text: row.get(0)?, ..plain(row, 1) };
            Ok(Unread { reply, asked_at: row.get(2)?, restated: row.get(3)? })
        };
        self.maybe_row(
            "SELECT t.raw, t.finish, t.asked_at, (
                 SELECT r.reason FROM attempts r WHERE r.question = t.question AND r.restates = t.asked_at AND r.raw IS NOT NULL LIMIT 1)
             FROM questions q JOIN attempts t ON t.question = q.number
             WHERE q.id = ? AND t.outcome = 'invalid' AND t.raw IS NOT NULL AND t.restates IS NULL ORDER BY t.id DESC LIMIT 1",
            [id],
            read,
        )
    }

    /// Whether a judge with these settings gave verdicts, and all of them were asked for in text.
    ///
    /// # Errors
    /// [`Error`].
    pub fn was_asked_for_text(
        &self,
        judge: &str,
        base_url: Option<&str>,
        settings: &str,
    ) -> Result<bool, Error> {
        let has = |answers: &str| {
            let verdicts = "SELECT 1 FROM questions q JOIN attempts t ON t.question = q.number
                 WHERE q.judge = ? AND q.base_url IS ? AND q.settings = ? AND t.outcome = 'verdict' AND t.answers = ? LIMIT 1";
            self.exists(verdicts, rusqlite::params![judge, base_url, settings, answers])
        };
        Ok(has("text")? && !has("schema")?)
    }
}

/// A reply without its text, with the ending in that column.
fn plain(row: &rusqlite::Row<'_>, column: usize) -> Reply {
    let finish: Option<String> = row.get(column).unwrap_or_default();
    let Ending { finish, reasoning } = Ending::read(finish.as_deref());
    Reply { reasoning, finish, cost_usd: Some(0.0), ..Reply::default() }
}
