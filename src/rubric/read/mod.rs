//! Turns a judge's reply into an [`Outcome`]: one place, one form, nothing guessed.
//!
//! The place is the end of the answer. The form is what was asked for: the JSON object of the
//! schema, or a last line of marks. The same form elsewhere with another answer means that there is
//! no verdict. What a reply says in any other form is [`Reading::Unread`]; the judge is then asked
//! to restate it. Pure functions of the text and its ending.

mod line;
pub(super) mod object;
mod restated;
pub(super) mod slots;

#[cfg(test)]
mod tests;

pub use restated::RESTATEMENT_TOKENS_MAX;

use super::kind::AskedAs;
use super::reply::Parts;
use super::{Finish, Order, Outcome, Rubric};
use slots::{Answer, Slots};

/// The version of this reader, part of every protocol: the same reply has the same verdict in it.
pub const READER_VERSION: u32 = 2;

/// The known facts of a reply when it is read.
#[derive(Debug, Clone, Copy)]
pub struct ReplyText<'a> {
    /// The text as it was received, with any markers of reasoning in it.
    pub text: &'a str,
    /// Reasoning that came apart from the text.
    pub reasoning: &'a str,
    pub finish: &'a Finish,
    /// Keys that the judge says it has no means to answer; see [`Verdict`](super::Verdict).
    pub undecided: &'a [String],
}

/// What a reply is.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// A verdict, a refusal, or a reply without an answer that can be asked for again.
    Ended(Outcome),
    /// A reply without an answer, as every reply of this server will be.
    Hopeless(Outcome),
    /// A complete answer in another form: the judge can restate it.
    Unread(Outcome),
}

impl Reading {
    /// The same without what may follow.
    pub fn outcome(self) -> Outcome {
        match self {
            Self::Ended(outcome) | Self::Hopeless(outcome) | Self::Unread(outcome) => outcome,
        }
    }
}

impl Rubric {
    /// Reads the reply to a question that was asked in `order`.
    ///
    /// A reply that the token limit cut is [`Outcome::Truncated`] whatever it holds, because what
    /// looks like its answer can be a draft. For the same reason a reply with an unknown ending, or
    /// one that never ends its reasoning, is [`Outcome::Invalid`].
    pub fn read(&self, reply: &ReplyText<'_>, category: Option<&str>, order: Order) -> Outcome {
        self.read_parts(reply, &Parts::of(reply.text), category, order).outcome()
    }

    /// As [`Rubric::read`], with the parts of the text, and whether asking again is of use.
    pub fn read_parts(
        &self,
        reply: &ReplyText<'_>,
        parts: &Parts,
        category: Option<&str>,
        order: Order,
    ) -> Reading {
        if let Some(ended) = without_answer(reply, parts) {
            return ended;
        }
        let asked = AskedAs { rubric: self, category, order, undecided: reply.undecided };
        let form = self.kind().form();
        if let Some(listed) = form.listed(self, &parts.answer) {
            return Reading::Ended(listed.map_or_else(invalid, Outcome::Verdict));
        }
        let slots = form.slots(&asked);
        if slots.keys.is_empty() {
            return Reading::Ended(Outcome::Verdict(form.verdict(&[], &asked)));
        }
        let found = Found::in_text(&parts.answer, &slots);
        match found.answer() {
            Ok(answer) => {
                let values: Vec<f64> = answer.iter().flatten().copied().collect();
                Reading::Ended(Outcome::Verdict(form.verdict(&values, &asked)))
            }
            Err(reason) => Reading::Unread(invalid(reason)),
        }
    }
}

/// What a reply without an answer is.
fn without_answer(reply: &ReplyText<'_>, parts: &Parts) -> Option<Reading> {
    /// 16,384 tokens are a tenth of that.
    const BYTES_MAX: usize = 1 << 20;
    let is_blank = parts.answer.trim().is_empty();
    let is_reasoning = !parts.reasoning.is_empty() || !reply.reasoning.trim().is_empty();
    let ended = |reason: &str| Reading::Ended(invalid(reason));
    Some(match reply.finish {
        _ if reply.text.len() > BYTES_MAX => ended("the reply is longer than any answer"),
        Finish::Refusal => Reading::Ended(Outcome::Refusal),
        Finish::Length => Reading::Ended(Outcome::truncated(is_blank && is_reasoning)),
        Finish::Other(word) => Reading::Hopeless(invalid(&format!(
            "the reply ended with {word:?}, which is not known as the ending of a complete reply"
        ))),
        Finish::Unknown => Reading::Hopeless(invalid(
            "the server did not say whether the reply is complete; if it never does, state `states_ending = false` for its model",
        )),
        Finish::Stop => match &parts.unclosed {
            Some(mark) => ended(&format!(
                "the reply opens its reasoning ({mark}) and never closes it, so it holds no answer"
            )),
            None if is_blank && is_reasoning => ended("the reply holds reasoning and no answer"),
            None if is_blank => ended("the reply is empty"),
            None => return None,
        },
    })
}

/// The answers of a text in the form that was asked for.
struct Found {
    all: Vec<Answer>,
    /// The same under a label that announces something else.
    labelled: Vec<Answer>,
    /// Whether the last of them is the end of the text.
    is_last: bool,
}

impl Found {
    fn in_text(text: &str, slots: &Slots) -> Self {
        let mut found = Self { all: Vec::new(), labelled: Vec::new(), is_last: false };
        let mut at = 0;
        for (place, node) in object::objects(text) {
            found.add_lines(&text[at..place.start], slots);
            found.add(node.answer(slots));
            at = place.end;
        }
        found.add_lines(&text[at..], slots);
        found
    }

    fn add_lines(&mut self, text: &str, slots: &Slots) {
        // A label can be on the line above.
        let mut is_other = false;
        for line in text.lines().map(line::plain).filter(|line| !line.is_empty()) {
            let answer = line::answer(&line, slots);
            self.labelled.extend(answer.clone().filter(|_| is_other));
            self.add(answer.filter(|_| !is_other));
            is_other = line::is_other_label(&line);
        }
    }

    fn add(&mut self, answer: Option<Answer>) {
        self.is_last = answer.is_some();
        self.all.extend(answer);
    }

    /// The one answer, or why there is none.
    fn answer(&self) -> Result<&Answer, &'static str> {
        match self.all.split_last() {
            Some((last, others)) if others.iter().any(|other| other != last) => {
                Err("the reply holds two different answers")
            }
            Some((last, _)) if self.is_last => Ok(last),
            Some(_) => Err("the answer is not at the end of the reply"),
            None => Err("the reply does not end with an answer in the form asked for"),
        }
    }
}

fn invalid(reason: &str) -> Outcome {
    Outcome::Invalid { reason: reason.to_owned() }
}
