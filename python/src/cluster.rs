//! A cluster whose program is in Python, and the process on its machines.

use crate::error::{BenchError, OrRaise};
use crate::json::to_python;
use crate::pool::Pool;
use meshjudge::Kind;
use meshjudge::unstable::bench::{Cluster, Job, JobDone, Look, Node, NodeSetup};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// An object with `draw_jobs`, `submit(id, job)`, `next(seconds)` and `close()`; see
/// `meshjudge/_ray_bench.py`.
pub(crate) struct PythonCluster(Py<PyAny>);

impl PythonCluster {
    /// Ray's. `engine` is a `meshjudge.ray.Engine` or None.
    pub(crate) fn open_ray(
        py: Python<'_>,
        setup: &NodeSetup,
        engine: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let setup = serde_json::to_value(setup)
            .map_err(|e| BenchError::new_err(format!("the benchmark cannot be sent ({e})")))?;
        // Text, since that is what machines are sent; and parsed, for what Python has to know of
        // it.
        let opened =
            py.import("meshjudge.ray")?.call_method1("_open", (setup.to_string(), engine))?;
        Ok(Self(opened.unbind()))
    }

    fn call<T>(&self, work: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, String> {
        Python::try_attach(|py| work(self.0.bind(py)).map_err(|e| e.to_string()))
            .unwrap_or_else(|| Err("Python has ended".to_owned()))
    }
}

impl Cluster for PythonCluster {
    fn draw_jobs(&self) -> usize {
        self.call(|cluster| cluster.getattr("draw_jobs")?.extract()).unwrap_or(1)
    }

    fn submit(&mut self, id: u64, job: &Job) -> Result<(), String> {
        let job = serde_json::to_value(job).map_err(|e| e.to_string())?;
        self.call(|cluster| {
            let job = to_python(cluster.py(), &job)?;
            cluster.call_method1("submit", (id, job)).map(drop)
        })
    }

    fn next(&mut self, wait: Duration) -> Result<Option<(u64, JobDone)>, String> {
        /// `made` is why there is no asset.
        #[derive(FromPyObject)]
        enum Done {
            #[pyo3(transparent)]
            Made((u64, Option<String>, f64)),
            #[pyo3(transparent)]
            Drawn((u64, Vec<String>, Vec<Option<PyBackedBytes>>)),
        }
        let done: Option<Done> = self.call(|cluster| {
            let seconds = wait.as_secs_f64();
            cluster.call_method1("next", (seconds,))?.extract()
        })?;
        Ok(match done {
            None => None,
            Some(Done::Made((id, failure, seconds))) => {
                let result = failure.map_or(Ok(()), Err);
                Some((id, JobDone::Made { result, seconds }))
            }
            Some(Done::Drawn((id, looks, pictures))) => {
                let looks = looks
                    .iter()
                    .map(|look| serde_json::from_str::<Look>(look).map_err(|e| e.to_string()))
                    .collect::<Result<_, _>>()?;
                // Bytes that Python holds are copied at once; as a list of numbers they would be
                // read one by one.
                let pictures =
                    pictures.into_iter().map(|bytes| bytes.map(|bytes| bytes.to_vec())).collect();
                Some((id, JobDone::Drawn { looks, pictures }))
            }
        })
    }
}

impl Drop for PythonCluster {
    fn drop(&mut self) {
        // Machines that do not hear of it end with the cluster.
        let _ = self.call(|cluster| cluster.call_method0("close").map(drop));
    }
}

/// One process that works for a benchmark on another machine. Of no use outside ``meshjudge.ray``.
///
/// Parameters
/// ----------
/// setup : str
///     The data from the process that asks.
/// threads : int
#[pyclass(frozen, module = "meshjudge._native")]
pub(crate) struct BenchNode {
    node: Arc<Mutex<Node>>,
    pool: Pool,
}

impl BenchNode {
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Node) -> T + Send + 'static,
    ) -> PyResult<T> {
        let node = Arc::clone(&self.node);
        self.pool.run(py, move || work(&mut node.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl BenchNode {
    #[new]
    fn new(setup: &str, threads: usize) -> PyResult<Self> {
        Ok(Self {
            node: Arc::new(Mutex::new(Node::open(setup).or_raise_of(Kind::Bench)?)),
            pool: Pool::new(threads),
        })
    }

    /// Reads an asset and draws it for a rubric; returns the findings as JSON.
    fn look(&self, py: Python<'_>, slot: usize, rubric: usize) -> PyResult<String> {
        let look = self.run(py, move |node| node.look(slot, rubric))?;
        serde_json::to_string(&look).map_err(|e| BenchError::new_err(e.to_string()))
    }

    /// The pictures of one question.
    fn compose<'py>(
        &self,
        py: Python<'py>,
        rubric: usize,
        slots: Vec<usize>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let composed = self.run(py, move |node| {
            node.compose(rubric, &slots).map(|pictures| pictures.to_bytes())
        })?;
        Ok(PyBytes::new(py, &composed.or_raise_of(Kind::Bench)?))
    }

    /// Has an asset made: why there is none, or None, and how many seconds it took.
    #[pyo3(signature = (slot, gpu=None))]
    fn make(
        &self,
        py: Python<'_>,
        slot: usize,
        gpu: Option<String>,
    ) -> PyResult<(Option<String>, f64)> {
        let (result, seconds) = self.run(py, move |node| node.make(slot, gpu.as_deref()))?;
        Ok((result.err(), seconds))
    }
}
