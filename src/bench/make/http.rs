//! A generator that is a server: JSON by POST, a GLB back.

use super::job::AssetSpec;
use super::pattern::{Values, fill};
use crate::bench::file::GeneratorEntry;
use crate::judge::Secret;
use base64::Engine;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// Answers beyond this are refused: 1 GiB.
const ANSWER_BYTES_MAX: u64 = 1 << 30;

/// Photos beyond this are not sent: 64 MiB.
const IMAGE_BYTES_MAX: u64 = 64 << 20;

/// Characters of a server's answer that are quoted.
const QUOTED_CHARS: usize = 200;

const CONNECT: Duration = Duration::from_secs(20);

/// Between two checks whether a waiting request is to end.
const POLL: Duration = Duration::from_millis(100);

/// A server and how it is asked.
#[derive(Debug)]
pub struct Endpoint {
    url: reqwest::Url,
    client: reqwest::Client,
    headers: HeaderMap,
    json: Map<String, Value>,
    /// What must not come back in a message: values of headers, and what the address holds.
    secrets: Vec<Secret>,
    /// Tries after a failed one.
    pub retries: u32,
}

/// Fields of an address whose values are taken to be secret, by what their names hold.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "sig", "auth", "pass", "cred"];

/// An address as it may be shown and kept: without user and password, and without the values of its fields.
pub(in crate::bench) fn redacted_url(url: &str) -> String {
    let Ok(mut shown) = reqwest::Url::parse(url) else {
        return "(no address)".to_owned();
    };
    // Both fail only for addresses that cannot hold them.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    let names: Vec<String> = (shown.query_pairs())
        .map(|(name, _)| name.into_owned())
        .collect();
    shown.set_query(None);
    let fields: Vec<String> = (names.iter())
        .map(|name| format!("{name}=[redacted]"))
        .collect();
    match fields.is_empty() {
        true => shown.to_string(),
        false => format!("{shown}?{}", fields.join("&")),
    }
}

/// What an address holds that nobody else may read.
fn secrets_of(url: &reqwest::Url) -> Vec<Secret> {
    let decoded = |text: &str| {
        let mut url = url.clone();
        url.set_query(Some(&format!("x={}", text.replace('+', "%2B"))));
        let (_, text) = url.query_pairs().next()?;
        Some(text.into_owned())
    };
    let user = [Some(url.username()), url.password()];
    let users = user.into_iter().flatten().filter_map(decoded);
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        SECRET_NAMES.iter().any(|part| name.contains(part))
    };
    let fields = (url.query_pairs())
        .filter(|(name, _)| is_secret(name))
        .map(|(_, value)| value.into_owned());
    users
        .chain(fields)
        .filter_map(|text| Secret::new(&text))
        .collect()
}

