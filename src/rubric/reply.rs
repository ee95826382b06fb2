//! Splits a raw reply into reasoning and answer and recognises its ending before rubrics read it.
//!
//! The answer is the text after the last reasoning. A reply that opens its reasoning and never
//! closes it has no answer, and neither has one with an unknown ending: a lost answer is better
//! than a draft that is taken for one. Markers, endings and the tokens of chat templates are data,
//! in `assets/replies.toml`. Does not look for the verdict.

mod table;
#[cfg(test)]
mod tests;

pub(super) use table::{Labels, labels};

use serde::{Deserialize, Serialize};
use table::TABLE;

/// Why a judge stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The reply is complete.
    Stop,
    /// The token limit cut it.
    Length,
    /// The judge, or a filter before it, declined.
    Refusal,
    /// An ending that is not known, in the server's word. Never a verdict.
    Other(String),
    /// The server did not say. Never a verdict.
    #[default]
    Unknown,
}

impl Finish {
    /// The ending for a server's word, on any route.
    pub fn of(word: Option<&str>) -> Self {
        let Some(word) = word.map(str::trim).filter(|word| !word.is_empty()) else {
            return Self::Unknown;
        };
        let endings = &TABLE.endings;
        let lower = word.to_lowercase();
        let prefixes = endings.prefixes.iter();
        let lower = prefixes
            .filter_map(|prefix| lower.strip_prefix(prefix.as_str()))
            .next()
            .unwrap_or(&lower)
            .to_owned();
        let lists = [
            (&endings.complete, Self::Stop),
            (&endings.cut, Self::Length),
            (&endings.declined, Self::Refusal),
        ];
        lists
            .into_iter()
            .find(|(words, _)| words.contains(&lower))
            .map_or_else(|| Self::Other(word.to_owned()), |(_, finish)| finish)
    }

    /// The ending as rows show it; `None` where the server did not say.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Stop => Some("stop"),
            Self::Length => Some("length"),
            Self::Refusal => Some("refusal"),
            Self::Other(word) => Some(word),
            Self::Unknown => None,
        }
    }
}

/// The text of a reply, taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parts {
    /// Text between markers of reasoning, and text before it. Empty where there is none.
    pub reasoning: String,
    /// The text after the last reasoning, without the tokens of chat templates.
    pub answer: String,
    /// The name of the marker that was opened and never closed; `answer` is empty then.
    pub unclosed: Option<String>,
}

impl Parts {
    /// Takes a raw text apart.
    pub fn of(raw: &str) -> Self {
        if let Some(parts) = Self::typed(raw) {
            return parts;
        }
        let parts = Self::scanned(raw, false);
        match parts.unclosed {
            Some(_) => Self::scanned(raw, true),
            None => parts,
        }
    }

    /// A list of typed parts that a server delivered as text:
    /// `[{"type": "thinking", …}, {"type": "text", "text": "…"}]`.
    fn typed(raw: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Part {
            r#type: String,
            text: Option<String>,
            #[serde(flatten)]
            rest: serde_json::Map<String, serde_json::Value>,
        }
        let list = raw.trim();
        let looks = list.starts_with('[') && list.ends_with(']') && list.contains("\"type\"");
        let parts: Vec<Part> = looks.then(|| serde_json::from_str(list).ok()).flatten()?;
        let mut split = Self::default();
        for part in parts {
            match (part.r#type.as_str(), part.text) {
                ("text" | "output_text", Some(text)) => {
                    split.answer.push_str(&text);
                    split.answer.push('\n');
                }
                (_, text) => {
                    let rest = serde_json::Value::Object(part.rest).to_string();
                    split.reasoning.push_str(&text.unwrap_or(rest));
                    split.reasoning.push('\n');
                }
            }
        }
        Some(split)
    }

    fn scanned(raw: &str, is_lenient: bool) -> Self {
        let mut scan = Scan { is_lenient, ..Scan::default() };
        if let Some(rest) = raw.trim_start().strip_prefix(HARMONY_STRIPPED)
            && (rest.starts_with(|c: char| c.is_uppercase() || !c.is_ascii())
                || rest.contains(HARMONY_STRIPPED_FINAL))
        {
            scan.open(CHANNEL);
        }
        if raw.trim_start().starts_with(HYPERCLOVA_STRIPPED) {
            scan.open(TURN);
        }
        // Within harmony a turn that ends can be followed by the final channel.
        let last_channel = raw.rfind(CHANNEL).unwrap_or(0);
        let mut at = role_len(raw);
        let (mut text_from, mut is_line_start) = (at, true);
        while let Some(c) = raw[at..].chars().next() {
            let is_candidate = if is_line_start {
                c != ' '
            } else {
                !(c.is_alphanumeric() || c == ' ') || matches!(c, 'a' | 'A')
            };
            let found =
                is_candidate.then(|| mark_at(&raw[at..], is_line_start, &scan.open)).flatten();
            let Some((mark, len)) = found else {
                is_line_start = c == '\n' || (is_line_start && matches!(c, ' ' | '*' | '#'));
                at += c.len_utf8();
                continue;
            };
            scan.text(&raw[text_from..at]);
            at += len;
            (text_from, is_line_start) = (at, raw[..at].ends_with('\n'));
            if scan.mark(mark) && at > last_channel {
                text_from = raw.len();
                break;
            }
        }
        scan.text(&raw[text_from..]);
        scan.parts()
    }
}

