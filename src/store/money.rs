//! What a run cost, and whether its judges passed the known-picture test before it began.

use super::attempt::insert_attempt;
use super::document::{keep, to_body};
use super::{Attempt, Store, rfc3339};
use crate::error::Error;
use crate::rubric::Outcome;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// A test whether a judge sees the pictures that it is sent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Canary {
    /// RFC 3339, UTC; written by the store.
    pub asked_at: String,
    pub judge: String,
    pub base_url: Option<String>,
    /// See [`Judge::settings`](crate::judge::Judge::settings).
    pub settings: String,
    /// Why it failed; none when it passed.
    pub reason: Option<String>,
    /// What the picture shows.
    pub expected: String,
    /// The reply to the picture.
    pub raw: Option<String>,
    /// Tokens read without the picture.
    pub input_tokens_without: Option<u64>,
    /// Tokens read with it.
    pub input_tokens_with: Option<u64>,
    pub requests: u64,
    /// US dollars; none where the price is unknown.
    pub cost_usd: Option<f64>,
    /// US dollars at most, where the cost is unknown.
    pub cost_usd_max: Option<f64>,
}

/// Why a canary failed whose replies are not known: it was recorded before it was sent, at its
/// maximum, and nothing came of it.
pub const CANARY_BEGUN: &str = "the program ended before the replies arrived";

/// Requests to servers, and their price.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spent {
    /// What waits in a batch is not counted.
    pub requests: u64,
    /// US dollars. Unknown costs count at their maximum.
    pub usd: f64,
}

/// Attempts whose cost is not known and that no settlement covers.
const UNSETTLED: &str = "cost_usd IS NULL AND cost_usd_max IS NOT NULL
    AND id > (SELECT coalesce(max(CAST(body ->> '$.raw' AS INTEGER)), 0) FROM canaries WHERE body ->> '$.judge' = 'settlement')";

impl Store {
    /// What this run has sent and spent, over all commands and canaries. Reads every attempt.
    ///
    /// # Errors
    /// [`Error`].
    pub fn spent(&self) -> Result<Spent, Error> {
        let asked = self.spent_by(
            "SELECT count(CASE WHEN q.base_url IS NOT NULL AND t.is_sent THEN 1 END),
                    total(coalesce(t.cost_usd, t.cost_usd_max)) FROM attempts t JOIN questions q ON q.number = t.question",
        )?;
        let tested = self.spent_on_canaries()?;
        Ok(Spent { requests: asked.requests + tested.requests, usd: asked.usd + tested.usd })
    }

    /// The part of it that canaries took, and settlements.
    ///
    /// # Errors
    /// [`Error`].
    pub fn spent_on_canaries(&self) -> Result<Spent, Error> {
        self.spent_by(
            "SELECT coalesce(sum(requests), 0), total(coalesce(cost_usd, cost_usd_max)) FROM canaries",
        )
    }

    fn spent_by(&self, query: &str) -> Result<Spent, Error> {
        self.row(query, [], |row| {
            Ok(Spent { requests: row.get::<_, i64>(0)?.unsigned_abs(), usd: row.get(1)? })
        })
    }

    /// The highest multiple of its reservation that the judge's requests cost; at least 1.
    ///
    /// # Errors
    /// [`Error`].
    pub fn excess(&self, judge: &str, base_url: Option<&str>) -> Result<f64, Error> {
        self.row(
            "SELECT coalesce(max(t.cost_usd / t.cost_usd_max), 1.0) FROM attempts t JOIN questions q ON q.number = t.question
             WHERE t.cost_usd > t.cost_usd_max AND t.cost_usd_max > 0 AND q.judge = ? AND q.base_url IS ?",
            params![judge, base_url],
            |row| row.get(0),
        )
    }

