//! An HTTP generator as written (requests and JSON pointers, in steps), and the built-in ones.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One job of a service: submitted, polled, and its asset fetched.
///
/// Texts can contain the placeholders of generators and `{base_url}`, entries of `values`, values
/// taken from replies (`{id}`), and those that earlier steps took (`{preview.id}`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepEntry {
    /// Its name in later steps.
    pub name: Option<String>,
    /// The request that starts the job.
    pub submit: RequestEntry,
    /// Values taken from its reply: a name and a JSON pointer, `id = "/result"`.
    #[serde(default)]
    pub take: BTreeMap<String, String>,
    /// The request for the job's state, repeated until it has ended. Without it the reply to
    /// `submit` has the asset.
    pub poll: Option<PollEntry>,
    /// JSON pointer to the state in the poll's reply; `*` means every entry of a list or object.
    /// Without it any reply is the end.
    pub status: Option<String>,
    /// States of a finished job; with `*` all states must be among them.
    #[serde(default)]
    pub done: Vec<String>,
    /// Failure states; with `*` one is enough. Others are pending, until `timeout_secs`.
    #[serde(default)]
    pub failed: Vec<String>,
    /// States of a job that was refused for its content, which is not tried again.
    #[serde(default)]
    pub refused: Vec<String>,
    /// JSON pointer to a field in the poll's reply that only failed jobs have, in any state.
    pub error: Option<String>,
    /// JSON pointer to the reason of a failure.
    pub reason: Option<String>,
    /// A further request, once the job is done, whose reply has the asset.
    pub result: Option<RequestEntry>,
    /// JSON pointer to the asset: an address, a data: URL, base64; or a list or object that
    /// contains one, of which a .glb is taken. With several pointers, the first one with a value.
    pub asset: Option<Pointers>,
    /// The asset's address if the reply has only its parts: fields at `asset` are placeholders.
    pub asset_url: Option<String>,
    /// Whether the reply itself is the asset.
    #[serde(default)]
    pub body: bool,
}

/// One JSON pointer, or several to be tried one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "a JSON pointer, or a list of JSON pointers")]
pub enum Pointers {
    One(String),
    Several(Vec<String>),
}

impl Pointers {
    pub fn each(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// A request.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RequestEntry {
    /// GET, POST or PUT. Default: POST for `submit`, GET for others.
    pub method: Option<String>,
    pub url: String,
    /// Additional headers; keys belong in the environment.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// A JSON body. A text that is only a placeholder becomes that value, number or object.
    pub json: Option<Map<String, Value>>,
    /// A form's fields, instead of `json`.
    pub form: Option<BTreeMap<String, String>>,
    /// A form's files: the field, and `image` or `mask` of the prompt.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// A request that is repeated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PollEntry {
    /// GET or POST. Default: GET.
    pub method: Option<String>,
    pub url: String,
    /// A JSON body.
    pub json: Option<Map<String, Value>>,
    /// Polling interval at first, in seconds. Default: 5.
    pub every_secs: Option<f64>,
    /// HTTP statuses of a pending job.
    #[serde(default)]
    pub pending_http: Vec<u16>,
}

/// A built-in description.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::unstable::bench) struct ApiFile {
    pub base_url: String,
    /// The environment variable with the key; none for a server without keys.
    pub key_env: Option<String>,
    /// The value of the header `Authorization`, with `{key}`.
    pub key_value: Option<String>,
    /// Whether assets cost money.
    #[serde(default)]
    pub is_paid: bool,
    /// Parallel jobs.
    pub in_flight: usize,
    /// Values that an entry can override.
    #[serde(default)]
    pub values: Map<String, Value>,
    /// Values that an entry must give, each with a description.
    #[serde(default)]
    pub required: BTreeMap<String, String>,
    pub steps: Vec<StepEntry>,
}

/// Names and descriptions.
const BUILT_IN: [(&str, &str); 10] = [
    ("comfyui", include_str!("../../../assets/apis/comfyui.toml")),
    ("fal", include_str!("../../../assets/apis/fal.toml")),
    ("hunyuan3d", include_str!("../../../assets/apis/hunyuan3d.toml")),
    ("hunyuan3d-text", include_str!("../../../assets/apis/hunyuan3d-text.toml")),
    ("meshy", include_str!("../../../assets/apis/meshy.toml")),
    ("meshy-image", include_str!("../../../assets/apis/meshy-image.toml")),
    ("replicate", include_str!("../../../assets/apis/replicate.toml")),
    ("rodin", include_str!("../../../assets/apis/rodin.toml")),
    ("stability", include_str!("../../../assets/apis/stability.toml")),
    ("tripo", include_str!("../../../assets/apis/tripo.toml")),
];

impl ApiFile {
    /// A description by its name.
    ///
    /// # Errors
    /// An unknown name, with the known ones.
    pub(in crate::unstable::bench) fn built_in(name: &str) -> Result<Self, String> {
        let found = BUILT_IN.iter().find(|(known, _)| *known == name);
        let Some((_, text)) = found else {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "unknown `api` {name:?}; use {}, or describe another service by `steps`",
                names.join(", ")
            ));
        };
        toml::from_str(text).map_err(|e| format!("the description of {name} is broken ({e})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_description_is_understood() {
        for (name, _) in BUILT_IN {
            let api = ApiFile::built_in(name).unwrap();
            let last = api.steps.last().unwrap();
            assert!(last.body || last.asset.is_some(), "{name}");
            assert_eq!(api.key_env.is_some(), api.is_paid, "{name}");
            for step in &api.steps {
                assert_eq!(step.status.is_some(), step.poll.is_some(), "{name}");
            }
        }
        assert!(ApiFile::built_in("nobody").unwrap_err().contains("tripo"));
    }
}
