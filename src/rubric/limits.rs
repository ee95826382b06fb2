//! Limits on what a question may hold.

/// Longer text prompts are refused: 16,384 characters, many times what generators take.
pub const PROMPT_CHARS_MAX: usize = 16_384;

/// More worked examples are refused; with four pictures each, servers refuse far fewer.
pub(super) const EXAMPLES_MAX: usize = 32;
