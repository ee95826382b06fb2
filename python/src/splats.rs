//! Gaussian splats in memory: read from files and bytes, or made of arrays.

use crate::asset::{NOTEBOOK_TILE_PX, four_views, rows};
use crate::error::{LoadError, PictureError, invalid};
use crate::json::to_python;
use crate::options::choice;
use meshjudge::unstable::load::{FileFacts, Loaded, NormalsSource, Options};
use meshjudge::unstable::save::write_file;
use meshjudge::unstable::scene::{Asset as Shown, SplatScene};
use meshjudge::unstable::splat::read::{Format, Loaded as Read};
use meshjudge::unstable::splat::splats::{SplatParts, Splats as Numbers};
use meshjudge::unstable::splat::write::{Target, write};
use numpy::ndarray::Array3;
use numpy::{PyArray1, PyArray2, PyArray3, PyReadonlyArrayDyn, PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[doc = doc!("Splats")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Splats {
    pub(crate) loaded: Arc<Loaded<Shown>>,
    pub(crate) options: Options,
    scene: Arc<SplatScene>,
}

impl Splats {
    /// Of an asset whose scene this is.
    pub(crate) fn new_of(
        loaded: Arc<Loaded<Shown>>,
        scene: &Arc<SplatScene>,
        options: Options,
    ) -> Self {
        Self { scene: Arc::clone(scene), loaded, options }
    }
}

/// Splats that are not from a file; the name is their path.
pub(crate) fn in_memory(scene: SplatScene, name: &str) -> Splats {
    let scene = Arc::new(scene);
    let loaded = Loaded {
        path: name.into(),
        hash: scene.content_hash(),
        scene: Shown::Splats(Arc::clone(&scene)),
        warnings: Vec::new(),
        normals: NormalsSource::default(),
        variants: Vec::new(),
        file: FileFacts::default(),
        bytes_read: 0,
        read_time: Duration::ZERO,
    };
    Splats { loaded: Arc::new(loaded), options: Options::default(), scene }
}

/// For each component of a row, the numbers of all rows. The sides after the first must be `sides`,
/// of which 0 is any length.
fn columns(values: &Bound<'_, PyAny>, name: &str, sides: &[usize]) -> PyResult<Vec<Vec<f64>>> {
    let array = values.py().import("numpy")?.call_method1("asarray", (values, "float64"))?;
    let array: PyReadonlyArrayDyn<'_, f64> = array.extract()?;
    let found = array.shape();
    let fits = |(found, wanted): (&usize, &usize)| *wanted == 0 || found == wanted;
    if found.len() != sides.len() + 1 || !found[1..].iter().zip(sides).all(fits) {
        return Err(invalid(format!(
            "{name} have the shape {found:?}, but need n rows of {sides:?}, where 0 allows any number"
        )));
    }
    let width = found[1..].iter().product();
    let numbers: Vec<f64> = array.as_array().iter().copied().collect();
    Ok((0..width).map(|k| numbers.iter().skip(k).step_by(width).copied().collect()).collect())
}

/// As many planes as the shape has columns.
fn planes<const N: usize>(values: &Bound<'_, PyAny>, name: &str) -> PyResult<[Vec<f32>; N]> {
    let columns = columns(values, name, &[N])?;
    Ok(std::array::from_fn(|k| single(&columns[k])))
}

fn single(column: &[f64]) -> Vec<f32> {
    column.iter().map(|&value| value as f32).collect()
}

#[pymethods]
impl Splats {
    #[new]
    #[pyo3(signature = (positions, scales, rotations, opacities, harmonics, *, name="splats", color_space="display", order="depth", antialiased=None))]
    fn new(
        positions: &Bound<'_, PyAny>,
        scales: &Bound<'_, PyAny>,
        rotations: &Bound<'_, PyAny>,
        opacities: &Bound<'_, PyAny>,
        harmonics: &Bound<'_, PyAny>,
        name: &str,
        color_space: &str,
        order: &str,
        antialiased: Option<bool>,
    ) -> PyResult<Self> {
        let at = columns(positions, "positions", &[3])?;
        // Far from zero, single precision would lose digits.
        let origin = [0, 1, 2].map(|k| at[k].first().map_or(0.0, |first| first.round()));
        let near = |k: usize| at[k].iter().map(|value| (value - origin[k]) as f32).collect();
        let parts = SplatParts {
            origin: origin.into(),
            position: [0, 1, 2].map(near),
            scale: planes(scales, "scales")?,
            rotation: planes(rotations, "rotations")?,
            opacity: single(&columns(opacities, "opacities", &[])?[0]),
            harmonics: columns(harmonics, "harmonics", &[0, 3])?
                .iter()
                .map(|p| single(p))
                .collect(),
            color_space: choice("color_space", color_space)?,
        };
        let (splats, repairs) = Numbers::new(parts).map_err(|e| invalid(e.to_string()))?;
        if repairs.dropped > 0 {
            return Err(invalid(format!(
                "{} splats have an undefined, infinite or far too large number, a negative scale or a rotation of length 0",
                repairs.dropped
            )));
        }
        let order = choice("order", order)?;
        let (format, other_primitives, has_degree_4) = (Format::Ply, 0, false);
        let read = Read {
            splats,
            format,
            antialiased,
            order,
            repairs,
            other_primitives,
            has_degree_4,
            ignored: Vec::new(),
        };
        Ok(in_memory(SplatScene::new(read), name))
    }

    #[doc = doc!("Splats.path")]
    #[getter]
    fn path(&self) -> String {
        self.loaded.path.to_string_lossy().into_owned()
    }

    #[doc = doc!("Splats.hash")]
    #[getter]
    fn hash(&self) -> &str {
        &self.loaded.hash
    }

    #[doc = doc!("Splats.warnings")]
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.loaded.warnings.iter().map(ToString::to_string).collect()
    }

    #[doc = doc!("Splats.color_space")]
    #[getter]
    fn color_space<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.numbers().color_space())
    }

    #[doc = doc!("Splats.order")]
    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.scene.read().order)
    }

    #[doc = doc!("Splats.antialiased")]
    #[getter]
    fn antialiased(&self) -> Option<bool> {
        self.scene.read().antialiased
    }

    #[doc = doc!("Splats.positions")]
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let splats = self.numbers();
        let at = |i| (splats.origin() + splats.position(i)).to_array();
        rows(py, (0..splats.len()).map(at).collect())
    }

    #[doc = doc!("Splats.scales")]
    #[getter]
    fn scales<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        let splats = self.numbers();
        rows(py, (0..splats.len()).map(|i| splats.scale(i)).collect())
    }

    #[doc = doc!("Splats.rotations")]
    #[getter]
    fn rotations<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        let planes = &self.numbers().planes().rotation;
        let row = |i: usize| planes.each_ref().map(|plane| plane[i]);
        rows(py, (0..planes[0].len()).map(row).collect())
    }

    #[doc = doc!("Splats.opacities")]
    #[getter]
    fn opacities<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.numbers().planes().opacity.to_pyarray(py)
    }

    #[doc = doc!("Splats.harmonics")]
    #[getter]
    fn harmonics<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray3<f32>> {
        let planes = &self.numbers().planes().harmonics;
        let shape = (self.__len__(), planes.len() / 3, 3);
        Array3::from_shape_fn(shape, |(i, k, c)| planes[3 * k + c][i]).to_pyarray(py)
    }

    #[doc = doc!("Splats.save")]
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
        self.check_alone()?;
        let target = Target::of(&path).ok_or_else(|| {
            invalid(format!(
                "splats are saved as .ply, .spz or .glb; give a name with that extension: {path:?}"
            ))
        })?;
        let written = py.detach(|| write(self.scene.read(), target));
        let written = written.map_err(|e| LoadError::new_err(e.to_string()))?;
        write_file(&path, &written.bytes).map_err(|e| {
            PictureError::new_err(format!(
                "cannot write ({e}); check the path, the space and the permissions: {path:?}"
            ))
        })?;
        Ok(written.losses.iter().map(ToString::to_string).collect())
    }

    /// For pickling.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        self.check_alone()?;
        let arrays = [
            self.positions(py).into_any(),
            self.scales(py).into_any(),
            self.rotations(py).into_any(),
            self.opacities(py).into_any(),
            self.harmonics(py).into_any(),
        ];
        let claims = [("color_space", self.color_space(py)?), ("order", self.order(py)?)]
            .into_py_dict(py)?;
        claims.set_item("antialiased", self.antialiased())?;
        claims.set_item("name", self.path())?;
        Ok((PyTuple::new(py, arrays)?, claims))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.scene.content_hash() == other.scene.content_hash()
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.scene.content_hash()[..16], 16).unwrap_or_default()
    }

    fn __len__(&self) -> usize {
        self.numbers().len()
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let picture = four_views(py, self.loaded.scene.clone(), NOTEBOOK_TILE_PX)?;
        Ok(PyBytes::new(py, &picture.0.bytes))
    }

    fn __repr__(&self) -> String {
        let (path, degree) = (self.path(), self.numbers().degree());
        format!("<Splats {path:?}: {} of degree {degree}>", self.__len__())
    }
}

impl Splats {
    /// Arrays and files of splats have no surfaces.
    fn check_alone(&self) -> PyResult<()> {
        match self.scene.surfaces() {
            None => Ok(()),
            Some(_) => Err(invalid(
                "there are surfaces among these splats, which would be lost; use the file they come from",
            )),
        }
    }

    fn numbers(&self) -> &Numbers {
        &self.scene.read().splats
    }
}
