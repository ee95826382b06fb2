//! OpenAI's batches, of the chat and of the responses route: a file is handed in, and two come back, one of replies and one of errors.

use super::parts::{
    BatchClient, BatchEnd, BatchReply, BatchState, LostBatch, PAGES_MAX, checked, count_of, text_of,
};
use crate::judge::error::Failure;
use serde_json::{Value, json};
use std::collections::HashMap;

/// The key of our mark in a batch's metadata.
const MARK: &str = "meshjudge";

/// Their addresses of single requests begin so, wherever the server is.
const VERSION: &str = "/v1";

pub(super) fn line(key: &str, path: &str, body: Value) -> Value {
    json!({"custom_id": key, "method": "POST", "url": format!("{VERSION}{path}"), "body": body})
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
    let file = file.map_err(|failure| match failure {
        Failure::Timeout { .. } | Failure::Broken { .. } => Failure::Connect {
            reason: format!("while the file was handed in: {failure}"),
        },
        other => other,
    })?;
    let body = json!({
        "input_file_id": text_of(&file, "id")?,
        "endpoint": format!("{VERSION}{}", client.path),
        "completion_window": "24h",
        "metadata": {MARK: mark},
    });
    let url = format!("{}/batches", client.base_url);
    let batch = client
        .transport
        .post_json(&url, body.to_string().into_bytes())
        .await?;
    Ok(text_of(&batch, "id")?.to_owned())
}

pub(super) async fn find(
    client: &BatchClient<'_>,
    lost: &LostBatch<'_>,
) -> Result<Option<String>, Failure> {
    let mut after = String::new();
    for _ in 0..PAGES_MAX {
        let url = format!("{}/batches?limit=100{after}", client.base_url);
        let page = client.transport.get(&url).await?;
        let batches = page["data"].as_array().map_or(&[][..], Vec::as_slice);
        for batch in batches {
            if batch["metadata"][MARK] == lost.mark {
                return Ok(Some(text_of(batch, "id")?.to_owned()));
            }
        }
        match batches.last() {
            Some(last) if page["has_more"] == true => {
                after = format!("&after={}", checked(text_of(last, "id")?)?);
            }
            _ => break,
        }
    }
    Ok(None)
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
) -> Result<HashMap<String, BatchReply>, Failure> {
    let mut said = HashMap::new();
    // What failed and was then answered counts as answered.
    for key in ["error_file_id", "output_file_id"] {
        let Some(file) = end.0[key].as_str() else {
            continue;
        };
        let url = format!("{}/files/{}/content", client.base_url, checked(file)?);
        let each = |line: Value| {
            if let Some((key, reply)) = read(&line) {
                said.insert(key, reply);
            }
        };
        client.transport.get_lines(&url, each).await?;
    }
    Ok(said)
}

fn read(line: &Value) -> Option<(String, BatchReply)> {
    let key = line["custom_id"].as_str()?.to_owned();
    let response = &line["response"];
    let status = response["status_code"].as_u64();
    let reply = match status.and_then(|status| u16::try_from(status).ok()) {
        Some(status) => BatchReply::Body {
            status,
            body: response["body"].clone(),
        },
        None => match line["error"]["code"].as_str() {
            Some("batch_expired" | "batch_cancelled") => BatchReply::Expired,
            _ => BatchReply::Body {
                status: 500,
                body: json!({"error": line["error"]}),
            },
        },
    };
    Some((key, reply))
}
