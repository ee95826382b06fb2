//! Judges: names of the library's, and any Python callable.

use crate::error::{JudgeError, OrRaise};
use crate::json::text_of;
use crate::picture::Picture;
use meshjudge::judge::{
    Again, Catalogue, CustomJudge, Finish, Judge, Limits, OpenSettings, Part, Question, Reply,
    Spec, Tuning,
};
use meshjudge::rubric::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The question to a callable judge.
///
/// Attributes
/// ----------
/// text : str
///     All text of the question, in order.
/// pictures : list of Picture
///     The pictures of the question, in order.
/// parts : list of str or Picture
///     Text and pictures in the order in which a model receives them.
/// prompt : str or None
///     The text from which the assets were made.
/// criteria : list of str
///     Keys of the criteria, in the order of the answer.
/// kind : str
///     'pairwise', 'reconstruction' or 'category'.
/// rubric : str
/// category : str or None
/// order : str
///     'ab' if the asset listed first is on the left, else 'ba'.
/// retry : str or None
///     The error in the previous reply, if this question is asked again.
#[pyclass(frozen, name = "Question", module = "meshjudge")]
pub(crate) struct AskedQuestion {
    question: Question,
    retry: Option<String>,
}

#[pymethods]
impl AskedQuestion {
    #[getter]
    fn text(&self) -> String {
        let words = self.question.parts.iter().filter_map(|part| match part {
            Part::Text(text) | Part::ExampleAnswer(text) => Some(text.as_str()),
            Part::Picture(_) => None,
        });
        words.collect::<Vec<_>>().join("\n\n")
    }

    #[getter]
    fn pictures(&self) -> Vec<Picture> {
        let pictures = self.question.parts.iter().filter_map(|part| match part {
            Part::Picture(picture) => Some(Picture(picture.clone())),
            Part::Text(_) | Part::ExampleAnswer(_) => None,
        });
        pictures.collect()
    }

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

    #[getter]
    fn prompt(&self) -> Option<&str> {
        self.question.prompt.as_deref()
    }

    #[getter]
    fn criteria(&self) -> Vec<&str> {
        let criteria = self
            .question
            .rubric
            .criteria(self.question.category.as_deref());
        criteria
            .iter()
            .map(|criterion| criterion.key.as_str())
            .collect()
    }

    #[getter]
    fn kind(&self) -> &'static str {
        match self.question.rubric.kind() {
            Kind::Pairwise => "pairwise",
            Kind::Reconstruction => "reconstruction",
            Kind::Category => "category",
        }
    }

    #[getter]
    fn rubric(&self) -> &str {
        self.question.rubric.name()
    }

    #[getter]
    fn category(&self) -> Option<&str> {
        self.question.category.as_deref()
    }

    #[getter]
    fn order(&self) -> &'static str {
        self.question.order.as_str()
    }

    #[getter]
    fn retry(&self) -> Option<&str> {
        self.retry.as_deref()
    }

    fn __repr__(&self) -> String {
        let asset = |asset: &meshjudge::judge::Asset| asset.path.clone();
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

/// A Python callable as the library asks it.
struct PythonJudge {
    name: String,
    settings: String,
    callable: Py<PyAny>,
}

impl std::fmt::Debug for PythonJudge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PythonJudge")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl CustomJudge for PythonJudge {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn settings(&self) -> String {
        self.settings.clone()
    }

    fn ask(&self, question: &Question, again: Option<&Again>) -> Result<Reply, String> {
        let asked = AskedQuestion {
            question: question.clone(),
            retry: again.map(|again| again.word.clone()),
        };
        let replied = Python::try_attach(|py| {
            let value = self.callable.bind(py).call1((asked,))?;
            reply(question, &value)
        });
        match replied {
            Some(replied) => replied.map_err(|error| error.to_string()),
            None => Err("the interpreter is ending".to_owned()),
        }
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
        return Ok(Reply {
            finish: Finish::Refusal,
            ..stopped(String::new(), Vec::new())
        });
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(stopped(text.extract()?, Vec::new()));
    }
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
    if question.rubric.kind() != Kind::Pairwise {
        return Ok(stopped(text_of(value)?, Vec::new()));
    }
    choices(question, verdict).map(|(text, undecided)| stopped(text, undecided))
}

