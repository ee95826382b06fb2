//! The exact pictures that a rubric shows a judge. Python finds these functions in
//! `meshjudge.sheet`.

use crate::drawing::{Pictures, pictures};
use crate::error::OrRaise;
use crate::options::{Keywords, Notices};
use crate::photo::photo_of;
use crate::picture::Picture;
use crate::pool::SHARED;
use crate::source::Source;
use meshjudge::unstable::ask::Drawing;
use meshjudge::unstable::load::Options;
use meshjudge::unstable::render::{Channel, Frame, Image, draw};
use meshjudge::unstable::sheet::{self, Transfer};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Views on a sheet when the caller says nothing.
const DEFAULT_VIEWS: usize = 4;

/// Draws the assets and composes their frames.
fn composed(
    py: Python<'_>,
    sources: Vec<Source>,
    drawing: Drawing,
    loading: Options,
    notices: &Notices,
    compose: impl FnOnce(Vec<Vec<Frame>>) -> Result<Image, sheet::SheetError> + Send + 'static,
) -> PyResult<Picture> {
    let image = SHARED.run(py, move || {
        let scale = drawing.view_scale();
        let mut frames = Vec::new();
        for source in sources {
            let loaded = source.open_shown(&loading, scale.as_ref()).or_raise()?;
            frames.push(draw(&loaded.scene, &drawing.rig, &drawing.settings).or_raise()?);
        }
        compose(frames).or_raise()
    })?;
    notices.warn(py)?;
    Picture::new(&image?)
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (a, b, **options))]
pub(crate) fn sheet_pair(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Picture> {
    let given = Keywords::new(py, "pair", options)?;
    let fit = given.take("fit")?;
    let (drawing, Pictures { loading, notices, channels, .. }) = grid_drawing(given)?;
    let columns = drawing.rig.columns;
    let sources = vec![Source::given(a, None)?, Source::given(b, None)?];
    composed(py, sources, drawing, loading, &notices, move |frames| {
        let (left, right) = (&frames[0], &frames[1]);
        match fit {
            Some(longest_px) => sheet::pair_fitted(left, right, &channels, columns, longest_px),
            None => sheet::pair(left, right, &channels, columns),
        }
    })
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (asset, **options))]
pub(crate) fn sheet_grid(
    py: Python<'_>,
    asset: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Picture> {
    let given = Keywords::new(py, "grid", options)?;
    let (drawing, Pictures { loading, notices, channels, .. }) = grid_drawing(given)?;
    let columns = drawing.rig.columns;
    let sources = vec![Source::given(asset, None)?];
    composed(py, sources, drawing, loading, &notices, move |frames| {
        sheet::grid(&frames[0], &channels, columns)
    })
}

fn grid_drawing(given: Keywords<'_>) -> PyResult<(Drawing, Pictures)> {
    let pictures = pictures(&given)?;
    given.end()?;
    let Pictures { views, channels, .. } = &pictures;
    let drawing = Drawing::new(views, "ring", Some(DEFAULT_VIEWS), channels).or_raise()?;
    Ok((drawing, pictures))
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (asset, **options))]
pub(crate) fn sheet_four_view(
    py: Python<'_>,
    asset: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Picture> {
    let given = Keywords::new(py, "four_view", options)?;
    let fit = given.take("fit")?;
    let Pictures { views, loading, notices, .. } = pictures(&given)?;
    given.end()?;
    let drawing = Drawing::new(&views, "four-view", None, &[Channel::Rgb]).or_raise()?;
    let sources = vec![Source::given(asset, None)?];
    composed(py, sources, drawing, loading, &notices, move |frames| {
        let image = sheet::four_view(&frames[0])?;
        match fit {
            Some(longest_px) => sheet::fit(&image, longest_px, Transfer::Srgb),
            None => Ok(image),
        }
    })
}

#[doc = doc!("sheet_reference")]
#[pyfunction]
#[pyo3(signature = (photo, mask=None))]
pub(crate) fn sheet_reference(
    py: Python<'_>,
    photo: &Bound<'_, PyAny>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Picture, Picture, Picture)> {
    let photo = photo_of(Some(photo), mask)?.expect("one was given");
    let made = SHARED.run(py, move || photo.reference().cloned())?;
    let made = made.or_raise()?;
    Ok((
        Picture::new(&made.highlighted)?,
        Picture::new(&made.zoom_highlighted)?,
        Picture::new(&made.zoom)?,
    ))
}
