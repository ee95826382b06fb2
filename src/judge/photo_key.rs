//! The identity of the photos that a question shows.

use crate::sheet::PhotoStyle;
use serde::{Deserialize, Serialize};

/// In [`PhotoKey::masks`]: the image has no mask of its own.
const NO_MASK: &str = "-";

/// What identifies the photos of a question. Its fields are columns of rows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhotoKey {
    /// BLAKE3 of each image's bytes, hexadecimal, in the order in which they are shown.
    pub images: Vec<String>,
    /// The same of their masks, `-` for an image without one; empty where none has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<String>,
    /// The names of several images, such as `front`; empty for one image.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub photo_sides: Vec<String>,
    /// How they are cropped and scaled; none where the question shows them whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub photo_style: Option<PhotoStyle>,
}

impl PhotoKey {
    /// Of images and their masks, both as hashes.
    pub fn new(hashes: Vec<(String, Option<String>)>, sides: Vec<String>) -> Self {
        let (images, masks): (_, Vec<Option<String>>) = hashes.into_iter().unzip();
        let masks = if masks.iter().any(Option::is_some) {
            (masks.into_iter()).map(|mask| mask.unwrap_or_else(|| NO_MASK.to_owned())).collect()
        } else {
            Vec::new()
        };
        Self { images, masks, photo_sides: sides, photo_style: None }
    }

    /// As JSON, the same for equal keys.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts are JSON")
    }

    /// Reads what [`to_text`](Self::to_text) writes; none for anything else.
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The first image as a reconstruction shows it: whole.
    #[must_use]
    pub fn first_whole(&self) -> Self {
        let first = |list: &[String]| list.first().cloned().into_iter().collect();
        let masks: Vec<String> = first(&self.masks);
        Self {
            images: first(&self.images),
            masks: masks.into_iter().filter(|mask| mask != NO_MASK).collect(),
            photo_sides: Vec::new(),
            photo_style: None,
        }
    }

    /// Whether a question identified by `shown` shows these photos, all or the first one whole.
    pub fn is_shown_by(&self, shown: &Self) -> bool {
        shown == self || *shown == self.first_whole()
    }
}
