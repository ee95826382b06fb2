//! A reply's text without the markup of pages and of strings: HTML, escaped line breaks, struck-out
//! text, stars next to their number.

use std::borrow::Cow;

/// The text as a person sees it.
pub(super) fn seen(text: &str) -> Cow<'_, str> {
    let text = unescaped(text);
    let text = changed(
        text,
        |text| text.contains("&quot;"),
        |text| {
            [("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .iter()
                .fold(text.to_owned(), |text, (entity, mark)| text.replace(entity, mark))
        },
    );
    let text = changed(text, |text| text.contains("<box>"), without_boxes);
    let text = changed(text, |text| text.contains("~~"), without_struck);
    let text = changed(text, is_page, without_tags);
    let text = changed(text, |text| text.contains(STARS), without_stars);
    changed(text, |text| text.contains("\n=> ") || text.contains("\n→ "), with_decisions)
}

fn changed<'t>(
    text: Cow<'t, str>,
    is_needed: impl Fn(&str) -> bool,
    change: impl Fn(&str) -> String,
) -> Cow<'t, str> {
    if is_needed(&text) { change(&text).into() } else { text }
}

/// Some write an object as a text within quotation marks, with its own marks and line breaks
/// escaped, and some a whole reply with line breaks escaped.
fn unescaped(text: &str) -> Cow<'_, str> {
    let inside = text.find('{').map_or("", |at| &text[at + 1..]);
    let first = inside.trim_start_matches(|c: char| c.is_whitespace()).trim_start_matches("\\n");
    // `{"why": "For \"a red cake\": …"}` is an object as it is.
    if first.trim_start().starts_with("\\\"") {
        let inner = serde_json::from_str::<String>(text.trim()).ok();
        inner.map_or_else(|| text.replace("\\\"", "\"").into(), Cow::Owned)
    } else if !text.trim().contains('\n') && text.contains("\\n") && !text.contains(['{', '$']) {
        text.replace("\\n", "\n").into()
    } else {
        text.into()
    }
}

/// Without the places in pictures that some models name:
/// `<ref>the bonnet</ref><box>(64,217),(555,772)</box>`.
fn without_boxes(text: &str) -> String {
    let parts = text.split("<box>");
    // A place that is not closed stays.
    let kept: String =
        parts.map(|part| part.split_once("</box>").map_or(part, |(_, rest)| rest)).collect();
    kept.replace("<ref>", "").replace("</ref>", " ")
}

/// `~~3~~ 2`: struck-out text is taken back.
fn without_struck(text: &str) -> String {
    let parts = text.split("~~").enumerate();
    let is_kept = |k: usize, part: &str| k.is_multiple_of(2) || part.contains('\n');
    parts.filter(|(k, part)| is_kept(*k, part)).map(|(_, part)| part).collect()
}

const BLOCKS: [&str; 17] = [
    "p", "div", "li", "ul", "ol", "br", "h1", "h2", "h3", "h4", "h5", "tr", "table", "tbody",
    "thead", "section", "hr",
];
const CELLS: [&str; 2] = ["td", "th"];
const INLINE: [&str; 9] = ["b", "strong", "i", "em", "u", "span", "font", "mark", "a"];

/// No tag is longer, and no text is searched further for the end of one.
const TAG_BYTES_MAX: usize = 300;

/// Whether a text is written as a page: with paragraphs, lists, rows, or bold words in tags.
fn is_page(text: &str) -> bool {
    ["</p>", "</li>", "</tr>", "</b>", "</strong>", "<br", "</h1>", "</h2>", "</h3>", "</div>"]
        .iter()
        .any(|tag| text.contains(tag))
}

/// Without page tags: blocks as lines, rows as rows. Other tags can name a criterion and stay.
fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(TAG_BYTES_MAX).position(|byte| byte == b'>');
        let inner = end.map(|end| (&rest[1..end], &rest[end + 1..]));
        let name = |inner: &str| {
            let name = inner.trim_start_matches('/');
            let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
            name[..end].to_lowercase()
        };
        match inner.map(|(inner, after)| (name(inner), inner.starts_with('/'), after)) {
            Some((name, _, after)) if BLOCKS.contains(&name.as_str()) => {
                out.push('\n');
                rest = after;
            }
            Some((name, is_end, after)) if CELLS.contains(&name.as_str()) => {
                out.push_str(if is_end { "" } else { "| " });
                rest = after;
            }
            Some((name, _, after)) if INLINE.contains(&name.as_str()) => rest = after,
            _ => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// `=> 2` in a line of its own announces a choice.
fn with_decisions(text: &str) -> String {
    let line = |line: &str| {
        let choice = line.strip_prefix("=> ").or_else(|| line.strip_prefix("→ "));
        let choice = choice.filter(|it| it.trim_end().bytes().all(|b| b.is_ascii_digit()));
        choice.map_or_else(|| line.to_owned(), |choice| format!("Decision: {choice}"))
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

const STARS: [char; 4] = ['★', '☆', '⭐', '🌟'];

/// Stars are left out of a line that has their number.
fn without_stars(text: &str) -> String {
    let line = |line: &str| match line.contains(|c: char| c.is_ascii_digit()) {
        true => line.replace(STARS, ""),
        false => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::seen;

    #[test]
    fn markup_of_pages_and_strings_is_not_seen() {
        for (text, expected) in [
            ("Left.\\n\\n1 2 2", "Left.\n\n1 2 2"),
            ("a\\nb\nc", "a\\nb\nc"),
            ("~~3~~ → 2", " → 2"),
            ("Score: ★★☆ (2/3)", "Score:  (2/3)"),
            ("★★☆", "★★☆"),
            ("Shape.\n=> 2", "Shape.\nDecision: 2"),
            ("<plausibility>2</plausibility>", "<plausibility>2</plausibility>"),
            ("<b>1 < 2</b>", "1 < 2"),
        ] {
            assert_eq!(seen(text), expected);
        }
        let list = seen("<ul>\n<li><b>Shape</b>: 5</li>\n</ul>");
        assert_eq!(list.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), ["Shape: 5"]);
        let row = seen("<tr><td>Shape</td><td>5</td></tr>");
        assert_eq!(row.trim(), "| Shape| 5");
    }
}
