//! How reliable a judge is, measured on pairs whose right answer is known.

use crate::asking::{Asking, summary_row};
use crate::drawing::{Pictures, pictures};
use crate::error::OrRaise;
use crate::html;
use crate::json::to_python;
use crate::options::Keywords;
use crate::pool;
use crate::table::{Kind, Table};
use meshjudge::unstable::audit::{AuditPlan, JudgeFigures, about, audit as audit_judges, sheets};
use meshjudge::unstable::front::RunConfig;
use meshjudge::unstable::options::AuditOptions;
use meshjudge::unstable::rubric::Rubric;
use meshjudge::unstable::store::Store;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const FINDINGS: [(&str, Kind); 8] = [
    ("judge", Kind::Text),
    ("kind", Kind::Text),
    ("criterion", Kind::Text),
    ("level", Kind::Float),
    ("right", Kind::Float),
    ("low", Kind::Float),
    ("high", Kind::Float),
    ("undecided", Kind::Float),
];

#[doc = doc!("Audit")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Audit {
    figures: Vec<JudgeFigures>,
    left_out: Vec<String>,
    summary: Value,
    run: Option<PathBuf>,
}

#[pymethods]
impl Audit {
    #[doc = doc!("Audit.figures")]
    #[getter]
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.figures)
    }

    #[doc = doc!("Audit.words")]
    #[getter]
    fn words(&self) -> Vec<String> {
        let of_judge = |found: &JudgeFigures| {
            let judge = found.title();
            found.summary.iter().map(move |line| format!("{judge}: {line}")).collect::<Vec<_>>()
        };
        self.figures.iter().flat_map(of_judge).collect()
    }

    #[doc = doc!("Audit.left_out")]
    #[getter]
    fn left_out(&self) -> Vec<String> {
        self.left_out.clone()
    }

    #[doc = doc!("Audit.summary")]
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.summary)
    }

    #[doc = doc!("Audit.run")]
    #[getter]
    fn run(&self) -> Option<&Path> {
        self.run.as_deref()
    }

    #[doc = doc!("Audit.findings")]
    fn findings(&self) -> Table {
        let mut rows: Vec<Map<String, Value>> = Vec::new();
        for judge in &self.figures {
            for found in &judge.findings {
                for (level, share) in &found.accuracy {
                    let interval = share.and_then(|share| share.interval);
                    let row = json!({
                        "judge": judge.title(), "kind": found.kind, "criterion": found.criterion, "level": level,
                        "right": share.map(|share| share.value), "low": interval.map(|i| i.low), "high": interval.map(|i| i.high),
                        "undecided": found.undecided.map(|share| share.value),
                    });
                    if let Value::Object(row) = row {
                        rows.push(row);
                    }
                }
            }
        }
        Table::of_rows(&FINDINGS, &rows)
    }

    fn _repr_html_(&self) -> String {
        let words: String =
            self.words().iter().map(|line| format!("<li>{}</li>", html::escaped(line))).collect();
        format!("<ul>{words}</ul>{}", self.findings().html())
    }

    fn __repr__(&self) -> String {
        let judges: Vec<String> = self.figures.iter().map(JudgeFigures::title).collect();
        format!("<Audit of {}>", judges.join(", "))
    }
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (**options))]
pub(crate) fn audit(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Audit> {
    let given = Keywords::new(py, "audit", options)?;
    let options: AuditOptions = given.group()?;
    let rubric: String = given.take("rubric")?.unwrap_or_default();
    let Pictures { views, loading, notices, .. } = pictures(&given)?;
    let asking = Asking::take(&given)?;
    given.end()?;
    let rubric = std::sync::Arc::new(Rubric::open(&rubric).or_raise()?);
    let judges = asking.judges(py)?;
    let Asking { settings, run, reaching, watch, .. } = asking;
    let (stop, watched) = (settings.stop.clone(), watch.clone());
    let done = pool::ask(py, &stop, move || {
        let plan = AuditPlan::new(&options, &loading, settings.seed, &rubric)?;
        let sheets = sheets(&[], &rubric, &views, &loading)?;
        let store = match &run {
            None => Store::in_memory()?,
            Some(folder) => {
                let config = RunConfig {
                    command: "audit",
                    about: about(&plan, &rubric, &sheets),
                    options: &reaching.asked,
                };
                config.open(Some(folder), &judges)?
            }
        };
        let asked = (store, judges.as_slice());
        let audited = audit_judges(&plan, &rubric, &sheets, asked, &settings, None, |progress| {
            watched.show(progress, None);
        })?;
        Ok::<_, meshjudge::Error>(Audit {
            figures: audited.figures,
            left_out: audited.left_out,
            summary: summary_row(&audited.summary),
            run,
        })
    })?;
    watch.end()?;
    notices.warn(py)?;
    done.or_raise()
}
