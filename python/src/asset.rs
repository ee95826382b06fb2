//! Assets of surfaces in memory: their arrays, pictures and GLB files; those of our own library.

use crate::error::{InternalError, OrRaise, PictureError, invalid, unknown};
use crate::picture::Picture;
use crate::pool::SHARED;
use meshjudge::unstable::ask::Drawing;
use meshjudge::unstable::load::{
    Choices, LoadError as LibraryLoadError, Loaded, Options, Source, load_asset,
};
use meshjudge::unstable::objects;
use meshjudge::unstable::options::ViewOptions;
use meshjudge::unstable::render::{Channel, draw};
use meshjudge::unstable::save::{SaveOptions, glb};
use meshjudge::unstable::scene::{Asset as Shown, Mesh};
use meshjudge::unstable::sheet::four_view;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// A whole file in memory.
fn mesh_of(glb: &[u8], name: &Path, options: &Options) -> Result<Loaded, LibraryLoadError> {
    load_asset(Source::bytes(glb, name), options, Choices::default())?.into_mesh()
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
    let loaded = SHARED.run(py, move || mesh_of(&glb, &path, &Options::default()))?;
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
        let frames = draw(&scene, &drawing.rig, &drawing.settings).or_raise()?;
        four_view(&frames).or_raise()
    })?;
    Picture::new(&image?)
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
    let loaded = mesh_of(bytes, name, &options)
        .map_err(|e| InternalError::new_err(format!("the built-in file does not load ({e})")))?;
    Ok(Asset::new(Arc::new(loaded), options))
}
