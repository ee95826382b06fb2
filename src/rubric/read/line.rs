//! What the line readers share: the lines of a reply without their decoration, which of them are
//! quotations, and their words.

/// A line of a reply.
pub(crate) struct Line {
    /// See [`undecorated`].
    pub text: String,
    /// Whether it repeats somebody else's words: a block quote, within quotation marks, or in a
    /// block of code with sentences.
    pub is_quoted: bool,
    /// Whether it is a number in quotation marks and nothing else.
    pub is_number_in_marks: bool,
}

/// A quotation has so many lines at most; a mark that is not closed by then is a slip, or inches.
const QUOTED_LINES_MAX: usize = 12;

/// Lines also end in a Unicode way.
pub(crate) const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// The lines of a reply.
pub(crate) fn lines(text: &str) -> Vec<Line> {
    let raw: Vec<&str> = text.split(LINE_ENDS).map(str::trim).collect();
    let mut lines: Vec<Line> = raw
        .iter()
        .map(|line| {
            let text = undecorated(line);
            let is_block = line.starts_with('>');
            Line {
                is_quoted: is_block || holds_quotation(line),
                is_number_in_marks: !is_block && !text.contains(char::is_alphabetic),
                text,
            }
        })
        .collect();
    quote_code(&raw, &mut lines);
    // Marks around the whole reply quote nothing: the example in the question is between marks.
    let first = raw.iter().position(|line| !line.is_empty());
    let mut at = first.map_or(0, |first| first + 1);
    while at < raw.len() {
        let end = opened(raw[at]).and_then(|closing| {
            let after = (at + 1..raw.len()).take(QUOTED_LINES_MAX);
            after
                .into_iter()
                .find(|&i| raw[i].trim_end_matches(['.', ',', ';', '*', '_']).ends_with(closing))
        });
        if let Some(end) = end {
            for line in &mut lines[at + 1..=end] {
                line.is_quoted = true;
            }
        }
        at = end.unwrap_or(at) + 1;
    }
    lines
}

/// The last line before that has letters or digits, apart from the language of a block of code.
pub(crate) fn line_before(before: &[Line]) -> String {
    let mut texts = before.iter().rev().map(|line| &line.text);
    let says = |text: &&String| words(text).iter().any(|word| word != "json");
    texts.find(says).cloned().unwrap_or_default()
}

/// A block of code in which somebody speaks is a quotation; one that only holds an answer is not.
fn quote_code(raw: &[&str], lines: &mut [Line]) {
    const WORDS_MIN: usize = 3;
    let is_fence = |i: &usize| raw[*i].starts_with("```");
    let fences: Vec<usize> = (0..raw.len()).filter(is_fence).collect();
    for pair in fences.chunks_exact(2) {
        let block = pair[0] + 1..pair[1];
        let speaks = |i: usize| {
            let words = words(raw[i]);
            words.iter().filter(|word| word.contains(char::is_alphabetic)).count() >= WORDS_MIN
        };
        if block.len() > 1 && block.clone().any(speaks) {
            for line in &mut lines[block] {
                (line.is_quoted, line.is_number_in_marks) = (true, false);
            }
        }
    }
}

/// The mark that closes what `open` opens.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '"' => '"',
        '\u{201c}' | '\u{201f}' => '\u{201d}',
        '\u{201e}' => '\u{201c}',
        '\u{2018}' => '\u{2019}',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}

/// Whether marks opened and closed on the line enclose all of it, or words with digits among them.
/// Digits alone are an answer in marks.
fn holds_quotation(line: &str) -> bool {
    let bare = line.trim_matches(|c| matches!(c, '*' | '_' | '.' | ' '));
    if let Some(inner) = bare.strip_prefix('\'').and_then(|b| b.strip_suffix('\''))
        && inner.contains(char::is_alphanumeric)
    {
        return true;
    }
    let mut rest = bare;
    while let Some((at, closing)) = rest.char_indices().find_map(|(i, c)| Some((i, closing(c)?))) {
        let before = &rest[..at];
        let after = &rest[at + rest[at..].chars().next().map_or(1, char::len_utf8)..];
        let Some(end) = after.find(closing) else {
            return false;
        };
        let inner = &after[..end];
        let has_digit = inner.contains(|c: char| c.is_numeric());
        let is_whole = before.is_empty() && end + closing.len_utf8() == after.len();
        if has_digit && (is_whole || inner.contains(char::is_alphabetic)) {
            return true;
        }
        rest = &after[end + closing.len_utf8()..];
    }
    false
}

/// The mark that is awaited at the end of a line that opens a quotation and does not close it.
fn opened(line: &str) -> Option<char> {
    let mut awaited: Option<char> = None;
    let mut previous = ' ';
    for c in line.chars() {
        if awaited == Some(c) {
            awaited = None;
        } else if awaited.is_none() && !previous.is_alphanumeric() {
            awaited = closing(c);
        }
        previous = c;
    }
    awaited
}

/// Without bold, code, heading and quotation marks, block-quote arrows and list dashes; full-width
/// forms and digits of other scripts made plain.
pub(crate) fn undecorated(line: &str) -> String {
    // TeX: `\boxed{\text{1 2 2}}`, which marks a final answer.
    let boxed = line.replace("\\boxed", "Final answer: ").replace("\\quad", " ");
    let line = ["\\textbf", "\\texttt", "\\text", "\\mathbf", "\\mathrm", "\\mathtt", "\\mathsf"]
        .iter()
        .fold(boxed, |line, command| line.replace(command, ""));
    let plain: String = line
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
            | '»'
            | '「'
            | '」'
            | '『'
            | '』' => None,
            // Nor what makes a digit a key: `1️⃣`.
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe0f}' | '\u{20e3}' => None,
            c if digit(c).is_some() => digit(c),
            '、' | '，' => Some(','),
            '。' | '．' => Some('.'),
            '：' => Some(':'),
            '；' => Some(';'),
            '！' => Some('!'),
            '／' => Some('/'),
            '｜' => Some('|'),
            '＝' => Some('='),
            '－' => Some('-'),
            '（' => Some('('),
            '）' => Some(')'),
            '【' | '［' => Some('['),
            '】' | '］' => Some(']'),
            c if c.is_whitespace() => Some(' '),
            c => Some(c),
        })
        .collect();
    let bare = plain.trim().trim_matches('_').trim();
    let bare = bare.trim_start_matches(['>', '•', '–', '—', '→']).trim();
    bare.strip_prefix("- ").or_else(|| bare.strip_prefix("+ ")).unwrap_or(bare).trim().to_owned()
}

/// With the digits of other scripts as ours.
pub(crate) fn plain_digits(text: &str) -> String {
    text.chars().map(|c| digit(c).unwrap_or(c)).collect()
}

/// A digit of another script as one of ours.
fn digit(c: char) -> Option<char> {
    /// Zeros: fullwidth, Arabic, Persian, Hindi, Bengali, Gujarati, Tamil, Telugu, Thai, Khmer.
    const ZEROS: [char; 10] = ['０', '٠', '۰', '०', '০', '૦', '௦', '౦', '๐', '០'];
    let value = |zero: &char| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10);
    ZEROS.iter().find_map(value).and_then(|value| char::from_digit(value, 10))
}

/// Without the text from the first bracket to the last one.
pub(crate) fn unbracketed(text: &str) -> String {
    match (text.find('('), text.rfind(')')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}{}", &text[..open], &text[close + 1..])
        }
        _ => text.to_owned(),
    }
}

/// The words of a text, in lower case, without punctuation.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
