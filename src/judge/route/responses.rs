//! OpenAI's responses route. Nothing is left on the server (`store: false`).

use super::super::visible::one_line;
use super::call::{Call, SCHEMA_NAME, TOP_LOGPROBS, missing, string};
use super::message::{Piece, data_uri, turn_list_with_texts};
use super::said::Said;
use crate::judge::Reply;
use crate::judge::failure::Failure;
use crate::rubric::Finish;
use serde_json::{Value, json};

pub(super) fn request(call: &Call<'_>) -> Value {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => json!({"type": "input_text", "text": text}),
        Piece::Picture(picture) => json!({
            "type": "input_image",
            "image_url": data_uri(picture),
            "detail": call.facts.detail.as_deref().unwrap_or("auto"),
        }),
    };
    let mut body = json!({
        "model": call.model,
        "input": turn_list_with_texts(call, piece),
        "max_output_tokens": call.output_tokens_max,
        "store": false,
    });
    if let Some(schema) = call.schema {
        body["text"] = json!({
            "format": {"type": "json_schema", "name": SCHEMA_NAME, "strict": true, "schema": schema},
        });
    }
    if let Some(temperature) = call.temperature {
        body["temperature"] = json!(temperature);
    }
    if call.wants_logprobs {
        body["include"] = json!(["message.output_text.logprobs"]);
        body["top_logprobs"] = json!(TOP_LOGPROBS);
    }
    body
}

pub(super) fn read(json: &Value) -> Result<Reply, Failure> {
    let status = json.get("status").and_then(Value::as_str);
    if matches!(status, Some("failed" | "cancelled")) {
        return Err(Failure::ErrorInside {
            status: None,
            code: None,
            message: format!("the response is {}, without a reason", status.unwrap_or_default()),
        });
    }
    let output =
        json.get("output").and_then(Value::as_array).ok_or_else(|| missing(json, "output"))?;
    let of = |kind: &'static str, key: &'static str| {
        let parts = output
            .iter()
            .filter(|item| item["type"] == "message")
            .filter_map(|item| item.get("content").and_then(Value::as_array))
            .flatten();
        parts.filter(move |part| part["type"] == kind).filter_map(move |part| part.get(key))
    };
    let mut said = Said::default();
    for item in output {
        match item["type"].as_str() {
            // What a model says on its way, with the answer in a message of its own.
            Some("message") if item["phase"] == "commentary" => said.add_reasoning(item),
            Some("message") => {
                item.get("content").into_iter().for_each(|content| said.add(content))
            }
            Some("reasoning") => said.add_reasoning(item),
            _ => said.add_tool_call(item),
        }
    }
    let refusal: String = of("refusal", "refusal").filter_map(Value::as_str).collect();
    let cut = json.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let is_incomplete = |item: &Value| item["type"] == "message" && item["status"] == "incomplete";
    let status = if output.iter().any(is_incomplete) { Some("incomplete") } else { status };
    let finish = match (status, cut) {
        _ if !refusal.is_empty() => Finish::Refusal,
        (_, Some(reason)) => match Finish::of(Some(reason)) {
            // An incomplete reply has a reason.
            Finish::Stop => Finish::Other(one_line(reason)),
            finish => finish,
        },
        (status, None) => Finish::of(status),
    };
    let tokens = of("output_text", "logprobs")
        .filter_map(Value::as_array)
        .flat_map(|tokens| super::chat::openai_tokens(tokens))
        .collect();
    Ok(Reply {
        text: if refusal.is_empty() { said.text() } else { refusal },
        reasoning: said.reasoning(),
        model_reported: json.get("model").and_then(string),
        finish,
        tokens,
        ..Reply::default()
    })
}
