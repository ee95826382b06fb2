//! Whether the sets of several methods can be on one board.

use super::error::FeaturesError;

/// All methods have equally many assets. Metrics whose bias depends on the size (all of this
/// package but KD without the diagonal) need it; names and asset counts in the board's order.
///
/// # Errors
/// [`FeaturesError::UnequalSizes`] with the first two that differ.
pub fn check_sizes(metric: &'static str, methods: &[(&str, usize)]) -> Result<(), FeaturesError> {
    match methods.windows(2).find(|pair| pair[0].1 != pair[1].1) {
        None => Ok(()),
        Some(pair) => Err(FeaturesError::UnequalSizes {
            metric,
            a: pair[0].0.to_owned(),
            num_a: pair[0].1,
            b: pair[1].0.to_owned(),
            num_b: pair[1].1,
        }),
    }
}
