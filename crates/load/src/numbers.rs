//! Numbers as text files have them.

/// A number, including the ways programs write non-numbers: `nan`, `-nan(ind)`, `1.#QNAN`, `inf`.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| {
        let magnitude = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
        (magnitude.starts_with("nan") || magnitude.contains('#')).then_some(f64::NAN)
    })
}
