//! Questions as they are kept: what one is looked up by in columns, all else in its body.

use super::clock::rfc3339;
use super::document::{keep, keep_body, sum_of, to_body};
use super::folder::SHEETS_FOLDER;
use super::request::Request;
use crate::judge::{Asset, Part, PhotoKey, Picture};
use crate::rubric::Order;
use rusqlite::{Connection, Row, params};
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// The row of a question.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    #[serde(skip)]
    pub number: i64,
    #[serde(skip)]
    pub id: String,
    #[serde(skip)]
    pub request: String,
    #[serde(skip)]
    pub planned: Option<String>,
    #[serde(skip)]
    pub judge: String,
    #[serde(skip)]
    pub base_url: Option<String>,
    #[serde(skip)]
    pub settings: String,
    pub rubric: String,
    pub rubric_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    pub a: Asset,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Asset>,
    pub order: Order,
    pub sample: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// Edge of the smallest view as the judge sees it; none where no view is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_px: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub photo: Option<PhotoKey>,
    pub recorded_at: String,
    /// The message, in order; none of a vote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartKey>,
}

/// A part of a message, by the hash under which it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PartKey {
    Text(String),
    Picture(String),
    ExampleAnswer(String),
}

/// A picture as it is kept, under its hash.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptPicture {
    pub file: String,
    pub media_type: String,
    pub width_px: u32,
    pub height_px: u32,
    pub bytes: u64,
}

/// What [`Asked::read`] reads.
pub(super) const ASKED: &str =
    "number, id, request, planned, judge, base_url, settings, body, sum FROM questions";

impl Asked {
    fn of(request: &Request) -> Self {
        let question = &request.question;
        let parts = question.parts.iter().map(|part| match part {
            Part::Text(text) => PartKey::Text(text_key(text)),
            Part::Picture(picture) => PartKey::Picture(picture.hash.clone()),
            Part::ExampleAnswer(text) => PartKey::ExampleAnswer(text_key(text)),
        });
        Self {
            number: 0,
            id: request.id.clone(),
            request: request.content_hash.clone(),
            planned: request.plan_key.clone(),
            judge: request.judge.clone(),
            base_url: request.base_url.clone(),
            settings: request.settings.clone(),
            rubric: question.rubric.name().to_owned(),
            rubric_hash: question.rubric.hash().to_owned(),
            category: question.category.clone(),
            prompt: question.prompt.clone(),
            a: question.a.clone(),
            b: question.b.clone(),
            order: question.order,
            sample: request.sample,
            protocol: question.protocol.as_ref().map(|protocol| protocol.hash.clone()),
            view_px: question.view_px,
            photo: question.photo.clone(),
            recorded_at: rfc3339(SystemTime::now()),
            parts: parts.collect(),
        }
    }

    fn sum(&self, body: &str) -> i64 {
        let Self { id, request, planned, judge, base_url, settings, .. } = self;
        let (planned, base_url) = (planned.as_deref(), base_url.as_deref());
        let texts = [Some(&**id), Some(request), planned, Some(judge), base_url, Some(settings)];
        sum_of(texts.into_iter().chain([Some(body)]))
    }

    /// Writes a question unless its id is known; whether it was new.
    pub(super) fn insert(&self, t: &Connection) -> rusqlite::Result<bool> {
        let Self { id, request, planned, judge, base_url, settings, .. } = self;
        let body = to_body(self);
        let insert = "INSERT OR IGNORE INTO questions (id, request, planned, judge, base_url, settings, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        let sum = self.sum(&body);
        let values = params![id, request, planned, judge, base_url, settings, body, sum];
        Ok(t.prepare_cached(insert)?.execute(values)? == 1)
    }

    /// A row of [`ASKED`]; none where it is not what was written.
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Option<Self>> {
        let body = row.get_ref(7)?.as_str()?;
        let Ok(read) = serde_json::from_str::<Self>(body) else {
            return Ok(None);
        };
        let read = Self {
            number: row.get(0)?,
            id: row.get(1)?,
            request: row.get(2)?,
            planned: row.get(3)?,
            judge: row.get(4)?,
            base_url: row.get(5)?,
            settings: row.get(6)?,
            ..read
        };
        let kept: i64 = row.get(8)?;
        Ok((read.sum(body) == kept).then_some(read))
    }

    /// The tables and keys of all that it names.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parts = self.parts.iter().map(|part| match part {
            PartKey::Text(key) | PartKey::ExampleAnswer(key) => ("texts", &**key),
            PartKey::Picture(key) => ("pictures", &**key),
        });
        parts.chain(self.protocol.iter().map(|key| ("protocols", &**key)))
    }
}

/// Writes a request with its message.
pub(super) fn insert_request(t: &Connection, request: &Request) -> rusqlite::Result<()> {
    let question = &request.question;
    if !Asked::of(request).insert(t)? {
        return Ok(());
    }
    if let Some(protocol) = &question.protocol {
        keep_body(t, "protocols", &protocol.hash, &protocol.json)?;
    }
    for part in &question.parts {
        match part {
            Part::Picture(picture) => {
                let kept = KeptPicture {
                    file: sheet_file(picture),
                    media_type: picture.media_type.to_owned(),
                    width_px: picture.width_px,
                    height_px: picture.height_px,
                    bytes: picture.bytes.len() as u64,
                };
                keep(t, "pictures", &picture.hash, &kept)?;
            }
            Part::Text(text) | Part::ExampleAnswer(text) => {
                let key = text_key(text);
                let mut known = t.prepare_cached("SELECT 1 FROM texts WHERE key = ?")?;
                if !known.exists([&key])? {
                    keep(t, "texts", &key, text)?;
                }
            }
        }
    }
    Ok(())
}

fn text_key(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// The path of a picture in its run.
pub(super) fn sheet_file(picture: &Picture) -> String {
    format!("{SHEETS_FOLDER}/{}.{}", picture.hash, picture.extension())
}
