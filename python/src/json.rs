//! Serialised facts → Python's own dicts and lists, and back.

use crate::error::InternalError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// As dicts, lists, strings, numbers and None.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &(impl serde::Serialize + ?Sized),
) -> PyResult<Bound<'py, PyAny>> {
    let text =
        serde_json::to_string(value).map_err(|e| InternalError::new_err(format!("JSON: {e}")))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// What was pickled as JSON.
pub(crate) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|e| InternalError::new_err(format!("pickled JSON: {e}")))
}

/// The text of a dict or list as JSON.
pub(crate) fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let json = value.py().import("json")?;
    let options = PyDict::new(value.py());
    options.set_item("default", value.py().import("meshjudge._judges")?.getattr("plain")?)?;
    json.call_method("dumps", (value,), Some(&options))?.extract()
}
