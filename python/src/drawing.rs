//! Assets → arrays of pixels, or folders of PNG files.

use crate::error::{ForkError, OrRaise};
use crate::json::to_python;
use crate::options::{Keywords, Notices, channels};
use crate::picture::greys;
use crate::pool::{Pool, SHARED};
use crate::source::{Source, shown};
use meshjudge::unstable::ask::Drawing;
use meshjudge::unstable::front::{PictureFormat, draw_to_folder};
use meshjudge::unstable::load::{Loaded, Options};
use meshjudge::unstable::options::{LoadOptions, ViewOptions};
use meshjudge::unstable::render::{Channel, PixelFormat, Renderer as Device, draw};
use meshjudge::unstable::scene::Asset as Shown;
use numpy::IntoPyArray;
use numpy::ndarray::Array4;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Documented in Python, where every option has its name.
#[pyclass(frozen, subclass, module = "meshjudge")]
pub(crate) struct Renderer {
    drawing: Arc<Drawing>,
    /// What other calls take from it.
    pictures: Pictures,
    /// The other set-ups of the rig's protocol, which only `save` writes.
    setups: Arc<Vec<(String, Drawing)>>,
    pool: Option<Arc<Pool>>,
    /// Where the graphics card was opened.
    process: u32,
    /// Ends the drawings that run now.
    switch: Mutex<Arc<AtomicBool>>,
}

/// How a renderer shows assets, for calls that draw by its settings.
#[derive(Clone)]
pub(crate) struct Pictures {
    pub(crate) views: ViewOptions,
    /// As given.
    pub(crate) load: LoadOptions,
    pub(crate) loading: Options,
    pub(crate) channels: Vec<Channel>,
    pub(crate) notices: Notices,
}

/// Those of `renderer`, else the defaults.
pub(crate) fn pictures(given: &Keywords<'_>) -> PyResult<Pictures> {
    let renderer: Option<PyRef<'_, Renderer>> = given.take("renderer")?;
    match renderer {
        Some(renderer) => {
            renderer.pool()?;
            Ok(renderer.pictures.clone())
        }
        None => Ok(Pictures {
            views: ViewOptions::default(),
            load: LoadOptions::default(),
            loading: Options::default(),
            channels: channels(None)?,
            notices: Notices::default(),
        }),
    }
}

impl Renderer {
    fn pool(&self) -> PyResult<&Pool> {
        let is_card = self.drawing.settings.renderer != Device::Cpu;
        if is_card && self.process != std::process::id() {
            return Err(ForkError::new_err(
                "this renderer's graphics card was opened before this process was forked, and does not work here; make the renderer in this process, started by multiprocessing.get_context(\"spawn\"), or draw with device=\"cpu\"",
            ));
        }
        Ok(self.pool.as_deref().unwrap_or(&SHARED))
    }

    fn switch(&self) -> Arc<AtomicBool> {
        let mut switch = self.switch.lock().unwrap_or_else(PoisonError::into_inner);
        if switch.load(Ordering::Relaxed) {
            *switch = Arc::default();
        }
        Arc::clone(&switch)
    }

