//! Figures of assets that a run did not measure.

use std::collections::BTreeMap;

/// Method, and text or id of the prompt.
type Place = (String, String);

/// Figures by column, then by method and prompt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ControlTable {
    pub(super) columns: BTreeMap<String, BTreeMap<Place, f64>>,
}

impl ControlTable {
    /// Of finite figures.
    pub fn new(columns: BTreeMap<String, BTreeMap<(String, String), f64>>) -> Self {
        Self { columns }
    }
}
