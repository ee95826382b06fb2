//! Points on an asset's surface with their normals and colours.

use crate::asset::rows;
use crate::error::{LoadError, OrRaise, invalid};
use crate::options::Keywords;
use crate::pool::SHARED;
use crate::source::Source;
use meshjudge::unstable::load::Options;
use meshjudge::unstable::metrics::{PointFrame, PointSettings, colored_points};
use meshjudge::unstable::options::PointOptions;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Points, normals, colours, the number of points without a colour, and the hash of the definition.
type Drawn<'py> = ([Bound<'py, PyAny>; 3], usize, String);

/// Draws points on the surface, evenly by area; `meshjudge.sample` gives them a name.
#[pyfunction]
#[pyo3(signature = (asset, **options))]
pub(crate) fn sample_points<'py>(
    py: Python<'py>,
    asset: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Drawn<'py>> {
    let given = Keywords::new(py, "sample", options)?;
    let options: PointOptions = given.group()?;
    given.end()?;
    let settings = options.settings(PointFrame::File);
    let (count, max) = (settings.count, PointSettings::COUNT_MAX);
    if !(1..=max).contains(&count) {
        return Err(invalid(format!("count must be from 1 to {max}, not {count}")));
    }
    let source = Source::given(asset, None)?;
    let options = source.options(Options::default());
    let drawn = SHARED.run(py, move || {
        let loaded = source.open(&options, None)?;
        Ok::<_, meshjudge::Error>(colored_points(&loaded.scene, &settings))
    })?;
    let cloud = drawn.or_raise()?.map_err(|e| LoadError::new_err(e.to_string()))?;
    let points = &cloud.points;
    let arrays = [
        rows(py, points.iter().map(|at| at.point.to_array()).collect()).into_any(),
        rows(py, points.iter().map(|at| at.normal.to_array()).collect()).into_any(),
        rows(py, points.iter().map(|at| at.color).collect()).into_any(),
    ];
    Ok((arrays, cloud.num_without_color, settings.hash()))
}
