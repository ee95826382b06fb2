//! Gemini's batches with their requests inline: a long-running operation whose end holds the
//! replies, in the order of the requests.

use super::parts::{
    BatchClient, BatchEnd, BatchReply, BatchState, IsOurs, Page, batches_of, checked, count_of,
    enclosed, text_of,
};
use crate::judge::error_body::error_object;
use crate::judge::failure::Failure;
use crate::judge::visible::one_line;
use serde_json::{Value, json};
use std::collections::HashMap;

/// `google.rpc.Code` of a request whose turn did not come, or not in time; it is not charged.
const CANCELLED: u64 = 1;
const DEADLINE_EXCEEDED: u64 = 4;

/// Of a description with all replies: 500 of them at a quarter of a mebibyte.
const BODY_BYTES_MAX: usize = 128 << 20;

pub(super) fn line(id: &str, body: Value) -> Value {
    json!({"request": body, "metadata": {"key": id}})
}

pub(super) async fn submit(
    client: &BatchClient<'_>,
    mark: &str,
    lines: Vec<u8>,
) -> Result<String, Failure> {
    let url = format!("{}/models/{}:batchGenerateContent", client.base_url, client.model);
    let before = format!(
        "{{\"batch\":{{\"displayName\":{},\"inputConfig\":{{\"requests\":{{\"requests\":[",
        json!(mark)
    );
    let body = enclosed(&before, &lines, "]}}}}");
    let operation = client.transport.post_json(&url, body).await?;
    Ok(text_of(&operation, "name")?.to_owned())
}

pub(super) async fn page(
    client: &BatchClient<'_>,
    mark: &str,
    next: &str,
) -> Result<Page, Failure> {
    let url = format!("{}/batches?pageSize=100{next}", client.base_url);
    let page = client.transport.get_up_to(&url, BODY_BYTES_MAX).await?;
    let listed = batches_of(&page["operations"], "name", |operation| {
        IsOurs::marked(operation["metadata"]["displayName"] == mark)
    })?;
    let token = page["nextPageToken"].as_str().filter(|t| !t.is_empty());
    let next = token.map(|token| Ok(format!("&pageToken={}", checked(token)?)));
    Ok((listed, next.transpose()?))
}

pub(super) async fn poll(client: &BatchClient<'_>, name: &str) -> Result<BatchState, Failure> {
    let url = format!("{}/{name}", client.base_url);
    let operation = client.transport.get_up_to(&url, BODY_BYTES_MAX).await?;
    let metadata = &operation["metadata"];
    // `BATCH_STATE_…` on the wire, `JOB_STATE_…` in some of its descriptions.
    let state = metadata["state"].as_str().unwrap_or_default();
    let state = state.split_once("_STATE_").map_or(state, |(_, word)| word);
    Ok(match state {
        "SUCCEEDED" | "PARTIALLY_SUCCEEDED" | "EXPIRED" | "CANCELLED" => {
            BatchState::Ended(BatchEnd(operation))
        }
        "FAILED" => {
            let (code, reason) = error_object(&operation)
                .unwrap_or_else(|| (None, "no word of explanation".to_owned()));
            BatchState::Failed { code, reason }
        }
        _ if operation["done"] == true => match error_object(&operation) {
            Some((code, reason)) => BatchState::Failed { code, reason },
            None => BatchState::Ended(BatchEnd(operation)),
        },
        _ => BatchState::Working {
            done: count_of(&metadata["batchStats"], "successfulRequestCount")
                + count_of(&metadata["batchStats"], "failedRequestCount"),
        },
    })
}

/// A reply without the id of its request is at the index of that request.
pub(super) fn replies(end: &BatchEnd, ids: &[String], said: &mut HashMap<String, BatchReply>) {
    let places = [
        "/response/inlinedResponses/inlinedResponses",
        "/metadata/output/inlinedResponses/inlinedResponses",
    ];
    // A batch that expired as a whole has no replies.
    let found = places.iter().find_map(|place| end.0.pointer(place)?.as_array());
    for (place, reply) in found.into_iter().flatten().enumerate() {
        let stated = reply["metadata"]["key"].as_str();
        if let Some(id) = stated.or(ids.get(place).map(String::as_str)) {
            said.insert(id.to_owned(), read(reply));
        }
    }
}

fn read(reply: &Value) -> BatchReply {
    if let Some(error) = reply.get("error").filter(|error| !error.is_null()) {
        match error["code"].as_u64() {
            Some(CANCELLED) => return BatchReply::Cancelled,
            Some(DEADLINE_EXCEEDED) => return BatchReply::Expired,
            _ => {}
        }
        return BatchReply::Body {
            status: status_of(error["code"].as_u64()),
            body: json!({"error": {"message": one_line(error["message"].as_str().unwrap_or_default()), "status": error["status"]}}),
        };
    }
    BatchReply::Body { status: 200, body: reply["response"].clone() }
}

/// The HTTP status of a code of `google.rpc.Code`; an HTTP status is kept.
fn status_of(code: Option<u64>) -> u16 {
    match code {
        Some(3 | 9 | 11) => 400,
        Some(5) => 404,
        Some(7) => 403,
        Some(8) => 429,
        Some(14) => 503,
        Some(16) => 401,
        Some(status @ 400..600) => status as u16,
        _ => 500,
    }
}
