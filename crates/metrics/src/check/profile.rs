//! A profile's TOML → [`Profile`], every limit checked. The built-in ones are
//! `assets/profiles/*.toml`.

use super::bound::{Bound, BoundError};
use crate::metrics::QualityMetric;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What a broken limit means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The asset is not ready.
    #[default]
    Fail,
    /// It is shown.
    Warn,
}

/// One figure with its bound.
#[derive(Debug, Clone)]
pub struct Limit {
    pub figure: QualityMetric,
    pub bound: Bound,
    pub severity: Severity,
    /// Whether an asset without the figure can be ready: one without textures has no gutter.
    pub skip_missing: bool,
    /// For people: what goes wrong otherwise.
    pub why: String,
}

/// A list of limits.
#[derive(Debug, Clone)]
pub struct Profile {
    pub name: String,
    /// Where its bounds come from.
    pub source: String,
    /// In one unit of files whose format has none.
    pub metres_per_unit: Option<f64>,
    pub limits: Vec<Limit>,
    /// BLAKE3 of its text, 64 hexadecimal digits.
    pub hash: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    #[error("unknown profile {name:?}; use one of {}, or a .toml file", Profile::builtin_names())]
    Unknown { name: String },
    #[error("cannot read the profile ({source}): {path:?}")]
    Read { source: std::io::Error, path: PathBuf },
    #[error("not a profile ({reason}); docs/METRICS.md has an example: {origin:?}")]
    Parse { reason: String, origin: String },
    #[error(
        "unknown figure {name:?}; the nearest is {nearest:?}, and docs/METRICS.md lists all: {origin:?}"
    )]
    Figure { name: String, nearest: &'static str, origin: String },
    #[error("the limit on {figure} {reason}: {origin:?}")]
    Bound { figure: &'static str, reason: BoundError, origin: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    name: String,
    #[serde(default)]
    source: String,
    unit: Option<String>,
    limits: Vec<LimitEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitEntry {
    figure: String,
    at_least: Option<toml::Value>,
    at_most: Option<toml::Value>,
    is: Option<bool>,
    #[serde(default)]
    severity: Severity,
    #[serde(default)]
    skip_missing: bool,
    why: String,
}

impl Profile {
    /// Largest file read: 1 MiB.
    const FILE_BYTES_MAX: u64 = 1 << 20;

    const BUILTIN: [(&str, &str); 5] = [
        ("game", include_str!("../../assets/profiles/game.toml")),
        ("web", include_str!("../../assets/profiles/web.toml")),
        ("print", include_str!("../../assets/profiles/print.toml")),
        ("vrchat", include_str!("../../assets/profiles/vrchat.toml")),
        ("3d-commerce", include_str!("../../assets/profiles/3d-commerce.toml")),
    ];

    /// With commas.
    pub fn builtin_names() -> String {
        Self::BUILTIN.map(|(name, _)| name).join(", ")
    }

    /// A built-in name, or a `.toml` file.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn open(name: &str) -> Result<Self, ProfileError> {
        if let Some((_, text)) = Self::BUILTIN.iter().find(|(known, _)| *known == name) {
            return Self::parse(text, name);
        }
        if !Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            return Err(ProfileError::Unknown { name: name.to_owned() });
        }
        let read = |path: &Path| -> std::io::Result<String> {
            if std::fs::metadata(path)?.len() > Self::FILE_BYTES_MAX {
                return Err(std::io::Error::other("it has more than 1 MiB"));
            }
            std::fs::read_to_string(path)
        };
        let text = read(Path::new(name))
            .map_err(|source| ProfileError::Read { source, path: name.into() })?;
        Self::parse(&text, name)
    }

    /// `origin` is for messages.
    ///
    /// # Errors
    /// [`ProfileError`].
    pub fn parse(text: &str, origin: &str) -> Result<Self, ProfileError> {
        let origin = origin.to_owned();
        let parse = |reason: String| ProfileError::Parse { reason, origin: origin.clone() };
        let file: ProfileFile =
            toml::from_str(text).map_err(|e| parse(e.to_string().trim_end().replace('\n', " ")))?;
        let metres_per_unit = file.unit.map(|unit| metres(&unit).map_err(parse)).transpose()?;
        let limits = file.limits.into_iter().map(|entry| limit(entry, &origin));
        let limits: Vec<Limit> = limits.collect::<Result<_, _>>()?;
        if limits.is_empty() {
            return Err(parse("it has no limits".to_owned()));
        }
        let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
        Ok(Self { name: file.name, source: file.source, metres_per_unit, limits, hash })
    }
}

/// Metres in a unit of length.
///
/// # Errors
/// In words: an unknown unit.
pub fn metres(unit: &str) -> Result<f64, String> {
    match unit {
        "mm" => Ok(1e-3),
        "cm" => Ok(1e-2),
        "m" => Ok(1.0),
        "in" => Ok(0.0254),
        _ => Err(format!("unknown unit {unit:?}; use mm, cm, m or in")),
    }
}

fn limit(entry: LimitEntry, origin: &str) -> Result<Limit, ProfileError> {
    let LimitEntry { figure: name, at_least, at_most, is, severity, skip_missing, why } = entry;
    let figure: QualityMetric = name.parse().map_err(|_| ProfileError::Figure {
        nearest: nearest(&name),
        name: name.clone(),
        origin: origin.to_owned(),
    })?;
    let bound = Bound::new(figure.quantity(), at_least.as_ref(), at_most.as_ref(), is);
    let bound = bound.map_err(|reason| ProfileError::Bound {
        figure: figure.name(),
        reason,
        origin: origin.to_owned(),
    })?;
    Ok(Limit { figure, bound, severity, skip_missing, why })
}

/// The known figure with the fewest letters to change.
fn nearest(name: &str) -> &'static str {
    let names = QualityMetric::all().map(QualityMetric::name);
    names.min_by_key(|known| strsim::osa_distance(name, known)).unwrap_or_default()
}
