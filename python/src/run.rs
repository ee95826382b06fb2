//! Runs: boards, means, agreement and verdicts.

use crate::error::{OrRaise, RunError, invalid, unknown, warn};
use crate::html;
use crate::json::to_python;
use crate::options::Keywords;
use crate::pool::SHARED;
use crate::table::{Kind, Table};
use crate::verdicts::table_of;
use meshjudge::Error;
use meshjudge::unstable::options::RatingOptions;
use meshjudge::unstable::report::{
    GalleryPlace, Kind as ColumnKind, PictureCount, ReportFormat, RunReport, board_notes,
    boards_notes, further_notes, left_out_sentences, result_kinds, result_rows, row_fields,
    run_rows, write_report_as,
};
use meshjudge::unstable::results::{
    CriterionBoard, JudgeReliability, RateSettings, Results, counts, gather, gather_with,
    reliability_of, results,
};
use meshjudge::unstable::store::{Record, RunFolders, Store, run_folders};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

/// The columns of rows of a kind, without nested values; an estimate has its interval in two more.
fn columns(kind: &str) -> Vec<(String, Kind)> {
    let each = row_fields(kind).into_iter().flat_map(|(name, kind)| match kind {
        ColumnKind::Json => Vec::new(),
        ColumnKind::Estimate => {
            let names = ["", "_low", "_high"].map(|end| format!("{name}{end}"));
            names.map(|name| (name, Kind::Float)).into()
        }
        kind => vec![(name.to_owned(), kind.into())],
    });
    each.collect()
}

/// Of rows whose columns are declared nowhere: those that any row has, in their order.
fn inferred(rows: &[Map<String, Value>]) -> Vec<(String, Kind)> {
    let mut found: Vec<(String, Kind)> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if found.iter().any(|(known, _)| known == name) {
            continue;
        }
        let all = |is: fn(&Value) -> bool| {
            rows.iter().filter_map(|row| row.get(name)).all(|cell| cell.is_null() || is(cell))
        };
        let kind = match () {
            () if all(Value::is_string) => Kind::Text,
            () if all(Value::is_i64) => Kind::Int,
            () if all(Value::is_number) => Kind::Float,
            () => Kind::Json,
        };
        found.push((name.clone(), kind));
    }
    found
}

/// An estimate becomes three cells: its value, and the ends of its interval.
fn flatten_estimates(row: &mut Map<String, Value>) {
    let is_estimate = |cell: &Value| cell.get("value").is_some() && cell.get("interval").is_some();
    let names: Vec<String> =
        row.iter().filter(|(_, cell)| is_estimate(cell)).map(|(name, _)| name.clone()).collect();
    for name in names {
        let estimate = row.remove(&name).unwrap_or_default();
        for end in ["low", "high"] {
            let cell = estimate["interval"].get(end).cloned().unwrap_or_default();
            row.insert(format!("{name}_{end}"), cell);
        }
        row.insert(name, estimate["value"].clone());
    }
}

#[doc = doc!("Run")]
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Run {
    /// The first as it was given.
    home: PathBuf,
    folders: Vec<PathBuf>,
    settings: RateSettings,
    summary: Option<Value>,
}

impl Run {
    pub(crate) fn of_bench(folder: PathBuf, settings: RateSettings, summary: Value) -> Self {
        Self { home: folder.clone(), folders: vec![folder], settings, summary: Some(summary) }
    }

    fn read(&self, py: Python<'_>, diagnoses: bool) -> PyResult<Found> {
        let folders = self.folders.clone();
        let settings = RateSettings { diagnoses, ..self.settings.clone() };
        let found = SHARED.run(py, move || {
            let mut gathered = gather(&folders)?;
            let results = results(&mut gathered, &settings)?;
            Ok::<_, Error>(Found {
                left_out: left_out_sentences(&gathered, &results),
                reliability: reliability_of(&folders),
                results,
            })
        })?;
        found.or_raise()
    }
}

/// Results, and what a reader must know besides.
struct Found {
    results: Results,
    left_out: Vec<String>,
    reliability: Vec<JudgeReliability>,
}

