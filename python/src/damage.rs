//! The same asset, worse in one known way.

use crate::asset::asset_of_glb;
use crate::error::{OrRaise, unknown};
use crate::json::to_python;
use crate::pool::SHARED;
use crate::source::Source;
use crate::splats::in_memory;
use meshjudge::unstable::damage::{
    DamageKind, damage as damage_scene, damage_splats, kind as kind_of, kinds, splat_kinds,
};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{Asset as Shown, SplatScene};
use pyo3::prelude::*;
use std::path::PathBuf;

#[doc = doc!("damage")]
#[pyfunction]
#[pyo3(signature = (asset, kind, level=0.5, *, seed=0))]
pub(crate) fn damage(
    py: Python<'_>,
    asset: &Bound<'_, PyAny>,
    kind: &str,
    level: f32,
    seed: u64,
) -> PyResult<Py<PyAny>> {
    let source = Source::given(asset, None)?;
    let found = kind_of(kind).ok_or_else(|| {
        let names: Vec<&str> = for_assets().map(|kind| kind.name).collect();
        unknown("kind of damage", kind, &names)
    })?;
    let done = SHARED.run(py, move || {
        let loaded = source.open_shown(&Options::default(), None).or_raise()?;
        let stem = loaded.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}@{}@{level}", found.name);
        Ok::<_, PyErr>(match &loaded.scene {
            Shown::Mesh(scene) => {
                let done = damage_scene(scene, found, level, seed).or_raise()?;
                let bytes = glb(&done.scene, SaveOptions::default()).or_raise()?;
                (name, Done::Glb(bytes))
            }
            Shown::Splats(splats) => {
                let done = damage_splats(splats, found, level, seed).or_raise()?;
                (name, Done::Splats(Box::new(done.scene)))
            }
        })
    })?;
    match done? {
        (name, Done::Glb(bytes)) => {
            let asset = asset_of_glb(&bytes, &PathBuf::from(name + ".glb"))?;
            Ok(Py::new(py, asset)?.into_any())
        }
        (name, Done::Splats(scene)) => Ok(Py::new(py, in_memory(*scene, &name))?.into_any()),
    }
}

enum Done {
    Glb(Vec<u8>),
    Splats(Box<SplatScene>),
}

/// Kinds for surfaces, then those for splats.
fn for_assets() -> impl Iterator<Item = &'static DamageKind> {
    kinds().iter().chain(splat_kinds())
}

#[doc = doc!("damage_kinds")]
#[pyfunction]
pub(crate) fn damage_kinds(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let kinds: Vec<serde_json::Value> = for_assets()
        .map(|kind| {
            serde_json::json!({
                "name": kind.name, "family": kind.family, "says": kind.says, "measure": kind.measure,
                "lowers": kind.lowers, "spares": kind.spares, "visible": kind.is_visible,
            })
        })
        .collect();
    to_python(py, &kinds)
}
