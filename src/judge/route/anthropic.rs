//! Anthropic's messages route. Reports no log-probabilities; takes no seed or temperature.

use super::call::{Call, missing, string};
use super::message::{Piece, base64, turn_list};
use super::said::Said;
use crate::judge::Reply;
use crate::judge::failure::Failure;
use crate::rubric::Finish;
use serde_json::{Value, json};

pub(super) fn request(call: &Call<'_>) -> Value {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::Picture(picture) => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": picture.media_type, "data": base64(picture)},
        }),
    };
    let mut body = json!({
        "model": call.model,
        "max_tokens": call.output_tokens_max,
        "messages": turn_list(call, ("assistant", "content"), piece),
    });
    if let Some(schema) = call.schema {
        let schema = without_bounds(schema.clone());
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body
}

/// The route refuses bounds of numbers; the answer is checked here all the same.
fn without_bounds(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(map) => {
            map.retain(|key, value| {
                !(matches!(key.as_str(), "minimum" | "maximum") && value.is_number())
            });
            for value in map.values_mut() {
                *value = without_bounds(value.take());
            }
        }
        Value::Array(items) => {
            for value in items {
                *value = without_bounds(value.take());
            }
        }
        _ => {}
    }
    schema
}

pub(super) fn read(json: &Value) -> Result<Reply, Failure> {
    let content =
        json.get("content").and_then(Value::as_array).ok_or_else(|| missing(json, "content"))?;
    let mut said = Said::default();
    content.iter().for_each(|block| said.add(block));
    let finish = Finish::of(json.get("stop_reason").and_then(Value::as_str));
    Ok(Reply {
        text: said.text(),
        reasoning: said.reasoning(),
        model_reported: json.get("model").and_then(string),
        finish,
        ..Reply::default()
    })
}
