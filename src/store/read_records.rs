//! Rows of the database → [`Record`]s, each value parsed once, by the name of its column.

use super::{Rater, Record, StoreError};
use crate::judge::Asset;
use crate::rubric::{Order, Outcome};
use rusqlite::Error::FromSqlConversionFailure;
use rusqlite::types::{FromSql, Type};
use rusqlite::{Connection, Row, Statement};

const SELECT: &str = r#"
SELECT q.number, q.id, q.rubric, q.rubric_hash, q.category, q.prompt, a.path AS a_path, a.hash AS a_hash, a.method AS a_method,
    b.path AS b_path, b.hash AS b_hash, b.method AS b_method, q."order", q.sample, q.judge, t.model_reported, q.protocol, t.outcome,
    t.reason, t.verdict, t.raw, t.asked_at,
    (SELECT count(*) FROM attempts WHERE question = q.number AND outcome <> 'budget_stopped' AND reused_from IS NULL) AS attempts,
    (SELECT sum(input_tokens) FROM attempts WHERE question = q.number) AS input_tokens,
    (SELECT sum(output_tokens) FROM attempts WHERE question = q.number) AS output_tokens,
    (SELECT CASE WHEN count(raw) = count(cost_usd) THEN sum(cost_usd) END FROM attempts WHERE question = q.number) AS cost_usd,
    (SELECT total(seconds) FROM attempts WHERE question = q.number) AS seconds, q.view_px, t.probabilities, t.reused_from
FROM questions q
JOIN assets a ON a.id = q.a
LEFT JOIN assets b ON b.id = q.b
LEFT JOIN attempts t ON t.id =
    (SELECT id FROM attempts WHERE question = q.number ORDER BY outcome = 'verdict' DESC, id DESC LIMIT 1)
WHERE ?1 IS NULL OR q.id = ?1
ORDER BY q.number"#;

/// Hands every request with an outcome to `each`, and returns how many have none.
pub(super) fn walk<E: From<StoreError>>(
    connection: &Connection,
    failed: impl Fn(&rusqlite::Error) -> StoreError,
    id: Option<&str>,
    mut each: impl FnMut(Record) -> Result<(), E>,
) -> Result<usize, E> {
    let failed = |e: rusqlite::Error| E::from(failed(&e));
    let mut pictures = connection
        .prepare_cached(
            "SELECT picture FROM parts WHERE question = ? AND picture IS NOT NULL ORDER BY place",
        )
        .map_err(failed)?;
    let mut statement = connection.prepare_cached(SELECT).map_err(failed)?;
    let columns = Columns::of(&statement);
    let mut found = statement.query([id]).map_err(failed)?;
    let mut without_outcome = 0;
    while let Some(row) = found.next().map_err(failed)? {
        let cells = Cells {
            row,
            columns: &columns,
        };
        let number: i64 = cells.get("number").map_err(failed)?;
        let shown = pictures
            .query_map([number], |row| row.get(0))
            .and_then(Iterator::collect)
            .map_err(failed)?;
        match read(&cells, shown).map_err(failed)? {
            Some(record) => each(record)?,
            None => without_outcome += 1,
        }
    }
    Ok(without_outcome)
}

fn read(cells: &Cells<'_>, pictures: Vec<String>) -> rusqlite::Result<Option<Record>> {
    let Some(outcome) = cells.get::<Option<String>>("outcome")? else {
        return Ok(None);
    };
    let reason: Option<String> = cells.get("reason")?;
    let verdict = cells.json("verdict")?;
    let outcome = Outcome::from_parts(&outcome, reason, verdict.as_ref());
    let order: String = cells.get("order")?;
    let asset = |path: &'static str, hash, method| -> rusqlite::Result<Option<Asset>> {
        let Some(path) = cells.get(path)? else {
            return Ok(None);
        };
        Ok(Some(Asset {
            path,
            hash: cells.get(hash)?,
            method: cells.get(method)?,
        }))
    };
    let count = |name| -> rusqlite::Result<Option<u64>> {
        let sum: Option<i64> = cells.get(name)?;
        Ok(sum.and_then(|sum| u64::try_from(sum).ok()))
    };
    Ok(Some(Record {
        id: cells.get("id")?,
        rubric: cells.get("rubric")?,
        rubric_hash: cells.get("rubric_hash")?,
        category: cells.get("category")?,
        prompt: cells.get("prompt")?,
        a: asset("a_path", "a_hash", "a_method")?.ok_or(rusqlite::Error::QueryReturnedNoRows)?,
        b: asset("b_path", "b_hash", "b_method")?,
        order: Order::named(&order).ok_or(rusqlite::Error::InvalidQuery)?,
        sample: cells.get("sample")?,
        judge: Rater::named(cells.get::<String>("judge")?),
        model_reported: cells.get("model_reported")?,
        protocol: cells.get("protocol")?,
        pictures,
        outcome: outcome.map_err(|e| FromSqlConversionFailure(0, Type::Text, Box::new(e)))?,
        raw: cells.get("raw")?,
        attempts: cells.get("attempts")?,
        input_tokens: count("input_tokens")?,
        output_tokens: count("output_tokens")?,
        cost_usd: cells.get("cost_usd")?,
        seconds: cells.get("seconds")?,
        asked_at: cells.get("asked_at")?,
        view_px: cells.get("view_px")?,
        // Log-probabilities are an extra: what cannot be read is as good as not asked for.
        probabilities: cells.json("probabilities").unwrap_or_default(),
        reused_from: cells.get("reused_from")?,
    }))
}

/// Names of the result's columns. Looked up once for each statement: a name is found by comparing all before it.
struct Columns(Vec<String>);

impl Columns {
    fn of(statement: &Statement<'_>) -> Self {
        Self(statement.column_names().map(str::to_owned).collect())
    }
}

/// One row, by column name.
struct Cells<'a> {
    row: &'a Row<'a>,
    columns: &'a Columns,
}

impl Cells<'_> {
    fn get<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        let place = self.columns.0.iter().position(|known| known == name);
        self.row
            .get(place.ok_or_else(|| rusqlite::Error::InvalidColumnName(name.to_owned()))?)
    }

    fn json(&self, name: &str) -> rusqlite::Result<Option<serde_json::Value>> {
        let text: Option<String> = self.get(name)?;
        let value = text.map(|text| serde_json::from_str(&text)).transpose();
        value.map_err(|e| FromSqlConversionFailure(0, Type::Text, Box::new(e)))
    }
}
