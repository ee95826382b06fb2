//! The columns of a run's rows, once for CSV, Parquet and Python, in the order of a record's
//! fields. `docs/ROWS.md` says what each means.

use super::table::Cell::{
    Count, Json, List, MaybeCount, MaybeNumber, MaybeText, Number, Text, Time, Tokens,
};
use super::table::{Column, Unit, data};
use crate::judge::PhotoKey;
use crate::store::Record;
use serde_json::json;

/// New columns come at the end.
pub const RECORD_COLUMNS: [Column<Record>; 48] = [
    data(&["id"], Text(|r| &r.id)),
    data(&["rubric"], Text(|r| &r.rubric)),
    data(&["rubric_hash"], Text(|r| &r.rubric_hash)),
    data(&["category"], MaybeText(|r| r.category.as_deref())),
    data(&["prompt"], MaybeText(|r| r.prompt.as_deref())),
    data(&["a_path"], Text(|r| &r.a.path)),
    data(&["a_hash"], Text(|r| &r.a.hash)),
    data(&["a_method"], Text(|r| &r.a.method)),
    data(&["b_path"], MaybeText(|r| Some(&r.b.as_ref()?.path))),
    data(&["b_hash"], MaybeText(|r| Some(&r.b.as_ref()?.hash))),
    data(&["b_method"], MaybeText(|r| Some(&r.b.as_ref()?.method))),
    data(&["order"], Text(|r| r.order.as_str())),
    data(&["sample"], Count(|r| r.sample as usize)),
    data(&["judge"], Text(|r| r.judge.as_str())),
    data(&["model_reported"], MaybeText(|r| r.model_reported.as_deref())),
    data(&["protocol"], MaybeText(|r| r.protocol.as_deref())),
    data(&["pictures"], List(|r| &r.pictures)),
    data(&["outcome"], Text(|r| r.outcome.name())),
    data(&["reason"], MaybeText(|r| r.outcome.reason())),
    data(&["verdict"], Json(|r| r.verdict().map(|it| json!(it)))),
    data(&["raw"], MaybeText(|r| r.raw.as_deref())),
    data(&["attempts"], Count(|r| r.attempts as usize)),
    data(&["input_tokens"], Tokens(|r| r.input_tokens)),
    data(&["output_tokens"], Tokens(|r| r.output_tokens)),
    data(&["cost_usd"], MaybeNumber(Unit::Dollars, |r| r.cost_usd)),
    data(&["seconds"], Number(Unit::Seconds, |r| r.seconds)),
    data(&["asked_at"], Time(|r| &r.asked_at)),
    data(&["view_px"], MaybeCount(|r| Some(r.view_px?.into()))),
    data(&["probabilities"], Json(|r| r.probabilities.clone())),
    data(&["reused_from"], MaybeText(|r| r.reused_from.as_deref())),
    data(&["prompt_id"], MaybeText(|r| r.prompt_id.as_deref())),
    data(&["seed"], MaybeCount(|r| Some(r.seed?.into()))),
    data(&["ending"], MaybeText(|r| r.ending.as_deref())),
    data(&["reasoning"], MaybeText(|r| r.reasoning.as_deref())),
    data(&["reasoning_tokens"], Tokens(|r| r.reasoning_tokens)),
    data(&["images"], List(|r| of_photo(r, |it| &it.images))),
    data(&["masks"], List(|r| of_photo(r, |it| &it.masks))),
    data(&["photo_sides"], List(|r| of_photo(r, |it| &it.photo_sides))),
    data(&["photo_style"], MaybeText(|r| Some(r.photo.as_ref()?.photo_style?.as_str()))),
    data(&["photos"], List(|r| &r.photos)),
    data(&["a_yaw_degrees"], MaybeCount(|r| Some(r.fronts.a_yaw_degrees?.into()))),
    data(&["a_yaw_margin"], MaybeNumber(Unit::Significant, |r| r.fronts.a_yaw_margin)),
    data(&["b_yaw_degrees"], MaybeCount(|r| Some(r.fronts.b_yaw_degrees?.into()))),
    data(&["b_yaw_margin"], MaybeNumber(Unit::Significant, |r| r.fronts.b_yaw_margin)),
    data(&["not_rated"], MaybeText(|r| r.not_rated)),
    data(&["answers"], MaybeText(|r| r.answers.as_deref())),
    data(&["restated"], Json(|r| Some(json!(r.restated)))),
    data(&["restatement"], MaybeText(|r| r.restatement.as_deref())),
];

fn of_photo(record: &Record, list: fn(&PhotoKey) -> &Vec<String>) -> &[String] {
    record.photo.as_ref().map_or(&[], |photo| list(photo))
}
