//! The library's errors as Python exceptions: one class a stage, all below `MeshjudgeError`, with
//! the library's own words.

use meshjudge::{Error, Kind, Unknown};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// Declares exception classes and what puts them into the module.
macro_rules! exceptions {
    ($($name:ident($base:ty);)*) => {
        $(create_exception!(meshjudge.errors, $name, $base, doc!(stringify!($name)));)*

        pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
            let py = module.py();
            $(module.add(stringify!($name), py.get_type::<$name>())?;)*
            Ok(())
        }
    };
}

exceptions! {
    MeshjudgeError(PyException);
    LoadError(MeshjudgeError);
    RenderError(MeshjudgeError);
    PictureError(MeshjudgeError);
    RubricError(MeshjudgeError);
    JudgeError(MeshjudgeError);
    RunError(MeshjudgeError);
    RateError(MeshjudgeError);
    BenchError(MeshjudgeError);
    AuditError(MeshjudgeError);
    DamageError(MeshjudgeError);
    ForkError(MeshjudgeError);
    InternalError(MeshjudgeError);
}

/// For an argument with a value that is not allowed.
pub(crate) fn invalid(words: impl Into<String>) -> PyErr {
    Python::attach(|py| {
        let made = py
            .import("meshjudge._errors")
            .and_then(|errors| errors.call_method1("ArgumentError", (words.into(),)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// For a name that is none of `known`: with the nearest one, and all of them.
pub(crate) fn unknown(what: &str, name: &str, known: &[impl AsRef<str>]) -> PyErr {
    Python::attach(|py| {
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let made = py
            .import("meshjudge._errors")
            .and_then(|errors| errors.call_method1("unknown", (what, name, known)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}

/// Whether a name is probably a slip for one of `known`.
pub(crate) fn is_near(name: &str, known: &[impl AsRef<str>]) -> PyResult<bool> {
    Python::attach(|py| {
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let near = py.import("difflib")?.call_method1("get_close_matches", (name, known))?;
        near.is_truthy()
    })
}

/// A warning at the line that called this package.
pub(crate) fn warn(py: Python<'_>, words: String) -> PyResult<()> {
    py.import("meshjudge._errors")?.call_method1("warn", (words,)).map(drop)
}

/// Options of the library that are keywords here too; others are of the command line only.
const KEYWORDS: [&str; 6] = ["prompt", "run", "base_url", "models", "mix_protocols", "views"];

/// An error of the library in the class of its kind, with the keywords that help.
pub(crate) fn raise(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    if let Some(Unknown { what, name, known }) = error.unknown_name() {
        return unknown(what, name, known);
    }
    let options = error.options().iter().filter(|option| KEYWORDS.contains(option));
    let keywords: Vec<String> = options.map(|option| format!("{option}=")).collect();
    let words = match keywords.as_slice() {
        [] => error.to_string(),
        _ => format!("{error} ({})", keywords.join(" or ")),
    };
    match error.kind() {
        Kind::Usage => invalid(words),
        Kind::Load => LoadError::new_err(words),
        Kind::Render => RenderError::new_err(words),
        Kind::Picture => PictureError::new_err(words),
        Kind::Rubric => RubricError::new_err(words),
        Kind::Judge => JudgeError::new_err(words),
        Kind::Run | Kind::Locked => RunError::new_err(words),
        Kind::Rate => RateError::new_err(words),
        Kind::Bench => BenchError::new_err(words),
        Kind::Audit => AuditError::new_err(words),
        Kind::Damage => DamageError::new_err(words),
        Kind::Bug => InternalError::new_err(words),
    }
}

/// `?` for results of the library.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
    /// As `or_raise`, for a part of a larger whole: a benchmark's rubric is the benchmark's error.
    fn or_raise_of(self, kind: Kind) -> PyResult<T>;
}

impl<T, E: Into<Error>> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(raise)
    }

    fn or_raise_of(self, kind: Kind) -> PyResult<T> {
        self.map_err(|error| raise(error.into().of(kind)))
    }
}
