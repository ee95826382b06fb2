//! One pair or one object, judged in one call.

use crate::asking::{Asking, summary_row};
use crate::asset::Source;
use crate::error::{OrRaise, PictureError};
use crate::html;
use crate::json::to_python;
use crate::options::{Keywords, Notices, choice};
use crate::picture::{Picture, given as given_picture};
use crate::pool;
use crate::rows::{by_criterion, by_question};
use crate::table::Table;
use meshjudge::ask::{AskSettings, Photo, Planner, Summary, Work, drawings, protocol_of};
use meshjudge::front::{
    CriterionFinding, FrontError, Input, ObjectQuestion, PairQuestion, RunConfig, add_rubric,
    ask_once, asset_of, method_name,
};
use meshjudge::judge::{self, Judge, Part, Specimen};
use meshjudge::load::Loaded;
use meshjudge::rubric::{Form, Kind, Order, Rubric};
use meshjudge::store::{Record, Store};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The width of a sheet in a notebook, at most.
const SHEET_WIDTH_PX: u32 = 900;

/// Questions that were asked, and everything that came back.
struct Asked {
    records: Vec<Record>,
    /// What judges were shown, by hash.
    pictures: BTreeMap<String, judge::Picture>,
    summary: serde_json::Value,
    run: Option<PathBuf>,
}

impl Asked {
    /// In the order in which they were shown, each once.
    fn shown(&self) -> Vec<&judge::Picture> {
        let mut hashes: Vec<&String> = Vec::new();
        for hash in self.records.iter().flat_map(|record| &record.pictures) {
            if !hashes.contains(&hash) {
                hashes.push(hash);
            }
        }
        hashes
            .into_iter()
            .filter_map(|hash| self.pictures.get(hash))
            .collect()
    }

    fn table(&self, by: &str) -> PyResult<Table> {
        table_of(&self.records, by)
    }

    /// Every judge's own words, folded.
    fn words_html(&self) -> String {
        let words = self.records.iter().map(|record| {
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
        });
        words.collect()
    }
}

/// From records: a row per question, or per question and criterion.
pub(crate) fn table_of(records: &[Record], by: &str) -> PyResult<Table> {
    match by {
        "question" => Ok(by_question(records)),
        "criterion" => Ok(by_criterion(records)),
        _ => Err(pyo3::exceptions::PyValueError::new_err(format!(
            "{by:?} is not a kind of rows; choose from question, criterion"
        ))),
    }
}

