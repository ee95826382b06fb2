//! What the caller gives as an asset → surfaces or splats: one in memory, a path, bytes, or another
//! package's mesh.

use crate::asset::Asset;
use crate::error::{LoadError, OrRaise};
use crate::json::to_python;
use crate::options::Keywords;
use crate::pool::SHARED;
use crate::splats::Splats;
use meshjudge::Error;
use meshjudge::unstable::load::{
    self as library, Choices, LoadError as LibraryLoadError, Loaded, NamedFiles, Options, Turn,
    VertexColors, load_asset,
};
use meshjudge::unstable::measure::{measure, measure_quality};
use meshjudge::unstable::options::LoadOptions;
use meshjudge::unstable::scene::{Asset as Shown, ViewScale};
use meshjudge::unstable::splat::facts::facts;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyMapping};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// An asset in memory, or a source that is not yet read.
#[derive(Clone)]
pub(crate) enum Source {
    There(Arc<Loaded<Shown>>, Options),
    File(PathBuf),
    /// With a name, and whether it is another package's mesh, whose vertex colours are sRGB.
    Bytes(Vec<u8>, PathBuf, bool),
}

impl Source {
    /// Ours, a path, or bytes.
    pub(crate) fn given(value: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Self> {
        if let Ok(asset) = value.cast::<Asset>() {
            return Ok(Self::There(Arc::new(asset.get().loaded.to_asset()), asset.get().options));
        }
        if let Ok(splats) = value.cast::<Splats>() {
            return Ok(Self::There(Arc::clone(&splats.get().loaded), splats.get().options));
        }
        if let Some(bytes) = bytes_of(value)? {
            return Ok(Self::Bytes(bytes, name.unwrap_or("asset").into(), false));
        }
        if let Ok(path) = value.extract::<PathBuf>() {
            return Ok(Self::File(path));
        }
        let helper = value.py().import("meshjudge._assets")?;
        let found: Option<(Vec<u8>, Option<String>, bool)> =
            helper.call_method1("source", (value,))?.extract()?;
        let Some((bytes, own_name, is_srgb)) = found else {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "an asset must be a meshjudge.Asset or Splats, a path, bytes, a binary file, a mesh of trimesh or Open3D, or a tuple of arrays (vertices, faces[, colors[, uv[, texture]]])",
            ));
        };
        let name = name.map(str::to_owned).or(own_name);
        let name = PathBuf::from(name.unwrap_or_else(|| "asset".to_owned()));
        Ok(Self::Bytes(bytes, name, is_srgb))
    }

    /// The options for reading it.
    pub(crate) fn options(&self, otherwise: Options) -> Options {
        match self {
            Self::There(_, options) => *options,
            Self::Bytes(.., true) => Options { vertex_colors: VertexColors::Srgb, ..otherwise },
            Self::File(_) | Self::Bytes(..) => otherwise,
        }
    }

    /// Surfaces or splats, without the texels that pictures of this scale cannot show.
    pub(crate) fn open_shown(
        &self,
        options: &Options,
        view_scale: Option<&ViewScale>,
    ) -> Result<Arc<Loaded<Shown>>, Error> {
        let options = &self.options(*options);
        match self {
            Self::There(loaded, _) => Ok(Arc::clone(loaded)),
            Self::File(path) => Ok(Arc::new(load_asset(path, options, Choices::at(view_scale))?)),
            Self::Bytes(bytes, name, _) => {
                let source = library::Source::bytes(bytes, name);
                Ok(Arc::new(load_asset(source, options, Choices::default()).map_err(of_bytes)?))
            }
        }
    }

    /// The same, with its azimuth of that many degrees as the front.
    pub(crate) fn open_rotated(
        &self,
        options: &Options,
        yaw_degrees: u16,
    ) -> Result<Arc<Loaded<Shown>>, Error> {
        let Options { up, front, .. } = self.options(*options);
        let turn = Turn { up, front, yaw_degrees };
        if let Self::File(path) = self {
            return Ok(Arc::new(load_asset(
                path,
                options,
                Choices { turn: Some(turn), ..Choices::default() },
            )?));
        }
        let rotated = self.open(options, None)?.rotated(turn);
        let rotated = rotated.map_err(Error::rubric)?;
        Ok(Arc::new(rotated.to_asset()))
    }

    /// The same where only surfaces can be used.
    pub(crate) fn open(
        &self,
        options: &Options,
        view_scale: Option<&ViewScale>,
    ) -> Result<Arc<Loaded>, Error> {
        let loaded = self.open_shown(options, view_scale)?;
        Ok(Arc::new(Loaded::clone(&loaded).into_mesh()?))
    }
}

