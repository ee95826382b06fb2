//! Which requests are accepted: those of a browser that opened our own address. Stops other sites'
//! pages and DNS rebinding.

use super::address::Address;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use axum::http::{HeaderName, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Duration;

/// A vote is a few hundred bytes.
const BODY_BYTES_MAX: usize = 16 << 10;
/// A body that takes longer to arrive is refused.
const BODY_MAX: Duration = Duration::from_secs(5);

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The page was opened under another name, as DNS rebinding does.
    #[error("this server answers only at the addresses that it was started with")]
    Host,
    /// Another site's page asks.
    #[error("this request does not come from our own page")]
    Origin,
    /// A form of another site can send anything but JSON.
    #[error("only application/json is accepted")]
    ContentType,
    /// Other methods have no use here.
    #[error("only GET and POST are allowed")]
    Method,
}

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin => StatusCode::FORBIDDEN,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
        }
    }
}

/// Whether a request is let through to its page.
///
/// # Errors
/// The first [`Refusal`] that holds.
pub fn allow(method: &Method, headers: &HeaderMap, address: &Address) -> Result<(), Refusal> {
    let only = |name: HeaderName| {
        let mut all = headers.get_all(name).iter();
        let first = all.next().and_then(|value| value.to_str().ok());
        first.filter(|_| all.next().is_none())
    };
    if !only(HOST).is_some_and(|host| address.is_host(host)) {
        return Err(Refusal::Host);
    }
    match *method {
        Method::GET | Method::HEAD => Ok(()),
        Method::POST => {
            if !only(ORIGIN).is_some_and(|origin| address.is_origin(origin)) {
                return Err(Refusal::Origin);
            }
            let kind = only(CONTENT_TYPE).and_then(|kind| kind.split(';').next());
            if kind.map(str::trim) != Some("application/json") {
                return Err(Refusal::ContentType);
            }
            Ok(())
        }
        _ => Err(Refusal::Method),
    }
}

/// The request with its body read.
async fn with_body(request: Request) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(BODY_MAX, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(body)) => Ok(Request::from_parts(head, body.into())),
        Ok(Err(_)) => {
            Err((StatusCode::PAYLOAD_TOO_LARGE, "the request is too long").into_response())
        }
        Err(_) => Err((StatusCode::REQUEST_TIMEOUT, "the request came too slowly").into_response()),
    }
}

/// Refuses a request or passes it on, and sets the headers that every response has.
pub(super) async fn guard(address: &Address, request: Request, next: Next) -> Response {
    let mut response = match allow(request.method(), request.headers(), address) {
        Ok(()) => match with_body(request).await {
            Ok(request) => next.run(request).await,
            Err(refused) => refused,
        },
        Err(refusal) => (refusal.status(), refusal.to_string()).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let policy = HeaderName::from_static("content-security-policy");
    headers
        .entry(policy)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry("cache-control").or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn only_our_own_page_is_answered() {
        let get = |host| allow(&Method::GET, &headers(&[(HOST, host)]), &Address::local(7878));
        for host in ["127.0.0.1:7878", "localhost:7878", "[::1]:7878"] {
            assert_eq!(get(host), Ok(()));
        }
        for host in
            ["evil.example:7878", "127.0.0.1", "127.0.0.1:80", "localhost:7878.evil.example", ""]
        {
            assert_eq!(get(host), Err(Refusal::Host), "{host}");
        }
        let twice = headers(&[(HOST, "127.0.0.1:7878"), (HOST, "evil.example")]);
        assert_eq!(allow(&Method::GET, &twice, &Address::local(7878)), Err(Refusal::Host));
        let post = |origin, kind| {
            let given =
                headers(&[(HOST, "127.0.0.1:7878"), (ORIGIN, origin), (CONTENT_TYPE, kind)]);
            allow(&Method::POST, &given, &Address::local(7878))
        };
        assert_eq!(post("http://127.0.0.1:7878", "application/json"), Ok(()));
        assert_eq!(post("http://localhost:7878", "application/json; charset=utf-8"), Ok(()));
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1:7878", "http://127.0.0.1:7879"]
        {
            assert_eq!(post(origin, "application/json"), Err(Refusal::Origin), "{origin}");
        }
        assert_eq!(post("http://127.0.0.1:7878", "text/plain"), Err(Refusal::ContentType));
        let bare = headers(&[(HOST, "127.0.0.1:7878"), (CONTENT_TYPE, "application/json")]);
        assert_eq!(allow(&Method::POST, &bare, &Address::local(7878)), Err(Refusal::Origin));
        assert_eq!(allow(&Method::DELETE, &bare, &Address::local(7878)), Err(Refusal::Method));
    }
}
