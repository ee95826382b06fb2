//! What can be wrong with a rubric, or with what a question is made from.

use std::path::PathBuf;

/// Why there is no question to ask.
#[derive(Debug, thiserror::Error)]
pub enum RubricError {
    /// The name is none of ours and names no file.
    #[error(
        "there is no rubric named {name:?}; choose pairwise, pairwise-image, match-image, reconstruction or category, or give the path of a .toml file"
    )]
    UnknownName { name: String },
    #[error("cannot read the {what} ({reason}); check the path and its permissions: {path:?}")]
    Unreadable {
        /// `rubric`, `question`, `example` or `picture`.
        what: &'static str,
        reason: String,
        path: PathBuf,
    },
    /// The file is read, and it does not hold what it should.
    #[error("the {what} cannot be used: {reason}: {path:?}")]
    Content {
        /// `rubric`, `question` or `example`.
        what: &'static str,
        /// The error and the remedy.
        reason: String,
        path: PathBuf,
    },
    /// A category question without a category, or with one that the rubric does not know.
    #[error("{found:?} is not a category of the rubric {rubric:?}; {known}")]
    Category {
        rubric: String,
        found: String,
        /// What it knows, joined by commas.
        known: String,
    },
    /// The question quotes the text prompt and there is none.
    #[error("the rubric {rubric:?} quotes the text prompt; give one")]
    NoPrompt { rubric: String },
    /// A checklist of features without those of the prompt.
    #[error(
        "the rubric {rubric:?} checks the features of a prompt, which a benchmark lists; elsewhere, give them as the category, separated by semicolons"
    )]
    NoFeatures { rubric: String },
    /// The text prompt is far longer than any that objects are made from.
    #[error("the text prompt has {chars} characters; at most {max} are allowed", max = super::limits::PROMPT_CHARS_MAX)]
    PromptTooLong { chars: usize },
    /// A rubric whose pictures cannot be sent in that form.
    #[error(
        "the rubric {rubric:?} cannot send its pictures in that form (it needs a pair sheet and `{needs}`); send one sheet"
    )]
    Form { rubric: String, needs: &'static str },
    /// A question or an example has another number of pictures than the rubric.
    #[error("the rubric {rubric:?} shows {expected} pictures, but {found} were given")]
    PictureCount {
        rubric: String,
        /// How many it shows.
        expected: usize,
        found: usize,
    },
    /// Worked examples for a rubric that has no place for them.
    #[error("the rubric {rubric:?} takes no worked examples; leave them out")]
    NoExamples { rubric: String },
    /// More worked examples than a judge can be shown.
    #[error("{found} worked examples were given; at most {max} are shown: {path:?}", max = super::limits::EXAMPLES_MAX)]
    TooManyExamples { found: usize, path: PathBuf },
    /// The bytes are no picture that judges take.
    #[error("not a picture that can be sent ({reason}); use PNG, JPEG or WebP")]
    Picture {
        /// The error.
        reason: String,
    },
}
