//! One pair or one object, judged in one call.

use crate::asking::{Asking, summary_row};
use crate::drawing::{Pictures, pictures};
use crate::error::{OrRaise, unknown};
use crate::html;
use crate::json::{from_json, to_python};
use crate::options::{Keywords, choice};
use crate::photo::{opened, photo_of};
use crate::picture::Picture;
use crate::pool;
use crate::rows::{by_criterion, by_question};
use crate::source::Source;
use crate::table::Table;
use meshjudge::Error;
use meshjudge::unstable::ask::{
    AskSettings, Case, Drawing, Session, Side, Source as AssetSource, Studio, Template, Work,
    drawings,
};
use meshjudge::unstable::front::{
    CriterionFinding, Fronts, JudgeFindings, PairFronts, RunConfig, about_pair, add_rubric,
    asset_of, method_name, pair_case,
};
use meshjudge::unstable::judge::{self, Judge, Part, PhotoKey, Specimen};
use meshjudge::unstable::load::Options;
use meshjudge::unstable::options::{AskOptions, PairOptions, ViewOptions};
use meshjudge::unstable::render::stoppable;
use meshjudge::unstable::report::PROBE_CAVEATS;
use meshjudge::unstable::rubric::{Form, Order, Rubric};
use meshjudge::unstable::store::{PlannedPair, Record, Store};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The width of a sheet in a notebook, at most.
const SHEET_WIDTH_PX: u32 = 900;

/// Questions that were asked, and everything that came back, as data that can be pickled.
#[derive(Serialize, Deserialize)]
struct Asked {
    by_question: Table,
    by_criterion: Table,
    /// What judges were shown, each once, in that order.
    #[serde(skip)]
    shown: Vec<judge::Picture>,
    /// Every judge's own words, folded.
    words_html: String,
    summary: serde_json::Value,
    run: Option<PathBuf>,
}

impl Asked {
    fn new(
        records: &[Record],
        pictures: &BTreeMap<String, judge::Picture>,
        summary: serde_json::Value,
        run: Option<PathBuf>,
    ) -> Self {
        let mut hashes: Vec<&String> = Vec::new();
        for hash in records.iter().flat_map(|record| &record.pictures) {
            if !hashes.contains(&hash) {
                hashes.push(hash);
            }
        }
        let shown = hashes.into_iter();
        Self {
            by_question: by_question(records),
            by_criterion: by_criterion(records, &[]),
            shown: shown.filter_map(|hash| pictures.get(hash).cloned()).collect(),
            words_html: records.iter().map(words_html).collect(),
            summary,
            run,
        }
    }

    fn table(&self, by: &str) -> PyResult<Table> {
        match by {
            "question" => Ok(self.by_question.clone()),
            "criterion" => Ok(self.by_criterion.clone()),
            _ => Err(unknown("kind of rows", by, &["question", "criterion"])),
        }
    }

    fn pictures(&self) -> Vec<Picture> {
        self.shown.iter().cloned().map(Picture).collect()
    }
}

fn words_html(record: &Record) -> String {
    let left = match (&record.b, record.order) {
        (None, _) => String::new(),
        (Some(_), Order::AsListed) => ", a left".to_owned(),
        (Some(_), Order::Swapped) => ", b left".to_owned(),
    };
    let said = match (&record.raw, record.outcome.reason()) {
        (Some(raw), _) if !raw.is_empty() => raw.as_str(),
        (_, Some(reason)) => reason,
        _ => "",
    };
    format!(
        "<details><summary>{}{left}: {}</summary><pre style=\"white-space:pre-wrap\">{}</pre></details>",
        html::escaped(record.judge.as_str()),
        html::escaped(record.outcome.name()),
        html::escaped(said)
    )
}

type Pickled<'py> = (Bound<'py, PyAny>, (String, Vec<Picture>));

/// For `restore_comparison` and `restore_score`: JSON, and the pictures.
fn pickled<'py>(
    py: Python<'py>,
    restore: &str,
    of: &impl Serialize,
    asked: &Asked,
) -> PyResult<Pickled<'py>> {
    let restore = py.import("meshjudge._native")?.getattr(restore)?;
    Ok((restore, (serde_json::json!(of).to_string(), asked.pictures())))
}