/// `left`, `right`, `tie` or None for each criterion → the JSON answer, and the criteria that cannot be decided.
fn choices(question: &Question, verdict: &Bound<'_, PyMapping>) -> PyResult<(String, Vec<String>)> {
    let digits = question.rubric.options();
    let mut answer = serde_json::Map::new();
    let mut undecided = Vec::new();
    for pair in verdict.items()?.iter() {
        let (key, choice): (String, Bound<'_, PyAny>) = pair.extract()?;
        let digit = if choice.is_none() {
            undecided.push(key.clone());
            digits.tie.to_string()
        } else {
            let word: String = choice.str()?.extract()?;
            match word.as_str() {
                "left" => digits.left.to_string(),
                "right" => digits.right.to_string(),
                "tie" => digits.tie.to_string(),
                _ => word,
            }
        };
        answer.insert(key, serde_json::json!({"reasoning": "", "choice": digit}));
    }
    Ok((serde_json::Value::Object(answer).to_string(), undecided))
}

/// How judges on servers are reached.
pub(crate) struct Reaching {
    pub(crate) base_url: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) temperature: Option<f64>,
    pub(crate) models: Option<PathBuf>,
    pub(crate) tuning: Tuning,
}

impl Reaching {
    pub(crate) fn settings(&self) -> PyResult<OpenSettings> {
        Ok(OpenSettings {
            limits: Limits {
                total: self.timeout,
                ..Limits::default()
            },
            catalogue: match &self.models {
                Some(path) => Catalogue::with_file(path).or_raise()?,
                None => Catalogue::built_in(),
            },
            allows_schema: true,
            temperature: self.temperature,
            wants_logprobs: false,
            in_batches: false,
            is_dry: false,
            tuning: self.tuning.clone(),
        })
    }
}

/// A name, a callable, or a list of them; the probe where nothing is given.
pub(crate) fn judges(
    given: Option<&Bound<'_, PyAny>>,
    reaching: &Reaching,
) -> PyResult<Vec<Judge>> {
    let settings = reaching.settings()?;
    let Some(given) = given else {
        return Ok(vec![Judge::Probe]);
    };
    let is_list = given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>();
    let each: Vec<Bound<'_, PyAny>> = match is_list {
        true => given.try_iter()?.collect::<PyResult<_>>()?,
        false => vec![given.clone()],
    };
    let mut judges: Vec<Judge> = Vec::new();
    for one in &each {
        let judge = judge(one, reaching.base_url.as_deref(), &settings)?;
        if judges.iter().any(|known| known.name() == judge.name()) {
            return Err(JudgeError::new_err(format!(
                "the judge {} is listed twice, and rows could not distinguish them; give each its own name",
                judge.name()
            )));
        }
        judges.push(judge);
    }
    match judges.is_empty() {
        true => Err(JudgeError::new_err(
            "no judge was given; give at least one, such as \"probe\"",
        )),
        false => Ok(judges),
    }
}

fn judge(
    given: &Bound<'_, PyAny>,
    base_url: Option<&str>,
    settings: &OpenSettings,
) -> PyResult<Judge> {
    if let Ok(name) = given.extract::<String>() {
        let spec: Spec = name.parse().or_raise()?;
        return Judge::open(&spec, base_url, settings).or_raise();
    }
    if !given.is_callable() {
        return Err(JudgeError::new_err(
            "a judge must be a name such as \"probe\" or \"openai:gpt-5\", or a callable that takes a meshjudge.Question",
        ));
    }
    let attribute = |name: &str| -> Option<String> {
        let value = given.getattr(name).ok().filter(|value| !value.is_none())?;
        value.str().ok()?.extract().ok()
    };
    let class = || given.get_type().name().ok()?.extract::<String>().ok();
    let name = attribute("name")
        .or_else(|| attribute("__name__"))
        .or_else(class);
    let name = name.unwrap_or_default();
    Ok(Judge::Custom(Arc::new(PythonJudge {
        name: format!("python:{}", name.trim_matches(['<', '>'])),
        settings: attribute("settings").unwrap_or_default(),
        callable: given.clone().unbind(),
    })))
}

/// The progress of asking, as a Python object.
pub(crate) fn progress_dict<'py>(
    py: Python<'py>,
    progress: &meshjudge::ask::Progress,
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
    dict.set_item(
        "time_left_secs",
        progress.time_left.map(|left| left.as_secs_f64()),
    )?;
    dict.set_item("waiting", &progress.waiting)?;
    if let Some((made, to_make)) = made {
        dict.set_item("made", made)?;
        dict.set_item("to_make", to_make)?;
    }
    Ok(dict)
}
