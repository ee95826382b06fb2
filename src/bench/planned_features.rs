//! `[[features]]` and `[[scores]]` of a benchmark file, checked.

use super::file::{
    Better, FeatureInput, FeatureNetwork, FeatureServer, FeaturesEntry, ScoresEntry,
};
use super::make::fill;
use super::photos::Photos;
use super::reference_path::ReferencePath;
use crate::ask::Drawing;
use crate::features::{
    Feature, Formula, Grouping, InputKind, ScoreSettings, Source, preprocessing,
};
use crate::judge::{EmbedSettings, EmbedShape};
use crate::load::Options;
use crate::metrics::{Metric, NoColor, PointFrame, PointSettings, QualityMetric};
use crate::options::{PointOptions, ViewOptions, given, names};
use crate::render::{Background, Channel};
use crate::rig::Rig;
use serde_json::{Value, json};
use std::path::Path;

/// Width and height of the pictures by which a model of photos is checked, if it does not resize.
const PHOTO_PX: [u32; 2] = [512; 2];

/// A feature with where its inputs come from.
#[derive(Debug, Clone)]
pub struct PlannedFeature {
    pub(super) feature: Feature,
    pub(super) origin: Origin,
    /// A published protocol that it follows.
    pub(super) preset: Option<String>,
}

/// Where inputs come from.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// Views of assets; with a pattern, of references.
    Views {
        drawing: Box<Drawing>,
        reference: Option<ReferencePath>,
        against: Option<Against>,
    },
    Points {
        settings: PointSettings,
        reference: Option<ReferencePath>,
    },
    Photo,
    /// The template.
    Text(String),
}

/// What a model sees with each view.
#[derive(Debug, Clone)]
pub(super) enum Against {
    Photo,
    /// The template.
    Text(String),
    /// The same view of that asset.
    Views(ReferencePath),
}

impl Origin {
    /// Whether its inputs belong to prompts, not to the assets of generators.
    pub(super) fn is_of_prompts(&self) -> bool {
        self.reference().is_some() || matches!(self, Self::Photo | Self::Text(_))
    }

    pub(super) fn reference(&self) -> Option<&ReferencePath> {
        match self {
            Self::Views { reference, .. } | Self::Points { reference, .. } => reference.as_ref(),
            Self::Photo | Self::Text(_) => None,
        }
    }

    pub(super) fn shows_photo(&self) -> bool {
        matches!(self, Self::Photo | Self::Views { against: Some(Against::Photo), .. })
    }

    /// Vectors of one asset.
    pub(super) fn num_views(&self) -> usize {
        match self {
            Self::Views { drawing, .. } => drawing.rig.views.len(),
            _ => 1,
        }
    }
}

/// A score with its features, by their places.
#[derive(Debug, Clone)]
pub struct PlannedScore {
    /// With its formula: `clip_i[mean]`.
    pub(super) name: String,
    pub(super) of: usize,
    /// None where the model gives the number.
    pub(super) to: Option<usize>,
    pub(super) settings: ScoreSettings,
    is_lower_better: bool,
}

