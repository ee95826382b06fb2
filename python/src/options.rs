//! Words and numbers that a caller gives → the library's settings.

use crate::error::{LoadError, OrRaise, RenderError, invalid, unknown, warn};
use meshjudge::unstable::ask::ViewOptions;
use meshjudge::unstable::load::{Axis, NormalsPolicy, Options, VertexColors};
use meshjudge::unstable::render::{
    AdapterChoice, Channel, Environment, Gpu, GpuError, Light, NormalSpace, Notice, Renderer,
};
use meshjudge::unstable::rig::NamedConvention;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A word for one of the library's choices.
pub(crate) fn choice<T: DeserializeOwned>(what: &str, word: &str, known: &str) -> PyResult<T> {
    serde_json::from_value(serde_json::Value::String(word.to_owned()))
        .map_err(|_| unknown(what, word, &known.split(", ").collect::<Vec<_>>()))
}

/// One name, or several.
pub(crate) fn names(given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    given.extract::<String>().map(|name| vec![name]).or_else(|_| given.extract())
}

/// Words for channels, each once, in the library's order.
pub(crate) fn channels(given: Option<Bound<'_, PyAny>>) -> PyResult<Vec<Channel>> {
    let Some(given) = given else {
        return Ok(vec![Channel::Rgb, Channel::Normal]);
    };
    let mut channels = names(&given)?
        .iter()
        .map(|word| choice("channel", word, &Channel::ALL.map(Channel::name).join(", ")))
        .collect::<PyResult<Vec<Channel>>>()?;
    channels.sort_unstable();
    channels.dedup();
    Ok(channels)
}

/// How files are read.
pub(crate) fn load_options(
    normals: &str,
    up: &str,
    front: &str,
    vertex_colors: &str,
) -> PyResult<Options> {
    let axis = |text: &str| -> PyResult<Axis> {
        text.parse().map_err(|e| LoadError::new_err(format!("{e}")))
    };
    Ok(Options {
        normals: choice::<NormalsPolicy>("source of normals", normals, "file, flat, smooth")?,
        up: axis(up)?,
        front: axis(front)?,
        vertex_colors: choice::<VertexColors>("space of colours", vertex_colors, "linear, srgb")?,
        ..Options::default()
    })
}

/// The messages of a graphics card since the last look.
#[derive(Clone, Default)]
pub(crate) struct Notices(Arc<Mutex<Vec<String>>>);

impl Notices {
    fn listen(&self) -> Notice {
        let notices = Self::clone(self);
        Box::new(move |line| {
            notices.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned())
        })
    }

    /// Hands them to Python's `warnings`.
    pub(crate) fn warn(&self, py: Python<'_>) -> PyResult<()> {
        let said = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if said.is_empty() {
            return Ok(());
        }
        said.into_iter().try_for_each(|line| warn(py, line))
    }
}

/// `cpu`, `auto`, `gpu` or `gpu:NAME`.
fn renderer(device: &str, notices: &Notices) -> PyResult<Renderer> {
    let card = |choice: &AdapterChoice| Gpu::open(choice, notices.listen()).or_raise();
    match (device, device.strip_prefix("gpu:")) {
        ("cpu", _) => Ok(Renderer::Cpu),
        ("gpu", _) => card(&AdapterChoice::Real).map(Renderer::Gpu),
        (_, Some(name)) if !name.is_empty() => {
            card(&AdapterChoice::Named(name.to_owned())).map(Renderer::Gpu)
        }
        ("auto", _) => match Gpu::detect(notices.listen()) {
            Ok(gpu) => Ok(Renderer::Gpu(gpu)),
            Err(GpuError::NoCard { .. } | GpuError::NotBuilt) => Ok(Renderer::Cpu),
            Err(e) => {
                notices.listen()(&format!("{e}; the CPU draws"));
                Ok(Renderer::Cpu)
            }
        },
        _ => Err(invalid(format!(
            "{device:?} is not a device; choose from cpu, auto, gpu, and gpu:NAME with a part of an adapter's name"
        ))),
    }
}

/// A colour's name or digits, as `#RRGGBB` or `#RGB`; or three numbers: shares of 1, or, if any is
/// larger than 1, whole from 0 to 255.
fn color(given: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = given.extract::<String>() {
        let is_short = text.len() == 4 && text.starts_with('#') && text.is_ascii();
        return Ok(if is_short {
            text.chars().flat_map(|c| [c, c]).skip(1).collect()
        } else {
            text
        });
    }
    let wrong = || {
        invalid(
            "a colour must be a name, '#RRGGBB', '#RGB', or three numbers: whole from 0 to 255, or shares from 0.0 to 1.0",
        )
    };
    // (1, 1, 1) is white, whether of whole numbers or not.
    let numbers: [f64; 3] = given.extract().map_err(|_| wrong())?;
    let scale = if numbers.iter().all(|number| *number <= 1.0) { 255.0 } else { 1.0 };
    let is_valid = |n: &f64| (0.0..=255.0).contains(n) && (scale > 1.0 || n.fract() == 0.0);
    if !numbers.iter().all(is_valid) {
        return Err(wrong());
    }
    let [r, g, b] = numbers.map(|number| (number * scale).round() as u8);
    Ok(format!("#{r:02x}{g:02x}{b:02x}"))
}

