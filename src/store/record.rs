//! What is kept of a question and of an attempt, and the key that tells questions apart.

use crate::judge::{Judge, Part, Question, Reply};
use crate::rubric::{Order, Outcome};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// An asset as a row names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Asset {
    /// As the user gave it.
    pub path: String,
    /// BLAKE3 of everything it is loaded from, hexadecimal.
    pub hash: String,
    /// Who or what made it; ratings are per method.
    pub method: String,
}

/// The render protocol: its hash and its canonical record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protocol {
    /// Hexadecimal.
    pub hash: String,
    /// JSON.
    pub record: String,
}

/// A question with its place in the run.
#[derive(Debug, Clone)]
pub struct Asked {
    /// BLAKE3 over the request and over who stands in it; hexadecimal. The `id` of a row.
    pub id: String,
    /// BLAKE3 of the canonical request: message, judge, address, settings, sample, order.
    pub request: String,
    /// The question itself.
    pub question: Arc<Question>,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; none for one-object rubrics.
    pub b: Option<Asset>,
    /// Who stands left.
    pub order: Order,
    /// Counts from 0.
    pub sample: u32,
    /// Its spec.
    pub judge: String,
    /// Where it is.
    pub base_url: Option<String>,
    /// What else decides its answer.
    pub settings: String,
    /// How the pictures were drawn; none for pictures that were not drawn.
    pub protocol: Option<Arc<Protocol>>,
    /// What it was planned as.
    pub planned: Option<String>,
    /// See [`Subject::view_px`].
    pub view_px: Option<u32>,
}

/// What a question is about, before it is known who is asked.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The question itself.
    pub question: Arc<Question>,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; none for one-object rubrics.
    pub b: Option<Asset>,
    /// Who stands left.
    pub order: Order,
    /// How the pictures were drawn.
    pub protocol: Option<Arc<Protocol>>,
    /// Everything that decides the question, hashed before its pictures are drawn, so that a later run need not draw them to find out
    /// that it was answered; see [`planned`].
    pub plan: Option<String>,
    /// Edge of the smallest view as it is sent; none where no view is shown.
    pub view_px: Option<u32>,
}

/// The key of a planned question: `plan` put to `judge` for the `sample`th time.
pub fn planned(plan: &str, order: Order, judge: &Judge, sample: u32) -> String {
    hash(&json!([
        "planned 1",
        plan,
        order.as_str(),
        judge.name(),
        judge.base_url(),
        judge.settings(),
        sample,
    ]))
}

impl Asked {
    /// Puts `subject` to `judge` for the `sample`th time.
    pub fn new(subject: &Subject, judge: &Judge, sample: u32) -> Self {
        let Subject {
            question,
            a,
            b,
            order,
            protocol,
            plan,
            view_px,
        } = subject.clone();
        let planned = plan.map(|plan| planned(&plan, order, judge, sample));
        let parts: Vec<_> = question.parts.iter().map(canonical).collect();
        let request = hash(&json!([
            "request 1",
            parts,
            judge.name(),
            judge.base_url(),
            judge.settings(),
            question.rubric.hash(),
            question.category,
            order.as_str(),
            sample,
        ]));
        // Who is compared belongs to the identity, for two methods may have made equal files; where the files lie does not.
        let side = |asset: &Asset| json!([asset.hash, asset.method]);
        let protocol_hash = protocol.as_ref().map(|p| &p.hash);
        let id = hash(&json!([
            "question 1",
            request,
            side(&a),
            b.as_ref().map(side),
            protocol_hash
        ]));
        Self {
            id,
            request,
            question,
            a,
            b,
            order,
            sample,
            judge: judge.name(),
            base_url: judge.base_url().map(str::to_owned),
            settings: judge.settings(),
            protocol,
            planned,
            view_px,
        }
    }
}

fn canonical(part: &Part) -> serde_json::Value {
    match part {
        Part::Text(text) => json!(["text", text]),
        Part::Picture(picture) => json!(["picture", picture.media_type, picture.hash]),
        Part::ExampleAnswer(answer) => json!(["example answer", answer]),
    }
}

/// BLAKE3 of the canonical text. Only lists are hashed, so the order of map keys plays no part.
pub(super) fn hash(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes())
        .to_hex()
        .to_string()
}

/// One attempt, as it is kept.
#[derive(Debug, Clone)]
pub struct Tried {
    /// When the request was sent.
    pub asked_at: SystemTime,
    /// How long it took.
    pub elapsed: Duration,
    /// How it ended.
    pub outcome: Outcome,
    /// What the judge said, if it said anything.
    pub reply: Option<Reply>,
    /// HTTP status, also of a failure.
    pub http_status: Option<u16>,
    /// What it may have cost at most, where its cost is not known and the price is.
    pub cost_usd_max: Option<f64>,
    /// A probability for each option of each criterion, where log-probabilities were told.
    pub probabilities: Option<serde_json::Value>,
    /// The question whose recorded reply this is, where nothing was sent.
    pub reused_from: Option<String>,
}

impl Tried {
    /// An end without a request: stopped by the budget, or told by somebody else.
    pub fn without_request(outcome: Outcome) -> Self {
        Self {
            asked_at: SystemTime::now(),
            elapsed: Duration::ZERO,
            outcome,
            reply: None,
            http_status: None,
            cost_usd_max: None,
            probabilities: None,
            reused_from: None,
        }
    }
}