/// Harmony's channels (gpt-oss), intact and where a server dropped the special tokens.
const CHANNEL: &str = "<|channel|>";
const MESSAGE: &str = "<|message|>";
const FINAL_CHANNEL: &str = "final";
const HARMONY_STRIPPED: &str = "analysis";
const HARMONY_STRIPPED_FINAL: &str = "assistantfinal";

/// HyperCLOVA's turn of reasoning where a server dropped the tokens before it.
const HYPERCLOVA_STRIPPED: &str = "/think\n";

/// A turn whose role is `think` (s1).
const TURN: &str = "turn";

/// No tag has more characters; attributes are included.
const TAG_CHARS_MAX: usize = 100;

/// Something in a reply that is not its text.
enum Mark {
    /// Opens reasoning of that name.
    Open(String),
    /// Closes reasoning of that name.
    Close(String),
    /// The answer begins, whatever is open.
    Final,
    /// The turn is over, or a channel of it.
    TurnEnd,
    /// A token without a meaning here.
    Token,
}

#[derive(Default)]
struct Scan {
    /// Whether a tag opened twice in a row counts once, and one thinking name closes another.
    is_lenient: bool,
    /// Where reasoning was opened last, by the length of `reasoning`.
    opened_at: usize,
    /// Names of the reasoning that is open, the outermost first.
    open: Vec<String>,
    reasoning: String,
    answer: String,
}

impl Scan {
    fn text(&mut self, text: &str) {
        if self.open.is_empty() {
            self.answer.push_str(text)
        } else {
            self.reasoning.push_str(text)
        }
    }

    /// What was read so far is not the answer.
    fn set_aside(&mut self) {
        if !self.reasoning.is_empty() && !self.reasoning.ends_with('\n') {
            self.reasoning.push('\n');
        }
        self.reasoning.push_str(self.answer.trim());
        self.answer.clear();
    }

    fn open(&mut self, name: &str) {
        /// Deeper reasoning is never closed.
        const DEPTH_MAX: usize = 32;
        if self.open.is_empty() {
            self.set_aside();
        }
        let is_repeated = self.open.last().is_some_and(|open| open == name)
            && self.reasoning[self.opened_at..].trim().is_empty();
        if self.is_lenient && is_repeated {
            return;
        }
        self.opened_at = self.reasoning.len();
        match self.open.len() {
            0..DEPTH_MAX => self.open.push(name.to_owned()),
            DEPTH_MAX => self.open.insert(0, "nesting too deep".to_owned()),
            _ => {}
        }
    }

    /// Whether the reply ends here.
    fn mark(&mut self, mark: Mark) -> bool {
        match mark {
            Mark::Open(name) => self.open(&name),
            Mark::Close(name) => match self.open.iter().rposition(|open| *open == name) {
                Some(place) => self.open.truncate(place),
                // Some chat templates write the opening marker themselves.
                None if self.open.is_empty() => self.set_aside(),
                None if self.is_lenient
                    && self.open.len() == 1
                    && has_one_stem(&self.open[0], &name) =>
                {
                    self.open.clear();
                }
                None => {}
            },
            Mark::Final => {
                self.open.clear();
                self.set_aside();
            }
            Mark::TurnEnd => match self.open.iter().rposition(|open| is_of_turn(open)) {
                Some(place) => self.open.truncate(place),
                None => return self.open.is_empty() && !self.answer.trim().is_empty(),
            },
            Mark::Token if self.open.is_empty() => self.answer.push('\n'),
            Mark::Token => {}
        }
        false
    }

    fn parts(self) -> Parts {
        let name = |open: String| open.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        let unclosed = self.open.into_iter().next().map(name);
        Parts {
            reasoning: self.reasoning.trim().to_owned(),
            answer: match unclosed {
                Some(_) => String::new(),
                None => without_last_tokens(self.answer),
            },
            unclosed,
        }
    }
}

