//! Failures of a judge while it is asked.

use std::time::Duration;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error("cannot connect to the server ({reason})")]
    Connect { reason: String },
    #[error("no complete reply within {} s", limit.as_secs_f64())]
    Timeout { limit: Duration },
    /// The connection ended before the body did.
    #[error("the reply broke off ({reason})")]
    Broken { reason: String },
    /// The body is larger than any reply.
    #[error("the reply is larger than {max} bytes")]
    TooLarge { max: usize },
    /// The server sends us elsewhere. The key is not taken there.
    #[error("the server redirects ({status}) to {location}; give that address as the base URL")]
    Redirect {
        /// 3xx.
        status: u16,
        location: String,
    },
    #[error("the server answered {status}: {message}")]
    Status {
        /// 4xx or 5xx.
        status: u16,
        /// The server's word for it (`insufficient_quota`), if it has one.
        code: Option<String>,
        /// What it says, cut to a line.
        message: String,
        retry_after: Option<Duration>,
        /// `x-should-retry`, if it was sent.
        should_retry: Option<bool>,
    },
    /// Status 200, and an error in the body.
    #[error("the server answered 200 with an error inside: {message}")]
    ErrorInside {
        /// The HTTP status that it names, if it names one.
        status: Option<u16>,
        /// The server's word for it, if it has one.
        code: Option<String>,
        /// What it says, cut to a line.
        message: String,
    },
    /// A body that is no JSON: a login page, a proxy's apology.
    #[error("the reply is not JSON but {content_type}: {start}")]
    NotJson {
        content_type: String,
        /// Its first characters.
        start: String,
    },
    /// A reply of this route with nothing in it, as servers send now and then.
    #[error("the reply is empty: {reason}")]
    Empty { reason: String },
    /// JSON, and no reply of this route.
    #[error("the reply does not have this route's form ({reason})")]
    NotARoute { reason: String },
    /// The batch that the question was in ended without an answer to it.
    #[error("{BATCH_ENDED}: {why}")]
    BatchEnded { why: BatchEnded },
    /// A fault of ours.
    #[error("the judge stopped working ({reason})")]
    Internal { reason: String },
}

impl From<Failure> for crate::error::Error {
    fn from(failure: Failure) -> Self {
        Self::judge(failure)
    }
}

/// How a batch ended that has no answer to one of its questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchEnded {
    /// Before the question's turn came. Nothing is charged for it.
    Expired,
    /// Somebody cancelled it at the provider. Nothing is charged for the question.
    Cancelled,
    /// It is not known why.
    Forgotten,
}

impl std::fmt::Display for BatchEnded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Expired => "it expired",
            Self::Cancelled => "it was cancelled at the provider",
            Self::Forgotten => "the provider says nothing of this question",
        })
    }
}

/// The beginning of [`Failure::BatchEnded`] in words, by which a run counts its batches.
pub const BATCH_ENDED: &str = "the batch ended without an answer";

/// The account has no money left, whatever the status.
const NO_CREDIT: [&str; 11] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "billing_hard_limit_reached",
    "spend_limit_reached",
    "billing_not_active",
    // Anthropic's.
    "billing_error",
    // Gemini's.
    "BILLING_DISABLED",
    // Moonshot's, MiniMax's, DashScope's, LiteLLM's.
    "exceeded_current_quota_error",
    "insufficient_balance_error",
    "Arrearage",
    "budget_exceeded",
];

/// Words for money on an account.
const MONEY: [&str; 5] = ["balance", "credit", "credits", "funds", "prepayment"];

/// Words for too little of it.
const LACK: [&str; 12] = [
    "insufficient",
    "not enough",
    "too low",
    "negative",
    "deplet",
    "exhaust",
    "used all",
    "used up",
    "run out",
    "ran out",
    "no credit",
    "any credit",
];

/// Words for both. "Quota" and "billing" are none of them: rate limits use these words too.
const LACK_OF_MONEY: [&str; 11] = [
    "insufficient_balance",
    "spending limit",
    "spend limit",
    "spending cap",
    "spend cap",
    "api usage limits",
    "budget has been exceeded",
    "overdue",
    "arrear",
    "余额不足",
    "欠费",
];

/// Whether an error says that the account has no money.
fn lacks_money(said: &str) -> bool {
    let said = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let mut words = said.split(|c: char| !c.is_alphanumeric());
    (words.any(|word| MONEY.contains(&word)) && has(&LACK)) || has(&LACK_OF_MONEY)
}

/// The key is not taken.
const KEY_REFUSED: [&str; 5] = [
    "invalid_api_key",
    "account_deactivated",
    "access_terminated",
    "authentication_error",
    "API_KEY_INVALID",
];

/// A gateway passed the request on and got no usable answer (RFC 9110, 15.6.3 and 15.6.5; 520 and
/// 524 are Cloudflare's). The server behind it may have written one.
const GATEWAY_LOST: [u16; 4] = [502, 504, 520, 524];

/// The question was blocked because of its content.
const FILTERED: [&str; 8] = [
    // Azure's.
    "content_filter",
    "ResponsibleAIPolicyViolation",
    // OpenAI's.
    "content_policy_violation",
    "moderation_blocked",
    // DashScope's.
    "data_inspection_failed",
    "DataInspectionFailed",
    // Zhipu's.
    "contentFilter",
    // OpenRouter's.
    "flagged",
];

/// Phrases of a server that reports by a 500 that the model can never answer.
const UNABLE: [&str; 7] = [
    "image input",
    "mmproj",
    "multimodal",
    " vision ",
    "does not support",
    "not supported",
    "unsupported",
];

