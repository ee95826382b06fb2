//! One HTTP request with all limits (time, size, no redirects) → JSON or a named [`Failure`].
//!
//! Independent of the question and of the route. Never retries.

use super::error_body::error_object;
use super::failure::Failure;
use super::quota::{Quota, header, quota, retry_after};
use super::secret::Secret;
use super::visible::one_line;
use super::{json, stream, trust};
use crate::error::Error;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::io::Read;
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::time::{Duration, SystemTime};

/// What one request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection is established.
    pub connect: Duration,
    /// Until the last byte.
    pub total: Duration,
    /// Limit on the reply's body.
    pub body_bytes_max: usize,
    /// Tokens that the judge may write, its reasoning included.
    pub output_tokens_max: u32,
}

impl Default for Limits {
    /// 10 s, 300 s, 8 MiB (a reply of 32,000 tokens has a tenth of a mebibyte), 16,384 tokens (six
    /// paragraphs need under 1,500; reasoning before them has been seen to take several thousand).
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            total: Duration::from_secs(300),
            body_bytes_max: 8 << 20,
            output_tokens_max: 16_384,
        }
    }
}

/// Of a file of lines: a batch of 10,000 replies with 100 kB each.
const FILE_BYTES_MAX: usize = 1 << 30;

/// Characters of a line that is not JSON.
const TORN_SHOWN_MAX: usize = 80;

/// A server, and how it is spoken to.
#[derive(Debug)]
pub(super) struct Transport {
    client: reqwest::Client,
    /// Of every request; with the values of secrets.
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What must not come back in a text.
    secrets: Vec<Secret>,
    /// The query of the base URL, which every address gets.
    query: Option<String>,
    limits: Limits,
}

impl Transport {
    /// `is_local` leaves out the system's proxies.
    pub(super) fn new(
        headers: Vec<(HeaderName, HeaderValue)>,
        secrets: Vec<Secret>,
        query: Option<String>,
        limits: Limits,
        is_local: bool,
    ) -> Result<Self, Error> {
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
        if let Some(tls) = trust::tls()? {
            builder = builder.tls_backend_preconfigured(tls);
        }
        let client = builder.build().map_err(|e| trust::no_client(&chain(&e)))?;
        Ok(Self { client, headers, secrets, query, limits })
    }

    /// Sends JSON and returns the JSON of a successful reply with its status, and the remaining
    /// quota; no text in it or in a failure holds the key.
    pub(super) async fn post(
        &self,
        url: &str,
        body: Vec<u8>,
    ) -> (Result<(u16, Value), Failure>, Option<Quota>) {
        let mut left = None;
        let posted = self.ask(self.json(url, body), &mut left).await;
        (posted.map_err(|failure| self.scrubbed(failure)), left)
    }

    /// Sends JSON, however large, and returns the JSON of a successful reply.
    pub(super) async fn post_json(&self, url: &str, body: Vec<u8>) -> Result<Value, Failure> {
        let limit = self.limit_for(body.len());
        self.value(self.json(url, body).timeout(limit)).await
    }

    /// Sends a file with other fields, and returns the JSON of a successful reply.
    pub(super) async fn post_file(
        &self,
        url: &str,
        fields: &[(&'static str, &'static str)],
        name: String,
        content: Vec<u8>,
    ) -> Result<Value, Failure> {
        let limit = self.limit_for(content.len());
        let mut form = reqwest::multipart::Form::new();
        for (key, value) in fields {
            form = form.text(*key, *value);
        }
        let part = reqwest::multipart::Part::bytes(content).file_name(name);
        let request = self.client.post(self.whole(url)).multipart(form.part("file", part));
        self.value(request.timeout(limit)).await
    }

    /// The JSON at that address.
    pub(super) async fn get(&self, url: &str) -> Result<Value, Failure> {
        self.value(self.client.get(self.whole(url))).await
    }

    /// The same, of so many bytes at most.
    pub(super) async fn get_up_to(&self, url: &str, bytes_max: usize) -> Result<Value, Failure> {
        let limit = self.limit_for(bytes_max);
        let request = self.client.get(self.whole(url)).timeout(limit);
        let read = self.ask_up_to(request, bytes_max, &mut None).await;
        read.map(|(_, json)| json).map_err(|failure| self.scrubbed(failure))
    }

