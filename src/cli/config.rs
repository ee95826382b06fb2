//! `config`: prints the effective settings and their sources.

use super::settings::{BASE_URL, FILE_VARIABLE, Held, SETTINGS, Settings, Source, variable};
use super::words::columns;
use super::{Exit, Printer};
use crate::error::Error;
use crate::scene::one_of;
use clap::Args;
use serde_json::json;

/// Our variables that are not settings, including those of the tests.
const OTHER_VARIABLES: [&str; 5] = [
    FILE_VARIABLE,
    "MESHJUDGE_CHROMEDRIVER",
    "MESHJUDGE_GOLDENS",
    "MESHJUDGE_GPU",
    "MESHJUDGE_MODELS",
];

#[derive(Debug, Clone, Args)]
#[command(
    after_help = "The file is meshjudge/config.toml in $XDG_CONFIG_HOME, in %APPDATA% on Windows, else in ~/.config. For example:
  judge = \"openai:gpt-5\"     # or a list
  max_cost = 5.0
  runs = \"/scratch/me/runs\"
  renderer = \"cpu\"

A flag overrides its variable, the variable overrides the file, and the file overrides the default. MESHJUDGE_CONFIG names another file. API keys \
are never read from it. `bench` takes judges, concurrency and budget only from the benchmark file or from flags, so \
that a benchmark is the same on every machine."
)]
pub(super) struct ConfigArgs {}

pub(super) fn run(_: &ConfigArgs, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let file = settings.file.as_ref().map(|path| path.display().to_string());
    let head = match (&file, settings.is_file_there) {
        (Some(path), true) => format!("file    {path}"),
        (Some(path), false) => format!("file    none; {path} would be read"),
        (None, _) => format!("file    none; {FILE_VARIABLE} names one"),
    };
    let table = columns(&settings.held.iter().map(line).collect::<Vec<_>>());
    let row = |held: &Held| {
        json!({
            "kind": "setting", "key": held.id, "flag": flag(held.id), "variable": variable(held.id),
            "values": shown(held), "from": held.source, "file": file,
        })
    };
    printer.show(format!("{head}\n{table}"), settings.held.iter().map(row));
    warn_of_unknown_variables(printer);
    Ok(Exit::Done)
}

/// The values, without server addresses with a user, password or query, which judges refuse.
fn shown(held: &Held) -> Vec<String> {
    let hides = |value: &String| held.id == BASE_URL && value.contains(['@', '?', '#']);
    let shown = held.values.iter().map(|value| {
        if hides(value) {
            "(hidden: an address with a user, password, query or fragment is refused)".to_owned()
        } else {
            value.clone()
        }
    });
    shown.collect()
}

fn line(held: &Held) -> [String; 3] {
    let value = match shown(held).as_slice() {
        [] => "-".to_owned(),
        values => values.join(", "),
    };
    let from = match held.source {
        Source::Default => format!("default; {} sets it", variable(held.id)),
        Source::Variable => variable(held.id),
        Source::File => "the file".to_owned(),
    };
    [flag(held.id), value, from]
}

fn flag(id: &str) -> String {
    format!("--{}", id.replace('_', "-"))
}

/// Reports misspelt variables, which would otherwise be ignored silently.
fn warn_of_unknown_variables(printer: &Printer) {
    let known: Vec<String> = SETTINGS.map(variable).to_vec();
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        let is_ours = name.starts_with("MESHJUDGE_");
        if is_ours
            && !known.iter().any(|known| *known == name)
            && !OTHER_VARIABLES.contains(&&*name)
        {
            let known = one_of(&name, known.iter().map(String::as_str));
            printer.warn(&format!("{name} is not a setting; {known}"));
        }
    }
}
