//! The one error of the program's stages: what happened, why and what helps, written where it is
//! noticed. The packages in `crates/` have small typed errors, which become this one by `?`.
//! A failure that code decides by is no error but a result: an enum or an `Option`.

use crate::check::{BoundError, ProfileError, ReportError};
use crate::damage::DamageError;
use crate::load::LoadError;
use crate::metrics::MetricError;
use crate::rate::RateError;
use crate::render::{EnvironmentError, GpuError, ImageError, RenderError};
use crate::rig::{CamerasError, RigError};
use crate::save::SaveError;
use crate::sheet::SheetError;
use meshjudge_features::FeaturesError;
use std::fmt::Display;
use std::path::Path;

/// Why something could not be done, for people: the reason, the remedy, the path last.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: Kind,
    text: String,
    options: Vec<&'static str>,
    unknown: Option<Box<Unknown>>,
}

/// A name that is none of those that are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What has such a name: `anchor`.
    pub what: &'static str,
    /// The name that was given.
    pub name: String,
    /// All valid names.
    pub known: Vec<String>,
}

/// Declares the kinds, and a constructor for each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $new:ident;)*) => {
        /// The subject of an [`Error`], which decides its exit code and its class in Python.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Error {
            $(
                $(#[$doc])*
                pub fn $new(text: impl ToString) -> Self {
                    Self { kind: Kind::$kind, text: text.to_string(), options: Vec::new(), unknown: None }
                }
            )*
        }
    };
}

kinds! {
    /// Arguments that do not go together, or an unknown name.
    Usage usage;
    /// A file of an asset.
    Load load;
    /// A rig, cameras, light, or the renderer.
    Render render;
    /// A picture, photo or sheet.
    Picture picture;
    /// A rubric, or what a question needs.
    Rubric rubric;
    /// A judge: its name, key, server or settings.
    Judge judge;
    /// A run folder, or the files written from one.
    Run run;
    /// A run that another process is working on; to try again can help.
    Locked locked;
    /// Games that give no ratings.
    Rate rate;
    /// A benchmark.
    Bench bench;
    /// An audit.
    Audit audit;
    /// Damage that cannot be done.
    Damage damage;
    /// A fault of this program.
    Bug bug;
}

impl Error {
    /// A file or folder that cannot be read; `what` is as `rubric`.
    pub(crate) fn cannot_read(
        kind: Kind,
        what: &str,
        reason: impl Display,
        path: impl AsRef<Path>,
    ) -> Self {
        let text = format!("cannot read the {what} ({reason}); check the path and its permissions");
        Self::run(text).of(kind).at(path)
    }

    /// A file or folder that cannot be written.
    pub(crate) fn cannot_write(kind: Kind, reason: impl Display, path: impl AsRef<Path>) -> Self {
        let text =
            format!("cannot write ({reason}); check the path, the space and the permissions");
        Self::run(text).of(kind).at(path)
    }

    /// Adds the path, which ends the message.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<Path>) -> Self {
        self.text.push_str(&format!(": {:?}", path.as_ref()));
        self
    }

    /// Names the option that helps, as `base_url`: the command line shows its flag, Python its
    /// keyword.
    #[must_use]
    pub fn option(mut self, option: &'static str) -> Self {
        self.options.push(option);
        self
    }

    /// Leaves the options out, where the caller's input is a file.
    #[must_use]
    pub(crate) fn without_options(self) -> Self {
        Self { options: Vec::new(), ..self }
    }

    /// Adds the unknown name, its kind and the known ones, for callers with words of their own.
    #[must_use]
    pub(crate) fn unknown(mut self, what: &'static str, name: &str, known: Vec<String>) -> Self {
        self.unknown = Some(Box::new(Unknown { what, name: name.to_owned(), known }));
        self
    }

    /// The same error, of another kind.
    #[must_use]
    pub fn of(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Says where it happened, before the message.
    #[must_use]
    pub fn within(self, place: impl Display) -> Self {
        Self { text: format!("{place}: {}", self.text), ..self }
    }

    /// The subject.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The name that is unknown, if that is the error.
    pub fn unknown_name(&self) -> Option<&Unknown> {
        self.unknown.as_deref()
    }

    /// Options that help, by the names of settings.
    pub fn options(&self) -> &[&'static str] {
        &self.options
    }
}

/// Declares the kind of each error of the packages.
macro_rules! from {
    ($($from:ty => $new:ident;)*) => {
        $(impl From<$from> for Error {
            fn from(error: $from) -> Self {
                Self::$new(error)
            }
        })*
    };
}

from! {
    RenderError => render;
    GpuError => render;
    RigError => render;
    CamerasError => render;
    EnvironmentError => render;
    ImageError => picture;
    SaveError => picture;
    DamageError => damage;
    FeaturesError => run;
    MetricError => usage;
    ProfileError => usage;
    BoundError => usage;
    ReportError => usage;
    // Only rows of our own are written as JSON by `?`.
    serde_json::Error => bug;
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::OnlyPoints { .. } => Self::load(error).option("points"),
            _ => Self::load(error),
        }
    }
}

impl From<SheetError> for Error {
    fn from(error: SheetError) -> Self {
        match error {
            SheetError::TileCount { .. } => Self::picture(error).option("views").option("columns"),
            _ => Self::picture(error),
        }
    }
}

impl From<RateError> for Error {
    fn from(error: RateError) -> Self {
        let text = error.to_string();
        match error {
            RateError::UnknownAnchor { anchor, methods } => {
                Self::usage(text).unknown("anchor", &anchor, methods)
            }
            _ => Self::rate(text),
        }
    }
}
