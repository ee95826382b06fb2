//! JSON as servers write it. Python's has `NaN`, `Infinity`, lone surrogates and huge numbers.

use serde_json::{Error, Value};

/// The value of a text. What strict JSON does not know becomes null (`NaN`, `Infinity`, `1e999`) or
/// U+FFFD (half a surrogate pair), if the text is whole otherwise.
///
/// # Errors
/// The reader's, of the text with these mended.
pub(super) fn parse(text: &str) -> Result<Value, Error> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&mended(text)))
}

fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '"' => push_string(rest, &mut out),
            '-' | '0'..='9' | 'I' | 'N' => push_number(rest, &mut out),
            c => {
                out.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[len..];
    }
    out
}

/// Copies the text in quotation marks that `text` begins with, halves of surrogate pairs replaced;
/// returns how many bytes were read.
fn push_string(text: &str, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    out.push('"');
    while at < bytes.len() {
        let from = at;
        match (bytes[at], unit(&text[at..])) {
            (b'"', _) => {
                out.push('"');
                return at + 1;
            }
            (_, Some(0xd800..=0xdbff)) => {
                at += 6;
                if let Some(0xdc00..=0xdfff) = unit(&text[at..]) {
                    at += 6;
                    out.push_str(&text[from..at]);
                } else {
                    out.push('\u{fffd}');
                }
            }
            (_, Some(0xdc00..=0xdfff)) => {
                at += 6;
                out.push('\u{fffd}');
            }
            (b'\\', _) => {
                let escaped = text[at + 1..].chars().next();
                at += 1 + escaped.map_or(0, char::len_utf8);
                out.push_str(&text[from..at]);
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                out.push_str(&text[from..at]);
            }
        }
    }
    at
}

/// The UTF-16 unit that a text begins with, written `\uXXXX`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Copies the number that `text` begins with, null for one that is none or too large; returns how
/// many bytes were read.
fn push_number(text: &str, out: &mut String) -> usize {
    for word in ["NaN", "Infinity", "-Infinity", "-NaN"] {
        if text.starts_with(word) {
            out.push_str("null");
            return word.len();
        }
    }
    let len = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
        .unwrap_or(text.len());
    let number = &text[..len];
    match number.parse::<f64>() {
        Ok(value) if value.is_infinite() => out.push_str("null"),
        _ => out.push_str(number),
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_python_writes_is_read() {
        let cases = [
            (
                "[NaN, -Infinity,1e999,-1e999,Infinity, 1e-999]",
                json!([null, null, null, null, null, 0.0]),
            ),
            (r#"{"NaN": "NaN, Infinity, 1e999"}"#, json!({"NaN": "NaN, Infinity, 1e999"})),
            (
                r#"["\ud83d", "\udc00x", "\ud83d\ude00", NaN]"#,
                json!(["\u{fffd}", "\u{fffd}x", "😀", null]),
            ),
            (r#"["\ud83d\u0041\ud83d"]"#, json!(["\u{fffd}A\u{fffd}"])),
            (
                r#"["\\ud83d \" \n", NaN, 12.5e3, true]"#,
                json!(["\\ud83d \" \n", null, 12500.0, true]),
            ),
            ("\u{feff}[1]", json!([1])),
        ];
        for (text, value) in cases {
            assert_eq!(parse(text).ok(), Some(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in [
            "",
            "NaNa",
            "[NaN",
            "{choices}",
            "[1 2]",
            "\"\\",
            "\"\\ud83d",
            "<p>NaN</p>",
            "[0x1]",
            "[+1, NaN]",
            "\"é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("[NaN").is_err_and(|e| e.is_eof()));
    }
}
