//! A reply → the bytes of its asset.

use super::super::glb::{Found, found};
use super::client::Reply;
use super::endpoint::Endpoint;
use super::pick::{Place, asset_in};
use super::places::Places;
use super::trouble::{OUTAGES_MAX, RETRY_AFTER_MAX, Trouble, doubled, kept};
use crate::bench::file::StepEntry;
use base64::Engine;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::Instant;

impl Endpoint {
    /// The bytes of a reply or of its link; the inner error is one that a repetition can resolve.
    pub(super) async fn asset(
        &self,
        step: &StepEntry,
        reply: &Reply,
        places: &Places,
        deadline: Instant,
    ) -> Result<Result<Vec<u8>, String>, Trouble> {
        if step.body {
            return self.whole(reply.bytes.clone());
        }
        let json: Value = serde_json::from_slice(&reply.bytes).map_err(|_| {
            let said = self.client.quoted(&reply.bytes);
            Trouble::Failed(format!("the reply is not JSON; it starts with {said}"))
        })?;
        let pointers = step.asset.iter().flat_map(|asset| asset.each());
        let pointers = pointers
            .map(|pointer| places.pointer(pointer))
            .collect::<Result<Vec<_>, _>>()
            .map_err(Trouble::Final)?;
        let wants_object = step.asset_url.as_ref().is_some_and(|url| !url.contains("{asset}"));
        let place = asset_in(&json, &pointers, wants_object);
        let url = match (place, &step.asset_url) {
            (None, _) => {
                let said = self.client.quoted(&reply.bytes);
                return Ok(Err(format!("the job is done, but its reply has no asset: {said}")));
            }
            (Some(Place::Object(parts)), Some(template)) => {
                part_places(places, &parts).url(template).map_err(Trouble::Final)?
            }
            (Some(Place::Url(text) | Place::Inline(text)), Some(template)) => {
                let mut places = places.clone();
                places.set("asset", text.into());
                places.url(template).map_err(Trouble::Final)?
            }
            (Some(Place::Url(url)), None) => url,
            (Some(Place::Inline(text)), None) => {
                return match decoded(&text) {
                    Some(bytes) => self.whole(bytes),
                    None => {
                        let said = self.client.quoted(text.as_bytes());
                        Err(Trouble::Failed(format!(
                            "its asset is neither an address nor base64; it starts with {said}"
                        )))
                    }
                };
            }
            (Some(Place::Object(_)), None) => {
                return Err(Trouble::Failed("its asset has no address".to_owned()));
            }
        };
        self.downloaded(&url, deadline).await
    }

    async fn downloaded(
        &self,
        url: &str,
        deadline: Instant,
    ) -> Result<Result<Vec<u8>, String>, Trouble> {
        let mut pause = Duration::from_secs(1);
        let mut outages = 0;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let why = match self.client.fetch(url, left).await {
                Ok(reply) if reply.status.is_success() => return self.whole(reply.bytes),
                Ok(reply) => {
                    let (status, why) = (reply.status.as_u16(), self.said(&reply));
                    if [401, 403, 404, 410].contains(&status) {
                        return Ok(Err(format!("the address of its asset has expired: {why}")));
                    }
                    if reply.status.is_client_error() && ![408, 425, 429].contains(&status) {
                        return Err(Trouble::Failed(why));
                    }
                    pause = reply.retry_after.unwrap_or(pause).min(RETRY_AFTER_MAX);
                    why
                }
                Err(lost) => lost.why,
            };
            outages += 1;
            if outages >= OUTAGES_MAX {
                return Err(kept(format!("its asset cannot be fetched: {why}")));
            }
            self.wait(pause, deadline).await?;
            pause = doubled(pause);
        }
    }

    fn whole(&self, bytes: Vec<u8>) -> Result<Result<Vec<u8>, String>, Trouble> {
        match found(&bytes, bytes.len() as u64) {
            Found::Glb => Ok(Ok(bytes)),
            Found::CutOff(length) => {
                Ok(Err(format!("its asset is incomplete: {} bytes of {length}", bytes.len())))
            }
            Found::Other => Err(Trouble::Failed(format!(
                "the answer is not a GLB; it starts with {}",
                self.client.quoted(&bytes)
            ))),
        }
    }
}

fn part_places(places: &Places, parts: &Map<String, Value>) -> Places {
    let mut places = places.clone();
    for (name, value) in parts {
        places.set(name, value.clone());
    }
    places
}

/// The content of a `data:` URL, or of plain base64.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let base64 = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,")?.1,
        None => text,
    };
    let engine = base64::engine::general_purpose::STANDARD;
    engine.decode(base64.trim()).ok()
}
