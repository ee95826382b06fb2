//! Assets of surfaces in memory: read from files, bytes or our own library, measured, saved.

use crate::error::{InternalError, LoadError, OrRaise, PictureError, Raise, invalid, unknown};
use crate::json::to_python;
use crate::options::load_options;
use crate::picture::Picture;
use crate::pool::SHARED;
use crate::splats::{Splats, shown};
use meshjudge::unstable::ask::{Drawing, ViewOptions};
use meshjudge::unstable::front::FrontError;
use meshjudge::unstable::load::{
    LoadError as LibraryLoadError, Loaded, NamedFiles, Options, Turn, VertexColors, load_bytes,
    load_bytes_for, load_for, load_turned,
};
use meshjudge::unstable::measure::{measure, measure_quality};
use meshjudge::unstable::objects;
use meshjudge::unstable::render::{Channel, RenderError, draw};
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{Asset as Shown, Mesh, ViewScale};
use meshjudge::unstable::sheet::{SheetError, four_view};
use meshjudge::unstable::splat::facts::facts;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMapping, PyTuple};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Edge of one of the four views in a notebook, in pixels.
pub(crate) const NOTEBOOK_TILE_PX: u32 = 192;

#[doc = doc!("Asset")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Asset {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) options: Options,
    warnings: Vec<String>,
}

impl Asset {
    pub(crate) fn new(loaded: Arc<Loaded>, options: Options) -> Self {
        Self {
            warnings: loaded.warnings.iter().map(ToString::to_string).collect(),
            loaded,
            options,
        }
    }
}

/// A pickled asset: its GLB file, and what that does not say.
#[pyfunction]
pub(crate) fn restore_asset(
    py: Python<'_>,
    glb: Vec<u8>,
    path: PathBuf,
    hash: String,
    options: &str,
    warnings: Vec<String>,
    variants: Vec<String>,
) -> PyResult<Asset> {
    let wrong = |e: serde_json::Error| InternalError::new_err(format!("pickled options: {e}"));
    let options = serde_json::from_str(options).map_err(wrong)?;
    let loaded = SHARED.run(py, move || load_bytes(&glb, &path, &Options::default()))?;
    let loaded = Loaded { hash, variants, ..loaded.or_raise()? };
    Ok(Asset { warnings, ..Asset::new(Arc::new(loaded), options) })
}

#[pymethods]
impl Asset {
    #[doc = doc!("Asset.path")]
    #[getter]
    fn path(&self) -> String {
        self.loaded.path.to_string_lossy().into_owned()
    }

    #[doc = doc!("Asset.hash")]
    #[getter]
    fn hash(&self) -> &str {
        &self.loaded.hash
    }

    #[doc = doc!("Asset.num_triangles")]
    #[getter]
    fn num_triangles(&self) -> usize {
        self.loaded.scene.triangle_count()
    }

    #[doc = doc!("Asset.num_vertices")]
    #[getter]
    fn num_vertices(&self) -> usize {
        self.loaded.scene.vertex_count()
    }

    #[doc = doc!("Asset.warnings")]
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    #[doc = doc!("Asset.variants")]
    #[getter]
    fn variants(&self) -> Vec<String> {
        self.loaded.variants.clone()
    }

    #[doc = doc!("Asset.bounds")]
    #[getter]
    fn bounds(&self) -> ([f32; 3], [f32; 3]) {
        let bounds = self.loaded.scene.bounds();
        (bounds.min.to_array(), bounds.max.to_array())
    }

