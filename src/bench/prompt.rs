//! A prompt of a plan.

use std::path::PathBuf;

/// A prompt with everything that belongs to it: a text, a photo, or both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Names files; unique.
    pub id: String,
    /// The name of the folder for its assets, unique on any disk.
    pub folder: String,
    /// Empty for a prompt that is a photo alone.
    pub text: String,
    /// For the category rubric.
    pub category: Option<String>,
    pub image: Option<PathBuf>,
    pub mask: Option<PathBuf>,
}

impl Prompt {
    /// The text, where there is one.
    pub fn text(&self) -> Option<&str> {
        (!self.text.trim().is_empty()).then_some(self.text.as_str())
    }
}
