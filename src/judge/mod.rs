//! Puts a question to a judge: [`Question`] → [`Response`] → [`Reply`].
//!
//! One [`Judge::ask`] is one request to a server. The caller records what came back, asks [`Backoff`] whether to try again, and reads
//! the reply with the rubric. Knows nothing of the store, of ratings, or of what was asked before.

mod api;
mod backoff;
mod batch;
mod breaker;
mod budget;
mod endpoint;
mod error;
pub mod logprobs;
mod models;
mod pace;
mod picture_rule;
pub mod probe;
mod quota;
mod route;
mod secret;
mod spec;
mod transport;

pub use crate::rubric::{Finish, Part, Picture};
pub use api::Route;
pub use backoff::Backoff;
pub use batch::{BatchEnd, BatchLimits, BatchReply, BatchState, LostBatch, WAIT_CODES};
pub use breaker::{Breaker, BreakerSettings, Gate};
pub use budget::{Budget, Limit};
pub use endpoint::Endpoint;
pub use error::{Failure, JudgeError};
pub use models::{Catalogue, Facts, Price};
pub use pace::{Landing, Pace, PaceSettings};
pub use picture_rule::PictureRule;
pub use quota::Quota;
pub use route::Again;
pub use secret::Secret;
pub use spec::{ModelSpec, Spec};
pub use transport::Limits;

use crate::render::ProtocolRecord;
use crate::rubric::{Order, Rubric};
use crate::scene::Scene;
use serde::Serialize;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// An asset that a measuring judge looks at. What it finds is kept, because an asset stands in many questions.
#[derive(Debug)]
pub struct Specimen {
    scene: Arc<Scene>,
    observed: OnceLock<Result<probe::Observed, String>>,
}

impl Specimen {
    /// Not looked at yet.
    pub fn new(scene: impl Into<Arc<Scene>>) -> Self {
        Self {
            scene: scene.into(),
            observed: OnceLock::new(),
        }
    }

    /// The asset itself.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// What the probe sees in it, measured at the first call. Not to be called from inside a rayon task: a worker that waits could
    /// begin another question about the same asset, and wait for itself.
    ///
    /// # Errors
    /// What the renderer says, in words.
    pub fn observed(&self) -> Result<&probe::Observed, &String> {
        self.observed
            .get_or_init(|| probe::observe(&self.scene))
            .as_ref()
    }
}

/// What a measuring judge may look at beside the pictures.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The assets, in the order they stand in the pictures (left first).
    pub scenes: Vec<Arc<Specimen>>,
    /// Photo and mask of a reconstruction question: RGB8, and Grey8 of the same size (≥ 128 is the object).
    pub photo: Option<Arc<(crate::render::Image, crate::render::Image)>>,
    /// The picture of a category question.
    pub picture: Option<Arc<crate::render::Image>>,
}

/// An asset as questions and records name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Asset {
    /// As the user gave it.
    pub path: String,
    /// BLAKE3 of everything it is loaded from, 64 hexadecimal digits.
    pub hash: String,
    /// The generator, or whoever else made it; ratings are per method.
    pub method: String,
}

/// One question, complete: what is asked and shown, about which assets, in which order. Who is asked, and how often, is a request's.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked and how the answer is read.
    pub rubric: Arc<Rubric>,
    /// For the category rubric: which kind of prompt.
    pub category: Option<String>,
    /// The text prompt that the assets were made from.
    pub prompt: Option<String>,
    /// The message, as it is sent.
    pub parts: Vec<Part>,
    /// For judges that measure; never sent anywhere.
    pub evidence: Evidence,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; none for one-object rubrics.
    pub b: Option<Asset>,
    /// Which of the two stands left in `parts` and `evidence`.
    pub order: Order,
    /// How the pictures were drawn; none where all of them were made elsewhere.
    pub protocol: Option<Arc<ProtocolRecord>>,
    /// Hash of everything that decides the question, known before its pictures are drawn, so that a later run can tell that it was
    /// answered without drawing them.
    pub plan_key: Option<String>,
    /// Edge of the smallest view as it is sent, in pixels; none where no view is shown.
    pub view_px: Option<u32>,
}

/// What a judge said, as it said it. Whether it is an answer, the rubric's reader decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The raw text, in the form that the rubric asks for: digits on the last line, the score on the last line, or one JSON object.
    pub text: String,
    /// Keys of criteria that the judge has no means to answer, as a measuring judge and wording.
    /// In `text` such a criterion is "cannot decide" (pairwise), or is left out (category); `score` stands here for a reconstruction
    /// that cannot be scored. The reader copies the keys into the verdict's `undecided`, and they never count as a game.
    pub undecided: Vec<String>,
    /// The model as the server names it.
    pub model_reported: Option<String>,
    /// The server's fingerprint of the model's build.
    pub fingerprint: Option<String>,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens read and written.
    pub usage: Usage,
    /// US dollars; `None` where the price is unknown, 0 for a judge that is free.
    pub cost_usd: Option<f64>,
    /// Time from the request to the last byte.
    pub seconds: f64,
    /// HTTP status; `None` for a judge that needs no network.
    pub http_status: Option<u16>,
    /// The tokens of `text` with their alternatives, where log-probabilities were asked for.
    pub tokens: Vec<logprobs::Token>,
}

