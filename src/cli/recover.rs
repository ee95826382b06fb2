//! `recover`: a run's database, built again from its journal.

use super::{Exit, Failure, Printer};
use crate::store::Store;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge recover runs/bench-2026-11-21T10-03-55

Every question and every reply stands twice in a run's folder: in run.sqlite and, as checksummed lines of text, in run.journal. When the
database is gone or damaged this builds it again; one that is still there is kept as run.sqlite.old. Requests that were under way when the
run ended are not in the journal, so what they may have cost is forgotten.")]
pub(super) struct RecoverArgs {
    /// The run's folder
    #[arg(value_name = "RUN")]
    pub folder: PathBuf,
}

pub(super) fn run(args: &RecoverArgs, printer: &Printer) -> Result<Exit, Failure> {
    let found = Store::recover(&args.folder)?;
    printer.result(&format!(
        "{} questions and {} attempts recovered",
        found.questions, found.attempts
    ));
    printer.row(&serde_json::json!({
        "kind": "recover", "questions": found.questions, "attempts": found.attempts, "broken_lines": found.broken_lines,
    }));
    if found.broken_lines > 0 {
        printer.warn(&format!(
            "{} lines of the journal are not what was written and were left out; what they held is asked again",
            found.broken_lines
        ));
        return Ok(Exit::SomeFailed);
    }
    Ok(Exit::Done)
}
