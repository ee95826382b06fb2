//! Points on an asset's surface with their normals and colours.

use crate::asset::{Source, rows};
use crate::error::{LoadError, OrRaise};
use crate::pool::SHARED;
use meshjudge::unstable::load::{LoadError as LibraryLoadError, Options};
use meshjudge::unstable::metrics::colored_points;
use pyo3::prelude::*;

/// Draws points on the surface, evenly by area; `meshjudge.sample` gives them a name.
#[pyfunction]
pub(crate) fn sample_points<'py>(
    py: Python<'py>,
    asset: &Bound<'py, PyAny>,
    count: usize,
    seed: u64,
) -> PyResult<[Bound<'py, PyAny>; 3]> {
    let source = Source::given(asset, None)?;
    let options = source.options(Options::default());
    let drawn = SHARED.run(py, move || {
        let loaded = source.open(&options, None)?;
        Ok::<_, LibraryLoadError>(colored_points(&loaded.scene, count, seed))
    })?;
    let points = drawn.or_raise()?.map_err(|e| LoadError::new_err(e.to_string()))?;
    Ok([
        rows(py, points.iter().map(|at| at.point.to_array()).collect()).into_any(),
        rows(py, points.iter().map(|at| at.normal.to_array()).collect()).into_any(),
        rows(py, points.iter().map(|at| at.color).collect()).into_any(),
    ])
}
