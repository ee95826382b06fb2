//! Points on an asset's surface with their normals and colours.

use crate::asset::rows;
use crate::error::{LoadError, OrRaise, invalid};
use crate::options::choice;
use crate::pool::SHARED;
use crate::source::Source;
use meshjudge::unstable::load::Options;
use meshjudge::unstable::metrics::{PointSettings, colored_points};
use pyo3::prelude::*;

/// Points, normals, colours, the number of points without a colour, and the hash of the definition.
type Drawn<'py> = ([Bound<'py, PyAny>; 3], usize, String);

/// Draws points on the surface, evenly by area; `meshjudge.sample` gives them a name.
#[pyfunction]
pub(crate) fn sample_points<'py>(
    py: Python<'py>,
    asset: &Bound<'py, PyAny>,
    count: usize,
    seed: u64,
    frame: &str,
    up: &str,
    no_color: &str,
) -> PyResult<Drawn<'py>> {
    if !(1..=PointSettings::COUNT_MAX).contains(&count) {
        let max = PointSettings::COUNT_MAX;
        return Err(invalid(format!("count must be from 1 to {max}, not {count}")));
    }
    let settings = PointSettings {
        count,
        seed,
        frame: choice("frame", frame, "file, mean-radius")?,
        up: choice("network_up", up, "y, swapped-yz")?,
        no_color: choice("no_color", no_color, "grey, white, flashvdm")?,
    };
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
