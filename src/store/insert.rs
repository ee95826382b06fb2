//! Questions and attempts → rows with their checksums.

use super::attempt::{Attempt, Ending, answers};
use super::clock::rfc3339;
use super::database::to_i64;
use super::folder::SHEETS_FOLDER;
use super::request::Request;
use super::sum::sum_of;
use crate::judge::{Asset, Part, PhotoKey, Picture};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use std::time::SystemTime;

/// The columns of `questions` in checksum order; both assets, photo and pictures follow.
pub(super) struct QuestionRow<'a> {
    pub id: &'a str,
    pub request: &'a str,
    pub planned: Option<&'a str>,
    pub rubric: &'a str,
    pub rubric_hash: &'a str,
    pub category: Option<&'a str>,
    pub prompt: Option<&'a str>,
    pub order: &'a str,
    pub sample: u32,
    pub judge: &'a str,
    pub base_url: Option<&'a str>,
    pub settings: &'a str,
    pub protocol: Option<&'a str>,
    pub view_px: Option<u32>,
    pub a: &'a Asset,
    pub b: Option<&'a Asset>,
    pub photo: Option<&'a PhotoKey>,
    pub pictures: Vec<&'a str>,
}

/// Writes a question unless its id is known; whether it was new.
pub(super) fn insert_question(t: &Connection, row: &QuestionRow<'_>) -> rusqlite::Result<bool> {
    let text = |text: &str| Value::Text(text.to_owned());
    let maybe = |value: Option<&str>| value.map_or(Value::Null, text);
    let mut values = vec![
        text(row.id),
        text(row.request),
        maybe(row.planned),
        text(row.rubric),
        text(row.rubric_hash),
        maybe(row.category),
        maybe(row.prompt),
        text(row.order),
        row.sample.into(),
        text(row.judge),
        maybe(row.base_url),
        text(row.settings),
        maybe(row.protocol),
        row.view_px.into(),
        rfc3339(SystemTime::now()).into(),
    ];
    let side = |asset: Option<&Asset>| {
        let cell = |cell: fn(&Asset) -> &str| maybe(asset.map(cell));
        [cell(|a| &a.hash), cell(|a| &a.path), cell(|a| &a.method)]
    };
    let photo = row.photo.map(PhotoKey::to_text);
    let beside: Vec<Value> = side(Some(row.a))
        .into_iter()
        .chain(side(row.b))
        .chain([photo.clone().into()])
        .chain(row.pictures.iter().map(|picture| text(picture)))
        .collect();
    let sum = sum_of(values.iter().chain(&beside));
    values.push(insert_asset(t, row.a)?.into());
    values.push(row.b.map(|b| insert_asset(t, b)).transpose()?.into());
    let photo = photo.map(|photo| insert_text(t, &photo)).transpose()?;
    values.push(photo.into());
    values.push(sum.into());
    let count = t
        .prepare_cached(
            "INSERT OR IGNORE INTO questions (id, request, planned, rubric, rubric_hash, category, prompt, \"order\", sample, judge, base_url,
                settings, protocol, view_px, recorded_at, a, b, photo, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params_from_iter(values))?;
    Ok(count == 1)
}

