//! The name of a judge as users write it: `probe`, `openai:MODEL`.

use super::JudgeError;

/// Which judge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spec {
    /// The measuring judge.
    Probe,
    /// OpenAI's chat route, there or anywhere else.
    OpenAi {
        /// The model's name, as its server knows it.
        model: String,
    },
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Probe => f.write_str("probe"),
            Self::OpenAi { model } => write!(f, "openai:{model}"),
        }
    }
}

impl std::str::FromStr for Spec {
    type Err = JudgeError;

    fn from_str(text: &str) -> Result<Self, JudgeError> {
        let unknown = |reason: &str| JudgeError::Spec {
            spec: text.to_owned(),
            reason: reason.to_owned(),
        };
        // Only the first colon divides: model names hold colons too (`qwen2.5vl:7b`).
        match text.split_once(':') {
            None if text == "probe" => Ok(Self::Probe),
            Some(("openai", model)) if !model.trim().is_empty() => Ok(Self::OpenAi {
                model: model.trim().to_owned(),
            }),
            Some(("openai", _)) | None if text.starts_with("openai") => {
                Err(unknown("it names no model"))
            }
            Some(("openai-responses" | "anthropic" | "gemini", _)) => {
                Err(unknown("this version does not speak that route yet"))
            }
            _ => Err(unknown("no such judge")),
        }
    }
}
