//! A generator that is a service: a job is submitted, polled, and its asset fetched, as a
//! description says ([`StepEntry`](crate::bench::file::StepEntry)). A server that answers at once
//! with the asset is the shortest description.
//!
//! The result of a job is a [`Trouble`] or the bytes of a GLB. A failure is tried again with a new
//! job; an outage is waited for; a refusal and whatever else would come again are final.

mod asset;
mod client;
mod course;
mod endpoint;
mod pick;
mod places;
mod record;
mod request;
mod secrets;
mod trouble;

use super::job::AssetSpec;
use super::server::Kept;
use crate::ask::Hold;
pub(super) use endpoint::Endpoint;
pub(in crate::unstable::bench) use endpoint::checked_cost;
pub(super) use record::record_path;
use record::{Record, State};
pub(super) use secrets::{named_words, secrets_in};
pub(in crate::unstable::bench) use secrets::{
    redact, redact_object, redacted_command, redacted_url,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use trouble::{Trouble, doubled};

/// Between two checks whether a waiting request is to end.
const POLL: Duration = Duration::from_millis(100);

/// After Ctrl-C, wait so long for a submitted job's id: without it the job is paid again.
const GRACE: Duration = Duration::from_secs(10);

/// The first pause before another job; each further one is twice as long.
const PAUSE: Duration = Duration::from_secs(1);

impl Endpoint {
    /// Has one asset made, and writes it.
    ///
    /// # Errors
    /// The reason that the run stores. `kept` then says whether the budget prevented the job.
    pub(super) fn make(&self, spec: &AssetSpec<'_>, kept: &mut Kept) -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| format!("cannot start a network thread ({e})"))?;
        let is_submitting = AtomicBool::new(false);
        let made = runtime.block_on(async {
            let ended = async {
                while !spec.stop.load(Ordering::Relaxed) {
                    tokio::time::sleep(POLL).await;
                }
                let start = Instant::now();
                let _hold = Hold::new();
                while is_submitting.load(Ordering::Relaxed) && start.elapsed() < GRACE {
                    tokio::time::sleep(POLL).await;
                }
            };
            tokio::select! {
                made = self.tries(spec, &is_submitting) => made,
                () = ended => Err(Trouble::Final("interrupted".to_owned())),
            }
        });
        let trouble = match made {
            Ok(bytes) => {
                let path = spec.folder.join("asset.glb");
                return std::fs::write(&path, bytes)
                    .map_err(|e| format!("the asset cannot be written ({e})"));
            }
            Err(trouble) => trouble,
        };
        kept.is_final = true;
        Err(match trouble {
            Trouble::Failed(why) | Trouble::Final(why) => why,
            Trouble::Refused(why) => format!(
                "the service refused it: {why} (recorded in {:?}; remove that file to ask again)",
                record_path(spec.place).display().to_string()
            ),
            Trouble::Unaffordable(limit) => {
                kept.limit = Some(limit);
                limit.to_string()
            }
        })
    }

    async fn tries(
        &self,
        spec: &AssetSpec<'_>,
        is_submitting: &AtomicBool,
    ) -> Result<Vec<u8>, Trouble> {
        let mut pause = PAUSE;
        let mut tries_left = self.retries;
        loop {
            let driven = self.drive(spec, is_submitting).await;
            is_submitting.store(false, Ordering::Relaxed);
            let trouble = match driven {
                Ok(bytes) => return Ok(bytes),
                Err(trouble) => trouble,
            };
            match &trouble {
                Trouble::Failed(_) => {
                    Record::remove(spec.place);
                    if tries_left == 0 {
                        return Err(trouble);
                    }
                }
                Trouble::Refused(why) => {
                    let refused = Record {
                        state: State::Refused,
                        reason: why.clone(),
                        ..Record::new(spec.recipe)
                    };
                    // Without it the next call asks again.
                    let _ = refused.keep(spec.place);
                    return Err(trouble);
                }
                // The next call goes on with the job, or with its next step.
                Trouble::Final(_) | Trouble::Unaffordable(_) => return Err(trouble),
            }
            tries_left -= 1;
            tokio::time::sleep(pause).await;
            pause = doubled(pause);
        }
    }
}
