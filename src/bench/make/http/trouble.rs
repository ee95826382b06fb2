//! Why there is no asset, and what follows from it.

use super::client::Reply;
use super::endpoint::Endpoint;
use crate::judge::Limit;
use std::time::Duration;
use tokio::time::Instant;

/// No pause of ours is longer.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// A server that waits so long to be asked again is left to the next call.
pub(super) const RETRY_AFTER_MAX: Duration = Duration::from_secs(600);

/// Tries of a request without effect while the server fails; a poll repeats until its time is up.
pub(super) const OUTAGES_MAX: u32 = 5;

/// Words of services in refusals.
const REFUSALS: [&str; 5] = ["moderat", "content_policy", "content policy", "nsfw", "flagged"];

/// Why there is no asset.
#[derive(Debug)]
pub(super) enum Trouble {
    /// Another job may succeed.
    Failed(String),
    /// It would come again, or the job may still be running.
    Final(String),
    /// The service will not make it.
    Refused(String),
    Unaffordable(Limit),
}

impl Endpoint {
    /// A failure that speaks of moderation is a refusal.
    pub(super) fn ended(
        &self,
        said: &[u8],
        why: String,
        else_is: fn(String) -> Trouble,
    ) -> Trouble {
        let said = String::from_utf8_lossy(said).to_lowercase();
        if REFUSALS.iter().any(|word| said.contains(word)) {
            Trouble::Refused(why)
        } else {
            else_is(why)
        }
    }

    /// An error about a paid job: without access to it, another one would be paid for nothing.
    pub(super) fn denied(&self, reply: &Reply) -> Trouble {
        let why = self.said(reply);
        match reply.status.as_u16() {
            401..=403 => self.ended(&reply.bytes, why, kept),
            _ => self.ended(&reply.bytes, why, Trouble::Failed),
        }
    }

    pub(super) fn said(&self, reply: &Reply) -> String {
        let quoted = self.client.quoted(&reply.bytes);
        format!("the server answered {}: {quoted}", reply.status)
    }

    pub(super) async fn wait(&self, pause: Duration, deadline: Instant) -> Result<(), Trouble> {
        if Instant::now() + pause >= deadline {
            return Err(kept(format!("took longer than {} s", self.timeout.as_secs())));
        }
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// The job may still be running, or be done and out of reach.
pub(super) fn kept(why: String) -> Trouble {
    Trouble::Final(why + "; the same command polls its job again")
}

/// The next pause after a failure.
pub(super) fn doubled(pause: Duration) -> Duration {
    (pause * 2).min(PAUSE_MAX)
}
