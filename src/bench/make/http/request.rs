//! The requests of a description for one asset: address, headers, body.

use super::client::{Body, Lost, Reply};
use super::endpoint::{Endpoint, method};
use super::places::Places;
use crate::bench::file::RequestEntry;
use crate::bench::make::job::AssetSpec;
use base64::Engine;
use reqwest::Method;
use serde_json::Value;
use std::path::Path;
use tokio::time::Instant;

/// Photos beyond this are not sent: 64 MiB.
const IMAGE_BYTES_MAX: u64 = 64 << 20;

impl Endpoint {
    /// Everything that texts may hold of an asset.
    pub(super) fn places(&self, spec: &AssetSpec<'_>) -> Result<Places, String> {
        let mut own = Places::default();
        own.set("prompt_id", spec.prompt.id.clone().into());
        own.set("prompt", spec.prompt.text.clone().into());
        own.set("seed", spec.seed.into());
        own.set("method", spec.method.into());
        let described = serde_json::to_string(&(&self.steps, &self.values)).unwrap_or_default();
        let mut image = |name: &str, prefix: fn(&Path) -> String| -> Result<(), String> {
            let is_used = described.contains(&format!("{{{name}}}"));
            let value = match spec.prompt.image() {
                Some(path) if is_used => prefix(path) + &base64_of(path)?,
                None if is_used && !self.is_plain => {
                    return Err("its prompt has no `image`, which this generator needs".to_owned());
                }
                _ => String::new(),
            };
            own.set(name, value.into());
            Ok(())
        };
        image("image_base64", |_| String::new())?;
        image("image_data_url", |path| format!("data:{};base64,", media_type(path)))?;
        // Files that are taken in have places of their own.
        let mut places = own.clone();
        for (name, value) in &self.values {
            let filled = match value {
                Value::Object(_) | Value::Array(_) => own.json(value)?,
                plain => plain.clone(),
            };
            places.set(name, filled);
        }
        Ok(places)
    }

    pub(super) async fn ask(
        &self,
        request: &RequestEntry,
        usual: &Method,
        places: &Places,
        spec: Option<&AssetSpec<'_>>,
        deadline: Instant,
    ) -> Result<Reply, Lost> {
        let named = request.method.as_deref().map(method).transpose();
        let named = named.map_err(Lost::unsent)?.unwrap_or_else(|| usual.clone());
        let url = places.url(&request.url).map_err(Lost::unsent)?;
        let headers = request
            .headers
            .iter()
            .map(|(name, value)| Ok((name.clone(), places.text(value)?)))
            .collect::<Result<Vec<_>, String>>()
            .map_err(Lost::unsent)?;
        let body = match spec {
            Some(spec) => self.body(request, places, spec),
            None => json_body(request, places),
        };
        let body = body.map_err(Lost::unsent)?;
        let left = deadline.saturating_duration_since(Instant::now());
        self.client.send(named, &url, &headers, body, left).await
    }

    pub(super) fn body(
        &self,
        request: &RequestEntry,
        places: &Places,
        spec: &AssetSpec<'_>,
    ) -> Result<Body, String> {
        if request.form.is_none() && request.files.is_empty() {
            return json_body(request, places);
        }
        let fields = request
            .form
            .iter()
            .flatten()
            .map(|(name, text)| Ok((name.clone(), places.text(text)?)))
            .collect::<Result<Vec<_>, String>>()?;
        let files = request
            .files
            .iter()
            .map(|(field, what)| {
                let path = match what.as_str() {
                    "mask" => spec.prompt.mask(),
                    _ => spec.prompt.image(),
                };
                let path = path.ok_or_else(|| {
                    format!("its prompt has no `{what}`, which this generator needs")
                })?;
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                Ok((field.clone(), name.into_owned(), photo(path)?))
            })
            .collect::<Result<Vec<_>, String>>()?;
        Ok(Body::Form(fields, files))
    }
}

fn json_body(request: &RequestEntry, places: &Places) -> Result<Body, String> {
    Ok(match &request.json {
        Some(json) => Body::Json(places.json(&Value::Object(json.clone()))?),
        None => Body::None,
    })
}

fn media_type(path: &Path) -> &'static str {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    match extension.to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        _ => "image/png",
    }
}

fn base64_of(path: &Path) -> Result<String, String> {
    Ok(base64::engine::general_purpose::STANDARD.encode(photo(path)?))
}

fn photo(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |reason: String| format!("the photo cannot be read ({reason}): {path:?}");
    let size = std::fs::metadata(path).map_err(|e| failed(e.to_string()))?.len();
    if size > IMAGE_BYTES_MAX {
        return Err(failed(format!("{size} bytes; the limit is {IMAGE_BYTES_MAX}")));
    }
    std::fs::read(path).map_err(|e| failed(e.to_string()))
}
