//! The library's errors as Python exceptions: one class a stage, all below `MeshjudgeError`, with
//! the library's own words.

use meshjudge::unstable::ask::{AskError, DrawingError, QuestionError};
use meshjudge::unstable::audit::AuditError as LibraryAuditError;
use meshjudge::unstable::bench::{
    BenchFileError, BenchJudgesError, NodeError, PlanError, RunError as BenchRunError,
};
use meshjudge::unstable::damage::DamageError as LibraryDamageError;
use meshjudge::unstable::front::{FrontError, RowsError};
use meshjudge::unstable::judge::JudgeError as LibraryJudgeError;
use meshjudge::unstable::load::LoadError as LibraryLoadError;
use meshjudge::unstable::rate::RateError as LibraryRateError;
use meshjudge::unstable::render::{GpuError, ImageError, RenderError as LibraryRenderError};
use meshjudge::unstable::report::ReportError;
use meshjudge::unstable::results::{RatingsDiffer, ReliabilityError, ResultsError};
use meshjudge::unstable::rubric::RubricError as LibraryRubricError;
use meshjudge::unstable::save::SaveError;
use meshjudge::unstable::sheet::SheetError;
use meshjudge::unstable::store::StoreError;
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

/// Says which class an error of the library becomes.
pub(crate) trait Raise {
    fn raise(self) -> PyErr;
}

macro_rules! raise {
    ($($from:ty => $to:ident;)*) => {
        $(impl Raise for $from {
            fn raise(self) -> PyErr {
                $to::new_err(self.to_string())
            }
        })*
    };
}

raise! {
    DrawingError => RenderError;
    LibraryRenderError => RenderError;
    GpuError => RenderError;
    ImageError => PictureError;
    SheetError => PictureError;
    SaveError => PictureError;
    LibraryRubricError => RubricError;
    LibraryJudgeError => JudgeError;
    StoreError => RunError;
    RatingsDiffer => RunError;
    BenchFileError => BenchError;
    BenchJudgesError => BenchError;
    NodeError => BenchError;
    PlanError => BenchError;
    BenchRunError => BenchError;
    ReliabilityError => BenchError;
    LibraryDamageError => DamageError;
}

impl Raise for LibraryLoadError {
    fn raise(self) -> PyErr {
        let hint = match &self {
            Self::UnknownFormat { path } if path.extension().is_none() => {
                "; for bytes, the extension of name= is the format: name=\"chair.obj\""
            }
            _ => "",
        };
        LoadError::new_err(format!("{self}{hint}"))
    }
}

impl Raise for ReportError {
    fn raise(self) -> PyErr {
        match self {
            Self::Extension { .. } => invalid(self.to_string()),
            error => RunError::new_err(error.to_string()),
        }
    }
}

impl Raise for LibraryRateError {
    fn raise(self) -> PyErr {
        match self {
            Self::UnknownAnchor { anchor, methods } => unknown("anchor", &anchor, &methods),
            error => RateError::new_err(error.to_string()),
        }
    }
}

impl Raise for RowsError {
    fn raise(self) -> PyErr {
        let words = self.to_string();
        RateError::new_err(match self {
            Self::Several { column, names, .. } => {
                let more = match column {
                    "judge" => ", or give judge=None if every row is a game, with any judge",
                    _ => "",
                };
                format!("{words}, as in rows.filter({column}={:?}){more}", names[0])
            }
            _ => words,
        })
    }
}

impl Raise for ResultsError {
    fn raise(self) -> PyErr {
        match self {
            Self::Rate(error @ LibraryRateError::UnknownAnchor { .. }) => error.raise(),
            error => RunError::new_err(error.to_string()),
        }
    }
}

impl Raise for QuestionError {
    fn raise(self) -> PyErr {
        match self {
            Self::Photo { .. } | Self::Sheet(_) => PictureError::new_err(self.to_string()),
            _ => RubricError::new_err(self.to_string()),
        }
    }
}

impl Raise for AskError {
    fn raise(self) -> PyErr {
        match self {
            Self::Question(error) => error.raise(),
            Self::Store(_) | Self::Threads(_) => RunError::new_err(self.to_string()),
        }
    }
}

impl Raise for FrontError {
    fn raise(self) -> PyErr {
        match self {
            Self::Drawing(error) => error.raise(),
            Self::Load(error) => error.raise(),
            Self::Image(error) => error.raise(),
            Self::Render(error) => error.raise(),
            Self::Rubric(error) => error.raise(),
            Self::Question(error) => error.raise(),
            Self::Ask(error) => error.raise(),
            Self::Store(error) => error.raise(),
            Self::Feature(_) => RunError::new_err(self.to_string()),
            Self::Input { .. } => RubricError::new_err(self.to_string()),
            Self::Write { .. } => PictureError::new_err(self.to_string()),
        }
    }
}

impl Raise for LibraryAuditError {
    fn raise(self) -> PyErr {
        match self {
            Self::Drawing(error) => error.raise(),
            Self::Ask(error) => error.raise(),
            Self::Store(error) => error.raise(),
            Self::UnknownKind { name, known } => {
                unknown("kind of damage", &name, &known.split(", ").collect::<Vec<_>>())
            }
            _ => AuditError::new_err(self.to_string()),
        }
    }
}

/// `?` for results of the library.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}
