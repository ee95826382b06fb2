//! Words and numbers that a caller gives → the library's settings.

use crate::error::{LoadError, OrRaise, invalid, unknown, warn};
use crate::json::text_of;
use meshjudge::unstable::options::{self, RendererChoice, ViewOptions};
use meshjudge::unstable::render::{Channel, Notice};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// A word for one of the library's choices.
pub(crate) fn choice<T: DeserializeOwned>(what: &str, word: &str) -> PyResult<T> {
    serde_json::from_value(Value::String(word.to_owned()))
        .map_err(|_| unknown(what, word, options::names::<T>()))
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
        .map(|word| choice("channel", word))
        .collect::<PyResult<Vec<Channel>>>()?;
    channels.sort_unstable();
    channels.dedup();
    Ok(channels)
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

    /// The options of a group that were given, each by its name.
    pub(crate) fn group<T: DeserializeOwned>(&self) -> PyResult<T> {
        let mut group = Map::new();
        for name in options::names::<T>() {
            let Some(given) = self.any(name)? else { continue };
            let value = match *name {
                "background" => Value::String(color(&given)?),
                _ => serde_json::from_str(&text_of(&given)?).map_err(|e| self.wrong(name, &e))?,
            };
            // Each by itself, so that an error names it; one name can be a list.
            let alone = |value: &Value| serde_json::from_value::<T>(json!({ *name: value }));
            let list = json!([value]);
            let is_list = value.is_string() && alone(&value).is_err() && alone(&list).is_ok();
            let value = if is_list { list } else { value };
            alone(&value).map_err(|e| self.wrong(name, &e))?;
            group.insert((*name).to_owned(), value);
        }
        serde_json::from_value(Value::Object(group)).map_err(|e| self.wrong("options", &e))
    }

    fn wrong(&self, name: &str, error: &serde_json::Error) -> PyErr {
        let reason = error.to_string().replace("` or `", "`, `").replace('`', "");
        let words = format!("{}(): {name}: {reason}", self.function);
        if matches!(name, "up" | "front") {
            return LoadError::new_err(words);
        }
        let choice = reason.strip_prefix("unknown variant ");
        if let Some((given, known)) = choice.and_then(|it| it.split_once(", expected ")) {
            let known: Vec<&str> = known.trim_start_matches("one of ").split(", ").collect();
            return unknown(&name.replace('_', " "), given, &known);
        }
        match &reason {
            it if it.starts_with("invalid type") => PyTypeError::new_err(words),
            it if it.starts_with("invalid value: integer") => PyOverflowError::new_err(words),
            _ => invalid(words),
        }
    }

    /// How an asset is drawn, by the device that it names.
    pub(crate) fn views(&self, notices: &Notices) -> PyResult<ViewOptions> {
        let mut views: ViewOptions = self.group()?;
        // A benchmark's paths are relative to its folder.
        for path in [&mut views.cameras, &mut views.environment].into_iter().flatten() {
            *path = std::path::absolute(&path)?;
        }
        if let Some(device) = self.take::<String>("device")? {
            let choice: RendererChoice =
                device.parse().map_err(|e| invalid(format!("{device:?} is not a device; {e}")))?;
            views.renderer = choice.open(|| notices.listen()).or_raise()?;
        }
        Ok(views)
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
