//! Judges: names of the library's, and any Python callable.

use crate::error::{JudgeError, OrRaise, invalid, unknown};
use crate::html;
use crate::json::{text_of, to_python};
use crate::picture::Picture;
use crate::watch::Watch;
use meshjudge::unstable::judge::{
    self, CustomJudge, Finish, Judge, OpenSettings, Part, Question, Reply, Spec,
};
use meshjudge::unstable::options::{AskOptions, OpenOptions, Tuning};
use meshjudge::unstable::rubric::Content;
use meshjudge::unstable::store::Store;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[doc = doc!("Question")]
#[pyclass(frozen, name = "Question", module = "meshjudge")]
pub(crate) struct AskedQuestion {
    question: Question,
}

#[pymethods]
impl AskedQuestion {
    #[doc = doc!("Question.text")]
    #[getter]
    fn text(&self) -> String {
        let words = self.question.parts.iter().filter_map(|part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => Some(text.as_str()),
            Part::Picture(_) => None,
        });
        words.collect::<Vec<_>>().join("\n\n")
    }

    #[doc = doc!("Question.pictures")]
    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        let pictures = self.question.parts.iter().filter_map(|part| match part {
            Part::Picture(picture) => Some(Picture(picture.clone())),
            Part::Text(_) | Part::ExampleAnswer(_) => None,
        });
        pictures.collect()
    }

    #[doc = doc!("Question.parts")]
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for part in &self.question.parts {
            match part {
                Part::Text(text) | Part::ExampleAnswer(text) => list.append(text)?,
                Part::Picture(picture) => list.append(Picture(picture.clone()))?,
            }
        }
        Ok(list)
    }

    #[doc = doc!("Question.to_openai")]
    fn to_openai<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.message(
            py,
            |picture| json!({"type": "image_url", "image_url": {"url": html::data_url(picture)}}),
        )
    }

    #[doc = doc!("Question.to_anthropic")]
    fn to_anthropic<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.message(py, |picture| {
            let source = json!({
                "type": "base64", "media_type": picture.media_type, "data": html::base64(picture),
            });
            json!({"type": "image", "source": source})
        })
    }

    #[doc = doc!("Question.photo")]
    #[getter]
    fn photo(&self) -> Option<Picture> {
        let is_shown = self.num_photos() > 0;
        self.pictures().into_iter().next().filter(|_| is_shown)
    }

    #[doc = doc!("Question.views")]
    #[getter]
    fn views(&self) -> Vec<Picture> {
        self.pictures().split_off(self.num_photos())
    }

    #[doc = doc!("Question.answer_example")]
    #[getter]
    fn answer_example<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rubric = &self.question.rubric;
        let value = match rubric.is_of_pairs() {
            true => json!("tie"),
            false => json!(rubric.scale().max),
        };
        let keys = keys(&self.question);
        let answer: Map<String, Value> = keys.into_iter().map(|key| (key, value.clone())).collect();
        to_python(py, &answer)
    }

    #[doc = doc!("Question.prompt")]
    #[getter]
    fn prompt(&self) -> Option<&str> {
        self.question.prompt.as_deref()
    }

    #[doc = doc!("Question.criteria")]
    #[getter]
    fn criteria(&self) -> Vec<&str> {
        let criteria = self.question.rubric.criteria(self.question.category.as_deref());
        criteria.iter().map(|criterion| criterion.key.as_str()).collect()
    }

    #[doc = doc!("Question.kind")]
    #[getter]
    fn kind(&self) -> &'static str {
        self.question.rubric.kind().as_str()
    }

    #[doc = doc!("Question.rubric")]
    #[getter]
    fn rubric(&self) -> &str {
        self.question.rubric.name()
    }

    #[doc = doc!("Question.category")]
    #[getter]
    fn category(&self) -> Option<&str> {
        self.question.category.as_deref()
    }

    #[doc = doc!("Question.order")]
    #[getter]
    fn order(&self) -> &'static str {
        self.question.order.as_str()
    }

    fn __repr__(&self) -> String {
        let asset = |asset: &judge::Asset| asset.path.clone();
        let b = self.question.b.as_ref().map(asset).unwrap_or_default();
        format!(
            "<Question {} {:?} {:?} {}>",
            self.rubric(),
            asset(&self.question.a),
            b,
            self.order()
        )
    }
}

impl AskedQuestion {
    /// One message of the user, with the pictures in a provider's form.
    fn message<'py>(
        &self,
        py: Python<'py>,
        picture: impl Fn(&judge::Picture) -> Value,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parts = self.question.parts.iter().map(|part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => json!({"type": "text", "text": text}),
            Part::Picture(shown) => picture(shown),
        });
        to_python(py, &json!([{"role": "user", "content": parts.collect::<Vec<_>>()}]))
    }

    /// They come before the pictures of the assets.
    fn num_photos(&self) -> usize {
        use Content::{Highlighted, Photo, Zoom, ZoomHighlighted};
        let images = self.question.photo.as_ref().map_or(1, |photo| photo.images.len());
        let count = |content: Content| match content {
            Photo => images,
            Highlighted | ZoomHighlighted | Zoom => 1,
            _ => 0,
        };
        self.question.rubric.pictures().iter().map(|spec| count(spec.content)).sum()
    }
}

