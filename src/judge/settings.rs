//! Settings for asking a judge, apart from the question.

use super::models::Catalogue;
use super::transport::Limits;
use crate::error::Error;
use crate::options::{Answers, AskOptions, OpenOptions, Tuning};

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

impl OpenSettings {
    /// A caller's options.
    ///
    /// # Errors
    /// An invalid list of models.
    pub fn new(asked: &AskOptions, options: &OpenOptions, tuning: Tuning) -> Result<Self, Error> {
        let default = Self::default();
        Ok(Self {
            limits: Limits { total: asked.reply_timeout(), ..default.limits },
            in_batches: asked.batch.unwrap_or_default(),
            catalogue: match &options.models {
                Some(path) => Catalogue::with_file(path)?,
                None => default.catalogue,
            },
            allows_schema: options.answers != Some(Answers::Text),
            temperature: options.temperature,
            wants_logprobs: options.logprobs.unwrap_or_default(),
            tuning,
            ..default
        })
    }
}