/// Asks on the present thread.
fn ask_all(
    store: Store,
    judges: &[Judge],
    settings: &AskSettings,
    fit_px: Option<u32>,
    watch: &crate::asking::Watch,
    plan: impl FnOnce(&Planner<'_>) -> Result<Vec<Work>, FrontError>,
    run: Option<PathBuf>,
) -> Result<Asked, FrontError> {
    let mut pictures = BTreeMap::new();
    let (store, summary, records): (Store, Summary, Vec<Record>) = ask_once(
        store,
        judges,
        settings,
        fit_px,
        |planner| {
            let work = plan(planner)?;
            keep_pictures(&work, &mut pictures);
            Ok::<_, FrontError>(work)
        },
        |progress| watch.show(progress, None),
    )?;
    for hash in records.iter().flat_map(|record| &record.pictures) {
        if !pictures.contains_key(hash)
            && let Some(shown) = store.shown_picture(hash)?
            && let Ok(picture) = judge::Picture::open(&shown.path)
        {
            pictures.insert(hash.clone(), picture);
        }
    }
    Ok(Asked {
        records,
        pictures,
        summary: summary_row(&summary),
        run,
    })
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

/// The folder of the run, opened with its subject; without a folder, nothing is kept after the call.
fn store_of(
    run: Option<&Path>,
    command: &'static str,
    about: toml::Table,
    settings: &AskSettings,
    reply_timeout: Duration,
    judges: &[Judge],
) -> Result<Store, FrontError> {
    let Some(folder) = run else {
        return Ok(Store::in_memory()?);
    };
    let config = RunConfig {
        command,
        about,
        older_keys: &[],
        settings,
        reply_timeout,
    };
    Ok(config.open(Some(folder), judges)?)
}

/// The verdicts of judges on a pair. Made by :func:`compare`.
///
/// Attributes
/// ----------
/// findings : list of dict
///     For each judge and sample: ``judge``, ``sample`` and ``criteria``, which maps each criterion to ``a_left`` and ``b_left`` (the winner
///     in each order: 'a', 'b', 'tie', 'undecided' or 'none') and ``verdict`` (the result of both, else 'inconsistent' or 'incomplete').
/// pictures : list of Picture
///     The pictures that judges saw.
/// summary : dict
///     Summary of the asking: questions, verdicts, requests, ``spent_usd``, failures.
/// run : pathlib.Path or None
///     The run's folder.
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Comparison {
    asked: Asked,
    comparison: meshjudge::Comparison,
    paths: [String; 2],
}

#[pymethods]
impl Comparison {
    /// The winner of a criterion in both orders of every judge and sample.
    ///
    /// Parameters
    /// ----------
    /// criterion : str
    ///     A key of the rubric: 'overall', 'geometry_details', …
    ///
    /// Returns
    /// -------
    /// str or None
    ///     'a', 'b' or 'tie'; None if any of them differ, or there is no verdict.
    #[pyo3(signature = (criterion="overall"))]
    fn winner(&self, criterion: &str) -> Option<&'static str> {
        self.comparison
            .winner(criterion)
            .map(meshjudge::Winner::as_str)
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let criterion = |found: &CriterionFinding| {
            let [a_left, b_left] = found.orders.map(|finding| finding.as_str());
            let verdict = found.as_str();
            let found_in =
                serde_json::json!({"a_left": a_left, "b_left": b_left, "verdict": verdict});
            (found.criterion.clone(), found_in)
        };
        let findings: Vec<serde_json::Value> = (self.comparison.findings.iter())
            .map(|found| {
                let criteria: serde_json::Map<_, _> = found.criteria.iter().map(criterion).collect();
                serde_json::json!({"judge": found.judge, "sample": found.sample, "criteria": criteria})
            })
            .collect();
        to_python(py, &findings)
    }

    /// Every question with its evidence.
    ///
    /// Parameters
    /// ----------
    /// by : {'question', 'criterion'}
    ///     A row for each question with raw reply, cost and hashes, or one for each question and criterion with its winner.
    ///
    /// Returns
    /// -------
    /// Table
    #[pyo3(signature = (by="question"))]
    fn verdicts(&self, by: &str) -> PyResult<Table> {
        self.asked.table(by)
    }

    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        self.asked
            .shown()
            .into_iter()
            .cloned()
            .map(Picture)
            .collect()
    }

    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.asked.summary)
    }

    #[getter]
    fn run(&self) -> Option<&Path> {
        self.asked.run.as_deref()
    }

    fn _repr_html_(&self) -> String {
        let mut page = String::new();
        if let Some(sheet) = self.asked.shown().first() {
            page += &html::picture(sheet, SHEET_WIDTH_PX);
        }
        let [a, b] = self.paths.each_ref().map(|path| html::escaped(path));
        page += &format!("<p>a (left): {a}<br>b (right): {b}</p>");
        for found in &self.comparison.findings {
            let rows: String = (found.criteria.iter())
                .map(|criterion| {
                    let [listed, swapped] = criterion.orders.map(|finding| finding.as_str());
                    format!(
                        "<tr><td style=\"text-align:left\">{}</td><td>{listed}</td><td>{swapped}</td><td><b>{}</b></td></tr>",
                        html::escaped(&criterion.criterion),
                        criterion.as_str()
                    )
                })
                .collect();
            page += &format!(
                "<table><caption>{}</caption><thead><tr><th>criterion</th><th>a left</th><th>b left</th><th>verdict</th></tr></thead><tbody>{rows}</tbody></table>",
                html::escaped(found.judge.as_str())
            );
        }
        page + &self.asked.words_html()
    }

    fn __repr__(&self) -> String {
        let mut lines = vec![format!(
            "<Comparison a={:?} b={:?}>",
            self.paths[0], self.paths[1]
        )];
        for found in &self.comparison.findings {
            let criteria = found.criteria.iter();
            let words: Vec<String> = criteria
                .map(|c| format!("{}: {}", c.criterion, c.as_str()))
                .collect();
            lines.push(format!("  {}: {}", found.judge, words.join(", ")));
        }
        lines.join("\n")
    }
}