/// Writes a request with its message.
pub(super) fn insert_request(t: &Connection, request: &Request) -> rusqlite::Result<()> {
    let question = &request.question;
    if let Some(protocol) = &question.protocol {
        t.prepare_cached("INSERT OR IGNORE INTO protocols (hash, record) VALUES (?, ?)")?
            .execute(params![protocol.hash, protocol.json])?;
    }
    let pictures = question.parts.iter().filter_map(|part| match part {
        Part::Picture(picture) => Some(picture.hash.as_str()),
        Part::Text(_) | Part::ExampleAnswer(_) => None,
    });
    let is_new = insert_question(
        t,
        &QuestionRow {
            id: &request.id,
            request: &request.content_hash,
            planned: request.plan_key.as_deref(),
            rubric: question.rubric.name(),
            rubric_hash: question.rubric.hash(),
            category: question.category.as_deref(),
            prompt: question.prompt.as_deref(),
            order: question.order.as_str(),
            sample: request.sample,
            judge: &request.judge,
            base_url: request.base_url.as_deref(),
            settings: &request.settings,
            protocol: question.protocol.as_ref().map(|p| p.hash.as_str()),
            view_px: question.view_px,
            a: &question.a,
            b: question.b.as_ref(),
            photo: question.photo.as_ref(),
            pictures: pictures.collect(),
        },
    )?;
    if !is_new {
        return Ok(());
    }
    let number = t.last_insert_rowid();
    for (place, part) in question.parts.iter().enumerate() {
        let (mut text, mut picture, mut answer) = (None, None, None);
        match part {
            Part::Text(words) => text = Some(insert_text(t, words)?),
            Part::Picture(shown) => picture = Some(insert_picture(t, shown)?),
            Part::ExampleAnswer(words) => answer = Some(insert_text(t, words)?),
        }
        t.prepare_cached("INSERT INTO parts (question, place, text, picture, example_answer) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![number, place as i64, text, picture, answer])?;
    }
    Ok(())
}

/// Writes an attempt at a recorded question.
pub(super) fn insert_attempt(
    t: &Connection,
    question: &str,
    asked_at: String,
    attempt: &Attempt,
) -> rusqlite::Result<()> {
    let reply = attempt.reply.as_ref();
    let verdict = attempt
        .outcome
        .verdict()
        .map(|verdict| serde_json::to_string(verdict).expect("a verdict is plain data"));
    let finish = reply.map(Ending::of);
    let count = |count: Option<u64>| Value::from(count.map(to_i64));
    let maybe = |text: Option<&str>| Value::from(text.map(str::to_owned));
    let mut values = vec![
        Value::Text(question.to_owned()),
        asked_at.into(),
        attempt.elapsed.as_secs_f64().into(),
        attempt.outcome.name().to_owned().into(),
        maybe(attempt.outcome.reason()),
        verdict.into(),
        maybe(reply.map(|r| r.text.as_str())),
        finish.into(),
        attempt.http_status.map(i64::from).into(),
        maybe(reply.and_then(|r| r.model_reported.as_deref())),
        maybe(reply.and_then(|r| r.fingerprint.as_deref())),
        count(reply.and_then(|r| r.usage.input_tokens)),
        count(reply.and_then(|r| r.usage.output_tokens)),
        count(reply.and_then(|r| r.usage.reasoning_tokens)),
        count(reply.and_then(|r| r.usage.cached_tokens)),
        reply.and_then(|r| r.cost_usd).into(),
        attempt.cost_usd_max.into(),
        attempt.probabilities.as_ref().map(serde_json::Value::to_string).into(),
        attempt.reused_from.clone().into(),
        maybe(attempt.by_schema.map(answers)),
        maybe(attempt.restates.as_deref()),
    ];
    values.push(sum_of(&values).into());
    // A number is never given twice, also where a vote took the place of the newest attempt, so
    // that the run's state is another one.
    let count = t
        .prepare_cached(
            "INSERT INTO attempts (id, question, asked_at, seconds, outcome, reason, verdict, raw, finish, http_status, model_reported,
                fingerprint, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cost_usd, cost_usd_max, probabilities,
                reused_from, answers, restates, sum)
             SELECT (SELECT coalesce(max(id), 0) + 1 FROM attempts), number, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
                ?16, ?17, ?18, ?19, ?20, ?21, ?22
             FROM questions WHERE id = ?1",
        )?
        .execute(params_from_iter(values))?;
    match count {
        1 => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}

fn insert_asset(t: &Connection, asset: &Asset) -> rusqlite::Result<i64> {
    let values = params![asset.hash, asset.path, asset.method];
    let known = t
        .prepare_cached("SELECT id FROM assets WHERE hash = ? AND path = ? AND method = ?")?
        .query_row(values, |row| row.get(0))
        .optional()?;
    match known {
        Some(id) => Ok(id),
        None => {
            t.prepare_cached("INSERT INTO assets (hash, path, method) VALUES (?, ?, ?)")?
                .execute(values)?;
            Ok(t.last_insert_rowid())
        }
    }
}

fn insert_text(t: &Connection, text: &str) -> rusqlite::Result<String> {
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    t.prepare_cached("INSERT OR IGNORE INTO texts (hash, text) VALUES (?, ?)")?
        .execute(params![hash, text])?;
    Ok(hash)
}

fn insert_picture<'a>(t: &Connection, picture: &'a Picture) -> rusqlite::Result<&'a str> {
    t.prepare_cached("INSERT OR IGNORE INTO pictures (hash, file, media_type, width_px, height_px, bytes) VALUES (?, ?, ?, ?, ?, ?)")?
        .execute(params![
            picture.hash,
            sheet_file(picture),
            picture.media_type,
            picture.width_px,
            picture.height_px,
            picture.bytes.len() as i64,
        ])?;
    Ok(&picture.hash)
}

/// The path of a picture in its run.
pub(super) fn sheet_file(picture: &Picture) -> String {
    format!("{SHEETS_FOLDER}/{}.{}", picture.hash, picture.extension())
}
