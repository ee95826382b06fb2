//! Settings: `MESHJUDGE_*` variables and the user's file → defaults of the commands' flags.
//!
//! A flag overrides its variable, the variable the file, and the file the built-in default. Values
//! are passed to `clap`'s commands, so they are parsed and checked as if typed. No setting changes
//! what a judge sees, and none is a secret: judges read keys from separate variables.

use crate::error::Error;
use crate::rubric::read_text;
use crate::scene::one_of;
use clap::builder::OsStr;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;

/// The variable with another path of the file.
pub(super) const FILE_VARIABLE: &str = "MESHJUDGE_CONFIG";

/// The file's size above which it is not read.
const FILE_BYTES_MAX: u64 = 1 << 20;

const JUDGE: &str = "judge";
/// The judges' server.
pub(super) const BASE_URL: &str = "base_url";

/// The flags that can be set once, by their names in the commands, which are the keys of the file,
/// in the order in which they are shown.
pub(super) const SETTINGS: [&str; 10] = [
    JUDGE,
    BASE_URL,
    "max_cost",
    "runs",
    "concurrency",
    "requests_per_minute",
    "tokens_per_minute",
    "timeout_secs",
    "renderer",
    "threads",
];

/// Benchmark files have these keys, so `bench` takes them only from them or from flags.
const OF_BENCH_FILES: [&str; 4] = [JUDGE, BASE_URL, "max_cost", "concurrency"];

/// The variable that sets it.
pub(super) fn variable(id: &str) -> String {
    format!("MESHJUDGE_{}", id.to_uppercase())
}

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    Variable,
    File,
    Default,
}

/// The effective value of a setting without its flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    pub id: &'static str,
    /// More than one only for judges; empty where the program decides when it runs.
    pub values: Vec<String>,
    pub source: Source,
}

/// The effective value of every setting; by default none is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Settings {
    /// The path of the file, whether or not it exists; none if the system has no home folder.
    pub file: Option<PathBuf>,
    pub is_file_there: bool,
    pub held: Vec<Held>,
}

/// The command's flag that takes the setting.
fn arg<'c>(id: &str, command: &'c Command) -> Option<&'c Arg> {
    let is_left_to_file = command.get_name() == "bench" && OF_BENCH_FILES.contains(&id);
    let own = |arg: &&Arg| arg.get_id() == id && !arg.is_hide_set() && !is_left_to_file;
    command.get_arguments().find(own)
}

