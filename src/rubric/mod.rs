//! The questions and how their answers are read: a file in `prompts/` → [`Rubric`].

/// The shape of a question and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Two objects side by side; one choice per criterion. Answer: a last line of digits.
    Pairwise,
    /// One object against a photo; one score. Answer: a last line that is the number.
    Reconstruction,
    /// One picture; 0 to 10 per aspect. Answer: one JSON object.
    Category,
}

/// One thing that is judged.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Criterion {
    /// The name in rows: lower case, words joined by `_`.
    pub key: String,
    /// The name that the judge reads.
    pub title: String,
    /// What to look at.
    pub description: String,
}

/// Why a judge stopped writing, as far as it says so.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It had said everything.
    Stop,
    /// The token limit cut it.
    Length,
    /// It, or a filter before it, declined.
    Refusal,
    /// Something else, in the server's word.
    Other(String),
    /// The server did not say.
    #[default]
    Unknown,
}

/// A question, its pictures and its answer menu.
#[derive(Debug, Clone)]
pub struct Rubric {
    kind: Kind,
    criteria: Vec<Criterion>,
}

impl Rubric {
    /// The shape of the question.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is judged, in the order of the answer; for a category rubric the aspects of `category`, empty when it has no such category.
    pub fn criteria(&self, _category: Option<&str>) -> &[Criterion] {
        &self.criteria
    }
}
