//! The same asset, worse in one known way.

use crate::asset::{Asset, Source, asset_of_glb};
use crate::error::unknown;
use crate::json::to_python;
use crate::pool::SHARED;
use meshjudge::unstable::damage::{
    DamageError as LibraryDamageError, damage as damage_scene, kind as kind_of, kinds,
};
use meshjudge::unstable::load::{LoadError, Options};
use meshjudge::unstable::save::{SaveError, SaveOptions, glb};
use pyo3::prelude::*;
use std::path::PathBuf;

enum Problem {
    Load(LoadError),
    Damage(LibraryDamageError),
    Save(SaveError),
}

impl crate::error::Raise for Problem {
    fn raise(self) -> PyErr {
        match self {
            Self::Load(error) => error.raise(),
            Self::Damage(error) => error.raise(),
            Self::Save(error) => error.raise(),
        }
    }
}

#[doc = doc!("damage")]
#[pyfunction]
#[pyo3(signature = (asset, kind, level=0.5, *, seed=0))]
pub(crate) fn damage(
    py: Python<'_>,
    asset: &Bound<'_, PyAny>,
    kind: &str,
    level: f32,
    seed: u64,
) -> PyResult<Asset> {
    let source = Source::given(asset, None)?;
    let found = kind_of(kind).ok_or_else(|| {
        let names: Vec<&str> = kinds().iter().map(|kind| kind.name).collect();
        unknown("kind of damage", kind, &names)
    })?;
    let done = SHARED.run(py, move || {
        let loaded = source.open(&Options::default(), None).map_err(Problem::Load)?;
        let damaged = damage_scene(&loaded.scene, found, level, seed).map_err(Problem::Damage)?;
        let bytes = glb(&damaged.scene, SaveOptions::default()).map_err(Problem::Save)?;
        let stem = loaded.path.file_stem().unwrap_or_default().to_string_lossy();
        Ok::<_, Problem>((bytes, format!("{stem}@{}@{level}.glb", found.name)))
    })?;
    let (bytes, name) = done.map_err(crate::error::Raise::raise)?;
    asset_of_glb(&bytes, &PathBuf::from(name))
}

#[doc = doc!("damage_kinds")]
#[pyfunction]
pub(crate) fn damage_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let kinds: Vec<serde_json::Value> = kinds().iter()
        .map(|kind| {
            serde_json::json!({
                "name": kind.name, "family": kind.family, "says": kind.says, "measure": kind.measure,
                "lowers": kind.lowers, "spares": kind.spares, "visible": kind.is_visible,
            })
        })
        .collect();
    to_python(py, &kinds)
}