fn shown_again(shown: &[Bound<'_, Picture>]) -> Vec<judge::Picture> {
    shown.iter().map(|picture| picture.get().0.clone()).collect()
}

/// A pickled comparison.
#[pyfunction]
pub(crate) fn restore_comparison(
    json: &str,
    shown: Vec<Bound<'_, Picture>>,
) -> PyResult<Comparison> {
    let mut comparison: Comparison = from_json(json)?;
    comparison.asked.shown = shown_again(&shown);
    Ok(comparison)
}

/// A pickled score.
#[pyfunction]
pub(crate) fn restore_score(json: &str, shown: Vec<Bound<'_, Picture>>) -> PyResult<Score> {
    let mut score: Score = from_json(json)?;
    score.asked.shown = shown_again(&shown);
    Ok(score)
}

/// From records: a row per question, or per question and criterion.
pub(crate) fn table_of(records: &[Record], forfeits: &[PlannedPair], by: &str) -> PyResult<Table> {
    match by {
        "question" => Ok(by_question(records)),
        "criterion" => Ok(by_criterion(records, forfeits)),
        _ => Err(unknown("kind of rows", by, &["question", "criterion"])),
    }
}

/// What asking came to.
struct Ended {
    store: Store,
    summary: serde_json::Value,
    /// In the order of asking, each once.
    records: Vec<Record>,
    pictures: BTreeMap<String, judge::Picture>,
}

/// Asks all cases in one session, each of which is read and drawn when its turn comes. The first
/// one that fails ends it, after those before it were asked.
fn ask_all(
    store: Store,
    judges: &[Judge],
    settings: &AskSettings,
    fit_px: Option<u32>,
    watch: &crate::watch::Watch,
    cases: impl ExactSizeIterator<Item = PyResult<Case>> + Send,
) -> PyResult<Ended> {
    let mut session = Session::open(store, judges, settings, fit_px).or_raise()?;
    let (planner, switch) = (session.planner(), pool::interrupted());
    let num_requests = 2 * cases.len() as u64 * planner.num_requests_per_question();
    let (failed, pictures) = (Mutex::new(None), Mutex::new(BTreeMap::new()));
    let work = cases.map_while(|case| {
        let draw = |case| planner.work(&case, &mut Studio::default()).or_raise();
        match case.and_then(|case| stoppable(Arc::clone(&switch), || draw(case))) {
            Ok(work) => {
                keep_pictures(&work, &mut pictures.lock().unwrap_or_else(PoisonError::into_inner));
                Some(work)
            }
            Err(error) => {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                None
            }
        }
    });
    let asked = session.ask(work.flatten().map(Ok), num_requests, |now| watch.show(now, None));
    asked.or_raise()?;
    let (store, summary) = session.close();
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut pictures = pictures.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut records = Vec::new();
    for id in summary.ids.iter().collect::<BTreeSet<_>>() {
        records.extend(store.record(id).or_raise()?);
    }
    records.sort_by_key(|record| record.number);
    for hash in records.iter().flat_map(|record| &record.pictures) {
        if !pictures.contains_key(hash)
            && let Some(shown) = store.shown_picture(hash).or_raise()?
            && let Ok(picture) = judge::Picture::open(&shown.path)
        {
            pictures.insert(hash.clone(), picture);
        }
    }
    Ok(Ended { store, summary: summary_row(&summary), records, pictures })
}

fn keep_pictures(work: &[Work], pictures: &mut BTreeMap<String, judge::Picture>) {
    for work in work {
        let Work::Ask(unit) = work else { continue };
        for part in unit.questions.iter().flat_map(|question| &question.parts) {
            if let Part::Picture(picture) = part {
                pictures.insert(picture.hash.clone(), picture.clone());
            }
        }
    }
}

/// The folder of the run, opened with its subject; without a folder, nothing is kept after the
/// call.
fn store_of(
    run: Option<&Path>,
    command: &'static str,
    about: toml::Table,
    options: &AskOptions,
    judges: &[Judge],
) -> Result<Store, Error> {
    let Some(folder) = run else {
        return Store::in_memory();
    };
    let config = RunConfig { command, about, options };
    config.open(Some(folder), judges)
}

#[doc = doc!("Comparison")]
#[pyclass(frozen, module = "meshjudge")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Comparison {
    asked: Asked,
    findings: Vec<Found>,
    paths: [String; 2],
}

/// One judge's findings in one sample.
#[derive(Serialize, Deserialize)]
struct Found {
    judge: String,
    sample: u32,
    /// In the rubric's order.
    criteria: Vec<(String, FoundOn)>,
}