/// Keyword arguments, taken one by one; the remaining ones are unknown.
pub(crate) struct Keywords<'py> {
    function: &'static str,
    left: Bound<'py, PyDict>,
}

impl<'py> Keywords<'py> {
    pub(crate) fn new(
        py: Python<'py>,
        function: &'static str,
        given: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let left = match given {
            Some(given) => given.copy()?,
            None => PyDict::new(py),
        };
        Ok(Self { function, left })
    }

    /// `None` where it was not given, or given as None.
    pub(crate) fn any(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(value) = self.left.get_item(name)? else {
            return Ok(None);
        };
        self.left.del_item(name)?;
        Ok((!value.is_none()).then_some(value))
    }

    /// A path, which is left for the call that opens it.
    pub(crate) fn peek(&self, name: &str) -> PyResult<Option<PathBuf>> {
        self.left.get_item(name)?.map_or(Ok(None), |value| value.extract())
    }

    pub(crate) fn take<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.any(name)? else {
            return Ok(None);
        };
        let found = value.extract::<T>().map_err(|e| {
            let e: PyErr = e.into();
            let words = format!("{}(): {name}: {}", self.function, e.value(value.py()));
            match e.is_instance_of::<PyOverflowError>(value.py()) {
                true => PyOverflowError::new_err(words),
                false => PyTypeError::new_err(words),
            }
        })?;
        Ok(Some(found))
    }

    /// How an asset is drawn.
    pub(crate) fn views(&self, notices: &Notices) -> PyResult<ViewOptions> {
        let background = self.any("background")?.map(|given| color(&given)).transpose()?;
        let normal_space: Option<String> = self.take("normal_space")?;
        let light: Option<String> = self.take("light")?;
        let cameras: Option<PathBuf> = self.take("cameras")?;
        let named: Option<String> = self.take("camera_convention")?;
        let named = named
            .map(|words| words.parse::<NamedConvention>())
            .transpose()
            .map_err(|e| invalid(format!("{e}")))?
            .unwrap_or_default();
        let environment: Option<PathBuf> = self.take("environment")?;
        let device: Option<String> = self.take("device")?;
        let elevation_degrees: Option<f64> = self.take("elevation")?;
        if elevation_degrees.is_some_and(|degrees| !(-90.0..=90.0).contains(&degrees)) {
            return Err(RenderError::new_err("the elevation must be from -90 to 90 degrees"));
        }
        Ok(ViewOptions {
            rig: self.any("rig")?.map(|rig| rig.str()?.extract()).transpose()?,
            cameras: cameras.map(|path| (path, named)),
            views: self.take("views")?,
            columns: None,
            elevation_degrees,
            tile_px: self.take("size")?,
            background: background
                .map(|word| word.parse())
                .transpose()
                .map_err(|e| invalid(format!("{e}")))?,
            normal_space: match normal_space {
                Some(word) => choice::<NormalSpace>("normal space", &word, "world, view")?,
                None => NormalSpace::default(),
            },
            light: light
                .map(|word| choice::<Light>("light", &word, "studio, unlit"))
                .transpose()?,
            environment: environment
                .as_deref()
                .map(Environment::open)
                .transpose()
                .map_err(|e| RenderError::new_err(e.to_string()))?,
            renderer: renderer(device.as_deref().unwrap_or("cpu"), notices)?,
        })
    }

    /// How files are read.
    pub(crate) fn loading(&self) -> PyResult<Options> {
        let normals: Option<String> = self.take("normals")?;
        let up: Option<String> = self.take("up")?;
        let front: Option<String> = self.take("front")?;
        let vertex_colors: Option<String> = self.take("vertex_colors")?;
        load_options(
            normals.as_deref().unwrap_or("file"),
            up.as_deref().unwrap_or("+y"),
            front.as_deref().unwrap_or("+z"),
            vertex_colors.as_deref().unwrap_or("linear"),
        )
    }

    /// Refuses what nobody took.
    pub(crate) fn end(self) -> PyResult<()> {
        match self.left.keys().iter().next() {
            None => Ok(()),
            Some(name) => Err(PyTypeError::new_err(format!(
                "{}() got an unexpected keyword argument '{name}'",
                self.function
            ))),
        }
    }
}