/// The marker that a text begins with, and how many bytes it has.
fn mark_at(rest: &str, is_line_start: bool, open: &[String]) -> Option<(Mark, usize)> {
    if is_line_start || rest.starts_with(|c: char| c == '\n' || !(c.is_alphanumeric() || c == ' '))
    {
        for (name, marks) in &TABLE.pairs {
            let (opens, closing) = marks.split_first()?;
            let literal = |text: &str| match text.strip_prefix('^') {
                Some(text) if is_line_start => starts_with(rest, text),
                Some(_) => None,
                None => starts_with(rest, text),
            };
            if let Some(len) = literal(opens) {
                let rest = &rest[len..];
                let role = rest.split(|c: char| !c.is_alphanumeric()).next()?;
                return if role.eq_ignore_ascii_case(FINAL_CHANNEL) && opens.starts_with('<') {
                    Some((Mark::Final, len + role.len()))
                } else {
                    Some((Mark::Open(name.clone()), len))
                };
            }
            let is_awaited = |(k, closes): &(usize, &String)| {
                open.contains(name) || (*k == 0 && !closes.starts_with(char::is_whitespace))
            };
            let mut closing = closing.iter().enumerate().filter(is_awaited);
            if let Some(len) = closing.find_map(|(_, closes)| literal(closes)) {
                return Some((Mark::Close(name.clone()), len));
            }
        }
    }
    if let Some(len) = starts_with(rest, CHANNEL) {
        return Some(channel(rest, len));
    }
    if let Some(len) = starts_with(rest, HARMONY_STRIPPED_FINAL)
        && (open.iter().any(|open| open == CHANNEL))
    {
        return Some((Mark::Final, len));
    }
    template(rest).or_else(|| tag(rest, open))
}

/// Whether reasoning ends with its turn: a channel, turn or one-token tag (`<|think|>` of Solar).
fn is_of_turn(open: &str) -> bool {
    open == CHANNEL || open == TURN || open.starts_with('0')
}

/// Whether two names of tags, with the numbers of their brackets, have their brackets and a stem in
/// common: `think`, `thinking`.
fn has_one_stem(open: &str, close: &str) -> bool {
    let brackets =
        |name: &str| name.find(|c: char| !c.is_ascii_digit()).map(|end| name[..end].to_owned());
    let mut stems = TABLE.tags.stems.iter();
    brackets(open) == brackets(close)
        && stems.any(|stem| open.contains(stem) && close.contains(stem))
}

/// Without what looks like tokens at the very end: `</longcat_s>`, `[unused10]`,
/// `<｜place▁holder▁no▁2｜>`.
fn without_last_tokens(mut answer: String) -> String {
    const NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=40;
    loop {
        let text = answer.trim_end();
        let opening = match text.chars().next_back() {
            Some('>') => '<',
            Some(']') => '[',
            _ => return answer,
        };
        let Some(start) = text.rfind(opening) else {
            return answer;
        };
        let name = &text[start + 1..text.len() - 1];
        let is_name = |c: char| c.is_alphanumeric() || "/|｜_▁:-".contains(c);
        let is_token = NAME_CHARS.contains(&name.chars().count())
            && name.chars().all(is_name)
            && name.contains(char::is_alphabetic)
            && (opening == '<' || name.starts_with("unused"));
        // The closing tag of something that is open is text.
        let is_closing =
            name.strip_prefix('/').is_some_and(|name| text.contains(&format!("<{name}")));
        if !is_token || is_closing {
            return answer;
        }
        answer.truncate(start);
    }
}

/// How many bytes of `text` are `prefix`, in any letter case.
fn starts_with(text: &str, prefix: &str) -> Option<usize> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(prefix.len())
}

/// A channel's head up to its message: `<|channel|>final <|constrain|>JSON<|message|>`.
fn channel(rest: &str, len: usize) -> (Mark, usize) {
    let head: String = rest.chars().take(TAG_CHARS_MAX).collect();
    let name = head[len..].trim_start().to_lowercase();
    let end = head.find(MESSAGE).map_or(len, |end| end + MESSAGE.len());
    if name.starts_with(FINAL_CHANNEL) {
        (Mark::Final, end.max(len + FINAL_CHANNEL.len()))
    } else {
        (Mark::Open(CHANNEL.to_owned()), end)
    }
}

