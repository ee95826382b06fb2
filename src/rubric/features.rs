//! The features of a prompt as one text, which is the category of questions about them, and the
//! keys of answers.

/// The start of the key of a feature; its number follows.
const FEATURE_KEY: &str = "feature_";

/// Whether it is the key of a feature: on another prompt it is another feature.
pub(crate) fn is_feature(key: &str) -> bool {
    let number = key.strip_prefix(FEATURE_KEY);
    number.is_some_and(|it| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit()))
}

/// Between two features; none has it within.
const BETWEEN: &str = "; ";

/// Features of a prompt as one text: the category of questions about them.
pub fn feature_list<'a>(features: impl Iterator<Item = &'a str>) -> String {
    features.collect::<Vec<_>>().join(BETWEEN)
}

/// The features of such a text.
pub(super) fn features(list: &str) -> impl Iterator<Item = &str> {
    list.split(BETWEEN).filter(|feature| !feature.is_empty())
}

/// The key of a feature; they count from 1.
pub(super) fn feature_key(number: usize) -> String {
    format!("{FEATURE_KEY}{number}")
}
