//! How a judge's model is reached, and what its requests have.

use super::asking::whole;
use super::names::choice;
use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

const MODELS: &str = "Models";

/// How models are reached.
#[derive(Debug, Clone, PartialEq, Default, Args, Serialize, Deserialize)]
#[command(next_help_heading = MODELS)]
pub struct OpenOptions {
    /// Limits and prices of models, overriding assets/models.toml
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,

    /// Form of answers: by JSON schema if supported (auto), or text [default: auto]
    #[arg(long, value_parser = choice::<Answers>())]
    pub answers: Option<Answers>,

    /// Temperature to send [default: none]
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub temperature: Option<f64>,

    /// Request log-probabilities and store a probability for each option
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub logprobs: Option<bool>,
}

/// The form in which answers are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answers {
    Auto,
    Text,
}

/// Settings of one judge; unset ones are as the program and the server have them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[command(next_help_heading = MODELS)]
pub struct Tuning {
    /// How much the judge reasons: the server's word, low, high, …, or for anthropic and gemini a
    /// number of tokens (docs/JUDGES.md)
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,

    /// Fields merged into each request, such as {"top_p": 0.9}, objects into objects; null takes a
    /// field out
    #[arg(long, value_name = "JSON", value_parser = body)]
    pub body: Option<Map<String, Value>>,

    /// Further headers; `$NAME` is an environment variable's value, the only way to give a secret.
    #[arg(skip)]
    pub headers: Option<BTreeMap<String, String>>,

    /// Ask for streamed replies
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub stream: Option<bool>,

    /// Maximum tokens of one answer, including reasoning [default: 16384]
    #[arg(long, value_name = "N", value_parser = whole(1..=u32::MAX))]
    pub max_output_tokens: Option<u32>,

    /// Ask the server to cache the part that all questions share (anthropic; other servers cache by
    /// themselves)
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub cache: Option<bool>,
}

fn body(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|e| format!("give a JSON object ({e})"))
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=2.0).contains(&value) => Ok(value),
        _ => Err("give a number from 0 to 2".to_owned()),
    }
}
