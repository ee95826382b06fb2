//! The paid job of an asset, in a file next to it: a killed run hands the same job back to its
//! program instead of paying another one. The program reports the job (`server.rs`).

use super::job::AssetSpec;
use super::till::NotBooked;
use crate::store::{Booking, write_whole};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A job as the file has it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PaidJob {
    /// The recipe of the asset: a job with another recipe is not this one's.
    recipe: String,
    /// Of a submission without an answer: the service may have accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// As its program reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Why the service refused the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// The file of the asset that will be in `folder`, or is there.
pub(super) fn path(folder: &Path) -> PathBuf {
    folder.with_extension("job.json")
}

/// The job has ended. There may be none.
pub(super) fn remove(folder: &Path) {
    let _ = std::fs::remove_file(path(folder));
}

impl PaidJob {
    /// What an earlier call left of the same asset.
    ///
    /// # Errors
    /// In words: without its content, a job could be paid again.
    pub(super) fn open(spec: &AssetSpec<'_>) -> Result<Self, String> {
        let new = || Self { recipe: spec.recipe.to_owned(), ..Self::default() };
        let path = path(spec.place);
        let failed = |reason: String| {
            format!(
                "its paid job cannot be read ({reason}); remove the file to pay again: {path:?}"
            )
        };
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(new()),
            Err(e) => return Err(failed(e.to_string())),
        };
        let left: Self = serde_json::from_slice(&bytes).map_err(|e| failed(e.to_string()))?;
        Ok(if left.recipe == spec.recipe { left } else { new() })
    }

    /// Whether the service has, or may have, a job that is not paid again.
    pub(super) fn is_open(&self) -> bool {
        self.job.is_some() || self.key.is_some()
    }

    /// Before a request that the service charges for: books it and keeps a new key. The next
    /// request of a job that exists is part of its price.
    ///
    /// # Errors
    /// [`NotBooked`]; nothing must be submitted then.
    pub(super) fn submit(
        &mut self,
        spec: &AssetSpec<'_>,
        cost_usd: Option<f64>,
    ) -> Result<&str, NotBooked> {
        if self.key.is_some() {
            let path = path(spec.place);
            return Err(NotBooked::Unsafe(format!(
                "an earlier request for it may have been accepted and paid, but its answer was lost; look for the job at the service, then write its id into the file as `job` instead of `key`, or remove `key` to pay again: {path:?}"
            )));
        }
        if self.job.is_none() {
            spec.till.book(&booking(spec, cost_usd), cost_usd.is_some())?;
        }
        // As unique as the time of this machine; a second submission gets another.
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let unique = format!("{} {}", since.as_nanos(), self.recipe);
        self.key = Some(blake3::hash(unique.as_bytes()).to_hex()[..32].to_owned());
        if let Err(why) = self.keep(spec) {
            self.unpaid(spec, cost_usd);
            return Err(NotBooked::Unsafe(why));
        }
        Ok(self.key.as_deref().unwrap_or_default())
    }

    /// The service did not accept the request.
    pub(super) fn unpaid(&mut self, spec: &AssetSpec<'_>, cost_usd: Option<f64>) {
        if self.key.take().is_none() {
            return;
        }
        if self.job.is_none() {
            spec.till.give_back(&booking(spec, cost_usd));
            remove(spec.place);
        } else {
            // Where the disk is full, the request is in doubt, which is safe.
            let _ = self.keep(spec);
        }
    }

    /// The service has accepted the job. On the disk when this returns.
    ///
    /// # Errors
    /// In words.
    pub(super) fn accepted(&mut self, spec: &AssetSpec<'_>, job: String) -> Result<(), String> {
        (self.job, self.key) = (Some(job), None);
        self.keep(spec)
    }

    /// The service refuses the content: no later call asks again.
    pub(super) fn refuse(&mut self, spec: &AssetSpec<'_>, reason: &str) {
        let recipe = std::mem::take(&mut self.recipe);
        *self = Self { recipe, refused: Some(reason.to_owned()), ..Self::default() };
        // Without it the next call asks again.
        let _ = self.keep(spec);
    }

    fn keep(&self, spec: &AssetSpec<'_>) -> Result<(), String> {
        let text = serde_json::to_vec(self).expect("plain data");
        let kept = write_whole(&path(spec.place), &text);
        kept.map_err(|e| format!("its job cannot be recorded: {e}"))
    }
}

fn booking(spec: &AssetSpec<'_>, cost_usd: Option<f64>) -> Booking {
    Booking {
        generator: spec.method.to_owned(),
        prompt_id: spec.prompt.id.clone(),
        seed: spec.seed,
        usd: cost_usd.unwrap_or_default(),
    }
}
