//! OpenAI's batches, of the chat and of the responses route: a file is handed in, and two come
//! back, one of replies and one of errors.

use super::parts::{
    BatchClient, BatchEnd, BatchReply, BatchState, IsOurs, Page, batches_of, checked, count_of,
    text_of,
};
use crate::judge::failure::Failure;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The key of our mark in a batch's metadata.
const MARK: &str = "meshjudge";

/// Their addresses of single requests begin so, wherever the server is.
const VERSION: &str = "/v1";

pub(super) fn line(id: &str, path: &str, body: Value) -> Value {
    json!({"custom_id": id, "method": "POST", "url": format!("{VERSION}{path}"), "body": body})
}

pub(super) async fn submit(
    client: &BatchClient<'_>,
    mark: &str,
    lines: Vec<u8>,
) -> Result<String, Failure> {
    let url = format!("{}/files", client.base_url);
    let fields = [("purpose", "batch")];
    let name = format!("{mark}.jsonl");
    let file = client.transport.post_file(&url, &fields, name, lines).await;
    // A file alone costs nothing: it can be handed in again.
    let file = file.map_err(|failure| {
        if failure.may_have_cost() && !failure.is_final() {
            Failure::Connect { reason: format!("while the file was submitted: {failure}") }
        } else {
            failure
        }
    })?;
    let body = json!({
        "input_file_id": text_of(&file, "id")?,
        "endpoint": format!("{VERSION}{}", client.path),
        "completion_window": "24h",
        "metadata": {MARK: mark},
    });
    let url = format!("{}/batches", client.base_url);
    let batch = client.transport.post_json(&url, body.to_string().into_bytes()).await?;
    Ok(text_of(&batch, "id")?.to_owned())
}

pub(super) async fn page(
    client: &BatchClient<'_>,
    mark: &str,
    next: &str,
) -> Result<Page, Failure> {
    let url = format!("{}/batches?limit=100{next}", client.base_url);
    let page = client.transport.get(&url).await?;
    let listed =
        batches_of(&page["data"], "id", |batch| IsOurs::marked(batch["metadata"][MARK] == mark))?;
    let last = listed.last().filter(|_| page["has_more"] == true);
    let next = last.map(|(last, _)| format!("&after={last}"));
    Ok((listed, next))
}

pub(super) async fn poll(client: &BatchClient<'_>, name: &str) -> Result<BatchState, Failure> {
    let url = format!("{}/batches/{name}", client.base_url);
    let batch = client.transport.get(&url).await?;
    Ok(match text_of(&batch, "status")? {
        "completed" | "expired" | "cancelled" => BatchState::Ended(BatchEnd(batch)),
        "failed" => {
            let error = &batch["errors"]["data"][0];
            let word = |key: &str| error[key].as_str().map(str::to_owned);
            BatchState::Failed {
                code: word("code"),
                reason: word("message").unwrap_or_else(|| "no word of explanation".to_owned()),
            }
        }
        _ => BatchState::Working {
            done: count_of(&batch["request_counts"], "completed")
                + count_of(&batch["request_counts"], "failed"),
        },
    })
}

pub(super) async fn replies(
    client: &BatchClient<'_>,
    end: &BatchEnd,
    said: &mut HashMap<String, BatchReply>,
) -> Result<(), Failure> {
    let mut ended = Ok(());
    // What failed and was then answered counts as answered.
    for key in ["error_file_id", "output_file_id"] {
        let Some(file) = end.0[key].as_str() else {
            continue;
        };
        let url = format!("{}/files/{}/content", client.base_url, checked(file)?);
        let each = |line: Value| {
            said.extend(read(&line));
            ControlFlow::Continue(())
        };
        ended = ended.and(client.transport.get_lines(&url, each).await);
    }
    ended
}

fn read(line: &Value) -> Option<(String, BatchReply)> {
    let key = line["custom_id"].as_str()?.to_owned();
    let response = &line["response"];
    let status = response["status_code"].as_u64();
    let reply = match status.and_then(|status| u16::try_from(status).ok()) {
        Some(status) => BatchReply::Body { status, body: response["body"].clone() },
        None => match line["error"]["code"].as_str() {
            Some("batch_expired") => BatchReply::Expired,
            Some("batch_cancelled") => BatchReply::Cancelled,
            _ => BatchReply::Body { status: 500, body: json!({"error": line["error"]}) },
        },
    };
    Some((key, reply))
}
