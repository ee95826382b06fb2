//! OpenAI's chat route, as OpenAI and many other servers speak it.
//!
//! `max_completion_tokens` limits reply and reasoning together; the older `max_tokens` is refused
//! by reasoning models, and servers that know only that one ignore ours. No seed: it is deprecated.

use super::super::error_body::error_inside;
use super::super::logprobs::Token;
use super::call::{self, Call, SCHEMA_NAME, TOP_LOGPROBS, missing, not_a_route, string};
use super::message::{Piece, data_uri, turn_list_with_texts};
use super::said::Said;
use crate::judge::Reply;
use crate::judge::failure::Failure;
use crate::rubric::Finish;
use serde_json::{Value, json};

pub(super) fn request(call: &Call<'_>) -> Value {
    let piece = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::Picture(picture) => {
            let mut image = json!({"url": data_uri(picture)});
            if let Some(detail) = &call.facts.detail {
                image["detail"] = json!(detail);
            }
            json!({"type": "image_url", "image_url": image})
        }
    };
    let mut body = json!({
        "model": call.model,
        "messages": turn_list_with_texts(call, piece),
        "max_completion_tokens": call.output_tokens_max,
    });
    if let Some(schema) = call.schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": SCHEMA_NAME, "strict": true, "schema": schema},
        });
    }
    if let Some(temperature) = call.temperature {
        body["temperature"] = json!(temperature);
    }
    if call.wants_logprobs {
        body["logprobs"] = json!(true);
        body["top_logprobs"] = json!(TOP_LOGPROBS);
    }
    body
}

pub(super) fn read(json: &Value) -> Result<Reply, Failure> {
    let choices = json.get("choices").and_then(Value::as_array);
    let first = |choices: &'_ Vec<Value>| choices.iter().position(|it| it["index"] == 0);
    let choice = choices.and_then(|choices| choices.get(first(choices).unwrap_or(0)));
    if let Some(failure) = choice.and_then(error_inside) {
        return Err(failure);
    }
    let choice = choice.ok_or_else(|| missing(json, "choices"))?;
    let message =
        choice.get("message").ok_or_else(|| not_a_route("its choice holds no message"))?;
    let refusal = message.get("refusal").and_then(string).filter(|refusal| !refusal.is_empty());
    let finish = match &refusal {
        Some(_) => Finish::Refusal,
        None => Finish::of(choice.get("finish_reason").and_then(Value::as_str)),
    };
    let mut said = Said::default();
    for key in ["reasoning", "reasoning_content", "thinking", "reasoning_details"] {
        message.get(key).into_iter().for_each(|value| said.add_reasoning(value));
    }
    message.get("content").into_iter().for_each(|value| said.add(value));
    for calls in [message.get("tool_calls"), message.get("function_call")] {
        calls.into_iter().for_each(|value| said.add_tool_call(value));
    }
    Ok(Reply {
        text: refusal.unwrap_or_else(|| said.text()),
        reasoning: said.reasoning(),
        model_reported: json.get("model").and_then(string),
        fingerprint: json.get("system_fingerprint").and_then(string),
        finish,
        tokens: choice
            .pointer("/logprobs/content")
            .and_then(Value::as_array)
            .map(|tokens| openai_tokens(tokens))
            .unwrap_or_default(),
        ..Reply::default()
    })
}

/// Tokens as both of OpenAI's routes spell them.
pub(super) fn openai_tokens(tokens: &[Value]) -> Vec<Token> {
    let one = |token: &Value| call::token(token, token.get("top_logprobs"), "logprob");
    tokens.iter().map(one).collect()
}
