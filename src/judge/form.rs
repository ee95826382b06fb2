//! The form in which a server takes requests, learnt from its refusals: by schema or as text, under
//! which name the limit of tokens is, whole or streamed.
//!
//! A refusal is recognised by its words, which also occur in other errors. So only a clear one
//! changes the form for all questions at once; after an unclear one the question is asked as text,
//! and the others only after several in a row.

use super::failure::Failure;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Unclear refusals of a schema in a row, after which no question is asked by schema.
const MISSES_MAX: u32 = 3;

/// Names of the fields that carry a schema, as errors quote them.
const SCHEMA_FIELDS: [&str; 10] = [
    "response_format",
    "responseformat",
    "json_schema",
    "responsejsonschema",
    "output_config.format",
    "output_format",
    "text.format",
    "structured output",
    "structured_output",
    "guided",
];

/// Words of servers that could not hold this answer to its schema, and of some that never can.
const SCHEMA_WORDS: [&str; 5] =
    ["schema", "json_validate_failed", "validate json", "grammar", "output_config"];

/// Words of servers that only stream.
const STREAM_WORDS: [&str; 9] = [
    "non-stream",
    "nonstream",
    "stream=true",
    "stream: true",
    "only support stream",
    "only supports stream",
    "stream must be",
    "requires stream",
    "streaming is required",
];

/// The form of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Form {
    pub by_schema: bool,
    /// `max_tokens` instead of `max_completion_tokens`.
    pub old_limit: bool,
    pub streamed: bool,
}

/// How the next request differs from one that was refused for its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adapted {
    /// This question is asked for text; from the first `for_good` on all are.
    AsText {
        for_good: bool,
    },
    /// All questions are asked for text: answers by schema arrive as reasoning.
    OutOfReasoning,
    OldLimit,
    Streamed,
}

impl Adapted {
    /// What a user is to know.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::AsText { for_good: false } => None,
            Self::AsText { for_good: true } => {
                Some("does not accept a JSON schema; it is asked for text instead")
            }
            Self::OutOfReasoning => Some(
                "delivers answers by schema as reasoning, without an answer; it is asked for text instead",
            ),
            Self::OldLimit => Some(
                "does not accept max_completion_tokens; its limit of tokens is sent as max_tokens",
            ),
            Self::Streamed => Some("only streams its replies; they are asked for as streams"),
        }
    }
}

/// What a server has refused so far.
#[derive(Debug, Default)]
pub(super) struct Forms {
    refuses_schema: AtomicBool,
    /// Unclear refusals of a schema in a row.
    misses: AtomicU32,
    has_kept_schema: AtomicBool,
    refuses_new_limit: AtomicBool,
    has_taken_new_limit: AtomicBool,
    only_streams: AtomicBool,
    has_sent_whole: AtomicBool,
}

impl Forms {
    /// The form of the next request, where nothing but refusals keeps it from `wanted`.
    pub(super) fn next(&self, wanted: Form) -> Form {
        Form {
            by_schema: wanted.by_schema && !self.refuses_schema.load(Relaxed),
            old_limit: wanted.old_limit || self.refuses_new_limit.load(Relaxed),
            streamed: wanted.streamed || self.only_streams.load(Relaxed),
        }
    }

    /// Whether nothing has been learnt yet about schemas.
    pub(super) fn is_schema_open(&self) -> bool {
        !self.has_kept_schema.load(Relaxed) && !self.refuses_schema.load(Relaxed)
    }

    pub(super) fn refuse_schema(&self) {
        self.refuses_schema.store(true, Relaxed);
    }

    /// A reply came to a request of that form; how the next one differs, if `is_in_reasoning`.
    pub(super) fn replied(&self, sent: Form, is_in_reasoning: bool) -> Option<Adapted> {
        if sent.by_schema && is_in_reasoning {
            self.refuse_schema();
            return Some(Adapted::OutOfReasoning);
        }
        if sent.by_schema {
            self.has_kept_schema.store(true, Relaxed);
            self.misses.store(0, Relaxed);
        }
        // What was taken once is not the reason of a later error.
        self.has_taken_new_limit.fetch_or(!sent.old_limit, Relaxed);
        self.has_sent_whole.fetch_or(!sent.streamed, Relaxed);
        None
    }