/// Asks judges which of two assets is better, in both orders.
///
/// Parameters
/// ----------
/// a, b : Asset, str, os.PathLike or bytes
/// prompt : str, optional
///     The text from which both were made. Needed without a photo.
/// photo, mask : Picture, PIL.Image.Image, numpy.ndarray, str or os.PathLike, optional
///     The photo from which both were made, and a mask of its object. Without a mask, the photo's transparency or plain background says
///     where the object is.
/// rubric : str, optional
///     'pairwise', 'pairwise-image', 'match-image', or a rubric file of that kind. Default: 'pairwise-image' with a photo, else 'pairwise'.
/// form : {'sheet', 'object', 'separate'}
///     The form of a pair: one sheet, one picture per object, or one per view.
/// fit : int, optional
///     Maximum length of a sheet's longer side, in pixels.
/// **options
///     ``judge``: 'probe' (the default, which measures), 'openai:MODEL', 'anthropic:MODEL', 'gemini:MODEL', any callable that takes a
///     :class:`Question`, or a list of them. ``run``: a folder that stores everything; another call with it pays nothing twice.
///     ``samples``, ``seed``, ``concurrency``, ``max_requests``, ``max_cost_usd``, ``timeout_secs``, ``temperature``, ``base_url``,
///     ``effort``, ``body`` (dict), ``headers`` (dict), ``stream``, ``max_output_tokens``, ``cache``,
///     ``models`` (file), ``reuse`` (run folders), ``replay`` (bool), ``progress`` (True, or a callable that takes a dict). And the options for
///     drawing assets, as of :class:`Renderer`.
///
/// Returns
/// -------
/// Comparison
///     If a server or callable fails or gives an invalid answer, no error is raised; the rows have the outcome.
///
/// Raises
/// ------
/// LoadError, RenderError, RubricError, JudgeError, RunError
/// KeyboardInterrupt
///     At Ctrl-C; the answers are in ``run``.
///
/// Examples
/// --------
/// >>> import meshjudge as mj
/// >>> chair = mj.objects.load("chair")
/// >>> comparison = mj.compare(chair, mj.damage(chair, "holes", 1.0), "a wooden chair")
/// >>> comparison.winner("geometry_details")
/// 'a'
///
/// A callable is an ordinary judge; it answers about the left and the right object:
///
/// >>> def always_left(question):
/// ...     return {criterion: "left" for criterion in question.criteria}
/// >>> mj.compare(chair, chair, "a wooden chair", judge=always_left).findings[0]["criteria"]["overall"]
/// {'a_left': 'a', 'b_left': 'b', 'verdict': 'inconsistent'}
#[pyfunction]
#[pyo3(signature = (a, b, prompt=None, *, photo=None, mask=None, rubric=None, form="sheet", fit=None, **options))]
#[expect(clippy::too_many_arguments, reason = "keywords of a Python function")]
pub(crate) fn compare(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    prompt: Option<String>,
    photo: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
    rubric: Option<&str>,
    form: &str,
    fit: Option<u32>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Comparison> {
    let given = Keywords::new(py, "compare", options)?;
    let notices = Notices::default();
    let (views, loading) = (given.views(&notices)?, given.loading()?);
    let asking = Asking::take(&given)?;
    given.end()?;
    let form = choice::<Form>("form", form, "sheet, object, separate")?;
    let photo = photo.map(|photo| photo_of(photo, mask)).transpose()?;
    let fitting = match photo {
        Some(_) => "pairwise-image",
        None => "pairwise",
    };
    let rubric = Rubric::open(rubric.unwrap_or(fitting)).or_raise()?;
    let rubric = Arc::new(rubric.with_form(form).or_raise()?);
    if rubric.kind() != Kind::Pairwise {
        return Err(crate::error::RubricError::new_err(format!(
            "the rubric {:?} is not about two objects; use score, or a pairwise rubric",
            rubric.name()
        )));
    }
    let drawings = drawings(&rubric, &views).or_raise()?;
    let sources = [Source::given(a, Some("a"))?, Source::given(b, Some("b"))?];
    let loading = sources[0].options(loading);
    let judges = asking.judges()?;
    let Asking {
        settings,
        run,
        reaching,
        watch,
        ..
    } = asking;
    let (stop, watched) = (settings.stop.clone(), watch.clone());
    let done = pool::ask(py, &stop, move || {
        let [a, b] = sources.map(|source| source.open(&loading, None));
        let (a, b) = (a?, b?);
        let prompt = prompt.unwrap_or_default();
        let question = PairQuestion::new(rubric, &prompt, [&a, &b], drawings, &loading);
        let question = question.with_photo(photo)?;
        let about = question.about(fit);
        let store = store_of(
            run.as_deref(),
            "compare",
            about,
            &settings,
            reaching.timeout,
            &judges,
        )?;
        let plan = |planner: &Planner<'_>| Ok(question.work(planner, |_, _| ())?);
        let asked = ask_all(store, &judges, &settings, fit, &watched, plan, run)?;
        let comparison = meshjudge::Comparison::new(&question.rubric, asked.records.clone());
        let paths = question.assets.map(|asset| asset.path);
        Ok::<_, FrontError>(Comparison {
            asked,
            comparison,
            paths,
        })
    })?;
    watch.end()?;
    notices.warn(py)?;
    done.or_raise()
}

/// A score of how well an asset matches its prompt or its photo. Made by :func:`score`.
///
/// Attributes
/// ----------
/// overall : float or None
///     1 to 3 for a reconstruction, 0 to 10 for a category; None without a verdict.
/// aspects : dict of str to float
///     For a category, each from 0 to 10.
/// pictures : list of Picture
///     The picture that the judge saw.
/// summary : dict
/// run : pathlib.Path or None
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Score {
    asked: Asked,
    scored: meshjudge::Scored,
    path: String,
}

#[pymethods]
impl Score {
    #[getter]
    fn overall(&self) -> Option<f64> {
        self.scored.overall()
    }

    #[getter]
    fn aspects(&self) -> BTreeMap<String, f64> {
        match self.asked.records.first().and_then(Record::verdict) {
            Some(meshjudge::rubric::Verdict::Category { aspects, .. }) => aspects.clone(),
            _ => BTreeMap::new(),
        }
    }

    /// Every question with its evidence; see :meth:`Comparison.verdicts`.
    #[pyo3(signature = (by="question"))]
    fn verdicts(&self, by: &str) -> PyResult<Table> {
        self.asked.table(by)
    }

    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        self.asked
            .shown()
            .into_iter()
            .cloned()
            .map(Picture)
            .collect()
    }

    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.asked.summary)
    }

    #[getter]
    fn run(&self) -> Option<&Path> {
        self.asked.run.as_deref()
    }

    fn _repr_html_(&self) -> String {
        let shown = self.asked.shown();
        let pictures: String = shown
            .iter()
            .map(|picture| html::picture(picture, 420))
            .collect();
        let aspects: String = (self.aspects().iter())
            .map(|(key, score)| format!("<li>{}: {score}</li>", html::escaped(key)))
            .collect();
        let overall = self
            .overall()
            .map_or_else(|| "none".to_owned(), |score| score.to_string());
        format!(
            "{pictures}<p>{}: <b>{overall}</b></p><ul>{aspects}</ul>{}",
            html::escaped(&self.path),
            self.asked.words_html()
        )
    }

    fn __repr__(&self) -> String {
        let overall = self
            .overall()
            .map_or_else(|| "None".to_owned(), |score| score.to_string());
        format!("<Score {overall} of {:?}>", self.path)
    }
}

