//! The photo that assets were made from.

use crate::error::{OrRaise, PictureError, invalid, warn};
use crate::options::choice;
use crate::picture::{Picture, file_of};
use meshjudge::unstable::ask::{self, ordered_sides};
use meshjudge::unstable::sheet::PhotoStyle;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMapping};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

#[doc = doc!("Photo")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Photo(Arc<ask::Photo>);

#[pymethods]
impl Photo {
    #[doc = doc!("Photo.open")]
    #[staticmethod]
    #[pyo3(signature = (photo, mask=None, *, style="plain"))]
    fn open(
        photo: &Bound<'_, PyAny>,
        mask: Option<&Bound<'_, PyAny>>,
        style: &str,
    ) -> PyResult<Self> {
        let style = choice::<PhotoStyle>("style", style)?;
        let opened = styled(photo, mask, style)?;
        photo.py().detach(|| opened.cut_out()).or_raise()?;
        Ok(Self(opened))
    }

    #[doc = doc!("Photo.picture")]
    #[getter]
    fn picture(&self) -> PyResult<Picture> {
        self.0.object().cloned().map(Picture).or_raise()
    }

    #[doc = doc!("Photo.note")]
    #[getter]
    fn note(&self) -> PyResult<Option<String>> {
        self.0.cut_out().or_raise()
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.picture()?.0.bytes))
    }
}

/// Photos that were decoded for earlier calls: pairs of one prompt come together.
static PHOTOS: Mutex<VecDeque<Arc<ask::Photo>>> = Mutex::new(VecDeque::new());

/// At most 20 MB each.
const PHOTOS_MAX: usize = 8;

/// One picture and its mask, or dicts of several by the sides that they show. Warns if the object
/// may be somewhere else, as on the command line.
pub(crate) fn photo_of(
    photo: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Arc<ask::Photo>>> {
    let Some(photo) = photo else {
        return match mask {
            None => Ok(None),
            Some(_) => Err(invalid("a mask was given without its photo; give photo too")),
        };
    };
    let (py, photo) = (photo.py(), opened(photo, mask)?);
    if let Some(note) = py.detach(|| photo.cut_out()).or_raise()? {
        warn(py, format!("the photo: {note}"))?;
    }
    Ok(Some(photo))
}

/// The same without the warning.
pub(crate) fn opened(
    photo: &Bound<'_, PyAny>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<Arc<ask::Photo>> {
    if let Ok(photo) = photo.cast::<Photo>() {
        return match mask {
            None => Ok(Arc::clone(&photo.get().0)),
            Some(_) => Err(PictureError::new_err(
                "a Photo already has its mask; give the mask to Photo.open",
            )),
        };
    }
    styled(photo, mask, PhotoStyle::default())
}

fn styled(
    photo: &Bound<'_, PyAny>,
    mask: Option<&Bound<'_, PyAny>>,
    style: PhotoStyle,
) -> PyResult<Arc<ask::Photo>> {
    let named = |given: &Bound<'_, PyMapping>| -> PyResult<BTreeMap<String, Vec<u8>>> {
        let items = given.items()?;
        let item = |it: Bound<'_, PyAny>| {
            let (side, picture): (String, Bound<'_, PyAny>) = it.extract()?;
            Ok((side, file_of(&picture)?))
        };
        items.iter().map(item).collect()
    };
    let made = match photo.cast::<PyMapping>() {
        Ok(images) => {
            let masks = mask.map(|masks| match masks.cast::<PyMapping>() {
                Ok(masks) => named(masks),
                Err(_) => Err(PictureError::new_err(
                    "several photos are given; give their masks as a dict with the same names",
                )),
            });
            let sides = ordered_sides(named(images)?, masks.transpose()?.unwrap_or_default())
                .map_err(|reason| PictureError::new_err(format!("there is {reason}")))?;
            if sides.is_empty() {
                return Err(PictureError::new_err("the dict of photos is empty"));
            }
            ask::Photo::new_sides(sides)
        }
        Err(_) => ask::Photo::new(file_of(photo)?, mask.map(file_of).transpose()?),
    };
    let made = made.with_style(style);
    let mut known = PHOTOS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(same) = known.iter().find(|it| it.key() == made.key()) {
        return Ok(Arc::clone(same));
    }
    known.truncate(PHOTOS_MAX - 1);
    known.push_front(Arc::new(made));
    Ok(Arc::clone(&known[0]))
}
