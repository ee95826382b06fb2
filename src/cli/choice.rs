//! An enum of the library as the value of a flag, by the name that files and records use.

use crate::render::Channel;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;

type Names = &'static [&'static str];

/// How a pair is sent: a [`Form`](crate::rubric::Form).
pub(super) const FORMS: Names = &["sheet", "object", "separate", "strip"];

/// [`Fronts`](crate::front::Fronts).
pub(super) const FRONTS: Names = &["file", "common", "photo"];

/// [`Channel`](crate::render::Channel)s.
pub(super) const CHANNELS: [&str; Channel::ALL.len()] = {
    let mut names = [""; Channel::ALL.len()];
    let mut k = 0;
    while k < names.len() {
        names[k] = Channel::ALL[k].name();
        k += 1;
    }
    names
};

/// [`NormalSpace`](crate::render::NormalSpace)s.
pub(super) const NORMAL_SPACES: Names = &["world", "view"];

/// [`Light`](crate::render::Light)s.
pub(super) const LIGHTS: Names = &["studio", "unlit"];

/// [`Align`](crate::metrics::Align)s.
pub(super) const ALIGNMENTS: Names = &["none", "box", "axes", "search"];

/// [`Ground`](crate::metrics::Ground)s.
pub(super) const GROUNDS: Names = &["white", "black", "grey"];

/// [`Unit`](crate::metrics::Unit)s.
pub(super) const UNITS: Names = &["longest", "diagonal", "file"];

/// [`PictureFormat`](crate::front::PictureFormat)s.
pub(super) const PICTURE_FORMATS: Names = &["png", "jpeg", "webp", "exr", "npy"];

/// [`ReportFormat`](crate::report::ReportFormat)s.
pub(super) const REPORT_FORMATS: Names = &["html", "md", "json", "csv", "tex", "bib", "svg"];

/// [`MtlTint`](crate::load::MtlTint)s.
pub(super) const MTL_TINTS: Names = &["apply", "ignore"];

/// [`Points`](crate::load::Points).
pub(super) const POINTS: Names = &["alone", "always"];

/// [`NormalsPolicy`](crate::load::NormalsPolicy).
pub(super) const NORMALS: Names = &["file", "flat", "smooth"];

/// [`RatingsBy`](crate::exchange::RatingsBy).
pub(super) const RATINGS_BY: Names = &["mean", "rater"];

/// [`VertexColors`](crate::load::VertexColors).
pub(super) const VERTEX_COLORS: Names = &["linear", "srgb"];

/// [`PointFrame`](crate::metrics::PointFrame)s.
pub(super) const POINT_FRAMES: Names = &["file", "mean-radius"];

/// [`UpAxis`](crate::metrics::UpAxis)es.
pub(super) const UP_AXES: Names = &["y", "swapped-yz"];

/// [`NoColor`](crate::metrics::NoColor)s.
pub(super) const NO_COLORS: Names = &["grey", "white", "flashvdm"];

/// Reads one of `names`, each of which `T` deserialises from.
pub(super) fn choice<T>(names: Names) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names)
        .try_map(|name| serde_json::from_value::<T>(serde_json::Value::String(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{Align, Ground, Unit};
    use crate::render::{Light, NormalSpace};
    use crate::rubric::Form;

    fn each<T: DeserializeOwned>(names: Names) -> usize {
        let read = |name: &str| serde_json::from_value::<T>(name.into());
        names.iter().filter(|name| read(name).is_ok()).count()
    }

    #[test]
    fn every_name_stands_for_a_choice() {
        assert_eq!(each::<Form>(FORMS), 4);
        assert_eq!(each::<crate::front::Fronts>(FRONTS), 3);
        assert_eq!(each::<Channel>(&CHANNELS), Channel::ALL.len());
        assert_eq!(each::<NormalSpace>(NORMAL_SPACES), 2);
        assert_eq!(each::<Light>(LIGHTS), 2);
        assert_eq!(each::<Align>(ALIGNMENTS), 4);
        assert_eq!(each::<Unit>(UNITS), 3);
        assert_eq!(each::<Ground>(GROUNDS), 3);
        assert_eq!(each::<crate::report::ReportFormat>(REPORT_FORMATS), 7);
        assert_eq!(each::<crate::load::MtlTint>(MTL_TINTS), 2);
        assert_eq!(each::<crate::load::Points>(POINTS), 2);
        assert_eq!(each::<crate::load::VertexColors>(VERTEX_COLORS), 2);
        assert_eq!(each::<crate::load::NormalsPolicy>(NORMALS), 3);
        assert_eq!(each::<crate::exchange::RatingsBy>(RATINGS_BY), 2);
        assert_eq!(each::<crate::front::PictureFormat>(PICTURE_FORMATS), 5);
    }
}
