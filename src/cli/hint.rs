//! A library error → the flag that helps. The library names no flags, since others call it too.

use crate::ask::{AskError, DrawingError, QuestionError};
use crate::audit::AuditError;
use crate::bench::{BenchFileError, FileScoresError, PlanError, RunError};
use crate::exchange::ImportError;
use crate::front::FrontError;
use crate::judge::JudgeError;
use crate::load::LoadError;
use crate::report::ReportError;
use crate::results::ResultsError;
use crate::rubric::RubricError;
use crate::sheet::SheetError;
use crate::store::StoreError;
use std::error::Error;

/// The flag or command that helps, if there is one.
pub(super) fn hint(error: &(dyn Error + 'static)) -> Option<&'static str> {
    if let Some(inner) = wrapped(error) {
        return hint(inner);
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            StoreError::Locked { .. } | StoreError::NotOurs { .. } => Some("--run FOLDER"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            RubricError::NoPrompt { .. } => Some("--prompt TEXT"),
            RubricError::Form { .. } => Some("leave out --pictures"),
            RubricError::NoExamples { .. } => Some("leave out --examples"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            JudgeError::NoKey { .. } => Some("--base-url URL"),
            JudgeError::Unfit { .. } => Some("--models FILE"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            ResultsError::NothingDecided => Some("--judge SPEC"),
            ResultsError::Mixed { .. } => Some("--mix-protocols"),
            ResultsError::UnknownControl { .. } => Some("--control-from FILE"),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            ReportError::Listen { .. } => Some("--port PORT"),
            ReportError::NoName => Some("--url URL"),
            ReportError::Extension { .. } => Some("--format FORMAT"),
            _ => None,
        };
    }
    if let Some(PlanError::NoPhoto { .. }) = error.downcast_ref() {
        return Some("--image PHOTO");
    }
    if let Some(SheetError::TileCount { .. }) = error.downcast_ref() {
        return Some("--views COUNT or --columns N");
    }
    if let Some(LoadError::OnlyPoints { .. }) = error.downcast_ref() {
        return Some("--points always draws bare vertices");
    }
    if let Some(ImportError::Content { .. }) = error.downcast_ref() {
        return Some("`meshjudge import --help` shows the format");
    }
    if let Some(BenchFileError::Syntax { .. }) = error.downcast_ref() {
        return Some(
            "`meshjudge bench init` writes an example, and with --service NAME a program for a service",
        );
    }
    None
}

/// The error inside a transparent one, which `source` skips.
fn wrapped<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    if let Some(error) = error.downcast_ref() {
        return match error {
            FrontError::Drawing(inner) => Some(inner),
            FrontError::Rubric(inner) => Some(inner),
            FrontError::Question(inner) => Some(inner),
            FrontError::Ask(inner) => Some(inner),
            FrontError::Store(inner) => Some(inner),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            AskError::Store(inner) => Some(inner),
            AskError::Question(inner) => Some(inner),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            QuestionError::Sheet(inner) => Some(inner),
            QuestionError::Rubric(inner) => Some(inner),
            _ => None,
        };
    }
    if let Some(RunError::Ask(inner)) = error.downcast_ref() {
        return Some(inner);
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            PlanError::File(inner) => Some(inner),
            PlanError::Rubric(inner) => Some(inner),
            PlanError::Drawing(inner) => Some(inner),
            PlanError::NoPhoto { .. } | PlanError::Photos { .. } => None,
        };
    }
    if let Some(FileScoresError::Plan(inner)) = error.downcast_ref() {
        return Some(inner);
    }
    if let Some(AuditError::Drawing(inner)) = error.downcast_ref() {
        return Some(inner);
    }
    match (error.downcast_ref(), error.downcast_ref(), error.downcast_ref()) {
        (Some(DrawingError::Sheet(inner)), _, _) => Some(inner),
        (_, Some(ReportError::Results(inner)), _) => Some(inner),
        (_, Some(ReportError::Store(inner)), _) | (_, _, Some(ResultsError::Store(inner))) => {
            Some(inner)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_inside_other_errors() {
        let path = std::path::PathBuf::from("runs/a");
        let locked = StoreError::Locked { holder: String::new(), path: path.clone() };
        let inside = FrontError::Ask(AskError::Store(locked));
        assert_eq!(hint(&inside), Some("--run FOLDER"));
        let grid = SheetError::TileCount { found: 3 };
        let inside = FrontError::Drawing(DrawingError::Sheet(grid));
        assert_eq!(hint(&inside), Some("--views COUNT or --columns N"));
        assert_eq!(hint(&ResultsError::Store(StoreError::NoRun { path })), None);
    }
}
