//! A prompt of a plan.

use crate::ask::Sides;
use std::path::{Path, PathBuf};

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
    /// One, or several that show named sides; a generator with a single input gets the first.
    pub images: Sides<PathBuf>,
}

impl Prompt {
    /// The first image.
    pub fn image(&self) -> Option<&Path> {
        Some(&self.images.first()?.1)
    }

    /// Its mask.
    pub fn mask(&self) -> Option<&Path> {
        self.images.first()?.2.as_deref()
    }

    /// The text, where there is one.
    pub fn text(&self) -> Option<&str> {
        (!self.text.trim().is_empty()).then_some(self.text.as_str())
    }
}
