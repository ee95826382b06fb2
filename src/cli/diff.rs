//! `diff`: compares two runs prompt by prompt and prints what became better or worse.

use super::global::MORE;
use super::render::write_file;
use super::runs::runs;
use super::words::row_of;
use super::{Exit, Printer};
use crate::error::Error;
use crate::report::{differences_text, write_diff_page};
use crate::results::{Change, Difference, RateSettings, differences, gather};
use crate::scene::one_of;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge diff runs/last-week runs/this-week --out diff.html
  meshjudge diff runs/last-week runs/this-week --generator ours --criterion overall --fail-if worse

For pairs, a generator's value on a prompt is its share of wins against the generators that both runs have, a tie counting half; for \
single objects, its mean score. The difference is taken prompt by prompt; its 95 % interval needs at least five prompts. Each interval \
is for its own line: if nothing has changed, about one line in twenty still says better or worse.")]
pub(super) struct DiffArgs {
    /// The earlier run
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,

    /// The later run
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,

    /// Only these generators [default: all that both runs have]
    #[arg(long, alias = "method", value_name = "NAME")]
    pub generator: Vec<String>,

    /// Only these criteria [default: all]
    #[arg(long, value_name = "KEY")]
    pub criterion: Vec<String>,

    /// Exit with code 1 if a printed line is worse, that is, its whole interval is below 0
    #[arg(long, value_name = "WHAT", value_enum)]
    pub fail_if: Option<FailIf>,

    /// Also write a page: what became better and worse, with links to the pairs in both reports
    #[arg(long, value_name = "FILE.html")]
    pub out: Option<PathBuf>,

    /// Compare even if pictures or texts differ within a run
    #[arg(long, help_heading = MORE)]
    pub mix_protocols: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailIf {
    Worse,
}

pub(super) fn run(args: &DiffArgs, printer: &Printer) -> Result<Exit, Error> {
    let settings = RateSettings { mixes_protocols: args.mix_protocols, ..RateSettings::default() };
    let mut before = gather(&runs(std::slice::from_ref(&args.before), printer))?;
    let mut after = gather(&runs(std::slice::from_ref(&args.after), printer))?;
    let mut found = differences(&mut before, &mut after, &settings)?;
    let known = |wanted: &[String], what: &str, of: fn(&Difference) -> &str| {
        let all: BTreeSet<&str> = found.iter().map(of).collect();
        let Some(name) = wanted.iter().find(|name| !all.contains(name.as_str())) else {
            return Ok(());
        };
        let known = one_of(name, all);
        Err(Error::usage(format!("the runs have no {what} {name:?} in common; {known}")))
    };
    known(&args.generator, "generator", |one| &one.method)?;
    known(&args.criterion, "criterion", |one| one.key.criterion())?;
    let is_wanted =
        |list: &[String], name: &str| list.is_empty() || list.iter().any(|it| it == name);
    found.retain(|d| {
        is_wanted(&args.generator, &d.method) && is_wanted(&args.criterion, d.key.criterion())
    });
    if found.is_empty() {
        return Err(Error::usage(
            "the runs have no generator, criterion, judge and prompt in common; prompts and generators are matched by name",
        ));
    }
    let rows = found.iter().map(|one| {
        let mut row = row_of("difference", one);
        row["change"] = json!(one.change());
        row["voice"] = one.key.voice.to_string().into();
        row
    });
    printer.show(differences_text(&found), rows);
    if let Some(path) = &args.out {
        let page = write_diff_page(&found, [&args.before, &args.after], path)?;
        write_file(path, page.as_bytes())?;
        printer.show(format!("page  {}", path.display()), []);
    }
    let fails = |one: &&Difference| args.fail_if.is_some() && one.change() == Change::Worse;
    for one in found.iter().filter(fails) {
        let (criterion, voice) = (one.key.criterion(), &one.key.voice);
        printer.fail(&format!("{} is worse on {criterion} ({voice})", one.method));
    }
    Ok(if found.iter().any(|one| fails(&one)) { Exit::SomeFailed } else { Exit::Done })
}
