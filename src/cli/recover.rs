//! `recover`: rebuilds a run's database from its journal.

use super::{Exit, Printer};
use crate::error::Error;
use crate::report::{plural, plural_with};
use crate::store::Store;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge recover runs/bench-2026-11-21T10-03-55

A run's questions and replies are stored twice: in run.sqlite and, as checksummed lines of text, in run.journal. If the database \
is missing or damaged, this command rebuilds it; an existing database is kept as run.sqlite.old. Open batches are collected by the \
next command. Requests that were in flight when the run ended are booked at their maximum.")]
pub(super) struct RecoverArgs {
    /// The run's folder
    #[arg(value_name = "RUN")]
    pub folder: PathBuf,
}

pub(super) fn run(args: &RecoverArgs, printer: &Printer) -> Result<Exit, Error> {
    let found = Store::recover(&args.folder)?;
    let [questions, attempts] =
        [plural(found.questions, "question"), plural(found.attempts, "attempt")];
    let row = serde_json::json!({
        "kind": "recover", "questions": found.questions, "attempts": found.attempts, "broken_lines": found.broken_lines, "incomplete": found.incomplete,
    });
    printer.show(format!("{questions} and {attempts} recovered"), [row]);
    if found.broken_lines > 0 {
        printer.warn(&format!(
            "{} damaged and left out; the next call asks the lost questions again",
            plural_with(found.broken_lines, "line", ["of the journal is", "of the journal are"])
        ));
    }
    if found.incomplete > 0 {
        printer.warn(&format!(
            "{} left out, because a part of what was written is lost; the next call asks again, and the old journal is kept as run.journal.old",
            plural_with(found.incomplete, "question", ["is", "are"])
        ));
    }
    Ok(if found.broken_lines + found.incomplete > 0 { Exit::SomeFailed } else { Exit::Done })
}
