//! An attempt: what came back from one try at a request, as it is kept.

use super::clock::rfc3339;
use super::document::{sum_of, to_body};
use crate::judge::{Reply, Usage};
use crate::rubric::{Finish, Outcome, Verdict};
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// One try at a request, or its end without one.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// When the request was sent.
    pub asked_at: SystemTime,
    /// Until the last byte, or until it failed.
    pub elapsed: Duration,
    pub outcome: Outcome,
    /// None where no reply came.
    pub reply: Option<Reply>,
    /// HTTP status, also of a failure; none for a judge without a server.
    pub http_status: Option<u16>,
    /// US dollars that it may have cost at most, where the cost is not known and the price is; what
    /// was reserved, where it has cost more.
    pub cost_usd_max: Option<f64>,
    /// A probability for each option of each criterion, where the server sent log-probabilities.
    pub probabilities: Option<serde_json::Value>,
    /// The id of the request whose recorded reply this is, where nothing was sent.
    pub reused_from: Option<String>,
    /// Whether the answer was asked for by schema; none for a judge without a server.
    pub by_schema: Option<bool>,
    /// When the attempt was asked whose reply this one restates; none for other attempts.
    pub restates: Option<String>,
}

impl Attempt {
    /// An end for which nothing was sent: stopped by the budget, or answered from elsewhere.
    pub fn without_sending(outcome: Outcome) -> Self {
        Self {
            asked_at: SystemTime::now(),
            elapsed: Duration::ZERO,
            outcome,
            reply: None,
            http_status: None,
            cost_usd_max: None,
            probabilities: None,
            reused_from: None,
            by_schema: None,
            restates: None,
        }
    }
}

/// An attempt as it is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Said {
    pub asked_at: String,
    pub seconds: f64,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// The text as it was received, marks of reasoning included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    #[serde(default)]
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_reported: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    #[serde(default)]
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd_max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<String>,
    /// The form that was asked for: schema or text; none for a judge without a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restates: Option<String>,
}

impl Said {
    fn of(asked_at: String, attempt: &Attempt) -> Self {
        let (outcome, reply) = (&attempt.outcome, attempt.reply.as_ref());
        Self {
            asked_at,
            seconds: attempt.elapsed.as_secs_f64(),
            outcome: outcome.name().to_owned(),
            reason: outcome.reason().map(str::to_owned),
            verdict: outcome.verdict().cloned(),
            raw: reply.map(|it| it.text.clone()),
            finish: reply.map(|it| it.finish.clone()).unwrap_or_default(),
            reasoning: reply.map(|it| it.reasoning.clone()).unwrap_or_default(),
            http_status: attempt.http_status,
            model_reported: reply.and_then(|it| it.model_reported.clone()),
            fingerprint: reply.and_then(|it| it.fingerprint.clone()),
            usage: reply.map(|it| it.usage).unwrap_or_default(),
            cost_usd: reply.and_then(|it| it.cost_usd),
            cost_usd_max: attempt.cost_usd_max,
            probabilities: attempt.probabilities.clone(),
            reused_from: attempt.reused_from.clone(),
            answers: attempt.by_schema.map(|it| if it { "schema" } else { "text" }.to_owned()),
            restates: attempt.restates.clone(),
        }
    }

    pub(super) fn is_verdict(&self) -> bool {
        self.verdict.is_some()
    }

    /// Whether a request was sent for it.
    pub(super) fn is_sent(&self) -> bool {
        self.outcome != "budget_stopped" && self.reused_from.is_none()
    }

    /// How it ended; none where this version does not know the outcome.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        Outcome::from_parts(&self.outcome, self.reason.clone(), self.verdict.clone())
    }

    /// The reply as it was said. It costs nothing now, and its tokens are not counted again.
    pub(super) fn reply(&self) -> Option<Reply> {
        Some(Reply {
            text: self.raw.clone()?,
            reasoning: self.reasoning.clone(),
            finish: self.finish.clone(),
            model_reported: self.model_reported.clone(),
            fingerprint: self.fingerprint.clone(),
            http_status: self.http_status,
            cost_usd: Some(0.0),
            ..Reply::default()
        })
    }
}

/// Writes an attempt at a recorded question.
pub(super) fn insert_attempt(
    t: &Connection,
    question: &str,
    asked_at: String,
    attempt: &Attempt,
) -> rusqlite::Result<()> {
    insert_as(t, next_id(t)?, question, asked_at, attempt)
}

/// Writes an attempt in the place of the question's last one. A number is never given twice, so
/// that the run's state is another one.
pub(super) fn replace_attempt(
    t: &Connection,
    question: &str,
    attempt: &Attempt,
) -> rusqlite::Result<()> {
    let id = next_id(t)?;
    let delete = "DELETE FROM attempts WHERE id = (SELECT max(t.id) FROM attempts t JOIN questions q ON q.number = t.question WHERE q.id = ?)";
    t.prepare_cached(delete)?.execute([question])?;
    insert_as(t, id, question, rfc3339(attempt.asked_at), attempt)
}

fn next_id(t: &Connection) -> rusqlite::Result<i64> {
    let next = "SELECT coalesce(max(id), 0) + 1 FROM attempts";
    t.prepare_cached(next)?.query_row([], |row| row.get(0))
}

fn insert_as(
    t: &Connection,
    id: i64,
    question: &str,
    asked_at: String,
    attempt: &Attempt,
) -> rusqlite::Result<()> {
    let body = to_body(&Said::of(asked_at, attempt));
    let insert = "INSERT INTO attempts (id, question, body, sum) SELECT ?, number, ?, ? FROM questions WHERE id = ?";
    let sum = sum_of([Some(question), Some(&body)]);
    match t.prepare_cached(insert)?.execute(params![id, body, sum, question])? {
        1 => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}
