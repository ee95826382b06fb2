//! The questions and how their answers are read: a file in `prompts/` → [`Rubric`].
//!
//! A rubric has the pictures and their order, the criteria, and the place of the answer in the
//! reply. [`Rubric::message`] makes the question that a judge reads, [`Rubric::read`] turns its raw
//! reply into an [`Outcome`]. Knows nothing of HTTP, of assets, or of who won in the end.

mod features;
mod file;
mod form;
mod keys;
mod kind;
mod limits;
mod message;
mod picture;
mod places;
mod read;
mod reply;
mod text;
mod text_file;
mod verdict;

pub use features::feature_list;
pub(crate) use features::is_feature;
pub use form::Form;
pub use kind::Kind;
pub use limits::PROMPT_CHARS_MAX;
pub use meshjudge_rate::Winner;
pub use message::{Example, Part};
pub use picture::Picture;
pub(crate) use picture::unsendable;
pub use read::slots::answer_value;
pub use read::{READER_VERSION, RESTATEMENT_TOKENS_MAX, Reading, ReplyText};
pub use reply::{Finish, Parts};
pub use text::quote;
pub use text_file::{read_text, toml_reason};
pub use verdict::{Outcome, Overall, Verdict};

use crate::render::Channel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The asset on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Order {
    /// The asset that is listed first: `ab` in rows. The only order of one-object rubrics.
    #[serde(rename = "ab")]
    AsListed,
    /// The asset that is listed second: `ba` in rows.
    #[serde(rename = "ba")]
    Swapped,
}

impl Order {
    /// Both, as a pair is always asked.
    pub const BOTH: [Self; 2] = [Self::AsListed, Self::Swapped];

    /// `ab` or `ba`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AsListed => "ab",
            Self::Swapped => "ba",
        }
    }

    /// Reads what [`Order::as_str`] writes.
    pub fn named(name: &str) -> Option<Self> {
        Self::BOTH.into_iter().find(|order| order.as_str() == name)
    }

    /// Turns left ([`Winner::A`]) and right ([`Winner::B`]) back to the listed order, or the listed
    /// order to left and right.
    pub(crate) fn listed(self, winner: Winner) -> Winner {
        match self {
            Self::AsListed => winner,
            Self::Swapped => winner.swapped(),
        }
    }
}

/// One thing that is judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// The name in rows: lower case, words joined by `_`.
    pub key: String,
    /// The name that the judge reads.
    pub title: String,
    /// What to look at.
    pub description: String,
    /// The same for human voters; none for `description`. No judge reads it, so the hash omits it.
    #[serde(default, skip_serializing)]
    pub for_people: Option<String>,
}

/// What a picture of a question holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Both objects' view grids, left and right.
    PairSheet,
    /// The same, below a row with the photo, or with several.
    PairBelowPhoto,
    /// The view grid of object 1, which is called the left one, or one of its views.
    Left,
    /// The same of object 2.
    Right,
    /// The object of the photo alone, on a plain ground.
    Photo,
    /// The photo with the object marked in purple.
    Highlighted,
    /// The marked photo, closer.
    ZoomHighlighted,
    /// The photo, closer, unmarked.
    Zoom,
    /// Front, side, top and isometric view of one object.
    FourView,
    /// The picture itself, or the view grid of an asset.
    Picture,
}

/// One picture of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureSpec {
    /// Its name within the rubric, and the stem of its file in a worked example.
    pub id: String,
    pub content: Content,
    /// ReplyText right before it; nothing is said where this is empty.
    #[serde(default)]
    pub label: String,
    /// Views of a grid: 1, 4, 9 or 16, or any number with `columns`. Absent for other pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub views: Option<u32>,
    /// Views next to each other; absent for a square of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// Channels of a grid, top to bottom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<Channel>,
    /// For one object of a pair: this one view and channel of the grid, instead of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<OnlyView>,
}

/// One view of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnlyView {
    /// Its place in the grid, from 0.
    pub view: u32,
    pub channel: Channel,
}

/// The digits of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Object 1 is better.
    pub left: u8,
    /// Object 2 is better.
    pub right: u8,
    pub tie: u8,
}

/// Both ends of a scale, each allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    pub min: u8,
    pub max: u8,
}

/// What the answer yes to an item of a checklist says of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Yes {
    /// It has something that it should have.
    #[default]
    Good,
    /// It has a defect.
    Bad,
}

/// A question, its pictures and its answer menu. Checked when it is read from its file; see
/// `prompts/` for examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rubric {
    name: String,
    kind: Kind,
    pictures: Vec<PictureSpec>,
    criteria: Vec<Criterion>,
    categories: BTreeMap<String, Vec<Criterion>>,
    options: Options,
    scale: Scale,
    #[serde(skip_serializing_if = "Option::is_none")]
    yes: Option<Yes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lister: Option<Box<Rubric>>,
    data: String,
    /// Takes the place of `data` where the objects are sent apart; part of the hash only then.
    #[serde(skip)]
    data_apart: Option<String>,
    /// The same where all is sent in one picture.
    #[serde(skip)]
    data_strip: Option<String>,
    example_before: String,
    /// What the judge reads, by category; under the empty name for a rubric without categories.
    texts: BTreeMap<String, String>,
    #[serde(skip)]
    hash: String,
}

impl Rubric {
    /// Its name in rows.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The shape of the question.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// BLAKE3 of everything that the rubric says, its text included; hexadecimal. Two rubrics with
    /// one hash ask the same.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The pictures, in the order in which they are shown.
    pub fn pictures(&self) -> &[PictureSpec] {
        &self.pictures
    }

    /// The criteria, in the order of the answer; for a category rubric the aspects of `category`,
    /// empty if it has no such category.
    pub fn criteria(&self, category: Option<&str>) -> &[Criterion] {
        if self.has_categories() {
            category.and_then(|name| self.categories.get(name)).map_or(&[], Vec::as_slice)
        } else {
            &self.criteria
        }
    }

    /// The categories of a category rubric, sorted.
    pub fn categories(&self) -> impl Iterator<Item = &str> {
        self.categories.keys().map(String::as_str)
    }

    /// Whether it shows the photo that objects were made from.
    pub fn shows_photo(&self) -> bool {
        let is_of_photo = |spec: &PictureSpec| {
            use Content::{Highlighted, PairBelowPhoto, Photo, Zoom, ZoomHighlighted};
            let content = spec.content;
            matches!(content, PairBelowPhoto | Photo | Highlighted | ZoomHighlighted | Zoom)
        };
        self.pictures.iter().any(is_of_photo)
    }

    /// Whether its question, or the one that lists features, quotes the text prompt.
    pub fn quotes_prompt(&self) -> bool {
        self.data.contains("{prompt}") || self.lister.as_ref().is_some_and(|it| it.quotes_prompt())
    }

    /// The digits of a pairwise answer.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The scale of a score or of an aspect.
    pub fn scale(&self) -> Scale {
        self.scale
    }
}
