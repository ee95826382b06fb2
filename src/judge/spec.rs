//! The name of a judge as users write it: `probe`, `openai:MODEL`, `anthropic:MODEL`, …

use super::api::Route;
use crate::error::Error;
use crate::scene::nearest;

/// A judge as a user names it: `probe`, or a route and a model joined by a colon.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spec {
    Probe,
    /// A model on a server.
    Model(ModelSpec),
}

/// A model, and how its server is spoken to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelSpec {
    pub route: Route,
    /// The model's name, as its server knows it.
    pub model: String,
}

impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Probe => f.write_str("probe"),
            Self::Model(spec) => spec.fmt(f),
        }
    }
}

impl std::fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.route.name(), self.model)
    }
}

/// What a name without a known route probably means.
fn meant(text: &str) -> String {
    let makers = [("gpt", Route::Chat), ("claude", Route::Anthropic), ("gemini", Route::Gemini)];
    if let Some((_, route)) = makers.into_iter().find(|(start, _)| text.starts_with(start)) {
        return format!("did you mean {:?}?", format!("{}:{text}", route.name()));
    }
    let (name, model) = text.split_once(':').unwrap_or((text, "MODEL"));
    match nearest(name, Route::ALL.map(Route::name)) {
        Some(route) => format!("did you mean {:?}?", format!("{route}:{model}")),
        None => "no such judge".to_owned(),
    }
}

impl std::str::FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = |reason: &str| {
            Error::judge(format!(
                "cannot use the judge {text:?}: {reason}{}",
                if reason.ends_with('?') {
                    ""
                } else {
                    "; use probe, openai:MODEL, openai-responses:MODEL, anthropic:MODEL or gemini:MODEL"
                }
            ))
        };
        if text == "probe" {
            return Ok(Self::Probe);
        }
        // Only the first colon divides: model names hold colons too (`qwen2.5vl:7b`).
        let (name, model) = text.split_once(':').unwrap_or((text, ""));
        let route = Route::ALL
            .into_iter()
            .find(|route| route.name() == name)
            .ok_or_else(|| unknown(&meant(text)))?;
        let model = model.trim();
        if model.is_empty() {
            return Err(unknown("it names no model"));
        }
        // A Gemini model's name is in the path of its address.
        if route == Route::Gemini && model.contains(['?', '#', '%', '\\', ' ']) {
            return Err(unknown("the model's name cannot be part of a URL"));
        }
        Ok(Self::Model(ModelSpec { route, model: model.to_owned() }))
    }
}
