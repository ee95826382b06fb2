//! The category rubric, as far as a picture on a plain background can be measured: contrast, named
//! colours, counts, likeness.
//!
//! Aspects that need to know what an object is (completeness, relations, materials, which colour
//! belongs to what) are left out of the answer and named as undecided; so is everything where the
//! background is not plain, and whatever takes pieces for objects where nothing shows that they
//! are: pieces count as objects only if they are alike, or if the prompt gives each its own colour.

use super::answer::Answer;
use super::position::position;
use crate::judge::Question;
use meshjudge_probe::{Objects, difference, name_of, named_in, objects};
use serde_json::{Map, Value, json};

/// A difference of half of black to white is as good as contrast gets.
const FULL_CONTRAST: f64 = 50.0;

/// Alike: colours at ten times just noticeable differ as much as sizes at half and double.
const UNLIKE_COLOR: f64 = 23.0;

/// Answers with one JSON object.
pub(super) fn answer(question: &Question) -> Answer {
    let Some(picture) = &question.evidence.picture else {
        return Answer::without_evidence(question, "a category needs a picture");
    };
    let Some(found) = objects(picture) else {
        return Answer::without_evidence(
            question,
            "the background is not plain, or nothing is in front of it",
        );
    };
    let prompt = question.prompt.as_deref().unwrap_or("");
    let scale = question.rubric.scale();
    let (mut reply, mut undecided, mut sum) = (Map::new(), Vec::new(), 0.0);
    for criterion in question.rubric.criteria(question.category.as_deref()) {
        match aspect(&criterion.key, &found, prompt) {
            Some((share, explanation)) => {
                let span = f64::from(scale.max) - f64::from(scale.min);
                let score =
                    f64::from(scale.min) + (span * share.clamp(0.0, 1.0) * 10.0).round() / 10.0;
                sum += score;
                reply.insert(
                    criterion.key.clone(),
                    json!({ "score": score, "explanation": explanation }),
                );
            }
            None => undecided.push(criterion.key.clone()),
        }
    }
    if !reply.is_empty() {
        let overall = sum / reply.len() as f64;
        reply.insert(
            "overall_score".to_owned(),
            json!({ "score": overall, "explanation": "The mean of the aspects in this answer; no overall score if any aspect is undecided." }),
        );
    }
    Answer { text: Value::Object(reply).to_string(), undecided }
}

/// Share of the scale, 0 to 1, and why; `None` for what cannot be measured here.
fn aspect(key: &str, found: &Objects, prompt: &str) -> Option<(f64, String)> {
    match key {
        "contrast_effectiveness" => Some(contrast(found)),
        "color_fidelity" => color_fidelity(found, prompt),
        "count_accuracy" => count_accuracy(found, prompt),
        "object_uniformity" => uniformity(found, prompt, true),
        "multi_object_consistency" => uniformity(found, prompt, false),
        "separation_clarity" => separation(found, prompt),
        "position_accuracy" => position(found, prompt),
        _ => None,
    }
}

fn contrast(found: &Objects) -> (f64, String) {
    let total =
        found.colors.iter().fold(0.0, |sum, &color| sum + difference(color, found.background));
    let mean = total / found.colors.len() as f64;
    (
        mean / FULL_CONTRAST,
        format!("The object differs from the background by {mean:.0} of 100 (CIE76) on average."),
    )
}

/// For a prompt with exactly one basic colour: with more, each object's colour must be known.
fn color_fidelity(found: &Objects, prompt: &str) -> Option<(f64, String)> {
    let named = named_in(prompt);
    let [name] = named.as_slice() else {
        return None;
    };
    let right = found.colors.iter().filter(|&&color| name_of(color) == *name).count();
    let share = right as f64 / found.colors.len() as f64;
    Some((share, format!("{:.0} % of the object is {name}.", 100.0 * share)))
}

