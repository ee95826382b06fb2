//! The scale that a reply says it scores on, in words: `on a scale of 1 to 10`, `the 0-3 scale`,
//! `my five-point scale`, `"max_score": 100`.

use super::line::words;
use super::no_answer::NoAnswer;
use crate::rubric::Scale;
use crate::rubric::reply::announcements;

/// # Errors
/// The scale ends elsewhere than the rubric's.
pub(crate) fn check_scale(text: &str, scale: Scale) -> Result<(), NoAnswer> {
    match top(&words(text)) {
        Some(top) if top != usize::from(scale.max) => Err(NoAnswer::Wrong(format!(
            "the reply scores on a scale that ends at {top}, and the rubric's ends at {}",
            scale.max
        ))),
        _ => Ok(()),
    }
}

/// Where the scale ends.
fn top(words: &[String]) -> Option<usize> {
    /// Of scales that are named by their end alone.
    const TOPS: [usize; 5] = [4, 5, 7, 10, 100];
    let number = |at: usize| -> Option<usize> {
        let word = words.get(at)?;
        word.parse().ok().or_else(|| announcements().counts.iter().position(|it| it == word))
    };
    let is = |at: usize, names: &[&str]| {
        words.get(at).is_some_and(|word| names.contains(&word.as_str()))
    };
    let links = ["to", "through", "and", "bis", "à", "a", "до"];
    // `A to B` and `A-B` from a word on.
    let range = |at: usize| {
        number(at)?;
        number(at + 1).or_else(|| number(at + 2).filter(|_| is(at + 1, &links)))
    };
    let near = |at: usize| {
        let after =
            at + 1 + usize::from(is(at + 1, &["of", "from", "between", "von", "de", "da", "от"]));
        let before = (2..=3).find_map(|back| {
            range(at.checked_sub(back)?).filter(|_| back == 3 || number(at - 1).is_some())
        });
        let points = at.checked_sub(2).filter(|_| is(at - 1, &["point"])).and_then(number);
        // `A scale of 10`; `at a scale of 2` is about sizes.
        let alone = || number(after).filter(|top| after > at + 1 && TOPS.contains(top));
        range(after).or_else(alone).or(before).or(points)
    };
    (0..words.len()).find_map(|at| match words[at].as_str() {
        "scale" | "skala" | "échelle" | "escala" | "scala" | "шкале" => near(at),
        "max" if is(at + 1, &["score"]) => number(at + 2),
        _ => None,
    })
}
