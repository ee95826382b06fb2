//! Foreign texts as a terminal may be sent them.

/// Whether a terminal, or a reader's eye, could take the character for a command: controls, and
/// marks that turn the direction of writing.
fn is_command(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// The text with control characters written out (`\u{1b}`); line ends and tabs stay.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_command(c) && !matches!(c, '\n' | '\t') {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// A text's first 300 characters on one line, enough for a server's reason, controls escaped.
pub(super) fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let line = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let cut: String = line.chars().take(CHARS_MAX).collect();
    if cut.len() < line.len() { cut + " …" } else { cut }
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn commands_to_a_terminal_are_written_out() {
        let text = "a\u{1b}[2J\rb\u{7}\u{9b}31m\u{202e}c\n\td é 中";
        assert_eq!(visible(text), "a\\u{1b}[2J\\u{d}b\\u{7}\\u{9b}31m\\u{202e}c\n\td é 中");
    }
}