    /// A request of that form failed; how the next one differs, if its form is the reason.
    pub(super) fn failed(&self, sent: Form, failure: &Failure) -> Option<Adapted> {
        let (status, said) = failure.said()?;
        let said = said.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
        if !matches!(status, 400 | 404 | 405 | 415 | 422 | 500 | 501) {
            return None;
        }
        let names_limit = has(&["max_completion_tokens"]) && !is_too_large(&said);
        if names_limit && !sent.old_limit && !self.has_taken_new_limit.load(Relaxed) {
            self.refuses_new_limit.store(true, Relaxed);
            return Some(Adapted::OldLimit);
        }
        if has(&STREAM_WORDS) && !sent.streamed && !self.has_sent_whole.load(Relaxed) {
            self.only_streams.store(true, Relaxed);
            return Some(Adapted::Streamed);
        }
        let is_clear = status != 500 && has(&SCHEMA_FIELDS) && !has(&["json_validate_failed"]);
        // A 500 says little. llama.cpp answers so to a grammar that it cannot read, and to an
        // answer that does not finish its grammar.
        let is_meant = match status {
            500 => has(&["grammar", "does not match the expected"]),
            _ => is_clear || has(&SCHEMA_WORDS),
        };
        if !sent.by_schema || !is_meant {
            return None;
        }
        let misses = self.misses.fetch_add(1, Relaxed) + 1;
        let for_good = (is_clear && !self.has_kept_schema.load(Relaxed)) || misses >= MISSES_MAX;
        let is_first = for_good && !self.refuses_schema.swap(true, Relaxed);
        Some(Adapted::AsText { for_good: is_first })
    }
}

/// Whether an error is about the number of tokens, not about the field's name.
fn is_too_large(said: &str) -> bool {
    ["too large", "too high", "at most", "maximum", "exceed", "less than", "context length"]
        .iter()
        .any(|word| said.contains(word))
}

/// Whether an error says that the limit of output, or the question with it, is longer than the
/// model allows or its context has room for.
pub(super) fn exceeds_context(failure: &Failure, output_tokens_max: u32) -> bool {
    const LIMITS: [&str; 5] =
        ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutput", "max_new_tokens"];
    const CONTEXTS: [&str; 7] = [
        "context length",
        "context size",
        "context window",
        "context limit",
        "context_length",
        "context_size",
        "max_model_len",
    ];
    let (Failure::Status { message, code, .. } | Failure::ErrorInside { message, code, .. }) =
        failure
    else {
        return false;
    };
    let said = format!("{} {message}", code.as_deref().unwrap_or_default()).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let is_of_number = said.contains(&output_tokens_max.to_string()) || said.contains("range");
    has(&CONTEXTS) || (has(&LIMITS) && (is_of_number || is_too_large(&said)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, message: &str) -> Failure {
        Failure::Status {
            status,
            code: None,
            message: message.to_owned(),
            retry_after: None,
            should_retry: None,
        }
    }

    #[test]
    fn one_odd_error_changes_the_form_of_one_question() {
        let by_schema = Form { by_schema: true, ..Form::default() };
        let text = |for_good| Some(Adapted::AsText { for_good });
        let unclear = status(400, "the picture breaks the schema of this endpoint");
        let clear = status(400, "response_format is not supported");
        let forms = Forms::default();
        for _ in 1..MISSES_MAX {
            assert_eq!(forms.failed(by_schema, &unclear), text(false));
        }
        forms.replied(by_schema, false);
        for _ in 1..MISSES_MAX {
            assert_eq!(forms.failed(by_schema, &clear), text(false));
            assert_eq!(forms.next(by_schema), by_schema);
        }
        assert_eq!(forms.failed(by_schema, &unclear), text(true));
        assert_eq!(forms.failed(by_schema, &unclear), text(false), "said once");
        assert_eq!(forms.next(by_schema), Form::default());
        let forms = Forms::default();
        assert_eq!(forms.failed(by_schema, &clear), text(true));
    }

    #[test]
    fn errors_about_other_things_leave_the_form() {
        let forms = Forms::default();
        let sent = Form { by_schema: true, ..Form::default() };
        for failure in [
            status(
                400,
                "max_completion_tokens is too large: 16384; this model supports at most 4096",
            ),
            status(400, "at most 4 images"),
            status(400, "streaming is not available for your account"),
            status(400, "the upstream says that n must be 1"),
            status(500, "the schema service is down"),
            status(429, "response_format is used too often"),
            status(503, "max_completion_tokens"),
        ] {
            assert_eq!(forms.failed(sent, &failure), None, "{failure}");
        }
        assert_eq!(forms.next(sent), sent);
        forms.replied(Form::default(), false);
        for said in ["unknown field max_completion_tokens", "stream must be true"] {
            assert_eq!(forms.failed(Form::default(), &status(400, said)), None);
        }
    }
}
