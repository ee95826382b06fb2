//! How a scene is written.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether to write material and texture names; they often name the program that made them.
    pub has_names: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { has_names: true }
    }
}