#[derive(Serialize, Deserialize)]
struct FoundOn {
    a_left: String,
    b_left: String,
    verdict: String,
}

impl Found {
    fn of(found: &JudgeFindings) -> Self {
        let criterion = |found: &CriterionFinding| {
            let [a_left, b_left] = found.orders.map(|finding| finding.as_str().to_owned());
            let on = FoundOn { a_left, b_left, verdict: found.as_str().to_owned() };
            (found.criterion.clone(), on)
        };
        Self {
            judge: found.judge.to_string(),
            sample: found.sample,
            criteria: found.criteria.iter().map(criterion).collect(),
        }
    }
}

#[pymethods]
impl Comparison {
    #[doc = doc!("Comparison.winner")]
    #[pyo3(signature = (criterion="overall"))]
    fn winner(&self, criterion: &str) -> PyResult<Option<&str>> {
        let all = || self.findings.iter().flat_map(|found| &found.criteria);
        let on: Vec<&str> =
            all().filter(|(key, _)| key == criterion).map(|(_, on)| on.verdict.as_str()).collect();
        let Some(first) = on.first() else {
            let mut known: Vec<&str> = all().map(|(key, _)| key.as_str()).collect();
            known.dedup();
            return if known.is_empty() {
                Ok(None)
            } else {
                Err(unknown("criterion", criterion, &known))
            };
        };
        let is_agreed =
            ["a", "b", "tie"].contains(first) && on.iter().all(|verdict| verdict == first);
        Ok(is_agreed.then_some(*first))
    }

    #[doc = doc!("Comparison.findings")]
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let finding = |found: &Found| {
            let criteria: serde_json::Map<_, _> = found
                .criteria
                .iter()
                .map(|(key, on)| (key.clone(), serde_json::json!(on)))
                .collect();
            serde_json::json!({"judge": found.judge, "sample": found.sample, "criteria": criteria})
        };
        to_python(py, &self.findings.iter().map(finding).collect::<Vec<_>>())
    }

    #[doc = doc!("Comparison.verdicts")]
    #[pyo3(signature = (by="question"))]
    fn verdicts(&self, by: &str) -> PyResult<Table> {
        self.asked.table(by)
    }

    #[doc = doc!("Comparison.pictures")]
    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        self.asked.pictures()
    }

    #[doc = doc!("Comparison.summary")]
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.asked.summary)
    }

    #[doc = doc!("Comparison.run")]
    #[getter]
    fn run(&self) -> Option<&Path> {
        self.asked.run.as_deref()
    }

    fn _repr_html_(&self) -> String {
        let mut page = String::new();
        if let Some(sheet) = self.asked.shown.first() {
            page += &html::picture(sheet, SHEET_WIDTH_PX);
        }
        let [a, b] = self.paths.each_ref().map(|path| html::escaped(path));
        page += &format!("<p>a (left): {a}<br>b (right): {b}</p>");
        for found in &self.findings {
            let rows: String = found.criteria.iter()
                .map(|(key, on)| {
                    format!(
                        "<tr><td style=\"text-align:left\">{}</td><td>{}</td><td>{}</td><td><b>{}</b></td></tr>",
                        html::escaped(key),
                        on.a_left,
                        on.b_left,
                        on.verdict
                    )
                })
                .collect();
            page += &format!(
                "<table><caption>{}</caption><thead><tr><th>criterion</th><th>a left</th><th>b left</th><th>verdict</th></tr></thead><tbody>{rows}</tbody></table>",
                html::escaped(&found.judge)
            );
        }
        if self.findings.iter().any(|found| found.judge == "probe") {
            let caveats = PROBE_CAVEATS.map(|words| format!("<li>{}</li>", html::escaped(words)));
            page += &format!("<ul>{}</ul>", caveats.concat());
        }
        page + &self.asked.words_html
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled(py, "restore_comparison", self, &self.asked)
    }

    fn __repr__(&self) -> String {
        let mut lines = vec![format!("<Comparison a={:?} b={:?}>", self.paths[0], self.paths[1])];
        for found in &self.findings {
            let criteria = found.criteria.iter();
            let words: Vec<String> =
                criteria.map(|(key, on)| format!("{key}: {}", on.verdict)).collect();
            lines.push(format!("  {}: {}", found.judge, words.join(", ")));
        }
        lines.join("\n")
    }
}

/// Both assets, the text, the photo and its mask.
type Row<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Option<String>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
);

