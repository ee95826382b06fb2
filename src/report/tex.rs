//! Text in LaTeX.

use super::show::visible;

/// Text that LaTeX takes for text.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text, false).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            // At the start of a row they would be an argument of the line break before it.
            '[' | ']' => {
                out.push('{');
                out.push(c);
                out.push('}');
            }
            '–' => out.push_str("--"),
            '−' => out.push_str("$-$"),
            '≥' => out.push_str("$\\ge$"),
            '≤' => out.push_str("$\\le$"),
            '\u{a0}' => out.push('~'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_cannot_be_commands() {
        assert_eq!(
            escaped("a_b & \\input{x} 5%^"),
            "a\\_b \\& \\textbackslash{}input\\{x\\} 5\\%\\textasciicircum{}"
        );
    }
}