impl Settings {
    /// The settings of the environment and the file, checked by the flags of `program`. An empty
    /// variable counts as none.
    ///
    /// # Errors
    /// An unusable file or value, or an unknown key.
    pub(super) fn read(
        program: &Command,
        read: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Error> {
        let named_by = |name: &str| read(name).filter(|value| !value.is_empty());
        let named = named_by(FILE_VARIABLE).map(PathBuf::from);
        let file = named.clone().or_else(|| usual_file(&named_by));
        let is_file_there = named.is_some() || file.as_ref().is_some_and(|path| path.exists());
        let mut stated = match &file {
            Some(path) if is_file_there => stated_in(path)?,
            _ => toml::Table::new(),
        };
        let mut held = Vec::new();
        for id in SETTINGS {
            let Some(arg) = program.get_subcommands().find_map(|command| arg(id, command)) else {
                continue;
            };
            let (values, source) = match (named_by(&variable(id)), stated.remove(id), &file) {
                (Some(value), _, _) => {
                    let value = value.to_string_lossy().into_owned();
                    check(arg, std::slice::from_ref(&value), variable(id))?;
                    (vec![value], Source::Variable)
                }
                (None, Some(value), Some(path)) => {
                    let values = values_of(id, value, path)?;
                    check(arg, &values, format!("{id} in {path:?}"))?;
                    (values, Source::File)
                }
                _ => (Vec::new(), Source::Default),
            };
            held.push(Held { id, values, source });
        }
        let settings = Self { file, is_file_there, held };
        let is_lost = settings.source(JUDGE) == Some(Source::Variable)
            && settings.source(BASE_URL) == Some(Source::File);
        Ok(if is_lost { settings.without(BASE_URL) } else { settings })
    }

    /// The settings that still apply with the typed flags: a server belongs to the judges it was
    /// set with, and must not get the key and questions of another server that `--judge` selects.
    pub(super) fn beside(&self, matches: &ArgMatches) -> Option<Self> {
        let is_typed = matches.try_contains_id(JUDGE).is_ok()
            && matches.value_source(JUDGE) == Some(ValueSource::CommandLine);
        let is_lost = is_typed && self.source(BASE_URL) != Some(Source::Default);
        is_lost.then(|| self.without(BASE_URL))
    }

    fn source(&self, id: &str) -> Option<Source> {
        self.held.iter().find(|held| held.id == id).map(|held| held.source)
    }

    fn without(&self, id: &str) -> Self {
        let mut fewer = self.clone();
        for held in fewer.held.iter_mut().filter(|held| held.id == id) {
            *held = Held { id: held.id, values: Vec::new(), source: Source::Default };
        }
        fewer
    }

    /// Makes the settings the defaults of the flags of every command that has them.
    pub(super) fn lay_into(&self, program: Command) -> Command {
        with_each_command(program, &|mut command| {
            for Held { id, values, .. } in &self.held {
                if arg(id, &command).is_some() && !values.is_empty() {
                    let values: Vec<OsStr> = values.iter().map(OsStr::from).collect();
                    command = command.mut_arg(id, |arg| {
                        // Help is about the program, not about this machine.
                        arg.default_values(values).hide_default_value(true)
                    });
                }
            }
            command
        })
    }
}

/// Names the variables in the help of every command whose flags have one, and in its manual.
pub(super) fn with_variables(program: Command) -> Command {
    with_each_command(program, &|command| {
        let used = SETTINGS.iter().filter(|id| arg(id, &command).is_some());
        let names: Vec<String> = used.map(|id| variable(id)).collect();
        if names.is_empty() {
            return command;
        }
        let line =
            format!("Variables for these flags (see `meshjudge config`): {}", names.join(", "));
        let after = match command.get_after_help() {
            Some(text) => format!("{text}\n\n{line}"),
            None => line,
        };
        command.after_help(after)
    })
}

/// The program with each command below it, at any depth, changed.
pub(super) fn with_each_command(program: Command, change: &dyn Fn(Command) -> Command) -> Command {
    let names: Vec<String> =
        program.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    names.into_iter().fold(program, |program, name| {
        program.mut_subcommand(name, |command| change(with_each_command(command, change)))
    })
}

/// `meshjudge/config.toml` in the system's folder for such files. On macOS it is also `~/.config`,
/// as for other command-line programs.
fn usual_file(variable: &impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let folder = variable(name).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let folder = absolute("XDG_CONFIG_HOME")
        .or_else(|| cfg!(windows).then(|| absolute("APPDATA")).flatten())
        .or_else(|| absolute("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("meshjudge").join("config.toml"))
}

/// The settings in a file, all of them known.
fn stated_in(path: &std::path::Path) -> Result<toml::Table, Error> {
    let text = read_text(path, FILE_BYTES_MAX)
        .map_err(|e| Error::usage(format!("cannot read the settings ({e})")).at(path))?;
    // TOML's error might quote a line of the file, which could be a misplaced API key.
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| {
        let at = e.span().map_or(0, |span| span.start);
        Error::usage(format!(
            "line {} of the settings cannot be read ({})",
            1 + text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count(),
            e.message()
        ))
        .at(path)
    })?;
    match table.keys().find(|key| !SETTINGS.contains(&key.as_str())) {
        None => Ok(table),
        Some(key) => {
            Err(Error::usage(format!("unknown setting {key:?}; {}", remedy_for(key))).at(path))
        }
    }
}

fn remedy_for(key: &str) -> String {
    let folded = key.to_lowercase().replace('-', "_");
    if ["api_key", "apikey", "secret", "password"].iter().any(|word| folded.contains(word)) {
        return "API keys are never read from this file; remove it and set the judge's variable, such as OPENAI_API_KEY".to_owned();
    }
    one_of(key, SETTINGS)
}

/// A value of the file as on the command line.
fn values_of(
    id: &'static str,
    value: toml::Value,
    path: &std::path::Path,
) -> Result<Vec<String>, Error> {
    let typed = |value: toml::Value| match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(_) | toml::Value::Float(_) => Some(value.to_string()),
        _ => None,
    };
    let (wanted, values) = match (id, value) {
        (JUDGE, toml::Value::Array(list)) => {
            ("a text or a list of texts", list.into_iter().map(typed).collect())
        }
        (_, value) => ("a text or a number", typed(value).map(|text| vec![text])),
    };
    let values: Option<Vec<String>> = values;
    let is_given = |values: &Vec<String>| !values.is_empty();
    let wrong = || Error::usage(format!("{id} must be {wanted}")).at(path);
    values.filter(is_given).ok_or_else(wrong)
}

/// Parses values as the flag does, so that an error names their source.
fn check(arg: &Arg, values: &[String], name: String) -> Result<(), Error> {
    let flag = arg.get_long().unwrap_or_default();
    let typed = values.iter().map(|value| format!("--{flag}={value}"));
    let alone = Command::new("settings").no_binary_name(true).arg(arg.clone());
    match alone.try_get_matches_from(typed) {
        Ok(_) => Ok(()),
        Err(e) => Err(Error::usage(format!(
            "{name} cannot be {:?}: {}",
            values.join(", "),
            match std::error::Error::source(&e) {
                Some(cause) => cause.to_string(),
                None => "the flag does not take it".to_owned(),
            }
        ))),
    }
}
