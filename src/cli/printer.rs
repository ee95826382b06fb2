//! Where every line to the user goes: results to standard output, the rest to standard error.

use super::Exit;
use crate::judge::visible;
use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::path::Path;

const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The output settings of the user. Colours appear on terminals only, and never with `NO_COLOR`.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    is_quiet: bool,
    is_json: bool,
    progress: Option<ProgressBar>,
}

impl Printer {
    pub(crate) fn new(is_quiet: bool, is_json: bool) -> Self {
        Self { is_quiet, is_json, progress: None }
    }

    /// A result for people; nothing with `--json`.
    pub(crate) fn result(&self, line: &str) {
        if !self.is_json {
            write_out(&visible(line));
        }
    }

    /// A row for programs; nothing without `--json`.
    pub(crate) fn row(&self, row: &serde_json::Value) {
        if self.is_json {
            write_out(&plain_json(&row.to_string()));
        }
    }

    /// A line of data that the command was asked to write, whatever the flags.
    pub(crate) fn data(&self, line: &str) {
        // A file gets every byte as it is.
        if std::io::stdout().is_terminal() {
            write_out(&visible(line));
        } else {
            write_out(line);
        }
    }

    /// What may be of interest; nothing with `--quiet`.
    pub(crate) fn note(&self, line: &str) {
        if !self.is_quiet {
            self.write_err(&visible(line));
        }
    }

    /// A warning with its reason and a remedy; nothing with `--quiet`.
    pub(crate) fn warn(&self, line: &str) {
        if !self.is_quiet {
            let line = visible(line);
            self.write_err(&format!("{WARNING}warning{WARNING:#}: {line}"));
        }
    }

    /// A failure with its causes, always shown.
    pub(crate) fn error(&self, error: &(dyn Error + 'static)) {
        let mut line = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = inner.to_string();
            // Messages that already hold their cause do not say it twice.
            if !line.contains(&text) {
                line.push_str(": ");
                line.push_str(&text);
            }
            cause = inner.source();
        }
        let line = visible(&without_number(&line));
        self.write_err(&format!("{ERROR}error{ERROR:#}: {line}"));
        if let Some(hint) = super::hint::hint(error) {
            self.write_err(&format!("hint: {hint}"));
        }
    }

    /// A failure of one of several inputs, with a row of its own.
    pub(crate) fn input_error(&self, path: &Path, error: &(dyn Error + 'static)) {
        self.error(error);
        let path = path.display().to_string();
        self.row(&json!({ "path": path, "error": error.to_string() }));
    }

    /// A failure in one sentence, always shown.
    pub(crate) fn fail(&self, line: &str) {
        self.write_err(&format!("{ERROR}error{ERROR:#}: {line}"));
    }

    /// A bar with the time left, on terminals only.
    #[must_use]
    pub(crate) fn with_progress(&self, len: u64, what: &str) -> Self {
        let is_shown = !self.is_quiet && len > 1 && std::io::stderr().is_terminal();
        let target =
            if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(len), target).with_message(what.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left")
        {
            bar.set_style(style);
        }
        Self { progress: Some(bar), ..self.clone() }
    }

    pub(crate) fn step(&self) {
        if let Some(bar) = &self.progress {
            bar.inc(1);
        }
    }

    /// Moves the bar of another part of the work, which has its own length.
    pub(crate) fn place(&self, done: usize, len: usize, what: &str) {
        if let Some(bar) = &self.progress {
            if bar.message() != what {
                bar.set_message(visible(what));
                bar.reset();
            }
            bar.set_length(len as u64);
            bar.set_position(done as u64);
        }
    }

    pub(crate) fn set_length(&self, len: Option<u64>) {
        if let (Some(bar), Some(len)) = (&self.progress, len)
            && bar.length() != Some(len)
        {
            bar.set_length(len);
        }
    }

    pub(crate) fn set_message(&self, what: &str) {
        if let Some(bar) = &self.progress {
            bar.set_message(visible(what));
        }
    }

    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.progress {
            bar.finish_and_clear();
        }
    }

    fn write_err(&self, line: &str) {
        let write = || {
            // Nothing can be reported on a closed standard error.
            let _ = writeln!(anstream::stderr(), "{line}");
        };
        match &self.progress {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

/// The system's errors without their numbers, and a missing file in plain words.
fn without_number(line: &str) -> String {
    let line = line.replace("No such file or directory (os error 2)", "no such file");
    let mut parts = line.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |line, part| {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        line + rest.strip_prefix(')').unwrap_or(rest)
    })
}

/// JSON escapes the controls below U+0020 only, and a terminal obeys others too.
fn plain_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

fn write_out(line: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(e) = writeln!(out, "{line}") {
        end_without_stdout(&e);
    }
}

/// Ends the program where standard output takes nothing more: quietly where its reader went away
/// (as `head` does), as other tools do.
pub(super) fn end_without_stdout(reason: &std::io::Error) -> ! {
    if reason.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(0);
    }
    let line = format!("cannot write to standard output ({reason}); check the disk behind it");
    let _ = writeln!(anstream::stderr(), "{ERROR}error{ERROR:#}: {line}");
    std::process::exit(Exit::Nothing.code().into());
}
