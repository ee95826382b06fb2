//! What commands, bodies and addresses hold that nobody else may read.

use crate::bench::file::CommandLine;
use crate::judge::{Secret, is_credential, is_secret_name};
use serde_json::{Map, Value};

/// The replacement of a secret.
const REDACTED: &str = "[redacted]";

/// A command without the arguments that look like secrets.
pub(in crate::unstable::bench) fn redacted_command(command: &CommandLine) -> CommandLine {
    match command {
        CommandLine::Words(words) => CommandLine::Words(redacted_words(words)),
        CommandLine::Line(line) => {
            let words = shlex::split(line).unwrap_or_default();
            let redacted = redacted_words(&words);
            let joined = shlex::try_join(redacted.iter().map(String::as_str));
            match joined {
                Ok(joined) if redacted != words => CommandLine::Line(joined),
                _ => command.clone(),
            }
        }
    }
}

fn redacted_words(words: &[String]) -> Vec<String> {
    let mut redacted: Vec<String> = Vec::new();
    for (i, word) in words.iter().enumerate() {
        let mut word = word.clone();
        // `--key VALUE`, `--key=VALUE`, `Name: VALUE`.
        let flag = i.checked_sub(1).map(|before| words[before].as_str());
        let name = flag.filter(|flag| flag.starts_with('-') && !flag.contains('='));
        match word.split_once(['=', ':']).map(|(name, value)| (name.to_owned(), value.to_owned())) {
            _ if name.is_some_and(is_secret_name) && !word.starts_with('-') => {
                REDACTED.clone_into(&mut word)
            }
            Some((name, mut value)) if !word.starts_with('{') && !word.starts_with("http") => {
                redact(&name, &mut value);
                word = format!("{name}{}{value}", &word[name.len()..=name.len()]);
            }
            _ => redact("", &mut word),
        }
        redacted.push(word);
    }
    redacted
}

/// A placeholder such as `{prompt}`.
fn is_place(value: &str) -> bool {
    value.starts_with('{') && value.ends_with('}')
}

/// Removes values that look or are named like secrets; keeps placeholders such as `{prompt}`.
fn redact(name: &str, value: &mut String) {
    let is_secret = is_secret_name(name) || value.split_whitespace().any(is_credential);
    if is_secret && !is_place(value) && !value.is_empty() {
        REDACTED.clone_into(value);
    } else if value.starts_with("http") && value.contains(['?', '@']) {
        *value = redacted_url(value);
    }
}

/// The same of every text in an object.
pub(in crate::unstable::bench) fn redact_object(object: &mut Map<String, Value>) {
    object.iter_mut().for_each(|(name, value)| redact_value(name, value));
}

fn redact_value(name: &str, value: &mut Value) {
    match value {
        Value::String(text) => redact(name, text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_value(name, item)),
        Value::Object(object) => redact_object(object),
        // TOML, which this is kept in, has no null.
        Value::Null => *value = "null".into(),
        Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An address as it may be shown and kept: without user, password and the values of its fields.
fn redacted_url(url: &str) -> String {
    let Ok(mut shown) = reqwest::Url::parse(url) else {
        return "(no address)".to_owned();
    };
    // Both fail only for addresses that cannot hold them.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    let names: Vec<String> = shown.query_pairs().map(|(name, _)| name.into_owned()).collect();
    shown.set_query(None);
    let fields: Vec<String> = names.iter().map(|name| format!("{name}={REDACTED}")).collect();
    if fields.is_empty() { shown.to_string() } else { format!("{shown}?{}", fields.join("&")) }
}

/// What looks like a secret among named texts: it must not come back in a message.
pub(super) fn secrets_in<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<Secret> {
    let secrets = |(name, text): (&'a str, &'a str)| {
        let words = text.split_whitespace();
        // `Bearer KEY` holds a key of its own.
        let named = [Some(text), words.clone().next_back()].into_iter().flatten();
        let named = named.filter(move |_| is_secret_name(name) && !is_place(text));
        named.chain(words.filter(|word| is_credential(word)))
    };
    texts.into_iter().flat_map(secrets).filter_map(Secret::new).collect()
}

/// The words of a command, with the names that flags and `name=value` give them.
pub(super) fn named_words(words: &[String]) -> Vec<(&str, &str)> {
    let flagged =
        words.windows(2).filter(|two| two[0].starts_with('-') && !two[1].starts_with('-'));
    let flagged = flagged.map(|two| (two[0].as_str(), two[1].as_str()));
    flagged
        .chain(words.iter().map(|word| word.split_once(['=', ':']).unwrap_or(("", word))))
        .collect()
}