/// A pair that is not yet read.
struct Pair {
    sources: [Source; 2],
    loading: Options,
    prompt: String,
    /// With its mask, as they were given: many decoded photos would fill memory.
    photo: Option<(Py<PyAny>, Option<Py<PyAny>>)>,
}

/// A rubric about pairs, and how its pictures are drawn.
type Asks = (Arc<Rubric>, Vec<Option<Drawing>>);

fn open_asks(name: &str, form: Form, views: &ViewOptions) -> PyResult<Asks> {
    let rubric = Arc::new(Rubric::open(name).or_raise()?.with_form(form).or_raise()?);
    if !rubric.is_of_pairs() {
        return Err(crate::error::RubricError::new_err(format!(
            "the rubric {:?} is not about two objects; use score, or a pairwise rubric",
            rubric.name()
        )));
    }
    let drawings = drawings(&rubric, views).or_raise()?;
    Ok((rubric, drawings))
}

impl Pair {
    fn new(row: &Row<'_>, loading: Options) -> PyResult<Self> {
        let (a, b, prompt, photo, mask) = row;
        // Its warnings come before anything is asked.
        photo_of(photo.as_ref(), mask.as_ref())?;
        let sources = [Source::given(a, Some("a"))?, Source::given(b, Some("b"))?];
        let mask = mask.as_ref().map(|mask| mask.clone().unbind());
        Ok(Self {
            loading: sources[0].options(loading),
            sources,
            prompt: prompt.clone().unwrap_or_default(),
            photo: photo.as_ref().map(|photo| (photo.clone().unbind(), mask)),
        })
    }

    /// Reads both assets and the photo.
    fn case(
        &self,
        asks: &[Option<Asks>; 2],
        fronts: Fronts,
    ) -> PyResult<(Case, Option<PairFronts>)> {
        let open = |source: &Source| source.open_shown(&self.loading, None).or_raise();
        let mut sides = [open(&self.sources[0])?, open(&self.sources[1])?];
        let photo = self.photo.as_ref().map(|(photo, mask)| {
            Python::attach(|py| opened(photo.bind(py), mask.as_ref().map(|mask| mask.bind(py))))
        });
        let photo = photo.transpose()?;
        let scenes = sides.each_ref().map(|side| &side.scene);
        let fronts = PairFronts::find(fronts, scenes, photo.as_deref()).or_raise()?;
        let rotations = fronts.map_or([0; 2], |fronts| fronts.rotations());
        for ((side, source), yaw_degrees) in sides.iter_mut().zip(&self.sources).zip(rotations) {
            if yaw_degrees != 0 {
                *side = source.open_rotated(&self.loading, yaw_degrees).or_raise()?;
            }
        }
        let asks = asks[usize::from(photo.is_some())].clone();
        let (rubric, drawings) = asks.expect("it was opened");
        let sides = [&*sides[0], &*sides[1]];
        let case = pair_case(rubric, &self.prompt, sides, photo, drawings, &self.loading);
        Ok((case.or_raise()?, fronts))
    }
}

/// Finds a pair's records among all.
struct Subject {
    rubric: Arc<Rubric>,
    prompt: Option<String>,
    assets: [judge::Asset; 2],
    photo: Option<PhotoKey>,
    fronts: Option<PairFronts>,
}

impl Subject {
    fn of(case: &Case, fronts: Option<PairFronts>) -> Self {
        Self {
            rubric: Arc::clone(&case.template.rubric),
            prompt: case.prompt.clone(),
            assets: [0, 1].map(|side| case.sides[side].asset.clone()),
            photo: case.photo.as_ref().map(|photo| photo.key()),
            fronts,
        }
    }