/// Asks a judge how well an asset matches its prompt or its photo.
///
/// Parameters
/// ----------
/// asset : Asset, str, os.PathLike or bytes
/// prompt, category : str
///     For the rubric 'category': the text from which it was made, and the kind of that text ('single_object', 'counting', …).
/// photo, mask : str, os.PathLike, bytes, Picture or numpy.ndarray
///     For the rubric 'reconstruction': the photo, and the mask of its object (white or opaque), of the same size.
/// rubric : str, optional
///     Default: 'reconstruction' with a photo, else 'category'; or a rubric file of one of these kinds.
/// **options
///     As of :func:`compare`.
///
/// Returns
/// -------
/// Score
///
/// Raises
/// ------
/// RubricError
///     A category that the rubric lacks, or a missing photo or prompt.
/// LoadError, RenderError, PictureError, JudgeError, RunError
///
/// Examples
/// --------
/// >>> import meshjudge as mj
/// >>> score = mj.score(mj.objects.load("mug"), prompt="a mug", category="single_object")
/// >>> score
/// <Score 10 of "mug.glb">
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
    let notices = Notices::default();
    let (views, loading) = (given.views(&notices)?, given.loading()?);
    let asking = Asking::take(&given)?;
    given.end()?;
    let name = rubric.unwrap_or(if photo.is_some() {
        "reconstruction"
    } else {
        "category"
    });
    let rubric = Arc::new(Rubric::open(name).or_raise()?);
    let photo = match (rubric.kind(), photo) {
        (Kind::Reconstruction, Some(photo)) => {
            let photo = photo_of(photo, mask)?;
            photo.check().or_raise()?;
            Some(Arc::new(photo))
        }
        (Kind::Reconstruction, None) => {
            let words = "the reconstruction rubric needs the photo";
            return Err(crate::error::RubricError::new_err(words));
        }
        (Kind::Pairwise, _) => {
            return Err(crate::error::RubricError::new_err(format!(
                "the rubric {:?} is about two objects; use a comparison instead",
                rubric.name()
            )));
        }
        (Kind::Category, _) => None,
    };
    rubric.text(category.as_deref()).or_raise()?;
    let drawings = drawings(&rubric, &views).or_raise()?;
    let source = Source::given(asset, None)?;
    let loading = source.options(loading);
    let judges = asking.judges()?;
    let Asking {
        settings,
        run,
        reaching,
        watch,
        ..
    } = asking;
    let (stop, watched) = (settings.stop.clone(), watch.clone());
    let done = pool::ask(py, &stop, move || {
        let loaded: Arc<Loaded> = source.open(&loading, None)?;
        let question = ObjectQuestion {
            category,
            prompt,
            photo,
            examples: Vec::new(),
            asset: asset_of(&loaded, method_name(&loaded.path, None)),
            input: Input::Asset(Arc::new(Specimen::new(Arc::clone(&loaded.scene)))),
            protocol: protocol_of(&drawings, &loading),
            drawings,
            rubric,
        };
        let about = about(&question);
        let store = store_of(
            run.as_deref(),
            "score",
            about,
            &settings,
            reaching.timeout,
            &judges,
        )?;
        let plan = |planner: &Planner<'_>| Ok(question.work(planner, |_| ())?);
        let asked = ask_all(store, &judges, &settings, None, &watched, plan, run)?;
        Ok::<_, FrontError>(Score {
            scored: meshjudge::Scored {
                records: asked.records.clone(),
            },
            path: question.asset.path,
            asked,
        })
    })?;
    watch.end()?;
    notices.warn(py)?;
    done.or_raise()
}