    fn draw<'py>(&self, py: Python<'py>, source: Source) -> PyResult<Bound<'py, PyDict>> {
        let (drawing, options) = (Arc::clone(&self.drawing), self.pictures.loading);
        let drawn = self.pool()?.run_until(py, self.switch(), move || {
            let loaded = source.open_shown(&options, drawing.view_scale().as_ref()).or_raise()?;
            draw_stacks(&loaded, &drawing)
        })?;
        self.pictures.notices.warn(py)?;
        arrays(py, drawn?)
    }
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = Keywords::new(py, "Renderer", options)?;
        let notices = Notices::default();
        let (views, load): (_, LoadOptions) = (given.views(&notices)?, given.group()?);
        let channels = channels(given.any("channels")?)?;
        let threads: Option<usize> = given.take("threads")?;
        given.end()?;
        let drawing = Drawing::new(&views, "ring", None, &channels).or_raise()?;
        let setups = drawing.setups(&views).or_raise()?;
        notices.warn(py)?;
        Ok(Self {
            drawing: Arc::new(drawing),
            setups: Arc::new(setups),
            pictures: Pictures { views, load, loading: load.settings(), channels, notices },
            pool: threads.map(|threads| Arc::new(Pool::new(threads))),
            process: std::process::id(),
            switch: Mutex::default(),
        })
    }

    /// Ends the drawings that other threads have under way.
    fn _stop(&self) {
        let switch = self.switch.lock().unwrap_or_else(PoisonError::into_inner);
        switch.store(true, Ordering::Relaxed);
    }

    #[doc = doc!("Renderer.num_views")]
    #[getter]
    fn num_views(&self) -> usize {
        self.drawing.rig.views.len()
    }

    #[doc = doc!("Renderer.protocol")]
    #[getter]
    fn protocol<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record = self.drawing.protocol(&self.pictures.loading).record();
        py.import("json")?.call_method1("loads", (record.json,))
    }

    #[doc = doc!("Renderer.protocol_hash")]
    #[getter]
    fn protocol_hash(&self) -> String {
        self.drawing.protocol(&self.pictures.loading).hash()
    }

    #[doc = doc!("Renderer.load")]
    fn load(&self, py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let source = Source::given(source, None)?;
        let (drawing, options) = (Arc::clone(&self.drawing), source.options(self.pictures.loading));
        let opened = self
            .pool()?
            .run(py, move || source.open_shown(&options, drawing.view_scale().as_ref()))?;
        shown(py, opened.or_raise()?, options)
    }

    #[doc = doc!("Renderer.render")]
    fn render<'py>(
        &self,
        py: Python<'py>,
        asset: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.draw(py, Source::given(asset, None)?)
    }

    #[doc = doc!("Renderer.save")]
    fn save<'py>(
        &self,
        py: Python<'py>,
        asset: &Bound<'py, PyAny>,
        folder: PathBuf,
    ) -> PyResult<Bound<'py, PyAny>> {
        let source = Source::given(asset, None)?;
        let (drawing, options) = (Arc::clone(&self.drawing), source.options(self.pictures.loading));
        let setups = Arc::clone(&self.setups);
        let drawn = self.pool()?.run_until(py, self.switch(), move || {
            let loaded = source.open_shown(&options, drawing.view_scale().as_ref())?;
            let drawn = draw_to_folder(
                &loaded,
                &options,
                Duration::ZERO,
                (&drawing, &setups),
                PictureFormat::Png,
                &folder,
            )?;
            Ok::<_, meshjudge::Error>(serde_json::json!({
                "views": drawn.frames.len(),
                "problems": drawn.problems(),
                "seconds": drawn.total.as_secs_f64(),
            }))
        })?;
        self.pictures.notices.warn(py)?;
        to_python(py, &drawn.or_raise()?)
    }

    fn __repr__(&self) -> String {
        let Drawing { rig, settings } = self.drawing.as_ref();
        format!(
            "<Renderer {}: {} views of {} px, {}>",
            rig.name,
            rig.views.len(),
            settings.width_px,
            settings.renderer.name()
        )
    }
}

/// All views of one channel, one after the other.
struct Stack {
    channel: Channel,
    format: PixelFormat,
    shape: [usize; 3],
    pixels: Vec<u8>,
}

fn draw_stacks(loaded: &Loaded<Shown>, drawing: &Drawing) -> PyResult<Vec<Stack>> {
    let frames = draw(&loaded.scene, &drawing.rig, &drawing.settings).or_raise()?;
    let Some(first) = frames.first() else {
        return Ok(Vec::new());
    };
    let stack = |channel: &Channel| -> Stack {
        let image = &first.images[channel];
        let mut pixels = vec![0; image.pixels.len() * frames.len()];
        let places = pixels.par_chunks_exact_mut(image.pixels.len());
        places
            .zip(&frames)
            .for_each(|(place, frame)| place.copy_from_slice(&frame.images[channel].pixels));
        Stack {
            channel: *channel,
            format: image.format,
            shape: [frames.len(), image.height_px as usize, image.width_px as usize],
            pixels,
        }
    };
    Ok(first.images.keys().map(stack).collect())
}

fn arrays(py: Python<'_>, stacks: Vec<Stack>) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for stack in stacks {
        let [views, height, width] = stack.shape;
        let name = stack.channel.name();
        let wrong = |e: numpy::ndarray::ShapeError| {
            crate::error::InternalError::new_err(format!("{name}: {e}"))
        };
        let array = match stack.format {
            PixelFormat::Grey16 => {
                Array4::from_shape_vec((views, height, width, 1), greys(&stack.pixels))
                    .map_err(wrong)?
                    .into_pyarray(py)
                    .into_any()
            }
            format if format.is_float() => {
                let (floats, _) = stack.pixels.as_chunks::<4>();
                let floats = floats.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
                Array4::from_shape_vec((views, height, width, format.components()), floats)
                    .map_err(wrong)?
                    .into_pyarray(py)
                    .into_any()
            }
            format => Array4::from_shape_vec((views, height, width, format.bytes()), stack.pixels)
                .map_err(wrong)?
                .into_pyarray(py)
                .into_any(),
        };
        dict.set_item(name, array)?;
    }
    Ok(dict)
}