    /// Calls `each` with every line of the file at that address, each of which is JSON, until it
    /// breaks off. A line that is not JSON is a failure after all others were read.
    pub(super) async fn get_lines(
        &self,
        url: &str,
        mut each: impl FnMut(Value) -> ControlFlow<()>,
    ) -> Result<(), Failure> {
        let limit = self.limit_for(FILE_BYTES_MAX);
        let request = self.client.get(self.whole(url)).timeout(limit);
        let read = async {
            let mut response = self.response(request, &mut None).await?;
            let (mut line, mut total, mut bad) = (Vec::new(), 0, None);
            loop {
                let chunk = response.chunk().await.map_err(|e| self.failure(&e))?;
                total += chunk.as_ref().map_or(0, |chunk| chunk.len());
                // The last line may lack its end.
                let bytes = chunk.as_deref().unwrap_or(b"\n");
                for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
                    line.extend_from_slice(piece);
                    if line.len() > self.limits.body_bytes_max || total > FILE_BYTES_MAX {
                        return Err(Failure::TooLarge { max: self.limits.body_bytes_max });
                    }
                    if !line.ends_with(b"\n") {
                        continue;
                    }
                    match self.line(&std::mem::take(&mut line)) {
                        Ok(Some(json)) => {
                            if each(json).is_break() {
                                return Ok(());
                            }
                        }
                        Ok(None) => {}
                        Err(failure) => bad = bad.or(Some(failure)),
                    }
                }
                if chunk.is_none() {
                    return bad.map_or(Ok(()), Err);
                }
            }
        };
        read.await.map_err(|failure| self.scrubbed(failure))
    }

    fn line(&self, bytes: &[u8]) -> Result<Option<Value>, Failure> {
        let text = String::from_utf8_lossy(bytes);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let json = json::parse(&text).map_err(|_| Failure::NotJson {
            content_type: "a torn line".to_owned(),
            start: one_line(&self.scrub(&text)).chars().take(TORN_SHOWN_MAX).collect(),
        })?;
        Ok(Some(self.scrubbed_value(json)))
    }

    /// Time allowed for so many bytes beyond the usual, on a slow line: 64 kB a second.
    fn limit_for(&self, bytes: usize) -> Duration {
        self.limits.total + Duration::from_millis(bytes as u64 / 64)
    }

    /// The address with the query of the base URL.
    fn whole(&self, url: &str) -> String {
        match &self.query {
            None => url.to_owned(),
            Some(query) => format!("{url}{}{query}", if url.contains('?') { '&' } else { '?' }),
        }
    }

    fn json(&self, url: &str, body: Vec<u8>) -> reqwest::RequestBuilder {
        self.client.post(self.whole(url)).header("content-type", "application/json").body(body)
    }

    async fn value(&self, request: reqwest::RequestBuilder) -> Result<Value, Failure> {
        let asked = self.ask(request, &mut None).await;
        asked.map(|(_, json)| json).map_err(|failure| self.scrubbed(failure))
    }

    async fn ask(
        &self,
        request: reqwest::RequestBuilder,
        left: &mut Option<Quota>,
    ) -> Result<(u16, Value), Failure> {
        self.ask_up_to(request, self.limits.body_bytes_max, left).await
    }

    async fn ask_up_to(
        &self,
        request: reqwest::RequestBuilder,
        bytes_max: usize,
        left: &mut Option<Quota>,
    ) -> Result<(u16, Value), Failure> {
        let response = self.response(request, left).await?;
        let status = response.status().as_u16();
        let content_type =
            header(response.headers(), "content-type").unwrap_or("unlabelled").to_owned();
        let bytes = self.body(response, bytes_max).await?;
        let text = String::from_utf8_lossy(&bytes);
        if let Some(streamed) = stream::whole(&text) {
            return Ok((status, self.scrubbed_value(streamed?)));
        }
        let json = json::parse(&text).map_err(|e| {
            // JSON that ends too early is half a body; anything else never was JSON.
            if e.is_eof() && !text.trim().is_empty() {
                Failure::Broken { reason: "the JSON ends too early".to_owned() }
            } else {
                Failure::NotJson { content_type, start: one_line(&self.scrub(&text)) }
            }
        })?;
        Ok((status, self.scrubbed_value(json)))
    }

    /// A successful answer whose body is not read yet.
    async fn response(
        &self,
        mut request: reqwest::RequestBuilder,
        left: &mut Option<Quota>,
    ) -> Result<reqwest::Response, Failure> {
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|e| self.failure(&e))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        *left = quota(&headers, SystemTime::now());
        if response.status().is_redirection() {
            return Err(Failure::Redirect {
                status,
                location: location(header(&headers, "location").unwrap_or("nowhere")),
            });
        }
        if !response.status().is_success() {
            let bytes = self.body(response, self.limits.body_bytes_max).await?;
            let text = String::from_utf8_lossy(&bytes);
            let json = json::parse(&text).map(|json| self.scrubbed_value(json));
            let text = self.scrub(&text);
            return Err(status_failure(status, &headers, json.ok().as_ref(), &text));
        }
        Ok(response)
    }

    /// The body, unpacked if it is compressed although nobody asked for that; of a stream that
    /// breaks off, what came of it.
    async fn body(
        &self,
        mut response: reqwest::Response,
        bytes_max: usize,
    ) -> Result<Vec<u8>, Failure> {
        let of = |name| header(response.headers(), name).unwrap_or_default().to_lowercase();
        let (encoding, content_type) = (of("content-encoding"), of("content-type"));
        let is_stream = content_type.contains("event-stream");
        let mut bytes = Vec::new();
        loop {
            match response.chunk().await {
                Ok(None) => break,
                Err(_) if is_stream && !bytes.is_empty() => break,
                Err(e) => return Err(self.failure(&e)),
                Ok(Some(chunk)) if bytes.len() + chunk.len() > bytes_max => {
                    return Err(Failure::TooLarge { max: bytes_max });
                }
                Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            }
        }
        let packed = bytes.as_slice();
        let mut unpacker: Box<dyn Read> = match encoding.as_str() {
            _ if packed.starts_with(&[0x1f, 0x8b]) => {
                Box::new(flate2::read::MultiGzDecoder::new(packed))
            }
            "deflate" => Box::new(flate2::read::ZlibDecoder::new(packed)),
            "br" | "zstd" | "compress" => {
                return Err(Failure::NotJson {
                    content_type: format!("compressed ({encoding})"),
                    start: "set the server, or the proxy before it, not to compress".to_owned(),
                });
            }
            _ => return Ok(bytes),
        };
        let mut unpacked = Vec::new();
        let limit = bytes_max as u64 + 1;
        match unpacker.by_ref().take(limit).read_to_end(&mut unpacked) {
            Err(e) => Err(Failure::Broken {
                reason: format!("it is compressed ({encoding}) and cannot be unpacked: {e}"),
            }),
            Ok(len) if len > bytes_max => Err(Failure::TooLarge { max: bytes_max }),
            Ok(_) => Ok(unpacked),
        }
    }

    fn failure(&self, error: &reqwest::Error) -> Failure {
        if error.is_connect() {
            Failure::Connect { reason: chain(error) }
        } else if error.is_timeout() {
            Failure::Timeout { limit: self.limits.total }
        } else {
            Failure::Broken { reason: chain(error) }
        }
    }

    fn scrub(&self, text: &str) -> String {
        let scrub = |text: String, secret: &Secret| secret.scrub(&text);
        self.secrets.iter().fold(text.to_owned(), scrub)
    }

    /// The value without the secrets, which may have been escaped on the wire.
    fn scrubbed_value(&self, mut json: Value) -> Value {
        for secret in &self.secrets {
            secret.scrub_value(&mut json);
        }
        json
    }

    fn scrubbed(&self, mut failure: Failure) -> Failure {
        match &mut failure {
            Failure::Connect { reason }
            | Failure::Broken { reason }
            | Failure::Empty { reason }
            | Failure::NotARoute { reason }
            | Failure::Internal { reason } => {
                *reason = self.scrub(reason);
            }
            Failure::Redirect { location, .. } => *location = self.scrub(location),
            Failure::NotJson { content_type, .. } => *content_type = self.scrub(content_type),
            Failure::Status { .. }
            | Failure::ErrorInside { .. }
            | Failure::Timeout { .. }
            | Failure::TooLarge { .. }
            | Failure::BatchEnded { .. } => {}
        }
        failure
    }
}

