//! A prompt of a plan.

use std::path::PathBuf;

/// A prompt with everything that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Names files; unique.
    pub id: String,
    /// The text.
    pub text: String,
    /// For the category rubric.
    pub category: Option<String>,
    /// Reference photo.
    pub image: Option<PathBuf>,
    /// Its mask.
    pub mask: Option<PathBuf>,
}
