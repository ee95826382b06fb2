//! A picture as PNG or JPEG bytes that shows itself in a notebook.

use crate::error::{OrRaise, PictureError, invalid};
use crate::html;
use meshjudge::unstable::judge;
use meshjudge::unstable::render::{Image, PixelFormat};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::{Path, PathBuf};

#[doc = doc!("Picture")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Picture(pub(crate) judge::Picture);

impl Picture {
    pub(crate) fn new(image: &Image) -> PyResult<Self> {
        judge::Picture::from_image(image).map(Self).or_raise()
    }

    pub(crate) fn image(&self) -> PyResult<Image> {
        Image::decode(&self.0.bytes).or_raise()
    }
}

#[pymethods]
impl Picture {
    #[new]
    fn open(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        judge::Picture::from_bytes(file_of(source)?).map(Self).or_raise()
    }

    #[doc = doc!("Picture.data")]
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.bytes)
    }

    #[doc = doc!("Picture.data_url")]
    #[getter]
    fn data_url(&self) -> String {
        html::data_url(&self.0)
    }

    #[doc = doc!("Picture.width")]
    #[getter]
    fn width(&self) -> u32 {
        self.0.width_px
    }

    #[doc = doc!("Picture.height")]
    #[getter]
    fn height(&self) -> u32 {
        self.0.height_px
    }

    #[doc = doc!("Picture.media_type")]
    #[getter]
    fn media_type(&self) -> &'static str {
        self.0.media_type
    }

    #[doc = doc!("Picture.hash")]
    #[getter]
    fn hash(&self) -> &str {
        &self.0.hash
    }

    #[doc = doc!("Picture.to_numpy")]
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array_of(py, self.image()?)
    }

    /// The pixels, for ``numpy.asarray(picture)``.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(invalid("the pixels are decoded from PNG, so a copy cannot be avoided"));
        }
        let array = self.to_numpy(py)?;
        match dtype {
            None => Ok(array),
            Some(dtype) => array.call_method1("astype", (dtype,)),
        }
    }

    #[doc = doc!("Picture.to_pil")]
    fn to_pil<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = py.import("io")?.call_method1("BytesIO", (self.data(py),))?;
        let image = py.import("PIL.Image")?.call_method1("open", (bytes,))?;
        image.call_method0("load")?;
        Ok(image)
    }

    fn __reduce__<'py>(slf: Bound<'py, Self>) -> (Bound<'py, PyAny>, (Bound<'py, PyBytes>,)) {
        let bytes = slf.get().data(slf.py());
        (slf.get_type().into_any(), (bytes,))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
    }

    fn __hash__(&self) -> u64 {
        u64::from_str_radix(&self.0.hash[..16], 16).unwrap_or_default()
    }

    #[doc = doc!("Picture.save")]
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        let media_type = match extension.as_deref() {
            Some("png") => "image/png",
            Some("jpg" | "jpeg") => "image/jpeg",
            _ => {
                return Err(invalid(format!(
                    "pictures are saved as .png or .jpg; give a name with that extension, or use picture.to_pil().save: {path:?}"
                )));
            }
        };
        let converted = match media_type {
            _ if media_type == self.0.media_type => self.0.clone(),
            "image/png" => judge::Picture::from_image(&self.image()?).or_raise()?,
            _ => judge::Picture::jpeg_of(&self.image()?).or_raise()?,
        };
        meshjudge::unstable::save::write_file(&path, &converted.bytes).map_err(|e| {
            PictureError::new_err(format!(
                "cannot write ({e}); check the path, the space and the permissions: {path:?}"
            ))
        })
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        (self.0.media_type == "image/png").then(|| self.data(py))
    }

    fn _repr_jpeg_<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        (self.0.media_type == "image/jpeg").then(|| self.data(py))
    }

    fn __repr__(&self) -> String {
        format!("<Picture {}×{} {}>", self.0.width_px, self.0.height_px, self.0.media_type)
    }
}

/// Height, width, channels; 16-bit greys in the machine's own order.
pub(crate) fn array_of(py: Python<'_>, image: Image) -> PyResult<Bound<'_, PyAny>> {
    let (height, width) = (image.height_px as usize, image.width_px as usize);
    let channels = image.format.components();
    let shape = (height, width, channels);
    let wrong = |e: numpy::ndarray::ShapeError| PictureError::new_err(e.to_string());
    if image.format.is_float() {
        let values = Array3::from_shape_vec(shape, image.floats().collect()).map_err(wrong)?;
        return Ok(values.into_pyarray(py).into_any());
    }
    if image.format == PixelFormat::Grey16 {
        let values = Array3::from_shape_vec(shape, greys(&image.pixels)).map_err(wrong)?;
        return Ok(values.into_pyarray(py).into_any());
    }
    let values = Array3::from_shape_vec(shape, image.pixels).map_err(wrong)?;
    Ok(values.into_pyarray(py).into_any())
}

/// 16-bit greys as a picture holds them, in the machine's own order.
pub(crate) fn greys(pixels: &[u8]) -> Vec<u16> {
    pixels.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect()
}

fn read(path: &Path) -> PyResult<Vec<u8>> {
    std::fs::read(path)
        .map_err(|e| PictureError::new_err(format!("cannot read the picture ({e}): {path:?}")))
}

/// The file of a picture that a user gives: a path, PNG, JPEG or WebP bytes, or a picture of ours,
/// as they are, with what the camera noted; a picture of Pillow or an array of ``uint8`` as PNG.
pub(crate) fn file_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(picture) = value.cast::<Picture>() {
        return Ok(picture.get().0.bytes.to_vec());
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    match value.extract::<PathBuf>() {
        Ok(path) => read(&path),
        Err(_) => from_array(value)?.to_png().or_raise(),
    }
}

fn from_array(value: &Bound<'_, PyAny>) -> PyResult<Image> {
    let numpy = value.py().import("numpy")?;
    let options = PyDict::new(value.py());
    options.set_item("dtype", "uint8")?;
    let value = value.py().import("meshjudge._assets")?.call_method1("upright", (value,))?;
    let array = numpy.call_method1("asarray", (value,))?;
    let kind = array.getattr("dtype")?;
    // A mask of true and false.
    let value = &if kind.eq(numpy.getattr("bool_")?)? {
        array.call_method1("astype", ("uint8",))?.call_method1("__mul__", (255_u8,))?
    } else {
        array
    };
    let is_bytes = value.getattr("dtype")?.eq(numpy.getattr("uint8")?)?;
    let wrong = || {
        PictureError::new_err(
            "a picture must be a path, PNG, JPEG or WebP bytes, or an array of uint8 with the shape (height, width), (height, width, 3) or (height, width, 4)",
        )
    };
    if !is_bytes {
        return Err(wrong());
    }
    let array = numpy.call_method("ascontiguousarray", (value,), Some(&options))?;
    let array = array.cast::<numpy::PyArrayDyn<u8>>().map_err(|_| wrong())?.readonly();
    let shape = array.as_array().shape().to_vec();
    let format = match shape[..] {
        [_, _] | [_, _, 1] => PixelFormat::Grey8,
        [_, _, 3] => PixelFormat::Rgb8,
        [_, _, 4] => PixelFormat::Rgba8,
        _ => return Err(wrong()),
    };
    let side = |length: usize| u32::try_from(length).ok().filter(|&px| px > 0);
    let (Some(height_px), Some(width_px)) = (side(shape[0]), side(shape[1])) else {
        return Err(wrong());
    };
    Ok(Image { width_px, height_px, format, pixels: array.as_slice()?.to_vec() })
}
