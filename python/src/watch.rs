//! How far asking is → a Python callable, whose exception ends the asking.

use meshjudge::unstable::ask::{Progress, StopSwitch};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A callback is not called more often.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Reports progress to a Python callable. An exception in it ends the asking, and is raised after
/// that.
#[derive(Clone)]
pub(crate) struct Watch {
    callable: Option<Arc<Py<PyAny>>>,
    stop: StopSwitch,
    state: Arc<Mutex<WatchState>>,
}

/// The last progress of questions that was shown, with the assets made and to make.
type Shown = (Progress, Option<(usize, usize)>);

#[derive(Default)]
struct WatchState {
    called: Option<Instant>,
    shown: Shown,
    raised: Option<PyErr>,
}

impl Watch {
    /// `True` means a bar on the terminal or in the notebook.
    pub(crate) fn new(given: Option<Bound<'_, PyAny>>, stop: StopSwitch) -> PyResult<Self> {
        let callable = match given {
            None => None,
            Some(given) => match given.extract::<bool>() {
                Ok(false) => None,
                Ok(true) => {
                    let bar = given.py().import("meshjudge._progress")?.getattr("Bar")?;
                    Some(Arc::new(bar.call0()?.unbind()))
                }
                Err(_) => Some(Arc::new(given.unbind())),
            },
        };
        Ok(Self { callable, stop, state: Arc::default() })
    }

    pub(crate) fn show(&self, progress: &Progress, made: Option<(usize, usize)>) {
        self.call(progress.total == Some(progress.done), |py, shown| {
            *shown = (progress.clone(), made);
            progress_dict(py, progress, made)
        });
    }

    /// After the questions: the last dict about them, with `computing`.
    pub(crate) fn show_computed(&self, name: &str, done: usize, total: usize) {
        self.call(done == total, |py, (progress, made)| {
            let dict = progress_dict(py, progress, *made)?;
            let computing = PyDict::new(py);
            computing.set_item("name", name)?;
            computing.set_item("done", done)?;
            computing.set_item("total", total)?;
            dict.set_item("computing", computing)?;
            Ok(dict)
        });
    }

    /// Calls with that dict, unless the last call was a moment ago; `is_end` is not left out.
    fn call(
        &self,
        is_end: bool,
        dict: impl for<'py> FnOnce(Python<'py>, &mut Shown) -> PyResult<Bound<'py, PyDict>>,
    ) {
        let Some(callable) = &self.callable else {
            return;
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_soon = state.called.is_some_and(|called| called.elapsed() < PROGRESS_EVERY);
        if state.raised.is_some() || (is_soon && !is_end) {
            return;
        }
        state.called = Some(Instant::now());
        let called = Python::try_attach(|py| {
            callable.bind(py).call1((dict(py, &mut state.shown)?,))?;
            Ok::<_, PyErr>(())
        });
        if let Some(Err(error)) = called {
            state.raised = Some(error);
            self.stop.press();
        }
    }

    /// Ends the asking with an exception, the first of several.
    pub(crate) fn fail(&self, error: PyErr) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.raised.get_or_insert(error);
        self.stop.press();
    }

    /// Raises that exception.
    pub(crate) fn end(&self) -> PyResult<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.raised.take().map_or(Ok(()), Err)
    }
}

/// The progress of asking, as a Python object.
fn progress_dict<'py>(
    py: Python<'py>,
    progress: &Progress,
    made: Option<(usize, usize)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("done", progress.done)?;
    dict.set_item("total", progress.total)?;
    dict.set_item("in_flight", progress.in_flight)?;
    dict.set_item("failed", progress.failed)?;
    dict.set_item("verdicts_per_minute", progress.verdicts_per_minute)?;
    dict.set_item("spent_usd", progress.spent_usd)?;
    dict.set_item("projected_usd", progress.projected_usd)?;
    dict.set_item("time_left_secs", progress.time_left.map(|left| left.as_secs_f64()))?;
    dict.set_item("waiting", &progress.waiting)?;
    if let Some((made, to_make)) = made {
        dict.set_item("made", made)?;
        dict.set_item("to_make", to_make)?;
    }
    Ok(dict)
}
