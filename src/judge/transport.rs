//! One HTTP request with every limit: time, size, no redirects; its end as JSON or as a named [`Failure`].
//!
//! Knows nothing of what is asked or of which route. Never retries.

use super::{Failure, JudgeError, Secret};
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::net::IpAddr;
use std::time::{Duration, SystemTime};

/// What one request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection stands.
    pub connect: Duration,
    /// Until the last byte.
    pub total: Duration,
    /// Of the body.
    pub body_bytes_max: usize,
    /// Tokens that the judge may write, its reasoning included.
    pub output_tokens_max: u32,
}

impl Default for Limits {
    /// 10 s, 300 s, 8 MiB (a reply of 32,000 tokens has a tenth of a mebibyte), 16,384 tokens (six paragraphs need
    /// under 1,500; reasoning before them has been seen to take several thousand).
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(300),
            body_bytes_max: 8 << 20,
            output_tokens_max: 16_384,
        }
    }
}

/// A server, and how it is spoken to.
#[derive(Debug)]
pub(super) struct Transport {
    client: reqwest::Client,
    key: Option<Secret>,
    limits: Limits,
}

impl Transport {
    /// `is_local` leaves out the system's proxies.
    pub(super) fn new(
        key: Option<Secret>,
        limits: Limits,
        is_local: bool,
    ) -> Result<Self, JudgeError> {
        // A second installation is refused, and then the first one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(limits.connect)
            .timeout(limits.total)
            // A redirect could take the key to another host, and turns a POST into a GET.
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("meshjudge/", env!("CARGO_PKG_VERSION")));
        if is_local {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|e| JudgeError::Client { reason: chain(&e) })?;
        Ok(Self {
            client,
            key,
            limits,
        })
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Sends JSON and returns the JSON of a successful reply with its status; no text in it or in a failure holds the key.
    pub(super) async fn post(&self, url: &str, body: Vec<u8>) -> Result<(u16, Value), Failure> {
        self.post_raw(url, body)
            .await
            .map_err(|failure| self.scrubbed(failure))
    }

    async fn post_raw(&self, url: &str, body: Vec<u8>) -> Result<(u16, Value), Failure> {
        let mut request = self
            .client
            .post(url)
            .header("content-type", "application/json")
            .body(body);
        if let Some(bearer) = self.key.as_ref().and_then(Secret::bearer) {
            request = request.header("authorization", bearer);
        }
        let response = request.send().await.map_err(|e| self.failure(&e))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        if response.status().is_redirection() {
            return Err(Failure::Redirect {
                status,
                location: header(&headers, "location").unwrap_or("nowhere").to_owned(),
            });
        }
        let bytes = self.body(response).await?;
        let text = self.scrub(&String::from_utf8_lossy(&bytes));
        let json = serde_json::from_str::<Value>(&text);
        if !(200..300).contains(&status) {
            return Err(status_failure(status, &headers, json.ok().as_ref(), &text));
        }
        let json = json.map_err(|e| {
            // JSON that ends too early is half a body; anything else never was JSON.
            if e.is_eof() && !text.trim().is_empty() {
                Failure::Broken {
                    reason: "the JSON ends too early".to_owned(),
                }
            } else {
                let content_type = header(&headers, "content-type")
                    .unwrap_or("unlabelled")
                    .to_owned();
                Failure::NotJson {
                    content_type,
                    start: one_line(&text),
                }
            }
        })?;
        Ok((status, json))
    }