    #[doc = doc!("Asset.vertices")]
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let scene = &self.loaded.scene;
        let origin = scene.origin();
        let positions = scene.meshes().iter().flat_map(|mesh| mesh.positions());
        rows(py, positions.map(|p| (p.as_dvec3() + origin).to_array()).collect())
    }

    #[doc = doc!("Asset.faces")]
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i64>> {
        let mut first = 0;
        let mut faces = Vec::with_capacity(self.num_triangles());
        for mesh in self.loaded.scene.meshes() {
            faces.extend(
                mesh.triangles().iter().map(|corners| corners.map(|v| i64::from(v) + first)),
            );
            first += mesh.positions().len() as i64;
        }
        rows(py, faces)
    }

    #[doc = doc!("Asset.normals")]
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let normals = self.loaded.scene.meshes().iter().flat_map(vertex_normals);
        rows(py, normals.collect())
    }

    #[doc = doc!("Asset.to_trimesh")]
    fn to_trimesh<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let helper = slf.py().import("meshjudge._assets")?;
        helper.call_method1("to_trimesh", (slf,))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let options = serde_json::to_string(&self.options)
            .map_err(|e| InternalError::new_err(format!("options: {e}")))?;
        let state =
            (self.to_glb(py)?, self.path(), self.hash(), options, &self.warnings, self.variants());
        let restore = py.import("meshjudge._native")?.getattr("restore_asset")?;
        Ok((restore, state.into_pyobject(py)?))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.loaded.hash == other.loaded.hash && self.options == other.options
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.loaded.hash[..16], 16).unwrap_or_default()
    }

    #[doc = doc!("Asset.to_glb")]
    fn to_glb<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let scene = Arc::clone(&self.loaded.scene);
        let bytes = SHARED.run(py, move || glb(&scene, SaveOptions::default()))?.or_raise()?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[doc = doc!("Asset.save")]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("glb")) {
            return Err(invalid(format!(
                "assets are saved as .glb; give a name with that extension, or use asset.to_trimesh().export: {path:?}"
            )));
        }
        let bytes = self.to_glb(py)?;
        meshjudge::unstable::save::write_file(&path, bytes.as_bytes()).map_err(|e| {
            PictureError::new_err(format!(
                "cannot write ({e}); check the path, the space and the permissions: {path:?}"
            ))
        })
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let scene = Shown::Mesh(Arc::clone(&self.loaded.scene));
        let picture = four_views(py, scene, NOTEBOOK_TILE_PX)?;
        Ok(PyBytes::new(py, &picture.0.bytes))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Asset {:?}: {} triangles, {}>",
            self.loaded.path.display().to_string(),
            self.num_triangles(),
            &self.loaded.hash[..12]
        )
    }
}

pub(crate) fn rows<T: numpy::Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> Bound<'_, PyArray2<T>> {
    let count = rows.len();
    let flat: Vec<T> = rows.into_iter().flatten().collect();
    let array = Array2::from_shape_vec((count, N), flat);
    array.expect("as many values as rows and columns").into_pyarray(py)
}

/// Those of the file, else the sum of the normals of the faces around, each as long as twice its
/// area.
fn vertex_normals(mesh: &Mesh) -> Vec<[f64; 3]> {
    if let Some(normals) = mesh.normals() {
        return normals.iter().map(|normal| normal.as_dvec3().to_array()).collect();
    }
    let positions = mesh.positions();
    let mut sums = vec![glam::DVec3::ZERO; positions.len()];
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|v| positions[v as usize].as_dvec3());
        for &vertex in corners {
            sums[vertex as usize] += (b - a).cross(c - a);
        }
    }
    sums.iter().map(|sum| sum.normalize_or_zero().to_array()).collect()
}

/// Front, side, top and isometric view in one picture.
pub(crate) fn four_views(py: Python<'_>, scene: Shown, tile_px: u32) -> PyResult<Picture> {
    let options = ViewOptions { tile_px: Some(tile_px), ..ViewOptions::default() };
    let drawing = Drawing::new(&options, "four-view", None, &[Channel::Rgb]).or_raise()?;
    let image = SHARED.run(py, move || {
        let frames = draw(&scene, &drawing.rig, &drawing.settings).map_err(Problem::Render)?;
        four_view(&frames).map_err(Problem::Sheet)
    })?;
    Picture::new(&image.or_raise()?)
}

