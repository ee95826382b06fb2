//! The answers that a reply gives at several places → the one that counts.

use super::announcement::{Afterwards, Standing};
use super::no_answer::NoAnswer;

/// A possible answer, right or wrong.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<T> {
    pub said: T,
    pub is_quoted: bool,
    pub standing: Standing,
    /// What the text after it says of it.
    pub after: Afterwards,
}

/// The answer that the last candidate is, as `read` reads it; `None` without candidates.
///
/// Quotations give way to the judge's own words, plain answers to final ones. All remaining answers
/// must agree, unless the last is announced as a correction or the others were taken back.
///
/// # Errors
/// Two answers, an answer that is taken back, and the errors of `read`.
pub(crate) fn decided<T, V: PartialEq>(
    mut all: Vec<Candidate<T>>,
    read: impl Fn(&T) -> Result<V, NoAnswer>,
) -> Result<Option<V>, NoAnswer> {
    let Some(end) = all.last().map(|end| (read(&end.said), end.after)) else {
        return Ok(None);
    };
    if all.iter().any(|it| !it.is_quoted) {
        all.retain(|it| !it.is_quoted);
    }
    if all.iter().any(|it| it.standing >= Standing::Final) {
        all.retain(|it| it.standing >= Standing::Final);
    }
    let Some(last) = all.pop() else {
        return Ok(None);
    };
    let answer = read(&last.said)?;
    // Repeated, it is valid again.
    let is_repeated = end.0.is_ok_and(|end| end == answer);
    let after = if is_repeated { end.1 } else { last.after };
    after.checked()?;
    all.retain(|it| {
        last.standing < Standing::Corrected
            && !matches!(it.after, Afterwards::TakenBack | Afterwards::Elsewhere)
    });
    let mut others = all.iter().filter_map(|it| read(&it.said).ok());
    if others.all(|other| other == answer) {
        Ok(Some(answer))
    } else {
        Err(NoAnswer::two_answers())
    }
}
