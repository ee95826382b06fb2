//! Texts with placeholders: `out/{prompt_id}.glb`.

/// Fills every `{name}` with the value of that name; `{{` and `}}` are braces.
///
/// # Errors
/// In words: a name that is not known here, or a brace that is not closed.
pub(in crate::unstable::bench) fn fill(
    pattern: &str,
    values: &[(&str, &str)],
) -> Result<String, String> {
    let mut filled = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(doubled) = after.strip_prefix(brace) {
            filled.push_str(brace);
            rest = doubled;
            continue;
        }
        if brace == "}" {
            return Err(format!(
                "a `}}` without its `{{` in {pattern:?}; write `}}}}` for a brace"
            ));
        }
        let Some((name, after)) = after.split_once('}') else {
            return Err(format!(
                "a `{{` without its `}}` in {pattern:?}; write `{{{{` for a brace"
            ));
        };
        let Some((_, value)) = values.iter().find(|(known, _)| *known == name) else {
            let known: Vec<String> =
                values.iter().map(|(known, _)| format!("{{{known}}}")).collect();
            return Err(format!("unknown {{{name}}} in {pattern:?}; known: {}", known.join(" ")));
        };
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A text as a pattern for itself.
pub(in crate::unstable::bench) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_once_and_braces_escaped() {
        let values = [("prompt", "a {seed} \"chair\""), ("seed", "7")];
        let filled = |pattern| fill(pattern, &values);
        assert_eq!(filled("{prompt}-{seed}").unwrap(), "a {seed} \"chair\"-7");
        assert_eq!(filled("{{{seed}}}").unwrap(), "{7}");
        assert!(filled("{sed}").unwrap_err().contains("{prompt} {seed}"));
        assert!(filled("a}").is_err());
        assert!(filled("{seed").is_err());
    }
}
