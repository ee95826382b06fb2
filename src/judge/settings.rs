//! Settings for asking a judge, apart from the question.

use super::models::Catalogue;
use super::transport::Limits;
use super::tuning::Tuning;

/// Settings for asking a judge, apart from the question.
#[derive(Debug, Clone)]
pub struct OpenSettings {
    /// Of one request.
    pub limits: Limits,
    /// The facts of models.
    pub catalogue: Catalogue,
    /// Whether answers may be asked for by schema; else always as text.
    pub allows_schema: bool,
    /// Sent to models that take one.
    pub temperature: Option<f64>,
    /// Whether log-probabilities are asked for.
    pub wants_logprobs: bool,
    /// Whether questions go in batches, which cost less.
    pub in_batches: bool,
    /// Whether nothing will be asked, so that no key is needed.
    pub is_dry: bool,
    /// Settings of this judge.
    pub tuning: Tuning,
}

impl Default for OpenSettings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            catalogue: Catalogue::built_in(),
            allows_schema: true,
            temperature: None,
            wants_logprobs: false,
            in_batches: false,
            is_dry: false,
            tuning: Tuning::default(),
        }
    }
}