/// Bytes of no known format need a name.
fn of_bytes(error: LibraryLoadError) -> Error {
    match &error {
        LibraryLoadError::UnknownFormat { path } if path.extension().is_none() => Error::load(
            format!("{error}; for bytes, the extension of name= is the format: name=\"chair.obj\""),
        ),
        _ => error.into(),
    }
}

/// From `bytes`, or another object with the buffer protocol.
fn bytes_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes().to_vec()));
    }
    let builtins = value.py().import("builtins")?;
    let is_lender = value.is_instance_of::<PyByteArray>()
        || value.is_instance(&builtins.getattr("memoryview")?)?;
    if !is_lender {
        return Ok(None);
    }
    let bytes = builtins.getattr("bytes")?.call1((value,))?;
    Ok(Some(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

#[doc = doc!("load")]
#[pyfunction]
#[pyo3(signature = (source, *, name=None, files=None, **options), text_signature = "(source, *, name=None, files=None, normals='file', up='+y', front='+z', vertex_colors='linear')")]
pub(crate) fn load(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    name: Option<&str>,
    files: Option<Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let given = Keywords::new(py, "load", options)?;
    let options: LoadOptions = given.group()?;
    given.end()?;
    let source = Source::given(source, name)?;
    let options = source.options(options.settings());
    let loaded = match (source, files) {
        (Source::Bytes(bytes, name, _), Some(files)) => {
            let raised = Arc::new(Mutex::new(None));
            let files = named_files(&files, &raised)?;
            let loaded = SHARED.run(py, move || {
                let source =
                    library::Source::Bytes { bytes: &bytes, name: &name, files: Some(files) };
                load_asset(source, &options, Choices::default())
            })?;
            if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(error);
            }
            Arc::new(loaded.map_err(of_bytes).or_raise()?)
        }
        (_, Some(_)) => {
            return Err(LoadError::new_err(
                "files is only for bytes; other files of an asset are found in its folder",
            ));
        }
        (source, None) => SHARED.run(py, move || source.open_shown(&options, None))?.or_raise()?,
    };
    shown(py, loaded, options)
}

/// A Python mapping or function for the loader. Its exception is kept in `raised`.
fn named_files(
    files: &Bound<'_, PyAny>,
    raised: &Arc<Mutex<Option<PyErr>>>,
) -> PyResult<Box<NamedFiles>> {
    let is_mapping = files.cast::<PyMapping>().is_ok();
    let files = if is_mapping { files.getattr("get")?.unbind() } else { files.clone().unbind() };
    let raised = Arc::clone(raised);
    Ok(Box::new(move |name| {
        Python::attach(|py| {
            let found = files
                .bind(py)
                .call1((name,))
                .and_then(|found| if found.is_none() { Ok(None) } else { bytes_of(&found) });
            found.unwrap_or_else(|error| {
                *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                None
            })
        })
    }))
}

#[doc = doc!("inspect")]
#[pyfunction]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    asset: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let source = Source::given(asset, None)?;
    let row = SHARED.run(py, move || {
        let loaded = source.open_shown(&Options::default(), None)?;
        let mut row = serde_json::json!({
            "path": loaded.path.display().to_string(),
            "hash": loaded.hash,
            "warnings": loaded.warnings,
        });
        match &loaded.scene {
            Shown::Mesh(scene) => {
                row["facts"] = serde_json::json!(measure(scene));
                row["quality"] = serde_json::json!(measure_quality(scene));
                row["variants"] = serde_json::json!(loaded.variants);
            }
            Shown::Splats(splats) => {
                row["splats"] = serde_json::json!(facts(splats.read()));
            }
        }
        Ok::<_, Error>(row)
    })?;
    to_python(py, &row.or_raise()?)
}

/// An [`Asset`], or [`Splats`].
pub(crate) fn shown(
    py: Python<'_>,
    loaded: Arc<Loaded<Shown>>,
    options: Options,
) -> PyResult<Py<PyAny>> {
    if let Shown::Splats(scene) = &loaded.scene {
        let splats = Splats::new_of(Arc::clone(&loaded), scene, options);
        return Ok(Py::new(py, splats)?.into_any());
    }
    let mesh = Loaded::clone(&loaded).into_mesh().or_raise()?;
    Ok(Py::new(py, Asset::new(Arc::new(mesh), options))?.into_any())
}
