//! How names and numbers are written, the same in every form of the report.

use crate::rate::Interval;

/// Digits of a hash that the page shows.
const HASH_SHOWN: usize = 12;

/// `1 prompt`, `2 prompts`.
pub(crate) fn plural(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// `14,976 of 25,004 pairs`.
pub(super) fn part_of(part: usize, all: usize, what: &str) -> String {
    format!("{} of {}", grouped(part as u64), plural(all, what))
}

/// `1 question is`, `2 questions are`; `verbs` are the singular and the plural form.
pub(crate) fn plural_with(count: usize, what: &str, verbs: [&str; 2]) -> String {
    let verb = verbs[usize::from(count != 1)];
    format!("{} {verb}", plural(count, what))
}

/// `1 verdict`, `2 provider errors`, `2 truncated`: questions with the outcome of this name.
pub(crate) fn outcome_count(count: usize, outcome: &str) -> String {
    let words = outcome.replace('_', " ");
    match outcome {
        "verdict" | "restated_verdict" | "refusal" | "provider_error" | "forfeit" => {
            plural(count, &words)
        }
        _ => format!("{} {words}", grouped(count as u64)),
    }
}

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share as whole per cent; `100 %` and `0 %` only for exact values.
pub(super) fn percent(share: f64) -> String {
    let shown = match 100.0 * share {
        p if p > 99.0 && p < 100.0 => "> 99".to_owned(),
        p if p > 0.0 && p < 1.0 => "< 1".to_owned(),
        p => format!("{p:.0}"),
    };
    format!("{shown}\u{a0}%")
}

/// Points of rating with their sign: `+12 (−3 to +27)`.
pub(super) fn points(value: f64, interval: Option<Interval>) -> String {
    let signed = |value: f64| match format!("{value:+.0}").as_str() {
        "-0" | "+0" => "0".to_owned(),
        text => text.replace('-', "−"),
    };
    match interval {
        Some(i) => format!("{} ({} to {})", signed(value), signed(i.low), signed(i.high)),
        None => signed(value),
    }
}

/// US dollars, with as many digits as a small sum needs.
pub(super) fn dollars(sum: f64) -> String {
    match sum {
        0.0 => "$0".to_owned(),
        s if s < 0.01 => format!("${s:.5}"),
        s if s < 1.0 => format!("${s:.3}"),
        s => format!("${s:.2}"),
    }
}

/// Seconds, short.
pub(super) fn seconds(time: f64) -> String {
    match time {
        t if t < 0.1 => format!("{:.0} ms", 1000.0 * t),
        t if t < 120.0 => format!("{t:.1} s"),
        t => format!("{:.0} min", t / 60.0),
    }
}

/// `texture_details` as `texture details`: a criterion's name in a sentence of a page or a paper.
/// Terminals, flags and rows have the key.
pub(super) fn in_words(key: &str) -> String {
    key.replace('_', " ")
}

/// `texture_details` as `Texture details`, for a heading or a cell.
pub(super) fn title(key: &str) -> String {
    capital(&in_words(key))
}

/// With a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.as_str().chars()).collect()
}

/// Control characters as pictures (U+2400 …), the rest as is: no line ends, no cursor moves.
pub(super) fn visible(text: &str, keeps_lines: bool) -> String {
    let one = |c: char| match c {
        '\n' | '\t' if keeps_lines => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => '\u{fffd}',
        c => c,
    };
    text.chars().map(one).collect()
}

/// At most `max` characters of text, with an ellipsis where it was cut.
pub(super) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// The first digits of a hash.
pub(super) fn short_hash(hash: &str) -> String {
    hash.chars().take(HASH_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!((percent(0.999), percent(1.0)), ("> 99\u{a0}%".into(), "100\u{a0}%".into()));
        assert_eq!(title("texture_details"), "Texture details");
        assert_eq!(plural_with(1, "game", ["was", "were"]), "1 game was");
        assert_eq!(plural_with(2, "game", ["was", "were"]), "2 games were");
        assert_eq!(outcome_count(1, "verdict"), "1 verdict");
        assert_eq!(outcome_count(2, "provider_error"), "2 provider errors");
        assert_eq!(outcome_count(2, "truncated"), "2 truncated");
        assert_eq!(visible("a\u{0}\nb\u{1b}[2J", false), "a\u{2400}\u{240a}b\u{241b}[2J");
        assert_eq!(cut("ärger", 2), "är…");
        assert_eq!((dollars(0.00012), dollars(12.0)), ("$0.00012".into(), "$12.00".into()));
    }
}
