//! Every limit of a profile on one asset.

use super::profile::{Limit, Profile, Severity};
use super::report::ValidatorReport;
use crate::load::Loaded;
use crate::metrics::Facts;
use serde::Serialize;

/// The state of one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Passed,
    Warned,
    Failed,
    NotMeasured,
}

/// One limit on one asset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    pub figure: &'static str,
    pub state: State,
    /// In the unit of the bound.
    pub value: Option<f64>,
    /// As in `at most 5 MiB`.
    pub limit: String,
    /// The value with its unit, or why there is none.
    pub found: String,
    /// Whether the asset is not ready because of it.
    pub is_blocking: bool,
    pub why: String,
    /// Meshes, materials, textures, nodes or the validator's messages, the worst first, at most
    /// [`Checked::PLACES_MAX`].
    pub places: Vec<String>,
}

impl Checked {
    pub const PLACES_MAX: usize = 8;
}

/// Whether nothing blocks.
pub fn is_ready(checked: &[Checked]) -> bool {
    !checked.iter().any(|limit| limit.is_blocking)
}

/// What decides a check apart from the asset and the profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions<'a> {
    /// Metres in one unit of the file, instead of that of its format or of the profile.
    pub metres_per_unit: Option<f64>,
    pub report: Option<&'a ValidatorReport>,
}

/// Every limit of the profile, in its order. `file_bytes` are those of the main file only.
pub fn check(
    loaded: &Loaded,
    file_bytes: u64,
    profile: &Profile,
    options: &CheckOptions<'_>,
) -> Vec<Checked> {
    let issues = options.report.map(|report| [report.num_errors, report.num_warnings]);
    let facts = Facts::new(loaded, file_bytes, issues);
    let of_format = loaded.file.is_in_metres.then_some(1.0);
    let metres = options.metres_per_unit.or(of_format).or(profile.metres_per_unit);
    profile.limits.iter().map(|limit| one(limit, &facts, metres, options.report)).collect()
}

/// For an asset without surfaces.
pub fn not_measured(profile: &Profile, reason: &str) -> Vec<Checked> {
    let each = |limit: &Limit| Checked {
        found: reason.to_owned(),
        is_blocking: limit.severity == Severity::Fail,
        ..row(limit, State::NotMeasured)
    };
    profile.limits.iter().map(each).collect()
}

fn row(limit: &Limit, state: State) -> Checked {
    Checked {
        figure: limit.figure.name(),
        state,
        value: None,
        limit: limit.bound.to_string(),
        found: String::new(),
        is_blocking: false,
        why: limit.why.clone(),
        places: Vec::new(),
    }
}

fn one(
    limit: &Limit,
    facts: &Facts<'_>,
    metres: Option<f64>,
    report: Option<&ValidatorReport>,
) -> Checked {
    let measured = limit.figure.value(facts).map_err(str::to_owned).and_then(|value| {
        limit
            .bound
            .in_own_unit(value, metres)
            .ok_or_else(|| "the format of the file has no unit, and none was given".to_owned())
    });
    let value = match measured {
        Ok(value) => value,
        Err(reason) => {
            return Checked {
                found: reason,
                is_blocking: limit.severity == Severity::Fail && !limit.skip_missing,
                ..row(limit, State::NotMeasured)
            };
        }
    };
    let is_kept = limit.bound.is_kept(value);
    let state = match limit.severity {
        _ if is_kept => State::Passed,
        Severity::Fail => State::Failed,
        Severity::Warn => State::Warned,
    };
    let places = match report {
        _ if is_kept => Vec::new(),
        Some(report) if limit.figure.name() == "validator_errors" => report.errors.clone(),
        Some(report) if limit.figure.name() == "validator_warnings" => report.warnings.clone(),
        _ => limit.figure.places(facts, |value| {
            limit.bound.in_own_unit(value, metres).is_some_and(|value| !limit.bound.is_kept(value))
        }),
    };
    Checked {
        value: Some(value),
        found: limit.bound.shown(value),
        is_blocking: state == State::Failed,
        places: places.into_iter().take(Checked::PLACES_MAX).collect(),
        ..row(limit, state)
    }
}
