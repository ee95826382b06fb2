//! A prompt of a plan.

use std::path::PathBuf;

/// A prompt with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Names files; unique.
    pub id: String,
    pub text: String,
    /// For the category rubric.
    pub category: Option<String>,
    pub image: Option<PathBuf>,
    pub mask: Option<PathBuf>,
}
