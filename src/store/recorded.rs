//! Recorded replies, by the canonical request that they answer: nothing is paid twice.

use super::attempt::Ending;
use super::{Store, StoreError};
use crate::judge::{Reply, Usage};

/// A recorded reply that held a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The question that it answered.
    pub question: String,
    /// The reply as it was said. It costs nothing now, and its tokens are not counted again.
    pub reply: Reply,
    /// A probability for each option of each criterion, where the server sent log-probabilities.
    pub probabilities: Option<serde_json::Value>,
}

impl Store {
    /// The reply to that request, whichever question of this run it answered.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn recorded(&self, request: &str) -> Result<Option<Recorded>, StoreError> {
        let read = |row: &rusqlite::Row<'_>| {
            let finish: Option<String> = row.get(2)?;
            let (finish, reasoning) = Ending::parts(finish.as_deref());
            let probabilities: Option<String> = row.get(6)?;
            Ok(Recorded {
                question: row.get(0)?,
                reply: Reply {
                    text: row.get(1)?,
                    reasoning,
                    finish,
                    model_reported: row.get(3)?,
                    fingerprint: row.get(4)?,
                    http_status: row.get(5)?,
                    usage: Usage::default(),
                    cost_usd: Some(0.0),
                    ..Reply::default()
                },
                probabilities: probabilities.and_then(|text| serde_json::from_str(&text).ok()),
            })
        };
        self.maybe_row(
                "SELECT coalesce(t.reused_from, q.id), t.raw, t.finish, t.model_reported, t.fingerprint, t.http_status, t.probabilities
                 FROM questions q JOIN attempts t ON t.question = q.number
                 WHERE q.request = ? AND t.outcome = 'verdict' AND t.raw IS NOT NULL LIMIT 1",
            [request],
            read,
        )
    }
}