/// Where a redirect leads, without what may be a secret in it.
fn location(address: &str) -> String {
    let (plain, query) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    let plain = match (plain.find("//"), plain.rfind('@')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{}", &plain[..start + 2], &plain[end + 1..])
        }
        _ => plain.to_owned(),
    };
    one_line(&plain) + if query.is_empty() { "" } else { "?…" }
}

pub(super) fn status_failure(
    status: u16,
    headers: &HeaderMap,
    json: Option<&Value>,
    text: &str,
) -> Failure {
    let (code, message) = json.and_then(error_object).unwrap_or_else(|| (None, one_line(text)));
    Failure::Status {
        status,
        code,
        message: if message.is_empty() { "no word of explanation".to_owned() } else { message },
        retry_after: retry_after(headers, json, SystemTime::now()),
        should_retry: header(headers, "x-should-retry").and_then(|value| value.parse().ok()),
    }
}

/// An error with its causes. The address is left out: it is known and may contain secrets.
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

    #[test]
    fn local_hosts_are_told_from_public_ones() {
        for host in
            ["127.0.0.1", "localhost", "[::1]", "10.1.2.3", "192.168.0.9", "vllm", "box.local"]
        {
            assert!(is_local(host), "{host}");
        }
        for host in
            ["api.openai.com", "8.8.8.8", "[2001:db8::1]", "localhost.example.com", "example.com"]
        {
            assert!(!is_local(host), "{host}");
        }
    }
}
