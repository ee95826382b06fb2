//! A service as an entry of the file describes it, checked before anything is sent.

use super::client::Client;
use super::places::Places;
use super::secrets::{redacted_url, secrets_in, texts_of};
use crate::bench::file::{ApiFile, GeneratorEntry, PollEntry, RequestEntry, StepEntry};
use crate::bench::make::pattern::escaped;
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// A JSON file that a description takes in: 16 MiB.
const JSON_BYTES_MAX: u64 = 16 << 20;

/// Jobs at a time of a description that says nothing else.
const IN_FLIGHT: usize = 4;

/// Each is a thread.
const IN_FLIGHT_MAX: usize = 256;

/// Names that no value and nothing taken from a reply may have: the asset's own.
const OWN_PLACES: [&str; 7] =
    ["prompt_id", "prompt", "seed", "method", "image_base64", "image_data_url", "base_url"];

/// A service and how it is asked.
#[derive(Debug)]
pub struct Endpoint {
    pub(super) steps: Vec<StepEntry>,
    /// From `values`, `json_files` and `base_url`.
    pub(super) values: Map<String, Value>,
    pub(super) client: Client,
    /// For one job.
    pub(super) timeout: Duration,
    /// Tries after a failed one.
    pub(super) retries: u32,
    /// US dollars an asset, where it is stated.
    pub cost_usd: Option<f64>,
    /// Jobs at a time, for a service that has its own limit.
    pub in_flight: Option<usize>,
    /// Whether it was described by `url` and `json`.
    pub(super) is_plain: bool,
}

impl Endpoint {
    /// Checks an entry of the file; its files are relative to `folder`.
    ///
    /// # Errors
    /// The reason; it never contains the value of a header.
    pub fn new(entry: &GeneratorEntry, folder: &Path, timeout: Duration) -> Result<Self, String> {
        let api = entry.api.as_deref().map(ApiFile::built_in).transpose()?;
        let mut steps = match (&api, &entry.url) {
            (Some(api), _) => api.steps.clone(),
            (None, Some(url)) => vec![plain(url, entry)],
            (None, None) => entry.steps.clone(),
        };
        if entry.url.is_none()
            && let (Some(over), Some(first)) = (&entry.json, steps.first_mut())
        {
            lay_over(&mut first.submit, over)?;
        }
        if let Some(every_secs) = entry.every_secs {
            for poll in steps.iter_mut().filter_map(|step| step.poll.as_mut()) {
                poll.every_secs = Some(every_secs);
            }
        }
        let values = values(entry, api.as_ref(), folder)?;
        let mut probe = Places::default();
        for name in OWN_PLACES {
            probe.set(name, Value::from("x"));
        }
        for value in values.values().filter(|value| value.is_object() || value.is_array()) {
            probe.json(value)?;
        }
        for (name, value) in &values {
            probe.set(name, value.clone());
        }
        check(&steps, &probe)?;
        let first = steps[0].submit.url.as_str();
        let origin = probe.url(first)?;
        let shown = redacted_url(&origin);
        let origin: reqwest::Url =
            origin.parse().map_err(|e| format!("`url` is not an address ({e})"))?;
        if !["http", "https"].contains(&origin.scheme()) {
            return Err(format!("`url` {shown} must begin with http:// or https://"));
        }
        let mut keys: Vec<(String, String, String)> = entry
            .headers_from_env
            .iter()
            .map(|(name, variable)| (name.clone(), variable.clone(), "{key}".to_owned()))
            .collect();
        let built_in = api.as_ref();
        let variable = entry.key_from_env.as_ref();
        let variable = variable.or(built_in.and_then(|api| api.key_env.as_ref()));
        if let Some(variable) = variable {
            let template = built_in.and_then(|api| api.key_value.clone());
            let template = template.unwrap_or_else(|| "Bearer {key}".to_owned());
            keys.push(("Authorization".to_owned(), variable.clone(), template));
        }
        if let Some(usd) = entry.cost_usd
            && !(usd.is_finite() && usd >= 0.0)
        {
            return Err("`cost_usd` must be 0 or more US dollars".to_owned());
        }
        if entry.in_flight.is_some_and(|jobs| !(1..=IN_FLIGHT_MAX).contains(&jobs)) {
            return Err(format!("`in_flight` must be between 1 and {IN_FLIGHT_MAX}"));
        }
        let own = if entry.url.is_some() {
            None
        } else {
            Some(built_in.map_or(IN_FLIGHT, |api| api.in_flight))
        };
        let bodies = steps.iter().filter_map(|step| step.submit.json.as_ref());
        let named = bodies.chain([&values]).flatten();
        let written = secrets_in(named.flat_map(|(name, value)| texts_of(name, value)));
        Ok(Self {
            client: Client::new(origin, &keys, written)?,
            steps,
            values,
            timeout,
            retries: entry.retries.unwrap_or(1),
            cost_usd: entry.cost_usd,
            in_flight: entry.in_flight.or(own),
            is_plain: entry.url.is_some(),
        })
    }

