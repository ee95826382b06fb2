//! An attempt: what came back from one try at a request, as it is kept.

use crate::judge::Reply;
use crate::rubric::{Finish, Outcome};
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

/// The column `answers`.
pub(super) fn answers(by_schema: bool) -> &'static str {
    if by_schema { "schema" } else { "text" }
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

/// How a reply ended and what came apart from its text: the column `finish`, as JSON.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Ending {
    pub finish: Finish,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
}

impl Ending {
    pub(super) fn of(reply: &Reply) -> String {
        let Reply { finish, reasoning, .. } = reply;
        let ending = Self { finish: finish.clone(), reasoning: reasoning.clone() };
        serde_json::to_string(&ending).expect("plain data")
    }

    /// An unknown ending and nothing where the column holds neither.
    pub(super) fn read(column: Option<&str>) -> Self {
        column.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default()
    }
}
