//! What is asked, about which assets, in which order.

use super::specimen::Specimen;
use crate::render::{Image, ProtocolRecord};
use crate::rubric::{Order, Part, Rubric};
use serde::Serialize;
use std::sync::Arc;

/// What a measuring judge may look at beside the pictures.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The assets, in the order they stand in the pictures (left first).
    pub scenes: Vec<Arc<Specimen>>,
    /// Photo and mask of a reconstruction question: RGB8, and Grey8 of the same size (≥ 128 is the object).
    pub photo: Option<Arc<(Image, Image)>>,
    /// The picture of a category question.
    pub picture: Option<Arc<Image>>,
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
