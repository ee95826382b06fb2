//! Who asks, on a server others reach: a rater, by an invitation's token, or the run's owner.
//!
//! A rater's page sends its token in a header that no other site can make a browser send, so
//! cookies are not needed there. The owner reads pages, which browsers open without such a header:
//! the owner's token is exchanged for a session that only this process knows.
//!
//! Clients without a token are limited by address. Behind a proxy all requests come from the
//! proxy's address; the client's own address is known only to a proxy named on the command line.

use super::super::invited::{InvitedFile, hash, new_token};
use super::limits::{ADDRESS, Limits, RATER, Rate, STRANGERS, Whose};
use super::settings::PublicSettings;
use crate::error::Error;
use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, COOKIE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A browser sends it back with every page.
const COOKIE_NAME: &str = "meshjudge-owner";
/// Older sessions end.
const SESSIONS_MAX: usize = 16;
/// A session ends with its day at the latest.
const SESSION_SECS: u64 = 12 * 3600;
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub IpAddr);

/// The sender of a request.
#[derive(Debug)]
pub(super) struct Caller {
    pub headers: HeaderMap,
    peer: Option<IpAddr>,
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            headers: parts.headers.clone(),
            peer: parts.extensions.get::<Peer>().map(|peer| peer.0),
        })
    }
}

impl Caller {
    /// The client of a request, for limits. None if it is unknown: a request from this machine can
    /// come from anyone, through a proxy or a tunnel that was not named.
    fn address(&self, proxies: &[IpAddr]) -> Option<IpAddr> {
        let mut address = self.peer?.to_canonical();
        // The nearest proxy adds the last address of the list; the client may forge earlier ones.
        let lists = self.headers.get_all(FORWARDED_FOR).iter().rev();
        let mut seen = lists.flat_map(|list| list.to_str().unwrap_or("").rsplit(','));
        while proxies.contains(&address) {
            address = forwarded(seen.next()?)?;
        }
        match address {
            own if own.is_loopback() => None,
            IpAddr::V6(of) => Some(Ipv6Addr::from_bits(of.to_bits() >> 64 << 64).into()),
            of => Some(of),
        }
    }
}

/// An address as proxies write it, with its port or without.
fn forwarded(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let plain = text.parse::<IpAddr>().ok();
    let address = plain.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()));
    address.map(|address| address.to_canonical())
}

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub(super) enum Denied {
    #[error("this link is invalid or has expired; ask the person who invited you for a new one")]
    Token,
    #[error("please read and accept the text at the beginning")]
    Consent,
    #[error("too many requests; wait a moment")]
    TooMany(Duration),
    /// The reason can contain paths, so it is not sent.
    #[error(
        "the run or its list of raters cannot be read or written; check the disk of the run's folder"
    )]
    Trouble,
    #[error("{0}")]
    Name(String),
}

impl From<Error> for Denied {
    fn from(_: Error) -> Self {
        Self::Trouble
    }
}

impl IntoResponse for Denied {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Token => StatusCode::UNAUTHORIZED,
            Self::Consent => StatusCode::FORBIDDEN,
            Self::TooMany(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Trouble => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Name(_) => StatusCode::BAD_REQUEST,
        };
        let wait = match self {
            Self::TooMany(wait) => Some(wait.as_secs() + 1),
            _ => None,
        };
        let mut response = (status, self.to_string()).into_response();
        if let Some(secs) = wait {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        response
    }
}

impl From<Denied> for Response {
    fn from(denied: Denied) -> Self {
        denied.into_response()
    }
}

/// The access data of a public server.
#[derive(Debug)]
pub(super) struct Public {
    pub settings: PublicSettings,
    pub invited: InvitedFile,
    limits: Limits,
    /// Hashes of a session and of the owner's token that it was opened with.
    sessions: Mutex<VecDeque<(String, String, Instant)>>,
}

impl Public {
    /// # Errors
    /// [`Error`].
    pub(super) fn open(folder: &Path, settings: PublicSettings) -> Result<Self, Error> {
        Ok(Self {
            settings,
            invited: InvitedFile::open(folder)?,
            limits: Limits::default(),
            sessions: Mutex::default(),
        })
    }

    /// The rater whose token the request holds.
    pub(super) fn rater(&self, caller: &Caller) -> Result<String, Denied> {
        let invited = self.invited.now()?;
        let Some(name) = token(&caller.headers).and_then(|token| invited.name_of(token)) else {
            self.stranger(caller)?;
            return Err(Denied::Token);
        };
        self.take(Whose::Rater(name.to_owned()), RATER)?;
        Ok(name.to_owned())
    }

