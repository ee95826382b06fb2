//! The base URL of a server, taken apart; and failures that a wrong one may cause, with the address
//! that was asked and what to change.

use super::failure::Failure;
use super::secret::{is_credential, is_secret_name};
use super::transport::is_local;
use crate::error::Error;
use std::borrow::Cow;

/// A base URL in its parts.
pub(super) struct Address {
    /// Without its query, its last slash and the route's path.
    pub base_url: String,
    pub query: Option<String>,
    /// Whether its server is this machine or one of a private network.
    pub is_local: bool,
    is_secure: bool,
}

impl Address {
    /// The address, without the route's path where it ends so.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn of(base_url: &str, path: &str) -> Result<Self, Error> {
        let refuse = |reason: &str| {
            Error::judge(format!(
                "cannot use the base URL: {reason}; give something like http://127.0.0.1:8080/v1"
            ))
        };
        if !base_url.contains("://") {
            return Err(refuse("it must begin with http:// or https://"));
        }
        let mut url = reqwest::Url::parse(base_url).map_err(|e| refuse(&e.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse("it must begin with http:// or https://"));
        }
        let is_secret = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            is_secret_name(&name) || is_credential(&value)
        };
        if !url.username().is_empty()
            || url.password().is_some()
            || url.query_pairs().any(is_secret)
            || url.path_segments().into_iter().flatten().any(is_credential)
            || url.fragment().is_some()
        {
            return Err(refuse(
                "it must not contain a user name, password, key or fragment, because it is stored with the run; a key can be given as a header that names its variable",
            ));
        }
        let query = url.query().filter(|query| !query.is_empty()).map(str::to_owned);
        url.set_query(None);
        let is_local = is_local(url.host_str().ok_or_else(|| refuse("it names no host"))?);
        let plain = url.as_str().trim_end_matches('/');
        let plain = plain.strip_suffix(path).unwrap_or(plain);
        let (base_url, is_secure) = (plain.to_owned(), url.scheme() == "https");
        Ok(Self { base_url, query, is_local, is_secure })
    }

    /// Refuses to send a key unencrypted, unless to a local server.
    pub(super) fn check_key(&self, has_key: bool) -> Result<(), Error> {
        if !has_key || self.is_local || self.is_secure {
            return Ok(());
        }
        Err(Error::judge(
            "cannot use the base URL: the key would be sent unencrypted; give an address with https",
        ))
    }
}

/// The failure, with words on the address where that may be the cause.
pub(super) fn explained(failure: Failure, url: &str) -> Failure {
    let url = url.split('?').next().unwrap_or_default();
    let said = failure.to_string();
    let lower = said.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let has_version = url.split('/').any(|part| {
        part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    });
    let remedy = if url.starts_with("https:") && has(&["corrupt message", "wrong version"]) {
        "the server seems to speak no TLS: begin the base URL with http://"
    } else if url.starts_with("http:")
        && has(&["to https port", "to an https", "invalid http version", "plain http"])
    {
        "the server seems to speak TLS: begin the base URL with https://"
    } else if has(&["dns error", "lookup address", "resolve"]) {
        "check the host in the base URL"
    } else if has(&["unknownissuer"]) {
        "name the certificate of the server or its authority in SSL_CERT_FILE"
    } else if !has_version {
        "the base URL has no /v1, which most servers need at its end"
    } else {
        "check the base URL"
    };
    let add = |text: &mut String| {
        if !text.contains(url) {
            text.push_str(&format!("; the request went to {url}: {remedy}"));
        }
    };
    let mut failure = failure;
    match &mut failure {
        Failure::Connect { reason } | Failure::NotARoute { reason } => add(reason),
        Failure::Broken { reason } if remedy.contains("TLS") => add(reason),
        Failure::NotJson { start, .. } if !start.is_empty() => add(start),
        Failure::Status { status, message, code, .. } => {
            let is_of_model = code.is_some() || lower.contains("model");
            if (matches!(status, 404 | 405) && !is_of_model) || remedy.contains("TLS") {
                add(message);
            }
        }
        _ => {}
    }
    failure
}
