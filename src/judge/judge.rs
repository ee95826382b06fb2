//! Who is asked: the probe, a model on a server, or a judge of the caller's.

use super::custom::CustomJudge;
use super::endpoint::Endpoint;
use super::failure::Failure;
use super::probe;
use super::question::{Question, Restate};
use super::reply::Response;
use super::secret::Secret;
use super::settings::OpenSettings;
use super::spec::Spec;
use crate::error::Error;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Clone)]
pub enum Judge {
    /// Measures geometry and pixels, offline.
    Probe,
    /// A model on a server.
    Model(Arc<Endpoint>),
    /// What the caller brings.
    Custom(Arc<dyn CustomJudge>),
}

impl Judge {
    /// The judge that `spec` names. `base_url` is its server; keys come only from the environment.
    ///
    /// # Errors
    /// [`Error`]: no key, or an address that cannot be used.
    pub fn open(
        spec: &Spec,
        base_url: Option<&str>,
        settings: &OpenSettings,
    ) -> Result<Self, Error> {
        match spec {
            Spec::Probe => Ok(Self::Probe),
            Spec::Model(spec) => {
                // The user's header key goes alone: the route's may be another provider's.
                let key = if settings.is_dry || settings.tuning.has_secret() {
                    None
                } else {
                    Secret::from_env(spec.route.key_variable())?
                };
                Endpoint::new(spec, base_url, key, settings).map(|it| Self::Model(it.into()))
            }
        }
    }

    /// Those that `specs` name, each once.
    ///
    /// # Errors
    /// As [`Judge::open`].
    pub fn open_all(
        specs: &[Spec],
        base_url: Option<&str>,
        settings: &OpenSettings,
    ) -> Result<Vec<Self>, Error> {
        let mut seen = BTreeSet::new();
        specs
            .iter()
            .filter(|spec| seen.insert(*spec))
            .map(|spec| Self::open(spec, base_url, settings))
            .collect()
    }

    /// Whether it is known what a request costs.
    pub fn is_priced(&self) -> bool {
        self.endpoint().is_none_or(|endpoint| endpoint.facts().price.is_some())
    }

    /// Its name in rows: the spec.
    pub fn name(&self) -> String {
        match self {
            Self::Probe => Spec::Probe.to_string(),
            Self::Model(endpoint) => endpoint.spec().to_string(),
            Self::Custom(judge) => judge.name(),
        }
    }

    /// The model and its server; `None` for a judge without one.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Probe | Self::Custom(_) => None,
            Self::Model(endpoint) => Some(endpoint),
        }
    }

    /// Where its server is; `None` for a judge without one.
    pub fn base_url(&self) -> Option<&str> {
        self.endpoint().map(Endpoint::base_url)
    }

    /// Whatever else decides what it answers, in one line: part of a question's key.
    pub fn settings(&self) -> String {
        match self {
            Self::Probe => format!("probe of {}", probe::version()),
            Self::Model(endpoint) => endpoint.settings(),
            Self::Custom(judge) => judge.settings(),
        }
    }

    /// Whether the same question always gets the same reply, so that asking again is of no use.
    pub fn is_deterministic(&self) -> bool {
        matches!(self, Self::Probe)
    }

    /// Requests at a time that the judge takes.
    pub fn concurrency_max(&self) -> usize {
        match self {
            Self::Probe | Self::Model(_) => usize::MAX,
            Self::Custom(judge) => judge.concurrency_max(),
        }
    }

    /// Whether a reply needs no server, and so costs nothing.
    pub fn is_free(&self) -> bool {
        self.endpoint().is_none()
    }

    /// What one request costs at most, in US dollars: every token that it may hold and every one
    /// that may come back. `None` where the price is unknown.
    pub fn cost_usd_max(&self, question: &Question) -> Option<f64> {
        let Self::Model(endpoint) = self else {
            return Some(0.0);
        };
        let usd = endpoint.cost_usd_max(endpoint.input_tokens_max(question))?;
        Some(usd * endpoint.price_share())
    }

    /// The same of the request to restate the reply to a question, whatever that reply is.
    pub fn restatement_usd_max(&self, question: &Question) -> Option<f64> {
        self.endpoint().map_or(Some(0.0), |endpoint| endpoint.restatement_usd_max(question))
    }

    /// Tokens that a question has at most; 0 for a judge that reads none.
    pub fn input_tokens_max(&self, question: &Question) -> u64 {
        self.endpoint().map_or(0, |endpoint| endpoint.input_tokens_max(question))
    }

    /// One request; with `restate`, the follow-up to that reply, which only models are asked;
    /// `as_text` leaves the schema out. Never waits for a retry and never retries.
    pub async fn ask(
        &self,
        question: &Arc<Question>,
        restate: Option<&Restate>,
        as_text: bool,
    ) -> Response {
        if let Self::Model(endpoint) = self {
            return endpoint.ask(question, restate, as_text).await;
        }
        let start = Instant::now();
        let (judge, question) = (self.clone(), Arc::clone(question));
        // Measuring takes whole seconds of processor time; network threads must not wait for it.
        let asking = tokio::task::spawn_blocking(move || match judge {
            Self::Custom(judge) => judge.ask(&question),
            _ => Ok(probe::ask(&question)),
        });
        let result = asking.await.unwrap_or_else(|panic| Err(panic.to_string()));
        let result = result.map_err(|reason| Failure::Internal { reason });
        Response::plain(result, start.elapsed())
    }
}