    /// The text that the rater has yet to accept.
    pub(super) fn consent_missing(&self, rater: &str) -> Result<Option<String>, Denied> {
        let Some(text) = &self.settings.consent else {
            return Ok(None);
        };
        let has = self.invited.now()?.has_consented(rater, text);
        Ok((!has).then(|| text.clone()))
    }

    /// Whether the request is of a session that the owner opened.
    pub(super) fn owner(&self, caller: &Caller) -> Result<(), Denied> {
        let session = session_of(&caller.headers).map(hash);
        let opened_with = session.and_then(|session| {
            let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            let life = Duration::from_secs(SESSION_SECS);
            let found = sessions
                .iter()
                .find(|(known, _, since)| *known == session && since.elapsed() < life);
            found.map(|(_, owner, _)| owner.clone())
        });
        let invited = self.invited.now()?;
        if opened_with.is_some_and(|owner| invited.is_owner_hash(&owner)) {
            return Ok(());
        }
        self.stranger(caller)?;
        Err(Denied::Token)
    }

    /// Opens a session for the owner's token; returns the cookie to set.
    pub(super) fn open_session(
        &self,
        caller: &Caller,
        path: &str,
        is_encrypted: bool,
    ) -> Result<String, Denied> {
        self.stranger(caller)?;
        let invited = self.invited.now()?;
        let owner = token(&caller.headers).and_then(|token| invited.owner_hash(token));
        let owner = owner.ok_or(Denied::Token)?;
        let (session, session_hash) = new_token()?;
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.push_back((session_hash, owner, Instant::now()));
        while sessions.len() > SESSIONS_MAX {
            sessions.pop_front();
        }
        let secure = if is_encrypted { "; Secure" } else { "" };
        Ok(format!(
            "{COOKIE_NAME}={session}; Path={path}; Max-Age={SESSION_SECS}; HttpOnly; SameSite=Strict{secure}"
        ))
    }

    /// Takes a request of the buckets that those have who hold no token.
    pub(super) fn stranger(&self, caller: &Caller) -> Result<(), Denied> {
        if let Some(address) = caller.address(&self.settings.proxies) {
            self.take(Whose::Address(address), ADDRESS)?;
        }
        self.take(Whose::Strangers, STRANGERS)
    }

    fn take(&self, whose: Whose, rate: Rate) -> Result<(), Denied> {
        self.limits.take(whose, rate, Instant::now()).map_err(Denied::TooMany)
    }
}

/// The value after `Authorization: Bearer`.
pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    headers.get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forwarded_address_is_believed_of_named_proxies_alone() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let seen = |peer: &str, lists: &[&'static str], proxies: &[&str]| {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(list));
            }
            let proxies: Vec<IpAddr> = proxies.iter().map(|text| ip(text)).collect();
            let peer = Some(ip(peer));
            Caller { headers, peer }.address(&proxies)
        };
        let far = Some(ip("203.0.113.9"));
        // From the client.
        assert_eq!(seen("203.0.113.9", &["198.51.100.1"], &[]), far);
        assert_eq!(seen("203.0.113.9", &["198.51.100.1"], &["127.0.0.1"]), far);
        // From the proxy, after the received list; through two proxies; with a port.
        let told = ["198.51.100.1, 203.0.113.9"];
        assert_eq!(seen("127.0.0.1", &told, &["127.0.0.1"]), far);
        let told = ["198.51.100.1, 203.0.113.9", "10.0.0.2"];
        assert_eq!(seen("127.0.0.1", &told, &["127.0.0.1", "10.0.0.2"]), far);
        assert_eq!(seen("::ffff:127.0.0.1", &["203.0.113.9:4711"], &["127.0.0.1"]), far);
        // A whole network of version 6 is one.
        let network = seen("2001:db8::1", &[], &[]);
        assert_eq!(network, seen("2001:db8::ffff:2", &[], &[]));
        assert_ne!(network, seen("2001:db8:0:1::1", &[], &[]));
        // Not trusted: an unnamed proxy, or a proxy without the header.
        for (lists, proxies) in
            [(&["203.0.113.9"][..], &[][..]), (&[], &["127.0.0.1"]), (&["unknown"], &["127.0.0.1"])]
        {
            assert_eq!(seen("127.0.0.1", lists, proxies), None, "{lists:?}");
        }
    }
}
