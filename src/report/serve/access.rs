//! Who asks, on a server that others reach: a rater by the token of the own invitation, or the run's owner.
//!
//! A rater's page sends its token in a header that no other site can make a browser send, so nothing rests on cookies there. The owner
//! reads pages, which browsers open without such a header: the owner's token is exchanged for a session that this process alone knows.

use super::super::invited::{InvitedError, InvitedFile, hash, new_token};
use super::limits::{Limits, RATER, STRANGERS};
use super::settings::PublicSettings;
use axum::http::header::{AUTHORIZATION, COOKIE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A browser sends it back with every page.
const COOKIE_NAME: &str = "meshjudge-owner";
/// Older sessions end.
const SESSIONS_MAX: usize = 16;
/// A session ends with its day at the latest.
const SESSION_SECS: u64 = 12 * 3600;

/// Why somebody is not let in.
#[derive(Debug, thiserror::Error)]
pub(super) enum Denied {
    #[error("this link is not valid, or no longer; ask whoever invited you for a new one")]
    Token,
    #[error("please read and accept the text at the beginning first")]
    Consent,
    #[error("too many requests; wait a moment")]
    TooMany(Duration),
    /// The reason may name paths, so it is not told.
    #[error("the list of raters cannot be read or written; see the disk of the run's folder")]
    Trouble,
    #[error("{0}")]
    Name(String),
}

impl From<InvitedError> for Denied {
    fn from(_: InvitedError) -> Self {
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
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(secs));
        }
        response
    }
}

impl From<Denied> for Response {
    fn from(denied: Denied) -> Self {
        denied.into_response()
    }
}

/// What a server that others reach knows of them.
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
    /// [`InvitedError`].
    pub(super) fn open(folder: &Path, settings: PublicSettings) -> Result<Self, InvitedError> {
        Ok(Self {
            settings,
            invited: InvitedFile::open(folder)?,
            limits: Limits::default(),
            sessions: Mutex::default(),
        })
    }

    /// The rater whose token the request holds.
    pub(super) fn rater(&self, headers: &HeaderMap) -> Result<String, Denied> {
        let invited = self.invited.now()?;
        let Some(name) = token(headers).and_then(|token| invited.name_of(token)) else {
            self.stranger()?;
            return Err(Denied::Token);
        };
        self.take(name, RATER)?;
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
    pub(super) fn owner(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let session = session_of(headers).map(hash);
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
        self.stranger()?;
        Err(Denied::Token)
    }

    /// Opens a session for whoever has the owner's token; the cookie to set.
    pub(super) fn open_session(
        &self,
        headers: &HeaderMap,
        path: &str,
        is_encrypted: bool,
    ) -> Result<String, Denied> {
        self.stranger()?;
        let invited = self.invited.now()?;
        let owner = token(headers).and_then(|token| invited.owner_hash(token));
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

    /// Takes a request of the bucket that all have who hold no token.
    pub(super) fn stranger(&self) -> Result<(), Denied> {
        // No rater has an empty name.
        self.take("", STRANGERS)
    }

    fn take(&self, name: &str, rate: super::limits::Rate) -> Result<(), Denied> {
        self.limits
            .take(name, rate, Instant::now())
            .map_err(Denied::TooMany)
    }
}

/// What stands behind `Authorization: Bearer`.
pub(super) fn token(headers: &HeaderMap) -> Option<&str> {
    headers
        .get(AUTHORIZATION)?
        .to_str()
        .ok()?
        .strip_prefix("Bearer ")
}

fn session_of(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut pairs = pairs.flat_map(|value| value.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(COOKIE_NAME)?.strip_prefix('='))
}
