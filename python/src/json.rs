//! Serialised facts → Python's own dicts and lists, and back.

use crate::error::InternalError;
use pyo3::prelude::*;

/// As dicts, lists, strings, numbers and None.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &(impl serde::Serialize + ?Sized),
) -> PyResult<Bound<'py, PyAny>> {
    let text =
        serde_json::to_string(value).map_err(|e| InternalError::new_err(format!("JSON: {e}")))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The text of a dict or list as JSON.
pub(crate) fn text_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let json = value.py().import("json")?;
    json.call_method1("dumps", (value,))?.extract()
}
