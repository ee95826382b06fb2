//! Where every line to the user goes: results to standard output, the rest to standard error.

use super::Exit;
use crate::error::Error;
use crate::judge::visible;
use anstyle::{AnsiColor, Style};
use clap::{Arg, Command};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The output settings of the user. Colours appear on terminals only, and never with `NO_COLOR`.
#[derive(Debug, Clone)]
pub(crate) struct Printer {
    is_quiet: bool,
    is_json: bool,
    /// Hidden unless a bar was asked for.
    progress: ProgressBar,
    /// That runs; its flags are remedies.
    command: Arc<Command>,
}

impl Printer {
    pub(crate) fn new(is_quiet: bool, is_json: bool, command: Command) -> Self {
        Self { is_quiet, is_json, progress: ProgressBar::hidden(), command: Arc::new(command) }
    }

    /// A result: its text for people, or with `--json` its rows for programs. The text's last line
    /// ends with or without `\n`; an empty text is no line.
    pub(crate) fn show(&self, text: impl AsRef<str>, rows: impl IntoIterator<Item = Value>) {
        if self.is_json {
            rows.into_iter().for_each(|row| write_out(&plain_json(&row.to_string())));
        } else if !text.as_ref().is_empty() {
            let text = visible(text.as_ref());
            write_out(text.strip_suffix('\n').unwrap_or(&text));
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

    /// A failure with its remedy, always shown.
    pub(crate) fn error(&self, error: &Error) {
        self.fail(&visible(&without_number(&error.to_string())));
        let flags: Vec<String> =
            error.options().iter().filter_map(|option| flag(&self.command, option)).collect();
        if !flags.is_empty() {
            self.write_err(&format!("hint: {}", flags.join(" or ")));
        }
    }

    /// A failure of one of several inputs, with a row of its own.
    pub(crate) fn input_error(&self, path: &Path, error: &Error) {
        self.error(error);
        let path = path.display().to_string();
        self.show("", [json!({ "path": path, "error": error.to_string() })]);
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
        Self { progress: bar, ..self.clone() }
    }

    pub(crate) fn step(&self) {
        self.progress.inc(1);
    }

    /// Moves the bar of another part of the work, which has its own length.
    pub(crate) fn place(&self, done: usize, len: usize, what: &str) {
        if self.progress.message() != what {
            self.progress.reset();
        }
        self.move_to(done as u64, Some(len as u64), what);
    }

    /// Moves the bar, whose length changes if a new one is known.
    pub(crate) fn move_to(&self, done: u64, len: Option<u64>, message: &str) {
        if self.progress.message() != message {
            self.progress.set_message(visible(message));
        }
        if let Some(len) = len.filter(|_| self.progress.length() != len) {
            self.progress.set_length(len);
        }
        self.progress.set_position(done);
    }

    pub(crate) fn finish(&self) {
        self.progress.finish_and_clear();
    }

    fn write_err(&self, line: &str) {
        // Nothing can be reported on a closed standard error.
        let _ = self.progress.suspend(|| writeln!(anstream::stderr(), "{line}"));
    }
}

/// An option as the command's flag, with the name of its value; none if the command lacks it.
fn flag(command: &Command, option: &str) -> Option<String> {
    let is_it = |arg: &&Arg| arg.get_id() == option && !arg.is_hide_set();
    let arg = command.get_arguments().find(is_it)?;
    let value = arg.get_value_names().filter(|_| arg.get_action().takes_values());
    let value = value.map_or(String::new(), |names| format!(" {}", names.join(" ")));
    Some(format!("--{}{value}", arg.get_long()?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_the_flag_of_the_command_that_ran() {
        let arg = |id: &'static str| Arg::new(id).long(id).value_name("TEXT");
        let switch = Arg::new("mix").long("mix-all").action(clap::ArgAction::SetTrue);
        let command = Command::new("score").args([arg("prompt"), arg("run").hide(true), switch]);
        assert_eq!(flag(&command, "prompt").as_deref(), Some("--prompt TEXT"));
        assert_eq!(flag(&command, "mix").as_deref(), Some("--mix-all"));
        assert_eq!(flag(&command, "run"), None, "a hidden flag has no effect");
        assert_eq!(flag(&Command::new("rate"), "prompt"), None);
    }
}