    /// Requests whose cost is not known, and the maximum that they are booked at, in US dollars:
    /// they were cut off, or no usage came.
    ///
    /// # Errors
    /// [`Error`].
    pub fn unsettled(&self) -> Result<(u64, f64), Error> {
        let query = format!("SELECT count(*), total(cost_usd_max) FROM attempts WHERE {UNSETTLED}");
        self.row(&query, [], |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get(1)?)))
    }

    /// Books the requests of unknown cost at `usd` together, as a bill says. Attempts stay as they
    /// are: the difference is a row of its own, which names the last attempt it covers.
    ///
    /// # Errors
    /// [`Error`].
    pub fn settle(&mut self, usd: f64) -> Result<(), Error> {
        let (count, booked_usd) = self.unsettled()?;
        if count == 0 {
            return Ok(());
        }
        self.transaction(|t| {
            let last: i64 =
                t.query_row("SELECT coalesce(max(id), 0) FROM attempts", [], |row| row.get(0))?;
            let settlement = Canary {
                judge: "settlement".to_owned(),
                raw: Some(last.to_string()),
                cost_usd: Some(usd - booked_usd),
                ..Canary::default()
            };
            keep_canary(t, None, &settlement).map(drop)
        })
    }

    /// Records requests that are about to be sent, by id and with the maximum cost of each; on the
    /// disk when this returns.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_sending(&mut self, requests: &[(&str, Option<f64>)]) -> Result<(), Error> {
        self.transaction(|t| {
            let sent_at = rfc3339(SystemTime::now());
            let mut insert = t.prepare_cached(
                "INSERT OR REPLACE INTO sending (question, body) SELECT number, ?2 FROM questions WHERE id = ?1",
            )?;
            for (id, cost_usd_max) in requests {
                let sent = Sent { sent_at: sent_at.clone(), cost_usd_max: *cost_usd_max };
                insert.execute(params![id, to_body(&sent)])?;
            }
            Ok(())
        })
    }

    /// Turns the requests that were in flight when the process ended into failed attempts.
    pub(super) fn end_interrupted(&mut self) -> Result<(), Error> {
        self.transaction(|t| {
            let mut sending = t.prepare(
                // A cross join keeps this order: left to choose, SQLite walks all questions.
                "SELECT q.id, s.body FROM sending s CROSS JOIN questions q ON q.number = s.question",
            )?;
            let mut rows = sending.query([])?;
            while let Some(row) = rows.next()? {
                let reason = "the program ended before the reply arrived".to_owned();
                let sent = serde_json::from_str(row.get_ref(1)?.as_str()?);
                let Sent { sent_at, cost_usd_max } = sent.unwrap_or_default();
                let attempt = Attempt {
                    cost_usd_max,
                    ..Attempt::without_sending(Outcome::ProviderError { reason })
                };
                insert_attempt(t, row.get_ref(0)?.as_str()?, sent_at, &attempt)?;
            }
            drop(rows);
            t.execute("DELETE FROM sending", []).map(drop)
        })
    }

    /// Records a canary before its requests are sent, with the maximum that they may cost; on the
    /// disk when this returns.
    ///
    /// # Errors
    /// [`Error`].
    pub fn begin_canary(&mut self, canary: &Canary) -> Result<i64, Error> {
        self.transaction(|t| keep_canary(t, None, canary))
    }

    /// Records what came of it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn end_canary(&mut self, id: i64, canary: &Canary) -> Result<(), Error> {
        self.transaction(|t| keep_canary(t, Some(id), canary).map(drop))
    }

    /// Whether that judge passed a canary in this run.
    ///
    /// # Errors
    /// [`Error`].
    pub fn has_seen(&self, judge: &str, base_url: Option<&str>) -> Result<bool, Error> {
        let canaries: Vec<Canary> = self.documents("canaries")?;
        Ok(canaries.iter().any(|canary| {
            canary.judge == judge
                && canary.base_url.as_deref() == base_url
                && canary.reason.is_none()
        }))
    }
}

/// A request in flight.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Sent {
    sent_at: String,
    cost_usd_max: Option<f64>,
}

/// Writes a canary, in the place of one that has its number, which is returned.
fn keep_canary(t: &Connection, number: Option<i64>, canary: &Canary) -> rusqlite::Result<i64> {
    let next = "SELECT coalesce(max(number), 0) + 1 FROM canaries";
    let number = number.map_or_else(|| t.query_row(next, [], |row| row.get(0)), Ok)?;
    let canary = Canary { asked_at: rfc3339(SystemTime::now()), ..canary.clone() };
    keep(t, "canaries", &number.to_string(), &canary)?;
    Ok(number)
}