impl PlannedFeature {
    /// # Errors
    /// In words: a source that is none, a setting that does not fit.
    pub(super) fn new(
        entry: &FeaturesEntry,
        folder: &Path,
        load: &Options,
        photos: &Photos,
    ) -> Result<Self, String> {
        let source = source(entry, folder)?;
        check_fit(entry, &source)?;
        let reference = entry.reference.as_ref();
        let reference = reference.map(|it| ReferencePath::new(it, folder)).transpose()?;
        let (kind, origin, inputs) = match entry.input {
            FeatureInput::Rgb => {
                let drawing = Box::new(drawing(entry, folder)?);
                let mut inputs = json!({ "protocol": drawing.protocol(load).hash() });
                let against = entry.against.as_deref().map(|it| against(it, entry, folder));
                let against = against.transpose()?;
                let (kind, with) = match &against {
                    None => (InputKind::Picture, Value::Null),
                    Some(Against::Photo) => (InputKind::Pair, json!({ "photo": photos.style })),
                    Some(Against::Text(template)) => {
                        (InputKind::Both, json!({ "template": template }))
                    }
                    Some(Against::Views(_)) => (InputKind::Pair, json!("views")),
                };
                if against.is_some() {
                    inputs["against"] = with;
                }
                (kind, Origin::Views { drawing, reference, against }, inputs)
            }
            FeatureInput::Points => {
                let settings = point_settings(entry)?;
                let inputs = json!({ "points": settings });
                (InputKind::Points(settings.count), Origin::Points { settings, reference }, inputs)
            }
            FeatureInput::Photo => {
                let inputs = json!({ "photo": photos.style });
                (InputKind::Picture, Origin::Photo, inputs)
            }
            FeatureInput::Text => {
                let template = template(entry)?;
                let inputs = json!({ "template": template });
                (InputKind::Text, Origin::Text(template), inputs)
            }
        };
        let grouping = entry.network.groups.map(|[num_centers, num_members]| Grouping {
            num_centers,
            num_members,
            skips_origin: entry.network.skip_origin.unwrap_or(false),
        });
        let steps = entry.network.preprocessing.as_ref().map(|path| {
            let resampler = entry.network.resampler.as_deref().unwrap_or("pillow");
            preprocessing(&folder.join(path), resampler).map_err(|e| e.to_string())
        });
        let feature = Feature {
            name: entry.name.clone(),
            source,
            kind,
            preprocessing: steps.transpose()?,
            picture_px: match &origin {
                Origin::Views { drawing, .. } => {
                    [drawing.settings.width_px, drawing.settings.height_px]
                }
                _ => PHOTO_PX,
            },
            grouping,
            inputs,
        };
        if matches!(feature.source, Source::Onnx { .. })
            && matches!(kind, InputKind::Picture | InputKind::Pair)
            && feature.preprocessing.is_none()
        {
            return Err("a network that sees pictures needs `preprocessing`".to_owned());
        }
        Ok(Self { feature, origin, preset: entry.preset.clone() })
    }
}

fn point_settings(entry: &FeaturesEntry) -> Result<PointSettings, String> {
    let PointOptions { count, frame, no_color, .. } = entry.points;
    let points = match entry.preset.as_deref() {
        None => entry.points,
        Some("flashvdm") if count.is_some() || frame.is_some() || no_color.is_some() => {
            return Err("`preset` decides `points`, `frame` and `no_color`".to_owned());
        }
        Some("flashvdm") => PointOptions {
            count: Some(8192),
            frame: Some(PointFrame::File),
            no_color: Some(NoColor::Flashvdm),
            ..entry.points
        },
        Some(other) => return Err(format!("{other:?} is not a preset; use flashvdm")),
    };
    Ok(points.settings(PointFrame::MeanRadius))
}

fn template(entry: &FeaturesEntry) -> Result<String, String> {
    let template = entry.template.clone().unwrap_or_else(|| "{prompt}".to_owned());
    fill(&template, &[("prompt", "text")])?;
    Ok(template)
}

fn against(what: &str, entry: &FeaturesEntry, folder: &Path) -> Result<Against, String> {
    Ok(match what {
        "photo" => Against::Photo,
        "text" => Against::Text(template(entry)?),
        path => Against::Views(ReferencePath::new(path, folder)?),
    })
}

