//! The kinds of rubrics: what a question of a kind is about, and the form of its answer.
//!
//! Each kind has a file with its declaration, the JSON schema of its answer, and the verdict that
//! an answer is. The others ask [`Rubric`] about properties, never which kind it is.

mod answer_form;
mod category;
mod checklist;
mod pairwise;
mod reconstruction;

pub(super) use answer_form::{AnswerForm, AskedAs, Choice, Declared, object};

use super::keys::OVERALL_KEY;
use super::{Rubric, Yes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The shape of a question and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Two objects side by side; one choice per criterion. Answer: a last line of digits.
    Pairwise,
    /// One object against a photo; one score. Answer: a last line that is the number.
    Reconstruction,
    /// One picture; a number per aspect. Answer: one JSON object.
    Category,
    /// One object; yes, partly or no per item. Answer: one JSON object.
    Checklist,
    /// The features that a prompt calls for. Answer: one JSON object of texts. Part of a checklist.
    #[serde(skip_deserializing)]
    Features,
}

impl Kind {
    /// Its declaration and its reader.
    pub(super) fn form(self) -> &'static dyn AnswerForm {
        match self {
            Self::Pairwise => &pairwise::Pairwise,
            Self::Reconstruction => &reconstruction::Reconstruction,
            Self::Category => &category::Category,
            Self::Checklist => &checklist::Checklist,
            Self::Features => &checklist::Features,
        }
    }

    /// `pairwise`, `reconstruction`, `category` or `checklist`, as in a rubric's file.
    pub fn as_str(self) -> &'static str {
        self.form().declared().name
    }
}

impl Rubric {
    /// Whether it is about two objects.
    pub fn is_of_pairs(&self) -> bool {
        self.kind.form().declared().is_of_pairs
    }

    /// Whether its criteria depend on the category of a prompt.
    pub fn has_categories(&self) -> bool {
        self.kind.form().declared().has_categories
    }

    /// Asks for the features that each prompt calls for; none for fixed items. The features, as
    /// [`feature_list`](super::feature_list) joins them, are then a question's category.
    pub fn lister(&self) -> Option<&Self> {
        self.lister.as_deref()
    }

    /// What a yes means, for a checklist.
    pub fn yes(&self) -> Option<Yes> {
        (self.kind == Kind::Checklist).then_some(self.yes.unwrap_or_default())
    }

    /// Whether it scores an object against the photo that it was made from.
    pub fn needs_photo(&self) -> bool {
        self.kind.form().declared().needs_photo
    }

    /// The keys that a judge can leave undecided: those of the criteria, or `score`.
    pub fn judged_keys(&self, category: Option<&str>) -> Vec<String> {
        self.kind.form().keys(self, category)
    }

    /// The keys of an answer: those that are judged and, with categories, `overall_score`.
    pub fn answer_keys(&self, category: Option<&str>) -> Vec<String> {
        let overall = self.has_categories().then(|| OVERALL_KEY.to_owned());
        self.judged_keys(category).into_iter().chain(overall).collect()
    }

    /// What an answer looks like, for servers that hold a judge to a schema: an object.
    ///
    /// Strict: all keys required, no others. Reasoning is before the choice, so it comes first.
    pub fn answer_schema(&self, category: Option<&str>) -> Value {
        self.kind.form().schema(self, category)
    }

    /// The instruction to a judge with a schema, where the rubric's text asks for another form.
    pub fn schema_note(&self) -> Option<String> {
        self.kind.form().schema_note(self)
    }
}
