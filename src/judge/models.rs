//! What models accept and cost: `assets/models.toml`, a user's file over it → a model's [`Facts`].

use super::Usage;
use super::api::Route;
use super::picture_rule::PictureRule;
use crate::error::Error;
use crate::rubric::{read_text, toml_reason};
use serde::Deserialize;
use std::path::Path;

const BUILT_IN: &str = include_str!("../../assets/models.toml");

/// Larger files are no list of models.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Read, and known to the provider from before. Default: as `input`.
    pub cached_input: Option<f64>,
    /// Reasoning tokens included.
    pub output: f64,
}

impl Price {
    /// What a reply costs; `None` where the server did not count both ways.
    pub fn of(&self, usage: &Usage) -> Option<f64> {
        let (input, output) = (usage.input_tokens?, usage.output_tokens?);
        let cached = usage.cached_tokens.unwrap_or(0).min(input);
        let cached_price = self.cached_input.unwrap_or(self.input);
        let sum = (input - cached) as f64 * self.input
            + cached as f64 * cached_price
            + output as f64 * self.output;
        Some(sum / 1e6)
    }

    fn is_sound(&self) -> bool {
        [Some(self.input), self.cached_input, Some(self.output)]
            .into_iter()
            .flatten()
            .all(|price| price.is_finite() && price >= 0.0)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    names: Vec<String>,
    routes: Vec<Route>,
    temperature: Option<bool>,
    logprobs: Option<bool>,
    detail: Option<String>,
    picture: Option<PictureRule>,
    picture_bytes_max: Option<u64>,
    usd_per_million: Option<Price>,
    batch_share: Option<f64>,
    context_tokens: Option<u64>,
    output_tokens_max: Option<u32>,
    states_ending: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Of the built-in list; a file of the user's needs none.
    #[serde(default)]
    dated: String,
    models: Vec<Entry>,
}

#[derive(Debug, Clone)]
pub struct Catalogue {
    dated: String,
    built_in: Vec<Entry>,
    user: Vec<Entry>,
}

/// The facts of one model on one route.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// Whether an entry names the model or its family; else these are the stated defaults.
    pub is_known: bool,
    pub takes_temperature: bool,
    pub has_logprobs: bool,
    /// The route's word for "look closely", where it has one.
    pub detail: Option<String>,
    pub picture: PictureRule,
    /// Bytes of one encoded picture, before base64.
    pub picture_bytes_max: Option<u64>,
    pub price: Option<Price>,
    /// Whether the price is the user's word, and so holds at any address.
    pub is_price_stated: bool,
    /// What a question in a batch costs, as a share of the price: above 0 and at most 1.
    pub batch_share: f64,
    /// Whether that is the user's word, and so holds at any address.
    pub is_batch_share_stated: bool,
    /// Tokens read and written together.
    pub context_tokens: Option<u64>,
    pub output_tokens_max: Option<u32>,
    /// Whether its server says why a reply ended. If not, one without an ending is complete.
    pub states_ending: bool,
}

impl Catalogue {
    /// The built-in list.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    pub fn built_in() -> Self {
        let file = parse(BUILT_IN).expect("the built-in file is read by a test");
        Self { dated: file.dated, built_in: file.models, user: Vec::new() }
    }

    /// The built-in list with a file of the user's over it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn with_file(path: &Path) -> Result<Self, Error> {
        let wrong = |reason: String| {
            Error::judge(format!("the model list cannot be used: {reason}")).at(path)
        };
        let text = read_text(path, FILE_BYTES_MAX).map_err(|e| wrong(e.to_string()))?;
        let file = parse(&text).map_err(wrong)?;
        Ok(Self { user: file.models, ..Self::built_in() })
    }

    pub fn dated(&self) -> &str {
        &self.dated
    }

    /// The facts of `model` on `route`.
    pub fn facts(&self, route: Route, model: &str) -> Facts {
        let mut facts = Facts {
            is_known: false,
            takes_temperature: false,
            has_logprobs: false,
            detail: None,
            picture: PictureRule::Fixed { tokens: 0, side_px_max: u32::MAX },
            picture_bytes_max: None,
            price: None,
            is_price_stated: false,
            batch_share: 1.0,
            is_batch_share_stated: false,
            context_tokens: None,
            output_tokens_max: None,
            states_ending: true,
        };
        for (entries, is_user) in [(&self.built_in, false), (&self.user, true)] {
            let mut fitting: Vec<(usize, &Entry)> = entries
                .iter()
                .filter(|entry| entry.routes.contains(&route))
                .filter_map(|entry| Some((entry.fit(model)?, entry)))
                .collect();
            // Stable, so of two equal fits the later one in the file wins.
            fitting.sort_by_key(|(letters, _)| *letters);
            for (letters, entry) in fitting {
                facts.is_known |= letters > 0;
                facts.lay(entry, is_user);
            }
        }
        // Its client's types (anthropic 2.12, November 2026) lack such a field, for every model.
        facts.takes_temperature &= route != Route::Anthropic;
        facts
    }
}

