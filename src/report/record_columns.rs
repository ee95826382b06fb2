//! The columns of a run's rows, once for CSV, Parquet and Python, in the order of a record's fields. `docs/ROWS.md` says what each means.

use crate::judge::PhotoKey;
use crate::store::Record;
use serde_json::{Value, json};

/// A column: its name, and its cell in a row.
pub type RecordColumn = (&'static str, Cell);

/// The type of a column's cells, and how one is read.
#[derive(Debug, Clone, Copy)]
pub enum Cell {
    Text(fn(&Record) -> &str),
    MaybeText(fn(&Record) -> Option<&str>),
    Json(fn(&Record) -> Option<Value>),
    List(fn(&Record) -> &[String]),
    Count(fn(&Record) -> u32),
    MaybeCount(fn(&Record) -> Option<u32>),
    Tokens(fn(&Record) -> Option<u64>),
    Number(fn(&Record) -> f64),
    MaybeNumber(fn(&Record) -> Option<f64>),
    /// UTC, RFC 3339; empty where there is none.
    Time(fn(&Record) -> &str),
}

/// New columns come at the end.
pub const RECORD_COLUMNS: [RecordColumn; 40] = [
    ("id", Cell::Text(|r| &r.id)),
    ("rubric", Cell::Text(|r| &r.rubric)),
    ("rubric_hash", Cell::Text(|r| &r.rubric_hash)),
    ("category", Cell::MaybeText(|r| r.category.as_deref())),
    ("prompt", Cell::MaybeText(|r| r.prompt.as_deref())),
    ("a_path", Cell::Text(|r| &r.a.path)),
    ("a_hash", Cell::Text(|r| &r.a.hash)),
    ("a_method", Cell::Text(|r| &r.a.method)),
    ("b_path", Cell::MaybeText(|r| Some(&r.b.as_ref()?.path))),
    ("b_hash", Cell::MaybeText(|r| Some(&r.b.as_ref()?.hash))),
    ("b_method", Cell::MaybeText(|r| Some(&r.b.as_ref()?.method))),
    ("order", Cell::Text(|r| r.order.as_str())),
    ("sample", Cell::Count(|r| r.sample)),
    ("judge", Cell::Text(|r| r.judge.as_str())),
    ("model_reported", Cell::MaybeText(|r| r.model_reported.as_deref())),
    ("protocol", Cell::MaybeText(|r| r.protocol.as_deref())),
    ("pictures", Cell::List(|r| &r.pictures)),
    ("outcome", Cell::Text(|r| r.outcome.name())),
    ("reason", Cell::MaybeText(|r| r.outcome.reason())),
    ("verdict", Cell::Json(|r| r.verdict().map(|it| json!(it)))),
    ("raw", Cell::MaybeText(|r| r.raw.as_deref())),
    ("attempts", Cell::Count(|r| r.attempts)),
    ("input_tokens", Cell::Tokens(|r| r.input_tokens)),
    ("output_tokens", Cell::Tokens(|r| r.output_tokens)),
    ("cost_usd", Cell::MaybeNumber(|r| r.cost_usd)),
    ("seconds", Cell::Number(|r| r.seconds)),
    ("asked_at", Cell::Time(|r| &r.asked_at)),
    ("view_px", Cell::MaybeCount(|r| r.view_px)),
    ("probabilities", Cell::Json(|r| r.probabilities.clone())),
    ("reused_from", Cell::MaybeText(|r| r.reused_from.as_deref())),
    ("prompt_id", Cell::MaybeText(|r| r.prompt_id.as_deref())),
    ("seed", Cell::MaybeCount(|r| r.seed)),
    ("ending", Cell::MaybeText(|r| r.ending.as_deref())),
    ("reasoning", Cell::MaybeText(|r| r.reasoning.as_deref())),
    ("reasoning_tokens", Cell::Tokens(|r| r.reasoning_tokens)),
    ("images", Cell::List(|r| of_photo(r, |it| &it.images))),
    ("masks", Cell::List(|r| of_photo(r, |it| &it.masks))),
    ("photo_sides", Cell::List(|r| of_photo(r, |it| &it.photo_sides))),
    ("photo_style", Cell::MaybeText(|r| Some(r.photo.as_ref()?.photo_style?.as_str()))),
    ("photos", Cell::List(|r| &r.photos)),
];

fn of_photo(record: &Record, list: fn(&PhotoKey) -> &Vec<String>) -> &[String] {
    record.photo.as_ref().map_or(&[], |photo| list(photo))
}

impl Cell {
    /// As text: a list is space-separated, JSON as it is written, null is empty.
    pub(super) fn text(self, record: &Record) -> String {
        let number = |value: f64| match Value::from(value) {
            Value::Null => String::new(),
            value => value.to_string(),
        };
        let shown = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
        match self {
            Self::Text(of) | Self::Time(of) => of(record).to_owned(),
            Self::MaybeText(of) => of(record).unwrap_or_default().to_owned(),
            Self::Json(of) => of(record).map_or(String::new(), |value| value.to_string()),
            Self::List(of) => of(record).join(" "),
            Self::Count(of) => of(record).to_string(),
            Self::MaybeCount(of) => shown(of(record).map(u64::from)),
            Self::Tokens(of) => shown(of(record)),
            Self::Number(of) => number(of(record)),
            Self::MaybeNumber(of) => of(record).map_or(String::new(), number),
        }
    }
}
