//! Turns a judge's reply into an [`Outcome`]. The answer is read from its place only; anything off
//! the menu is named, never guessed.
//!
//! Pure functions of the text and of why it ended. Does not call the network, keeps nothing.

pub(super) mod announcement;
pub(super) mod candidate;
pub(super) mod line;
pub(super) mod list;
mod markup;
pub(super) mod name;
pub(super) mod no_answer;
pub(super) mod object;
pub(super) mod scale;

#[cfg(test)]
mod tests;

use announcement::Heading;
use no_answer::NoAnswer;

use super::kind::AskedAs;
use super::reply::{Parts, announcements};
use super::{Finish, Order, Outcome, Rubric, Verdict};

/// The known facts of a reply when it is read.
#[derive(Debug, Clone, Copy)]
pub struct ReplyText<'a> {
    /// The text as it was received, with any markers of reasoning in it.
    pub text: &'a str,
    /// Reasoning that came apart from the text.
    pub reasoning: &'a str,
    pub finish: &'a Finish,
    /// Keys that the judge says it has no means to answer; see [`Verdict`].
    pub undecided: &'a [String],
}

impl Rubric {
    /// Reads the reply to a question that was asked in `order`.
    ///
    /// A reply that the token limit cut is [`Outcome::Truncated`] whatever it holds, because what
    /// looks like its answer can be a draft. For the same reason a reply with an unknown ending, or
    /// one that never ends its reasoning, is [`Outcome::Invalid`].
    pub fn read(&self, reply: &ReplyText<'_>, category: Option<&str>, order: Order) -> Outcome {
        self.read_parts(reply, &Parts::of(reply.text), category, order)
    }

    /// As [`Rubric::read`], with the parts of the text.
    pub fn read_parts(
        &self,
        reply: &ReplyText<'_>,
        parts: &Parts,
        category: Option<&str>,
        order: Order,
    ) -> Outcome {
        /// 16,384 tokens are a tenth of that.
        const BYTES_MAX: usize = 1 << 20;
        if reply.text.len() > BYTES_MAX {
            return invalid("the reply is longer than any answer");
        }
        let is_blank = parts.answer.trim().is_empty();
        let is_reasoning = !parts.reasoning.is_empty() || !reply.reasoning.trim().is_empty();
        match reply.finish {
            Finish::Refusal => return Outcome::Refusal,
            Finish::Length => return Outcome::truncated(is_blank && is_reasoning),
            Finish::Stop => {}
            Finish::Other(word) => {
                return invalid(&format!(
                    "the reply ended with {word:?}, which is not known as the ending of a complete reply"
                ));
            }
            Finish::Unknown => {
                return invalid(
                    "the server did not say whether the reply is complete; if it never does, state `states_ending = false` for its model",
                );
            }
        }
        if let Some(mark) = &parts.unclosed {
            return invalid(&format!(
                "the reply opens its reasoning ({mark}) and never closes it, so it holds no answer"
            ));
        }
        if is_blank {
            return invalid(if is_reasoning {
                "the reply holds reasoning and no answer"
            } else {
                "the reply is empty"
            });
        }
        let text = &markup::seen(&parts.answer);
        let form = self.kind().form();
        let asked = AskedAs { rubric: self, category, order, undecided: reply.undecided };
        let read = |text: &str| form.read(text, &asked);
        match under_heading(text, read(text), &read) {
            Ok(_) if announcement::is_blind(text) => {
                invalid("the judge says that it has no pictures")
            }
            Ok(_) if announcement::begins_with_refusal(text) => Outcome::Refusal,
            Ok(verdict) => Outcome::Verdict(verdict),
            Err(NoAnswer::Absent(_)) if is_refusal(text) => Outcome::Refusal,
            Err(NoAnswer::Absent(reason) | NoAnswer::Wrong(reason)) => Outcome::Invalid { reason },
        }
    }
}

/// The verdict with regard to a heading that announces the final answer: answers above it are
/// drafts, unless they are called final as well.
fn under_heading(
    text: &str,
    whole: Result<Verdict, NoAnswer>,
    read: &dyn Fn(&str) -> Result<Verdict, NoAnswer>,
) -> Result<Verdict, NoAnswer> {
    let Some(Heading { under, is_first_final }) = announcement::final_heading(text) else {
        return whole;
    };
    match (whole, read(under)) {
        (Ok(whole), Ok(last)) if whole != last => Err(NoAnswer::two_answers()),
        (Err(error), last) if error == NoAnswer::taken_back() => last.or(Err(error)),
        (Err(error), last) if error == NoAnswer::two_answers() && is_first_final => {
            last.or(Err(error))
        }
        (whole, _) => whole,
    }
}

fn invalid(reason: &str) -> Outcome {
    Outcome::Invalid { reason: reason.to_owned() }
}

/// Whether a reply without an answer declines to give one: in the first person, near its start.
fn is_refusal(text: &str) -> bool {
    /// A refusal says so at once; deeper in the text the words belong to an analysis.
    const HEAD_CHARS: usize = 400;
    let said = announcements();
    let head: String = text.chars().take(HEAD_CHARS).collect::<String>().to_lowercase();
    let head = head.replace(['\u{2019}', '\u{2018}'], "'");
    said.declines.iter().any(|cannot| {
        head.find(cannot.as_str()).is_some_and(|start| {
            // The verb follows in the same sentence.
            let after = &head[start + cannot.len()..];
            let sentence = after.split(['.', '!', '\n', ';']).next().unwrap_or("");
            cannot.ends_with("decline")
                || said.declined.iter().any(|verb| sentence.contains(verb.as_str()))
        })
    })
}