impl Facts {
    fn lay(&mut self, entry: &Entry, is_user: bool) {
        self.takes_temperature = entry.temperature.unwrap_or(self.takes_temperature);
        self.has_logprobs = entry.logprobs.unwrap_or(self.has_logprobs);
        self.detail = entry.detail.clone().or_else(|| self.detail.take());
        self.picture = entry.picture.unwrap_or(self.picture);
        self.picture_bytes_max = entry.picture_bytes_max.or(self.picture_bytes_max);
        self.price = entry.usd_per_million.or(self.price);
        self.is_price_stated |= is_user && entry.usd_per_million.is_some();
        self.batch_share = entry.batch_share.unwrap_or(self.batch_share);
        self.is_batch_share_stated |= is_user && entry.batch_share.is_some();
        self.context_tokens = entry.context_tokens.or(self.context_tokens);
        self.output_tokens_max = entry.output_tokens_max.or(self.output_tokens_max);
        self.states_ending = entry.states_ending.unwrap_or(self.states_ending);
    }
}

impl Entry {
    /// How many letters of its best name fit; `None` where none does.
    fn fit(&self, model: &str) -> Option<usize> {
        let fits = |name: &String| match name.strip_suffix('*') {
            Some(start) => model.starts_with(start).then_some(start.len()),
            // A whole name beats any beginning.
            None => (name == model).then_some(name.len() + 1),
        };
        self.names.iter().filter_map(fits).max()
    }
}

fn parse(text: &str) -> Result<File, String> {
    let file: File = toml::from_str(text).map_err(|e| toml_reason(&e).replace('\n', " "))?;
    for entry in &file.models {
        if entry.usd_per_million.is_some_and(|price| !price.is_sound()) {
            return Err(format!(
                "the price of {} is negative or not a number",
                entry.names.join(", ")
            ));
        }
        if entry.batch_share.is_some_and(|share| !(share > 0.0 && share <= 1.0)) {
            return Err(format!(
                "`batch_share` of {} is not above 0 and at most 1",
                entry.names.join(", ")
            ));
        }
        if entry.names.is_empty() || entry.routes.is_empty() {
            return Err("an entry has no `names` or no `routes`".to_owned());
        }
        if entry.output_tokens_max == Some(0) {
            return Err(format!("`output_tokens_max` of {} is 0", entry.names.join(", ")));
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_is_whole() {
        let catalogue = Catalogue::built_in();
        assert_eq!(catalogue.dated().len(), "2026-11-21".len());
        assert!(catalogue.built_in.len() > 30);
        for route in Route::ALL {
            let unknown = catalogue.facts(route, "never-heard-of");
            assert!(!unknown.is_known && unknown.price.is_none());
            assert_ne!(unknown.picture.tokens(512, 512), 0, "{route:?} has no default");
        }
    }

    #[test]
    fn the_more_letters_fit_the_more_an_entry_says() {
        let catalogue = Catalogue::built_in();
        let of = |name: &str| catalogue.facts(Route::Chat, name);
        let price = |name: &str| of(name).price.map(|price| price.input);
        assert_eq!(price("gpt-4o"), Some(2.5));
        assert_eq!(price("gpt-4o-mini-2024-07-18"), Some(0.15));
        assert!(of("gpt-4o-mini").has_logprobs, "from its family");
        assert_eq!(of("gpt-5").picture.fit(4096, 4096), (768, 768));
        assert_eq!(of("gpt-5.4").picture.fit(4096, 4096), (1600, 1600));
        assert!(!of("gpt-5.4").takes_temperature);
        assert_eq!(price("gpt-5.9-new"), None, "a new name has no known price");
        let claude = catalogue.facts(Route::Anthropic, "claude-opus-4-8");
        assert_eq!(claude.picture.fit(4096, 4096), (1932, 1932));
        let claude = catalogue.facts(Route::Anthropic, "claude-sonnet-4-20250514");
        assert_eq!(claude.picture.fit(4096, 4096), (1092, 1092));
    }

    #[test]
    fn a_file_of_the_users_wins_and_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("models.toml");
        let text = "dated = \"today\"\n[[models]]\nnames = [\"gpt-4o*\"]\nroutes = [\"openai\"]\nusd_per_million = { input = 1.0, output = 2.0 }\n";
        std::fs::write(&path, text).unwrap();
        let facts = Catalogue::with_file(&path).unwrap().facts(Route::Chat, "gpt-4o-mini");
        assert_eq!(facts.price.map(|p| p.input), Some(1.0));
        assert!(facts.is_price_stated && facts.has_logprobs);
        for wrong in [
            text.replace("1.0", "-1.0"),
            text.replace("1.0", "nan"),
            text.replace("names", "nams"),
            text.replace("[\"openai\"]", "[\"telegraph\"]"),
        ] {
            std::fs::write(&path, &wrong).unwrap();
            let error = Catalogue::with_file(&path).expect_err(&wrong).to_string();
            assert!(error.contains("models.toml"), "{error}");
        }
    }

    #[test]
    fn a_price_counts_cached_tokens_apart() {
        let price = Price { input: 2.0, cached_input: Some(0.5), output: 10.0 };
        let usage = Usage {
            input_tokens: Some(1_000_000),
            cached_tokens: Some(400_000),
            output_tokens: Some(100_000),
            reasoning_tokens: Some(90_000),
        };
        assert_eq!(price.of(&usage), Some(1.2 + 0.2 + 1.0));
        assert_eq!(price.of(&Usage::default()), None);
    }
}