/// A token of a chat template, with the role that follows it.
fn template(rest: &str) -> Option<(Mark, usize)> {
    if !rest.starts_with(['<', '[', ']']) {
        return None;
    }
    let template = &TABLE.template;
    let listed =
        |list: &[String]| -> Option<usize> { list.iter().find_map(|it| starts_with(rest, it)) };
    if let Some(len) = listed(&template.turn_ends) {
        return Some((Mark::TurnEnd, len));
    }
    if let Some(len) = listed(&template.turn_starts) {
        let word: String = rest[len..].chars().take_while(|c| c.is_alphanumeric()).collect();
        let len_with_role = len + word.len();
        // HyperCLOVA: `<|im_start|>assistant/think`.
        if let Some(rest) = rest[len_with_role..].strip_prefix('/') {
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            if is_reasoning(&normal(&rest[..end])) {
                return Some((Mark::Open(TURN.to_owned()), len_with_role + 1 + end));
            }
        }
        return Some(match word.to_lowercase().as_str() {
            "" => (Mark::Token, len),
            role if template.roles.iter().any(|it| it == role) => (Mark::Token, len_with_role),
            "answer" => (Mark::Close(TURN.to_owned()), len_with_role),
            role if is_reasoning(role) => (Mark::Open(TURN.to_owned()), len_with_role),
            _ => (Mark::Token, len),
        });
    }
    listed(&template.others).map(|len| (Mark::Token, len))
}

/// How many bytes a role takes that a template left at the start: `ASSISTANT: `.
fn role_len(raw: &str) -> usize {
    let Some((role, _)) = raw.split_once(':') else { return 0 };
    let role_name = role.trim().to_lowercase();
    if TABLE.template.roles.contains(&role_name) { role.len() + 1 } else { 0 }
}

/// A name between brackets.
fn tag(rest: &str, open: &[String]) -> Option<(Mark, usize)> {
    let brackets = &TABLE.tags.brackets;
    let (kind, [left, right]) =
        brackets.iter().enumerate().find(|(_, [left, _])| starts_with(rest, left).is_some())?;
    let inside: String = rest[left.len()..].chars().take(TAG_CHARS_MAX).collect();
    let end = inside.find(right.as_str())?;
    let inner = &inside[..end];
    if inner.contains(['\n', '<', '{', '"']) && left != "<" {
        return None;
    }
    let mut len = left.len() + end + right.len();
    let inner = inner.trim();
    let (bare, slash) = match inner.strip_prefix('/') {
        Some(bare) => (bare.trim_start(), true),
        None => (inner, false),
    };
    let head = bare.split_whitespace().next().unwrap_or_default();
    let mut name = normal(head);
    let mut closes = slash;
    let is_special = left.ends_with(['|', '｜']);
    // Kimi: `<|open|>think<|sep|>` and `<|close|>think<|sep|>`.
    if is_special && matches!(name.as_str(), "open" | "close") {
        let after = &rest[len..];
        let word: String = after.chars().take_while(|c| c.is_alphanumeric()).collect();
        closes = name == "close";
        name = normal(&word);
        len += word.len();
        len += starts_with(&rest[len..], "<|sep|>").unwrap_or(0);
    } else {
        let (plain, is_end) = without_affix(&name);
        closes |= is_end;
        name = plain;
    }
    let key = format!("{kind}{name}");
    let is_heading =
        left == "[" && head.starts_with(char::is_uppercase) && head.to_uppercase() != head;
    let is_marked = is_reasoning(&name)
        || (!closes
            && left == "<"
            && bare.len() > head.len()
            && has_stem(&normal(bare))
            && head == "details");
    if open.contains(&key) && closes {
        return Some((Mark::Close(key), len));
    }
    if is_marked && !is_heading && !inner.ends_with('/') {
        return Some(if closes { (Mark::Close(key), len) } else { (Mark::Open(key), len) });
    }
    // `<seed:eos>`, `<[EOS_never_used_…]>`.
    if left == "<" && (name.ends_with("eos") || name.starts_with("eosnever")) {
        return Some((Mark::TurnEnd, len));
    }
    // `<box>(64,217),(555,772)</box>` is a place in a picture.
    if TABLE.tags.answers.contains(&name) && (is_special || name != "box") {
        return Some((Mark::Token, len));
    }
    (is_special && !name.is_empty() && bare == head).then_some((Mark::Token, len))
}

/// The letters and digits of a name, in lower case.
fn normal(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The name without `begin of`, `end of` and the like, and whether it says that something ends.
fn without_affix(name: &str) -> (String, bool) {
    const BEGINS: [&str; 4] = ["beginof", "startof", "begin", "start"];
    const ENDS: [&str; 4] = ["endof", "end", "stopof", "stop"];
    let strip = |words: [&str; 4]| {
        words
            .iter()
            .find_map(|word| name.strip_prefix(word).or_else(|| name.strip_suffix(word)))
            .filter(|plain| !plain.is_empty())
            .map(str::to_owned)
    };
    if let Some(plain) = strip(BEGINS) {
        return (plain, false);
    }
    match strip(ENDS) {
        Some(plain) => (plain, true),
        None => (name.to_owned(), false),
    }
}

fn has_stem(name: &str) -> bool {
    TABLE.tags.stems.iter().any(|stem| name.contains(stem))
}

fn is_reasoning(name: &str) -> bool {
    has_stem(name) || TABLE.tags.names.iter().any(|known| known == name)
}