    /// A message without the secrets of its entry.
    pub(in crate::unstable::bench::make) fn scrub(&self, text: String) -> String {
        self.client.scrub(text)
    }

    /// Why its service cannot be asked; none where every key is there.
    pub(in crate::unstable::bench::make) fn missing_key(&self) -> Option<&str> {
        self.client.missing_key()
    }

    /// Everything that decides the asset, for its recipe.
    pub(in crate::unstable::bench::make) fn described(&self) -> Value {
        match self.steps.as_slice() {
            // As it has been since before there were steps.
            [step] if self.is_plain => json!([self.client.address(), step.submit.json]),
            steps => json!(["steps", steps, self.values]),
        }
    }
}

/// Whether a limit in money can be kept with this entry.
///
/// # Errors
/// The missing information, in words.
pub(in crate::unstable::bench) fn checked_cost(
    entry: &GeneratorEntry,
    max_cost_usd: Option<f64>,
) -> Result<(), String> {
    let Some(name) = &entry.api else {
        return Ok(());
    };
    let is_paid = ApiFile::built_in(name)?.is_paid;
    match (is_paid && entry.cost_usd.is_none(), max_cost_usd) {
        (true, Some(_)) => Err(format!(
            "the budget limits dollars, but the cost of an asset of {name} is unknown; give `cost_usd`"
        )),
        _ => Ok(()),
    }
}

/// A server that answers with the asset.
fn plain(url: &str, entry: &GeneratorEntry) -> StepEntry {
    let json = entry.json.clone().unwrap_or_else(|| {
        let body = json!({"prompt": "{prompt}", "prompt_id": "{prompt_id}", "seed": "{seed}"});
        body.as_object().cloned().unwrap_or_default()
    });
    StepEntry {
        submit: RequestEntry {
            // An address may hold braces of its own, and never had places.
            url: escaped(url),
            json: Some(json),
            ..RequestEntry::default()
        },
        body: true,
        ..StepEntry::default()
    }
}

/// Fields of an entry's `json` replace those of the description's first request, or join them.
fn lay_over(request: &mut RequestEntry, over: &Map<String, Value>) -> Result<(), String> {
    if request.json.is_some() || (request.form.is_none() && request.files.is_empty()) {
        let json = request.json.get_or_insert_default();
        json.extend(over.clone());
        return Ok(());
    }
    let form = request.form.get_or_insert_default();
    for (name, value) in over {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => {
                return Err(format!(
                    "`json.{name}` is a field of a form, so it must be a text or a number"
                ));
            }
        };
        form.insert(name.clone(), text);
    }
    Ok(())
}