impl Found {
    /// The rows of `--json` of one kind, chosen by criterion and judge, which must exist.
    fn rows(
        &self,
        kind: &str,
        criterion: Option<&str>,
        judge: Option<&str>,
    ) -> PyResult<Vec<Map<String, Value>>> {
        self.check("criterion", criterion, |(criterion, _)| criterion)?;
        self.check("judge", judge, |(_, voice)| voice)?;
        let is_chosen = |row: &Map<String, Value>, key: &str, wanted: Option<&str>| {
            wanted.is_none_or(|wanted| row.get(key).and_then(Value::as_str) == Some(wanted))
        };
        Ok(result_rows(&self.results)
            .into_iter()
            .filter_map(|row| match row {
                Value::Object(row) => Some(row),
                _ => None,
            })
            .filter(|row| is_chosen(row, "kind", Some(kind)))
            .filter(|row| is_chosen(row, "criterion", criterion))
            .filter(|row| is_chosen(row, "judge", judge))
            .collect())
    }

    fn check(
        &self,
        what: &str,
        name: Option<&str>,
        of: impl Fn((String, String)) -> String,
    ) -> PyResult<()> {
        let boards = self
            .results
            .boards
            .iter()
            .map(|on| (on.key.criterion().to_owned(), on.key.voice.to_string()));
        let means = self
            .results
            .means
            .iter()
            .map(|on| (on.key.criterion().to_owned(), on.key.voice.to_string()));
        let unrated = self
            .results
            .unrated
            .iter()
            .map(|on| (on.key.criterion().to_owned(), on.key.voice.to_string()));
        let known: BTreeSet<String> = boards.chain(means).chain(unrated).map(of).collect();
        match name.filter(|name| !known.contains(*name)) {
            Some(name) => Err(unknown(what, name, &known.into_iter().collect::<Vec<_>>())),
            None => Ok(()),
        }
    }

    fn notes(&self) -> Vec<String> {
        further_notes(&self.results, &self.left_out, &self.reliability)
    }
}

#[pymethods]
impl Run {
    #[new]
    #[pyo3(signature = (folder, **options), text_signature = "(folder, *, ties=None, anchor=None, prior=None, bootstraps=None, seed=None, mix_protocols=False, with_probe=None)")]
    fn new(
        py: Python<'_>,
        folder: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let given = Keywords::new(py, "Run", options)?;
        let options: RatingOptions = given.group()?;
        given.end()?;
        let folders: Vec<PathBuf> = match folder.extract::<PathBuf>() {
            Ok(folder) => vec![folder],
            Err(_) => folder.extract()?,
        };
        let Some(home) = folders.first().cloned() else {
            return Err(invalid("no run folder was given"));
        };
        let RunFolders { folders, missing } = run_folders(&folders);
        if !missing.is_empty() {
            let names = missing.iter().map(|part| part.display().to_string());
            let words = format!(
                "shards without a run are not counted (not started, elsewhere, or without a prompt): {}",
                names.collect::<Vec<_>>().join(", ")
            );
            warn(py, words)?;
        }
        for folder in &folders {
            Store::read(folder).or_raise()?;
        }
        let settings = RateSettings::of(&options, &folders).or_raise()?;
        Ok(Self { home, folders, settings, summary: None })
    }

    #[doc = doc!("Run.folders")]
    #[getter]
    fn folders(&self) -> Vec<PathBuf> {
        self.folders.clone()
    }