/// The keys of an answer.
fn keys(question: &Question) -> Vec<String> {
    question.rubric.answer_keys(question.category.as_deref())
}

/// A Python callable as the library asks it.
struct PythonJudge {
    name: String,
    settings: String,
    /// A `meshjudge._judges.Caller`.
    caller: Py<PyAny>,
    concurrency_max: usize,
    watch: Watch,
}

impl PythonJudge {
    /// The reason for the rows. An exception that is no `Exception`, or too many of one, end the
    /// run.
    fn failed(&self, py: Python<'_>, error: PyErr) -> String {
        let said = self.caller.bind(py).call_method1("failed", (error.into_value(py),));
        let said = said.and_then(|said| said.extract::<(String, Option<Bound<'_, PyAny>>)>());
        let (reason, end) = match said {
            Ok((reason, end)) => (reason, end.map(PyErr::from_value)),
            Err(error) => (error.to_string(), Some(error)),
        };
        if let Some(end) = end {
            self.watch.fail(end);
        }
        reason
    }
}

impl std::fmt::Debug for PythonJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonJudge").field("name", &self.name).finish_non_exhaustive()
    }
}

impl CustomJudge for PythonJudge {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn concurrency_max(&self) -> usize {
        self.concurrency_max
    }

    fn remedy(&self) -> &'static str {
        "question.answer_example is an answer that can be read"
    }

    fn ask(&self, question: &Question) -> Result<Reply, String> {
        let asked = AskedQuestion { question: question.clone() };
        let replied = Python::try_attach(|py| {
            let caller = self.caller.bind(py);
            let value = caller.call1((asked,)).and_then(|value| {
                let reply = reply(question, &value)?;
                caller.call_method0("answered")?;
                Ok(reply)
            });
            value.map_err(|error| self.failed(py, error))
        });
        replied.unwrap_or_else(|| Err("the interpreter is ending".to_owned()))
    }
}

/// The return value of a callable, in the rubric's form of answers.
fn reply(question: &Question, value: &Bound<'_, PyAny>) -> PyResult<Reply> {
    let stopped = |text: String, undecided: Vec<String>| Reply {
        text,
        undecided,
        finish: Finish::Stop,
        cost_usd: Some(0.0),
        ..Reply::default()
    };
    if value.is_none() {
        return Ok(Reply { finish: Finish::Refusal, ..stopped(String::new(), Vec::new()) });
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(stopped(text.extract()?, Vec::new()));
    }
    // A number of NumPy, or a tensor of one number.
    let is_scalar = value.getattr("ndim").is_ok_and(|n| n.eq(0).unwrap_or(false));
    let value = &if is_scalar { value.call_method0("item")? } else { value.clone() };
    let is_number = !value.is_instance_of::<PyBool>()
        && (value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>());
    if is_number {
        return Ok(stopped(value.str()?.extract()?, Vec::new()));
    }
    let Ok(verdict) = value.cast::<PyMapping>() else {
        return Err(PyTypeError::new_err(format!(
            "a judge must return text, a number, a dict or None (a refusal), not {}",
            value.get_type().name()?
        )));
    };
    check_keys(question, verdict)?;
    if !question.rubric.is_of_pairs() {
        return Ok(stopped(text_of(value)?, Vec::new()));
    }
    choices(question, verdict).map(|(text, undecided)| stopped(text, undecided))
}

/// Names keys that are missing, and pairwise criteria that do not exist; further keys of other
/// answers are the judge's own.
fn check_keys(question: &Question, verdict: &Bound<'_, PyMapping>) -> PyResult<()> {
    let keys = keys(question);
    let missing: Vec<&str> = keys
        .iter()
        .filter(|key| !verdict.contains(*key).unwrap_or(false))
        .map(String::as_str)
        .collect();
    let strange = verdict.keys()?.iter().find(|key| {
        let is_known = key.extract::<String>().is_ok_and(|key| keys.contains(&key));
        question.rubric.is_of_pairs() && !is_known
    });
    if let Some(strange) = strange {
        return Err(unknown(
            "criterion in a judge's answer",
            &strange.str()?.extract::<String>()?,
            &keys,
        ));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(invalid(format!(
            "a judge's answer lacks {}; it needs {} (question.answer_example is one)",
            missing.join(", "),
            keys.join(", ")
        )))
    }
}

