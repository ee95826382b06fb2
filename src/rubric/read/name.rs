//! The criterion that a reply's key or label means, also if spelled otherwise or with a slip.

use super::line::words;
use super::list;

/// The aspect that a key means.
pub(crate) fn matching<'a>(key: &str, keys: &[&'a str]) -> Option<&'a str> {
    let words = key_words(key);
    let exact = keys.iter().find(|aspect| aspect.replace('_', "") == words.concat());
    exact.or_else(|| keys.iter().find(|aspect| is_alike(&words, aspect))).copied()
}

/// Lower-case words; `camelCase` is split, a list letter ahead and a `score` behind are dropped.
pub(crate) fn key_words(key: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut was_lower = false;
    for c in key.chars() {
        if c.is_uppercase() && was_lower {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase();
        spaced.push(c);
    }
    let mut words = words(&spaced);
    if words.len() > 1 && words[0].len() == 1 {
        words.remove(0);
    }
    if words.len() > 1
        && words[0] != "overall"
        && words.last().is_some_and(|w| w == "score" || w == "rating")
    {
        words.pop();
    }
    words
}

/// Word by word the same, up to an ending (`positional`) or a slip of the pen.
fn is_alike(words: &[String], aspect: &str) -> bool {
    /// Shorter words are too like others.
    const SLIP_CHARS_MIN: usize = 5;
    const SLIPS_MAX: usize = 2;
    let parts: Vec<&str> = aspect.split('_').collect();
    let slips = |a: &str, b: &str| {
        a.len().min(b.len()) >= SLIP_CHARS_MIN && strsim::levenshtein(a, b) <= SLIPS_MAX
    };
    words.len() == parts.len()
        && (words.iter().zip(parts)).all(|(a, b)| list::is_alike(a, b) || slips(a, b))
}