/// Errors while a sheet is made.
pub(crate) enum Problem {
    Load(LibraryLoadError),
    Render(RenderError),
    Sheet(SheetError),
}

impl Raise for Problem {
    fn raise(self) -> PyErr {
        match self {
            Self::Load(error) => error.raise(),
            Self::Render(error) => error.raise(),
            Self::Sheet(error) => error.raise(),
        }
    }
}

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
    ) -> Result<Arc<Loaded<Shown>>, LibraryLoadError> {
        let options = &self.options(*options);
        match self {
            Self::There(loaded, _) => Ok(Arc::clone(loaded)),
            Self::File(path) => load_for(path, options, view_scale).map(Arc::new),
            Self::Bytes(bytes, name, _) => load_bytes_for(bytes, name, options, None).map(Arc::new),
        }
    }

    /// The same, with its azimuth of that many degrees as the front.
    pub(crate) fn open_rotated(
        &self,
        options: &Options,
        yaw_degrees: u16,
    ) -> Result<Arc<Loaded<Shown>>, FrontError> {
        let Options { up, front, .. } = self.options(*options);
        let turn = Turn { up, front, yaw_degrees };
        if let Self::File(path) = self {
            return Ok(Arc::new(load_turned(path, options, Some(turn), None)?));
        }
        let rotated = self.open(options, None)?.rotated(turn);
        let rotated = rotated.map_err(|e| FrontError::Input { reason: e.to_string() })?;
        Ok(Arc::new(rotated.to_asset()))
    }

    /// The same where only surfaces can be used.
    pub(crate) fn open(
        &self,
        options: &Options,
        view_scale: Option<&ViewScale>,
    ) -> Result<Arc<Loaded>, LibraryLoadError> {
        let loaded = self.open_shown(options, view_scale)?;
        Loaded::clone(&loaded).into_mesh().map(Arc::new)
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
#[pyo3(signature = (source, *, name=None, files=None, normals="file", up="+y", front="+z", vertex_colors="linear"))]
pub(crate) fn load(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    name: Option<&str>,
    files: Option<Bound<'_, PyAny>>,
    normals: &str,
    up: &str,
    front: &str,
    vertex_colors: &str,
) -> PyResult<Py<PyAny>> {
    let options = load_options(normals, up, front, vertex_colors)?;
    let source = Source::given(source, name)?;
    let options = source.options(options);
    let loaded = match (source, files) {
        (Source::Bytes(bytes, name, _), Some(files)) => {
            let raised = Arc::new(Mutex::new(None));
            let files = named_files(&files, &raised)?;
            let loaded =
                SHARED.run(py, move || load_bytes_for(&bytes, &name, &options, Some(files)))?;
            if let Some(error) = raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
                return Err(error);
            }
            Arc::new(loaded.or_raise()?)
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
        Ok::<_, LibraryLoadError>(row)
    })?;
    to_python(py, &row.or_raise()?)
}

fn library_object(name: &str) -> PyResult<&'static objects::LibraryObject> {
    objects::named(name).ok_or_else(|| {
        let names: Vec<&str> = objects::all().iter().map(|o| o.name.as_str()).collect();
        unknown("built-in object", name, &names)
    })
}

/// The GLB file of an object of ours.
#[pyfunction]
pub(crate) fn object_glb<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &library_object(name)?.glb()))
}

/// Name and prompt of every object of ours.
#[pyfunction]
pub(crate) fn object_prompts() -> Vec<(String, String)> {
    let all = objects::all().iter();
    all.map(|object| (object.name.clone(), object.prompt.clone())).collect()
}

/// An asset made of a scene: what its GLB file would be.
pub(crate) fn asset_of_glb(bytes: &[u8], name: &Path) -> PyResult<Asset> {
    let options = Options::default();
    let loaded = load_bytes(bytes, name, &options)
        .map_err(|e| InternalError::new_err(format!("the built-in file does not load ({e})")))?;
    Ok(Asset::new(Arc::new(loaded), options))
}
