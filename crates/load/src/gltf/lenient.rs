//! glTF JSON as found in files → JSON that `gltf` parses. Only for files that it cannot parse.
//!
//! Two passes. [`tidied`] goes over the text: non-UTF-8 bytes, halves of surrogate pairs, unknown
//! escapes, control characters in strings, `NaN` and `Infinity`, commas before a closing bracket.
//! [`without_what_no_pixel_needs`] goes over the values: `extras`, animations, cameras, names that
//! are no strings, null members, whole numbers with a decimal point. Nothing that a picture depends
//! on is invented: a number that is none stays out of range and is refused where it is used.

use serde_json::{Map, Value};

/// A number beyond single precision: what becomes of `NaN` and of a null within a list.
const NOT_FINITE: f64 = 1e300;

/// How bytes that are not UTF-8 are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// Each is a letter (Latin-1).
    Letter,
    /// Each may begin a pair whose second byte looks like a back slash (GBK, Shift-JIS).
    Pair,
}

/// The first value of the text, and whether any byte is not UTF-8. Text after it is ignored.
///
/// # Errors
/// The error in the text, if no reading of it is JSON.
pub(super) fn value(json: &[u8]) -> Result<(Value, bool), serde_json::Error> {
    let first_value = |foreign| {
        let text = tidied(json, foreign);
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.next().unwrap_or(Ok(Value::Null))
    };
    let is_foreign = std::str::from_utf8(json).is_err();
    let mut value = match first_value(Foreign::Letter) {
        Err(_) if is_foreign => first_value(Foreign::Pair)?,
        result => result?,
    };
    without_what_no_pixel_needs(&mut value);
    Ok((value, is_foreign))
}

fn tidied(json: &[u8], foreign: Foreign) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        match byte {
            b'"' => at = string(json, at + 1, foreign, &mut out),
            b'}' | b']' => {
                if out.trim_ascii_end().ends_with(',') {
                    out.truncate(out.trim_ascii_end().len() - 1);
                }
                out.push(char::from(byte));
                at += 1;
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.' => {
                let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"+-.#_()".contains(b);
                let length = json[at..].iter().take_while(|b| is_word(b)).count();
                word(&json[at..at + length], &mut out);
                at += length;
            }
            _ => {
                // Outside strings only ASCII has a meaning; some writers pad with zero bytes.
                out.push(if byte.is_ascii() && byte != 0 { char::from(byte) } else { ' ' });
                at += 1;
            }
        }
    }
    out
}

/// Copies a string whose first character is at `at`; gives the place after its end.
fn string(json: &[u8], mut at: usize, foreign: Foreign, out: &mut String) -> usize {
    out.push('"');
    while let Some(&byte) = json.get(at) {
        let rest = &json[at..];
        at += match rest {
            [b'"', ..] => {
                out.push('"');
                return at + 1;
            }
            [b'\\', b'u', ..] => surrogates(rest, out),
            [b'\\', next @ (b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't'), ..] => {
                out.extend(['\\', char::from(*next)]);
                2
            }
            [b'\\', ..] => {
                out.push_str("\\\\"); // a path of Windows
                1
            }
            [0..0x20, ..] => {
                out.push(' ');
                1
            }
            _ if byte.is_ascii() => {
                out.push(char::from(byte));
                1
            }
            _ => letter(rest, foreign, out),
        };
    }
    out.push('"');
    at
}

/// A character beyond ASCII; gives how many bytes it has.
fn letter(rest: &[u8], foreign: Foreign, out: &mut String) -> usize {
    let chunk = rest[..rest.len().min(4)].utf8_chunks().next();
    if let Some(letter) = chunk.and_then(|chunk| chunk.valid().chars().next()) {
        out.push(letter);
        return letter.len_utf8();
    }
    out.push(char::from(rest[0]));
    match rest.get(1) {
        Some(b'\\') if foreign == Foreign::Pair => 2,
        _ => 1,
    }
}

/// An escape of four digits; half a surrogate pair becomes U+FFFD. Returns how many bytes it read.
fn surrogates(rest: &[u8], out: &mut String) -> usize {
    let unit = |at: usize| -> Option<u16> {
        let escape = rest.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(escape).ok()?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (units, length) = match (unit(0), unit(6)) {
        (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => (vec![high, low], 12),
        (Some(one), _) => (vec![one], 6),
        (None, _) => (vec![0xfffd], 2),
    };
    for unit in String::from_utf16_lossy(&units).encode_utf16() {
        out.push_str(&format!("\\u{unit:04x}"));
    }
    length
}

/// A literal or a number, as JSON writes it.
fn word(word: &[u8], out: &mut String) {
    let text = String::from_utf8_lossy(word);
    let lower = text.to_ascii_lowercase();
    let magnitude = lower.trim_start_matches(['+', '-']);
    let is_none = ["nan", "inf", "1.#", "#"].iter().any(|s| magnitude.starts_with(s));
    match lower.as_str() {
        "true" | "false" | "null" => out.push_str(&lower),
        "none" | "undefined" => out.push_str("null"),
        _ if is_none => out.push_str(&NOT_FINITE.to_string()),
        // What JSON can say goes as it is, with all its digits.
        _ if serde_json::from_str::<serde_json::Number>(&text).is_ok() => out.push_str(&text),
        _ => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => out.push_str(&number.to_string()),
            Ok(_) => out.push_str(&NOT_FINITE.to_string()),
            Err(_) => out.push_str(&text),
        },
    }
}

fn without_what_no_pixel_needs(value: &mut Value) {
    let Value::Object(root) = value else { return };
    root.remove("animations");
    root.remove("cameras");
    for node in items(root, "nodes") {
        node.remove("camera");
    }
    for accessor in items(root, "accessors") {
        accessor.remove("min");
        accessor.remove("max");
    }
    for scene in items(root, "scenes") {
        // It may leave out its list (glTF 2.0, section 5.27), which `gltf-json` does not know.
        let nodes = scene.entry("nodes").or_insert(Value::Null);
        if nodes.is_null() {
            *nodes = Value::Array(Vec::new());
        }
    }
    if let Some(Value::Object(asset)) = root.get_mut("asset") {
        asset.retain(|key, value| key.ends_with("ersion") || value.is_string());
        for key in ["version", "minVersion"] {
            if let Some(number) = asset.get(key).and_then(Value::as_f64) {
                asset.insert(key.to_owned(), format!("{number:.1}").into());
            }
        }
    }
    tidy(value);
}

fn items<'v>(
    root: &'v mut Map<String, Value>,
    list: &str,
) -> impl Iterator<Item = &'v mut Map<String, Value>> {
    let list = root.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// At every depth, which `serde_json` bounds: `extras`, nulls, non-string names, numbers.
fn tidy(value: &mut Value) {
    const WHOLE_MAX: f64 = 9_007_199_254_740_992.0; // 2^53
    match value {
        Value::Object(members) => {
            members.retain(|key, value| match key.as_str() {
                "extras" => false,
                "name" => value.is_string(),
                _ => !value.is_null(),
            });
            members.values_mut().for_each(tidy);
        }
        Value::Array(list) => {
            for item in list {
                match item {
                    Value::Null => *item = NOT_FINITE.into(),
                    _ => tidy(item),
                }
            }
        }
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|n| number.is_f64() && n.fract() == 0.0 && n.abs() <= WHOLE_MAX);
            match whole {
                Some(whole) if whole > 0.0 => *value = (whole as u64).into(),
                Some(whole) => *value = (whole as i64).into(),
                None => {}
            }
        }
        _ => {}
    }
}
