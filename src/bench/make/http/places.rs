//! Fills the placeholders in texts of a description, for an address, a JSON pointer or JSON.

use super::super::pattern::fill_with;
use serde_json::Value;
use std::collections::BTreeMap;

/// Values by the names of their places.
#[derive(Debug, Clone, Default)]
pub(super) struct Places(BTreeMap<String, Value>);

impl Places {
    pub(super) fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// # Errors
    /// In words: an unknown place, or a brace that is not closed. The same applies to the others.
    pub(super) fn text(&self, pattern: &str) -> Result<String, String> {
        self.filled(pattern, str::to_owned)
    }

    /// Values are escaped, except at the beginning of the address: there they are addresses.
    pub(super) fn url(&self, pattern: &str) -> Result<String, String> {
        let leading = pattern
            .strip_prefix('{')
            .filter(|rest| !rest.starts_with('{'))
            .and_then(|rest| rest.find('}'));
        let (start, rest) = pattern.split_at(leading.map_or(0, |end| end + 2));
        Ok(self.text(start)? + &self.filled(rest, escaped_for_url)?)
    }

    /// RFC 6901.
    pub(super) fn pointer(&self, pattern: &str) -> Result<String, String> {
        self.filled(pattern, |value| value.replace('~', "~0").replace('/', "~1"))
    }

    /// Replaces every text in it; a text that is only a placeholder becomes the value, which can be
    /// a number or an object.
    pub(super) fn json(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => {
                let alone = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                match alone.and_then(|name| self.0.get(name)) {
                    Some(value) => value.clone(),
                    None => Value::String(self.text(text)?),
                }
            }
            Value::Array(list) => {
                let filled = list.iter().map(|item| self.json(item));
                Value::Array(filled.collect::<Result<_, _>>()?)
            }
            Value::Object(map) => {
                let filled = map.iter().map(|(key, item)| Ok((key.clone(), self.json(item)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    fn filled(&self, pattern: &str, escape: impl Fn(&str) -> String) -> Result<String, String> {
        let value = |name: &str| {
            Some(match self.0.get(name)? {
                Value::String(text) => escape(text),
                other => escape(&other.to_string()),
            })
        };
        fill_with(pattern, value, || self.0.keys().cloned().collect())
    }
}

/// Slashes stay: ids of models have them.
fn escaped_for_url(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escape = |byte: u8| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_filled_as_their_use_wants_it() {
        let mut places = Places::default();
        places.set("base", json!("https://a.b/c?d=e"));
        places.set("id", json!("x/~ &"));
        places.set("seed", json!(7));
        places.set("graph", json!({"a": [1]}));
        assert_eq!(places.url("{base}/{id}").unwrap(), "https://a.b/c?d=e/x/~%20%26");
        assert_eq!(places.pointer("/{id}/y").unwrap(), "/x~1~0 &/y");
        assert_eq!(
            places.json(&json!(["{seed}", "s{seed}", "{graph}", true])).unwrap(),
            json!([7, "s7", {"a": [1]}, true])
        );
        assert!(places.text("{other}").unwrap_err().contains("{seed}"));
    }
}