    async fn body(&self, mut response: reqwest::Response) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| self.failure(&e))? {
            if bytes.len() + chunk.len() > self.limits.body_bytes_max {
                return Err(Failure::TooLarge {
                    max: self.limits.body_bytes_max,
                });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn failure(&self, error: &reqwest::Error) -> Failure {
        if error.is_connect() {
            Failure::Connect {
                reason: chain(error),
            }
        } else if error.is_timeout() {
            Failure::Timeout {
                limit: self.limits.total,
            }
        } else {
            Failure::Broken {
                reason: chain(error),
            }
        }
    }

    fn scrub(&self, text: &str) -> String {
        self.key
            .as_ref()
            .map_or_else(|| text.to_owned(), |key| key.scrub(text))
    }

    fn scrubbed(&self, mut failure: Failure) -> Failure {
        match &mut failure {
            Failure::Connect { reason }
            | Failure::Broken { reason }
            | Failure::NotARoute { reason }
            | Failure::Internal { reason } => {
                *reason = self.scrub(reason);
            }
            Failure::Redirect { location, .. } => *location = self.scrub(location),
            Failure::NotJson { content_type, .. } => *content_type = self.scrub(content_type),
            Failure::Status { .. }
            | Failure::ErrorInside { .. }
            | Failure::Timeout { .. }
            | Failure::TooLarge { .. } => {}
        }
        failure
    }
}

/// The error object of a body: `{"error": {"message", "code", "type"}}`, `{"error": "…"}`, or the same fields at the top.
pub(super) fn error_object(json: &Value) -> Option<(Option<String>, String)> {
    let error = json.get("error").filter(|error| !error.is_null())?;
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let code = ["code", "type", "status"]
        .iter()
        .find_map(|key| word(error.get(key)?));
    let message = error
        .get("message")
        .or_else(|| error.is_string().then_some(error))
        .and_then(Value::as_str)
        .map_or_else(|| one_line(&error.to_string()), one_line);
    Some((code, message))
}

fn status_failure(status: u16, headers: &HeaderMap, json: Option<&Value>, text: &str) -> Failure {
    let (code, message) = json
        .and_then(error_object)
        .unwrap_or_else(|| (None, one_line(text)));
    Failure::Status {
        status,
        code,
        message: if message.is_empty() {
            "no word of explanation".to_owned()
        } else {
            message
        },
        retry_after: retry_after(headers, SystemTime::now()),
        should_retry: header(headers, "x-should-retry").and_then(|value| value.parse().ok()),
    }
}

/// `retry-after-ms`, else `Retry-After` as seconds or as an HTTP date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let seconds = |text: &str| {
        let value: f64 = text.trim().parse().ok()?;
        Duration::try_from_secs_f64(value).ok()
    };
    if let Some(wait) = header(headers, "retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    let text = header(headers, "retry-after")?;
    seconds(text).or_else(|| {
        let date = httpdate::parse_http_date(text.trim()).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// The start of a text on one line: 300 characters, enough for a server's reason.
pub(super) fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(CHARS_MAX).collect();
    if cut.len() < line.len() {
        cut + " …"
    } else {
        cut
    }
}

/// An error with its causes. The address is left out: it is known, and may hold what must not be printed.
fn chain(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        words.push(cause.to_string());
        source = cause.source();
    }
    if words.is_empty() {
        words.push("the request could not be sent".to_owned());
    }
    words.dedup();
    words.join(": ")
}

/// Whether a host is this machine or one of a private network.
pub(super) fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || ip.is_unspecified()
        }
        Err(_) => {
            let host = host.to_ascii_lowercase();
            host == "localhost"
                || [".localhost", ".local", ".internal", ".lan"]
                    .iter()
                    .any(|end| host.ends_with(end))
                || !host.contains('.')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn retry_after_is_read_in_all_its_spellings() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").expect("a date");
        let read = |name: &'static str, value: &'static str| {
            retry_after(
                &HeaderMap::from_iter([(
                    reqwest::header::HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )]),
                now,
            )
        };
        assert_eq!(read("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(read("retry-after", "0.5"), Some(Duration::from_millis(500)));
        assert_eq!(
            read("retry-after-ms", "1500"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            read("retry-after", "Sat, 21 Nov 2026 10:00:30 GMT"),
            Some(Duration::from_secs(30))
        );
        assert_eq!(
            read("retry-after", "Sat, 21 Nov 2026 09:00:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(read("retry-after", "soon"), None);
        assert_eq!(read("retry-after", "-5"), None);
    }

    #[test]
    fn local_hosts_are_told_from_public_ones() {
        for host in [
            "127.0.0.1",
            "localhost",
            "[::1]",
            "10.1.2.3",
            "192.168.0.9",
            "vllm",
            "box.local",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "api.openai.com",
            "8.8.8.8",
            "[2001:db8::1]",
            "localhost.example.com",
            "example.com",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
