//! Gemini's generateContent route. The whole request may have 20 MB.

use super::super::logprobs::Token;
use super::call::{self, Call, TOP_LOGPROBS, missing, string};
use super::message::{Piece, base64, turn_list};
use super::said::Said;
use crate::judge::Reply;
use crate::judge::failure::Failure;
use crate::rubric::Finish;
use serde_json::{Value, json};

pub(super) fn request(call: &Call<'_>) -> Value {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => json!({"text": text}),
        Piece::Picture(picture) => {
            json!({"inlineData": {"mimeType": picture.media_type, "data": base64(picture)}})
        }
    };
    let contents = turn_list(call, ("model", "parts"), piece);
    let mut config = json!({"maxOutputTokens": call.output_tokens_max});
    if let Some(detail) = &call.facts.detail {
        config["mediaResolution"] = json!(detail);
    }
    if let Some(schema) = call.schema {
        config["responseMimeType"] = json!("application/json");
        config["responseJsonSchema"] = schema.clone();
    }
    if let Some(temperature) = call.temperature {
        config["temperature"] = json!(temperature);
    }
    if call.wants_logprobs {
        config["responseLogprobs"] = json!(true);
        config["logprobs"] = json!(TOP_LOGPROBS);
    }
    json!({"contents": contents, "generationConfig": config})
}

pub(super) fn read(json: &Value) -> Result<Reply, Failure> {
    let candidate = json.pointer("/candidates/0");
    let blocked = json.pointer("/promptFeedback/blockReason").and_then(Value::as_str);
    if candidate.is_none() && blocked.is_none() {
        return Err(missing(json, "candidates"));
    }
    let parts = candidate.and_then(|c| c.pointer("/content/parts")).and_then(Value::as_array);
    let mut said = Said::default();
    parts.into_iter().flatten().for_each(|part| said.add(part));
    let finish = match blocked {
        Some(_) => Finish::Refusal,
        None => Finish::of(candidate.and_then(|c| c.get("finishReason")?.as_str())),
    };
    let text = match blocked {
        Some(reason) if said.text().is_empty() => format!("blocked: {reason}"),
        _ => said.text(),
    };
    Ok(Reply {
        text,
        reasoning: said.reasoning(),
        model_reported: json.get("modelVersion").and_then(string),
        finish,
        tokens: candidate.and_then(|c| c.get("logprobsResult")).map(tokens).unwrap_or_default(),
        ..Reply::default()
    })
}

fn tokens(result: &Value) -> Vec<Token> {
    let chosen = result.get("chosenCandidates").and_then(Value::as_array);
    let top = |i: usize| result.get("topCandidates")?.get(i)?.get("candidates");
    let chosen = chosen.into_iter().flatten().enumerate();
    chosen.map(|(i, token)| call::token(token, top(i), "logProbability")).collect()
}