    fn has(&self, record: &Record) -> bool {
        let is_same = |of: &judge::Asset, asset: &judge::Asset| {
            of.hash == asset.hash && of.method == asset.method
        };
        let [a, b] = &self.assets;
        record.rubric_hash == self.rubric.hash()
            && record.prompt == self.prompt
            && record.photo == self.photo
            && is_same(&record.a, a)
            && record.b.as_ref().is_some_and(|of| is_same(of, b))
    }
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (pairs, *, rubric=None, fronts="file", **options))]
pub(crate) fn compare_many(
    py: Python<'_>,
    pairs: Vec<Row<'_>>,
    rubric: Option<&str>,
    fronts: &str,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Comparison>> {
    let given = Keywords::new(py, "compare", options)?;
    let Pictures { views, loading, notices, .. } = pictures(&given)?;
    let (pair, asking): (PairOptions, _) = (given.group()?, Asking::take(&given)?);
    given.end()?;
    let PairOptions { form, fit_px: fit } = pair;
    let form = form.unwrap_or_default();
    let fronts = choice::<Fronts>("front", fronts)?;
    let asks = |name: &str, is_used: bool| {
        is_used.then(|| open_asks(rubric.unwrap_or(name), form, &views)).transpose()
    };
    let has_photo = |row: &Row<'_>| row.3.is_some();
    let asks = [
        asks("pairwise", !pairs.iter().all(has_photo))?,
        asks("pairwise-image", pairs.iter().any(has_photo))?,
    ];
    let judges = asking.judges(py)?;
    let pairs = pairs.iter().map(|row| Pair::new(row, loading)).collect::<PyResult<Vec<Pair>>>()?;
    let Asking { settings, run, reaching, watch, .. } = asking;
    let (stop, watched) = (settings.stop.clone(), watch.clone());
    let done = pool::ask(py, &stop, move || {
        let Some(pair) = pairs.first() else {
            return Ok(Vec::new());
        };
        let first = pair.case(&asks, fronts)?;
        let mut about = about_pair(&first.0, fit);
        if pairs.len() > 1 {
            about.insert("pairs".to_owned(), (pairs.len() as i64).into());
        }
        let (folder, asked) = (run.as_deref(), &reaching.asked);
        let store = store_of(folder, "compare", about, asked, &judges).or_raise()?;
        let (mut first, subjects) = (Some(first), Mutex::new(Vec::new()));
        let cases = pairs.iter().map(|pair| {
            let (case, fronts) = first.take().map_or_else(|| pair.case(&asks, fronts), Ok)?;
            let mut subjects = subjects.lock().unwrap_or_else(PoisonError::into_inner);
            subjects.push(Subject::of(&case, fronts));
            Ok(case)
        });
        let ended = ask_all(store, &judges, &settings, fit, &watched, cases)?;
        let subjects = subjects.into_inner().unwrap_or_else(PoisonError::into_inner);
        let comparison = |subject: &Subject| {
            let all = ended.records.iter().filter(|record| subject.has(record));
            let mut records: Vec<Record> = all.cloned().collect();
            if let Some(fronts) = subject.fronts {
                let names = subject.assets.each_ref().map(|asset| asset.method.as_str());
                fronts.record(names, ended.store.folder(), &mut records).or_raise()?;
            }
            let asked = Asked::new(&records, &ended.pictures, ended.summary.clone(), run.clone());
            let found = meshjudge::Comparison::new(&subject.rubric, records);
            let findings = found.findings.iter().map(Found::of).collect();
            let paths = subject.assets.each_ref().map(|asset| asset.path.clone());
            Ok(Comparison { asked, findings, paths })
        };
        subjects.iter().map(comparison).collect::<PyResult<Vec<_>>>()
    })?;
    watch.end()?;
    notices.warn(py)?;
    done
}

#[doc = doc!("Score")]
#[pyclass(frozen, module = "meshjudge")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Score {
    asked: Asked,
    overall: Option<f64>,
    aspects: BTreeMap<String, f64>,
    path: String,
}

#[pymethods]
impl Score {
    #[doc = doc!("Score.overall")]
    #[getter]
    fn overall(&self) -> Option<f64> {
        self.overall
    }

    #[doc = doc!("Score.aspects")]
    #[getter]
    fn aspects(&self) -> BTreeMap<String, f64> {
        self.aspects.clone()
    }

    #[doc = doc!("Score.verdicts")]
    #[pyo3(signature = (by="question"))]
    fn verdicts(&self, by: &str) -> PyResult<Table> {
        self.asked.table(by)
    }

    #[doc = doc!("Score.pictures")]
    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        self.asked.pictures()
    }

    #[doc = doc!("Score.summary")]
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.asked.summary)
    }

    #[doc = doc!("Score.run")]
    #[getter]
    fn run(&self) -> Option<&Path> {
        self.asked.run.as_deref()
    }

    fn _repr_html_(&self) -> String {
        let pictures: String =
            self.asked.shown.iter().map(|picture| html::picture(picture, 420)).collect();
        let aspects: String = self
            .aspects
            .iter()
            .map(|(key, score)| format!("<li>{}: {score}</li>", html::escaped(key)))
            .collect();
        let overall = self.overall.map_or_else(|| "none".to_owned(), |score| score.to_string());
        format!(
            "{pictures}<p>{}: <b>{overall}</b></p><ul>{aspects}</ul>{}",
            html::escaped(&self.path),
            self.asked.words_html
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickled<'py>> {
        pickled(py, "restore_score", self, &self.asked)
    }

    fn __repr__(&self) -> String {
        let overall = self.overall.map_or_else(|| "None".to_owned(), |score| score.to_string());
        format!("<Score {overall} of {:?}>", self.path)
    }
}

