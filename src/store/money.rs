//! What a run has cost, and whether its judges passed the test with a known picture before it began.

use super::{Store, StoreError, rfc3339, to_i64};
use rusqlite::params;
use std::time::SystemTime;

/// A test whether a judge sees the pictures that it is sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Canary {
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

impl Store {
    /// US dollars spent in this run so far, over all commands. Unknown costs count at their maximum.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn spent_usd(&self) -> Result<f64, StoreError> {
        self.connection
            .query_row(
                "SELECT (SELECT total(coalesce(cost_usd, cost_usd_max)) FROM attempts)
                      + (SELECT total(coalesce(cost_usd, cost_usd_max)) FROM canaries)",
                [],
                |row| row.get(0),
            )
            .map_err(|e| self.failed(&e))
    }

    /// Records requests that are about to be sent, by id and with the maximum cost of each; on the disk when this returns.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_sending(&mut self, requests: &[(&str, Option<f64>)]) -> Result<(), StoreError> {
        self.transaction(|t| {
            let now = rfc3339(SystemTime::now());
            let mut insert = t.prepare_cached(
                "INSERT OR REPLACE INTO sending (question, sent_at, cost_usd_max) SELECT number, ?2, ?3 FROM questions WHERE id = ?1",
            )?;
            for (id, cost_usd_max) in requests {
                insert.execute(params![id, now, cost_usd_max])?;
            }
            Ok(())
        })
    }

    /// Turns the requests that were in flight when the process ended into failed attempts.
    pub(super) fn recover(&mut self) -> Result<(), StoreError> {
        self.transaction(|t| {
            t.execute_batch(
                "INSERT INTO attempts (question, asked_at, seconds, outcome, reason, cost_usd_max)
                     SELECT question, sent_at, 0, 'provider_error', 'the program ended before the reply arrived', cost_usd_max FROM sending;
                 DELETE FROM sending;",
            )
        })
    }

    /// # Errors
    /// [`StoreError`].
    pub fn keep_canary(&mut self, canary: &Canary) -> Result<(), StoreError> {
        self.transaction(|t| {
            t.execute(
                "INSERT INTO canaries (judge, base_url, settings, asked_at, reason, expected, raw, input_tokens_without, input_tokens_with,
                    requests, cost_usd, cost_usd_max) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                params![
                    canary.judge,
                    canary.base_url,
                    canary.settings,
                    rfc3339(SystemTime::now()),
                    canary.reason,
                    canary.expected,
                    canary.raw,
                    canary.input_tokens_without.map(to_i64),
                    canary.input_tokens_with.map(to_i64),
                    to_i64(canary.requests),
                    canary.cost_usd,
                    canary.cost_usd_max,
                ],
            )?;
            Ok(())
        })
    }

    /// Whether that judge passed a canary in this run.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn has_seen(&self, judge: &str, base_url: Option<&str>) -> Result<bool, StoreError> {
        self.connection
            .prepare_cached(
                "SELECT 1 FROM canaries WHERE judge = ? AND base_url IS ? AND reason IS NULL",
            )
            .and_then(|mut statement| statement.exists(params![judge, base_url]))
            .map_err(|e| self.failed(&e))
    }
}
