//! Anthropic's message batches: one request holds them all, and the results are lines.

use super::parts::{
    BatchClient, BatchEnd, BatchReply, BatchState, IsOurs, Page, batches_of, checked, count_of,
    enclosed, text_of,
};
use crate::judge::failure::Failure;
use serde_json::{Value, json};
use std::ops::ControlFlow;

pub(super) fn line(id: &str, body: Value) -> Value {
    json!({"custom_id": id, "params": body})
}

pub(super) async fn submit(client: &BatchClient<'_>, lines: Vec<u8>) -> Result<String, Failure> {
    let url = format!("{}/messages/batches", client.base_url);
    let body = enclosed("{\"requests\":[", &lines, "]}");
    let batch = client.transport.post_json(&url, body).await?;
    Ok(text_of(&batch, "id")?.to_owned())
}

/// Their batches bear no mark of ours, but their results bear the ids of our lines. A batch of
/// another size is another batch.
pub(super) async fn page(
    client: &BatchClient<'_>,
    num_requests_ours: usize,
    next: &str,
) -> Result<Page, Failure> {
    let url = format!("{}/messages/batches?limit=100{next}", client.base_url);
    let page = client.transport.get(&url).await?;
    let listed = batches_of(&page["data"], "id", |batch| {
        let has_results = batch["processing_status"] == "ended";
        // Nobody can read the results of an archived batch any more.
        match num_requests(batch) == num_requests_ours as u64 && batch["archived_at"].is_null() {
            false => IsOurs::No,
            true if has_results => IsOurs::InItsResults,
            true => IsOurs::AfterItsEnd,
        }
    })?;
    let last = page["last_id"].as_str().filter(|_| page["has_more"] == true);
    let next = last.map(|last| Ok(format!("&after_id={}", checked(last)?)));
    Ok((listed, next.transpose()?))
}

const COUNTS: [&str; 5] = ["processing", "succeeded", "errored", "canceled", "expired"];

fn num_requests(batch: &Value) -> u64 {
    COUNTS.iter().map(|key| count_of(&batch["request_counts"], key)).sum()
}

pub(super) async fn poll(client: &BatchClient<'_>, name: &str) -> Result<BatchState, Failure> {
    let url = format!("{}/messages/batches/{name}", client.base_url);
    let batch = client.transport.get(&url).await?;
    if text_of(&batch, "processing_status")? == "ended" {
        return Ok(BatchState::Ended(BatchEnd(batch)));
    }
    let open = count_of(&batch["request_counts"], "processing");
    Ok(BatchState::Working { done: num_requests(&batch) - open })
}

/// Calls `each` with the id and the reply of every line of the results, until it breaks off. The
/// address is our own: the key goes nowhere that a reply names.
pub(super) async fn replies(
    client: &BatchClient<'_>,
    name: &str,
    mut each: impl FnMut(&str, BatchReply) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let url = format!("{}/messages/batches/{name}/results", client.base_url);
    let each = |line: Value| match line["custom_id"].as_str() {
        Some(id) => each(id, read(&line["result"])),
        None => ControlFlow::Continue(()),
    };
    client.transport.get_lines(&url, each).await
}

fn read(result: &Value) -> BatchReply {
    match result["type"].as_str() {
        Some("succeeded") => BatchReply::Body { status: 200, body: result["message"].clone() },
        Some("expired") => BatchReply::Expired,
        Some("canceled") => BatchReply::Cancelled,
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
        // No 504 either: an error in a batch is not charged.
        Some("timeout_error") => 503,
        Some("overloaded_error") => 529,
        _ => 500,
    }
}