impl Endpoint {
    /// Checks an entry of the file.
    ///
    /// # Errors
    /// The reason; it never contains the value of a header.
    pub fn new(url: &str, entry: &GeneratorEntry, timeout: Duration) -> Result<Self, String> {
        let shown = redacted_url(url);
        let url: reqwest::Url = (url.parse()).map_err(|e| format!("`url` is no address ({e})"))?;
        if !["http", "https"].contains(&url.scheme()) {
            return Err(format!("`url` {shown} must begin with http:// or https://"));
        }
        let mut secrets = secrets_of(&url);
        let mut headers = HeaderMap::new();
        for (name, variable) in &entry.headers_from_env {
            let name: HeaderName = name
                .parse()
                .map_err(|_| format!("{name:?} is not a header name"))?;
            let value = std::env::var(variable).map_err(|_| {
                format!("the environment variable {variable} for header {name} is not set")
            })?;
            // `Bearer KEY` holds a key of its own.
            let words = std::iter::once(value.as_str()).chain(value.split_whitespace().last());
            secrets.extend(words.filter_map(Secret::new));
            let mut value = HeaderValue::from_str(value.trim())
                .map_err(|_| format!("the value of {variable} is not valid in a header"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let json = entry.json.clone().unwrap_or_else(|| {
            let body = json!({"prompt": "{prompt}", "prompt_id": "{prompt_id}", "seed": "{seed}"});
            body.as_object().cloned().unwrap_or_default()
        });
        filled_json(
            &Value::Object(json.clone()),
            &Values(places(["", "", "", "", ""])),
        )?;
        // A second call finds the provider installed, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(timeout)
            // A redirect could take the headers to another host, and turns a POST into a GET.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("meshjudge/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|e| format!("cannot set up HTTP for {shown} ({e})"))?;
        Ok(Self {
            url,
            client,
            headers,
            json,
            secrets,
            retries: entry.retries.unwrap_or(1),
        })
    }

    pub(super) fn address(&self) -> &str {
        self.url.as_str()
    }

    /// The body, with its places still open.
    pub(super) fn body(&self) -> &Map<String, Value> {
        &self.json
    }

    /// Sends one request, and writes the asset.
    ///
    /// # Errors
    /// In words.
    pub fn request(&self, spec: &AssetSpec<'_>) -> Result<(), String> {
        let seed = spec.seed.to_string();
        let text = serde_json::to_string(&self.json).unwrap_or_default();
        let image = match &spec.prompt.image {
            Some(path) if text.contains("{image_base64}") => base64_of(path)?,
            _ => String::new(),
        };
        let values = [
            &spec.prompt.id,
            &spec.prompt.text,
            &seed,
            spec.method,
            &image,
        ]
        .map(AsRef::as_ref);
        let body = filled_json(&Value::Object(self.json.clone()), &Values(places(values)))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| format!("cannot start a network thread ({e})"))?;
        let bytes = runtime.block_on(async {
            let ended = async {
                while !spec.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    tokio::time::sleep(POLL).await;
                }
            };
            tokio::select! {
                answer = self.ask(&body) => answer,
                () = ended => Err("interrupted".to_owned()),
            }
        })?;
        let path = spec.folder.join("asset.glb");
        std::fs::write(&path, bytes).map_err(|e| format!("the asset cannot be written ({e})"))
    }

    async fn ask(&self, body: &Value) -> Result<Vec<u8>, String> {
        let said = |e: reqwest::Error| {
            let what = if e.is_timeout() {
                "no answer in time"
            } else {
                "the request failed"
            };
            format!("{what} ({})", e.without_url())
        };
        let mut response = (self.client.post(self.url.clone()))
            .headers(self.headers.clone())
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
            .send()
            .await
            .map_err(said)?;
        let status = response.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(said)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > ANSWER_BYTES_MAX {
                return Err(format!("the answer has more than {ANSWER_BYTES_MAX} bytes"));
            }
        }
        if !status.is_success() {
            return Err(format!(
                "the server answered {status}: {}",
                self.quoted(&bytes)
            ));
        }
        if !bytes.starts_with(b"glTF") {
            return Err(format!(
                "the answer is no GLB; it begins {}",
                self.quoted(&bytes)
            ));
        }
        Ok(bytes)
    }

    /// The start of a foreign answer, without our secrets.
    fn quoted(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16 * QUOTED_CHARS)]);
        let scrub = |text: String, secret: &Secret| secret.scrub(&text);
        let text = self.secrets.iter().fold(text.into_owned(), scrub);
        format!("{:?}", text.chars().take(QUOTED_CHARS).collect::<String>())
    }
}

fn places(values: [&str; 5]) -> Vec<(&'static str, &str)> {
    ["prompt_id", "prompt", "seed", "method", "image_base64"]
        .into_iter()
        .zip(values)
        .collect()
}

/// Fills the texts of a JSON value; a text that is `{seed}` alone becomes a number.
fn filled_json(value: &Value, values: &Values<'_>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) if text == "{seed}" => {
            let seed = fill(text, values)?;
            seed.parse::<u32>().map_or(Value::String(seed), Value::from)
        }
        Value::String(text) => Value::String(fill(text, values)?),
        Value::Array(list) => {
            let filled = list.iter().map(|item| filled_json(item, values));
            Value::Array(filled.collect::<Result<_, _>>()?)
        }
        Value::Object(map) => {
            let filled =
                (map.iter()).map(|(key, item)| Ok((key.clone(), filled_json(item, values)?)));
            Value::Object(filled.collect::<Result<_, String>>()?)
        }
        other => other.clone(),
    })
}

fn base64_of(path: &Path) -> Result<String, String> {
    let failed = |reason: String| format!("the photo cannot be read ({reason}): {path:?}");
    let size = std::fs::metadata(path)
        .map_err(|e| failed(e.to_string()))?
        .len();
    if size > IMAGE_BYTES_MAX {
        return Err(failed(format!("{size} bytes, at most {IMAGE_BYTES_MAX}")));
    }
    let bytes = std::fs::read(path).map_err(|e| failed(e.to_string()))?;
    Ok(base64::engine::general_purpose::STANDARD.encode(bytes))
}
