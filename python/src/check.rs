//! An asset against the limits of a profile.

use crate::error::{LoadError, OrRaise, invalid};
use crate::json::to_python;
use crate::pool::SHARED;
use crate::source::Source;
use meshjudge::unstable::check::{
    CheckOptions, Profile, ValidatorReport, check as checked, is_ready, metres, not_measured,
};
use meshjudge::unstable::load::{LoadError as LibraryLoadError, Loaded, Options};
use meshjudge::unstable::save::{SaveOptions, glb};
use pyo3::prelude::*;
use serde_json::json;
use std::path::{Path, PathBuf};

#[doc = doc!("check")]
#[pyfunction]
#[pyo3(signature = (asset, profile, *, unit=None, report=None))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    asset: &Bound<'py, PyAny>,
    profile: PathBuf,
    unit: Option<&str>,
    report: Option<PathBuf>,
) -> PyResult<Bound<'py, PyAny>> {
    let metres_per_unit = unit.map(metres).transpose().map_err(invalid)?;
    let profile = Profile::open(&profile.to_string_lossy()).map_err(|e| invalid(e.to_string()))?;
    let source = Source::given(asset, None)?;
    let row = SHARED.run(py, move || {
        let options = source.options(Options::default());
        let loaded = source.open_shown(&options, None).or_raise()?;
        let (hash, path, limits) = match Loaded::clone(&*loaded).into_mesh() {
            Err(LibraryLoadError::NoSurface { what, path, .. }) => {
                (String::new(), path, not_measured(&profile, &format!("it is {what}")))
            }
            loaded => {
                let loaded = loaded.or_raise()?;
                let report = report.map(|report| ValidatorReport::open(&report, &loaded.path));
                let report = report.transpose().map_err(|e| invalid(e.to_string()))?;
                let options = CheckOptions { metres_per_unit, report: report.as_ref() };
                let bytes = match &source {
                    Source::Bytes(bytes, ..) => bytes.len() as u64,
                    Source::File(path) => size_of(path)?,
                    // As it is when it is saved.
                    Source::There(..) => {
                        let saved = glb(&loaded.scene, SaveOptions::default());
                        saved.or_raise()?.len() as u64
                    }
                };
                let limits = checked(&loaded, bytes, &profile, &options);
                (loaded.hash.clone(), loaded.path.clone(), limits)
            }
        };
        Ok::<_, PyErr>(json!({
            "path": path.display().to_string(),
            "hash": hash,
            "profile": profile.name,
            "profile_hash": profile.hash,
            "ready": is_ready(&limits),
            "limits": limits,
        }))
    })?;
    to_python(py, &row?)
}

fn size_of(path: &Path) -> PyResult<u64> {
    let file = std::fs::metadata(path);
    file.map(|file| file.len()).map_err(|e| LoadError::new_err(format!("{e}: {path:?}")))
}
