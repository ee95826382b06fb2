//! What a network takes.

/// An input of a network, row-major.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Array {
    /// Counts where a network has several inputs.
    pub name: &'static str,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}
