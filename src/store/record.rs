//! A record: what the store says of one request. Serialises as one line of `export --format jsonl`.
//!
//! Where there were several attempts, the outcome, `raw`, `model_reported` and `asked_at` are those
//! of the attempt with the verdict, else of the last one; `attempts` counts requests that were
//! sent, and tokens, cost and seconds are sums, failed ones included. A sum is null where nothing
//! is known; the cost also where the price of any reply is unknown.

use super::{Rater, ShownFronts};
use crate::judge::{Asset, PhotoKey};
use crate::rubric::{Order, Outcome, Verdict};
use serde::Serialize;

/// A request and its end, serialised in this order; `outcome` as `outcome`, `reason`, `verdict`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// Counts the requests of a run, from 1.
    #[serde(skip)]
    pub number: i64,
    /// See [`Request::id`](super::Request::id).
    pub id: String,
    pub rubric: String,
    /// The hash of all that the rubric says.
    pub rubric_hash: String,
    /// For the category rubric.
    pub category: Option<String>,
    pub prompt: Option<String>,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; absent for one-object rubrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Asset>,
    /// `ab` or `ba`: the asset on the left is first.
    pub order: Order,
    /// Counts from 0.
    pub sample: u32,
    pub judge: Rater,
    /// The judge's server; none for a judge without one.
    #[serde(skip)]
    pub base_url: Option<String>,
    /// See [`Judge::settings`](crate::judge::Judge::settings).
    #[serde(skip)]
    pub settings: String,
    /// The model as its server names it.
    pub model_reported: Option<String>,
    /// Hash of the render protocol.
    pub protocol: Option<String>,
    /// Hashes of the pictures, in the order in which they were shown, worked examples included.
    pub pictures: Vec<String>,
    /// A verdict is given in the listed order, whichever way the pair was shown.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// The text of the reply as it was received.
    pub raw: Option<String>,
    /// The form that was asked for: `schema` or `text`; null for a judge without a server.
    pub answers: Option<String>,
    /// Whether the verdict is the judge's restatement, asked for without pictures, of the decision
    /// that `raw` states in another form.
    pub restated: bool,
    /// What the judge wrote when it was asked to restate; absent where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restatement: Option<String>,
    /// Requests that were sent, restatements included.
    pub attempts: u32,
    /// Sum over the attempts.
    pub input_tokens: Option<u64>,
    /// Sum over the attempts.
    pub output_tokens: Option<u64>,
    /// Sum over the attempts, in US dollars.
    pub cost_usd: Option<f64>,
    /// Sum over the attempts.
    pub seconds: f64,
    /// RFC 3339, UTC.
    pub asked_at: String,
    /// Edge of the smallest view as it was sent, in pixels.
    pub view_px: Option<u32>,
    /// A probability per option and criterion; absent unless log-probabilities were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<serde_json::Value>,
    /// The request whose recorded reply this is; absent for one that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<String>,
    /// The benchmark's id of the prompt; absent where no benchmark asked. See
    /// [`Slots`](super::Slots).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// The seed of the benchmark's assets; absent as `prompt_id` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Why the reply ended: `stop`, `length`, `refusal` or the server's own word; else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<String>,
    /// What the judge wrote besides its answer, marked in `raw` or outside it; absent if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Part of `output_tokens`, as the server counts it; absent where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_tokens: Option<u64>,
    /// The photos that the question shows, spread over columns; absent where it shows none.
    #[serde(flatten)]
    pub photo: Option<PhotoKey>,
    /// Those of `pictures` that show the object of a photo alone: the first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub photos: Vec<String>,
    /// How its assets were given a common front, spread over columns. See [`Slots`](super::Slots).
    #[serde(flatten)]
    pub fronts: ShownFronts,
    /// Why its verdict is kept and not rated; absent where it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_rated: Option<&'static str>,
}

impl Record {
    /// One of which nothing else is known.
    pub(crate) fn bare(id: String, a: Asset, order: Order, judge: Rater, outcome: Outcome) -> Self {
        Self {
            number: 0,
            id,
            rubric: String::new(),
            rubric_hash: String::new(),
            category: None,
            prompt: None,
            a,
            b: None,
            order,
            sample: 0,
            judge,
            base_url: None,
            settings: String::new(),
            model_reported: None,
            protocol: None,
            pictures: Vec::new(),
            outcome,
            raw: None,
            answers: None,
            restated: false,
            restatement: None,
            attempts: 0,
            input_tokens: None,
            output_tokens: None,
            cost_usd: None,
            seconds: 0.0,
            asked_at: String::new(),
            view_px: None,
            probabilities: None,
            reused_from: None,
            prompt_id: None,
            seed: None,
            ending: None,
            reasoning: None,
            reasoning_tokens: None,
            photo: None,
            photos: Vec::new(),
            fronts: ShownFronts::default(),
            not_rated: None,
        }
    }

    /// Whether it is about a prompt instead of an asset: a list of features.
    pub(crate) fn is_of_prompt(&self) -> bool {
        self.b.is_none() && self.a.method.is_empty() && self.a.path.is_empty()
    }

    /// The verdict, if there is one.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.outcome.verdict()
    }
}
