//! Geometry against a reference.

use crate::error::{LoadError, OrRaise, invalid, unknown};
use crate::json::to_python;
use crate::options::{Keywords, names};
use crate::pool::SHARED;
use crate::source::Source;
use meshjudge::unstable::load::Options;
use meshjudge::unstable::metrics::{Definition, Metric, MetricError, Reference};
use meshjudge::unstable::options::CompareOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

#[doc = doc!("measure")]
#[pyfunction]
#[pyo3(signature = (result, reference, metrics=None, **options), text_signature = "(result, reference, metrics=None, *, align='none', samples=100_000, seed=0, unit='longest', cells=64, matched=1024)")]
pub(crate) fn measure<'py>(
    py: Python<'py>,
    result: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    metrics: Option<Bound<'_, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let wrong = |e: MetricError| match e {
        MetricError::Unknown { name, known } => {
            unknown("metric", &name, &known.split(", ").collect::<Vec<_>>())
        }
        e => invalid(e.to_string()),
    };
    let given = Keywords::new(py, "measure", options)?;
    let options: CompareOptions = given.group()?;
    given.end()?;
    let metrics = metrics.map(|given| {
        let each = names(&given)?.into_iter().map(|name| name.parse::<Metric>().map_err(wrong));
        each.collect::<PyResult<_>>()
    });
    let settings = options.settings(metrics.transpose()?);
    let [result, reference] = [Source::given(result, None)?, Source::given(reference, None)?];
    let row = SHARED.run(py, move || {
        let reference = reference.open(&Options::default(), None)?;
        let result = result.open(&Options::default(), None)?;
        Ok::<_, meshjudge::Error>(
            Reference::new(&reference.scene, &settings)
                .and_then(|reference| reference.compare(&result.scene))
                .map(|comparison| (comparison, settings)),
        )
    })?;
    let (comparison, settings) = row.or_raise()?.map_err(|e| match e {
        MetricError::OutOfRange { .. } => wrong(e),
        e => LoadError::new_err(e.to_string()),
    })?;
    let values: serde_json::Map<String, Value> =
        comparison.values.iter().map(|v| (v.metric.to_string(), json!(v.value))).collect();
    let definitions: serde_json::Map<String, Value> = settings
        .metrics
        .iter()
        .map(|metric| Definition::of(metric, &settings))
        .map(|definition| (definition.hash(), json!(definition)))
        .collect();
    to_python(
        py,
        &json!({ "values": values, "comparison": comparison, "definitions": definitions }),
    )
}