/// `left`, `right`, `tie` or None for each criterion → the JSON answer, and the criteria that
/// cannot be decided.
fn choices(question: &Question, verdict: &Bound<'_, PyMapping>) -> PyResult<(String, Vec<String>)> {
    let digits = question.rubric.options();
    let mut answer = Map::new();
    let mut undecided = Vec::new();
    for pair in verdict.items()?.iter() {
        let (key, choice): (String, Bound<'_, PyAny>) = pair.extract()?;
        let digit = if choice.is_none() {
            undecided.push(key.clone());
            digits.tie.to_string()
        } else {
            let word: String = choice.str()?.extract()?;
            let marks = [digits.left, digits.right, digits.tie].map(|mark| mark.to_string());
            let words = ["left", "right", "tie"];
            match words.iter().position(|known| *known == word) {
                Some(place) => marks[place].clone(),
                None if marks.contains(&word) => word,
                None => return Err(unknown(&format!("choice on {key}"), &word, &words)),
            }
        };
        answer.insert(key, serde_json::json!({"reasoning": "", "choice": digit}));
    }
    Ok((Value::Object(answer).to_string(), undecided))
}

/// How judges on servers are reached.
pub(crate) struct Reaching {
    pub(crate) base_url: Option<String>,
    pub(crate) asked: AskOptions,
    pub(crate) options: OpenOptions,
    pub(crate) tuning: Tuning,
}

impl Reaching {
    pub(crate) fn settings(&self) -> PyResult<OpenSettings> {
        OpenSettings::new(&self.asked, &self.options, self.tuning.clone()).or_raise()
    }
}

/// A name, a callable, or a list of them; the probe where nothing is given.
pub(crate) fn judges(
    given: Option<&Bound<'_, PyAny>>,
    reaching: &Reaching,
    watch: &Watch,
) -> PyResult<Vec<Judge>> {
    let settings = reaching.settings()?;
    let Some(given) = given else {
        return Ok(vec![Judge::Probe]);
    };
    let is_list = given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>();
    let each: Vec<Bound<'_, PyAny>> =
        if is_list { given.try_iter()?.collect::<PyResult<_>>()? } else { vec![given.clone()] };
    let mut judges: Vec<Judge> = Vec::new();
    for one in &each {
        let judge = judge(one, reaching, &settings, watch)?;
        if judges.iter().any(|known| known.name() == judge.name()) {
            return Err(JudgeError::new_err(format!(
                "the judge {} is listed twice, and rows could not distinguish them; give each its own name",
                judge.name()
            )));
        }
        judges.push(judge);
    }
    if judges.is_empty() {
        Err(JudgeError::new_err("no judge was given; give at least one, such as \"probe\""))
    } else {
        Ok(judges)
    }
}

fn judge(
    given: &Bound<'_, PyAny>,
    reaching: &Reaching,
    settings: &OpenSettings,
    watch: &Watch,
) -> PyResult<Judge> {
    if let Ok(name) = given.extract::<String>() {
        let spec: Spec = name.parse().or_raise()?;
        return Judge::open(&spec, reaching.base_url.as_deref(), settings).or_raise();
    }
    if !given.is_callable() {
        return Err(JudgeError::new_err(
            "a judge must be a name such as \"probe\" or \"openai:gpt-5\", or a callable that takes a meshjudge.Question",
        ));
    }
    let py = given.py();
    let described = py.import("meshjudge._identity")?.call_method1("describe", (given,))?;
    let (name, settings, is_async): (String, String, bool) = described.extract()?;
    if reaching.asked.timeout_secs.is_some() && !is_async {
        return Err(invalid(format!(
            "timeout_secs cannot end the function {name}; make it `async def`, or leave timeout_secs out"
        )));
    }
    let name = format!("python:{name}");
    let caller = py.import("meshjudge._judges")?.getattr("Caller")?;
    let caller = caller.call1((given, &name, reaching.asked.reply_timeout().as_secs_f64()))?;
    Ok(Judge::Custom(Arc::new(PythonJudge {
        name,
        settings,
        caller: caller.unbind(),
        // A coroutine waits elsewhere; a function may not be made for threads.
        concurrency_max: (reaching.asked.concurrency.map(usize::from)).unwrap_or(if is_async {
            usize::MAX
        } else {
            1
        }),
        watch: watch.clone(),
    })))
}

/// Warns of callables that have changed since a run's answers: those are used only if the run is
/// one of `reuse`.
pub(crate) fn warn_of_changes(
    py: Python<'_>,
    run: Option<&Path>,
    reuse: &[PathBuf],
    judges: &[Judge],
) -> PyResult<()> {
    let own: Vec<&Judge> = judges.iter().filter(|it| matches!(it, Judge::Custom(_))).collect();
    let reused = reuse.iter().map(|folder| (folder.as_path(), true));
    let run = run.filter(|run| !reuse.iter().any(|folder| folder == run));
    for (folder, is_reused) in reused.chain(run.map(|run| (run, false))) {
        if own.is_empty() {
            break;
        }
        let Ok(known) = Store::read(folder).and_then(|store| store.judge_setups()) else {
            continue;
        };
        for judge in &own {
            let (name, settings) = (judge.name(), judge.settings());
            if let Some(before) = known.get(&name).filter(|before| before.settings != settings) {
                let given = (name, folder, &before.settings, settings, is_reused);
                py.import("meshjudge._judges")?.call_method1("warn_of_change", given)?;
            }
        }
    }
    Ok(())
}