/// A setting of another input or source would be ignored silently.
fn check_fit(entry: &FeaturesEntry, source: &Source) -> Result<(), String> {
    let (input, is_onnx) = (entry.input, matches!(source, Source::Onnx { .. }));
    let is_server = matches!(source, Source::Http { .. });
    let (is_rgb, is_points) = (input == FeatureInput::Rgb, input == FeatureInput::Points);
    let is_picture = is_rgb || input == FeatureInput::Photo;
    let is_against_text = entry.against.as_deref() == Some("text");
    let has_text = input == FeatureInput::Text || is_against_text;
    let keys = given(entry).map_err(|e| e.to_string())?;
    let has_groups = entry.network.groups.is_some();
    let rules = [
        (&["reference"][..], is_rgb || is_points, "rgb or points"),
        (&["against"], is_rgb && entry.reference.is_none(), "rgb"),
        (&["template"], has_text, "text"),
        (&["preset", "groups"], is_points, "points"),
        (&["preprocessing", "resampler"], is_picture, "rgb or photo"),
        (&["skip_origin"], has_groups, "`groups`"),
        (names::<ViewOptions>(), is_rgb, "rgb"),
        (names::<PointOptions>(), is_points, "points"),
        (names::<FeatureServer>(), is_server, "http:…"),
        (names::<FeatureNetwork>(), is_onnx, "onnx:…"),
    ];
    for (of_rule, _, with) in rules.into_iter().filter(|(_, fits, _)| !fits) {
        if let Some(key) = keys.keys().find(|key| of_rule.contains(&key.as_str())) {
            return Err(format!(
                "`{key}` does not belong to this input and source; it is for {with}"
            ));
        }
    }
    let gives_numbers =
        matches!(source, Source::Http { settings, .. } if settings.shape.is_of_both());
    let wrong = match source {
        Source::Onnx { .. } if has_text => {
            "a network's file has no tokenizer; use a server for texts (http:…)"
        }
        Source::Http { .. } if is_points => "servers take no points; give onnx:FILE",
        Source::Http { .. } if gives_numbers && !is_against_text => {
            return Err(format!("{} needs `against = \"text\"`", entry.source));
        }
        Source::Http { .. } if is_against_text && !gives_numbers => {
            "`against = \"text\"` needs http:score, http:rerank or http:pooling"
        }
        Source::Http { .. } if entry.against.is_some() && !is_against_text => {
            "only onnx:FILE compares two pictures"
        }
        _ if crate::save::file_name(&entry.name) != entry.name => {
            "its name must be usable as the name of a file"
        }
        _ => return Ok(()),
    };
    Err(wrong.to_owned())
}

fn source(entry: &FeaturesEntry, folder: &Path) -> Result<Source, String> {
    if let Some(path) = entry.source.strip_prefix("onnx:") {
        let path = folder.join(path);
        if !path.is_file() {
            return Err(format!("{path:?} does not exist"));
        }
        return Ok(Source::Onnx { path, output: entry.network.output.clone() });
    }
    if entry.source == "python" {
        return Ok(Source::Custom(None));
    }
    let shapes = EmbedShape::NAMES.map(|(name, shape)| (format!("http:{name}"), shape));
    let Some((_, shape)) = shapes.iter().find(|(name, _)| *name == entry.source) else {
        let names = shapes.map(|(name, _)| name).join(", ");
        return Err(format!("{:?} is none of onnx:FILE, python, {names}", entry.source));
    };
    let server = entry.server.clone();
    match (server.model, server.base_url) {
        (Some(model), Some(base_url)) => Ok(Source::Http {
            settings: EmbedSettings {
                shape: *shape,
                model,
                base_url,
                body: server.body.unwrap_or_default(),
            },
            key_variable: server.key_from_env,
        }),
        _ => Err("a server needs `model` and `base_url`".to_owned()),
    }
}

fn drawing(entry: &FeaturesEntry, folder: &Path) -> Result<Drawing, String> {
    if entry.views.background == Some(Background::Transparent) {
        return Err(
            "hidden colours under transparent pixels would count; give a background".to_owned()
        );
    }
    if entry.views.tile_px.is_some_and(|px| !(1..=Rig::TILE_PX_MAX).contains(&px)) {
        return Err(format!("`size_px` must be 1 to {}", Rig::TILE_PX_MAX));
    }
    let options = entry.views.in_folder(folder);
    let views = options.rig.is_none().then_some(4);
    Drawing::new(&options, "ring", views, &[Channel::Rgb]).map_err(|e| e.to_string())
}

