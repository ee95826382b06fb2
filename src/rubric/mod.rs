//! The questions and how their answers are read: a file in `prompts/` → [`Rubric`].

/// A question, its pictures and its answer menu.
#[derive(Debug, Clone)]
pub struct Rubric {}
