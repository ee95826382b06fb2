//! How the pictures of a pair are sent: one sheet of both objects, one picture of each, or one of
//! each view; or the sheet below the photo.

use super::{Content, OnlyView, PictureSpec, Rubric};
use crate::error::Error;
use crate::render::Channel;
use serde::{Deserialize, Serialize};

/// How the pictures of a pair are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Both objects in one picture
    #[default]
    Sheet,
    /// One picture of each object
    Object,
    /// One picture of each view
    Separate,
    /// One picture in all, with the photo in a row above both objects
    Strip,
}

impl Rubric {
    /// The same rubric with its pair sheets in that form, and the form's words. Its hash differs.
    ///
    /// # Errors
    /// A rubric without the pictures, or without words for it.
    pub fn with_form(mut self, form: Form) -> Result<Self, Error> {
        if form == Form::Sheet {
            return Ok(self);
        }
        let has = |content| self.pictures.iter().any(|spec| spec.content == content);
        let (needs, data, is_fit) = match form {
            Form::Strip => ("data_strip", &self.data_strip, has(Content::Photo)),
            _ => ("data_apart", &self.data_apart, true),
        };
        let Some(data) = data.clone().filter(|_| is_fit && has(Content::PairSheet)) else {
            return Err(Error::rubric(format!("the rubric {:?} cannot send its pictures in that form (it needs a pair sheet and `{needs}`); send one sheet", self.name)).option("pictures"));
        };
        self.data = data;
        self.pictures = self
            .pictures
            .iter()
            .flat_map(|spec| match (spec.content, form) {
                (Content::PairSheet, Form::Object) => objects(spec),
                (Content::PairSheet, Form::Separate) => views(spec),
                (Content::PairSheet, Form::Strip) => vec![PictureSpec {
                    content: Content::PairBelowPhoto,
                    label: "The photo, and below it both objects:".to_owned(),
                    ..spec.clone()
                }],
                (Content::Photo, Form::Strip) => Vec::new(),
                _ => vec![spec.clone()],
            })
            .collect();
        Ok(self.hashed())
    }
}

const SIDES: [(Content, &str, &str); 2] = [
    (Content::Left, "left", "Object 1, the left one"),
    (Content::Right, "right", "Object 2, the right one"),
];

fn objects(spec: &PictureSpec) -> Vec<PictureSpec> {
    let each = SIDES.iter().map(|(content, id, name)| PictureSpec {
        id: format!("{}_{id}", spec.id),
        content: *content,
        label: format!("{name}:"),
        ..spec.clone()
    });
    each.collect()
}

fn views(spec: &PictureSpec) -> Vec<PictureSpec> {
    let count = spec.views.unwrap_or(1);
    let mut found = Vec::new();
    for (content, id, name) in SIDES {
        for view in 0..count {
            for &channel in &spec.channels {
                found.push(PictureSpec {
                    id: format!("{}_{id}_{view}_{}", spec.id, word(channel)),
                    content,
                    label: format!("{name}, view {} of {count}, {}:", view + 1, title(channel)),
                    only: Some(OnlyView { view, channel }),
                    ..spec.clone()
                });
            }
        }
    }
    found
}

fn word(channel: Channel) -> String {
    format!("{channel:?}").to_lowercase()
}

fn title(channel: Channel) -> String {
    match channel {
        Channel::Rgb => "colour".to_owned(),
        Channel::Normal => "normal map".to_owned(),
        other => word(other),
    }
}
