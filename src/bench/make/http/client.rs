//! Requests to a service and its assets' hosts. Keys go only to the origin that gets the jobs.

use super::secrets::{quoted, redacted_url, secrets_of};
use crate::judge::{Secret, retry_after, tls};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// Answers beyond this are refused: 1 GiB.
const ANSWER_BYTES_MAX: u64 = 1 << 30;

const CONNECT: Duration = Duration::from_secs(20);

/// For an asset's address; requests with a key are never redirected.
const REDIRECTS_MAX: usize = 5;

/// The content of a request.
#[derive(Debug)]
pub(super) enum Body {
    None,
    Json(Value),
    /// Fields, and files with name and content.
    Form(Vec<(String, String)>, Vec<(String, String, Vec<u8>)>),
}

/// The reply, successful or not.
#[derive(Debug)]
pub(super) struct Reply {
    pub status: StatusCode,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    pub bytes: Vec<u8>,
    location: Option<Url>,
}

/// A request without an answer.
#[derive(Debug)]
pub(super) struct Lost {
    /// Whether the server may have read it.
    pub was_sent: bool,
    pub why: String,
}

impl Lost {
    pub(super) fn unsent(why: String) -> Self {
        Self { was_sent: false, why }
    }
}

/// Clients and keys.
#[derive(Debug)]
pub(super) struct Client {
    /// Follows no redirects: one could take the keys to another host, and turns a POST into a GET.
    service: reqwest::Client,
    /// Without keys.
    elsewhere: reqwest::Client,
    keys: HeaderMap,
    /// Why it cannot be asked: the first key that the environment lacks.
    missing_key: Option<String>,
    /// Where the keys may go.
    origin: Url,
    /// What must not come back in a message.
    secrets: Vec<Secret>,
}

impl Client {
    /// `origin` is an address of the service; `keys` are headers with the variables that contain
    /// their values, and the text around them; `secrets` are further texts that must not come back.
    ///
    /// # Errors
    /// The reason; it never contains a key.
    pub(super) fn new(
        origin: Url,
        keys: &[(String, String, String)],
        mut secrets: Vec<Secret>,
    ) -> Result<Self, String> {
        secrets.extend(secrets_of(&origin));
        let mut headers = HeaderMap::new();
        let mut missing_key = None;
        for (name, variable, template) in keys {
            let name: HeaderName =
                name.parse().map_err(|_| format!("{name:?} is not a header name"))?;
            let Ok(value) = std::env::var(variable) else {
                missing_key.get_or_insert_with(|| {
                    format!("the environment variable {variable} for header {name} is not set")
                });
                continue;
            };
            // `Bearer KEY` holds a key of its own.
            let words = std::iter::once(value.as_str()).chain(value.split_whitespace().last());
            secrets.extend(words.filter_map(Secret::new));
            let mut value = HeaderValue::from_str(&template.replace("{key}", value.trim()))
                .map_err(|_| format!("the value of {variable} is not valid in a header"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        // A second call finds the provider installed, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let trusted = tls().map_err(|e| e.to_string())?;
        let client = |redirects: Policy| {
            let mut builder = reqwest::Client::builder()
                .connect_timeout(CONNECT)
                .redirect(redirects)
                .user_agent(concat!("meshjudge/", env!("CARGO_PKG_VERSION")));
            if let Some(trusted) = &trusted {
                builder = builder.tls_backend_preconfigured(trusted.clone());
            }
            builder.build().map_err(|e| {
                format!("cannot set up HTTP for {} ({e})", redacted_url(origin.as_str()))
            })
        };
        Ok(Self {
            service: client(Policy::none())?,
            elsewhere: client(Policy::limited(REDIRECTS_MAX))?,
            keys: headers,
            missing_key,
            origin,
            secrets,
        })
    }

    /// Why it cannot be asked; none where every key is there.
    pub(super) fn missing_key(&self) -> Option<&str> {
        self.missing_key.as_deref()
    }

    /// The address that jobs are submitted to.
    pub(super) fn address(&self) -> &str {
        self.origin.as_str()
    }

    /// Sends one request.
    ///
    /// # Errors
    /// [`Lost`] where there was no answer.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &str,
        headers: &[(String, String)],
        body: Body,
        timeout: Duration,
    ) -> Result<Reply, Lost> {
        let url: Url = url.parse().map_err(|e| Lost::unsent(format!("invalid address ({e})")))?;
        let mut request = self.service.request(method, url.clone()).timeout(timeout);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if url.origin() == self.origin.origin() {
            request = request.headers(self.keys.clone());
        }
        request = match body {
            Body::None => request,
            Body::Json(json) => request
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(json.to_string()),
            Body::Form(fields, files) => {
                let mut form = reqwest::multipart::Form::new();
                for (name, value) in fields {
                    form = form.text(name, value);
                }
                for (name, file, content) in files {
                    let part = reqwest::multipart::Part::bytes(content).file_name(file);
                    form = form.part(name, part);
                }
                request.multipart(form)
            }
        };
        self.answer(request).await
    }

    /// Fetches an asset. Its address may lead elsewhere, and then it goes without keys.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub(super) async fn fetch(&self, url: &str, timeout: Duration) -> Result<Reply, Lost> {
        let parsed: Option<Url> = url.parse().ok();
        let is_service = parsed.is_some_and(|url| url.origin() == self.origin.origin());
        if !is_service || self.keys.is_empty() {
            return self.answer(self.elsewhere.get(url).timeout(timeout)).await;
        }
        let reply = self.send(Method::GET, url, &[], Body::None, timeout).await?;
        match &reply.location {
            Some(to) if reply.status.is_redirection() => {
                self.answer(self.elsewhere.get(to.clone()).timeout(timeout)).await
            }
            _ => Ok(reply),
        }
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Result<Reply, Lost> {
        let lost = |e: reqwest::Error| {
            let what = if e.is_timeout() { "no answer in time" } else { "the request failed" };
            Lost {
                was_sent: !e.is_connect() && !e.is_builder(),
                why: format!("{what} ({})", e.without_url()),
            }
        };
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status();
        let headers = response.headers();
        let location = headers.get(LOCATION).and_then(|to| to.to_str().ok());
        let location = location.and_then(|to| response.url().join(to).ok());
        let retry_after = retry_after(headers, None, SystemTime::now());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(lost)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > ANSWER_BYTES_MAX {
                return Err(Lost {
                    was_sent: true,
                    why: format!("the answer has more than {ANSWER_BYTES_MAX} bytes"),
                });
            }
        }
        Ok(Reply { status, retry_after, bytes, location })
    }

    /// A message without our secrets.
    pub(super) fn scrub(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| secret.scrub(&text))
    }

    /// The start of a foreign answer, without our secrets.
    pub(super) fn quoted(&self, bytes: &[u8]) -> String {
        quoted(bytes, &self.secrets)
    }
}
