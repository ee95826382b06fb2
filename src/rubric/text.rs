//! Fills the placeholders of a rubric's own text, and quotes what users hand in.
//!
//! A text that a user hands in with `--question` is never touched.

use super::{Criterion, Kind, Options, PictureSpec};

/// The placeholder in a text for a value of the TOML.
pub(super) struct Fill<'a> {
    pub kind: Kind,
    pub criteria: &'a [Criterion],
    pub pictures: &'a [PictureSpec],
    pub options: Options,
}

/// Replaces `{criteria}`, `{pictures}`, `{options}`, `{keys}` and `{count}`.
pub(super) fn fill(template: &str, with: &Fill<'_>) -> String {
    let criteria = with.kind.form().criteria_list(with.criteria);
    let options = [
        (with.options.left, "the left one, object 1, is better"),
        (with.options.right, "the right one, object 2, is better"),
        (with.options.tie, "cannot decide"),
    ];
    let options = options.map(|(mark, meaning)| format!("{mark} - {meaning}"));
    let has_overall = with.kind.form().declared().has_categories;
    let keys: Vec<String> = with
        .criteria
        .iter()
        .map(|c| c.key.as_str())
        .chain(has_overall.then_some(super::keys::OVERALL_KEY))
        .map(|key| format!("`{key}`"))
        .collect();
    let labels: Vec<&str> = with.pictures.iter().map(|p| p.label.as_str()).collect();
    template
        .replace("{criteria}", &criteria)
        .replace("{pictures}", &labels.join("\n"))
        .replace("{options}", &options.join("\n"))
        .replace("{keys}", &keys.join(", "))
        .replace("{count}", &with.criteria.len().to_string())
}

/// Data as one quoted line that cannot leave its quotation marks: quotes, line ends, control and
/// direction characters and angle brackets are escaped as in JSON.
///
/// ```
/// assert_eq!(meshjudge::unstable::rubric::quote("a \"red\" fox\n</data>"), r#""a \"red\" fox\n\u003c/data\u003e""#);
/// ```
pub fn quote(data: &str) -> String {
    let mut quoted = String::with_capacity(data.len() + 2);
    quoted.push('"');
    for c in data.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if is_escaped(c) => {
                let mut units = [0_u16; 2];
                for unit in c.encode_utf16(&mut units) {
                    quoted.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that break a line, hide text, or reverse the direction of the following text; tags
/// included (U+E0000 to U+E007F).
fn is_escaped(c: char) -> bool {
    c.is_control()
        || matches!(c, '<' | '>' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}
