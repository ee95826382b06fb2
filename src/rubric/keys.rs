//! The keys of answers and verdicts that are no criterion's.

/// The key of a criterion's or a score's reasoning.
pub(super) const REASONING_KEY: &str = "reasoning";
/// The key of an aspect's reasoning.
pub(super) const EXPLANATION_KEY: &str = "explanation";
/// The key of a criterion's choice.
pub(super) const CHOICE_KEY: &str = "choice";
/// The key of a reconstruction's score.
pub(super) const SCORE_KEY: &str = "score";
/// The overall score's key in a category answer.
pub(super) const OVERALL_KEY: &str = "overall_score";

/// Keys that have a meaning of their own in a verdict, and so name no criterion.
pub(super) const RESERVED_KEYS: [&str; 5] =
    [SCORE_KEY, "aspects", "undecided", "both_bad", OVERALL_KEY];