impl PlannedScore {
    /// # Errors
    /// In words: features that are not there or do not fit, a name that is taken.
    pub(super) fn new(entry: &ScoresEntry, features: &[PlannedFeature]) -> Result<Self, String> {
        let place = |name: &String| {
            let at = features.iter().position(|it| it.feature.name == *name);
            at.ok_or_else(|| format!("there is no feature {name:?}"))
        };
        let of = place(&entry.of)?;
        let to = entry.to.as_ref().map(place).transpose()?;
        if entry.name.parse::<Metric>().is_ok() || entry.name.parse::<QualityMetric>().is_ok() {
            return Err(format!("{:?} is the name of a metric", entry.name));
        }
        let formula = entry.settings.formula;
        let of_origin = &features[of].origin;
        let gives_number = matches!(of_origin, Origin::Views { against: Some(_), .. });
        let to_origin = to.map(|at| &features[at].origin);
        let is_lower_better = match (formula, to_origin, entry.better) {
            (Formula::Value, Some(_), _) => Err("the formula value has no `to`".to_owned()),
            (Formula::Value, None, _) if of_origin.is_of_prompts() => Err(OF_ASSETS.to_owned()),
            (Formula::Value, None, None) => {
                Err("the formula value needs `better`: higher or lower".to_owned())
            }
            (Formula::Value, None, Some(better)) => Ok(better == Better::Lower),
            (_, None, _) => Err(format!("the formula {} needs `to`", formula.name())),
            (_, Some(_), _) if gives_number => Err(format!(
                "{:?} gives a number; its formula is \"value\", without `to`",
                entry.of
            )),
            (_, Some(_), Some(_)) => Err("`better` belongs to the formula value".to_owned()),
            (_, Some(to), None) => {
                check_pairing(formula, of_origin, to).map(|()| formula.is_lower_better())
            }
        }?;
        Ok(Self {
            name: match (formula, &features[of].preset) {
                (Formula::Value, None) => entry.name.clone(),
                (Formula::Value, Some(preset)) => format!("{}[{preset}]", entry.name),
                (_, None) => format!("{}[{}]", entry.name, formula.name()),
                (_, Some(preset)) => format!("{}[{}, {preset}]", entry.name, formula.name()),
            },
            of,
            to,
            settings: entry.settings,
            is_lower_better,
        })
    }

    /// Everything that decides the number: the formula and both features.
    pub(super) fn definition(&self, of: &Value, to: Option<&Value>) -> Value {
        let formula = self.settings.formula;
        let (low, high) = formula.range();
        // JSON has no infinity: a bound that is missing is none.
        let bound = |value: f64| value.is_finite().then_some(value);
        json!({
            "score": self.settings, "of": of, "to": to, "samples": "prompts",
            "is_lower_better": self.is_lower_better, "range": [bound(low), bound(high)],
        })
    }
}

const OF_ASSETS: &str =
    "`of` must be a feature of the generators' assets (rgb or points without `reference`)";

fn check_pairing(formula: Formula, of: &Origin, to: &Origin) -> Result<(), String> {
    if of.is_of_prompts() || !to.is_of_prompts() {
        return Err(format!(
            "{OF_ASSETS}, and `to` one of prompts (photo, text, or with `reference`)"
        ));
    }
    let (views, wanted) = (of.num_views(), to.num_views());
    if formula.is_of_set() || wanted == 1 || wanted == views {
        return Ok(());
    }
    Err(format!(
        "{views} views of an asset cannot be paired with {wanted} views of its reference; give both the same cameras"
    ))
}

/// All entries, in order.
///
/// # Errors
/// In words, with the entry's name.
pub(super) fn planned(
    features: &[FeaturesEntry],
    scores: &[ScoresEntry],
    folder: &Path,
    load: &Options,
    photos: &Photos,
) -> Result<(Vec<PlannedFeature>, Vec<PlannedScore>), String> {
    let mut planned: Vec<PlannedFeature> = Vec::new();
    for entry in features {
        let wrong = |reason: String| format!("`features`, {:?}: {reason}", entry.name);
        if planned.iter().any(|it| it.feature.name == entry.name) {
            return Err(wrong("the name occurs twice".to_owned()));
        }
        planned.push(PlannedFeature::new(entry, folder, load, photos).map_err(wrong)?);
    }
    let mut named: Vec<PlannedScore> = Vec::new();
    for entry in scores {
        let wrong = |reason: String| format!("`scores`, {:?}: {reason}", entry.name);
        let score = PlannedScore::new(entry, &planned).map_err(wrong)?;
        if named.iter().any(|it| it.name == score.name) {
            return Err(wrong("the name occurs twice with this formula".to_owned()));
        }
        named.push(score);
    }
    Ok((planned, named))
}
