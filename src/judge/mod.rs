//! Puts a question to a judge: [`Question`] → [`Attempt`] → [`Reply`].
//!
//! One [`Judge::attempt`] is one request. Whoever runs the pipeline records it, asks [`Backoff`] whether there is another, and reads
//! the reply with the rubric. Knows nothing of the store, of ratings, or of what was asked before.

mod backoff;
mod error;
mod openai;
pub mod probe;
mod secret;
mod spec;
mod transport;

pub use crate::rubric::{Finish, Part, Picture};
pub use backoff::Backoff;
pub use error::{Failure, JudgeError};
pub use openai::OpenAi;
pub use secret::Secret;
pub use spec::Spec;
pub use transport::Limits;

use crate::rubric::Rubric;
use crate::scene::Scene;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// An asset that a measuring judge looks at. What it finds is kept, because an asset stands in many questions.
#[derive(Debug)]
pub struct Specimen {
    scene: Scene,
    observed: OnceLock<Result<probe::Observed, String>>,
}

impl Specimen {
    /// Not looked at yet.
    pub fn new(scene: Scene) -> Self {
        Self {
            scene,
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

/// One question, complete: everything any judge needs.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked and how the answer is read.
    pub rubric: Arc<Rubric>,
    /// Which kind of prompt, for the category rubric.
    pub category: Option<String>,
    /// The text prompt that the asset was made from.
    pub prompt: Option<String>,
    /// The message.
    pub parts: Vec<Part>,
    /// For judges that measure; never sent anywhere.
    pub evidence: Evidence,
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
}

/// Tokens as the server counted them; `None` where it did not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Read: text and pictures.
    pub input_tokens: Option<u64>,
    /// Written, reasoning included.
    pub output_tokens: Option<u64>,
    /// The part of `output_tokens` that was reasoning.
    pub reasoning_tokens: Option<u64>,
}

/// One request and what came of it.
#[derive(Debug)]
pub struct Attempt {
    /// A reply, or what happened instead.
    pub result: Result<Reply, Failure>,
    /// From the request to its end.
    pub elapsed: Duration,
}

/// Who is asked.
#[derive(Debug, Clone)]
pub enum Judge {
    /// Measures geometry and pixels, offline.
    Probe,
    /// A server that speaks OpenAI's chat route.
    OpenAi(Arc<OpenAi>),
}

impl Judge {
    /// What `spec` names. `base_url` is where its server is; a key is read from the environment and only there.
    ///
    /// # Errors
    /// [`JudgeError`]: no key, or an address that cannot be used.
    pub fn open(spec: &Spec, base_url: Option<&str>, limits: Limits) -> Result<Self, JudgeError> {
        match spec {
            Spec::Probe => Ok(Self::Probe),
            Spec::OpenAi { model } => {
                let key = Secret::from_env("OPENAI_API_KEY")?;
                OpenAi::new(model, base_url, key, limits).map(|judge| Self::OpenAi(judge.into()))
            }
        }
    }

    /// Its name in rows: the spec.
    pub fn name(&self) -> String {
        match self {
            Self::Probe => Spec::Probe.to_string(),
            Self::OpenAi(judge) => Spec::OpenAi {
                model: judge.model().to_owned(),
            }
            .to_string(),
        }
    }

    /// Where its server is; `None` for a judge without one.
    pub fn base_url(&self) -> Option<&str> {
        match self {
            Self::Probe => None,
            Self::OpenAi(judge) => Some(judge.base_url()),
        }
    }

    /// Whatever else decides what it answers, in one line: part of a question's key.
    pub fn settings(&self) -> String {
        match self {
            Self::Probe => format!("probe of {}", env!("CARGO_PKG_VERSION")),
            Self::OpenAi(judge) => judge.settings(),
        }
    }

    /// Whether the same question always gets the same reply, so that asking again is of no use.
    pub fn is_deterministic(&self) -> bool {
        matches!(self, Self::Probe)
    }

    /// Whether a reply costs nothing.
    pub fn is_free(&self) -> bool {
        matches!(self, Self::Probe)
    }

    /// One request. Never waits for a retry and never retries.
    pub async fn attempt(&self, question: &Arc<Question>) -> Attempt {
        let start = Instant::now();
        let result = match self {
            Self::Probe => {
                let question = Arc::clone(question);
                // Measuring takes whole seconds of processor time; the network threads must not wait for it.
                tokio::task::spawn_blocking(move || probe::ask(&question))
                    .await
                    .map_err(|e| Failure::Internal {
                        reason: e.to_string(),
                    })
            }
            Self::OpenAi(judge) => judge.ask(question).await,
        };
        let elapsed = start.elapsed();
        let result = result.map(|reply| Reply {
            seconds: elapsed.as_secs_f64(),
            ..reply
        });
        Attempt { result, elapsed }
    }
}