/// Documented in Python, where every option has its name.
#[pyfunction]
#[pyo3(signature = (asset, *, prompt=None, category=None, photo=None, mask=None, rubric=None, **options))]
pub(crate) fn score(
    py: Python<'_>,
    asset: &Bound<'_, PyAny>,
    prompt: Option<String>,
    category: Option<String>,
    photo: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
    rubric: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Score> {
    let given = Keywords::new(py, "score", options)?;
    let Pictures { views, loading, notices, .. } = pictures(&given)?;
    let asking = Asking::take(&given)?;
    given.end()?;
    let name = rubric.unwrap_or(if photo.is_some() { "reconstruction" } else { "category" });
    let rubric = Arc::new(Rubric::open(name).or_raise()?);
    if rubric.is_of_pairs() {
        return Err(crate::error::RubricError::new_err(format!(
            "the rubric {:?} is about two objects; use a comparison instead",
            rubric.name()
        )));
    }
    let photo = photo_of(photo, mask)?.filter(|_| rubric.needs_photo());
    match &photo {
        Some(photo) => photo.check().or_raise()?,
        None if rubric.needs_photo() => {
            let words = format!("the {} rubric needs the photo", rubric.name());
            return Err(crate::error::RubricError::new_err(words));
        }
        None => {}
    }
    rubric.text(category.as_deref()).or_raise()?;
    let drawings = drawings(&rubric, &views).or_raise()?;
    let source = Source::given(asset, None)?;
    let loading = source.options(loading);
    let judges = asking.judges(py)?;
    let Asking { settings, run, reaching, watch, .. } = asking;
    let (stop, watched) = (settings.stop.clone(), watch.clone());
    let done = pool::ask(py, &stop, move || {
        let loaded = source.open_shown(&loading, None).or_raise()?;
        let asset = asset_of(&loaded, method_name(&loaded.path, None));
        let path = asset.path.clone();
        let specimen = Specimen::new(loaded.scene.clone());
        let case = Case {
            template: Arc::new(Template::new(rubric, drawings, &loading)),
            category,
            prompt,
            photo,
            sides: vec![Side { asset, source: AssetSource::Held(Arc::new(specimen)) }],
            what: path.clone(),
        };
        let about = about(&case);
        let (folder, asked) = (run.as_deref(), &reaching.asked);
        let store = store_of(folder, "score", about, asked, &judges).or_raise()?;
        let cases = std::iter::once(Ok(case));
        let Ended { records, pictures, summary, .. } =
            ask_all(store, &judges, &settings, None, &watched, cases)?;
        let asked = Asked::new(&records, &pictures, summary, run);
        let aspects = match records.first().and_then(Record::verdict) {
            Some(meshjudge::unstable::rubric::Verdict::Category { aspects, .. }) => aspects.clone(),
            _ => BTreeMap::new(),
        };
        Ok::<_, PyErr>(Score {
            overall: meshjudge::Scored { records }.overall(),
            aspects,
            path,
            asked,
        })
    })?;
    watch.end()?;
    notices.warn(py)?;
    done
}

/// The subject of a run about this object.
fn about(case: &Case) -> toml::Table {
    let mut about = toml::Table::new();
    let Case { template, sides, .. } = case;
    about.insert("input".to_owned(), sides[0].asset.path.clone().into());
    about.insert("hash".to_owned(), sides[0].asset.hash.clone().into());
    add_rubric(&template.rubric, &mut about);
    let photo: Vec<String> = case
        .photo
        .iter()
        .flat_map(|photo| {
            let (photo, mask) = photo.hashes();
            std::iter::once(photo).chain(mask)
        })
        .collect();
    if !photo.is_empty() {
        about.insert("file_hashes".to_owned(), photo.into());
    }
    for (key, value) in [
        ("category", case.category.clone()),
        ("prompt", case.prompt.clone()),
        ("protocol", template.protocol.as_ref().map(|p| p.hash.clone())),
    ] {
        if let Some(value) = value {
            about.insert(key.to_owned(), value.into());
        }
    }
    about
}
