//! A question: its content, assets and order.

use super::photo_key::PhotoKey;
use super::specimen::Specimen;
use crate::render::{Image, ProtocolRecord};
use crate::rubric::{Order, Part, Rubric};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The evidence for a measuring judge, in addition to the pictures.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The assets, in the order of the pictures (left first).
    pub scenes: Vec<Arc<Specimen>>,
    /// The photo, and the mask of its object, where there is one: RGB8, and Grey8 of the same size
    /// (≥ 128 is the object).
    pub photo: Option<Arc<(Image, Image)>>,
    /// The picture of a category question.
    pub picture: Option<Arc<Image>>,
}

/// An asset as questions and records name it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Asset {
    /// As the user gave it.
    pub path: String,
    /// BLAKE3 of everything it is loaded from, 64 hexadecimal digits.
    pub hash: String,
    /// The generator, or another maker; ratings are per method.
    pub method: String,
}

/// An earlier reply to a question that the judge is asked to restate, without pictures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restate {
    /// The reply's text as it was received.
    pub raw: Arc<str>,
    /// When it was asked for, as the store has it: the name of the attempt among the question's.
    pub asked_at: String,
}

/// A complete question: content, pictures, assets, order. A request adds judge and sample count.
#[derive(Debug, Clone)]
pub struct Question {
    /// The rubric, which also reads the answer.
    pub rubric: Arc<Rubric>,
    /// For the category rubric: which kind of prompt.
    pub category: Option<String>,
    /// The text prompt that the assets were made from.
    pub prompt: Option<String>,
    /// The photos that it shows; none where it shows none.
    pub photo: Option<PhotoKey>,
    /// The message, as it is sent.
    pub parts: Vec<Part>,
    /// For judges that measure; never sent anywhere.
    pub evidence: Evidence,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; none for one-object rubrics.
    pub b: Option<Asset>,
    /// The asset on the left in `parts` and `evidence`.
    pub order: Order,
    /// How the pictures were drawn; none where all of them were made elsewhere.
    pub protocol: Option<Arc<ProtocolRecord>>,
    /// Hash of everything that decides the question, known before its pictures are drawn, so that a
    /// later run recognises that it was answered without drawing them.
    pub plan_key: Option<String>,
    /// Edge of the smallest view as it is sent, in pixels; none where no view is shown.
    pub view_px: Option<u32>,
}
