//! The rows of a run: one object per question, as users' scripts read them.
//!
//! What a row says of several attempts: `outcome`, `reason`, `verdict`, `raw`, `model_reported` and `asked_at` are those of the attempt
//! with the verdict, else of the last one; `attempts` counts requests, and tokens, cost and seconds are their sums, failed ones included.
//! A sum is null where nothing is known; a cost also where the price of any reply is unknown.

use super::StoreError;
use rusqlite::Connection;
use serde::Serialize;

/// An asset in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RowAsset {
    /// As the user gave it.
    pub path: String,
    /// BLAKE3 of its content.
    pub hash: String,
    /// Who or what made it.
    pub method: String,
}

/// One question and how it ended. Serialises as one line of `export --format jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The question's key.
    pub id: String,
    /// The rubric's name.
    pub rubric: String,
    /// What the rubric asks, as a hash.
    pub rubric_hash: String,
    /// For the category rubric.
    pub category: Option<String>,
    /// The text prompt.
    pub prompt: Option<String>,
    /// The asset listed first.
    pub a: RowAsset,
    /// The asset listed second; absent for one-object rubrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<RowAsset>,
    /// `ab` or `ba`: who stood left.
    pub order: String,
    /// Counts from 0.
    pub sample: u32,
    /// Its spec.
    pub judge: String,
    /// The model as its server names it.
    pub model_reported: Option<String>,
    /// Hash of the render protocol.
    pub protocol: Option<String>,
    /// Hashes of the pictures, in the order in which they were shown, worked examples included.
    pub pictures: Vec<String>,
    /// How it ended.
    pub outcome: String,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// The verdict, turned back to the listed order.
    pub verdict: Option<serde_json::Value>,
    /// The raw reply.
    pub raw: Option<String>,
    /// Requests made.
    pub attempts: u32,
    /// Sum over the attempts.
    pub input_tokens: Option<u64>,
    /// Sum over the attempts.
    pub output_tokens: Option<u64>,
    /// Sum over the attempts, in US dollars.
    pub cost_usd: Option<f64>,
    /// Sum over the attempts.
    pub seconds: f64,
    /// RFC 3339, UTC.
    pub asked_at: String,
    /// Edge of the smallest view as the judge sees it.
    pub view_px: Option<u32>,
    /// A probability for each option of each criterion; absent unless log-probabilities were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probabilities: Option<serde_json::Value>,
    /// The question whose recorded reply this is; absent for one that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused_from: Option<String>,
}

const SELECT: &str = r#"
SELECT q.number, q.id, q.rubric, q.rubric_hash, q.category, q.prompt, a.path, a.hash, a.method, b.path, b.hash, b.method, q."order",
    q.sample, q.judge, t.model_reported, q.protocol, t.outcome, t.reason, t.verdict, t.raw, t.asked_at,
    (SELECT count(*) FROM attempts WHERE question = q.number AND outcome <> 'budget_stopped' AND reused_from IS NULL),
    (SELECT sum(input_tokens) FROM attempts WHERE question = q.number),
    (SELECT sum(output_tokens) FROM attempts WHERE question = q.number),
    (SELECT CASE WHEN count(raw) = count(cost_usd) THEN sum(cost_usd) END FROM attempts WHERE question = q.number),
    (SELECT total(seconds) FROM attempts WHERE question = q.number), q.view_px, t.probabilities, t.reused_from
FROM questions q
JOIN assets a ON a.id = q.a
LEFT JOIN assets b ON b.id = q.b
LEFT JOIN attempts t ON t.id =
    (SELECT id FROM attempts WHERE question = q.number ORDER BY outcome = 'verdict' DESC, id DESC LIMIT 1)
WHERE ?1 IS NULL OR q.id = ?1
ORDER BY q.number"#;

/// Hands every question with an outcome to `each`, and returns how many have none.
pub(super) fn walk<E: From<StoreError>>(
    connection: &Connection,
    failed: impl Fn(&rusqlite::Error) -> StoreError,
    id: Option<&str>,
    mut each: impl FnMut(Row) -> Result<(), E>,
) -> Result<usize, E> {
    let failed = |e: rusqlite::Error| E::from(failed(&e));
    let mut pictures = connection
        .prepare_cached(
            "SELECT picture FROM parts WHERE question = ? AND picture IS NOT NULL ORDER BY place",
        )
        .map_err(failed)?;
    let mut statement = connection.prepare_cached(SELECT).map_err(failed)?;
    let mut found = statement.query([id]).map_err(failed)?;
    let mut without_outcome = 0;
    while let Some(row) = found.next().map_err(failed)? {
        let number: i64 = row.get(0).map_err(failed)?;
        let shown = pictures
            .query_map([number], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed)?;
        match read(row, shown).map_err(failed)? {
            Some(row) => each(row)?,
            None => without_outcome += 1,
        }
    }
    Ok(without_outcome)
}

fn read(row: &rusqlite::Row<'_>, pictures: Vec<String>) -> rusqlite::Result<Option<Row>> {
    let Some(outcome) = row.get(17)? else {
        return Ok(None);
    };
    let asset = |first: usize| -> rusqlite::Result<Option<RowAsset>> {
        let Some(path) = row.get(first)? else {
            return Ok(None);
        };
        Ok(Some(RowAsset {
            path,
            hash: row.get(first + 1)?,
            method: row.get(first + 2)?,
        }))
    };
    let verdict: Option<String> = row.get(19)?;
    let verdict = verdict.map(|text| serde_json::from_str(&text)).transpose();
    let count = |column: usize| -> rusqlite::Result<Option<u64>> {
        let sum: Option<i64> = row.get(column)?;
        Ok(sum.and_then(|sum| u64::try_from(sum).ok()))
    };
    Ok(Some(Row {
        id: row.get(1)?,
        rubric: row.get(2)?,
        rubric_hash: row.get(3)?,
        category: row.get(4)?,
        prompt: row.get(5)?,
        a: asset(6)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?,
        b: asset(9)?,
        order: row.get(12)?,
        sample: row.get(13)?,
        judge: row.get(14)?,
        model_reported: row.get(15)?,
        protocol: row.get(16)?,
        pictures,
        outcome,
        reason: row.get(18)?,
        verdict: verdict.map_err(|e| {
            rusqlite::Error::FromSqlConversionFailure(19, rusqlite::types::Type::Text, Box::new(e))
        })?,
        raw: row.get(20)?,
        attempts: row.get(22)?,
        input_tokens: count(23)?,
        output_tokens: count(24)?,
        cost_usd: row.get(25)?,
        seconds: row.get(26)?,
        asked_at: row.get(21)?,
        view_px: row.get(27)?,
        probabilities: row
            .get::<_, Option<String>>(28)?
            .and_then(|text| serde_json::from_str(&text).ok()),
        reused_from: row.get(29)?,
    }))
}
