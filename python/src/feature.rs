//! A Python function as the model of a feature: arrays → vectors.

use crate::picture::array_of;
use crate::watch::Watch;
use meshjudge::unstable::features::{CustomModel, Input};
use meshjudge::unstable::metrics::PointCloud;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::collections::BTreeMap;
use std::sync::Arc;

struct PythonModel {
    settings: String,
    model: Py<PyAny>,
    watch: Watch,
}

impl std::fmt::Debug for PythonModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonModel").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// By the names of their features.
pub(crate) fn models(
    given: Option<&Bound<'_, PyDict>>,
    watch: &Watch,
) -> PyResult<BTreeMap<String, Arc<dyn CustomModel>>> {
    let mut found = BTreeMap::new();
    for (name, model) in given.into_iter().flatten() {
        let helper = model.py().import("meshjudge._identity")?;
        let (own, settings, _): (String, String, bool) =
            helper.call_method1("describe", (&model, "model"))?.extract()?;
        let settings = format!("{own} {settings}");
        let model = PythonModel { settings, model: model.unbind(), watch: watch.clone() };
        found.insert(name.extract()?, Arc::new(model) as Arc<dyn CustomModel>);
    }
    Ok(found)
}

impl CustomModel for PythonModel {
    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn vectors(&self, inputs: &[Input]) -> Result<Vec<Vec<f32>>, String> {
        let found = Python::try_attach(|py| {
            self.ask(py, inputs).map_err(|error| {
                let reason = format!("failed ({error})");
                // One that is no error, such as Ctrl-C, ends the run.
                if !error.is_instance_of::<PyException>(py) {
                    self.watch.fail(error);
                }
                reason
            })
        });
        found.unwrap_or_else(|| Err("failed, because the interpreter is ending".to_owned()))
    }
}

impl PythonModel {
    fn ask(&self, py: Python<'_>, inputs: &[Input]) -> PyResult<Vec<Vec<f32>>> {
        let (first, second) = (PyList::empty(py), PyList::empty(py));
        for input in inputs {
            match input {
                Input::Picture(image) => first.append(array_of(py, image.clone())?)?,
                Input::Text(text) => first.append(PyString::new(py, text))?,
                Input::Points(cloud) => first.append(points(py, cloud))?,
                Input::Pair([view, other]) => {
                    first.append(array_of(py, view.clone())?)?;
                    second.append(array_of(py, other.clone())?)?;
                }
                Input::Both(text, image) => {
                    first.append(array_of(py, image.clone())?)?;
                    second.append(PyString::new(py, text))?;
                }
            }
        }
        let model = self.model.bind(py);
        let returned = match second.is_empty() {
            true => model.call1((first,))?,
            false => model.call1((first, second))?,
        };
        let array =
            py.import("meshjudge._features")?.call_method1("rows_of_vectors", (returned,))?;
        let array = array.cast::<PyArray2<f32>>()?.readonly();
        Ok(array.as_array().outer_iter().map(|row| row.to_vec()).collect())
    }
}

/// [N, 6]: coordinates, then red, green and blue from 0 to 1.
fn points<'py>(py: Python<'py>, cloud: &PointCloud) -> Bound<'py, PyArray2<f32>> {
    let row = |at: usize, column: usize| {
        let point = &cloud.points[at];
        match column {
            0..3 => point.point[column] as f32,
            _ => f32::from(point.color[column - 3]) / 255.0,
        }
    };
    Array2::from_shape_fn((cloud.points.len(), 6), |(at, column)| row(at, column)).into_pyarray(py)
}
