//! Recorded replies, by the canonical request that they answer: nothing is paid twice.

use super::Store;
use super::attempt::Said;
use super::document::read;
use crate::error::Error;
use crate::judge::Reply;
use crate::rubric::Outcome;

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
        let verdict = "SELECT q.id FROM questions q JOIN attempts t ON t.question = q.number
             WHERE q.request = ? AND t.outcome = 'verdict' AND t.body ->> '$.raw' IS NOT NULL LIMIT 1";
        let Some(id) = self.maybe_row(verdict, [request], |row| row.get::<_, String>(0))? else {
            return Ok(None);
        };
        let attempts = self.attempts_at(&id)?;
        let Some(verdict) = attempts.iter().find(|said| said.is_verdict()) else {
            return Ok(None);
        };
        let is_restated = |said: &&Said| {
            said.restates.is_none() && verdict.restates.as_ref() == Some(&said.asked_at)
        };
        let first = attempts.iter().filter(is_restated).find_map(Said::reply);
        Ok(verdict.reply().map(|reply| Recorded {
            question: verdict.reused_from.clone().unwrap_or(id),
            reply,
            restates: first,
            probabilities: verdict.probabilities.clone(),
        }))
    }

    /// The attempts at a question, oldest first.
    fn attempts_at(&self, id: &str) -> Result<Vec<Said>, Error> {
        let attempts: Vec<(String, i64)> = self.rows(
            "SELECT t.body, t.sum FROM attempts t JOIN questions q ON q.number = t.question WHERE q.id = ? ORDER BY t.id",
            [id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let read = attempts.iter().map(|(body, sum)| read(id, body, *sum));
        read.collect::<Option<_>>().ok_or_else(|| self.damaged("an attempt"))
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
        let attempts = self.attempts_at(id)?;
        let is_unread = |said: &&Said| {
            matches!(said.outcome(), Some(Outcome::Invalid { .. }))
                && said.restates.is_none()
                && said.raw.is_some()
        };
        let Some(last) = attempts.iter().rfind(is_unread) else {
            return Ok(None);
        };
        let restated = attempts
            .iter()
            .find(|said| said.raw.is_some() && said.restates.as_ref() == Some(&last.asked_at));
        Ok(last.reply().map(|reply| Unread {
            reply,
            asked_at: last.asked_at.clone(),
            restated: restated.and_then(|said| said.reason.clone()),
        }))
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
                 WHERE q.judge = ? AND q.base_url IS ? AND q.settings = ? AND t.outcome = 'verdict' AND t.body ->> '$.answers' = ? LIMIT 1";
            self.exists(verdicts, rusqlite::params![judge, base_url, settings, answers])
        };
        Ok(has("text")? && !has("schema")?)
    }
}
