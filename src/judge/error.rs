//! What can go wrong with a judge: before it is asked ([`JudgeError`]), and when it is ([`Failure`]).

use std::time::Duration;

/// Why a judge cannot be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The name is no judge's.
    #[error(
        "cannot use the judge {spec:?}: {reason}; supported are probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL and gemini:MODEL"
    )]
    Spec { spec: String, reason: String },
    /// There is no key and the server is not a local one.
    #[error(
        "the judge {judge} needs a key; set {variable}, or give the base URL of a local server"
    )]
    NoKey {
        judge: String,
        /// Where the key is looked for.
        variable: &'static str,
    },
    /// The key holds white space, control characters, or bytes that are not ASCII.
    #[error("the key in {variable} cannot be sent; set it again without spaces or line breaks")]
    BadKey { variable: &'static str },
    /// The address of the server cannot be used. It is not repeated where it may hold a password.
    #[error("cannot use the base URL: {reason}; give something like http://127.0.0.1:8080/v1")]
    BaseUrl { reason: String },
    /// A setting that the model does not support.
    #[error(
        "the model {judge} does not support {setting}; leave it out, or declare the support in a model list"
    )]
    Unfit {
        judge: String,
        /// `a temperature`, `log-probabilities`.
        setting: String,
    },
    /// The user's list of models.
    #[error("the model list cannot be used: {reason}: {path:?}")]
    Models {
        reason: String,
        path: std::path::PathBuf,
    },
    /// A file of certificates that the environment names.
    #[error(
        "the certificates in {variable} cannot be used ({reason}); correct the variable, or unset it: {path:?}"
    )]
    Certificates {
        variable: &'static str,
        reason: String,
        path: std::path::PathBuf,
    },
    /// The HTTP client could not be made.
    #[error(
        "cannot set up HTTP ({reason}); check the proxy variables and the system's certificates"
    )]
    Client { reason: String },
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error("cannot connect to the judge ({reason})")]
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
    /// JSON, and no reply of this route.
    #[error("the reply is not of this route ({reason}); check the base URL")]
    NotARoute { reason: String },
    /// The batch that the question was in ended before its turn came.
    #[error("the batch ended before this question was answered")]
    Expired,
    /// A fault of ours.
    #[error("the judge stopped working ({reason})")]
    Internal { reason: String },
}

/// Codes after which asking again is of no use, whatever the status: no credit, wrong key, no such model.
const FINAL_CODES: [&str; 17] = [
    "insufficient_quota",
    "credit_balance_exhausted",
    "billing_hard_limit_reached",
    "spend_limit_reached",
    "invalid_api_key",
    "model_not_found",
    "account_deactivated",
    "billing_not_active",
    "permission_denied",
    "access_terminated",
    // Anthropic's.
    "authentication_error",
    "permission_error",
    "not_found_error",
    "billing_error",
    // Gemini's.
    "API_KEY_INVALID",
    "PERMISSION_DENIED",
    "BILLING_DISABLED",
];

impl Failure {
    pub fn http_status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } | Self::Redirect { status, .. } => Some(*status),
            Self::ErrorInside { .. } | Self::NotJson { .. } | Self::NotARoute { .. } => Some(200),
            _ => None,
        }
    }

    /// Whether the same request can never succeed.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Status {
                status,
                code,
                should_retry,
                ..
            } => {
                let is_final_code = code.as_deref().is_some_and(|c| FINAL_CODES.contains(&c));
                let is_passing = matches!(status, 408 | 409 | 425 | 429) || *status >= 500;
                is_final_code || !should_retry.unwrap_or(is_passing)
            }
            Self::ErrorInside { code, .. } => code.as_deref().is_some_and(is_final_word),
            Self::Redirect { .. } | Self::NotARoute { .. } | Self::Internal { .. } => true,
            Self::Connect { .. }
            | Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::Expired => false,
        }
    }

    /// Whether the server may have written, and charged, an answer that did not arrive.
    pub fn may_have_cost(&self) -> bool {
        match self {
            Self::Timeout { .. }
            | Self::Broken { .. }
            | Self::TooLarge { .. }
            | Self::NotJson { .. }
            | Self::NotARoute { .. }
            | Self::ErrorInside { .. } => true,
            Self::Connect { .. }
            | Self::Redirect { .. }
            | Self::Status { .. }
            | Self::Expired
            | Self::Internal { .. } => false,
        }
    }

    /// Whether the server asks for fewer requests.
    pub fn is_rate_limit(&self) -> bool {
        match self {
            Self::Status { status: 429, .. } => !self.is_final(),
            Self::ErrorInside { code, .. } => code.as_deref() == Some("429"),
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
            | Self::NotJson { .. } => true,
            _ => false,
        }
    }

    /// Whether no other question to this judge can succeed either: wrong key, no credit, unknown model or route.
    pub fn ends_judge(&self) -> bool {
        match self {
            Self::Status { status, code, .. } => {
                matches!(status, 401..=404)
                    || code.as_deref().is_some_and(|c| FINAL_CODES.contains(&c))
            }
            Self::ErrorInside { code, .. } => code.as_deref().is_some_and(is_final_word),
            Self::Redirect { .. } | Self::NotARoute { .. } => true,
            _ => false,
        }
    }

    /// How long the server asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// An error within a 200 carries either a word or a status as its code.
fn is_final_word(code: &str) -> bool {
    FINAL_CODES.contains(&code) || ["401", "402", "403", "404"].contains(&code)
}