fn photo_of(photo: &Bound<'_, PyAny>, mask: Option<&Bound<'_, PyAny>>) -> PyResult<Photo> {
    let bytes = |picture: &Bound<'_, PyAny>| -> PyResult<Vec<u8>> {
        match picture.extract::<PathBuf>() {
            Ok(path) => std::fs::read(&path).map_err(|e| {
                PictureError::new_err(format!("cannot read the picture ({e}): {path:?}"))
            }),
            Err(_) => given_picture(picture)?.to_png().or_raise(),
        }
    };
    let mask = mask.map(bytes).transpose()?;
    Ok(Photo::new(bytes(photo)?, mask))
}

/// The subject of a run about this object.
fn about(question: &ObjectQuestion) -> toml::Table {
    let mut about = toml::Table::new();
    about.insert("input".to_owned(), question.asset.path.clone().into());
    about.insert("hash".to_owned(), question.asset.hash.clone().into());
    add_rubric(&question.rubric, &mut about);
    let photo: Vec<String> = question
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
        ("category", question.category.clone()),
        ("prompt", question.prompt.clone()),
        (
            "protocol",
            question.protocol.as_ref().map(|p| p.hash.clone()),
        ),
    ] {
        if let Some(value) = value {
            about.insert(key.to_owned(), value.into());
        }
    }
    about
}
