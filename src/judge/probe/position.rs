//! Relative positions of objects, for prompts that distinguish two by one basic colour each.

use meshjudge_probe::{Objects, name_of, named_in};

/// Fewer pixels of a colour are a highlight or a rim.
const SHARE_MIN: f64 = 0.05;

/// The directions of words, x to the right and y down.
const WORDS: [(&str, [f64; 2]); 8] = [
    ("left", [-1.0, 0.0]),
    ("right", [1.0, 0.0]),
    ("above", [0.0, -1.0]),
    ("over", [0.0, -1.0]),
    ("top", [0.0, -1.0]),
    ("below", [0.0, 1.0]),
    ("under", [0.0, 1.0]),
    ("beneath", [0.0, 1.0]),
];

/// 1 if the first object is in the stated direction of the second, 0 if it is opposite, ½ at a
/// right angle; and why. `None` unless the prompt names two colours with one direction between
/// them, and both colours are seen.
pub(super) fn position(found: &Objects, prompt: &str) -> Option<(f64, String)> {
    let (first, (word, direction), second) = stated(prompt)?;
    let (from, to) = (middle(found, second)?, middle(found, first)?);
    let way = [to[0] - from[0], to[1] - from[1]];
    let length = libm::sqrt(way[0] * way[0] + way[1] * way[1]);
    if length < 1e-3 {
        return None;
    }
    let cosine = (way[0] * direction[0] + way[1] * direction[1]) / length;
    let degrees = libm::acos(cosine.clamp(-1.0, 1.0)).to_degrees();
    let words = format!(
        "The {first} pixels are {degrees:.0}° away from the direction {word:?} of the {second} ones."
    );
    Some((0.5 + 0.5 * cosine, words))
}

type Stated = (&'static str, (&'static str, [f64; 2]), &'static str);

fn stated(prompt: &str) -> Option<Stated> {
    let (mut colors, mut directions) = (Vec::new(), Vec::new());
    for (place, word) in prompt.split(|c: char| !c.is_alphabetic()).enumerate() {
        let word = word.to_lowercase();
        colors.extend(named_in(&word).first().map(|name| (place, *name)));
        directions.extend(WORDS.iter().find(|(w, _)| *w == word).map(|w| (place, *w)));
    }
    let ([(a, first), (b, second)], [(between, word)]) = (colors.as_slice(), directions.as_slice())
    else {
        return None;
    };
    (first != second && a < between && between < b).then_some((*first, *word, *second))
}

/// Mean place of the pixels of a colour.
fn middle(found: &Objects, name: &str) -> Option<[f64; 2]> {
    let (mut sum, mut count) = ([0.0; 2], 0.0);
    for (color, place) in found.colors.iter().zip(&found.places) {
        if name_of(*color) == name {
            sum = [sum[0] + place[0], sum[1] + place[1]];
            count += 1.0;
        }
    }
    (count > SHARE_MIN * found.colors.len() as f64).then(|| sum.map(|s| s / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_colors_with_one_direction_between_them_are_a_statement() {
        let said = |prompt| stated(prompt).map(|(a, (word, _), b)| (a, word, b));
        let ball = said("A red ball to the left of a blue cube");
        assert_eq!(ball, Some(("red", "left", "blue")));
        let cone = said("a green cone on top of an orange ring");
        assert_eq!(cone, Some(("green", "top", "orange")));
        for unclear in [
            "a red ball and a blue cube",
            "left of a red ball, a blue cube",
            "a red ball left of a red cube",
            "a red ball above and left of a blue cube",
            "a red and white ball left of a blue cube",
        ] {
            assert_eq!(said(unclear), None, "{unclear}");
        }
    }
}