fn is_inability(message: &str) -> bool {
    let message = format!(" {} ", message.to_lowercase());
    UNABLE.iter().any(|word| message.contains(word))
}

/// Statuses that ask for fewer requests: 498 is Groq's, for a tier that is at its capacity.
const RATE_LIMITS: [u16; 2] = [429, 498];

/// Statuses that pass: the same request may succeed later. Those from 452 to 499 are no standard's
/// (499: a client or Google cancelled the request).
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 452..=499) || (status >= 500 && status != 501)
}

/// The request is rejected for a reason outside the question: model, address, account rights.
const TURNED_AWAY: [&str; 5] = [
    "model_not_found",
    "permission_denied",
    "permission_error",
    "not_found_error",
    "PERMISSION_DENIED",
];

impl Failure {
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::Redirect { status, .. } => Some(*status),
            Self::ErrorInside { .. } | Self::NotJson { .. } | Self::NotARoute { .. } => Some(200),
            _ => None,
        }
    }

    /// Whether the same request is not worth another try in this run.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Status { status, should_retry, .. } => {
                self.has_no_credit()
                    || self.refuses_key()
                    || self.turns_away()
                    || !should_retry.unwrap_or(is_passing(*status))
            }
            Self::ErrorInside { status, .. } => {
                self.has_no_credit()
                    || self.refuses_key()
                    || self.turns_away()
                    || status.is_some_and(|status| !is_passing(status))
            }
            // Half a page, or none, may be a gateway that was about to answer.
            Self::NotJson { start, .. } => !start.is_empty(),
            Self::Redirect { .. } | Self::NotARoute { .. } | Self::Internal { .. } => true,
            // A cancelled batch is not wanted now.
            Self::BatchEnded { why } => *why == BatchEnded::Cancelled,
            Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::Empty { .. } => false,
        }
    }

    /// Whether the server may have written, and charged, an answer that did not arrive.
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::Empty { .. }
            | Self::NotARoute { .. }
            | Self::ErrorInside { .. } => true,
            Self::Status { status, .. } => GATEWAY_LOST.contains(status),
            Self::BatchEnded { why } => *why == BatchEnded::Forgotten,
            Self::Connect { .. } | Self::Redirect { .. } | Self::Internal { .. } => false,
        }
    }

    /// Whether the server asks for fewer requests.
    pub fn is_rate_limit(&self) -> bool {
        match self {
            Self::Status { status, .. } | Self::ErrorInside { status: Some(status), .. } => {
                RATE_LIMITS.contains(status) && !self.is_final()
            }
            _ => false,
        }
    }

    /// Whether it speaks of a server in trouble, not of this question.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Status { status, .. } => *status >= 500,
            Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::Empty { .. }
            | Self::NotJson { .. } => true,
            _ => false,
        }
    }

    /// Whether the account has no money left, so that no other question can succeed either.
    pub fn has_no_credit(&self) -> bool {
        let (Self::Status { message, .. } | Self::ErrorInside { message, .. }) = self else {
            return false;
        };
        self.says(&["402"], &NO_CREDIT) || lacks_money(message)
    }

    /// Whether the key is not taken. Once may be a slip of the server.
    pub fn refuses_key(&self) -> bool {
        self.says(&["401"], &KEY_REFUSED)
    }

    /// Whether it is no word on the question, and no outage either: the model, the address or the
    /// rights of the account are refused, or what came is no reply of the route. A gateway says so
    /// for a moment, a wrong setting for ever.
    pub fn turns_away(&self) -> bool {
        match self {
            Self::Redirect { .. } | Self::NotARoute { .. } => true,
            Self::NotJson { start, .. } => !start.is_empty(),
            Self::Status { status: 500 | 501, message, .. } if is_inability(message) => true,
            _ => self.says(&["403", "404", "405"], &TURNED_AWAY),
        }
    }

    /// Whether the status, or the code in a body of status 200, is one of these. A word goes before
    /// a number: providers say `403` for an empty account too.
    fn says(&self, statuses: &[&str], codes: &[&str]) -> bool {
        let (status, code) = match self {
            Self::Status { status, code, .. } => (status.to_string(), code.as_deref()),
            Self::ErrorInside { status, code, .. } => {
                (status.map(|status| status.to_string()).unwrap_or_default(), code.as_deref())
            }
            _ => return false,
        };
        let is_named = |codes: &[&str]| code.is_some_and(|code| codes.contains(&code));
        let is_named_otherwise =
            [&NO_CREDIT[..], &KEY_REFUSED, &TURNED_AWAY].iter().any(|codes| is_named(codes));
        is_named(codes) || (!is_named_otherwise && statuses.contains(&status.as_str()))
    }

    /// The status of an error that the server put into words, and its words, code included.
    pub(super) fn said(&self) -> Option<(u16, String)> {
        let (status, code, message) = match self {
            Self::Status { status, code, message, .. } => (Some(*status), code, message),
            Self::ErrorInside { status, code, message } => (*status, code, message),
            _ => return None,
        };
        let code = code.as_deref().unwrap_or_default();
        Some((status?, format!("{code}: {message}")))
    }

    /// Whether the question was refused for what it says or shows, before the model saw it.
    pub(super) fn is_filtered(&self) -> bool {
        let Some((400..=403, said)) = self.said() else {
            return false;
        };
        let mut words = said.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.any(|word| FILTERED.contains(&word))
    }

    /// What an error says that a server may repeat for every question, without the numbers in it.
    pub fn refrain(&self) -> Option<String> {
        let (status, said) = self.said()?;
        let repeats = status == 500 || self.is_final();
        repeats.then(|| said.chars().filter(|c| !c.is_ascii_digit()).collect())
    }

    /// How long the server asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
