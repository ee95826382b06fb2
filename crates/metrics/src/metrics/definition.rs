//! What decides a figure except what it is of, and its hash.

use serde::{Deserialize, Serialize};

/// What alpha is laid over; both sides get the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ground {
    White,
    Black,
    /// 0.5
    Grey,
}

/// Everything that decides a figure of one asset or of two pictures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FigureDefinition {
    pub metric: &'static str,
    pub formula: &'static str,
    pub version: u32,
    /// Of pictures with transparency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<Ground>,
}

impl FigureDefinition {
    /// BLAKE3 of the definition as compact JSON, 64 hexadecimal digits.
    pub fn hash(&self) -> String {
        hash_of(&to_json(self))
    }
}

pub(super) fn to_json(definition: &impl Serialize) -> String {
    serde_json::to_string(definition).expect("a definition has only strings and numbers")
}

pub(super) fn hash_of(json: &str) -> String {
    blake3::hash(json.as_bytes()).to_hex().to_string()
}
