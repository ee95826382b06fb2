//! A key that cannot be printed by accident, and is taken out of foreign texts, also in the form of
//! a URL or of base64; and how to recognise keys that a user wrote where they would be stored.

use super::error::JudgeError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

/// An API key. Its `Debug` is a word, it has no `Display` and no serialisation, and
/// [`Secret::scrub`] takes it out of foreign texts.
#[derive(Clone)]
pub struct Secret {
    key: String,
    /// The key as it is and in other forms, anywhere in a longer text.
    forms: Vec<String>,
}

/// The replacement of a key.
const REDACTED: &str = "[key]";

/// Shorter ones are local servers' placeholders (`none`, `EMPTY`); removal would damage answers.
const SCRUBBED_LEN_MIN: usize = 6;

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret([key])")
    }
}

impl Secret {
    /// Wraps a key; `None` when there is nothing but white space.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self { forms: forms(key), key: key.to_owned() })
    }

    /// The key in that environment variable, if it is set.
    ///
    /// # Errors
    /// [`JudgeError::BadKey`] for a key invalid in a header; the message does not contain it.
    pub fn from_env(variable: &str) -> Result<Option<Self>, JudgeError> {
        let Some(value) = std::env::var_os(variable) else {
            return Ok(None);
        };
        let can_be_sent = |key: &&str| key.trim().bytes().all(|b| b.is_ascii_graphic());
        let key = value.to_str().filter(can_be_sent);
        key.map(Self::new).ok_or_else(|| JudgeError::BadKey { variable: variable.to_owned() })
    }

    /// The text with the key in each place that says `place`.
    pub(super) fn put_into(&self, text: &str, place: &str) -> String {
        text.replace(place, &self.key)
    }

    /// A text without the key, should a server have sent it back: as it is, in a URL, or in base64.
    pub fn scrub(&self, text: &str) -> String {
        let mut out = text.to_owned();
        let is_long = self.key.len() >= SCRUBBED_LEN_MIN;
        for form in self.forms.iter().filter(|form| is_long && text.contains(*form)) {
            out = out.replace(form, REDACTED);
        }
        out
    }

    /// The same of every text in a value, the names of fields included.
    pub fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.scrub(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(map) => {
                for (name, mut item) in std::mem::take(map) {
                    self.scrub_value(&mut item);
                    map.insert(self.scrub(&name), item);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The header that carries it behind `prefix`, marked sensitive so that it is not logged.
    /// `None` if it is not valid in a header.
    pub(super) fn header(&self, prefix: &str) -> Option<reqwest::header::HeaderValue> {
        let value = format!("{prefix}{}", self.key);
        let mut value = reqwest::header::HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

/// Whether a field, flag or header of that name usually holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    const ENDS: [&str; 11] = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "credential",
        "credentials",
        "authorization",
        "auth",
        "signature",
        "sig",
    ];
    let letters = |c: char| c.is_ascii_alphanumeric().then(|| c.to_ascii_lowercase());
    let name: String = name.chars().filter_map(letters).collect();
    name == "cookie" || ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a word has the form of a secret: a known beginning, or a long run of mixed letters and
/// digits. Hashes, which are of one case, are none.
pub(crate) fn is_credential(word: &str) -> bool {
    const STARTS: [&str; 16] = [
        "sk-",
        "pk-",
        "rk-",
        "sk_",
        "AIza",
        "ghp_",
        "github_pat_",
        "hf_",
        "r8_",
        "xai-",
        "gsk_",
        "AKIA",
        "eyJ",
        "xox",
        "glpat-",
        "nvapi-",
    ];
    const START_LEN_MIN: usize = 16;
    const RUN_LEN_MIN: usize = 24;
    let starts = word.len() >= START_LEN_MIN && STARTS.iter().any(|start| word.starts_with(start));
    let is_random = |run: &str| {
        run.len() >= RUN_LEN_MIN
            && run.bytes().filter(u8::is_ascii_digit).count() >= 3
            && run.bytes().any(|b| b.is_ascii_uppercase())
            && run.bytes().any(|b| b.is_ascii_lowercase())
    };
    starts || word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_random)
}

/// A key as it is and as it is written in a URL; and its base64 at each of the three places that it
/// can have in a longer text, without the characters that depend on their neighbours, in both
/// alphabets.
fn forms(key: &str) -> Vec<String> {
    let escaped = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let in_url: String = key.bytes().map(escaped).collect();
    let in_lower_case = in_url.replace("%2F", "%2f").replace("%2B", "%2b").replace("%3D", "%3d");
    let mut found = vec![key.to_owned(), in_url, in_lower_case];
    for shift in 0..3 {
        let bytes = [&[0; 2][..shift], key.as_bytes()].concat();
        let encoded = STANDARD_NO_PAD.encode(&bytes);
        let own = &encoded[(shift * 8).div_ceil(6)..bytes.len() * 8 / 6];
        found.push(own.to_owned());
        found.push(own.replace('+', "-").replace('/', "_"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use serde_json::json;

    const KEY: &str = "sk-very/secret+0123456789";

    #[test]
    fn a_key_is_taken_out_in_every_form() {
        let secret = Secret::new(KEY).expect("a key");
        let forms = [KEY.to_owned(), KEY.replace('/', "%2F").replace('+', "%2B")];
        let forms = forms.iter().cloned().chain([forms[1].to_lowercase()]);
        for form in forms {
            let scrubbed = secret.scrub(&format!("a {form} b"));
            assert_eq!(scrubbed, "a [key] b", "{form}");
        }
        for before in ["", "B", "Be", "Bearer ", "user:"] {
            for encoded in [STANDARD, URL_SAFE].map(|e| e.encode(format!("{before}{KEY} "))) {
                let scrubbed = secret.scrub(&encoded);
                let left = scrubbed.replace(REDACTED, "");
                assert!(left.len() <= before.len() * 4 / 3 + 6, "{encoded}: {scrubbed}");
            }
        }
        let mut value = json!({KEY: [{"a": format!("x{KEY}")}, 1, null]});
        secret.scrub_value(&mut value);
        assert_eq!(value, json!({"[key]": [{"a": "x[key]"}, 1, null]}));
    }

    #[test]
    fn what_is_no_key_stays() {
        let secret = Secret::new(KEY).expect("a key");
        for text in ["", "sk-very/secret+012345678", "%", "é%é", "1 2 2 3 2 1"] {
            assert_eq!(secret.scrub(text), text);
        }
        let dummy = Secret::new("1").expect("a key");
        assert_eq!(dummy.scrub("1 2 2 3 2 1"), "1 2 2 3 2 1");
    }
}
