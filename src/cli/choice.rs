//! A choice of the library's as a flag's value, by the name that files and records give it.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;

/// Names with what each stands for; shown by `--help` where the second is not empty.
type Names = &'static [(&'static str, &'static str)];

/// How a pair is sent: a [`Form`](crate::rubric::Form).
pub(super) const FORMS: Names = &[
    ("sheet", "Both objects in one picture"),
    ("object", "One picture of each object"),
    ("separate", "One picture of each view"),
];

/// [`Channel`](crate::render::Channel)s.
pub(super) const CHANNELS: Names = &[
    ("rgb", "Shaded colour"),
    ("normal", "Normals of the geometry"),
    (
        "matte",
        "Shape without texture: grey clay under the same light",
    ),
    ("depth", "Depth over the bounding sphere, 16 bits"),
    ("mask", "Share of the pixel that is covered"),
];

/// [`NormalSpace`](crate::render::NormalSpace)s.
pub(super) const NORMAL_SPACES: Names = &[
    (
        "world",
        "The normalised world, with the rig's order of axes",
    ),
    ("view", "Right, up and towards the camera"),
];

/// [`Light`](crate::render::Light)s.
pub(super) const LIGHTS: Names = &[
    ("studio", "The fixed studio"),
    ("unlit", "Base colour as it is"),
];

/// Reads one of `names`, each of which `T` deserialises from.
pub(super) fn choice<T>(names: Names) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let value = |(name, help): &(&'static str, &'static str)| PossibleValue::new(*name).help(*help);
    PossibleValuesParser::new(names.iter().map(value))
        .try_map(|name| serde_json::from_value::<T>(serde_json::Value::String(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Channel, Light, NormalSpace};
    use crate::rubric::Form;

    fn each<T: DeserializeOwned>(names: Names) -> usize {
        let read = |name: &str| serde_json::from_value::<T>(name.into());
        names.iter().filter(|(name, _)| read(name).is_ok()).count()
    }

    #[test]
    fn every_name_stands_for_a_choice() {
        assert_eq!(each::<Form>(FORMS), 3);
        assert_eq!(each::<Channel>(CHANNELS), 5);
        assert_eq!(each::<NormalSpace>(NORMAL_SPACES), 2);
        assert_eq!(each::<Light>(LIGHTS), 2);
    }
}