fn values(
    entry: &GeneratorEntry,
    api: Option<&ApiFile>,
    folder: &Path,
) -> Result<Map<String, Value>, String> {
    let mut values = api.map(|api| api.values.clone()).unwrap_or_default();
    values.extend(entry.values.clone());
    for (name, file) in &entry.json_files {
        let path = folder.join(file);
        let text = crate::rubric::read_text(&path, JSON_BYTES_MAX)
            .map_err(|e| format!("`json_files.{name}` cannot be read ({e}): {path:?}"))?;
        let json = serde_json::from_str(&text)
            .map_err(|e| format!("`json_files.{name}` is not JSON ({e}): {path:?}"))?;
        values.insert(name.clone(), json);
    }
    for name in OWN_PLACES {
        if values.contains_key(name) {
            return Err(format!(
                "`values` has {name:?}, which is already a placeholder; choose another name"
            ));
        }
    }
    if let Some(api) = api {
        for (name, what) in &api.required {
            if !values.contains_key(name) {
                return Err(format!("`values` has no {name}: {what}"));
            }
        }
    }
    let base_url = entry.base_url.as_ref().or(api.map(|api| &api.base_url));
    if let Some(base_url) = base_url {
        let base_url = base_url.trim_end_matches('/');
        values.insert("base_url".to_owned(), base_url.into());
    }
    Ok(values)
}

/// Every place is known and every pointer is one, before anything is sent.
fn check(steps: &[StepEntry], probe: &Places) -> Result<(), String> {
    let Some(last) = steps.last() else {
        return Err("`steps` is empty; describe at least one".to_owned());
    };
    if !last.body && last.asset.is_none() {
        return Err("the last of `steps` has neither `asset` nor `body`".to_owned());
    }
    let mut probe = probe.clone();
    let is_pointer = |text: &String| text.is_empty() || text.starts_with('/');
    for step in steps {
        let request = |request: &RequestEntry, probe: &Places| -> Result<(), String> {
            probe.url(&request.url)?;
            request.method.as_deref().map(method).transpose()?;
            for text in
                (request.headers.values()).chain(request.form.iter().flat_map(|f| f.values()))
            {
                probe.text(text)?;
            }
            if let Some(json) = &request.json {
                probe.json(&Value::Object(json.clone()))?;
            }
            match request.files.values().find(|what| !["image", "mask"].contains(&what.as_str())) {
                Some(what) => Err(format!("`files` has {what:?}; a prompt has `image` and `mask`")),
                None => Ok(()),
            }
        };
        request(&step.submit, &probe)?;
        for name in step.take.keys() {
            if OWN_PLACES.contains(&name.as_str()) {
                return Err(format!(
                    "`take` has {name:?}, which is already a placeholder; choose another name"
                ));
            }
            probe.set(name, Value::from("x"));
            if let Some(step) = &step.name {
                probe.set(&format!("{step}.{name}"), Value::from("x"));
            }
        }
        if let Some(poll) = &step.poll {
            request(&request_of(poll), &probe)?;
            let every_secs = poll.every_secs.unwrap_or(1.0);
            if !(0.01..=3600.0).contains(&every_secs) {
                return Err("`every_secs` must be between 0.01 and 3600".to_owned());
            }
            if step.status.is_some() && step.done.is_empty() {
                return Err("`status` needs `done`, the states of a job that is done".to_owned());
            }
        }
        if let Some(result) = &step.result {
            request(result, &probe)?;
        }
        let pointers = step
            .take
            .values()
            .chain(&step.status)
            .chain(&step.error)
            .chain(&step.reason)
            .chain(step.asset.iter().flat_map(|asset| asset.each()));
        for pointer in pointers {
            probe.pointer(pointer)?;
            if !is_pointer(pointer) {
                return Err(format!(
                    "{pointer:?} is not a JSON pointer; it must start with /, as in \"/data/id\""
                ));
            }
        }
    }
    Ok(())
}

/// A name as HTTP has it.
pub(super) fn method(name: &str) -> Result<Method, String> {
    match name {
        "GET" => Ok(Method::GET),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        _ => Err(format!("`method` is {name:?}; use GET, POST or PUT")),
    }
}

pub(super) fn request_of(poll: &PollEntry) -> RequestEntry {
    RequestEntry {
        method: poll.method.clone(),
        url: poll.url.clone(),
        json: poll.json.clone(),
        ..RequestEntry::default()
    }
}
