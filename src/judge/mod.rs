//! Puts a question to a judge: [`Question`] → [`Reply`].

use crate::rubric::Rubric;
pub use crate::rubric::{Finish, Part, Picture};
use crate::scene::Scene;
use std::sync::Arc;

/// What a measuring judge may look at beside the pictures.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The assets, in the order they stand in the pictures (left first).
    pub scenes: Vec<Arc<Scene>>,
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
