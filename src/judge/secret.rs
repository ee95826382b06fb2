//! A key that cannot be printed by accident, and is taken out of foreign texts in whatever form it
//! comes back; and how to recognise keys that a user wrote where they would be stored.

use crate::error::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;

/// An API key. Its `Debug` is a word, it has no `Display` and no serialisation, and
/// [`Secret::scrub`] takes it out of foreign texts.
#[derive(Clone)]
pub struct Secret {
    key: String,
    /// The base64 and hexadecimal forms, anywhere in a longer text.
    encoded: Vec<String>,
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
        (!key.is_empty()).then(|| Self { encoded: encodings(key.as_bytes()), key: key.to_owned() })
    }

    /// The key in that environment variable, if it is set.
    ///
    /// # Errors
    /// A key invalid in a header; the message does not contain it.
    pub fn from_env(variable: &str) -> Result<Option<Self>, Error> {
        let Some(value) = std::env::var_os(variable) else {
            return Ok(None);
        };
        let can_be_sent = |key: &&str| key.trim().bytes().all(|b| b.is_ascii_graphic());
        let key = value.to_str().filter(can_be_sent);
        key.map(Self::new).ok_or_else(|| {
            Error::judge(format!(
                "the key in {variable} cannot be sent; set it again without spaces or line breaks"
            ))
        })
    }

    /// The text with the key in each place that says `place`.
    pub(super) fn put_into(&self, text: &str, place: &str) -> String {
        text.replace(place, &self.key)
    }

    /// A text without the key, should a server have sent it back: as it is, with any of its
    /// characters escaped for JSON, a URL or HTML, or as a whole in base64 or hexadecimal.
    pub fn scrub(&self, text: &str) -> String {
        if self.key.len() < SCRUBBED_LEN_MIN {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let spelled = spelled_len(rest, &self.key);
            match spelled {
                Some(_) => out.push_str(REDACTED),
                None => out.push(c),
            }
            rest = &rest[spelled.unwrap_or(c.len_utf8())..];
        }
        for encoded in &self.encoded {
            if out.contains(encoded) {
                out = out.replace(encoded, REDACTED);
            }
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

/// How many bytes at the start of `text` spell the key, each character plain or escaped.
fn spelled_len(text: &str, key: &str) -> Option<usize> {
    let mut rest = text;
    for byte in key.bytes() {
        rest = after_byte(rest, byte)?;
    }
    Some(text.len() - rest.len())
}

/// What follows a byte: as it is, `%73`, `%2573`, `\u0073`, `\x73`, `\/`, `&#115;`, `&#x73;`,
/// `&amp;`; backslashes also doubled.
fn after_byte(text: &str, byte: u8) -> Option<&str> {
    const NAMED: [(&str, u8); 5] =
        [("&amp;", b'&'), ("&lt;", b'<'), ("&gt;", b'>'), ("&quot;", b'"'), ("&apos;", b'\'')];
    let named = NAMED.into_iter().find(|(name, named)| *named == byte && text.starts_with(name));
    if let Some((name, _)) = named {
        return text.get(name.len()..);
    }
    if text.as_bytes().first() == Some(&byte) {
        return text.get(1..);
    }
    if let Some(rest) = text.strip_prefix('%') {
        return after_hex(rest.strip_prefix("25").unwrap_or(rest), 2, byte);
    }
    if let Some(rest) = text.strip_prefix("&#") {
        let (number, rest) = rest.split_once(';')?;
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        return (code == Ok(byte.into())).then_some(rest);
    }
    let rest = text.trim_start_matches('\\');
    if rest.len() == text.len() {
        return None;
    }
    let escaped = match rest.as_bytes().first()? {
        b'u' => after_hex(&rest[1..], 4, byte),
        b'x' => after_hex(&rest[1..], 2, byte),
        _ => None,
    };
    escaped.or_else(|| rest.strip_prefix(char::from(byte)))
}

/// What follows the byte in so many hexadecimal digits.
fn after_hex(text: &str, len: usize, byte: u8) -> Option<&str> {
    let code = u32::from_str_radix(text.get(..len)?, 16);
    (code == Ok(byte.into())).then(|| &text[len..])
}

/// Base64 of bytes at each of the three places that they can have in a longer text, without the
/// characters that depend on their neighbours, in both alphabets; and hexadecimal.
fn encodings(key: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for shift in 0..3 {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(key);
        let encoded = STANDARD_NO_PAD.encode(&bytes);
        let own = &encoded[(shift * 8).div_ceil(6)..bytes.len() * 8 / 6];
        found.push(own.to_owned());
        found.push(own.replace('+', "-").replace('/', "_"));
    }
    let hex = |digit: fn(&u8) -> String| key.iter().map(digit).collect::<String>();
    found.push(hex(|byte| format!("{byte:02x}")));
    found.push(hex(|byte| format!("{byte:02X}")));
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
        let each = |of: fn(char) -> String| KEY.chars().map(of).collect::<String>();
        let forms = [
            KEY.to_owned(),
            KEY.replace('/', "\\/"),
            KEY.replace('/', "%2F").replace('+', "%2b"),
            KEY.replace('/', "%252F"),
            KEY.replacen("sk", "\\u0073\\u006B", 1),
            each(|c| format!("%{:02X}", c as u32)),
            each(|c| format!("\\u{:04x}", c as u32)),
            each(|c| format!("\\\\u{:04x}", c as u32)),
            each(|c| format!("\\x{:02x}", c as u32)),
            each(|c| format!("&#{};", c as u32)),
            each(|c| format!("&#x{:x};", c as u32)),
            each(|c| format!("{:02x}", c as u32)),
        ];
        for form in forms {
            let scrubbed = secret.scrub(&format!("a {form} b"));
            assert_eq!(scrubbed, "a [key] b", "{form}");
        }
        let odd = Secret::new("sk-<a&b>'c\"0123").expect("a key");
        assert_eq!(odd.scrub("sk-&lt;a&amp;b&gt;&apos;c&quot;0123"), "[key]");
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
        for text in [
            "",
            "sk-very/secret+012345678",
            "%",
            "\\",
            "\\u00",
            "&#",
            "&#x;",
            "é%é\\xé",
            "1 2 2 3 2 1",
        ] {
            assert_eq!(secret.scrub(text), text);
        }
        let dummy = Secret::new("1").expect("a key");
        assert_eq!(dummy.scrub("1 2 2 3 2 1"), "1 2 2 3 2 1");
    }
}
