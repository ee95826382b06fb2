//! Anthropic's message batches: one request holds them all, and the results are lines.

use super::parts::{
    BatchClient, BatchEnd, BatchReply, BatchState, CLOCKS_APART, LostBatch, PAGES_MAX, checked,
    count_of, enclosed, text_of,
};
use crate::judge::error::Failure;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::SystemTime;

pub(super) fn line(key: &str, body: Value) -> Value {
    json!({"custom_id": key, "params": body})
}

pub(super) async fn submit(client: &BatchClient<'_>, lines: Vec<u8>) -> Result<String, Failure> {
    let url = format!("{}/messages/batches", client.base_url);
    let body = enclosed("{\"requests\":[", &lines, "]}");
    let batch = client.transport.post_json(&url, body).await?;
    Ok(text_of(&batch, "id")?.to_owned())
}

/// The oldest batch of that size since that time that is nobody else's.
pub(super) async fn find(
    client: &BatchClient<'_>,
    lost: &LostBatch<'_>,
) -> Result<Option<String>, Failure> {
    let mut after = String::new();
    let mut oldest = None;
    for _ in 0..PAGES_MAX {
        let url = format!("{}/messages/batches?limit=100{after}", client.base_url);
        let page = client.transport.get(&url).await?;
        let batches = page["data"].as_array().map_or(&[][..], Vec::as_slice);
        for batch in batches {
            let name = text_of(batch, "id")?;
            let is_known = lost.known.iter().any(|known| known == name);
            let since = lost.sealed_at - CLOCKS_APART;
            let is_since = created_at(batch).is_none_or(|created| created >= since);
            if !is_known && is_since && num_requests(batch) == lost.num_requests as u64 {
                oldest = Some(name.to_owned());
            }
        }
        match page["last_id"].as_str() {
            Some(last) if page["has_more"] == true => {
                after = format!("&after_id={}", checked(last)?);
            }
            _ => break,
        }
    }
    Ok(oldest)
}

fn created_at(batch: &Value) -> Option<SystemTime> {
    crate::judge::quota::rfc3339(batch["created_at"].as_str()?)
}

const COUNTS: [&str; 5] = ["processing", "succeeded", "errored", "canceled", "expired"];

fn num_requests(batch: &Value) -> u64 {
    COUNTS
        .iter()
        .map(|key| count_of(&batch["request_counts"], key))
        .sum()
}

pub(super) async fn poll(client: &BatchClient<'_>, name: &str) -> Result<BatchState, Failure> {
    let url = format!("{}/messages/batches/{name}", client.base_url);
    let batch = client.transport.get(&url).await?;
    if text_of(&batch, "processing_status")? == "ended" {
        return Ok(BatchState::Ended(BatchEnd(batch)));
    }
    let open = count_of(&batch["request_counts"], "processing");
    Ok(BatchState::Working {
        done: num_requests(&batch) - open,
    })
}

/// The address is our own: the key goes nowhere that a reply names.
pub(super) async fn replies(
    client: &BatchClient<'_>,
    name: &str,
) -> Result<HashMap<String, BatchReply>, Failure> {
    let url = format!("{}/messages/batches/{name}/results", client.base_url);
    let mut said = HashMap::new();
    let each = |line: Value| {
        if let Some(key) = line["custom_id"].as_str() {
            said.insert(key.to_owned(), read(&line["result"]));
        }
    };
    client.transport.get_lines(&url, each).await?;
    Ok(said)
}

fn read(result: &Value) -> BatchReply {
    match result["type"].as_str() {
        Some("succeeded") => BatchReply::Body {
            status: 200,
            body: result["message"].clone(),
        },
        Some("expired" | "canceled") => BatchReply::Expired,
        _ => BatchReply::Body {
            status: status_of(result["error"]["error"]["type"].as_str()),
            body: result["error"].clone(),
        },
    }
}

/// The status that an error of that name comes with outside a batch.
fn status_of(kind: Option<&str>) -> u16 {
    match kind {
        Some("invalid_request_error") => 400,
        Some("authentication_error") => 401,
        Some("billing_error") => 402,
        Some("permission_error") => 403,
        Some("not_found_error") => 404,
        Some("request_too_large") => 413,
        Some("rate_limit_error") => 429,
        Some("timeout_error") => 504,
        Some("overloaded_error") => 529,
        _ => 500,
    }
}
