//! A whole benchmark, from its file or from a dict.

use crate::asking::{Asking, check_prices, summary_row};
use crate::cluster::PythonCluster;
use crate::drawing::{Pictures, pictures};
use crate::error::{BenchError, OrRaise, invalid, warn};
use crate::feature::models;
use crate::json::text_of;
use crate::judge::warn_of_changes;
use crate::options::{Keywords, choice, names};
use crate::pool;
use crate::run::Run;
use crate::watch::Watch;
use meshjudge::unstable::ask::{AskSettings, Progress};
use meshjudge::unstable::bench::{
    BenchFile, Cluster, CommonFronts, Engine, Inferred, JudgeEntry, JudgeTable, NodeSetup,
    Observer, Plan, RubricEntry, check_photos, open_judges, open_run, run_folder,
};
use meshjudge::unstable::judge::Judge;
use meshjudge::unstable::options::{AskOptions, PairOptions, or};
use meshjudge::unstable::render::Renderer;
use meshjudge::unstable::results::read_reliability;
use meshjudge::{Error, Kind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Warnings that a summary keeps.
const WARNINGS_MAX: usize = 100;

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (source, *, folder=PathBuf::from("."), **options), text_signature = "(source, *, folder='.', **options)")]
pub(crate) fn bench(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    folder: PathBuf,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Run> {
    let given = Keywords::new(py, "bench", options)?;
    let Pictures { views, load, notices, .. } = pictures(&given)?;
    let rubric: Option<Bound<'_, PyAny>> = given.any("rubric")?;
    let pair: PairOptions = given.group()?;
    let fronts: Option<String> = given.take("fronts")?;
    let engine = given.any("engine")?;
    let prompts = given.any("prompts")?;
    let functions: Option<Bound<'_, PyDict>> = given.take("features")?;
    let mut asking = Asking::take(&given)?;
    given.end()?;
    let mut failures = BTreeMap::new();
    let (mut file, path) = match in_memory(source)? {
        true => {
            let run = asking.run.get_or_insert_with(|| folder.join("runs").join("bench"));
            let reuse = &asking.settings.reuse;
            let given = (source, prompts, run.as_path(), folder.as_path(), reuse);
            let made;
            (made, failures) =
                py.import("meshjudge._bench")?.call_method1("file_of", given)?.extract()?;
            file_of(&made, &folder)?
        }
        false if prompts.is_some() => {
            return Err(invalid(
                "prompts is for methods with assets in memory; a benchmark file has its own",
            ));
        }
        false => file_of(source, &folder)?,
    };
    let options = override_file(&mut file, &asking);
    let laid = or(&pair, &file.pictures).and_then(|it| or(&load, &or(&views, &it)?));
    file.pictures = laid.map_err(|e| BenchError::new_err(e.to_string()))?;
    if let Some(fronts) = fronts {
        file.pictures.fronts = choice("front", &fronts)?;
    }
    if let Some(rubric) = rubric {
        file.rubrics = names(&rubric)?.into_iter().map(RubricEntry::Name).collect();
    }
    if let Some(engine) = &engine {
        file.engine = Some(engine_of(engine)?);
    }
    if file.engine.is_some() && views.renderer != Renderer::Cpu {
        return Err(BenchError::new_err(
            "machines of a cluster draw on the CPU; leave out device, or engine",
        ));
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let mut plan = Plan::new(&file, &path).or_raise_of(Kind::Bench)?.drawn_by(&views.renderer);
    let functions = models(functions.as_ref(), &asking.watch)?;
    plan = plan.with_models(functions).map_err(|names| {
        invalid(format!(
            "features: no feature of the benchmark with source \"python\" has the name {}",
            names.join(", ")
        ))
    })?;
    plan.failures = failures;
    let run = run_folder(&path, None, asking.run.as_deref());
    for note in py.detach(|| check_photos(&plan, &run, &|| {})).or_raise_of(Kind::Bench)? {
        warn(py, note)?;
    }
    let judges = match &asking.judges {
        Some(judges) => judges.clone(),
        None => {
            let mut reaching = asking.reaching;
            let models = file.models.as_ref().map(|models| folder.join(models));
            reaching.options.models = reaching.options.models.or(models);
            open_judges(&file, &reaching.settings()?).or_raise_of(Kind::Bench)?
        }
    };
    check_prices(&judges, file.budget.max_cost_usd)?;
    let judge_names: Vec<String> = judges.iter().map(Judge::name).collect();
    let reliability =
        read_reliability(&file.audits, &folder, &judge_names).or_raise_of(Kind::Bench)?;
    warn_of_changes(py, Some(&run), &asking.settings.reuse, &judges)?;
    let fronts = py
        .detach(|| CommonFronts::find(&mut file, &mut plan, &run, &|| {}))
        .or_raise_of(Kind::Bench)?;
    let mut cluster = match file.engine {
        None => None,
        Some(Engine::Ray) => {
            let setup = NodeSetup::new(&file, &path, &plan, &run, &judges)?;
            let engine = engine.filter(|engine| !engine.is_instance_of::<PyString>());
            Some(PythonCluster::open_ray(py, &setup, engine.as_ref())?)
        }
    };
    let settings = AskSettings { stop: asking.settings.stop, ..AskSettings::from(&options) };
    let rating = file.rating.clone();
    let (stop, watch) = (settings.stop.clone(), asking.watch.clone());
    let done = pool::ask(py, &stop, move || {
        let store = open_run(&run, &file, &plan, &path, None, &reliability)?;
        plan.keep_photos();
        fronts.write(&run)?;
        let observer = Heard { watch, warnings: Mutex::default() };
        let (store, summary) = meshjudge::unstable::bench::run(
            &plan,
            &judges,
            &settings,
            store,
            &observer,
            cluster.as_mut().map(|cluster| cluster as &mut dyn Cluster),
        )?;
        let made = store.made()?;
        let missing: Vec<serde_json::Value> = made.iter()
            .filter_map(|made| {
                let (stage, reason) = made.failure.as_ref()?;
                Some(serde_json::json!({
                    "method": made.method, "prompt_id": made.prompt_id, "seed": made.seed, "stage": stage.as_str(), "reason": reason,
                }))
            })
            .collect();
        let mut row = summary_row(&summary);
        row["missing_assets"] = missing.into();
        row["warnings"] =
            observer.warnings.into_inner().unwrap_or_else(PoisonError::into_inner).into();
        Ok::<_, Error>(Run::of_bench(run, rating, row))
    })?;
    asking.watch.end()?;
    notices.warn(py)?;
    done.or_raise_of(Kind::Bench)
}

/// A cluster's program by its name, or by its settings, which only `meshjudge.ray` has.
fn engine_of(engine: &Bound<'_, PyAny>) -> PyResult<Engine> {
    match engine.extract::<String>() {
        Ok(name) => choice("engine", &name),
        Err(_) if engine.get_type().name()? == "Engine" => Ok(Engine::Ray),
        Err(_) => Err(PyTypeError::new_err("engine must be 'ray' or a meshjudge.ray.Engine")),
    }
}

/// Whether it maps methods to assets: no value of a benchmark file is a dict, a function or a
/// folder under a key that files lack.
fn in_memory(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(table) = source.cast::<PyDict>() else {
        return Ok(false);
    };
    Ok(!table.is_empty() && !table.contains("generators")? && !table.contains("name")?)
}

/// The benchmark, and the file that it is or would be.
fn file_of(source: &Bound<'_, PyAny>, folder: &Path) -> PyResult<(BenchFile, PathBuf)> {
    let Ok(table) = source.cast::<PyDict>() else {
        let path: PathBuf = source.extract()?;
        if path.is_dir() {
            let found = Inferred::of(&path, None).or_raise_of(Kind::Bench)?;
            found.notes.iter().try_for_each(|note| warn(source.py(), note.clone()))?;
            let file = PathBuf::from("bench.toml");
            let table = found.to_toml().parse::<toml::Table>();
            let table = table.map_err(|e| BenchError::new_err(e.to_string()))?;
            return Ok((BenchFile::from_table(table, &file).or_raise_of(Kind::Bench)?, file));
        }
        return Ok((BenchFile::open(&path).or_raise_of(Kind::Bench)?, path));
    };
    let table: toml::Table = serde_json::from_str(&text_of(table)?).map_err(|e| {
        BenchError::new_err(format!("invalid benchmark: {e}; leave out keys that are None"))
    })?;
    let name = table.get("name").and_then(toml::Value::as_str).unwrap_or("bench");
    let safe = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let file_name: String = name.chars().take(60).map(safe).chain(".toml".chars()).collect();
    let path = folder.join(file_name);
    Ok((BenchFile::from_table(table, &path).or_raise_of(Kind::Bench)?, path))
}

/// Arguments override the file, so that `run.toml` has the effective settings.
fn override_file(file: &mut BenchFile, asking: &Asking) -> AskOptions {
    if let Some(judges) = &asking.judges {
        file.judges = judges
            .iter()
            .map(|judge| {
                JudgeEntry::Table(JudgeTable {
                    spec: judge.name(),
                    base_url: judge.base_url().map(str::to_owned),
                    timeout_secs: None,
                    batch: None,
                    tuning: asking.reaching.tuning.clone(),
                })
            })
            .collect();
    }
    file.lay_over(&asking.reaching.asked)
}

struct Heard {
    watch: Watch,
    warnings: Mutex<Vec<String>>,
}

impl Heard {
    fn keep(&self, words: &str) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < WARNINGS_MAX {
            warnings.push(words.to_owned());
        }
    }
}

impl Observer for Heard {
    fn progress(&self, progress: &Progress, made: usize, to_make: usize) {
        self.watch.show(progress, Some((made, to_make)));
    }

    fn computed(&self, name: &str, done: usize, total: usize) {
        self.watch.show_computed(name, done, total);
    }

    fn warn(&self, warning: &str) {
        self.keep(warning);
    }

    fn note(&self, note: &str) {
        self.keep(note);
    }
}