/// Tokens as the server counted them; `None` where it did not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Read: text and pictures, cached ones included.
    pub input_tokens: Option<u64>,
    /// The part of `input_tokens` that the server knew from before.
    pub cached_tokens: Option<u64>,
    /// Written, reasoning included.
    pub output_tokens: Option<u64>,
    /// The part of `output_tokens` that was reasoning.
    pub reasoning_tokens: Option<u64>,
}

/// What came back from one request, and what the server said about the next one.
#[derive(Debug)]
pub struct Response {
    /// A reply, or what happened instead.
    pub result: Result<Reply, Failure>,
    /// From the request to its end.
    pub elapsed: Duration,
    /// What is left of the server's quota, where it says so.
    pub quota: Option<Quota>,
    /// Whether the server turned the request away for its schema. The next attempt goes without one.
    pub is_schema_refused: bool,
}

/// How a judge is asked, beside what it is asked.
#[derive(Debug, Clone)]
pub struct OpenSettings {
    /// Of one request.
    pub limits: Limits,
    /// What is known of models.
    pub catalogue: Catalogue,
    /// Whether answers may be asked for by schema; else always as text.
    pub allows_schema: bool,
    /// Sent to models that take one.
    pub temperature: Option<f64>,
    /// Whether log-probabilities are asked for.
    pub wants_logprobs: bool,
    /// Whether questions go in batches, which cost less.
    pub in_batches: bool,
}

/// Who is asked.
#[derive(Debug, Clone)]
pub enum Judge {
    /// Measures geometry and pixels, offline.
    Probe,
    /// A model on a server.
    Model(Arc<Endpoint>),
}

impl Endpoint {
    /// One request that says something which is no question of a rubric. Never retries.
    pub async fn ask_freely(&self, parts: &[Part]) -> Response {
        let start = Instant::now();
        let asked = self.say(parts).await;
        Response {
            result: asked.result,
            elapsed: start.elapsed(),
            quota: asked.quota,
            is_schema_refused: false,
        }
    }
}

impl Judge {
    /// What `spec` names. `base_url` is where its server is; a key is read from the environment and only there.
    ///
    /// # Errors
    /// [`JudgeError`]: no key, or an address that cannot be used.
    pub fn open(
        spec: &Spec,
        base_url: Option<&str>,
        settings: &OpenSettings,
    ) -> Result<Self, JudgeError> {
        match spec {
            Spec::Probe => Ok(Self::Probe),
            Spec::Model(spec) => {
                let key = Secret::from_env(spec.route.key_variable())?;
                Endpoint::new(spec, base_url, key, settings).map(|it| Self::Model(it.into()))
            }
        }
    }

    /// Its name in rows: the spec.
    pub fn name(&self) -> String {
        match self {
            Self::Probe => Spec::Probe.to_string(),
            Self::Model(endpoint) => endpoint.spec().to_string(),
        }
    }

    /// The model and its server; `None` for a judge without one.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match self {
            Self::Probe => None,
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
            Self::Probe => format!("probe of {}", env!("CARGO_PKG_VERSION")),
            Self::Model(endpoint) => endpoint.settings(),
        }
    }

    /// Whether the same question always gets the same reply, so that asking again is of no use.
    pub fn is_deterministic(&self) -> bool {
        matches!(self, Self::Probe)
    }

    /// Whether a reply needs no server, and so costs nothing.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Probe)
    }

    /// What one request costs at most, in US dollars: every token that it may hold and every one that may come back.
    /// `None` where the price is unknown.
    pub fn cost_usd_max(&self, question: &Question, again: Option<&Again>) -> Option<f64> {
        let Self::Model(endpoint) = self else {
            return Some(0.0);
        };
        let usd = endpoint.cost_usd_max(endpoint.input_tokens_max(question, again))?;
        Some(usd * endpoint.price_share())
    }

    /// Tokens that a question has at most; 0 for a judge that reads none.
    pub fn input_tokens_max(&self, question: &Question) -> u64 {
        self.endpoint()
            .map_or(0, |endpoint| endpoint.input_tokens_max(question, None))
    }

    /// One request; with `again`, one that says what was wrong with the answer before. Never waits for a retry and never retries.
    pub async fn ask(&self, question: &Arc<Question>, again: Option<&Again>) -> Response {
        let start = Instant::now();
        let (result, quota, is_schema_refused) = match self {
            Self::Probe => {
                let question = Arc::clone(question);
                // Measuring takes whole seconds of processor time; the network threads must not wait for it.
                let asked = tokio::task::spawn_blocking(move || probe::ask(&question)).await;
                let result = asked.map_err(|e| Failure::Internal {
                    reason: e.to_string(),
                });
                (result, None, false)
            }
            Self::Model(endpoint) => {
                let asked = endpoint.ask(question, again).await;
                (asked.result, asked.quota, asked.is_schema_refused)
            }
        };
        let elapsed = start.elapsed();
        Response {
            result: result.map(|reply| Reply {
                seconds: elapsed.as_secs_f64(),
                ..reply
            }),
            elapsed,
            quota,
            is_schema_refused,
        }
    }
}
