//! Puts a question to a judge: [`Question`] → [`Reply`].

use crate::rubric::Rubric;
use crate::scene::Scene;
use std::sync::Arc;

/// A picture as it is sent: the very bytes.
#[derive(Debug, Clone)]
pub struct Picture {
    /// PNG (or, for a photo of the user's, JPEG) bytes.
    pub bytes: Arc<[u8]>,
    /// `image/png` or `image/jpeg`, told from the bytes.
    pub media_type: &'static str,
    /// BLAKE3 of the bytes, hexadecimal.
    pub hash: String,
    /// Width.
    pub width_px: u32,
    /// Height.
    pub height_px: u32,
}

/// A piece of the message, in the order the judge reads it.
#[derive(Debug, Clone)]
pub enum Part {
    /// Words.
    Text(String),
    /// A picture.
    Picture(Picture),
    /// The answer that a worked example ends with (sent as an assistant turn where the route has turns).
    ExampleAnswer(String),
}

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
