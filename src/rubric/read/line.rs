//! What the line readers share: lines without their decoration.

/// The lines of a reply, also where a line ends in a Unicode way.
pub(super) fn lines(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// Without bold, code, heading and quotation marks, block-quote arrows and list dashes; full-width digits and colons made plain.
pub(super) fn undecorated(line: &str) -> String {
    let plain: String = line
        .replace("\\boxed", "")
        .chars()
        .filter_map(|c| match c {
            '*'
            | '`'
            | '#'
            | '$'
            | '\\'
            | '"'
            | '\''
            | '\u{201c}'..='\u{201f}'
            | '\u{2018}'
            | '\u{2019}'
            | '«'
            | '»' => None,
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => None,
            '０'..='９' => char::from_digit(c as u32 - '０' as u32, 10),
            '：' => Some(':'),
            '，' => Some(','),
            c if c.is_whitespace() => Some(' '),
            c => Some(c),
        })
        .collect();
    let bare = plain.trim().trim_matches('_').trim();
    let bare = bare.trim_start_matches(['>', '•', '–', '—', '→']).trim();
    bare.strip_prefix("- ")
        .or_else(|| bare.strip_prefix("+ "))
        .unwrap_or(bare)
        .trim()
        .to_owned()
}

/// The words of a text, in lower case, without punctuation.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
