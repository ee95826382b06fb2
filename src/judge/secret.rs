//! A key that cannot be printed by accident.

use super::error::JudgeError;

/// An API key. Its `Debug` is a word, it has no `Display` and no serialisation, and [`Secret::scrub`] takes it out of foreign texts.
#[derive(Clone)]
pub struct Secret(String);

/// What stands where a key stood.
const REDACTED: &str = "[key]";

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret([key])")
    }
}

impl Secret {
    /// Wraps a key; `None` when there is nothing but white space.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The key in that environment variable, if it is set.
    ///
    /// # Errors
    /// [`JudgeError::BadKey`] for one that cannot stand in a header; the message does not hold it.
    pub fn from_env(variable: &'static str) -> Result<Option<Self>, JudgeError> {
        let Some(value) = std::env::var_os(variable) else {
            return Ok(None);
        };
        let Some(key) = value.to_str() else {
            return Err(JudgeError::BadKey { variable });
        };
        if !key.trim().bytes().all(|b| b.is_ascii_graphic()) {
            return Err(JudgeError::BadKey { variable });
        }
        Ok(Self::new(key))
    }

    /// A text without the key, should a server have sent it back.
    pub fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, REDACTED)
    }

    /// The header that carries it behind `prefix`, marked sensitive so that it is not logged. `None` if it cannot stand in a header.
    pub(super) fn header(&self, prefix: &str) -> Option<reqwest::header::HeaderValue> {
        let value = format!("{prefix}{}", self.0);
        let mut value = reqwest::header::HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}