/// Right or wrong, as the rubric has it; nothing where the prompt states no number, or where the
/// pieces are not alike: they can be parts of one object.
fn count_accuracy(found: &Objects, prompt: &str) -> Option<(f64, String)> {
    let wanted = number_in(prompt)?;
    let count = found.blobs.len();
    likeness(found).filter(|alike| alike.color.max(alike.size) < 1.0)?;
    let share = if count == wanted { 1.0 } else { 0.0 };
    Some((
        share,
        format!(
            "{count} separate pieces of like size and colour are seen where the prompt states {wanted}; whether they are the named things was not seen."
        ),
    ))
}

/// Unlikeness: 0 if equal, 1 at [`UNLIKE_COLOR`] and at 0.5 and 1.5 times the mean size.
struct Likeness {
    color: f64,
    size: f64,
}

/// Of at least two pieces.
fn likeness(found: &Objects) -> Option<Likeness> {
    let count = found.blobs.len();
    if count < 2 {
        return None;
    }
    let mean = |of: &dyn Fn(usize) -> f64| {
        (0..count).map(of).fold(0.0, |sum, value| sum + value) / count as f64
    };
    let center = std::array::from_fn(|channel| mean(&|i| found.blobs[i].mean[channel]));
    let area = mean(&|i| found.blobs[i].area);
    Some(Likeness {
        color: mean(&|i| difference(found.blobs[i].mean, center)) / UNLIKE_COLOR,
        size: mean(&|i| (found.blobs[i].area / area - 1.0).abs()) / 0.5,
    })
}

/// Likeness of as many pieces as the prompt states, in mean colour, and in size where `with_size`.
fn uniformity(found: &Objects, prompt: &str, with_size: bool) -> Option<(f64, String)> {
    let count = found.blobs.len();
    let alike = likeness(found).filter(|_| number_in(prompt) == Some(count))?;
    let unlike = if with_size { 0.5 * (alike.color + alike.size) } else { alike.color };
    Some((
        1.0 - unlike,
        format!(
            "{count} pieces differ by {:.0} of 100 in colour and {:.0} % in size.",
            alike.color * UNLIKE_COLOR,
            alike.size * 50.0
        ),
    ))
}

/// For two pieces of the two colours that the prompt names: half the scale or more, by the width of
/// background between their boxes. Else nothing shows that the pieces are the two objects.
fn separation(found: &Objects, prompt: &str) -> Option<(f64, String)> {
    /// A gap of half an object's size is as good as any.
    const WIDE: f64 = 0.5;
    let (named, [a, b]) = (named_in(prompt), found.blobs.as_slice()) else {
        return None;
    };
    let mut seen = [a, b].map(|blob| name_of(blob.mean)).to_vec();
    seen.sort_by_key(|name| named.iter().position(|n| n == name));
    if named.len() != 2 || seen != named {
        return None;
    }
    let gap = |low: usize| {
        let high = low + 2;
        (a.bounds[low] - b.bounds[high]).max(b.bounds[low] - a.bounds[high])
    };
    let size = 0.5 * (a.area.sqrt() + b.area.sqrt());
    let share = gap(0).max(gap(1)).max(0.0) / size;
    let words = format!(
        "A {} and a {} piece are seen, with a gap of {:.0} % of their size.",
        seen[0],
        seen[1],
        100.0 * share
    );
    Some((0.5 + 0.5 * (share / WIDE).min(1.0), words))
}

/// The one number that a text states, 1 to 20, as a digit or a word; "a" and "an" are no number.
fn number_in(text: &str) -> Option<usize> {
    const WORDS: [&str; 20] = [
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    let numbers: Vec<usize> = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter_map(|word| {
            WORDS.iter().position(|w| *w == word).map(|i| i + 1).or_else(|| word.parse().ok())
        })
        .filter(|number| (1..=20).contains(number))
        .collect();
    match numbers.as_slice() {
        [number] => Some(*number),
        _ => None,
    }
}