    #[doc = doc!("Run.summary")]
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.summary.as_ref().map(|summary| to_python(py, summary)).transpose()
    }

    #[doc = doc!("Run.outcomes")]
    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let folders = self.folders.clone();
        // Also where nothing can be rated.
        let counted = SHARED.run(py, move || gather(&folders).map(|gathered| counts(&gathered)))?;
        to_python(py, &counted.or_raise()?.outcomes)
    }

    #[doc = doc!("Run.results")]
    #[pyo3(signature = (kind="rating", criterion=None, judge=None, *, diagnose=false))]
    fn results(
        &self,
        py: Python<'_>,
        kind: &str,
        criterion: Option<&str>,
        judge: Option<&str>,
        diagnose: bool,
    ) -> PyResult<Table> {
        let kinds = result_kinds();
        if !kinds.contains(&kind) {
            return Err(unknown("kind of rows", kind, &kinds));
        }
        let found = self.read(py, diagnose)?;
        let mut rows = found.rows(kind, criterion, judge)?;
        rows.iter_mut().for_each(flatten_estimates);
        let schema = match columns(kind) {
            known if known.is_empty() => inferred(&rows),
            known => known,
        };
        let is_chosen = |on: &&CriterionBoard| {
            criterion.is_none_or(|name| on.key.criterion() == name)
                && judge.is_none_or(|name| on.key.voice.to_string() == name)
        };
        let boards: Vec<&CriterionBoard> = found.results.boards.iter().filter(is_chosen).collect();
        let mut notes = if kind == "rating" { boards_notes(&boards) } else { Vec::new() };
        if ["rating", "mean"].contains(&kind) {
            notes.extend(found.notes());
        }
        Ok(Table::of_rows(&schema, &rows).with_notes(notes))
    }

    #[doc = doc!("Run.vectors")]
    fn vectors<'py>(&self, py: Python<'py>, feature: &str) -> PyResult<Bound<'py, PyAny>> {
        let given = (self.folders.clone(), feature);
        py.import("meshjudge._features")?.call_method1("vectors", given)
    }

    #[doc = doc!("Run.verdicts")]
    #[pyo3(signature = (by="question"))]
    fn verdicts(&self, py: Python<'_>, by: &str) -> PyResult<Table> {
        let (folders, is_all) = (self.folders.clone(), by != "criterion");
        let read = SHARED.run(py, move || {
            let mut counted: HashSet<String> = HashSet::new();
            let gathered = if is_all {
                None
            } else {
                Some(gather_with(&folders, None, |_, record| {
                    counted.insert(record.id.clone());
                })?)
            };
            let mut records: Vec<Record> = Vec::new();
            for folder in &folders {
                run_rows(&Store::read(folder)?, |record| {
                    // A question in several runs counts once.
                    if is_all || counted.remove(&record.id) {
                        records.push(record);
                    }
                    Ok(())
                })?;
            }
            Ok::<_, Error>((records, gathered.map(|gathered| gathered.forfeits)))
        })?;
        let (records, forfeits) = read.or_raise()?;
        table_of(&records, forfeits.as_deref().unwrap_or_default(), by)
    }

    #[doc = doc!("Run.report")]
    #[pyo3(signature = (path=None))]
    fn report(&self, py: Python<'_>, path: Option<PathBuf>) -> PyResult<PathBuf> {
        let path = path.unwrap_or_else(|| self.home.join("report.html"));
        let (folders, settings, target) =
            (self.folders.clone(), self.settings.clone(), path.clone());
        let written = SHARED.run(py, move || {
            let format = ReportFormat::of(&target).or_raise()?;
            let report = RunReport::read(&folders, &settings, GalleryPlace::BySize).or_raise()?;
            write_report_as(&report, &target, format, PictureCount::default()).or_raise()
        })?;
        if written?.is_empty() {
            Err(RunError::new_err("there is no board to plot; the page (.html) gives the reason"))
        } else {
            Ok(path)
        }
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let found = match self.read(py, false) {
            Ok(found) => found,
            Err(error) => return Ok(format!("<p>{}</p>", html::escaped(&error.to_string()))),
        };
        let mut page = format!("<p>{}</p>", html::escaped(&self.__repr__()));
        let ratings = found.rows("rating", None, None)?;
        let open =
            found.results.boards.iter().position(|on| on.key.criterion() == "overall").unwrap_or(0);
        for (place, board) in found.results.boards.iter().enumerate() {
            let judge = board.key.voice.to_string();
            let is_of_board = |row: &&Map<String, Value>| {
                let is =
                    |key: &str, wanted: &str| row.get(key).and_then(Value::as_str) == Some(wanted);
                is("rubric", board.key.rubric())
                    && is("criterion", board.key.criterion())
                    && is("judge", &judge)
            };
            let rows: Vec<Map<String, Value>> =
                ratings.iter().filter(is_of_board).cloned().collect();
            let table =
                Table::of_rows(&columns("rating")[3..], &rows).with_notes(board_notes(board));
            page += &format!(
                "<details{}><summary>{} ({})</summary>{}</details>",
                if place == open { " open" } else { "" },
                html::escaped(board.key.criterion()),
                html::escaped(&judge),
                table.html()
            );
        }
        if !found.results.means.is_empty() {
            page += &Table::of_rows(&columns("mean"), &found.rows("mean", None, None)?).html();
        }
        let notes: String =
            found.notes().iter().map(|note| format!("<li>{}</li>", html::escaped(note))).collect();
        Ok(format!("{page}<ul>{notes}</ul>"))
    }

    fn __repr__(&self) -> String {
        let folders: Vec<String> = self.folders.iter().map(|f| f.display().to_string()).collect();
        format!("<Run {}>", folders.join(", "))
    }
}
