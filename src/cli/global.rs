//! Flags that several commands share, and their refusal in commands that do not use them.

use super::Printer;
use crate::ask::recorded_options;
use crate::error::Error;
use crate::front::RunPlace;
use crate::judge::Spec;
use crate::load::Options;
use crate::options::{LoadOptions, RATINGS, RendererChoice, Tuning, names};
use crate::render::{Notice, Renderer};
use crate::store::Store;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};
use std::path::PathBuf;

/// Heading of flags that are seldom needed and about nothing else.
pub(super) const MORE: &str = "More";

const OUTPUT: &str = "Output";

/// Flags of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = OUTPUT)]
pub(super) struct OutputArgs {
    /// Print rows as JSON, one object per line
    #[arg(long, global = true)]
    pub json: bool,

    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,

    /// Print help: -h the usual flags, --help all
    #[arg(long, short, global = true, action = clap::ArgAction::Help)]
    help: Option<bool>,
}

/// The folder for the run of a command that asks.
#[derive(Debug, Clone, Args)]
pub(super) struct RunArgs {
    /// Folder for the run [default: continue the latest run of this question, else start one]
    #[arg(long, value_name = "DIR")]
    pub run: Option<PathBuf>,

    /// Folder of runs; new ones are called COMMAND-TIME [default: runs]
    #[arg(long, value_name = "DIR", help_heading = MORE)]
    pub runs: Option<PathBuf>,
}

impl RunArgs {
    /// The run's folder, or the folder in which to look for it.
    pub(super) fn place(&self) -> RunPlace<'_> {
        match (&self.run, &self.runs) {
            (Some(folder), _) => RunPlace::Folder(folder),
            (None, Some(folder)) => RunPlace::Below(folder),
            (None, None) => RunPlace::default(),
        }
    }
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct RendererArgs {
    /// cpu (the same bytes on every machine), gpu, gpu:NAME with a part of its name, or auto (gpu
    /// if it works, else cpu)
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub renderer: RendererChoice,

    #[command(flatten)]
    pub threads: ThreadsArgs,
}

/// Read by [`start_threads`] before any command runs.
#[derive(Debug, Clone, Args)]
pub(super) struct ThreadsArgs {
    /// Threads for drawing and measuring [default: one per core]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// Headings that are about a command's purpose. `-h` leaves out the flags under other headings.
const PURPOSES: [(&str, &str); 5] = [
    ("render", "Pictures"),
    ("pair", "Pictures"),
    ("grid", "Pictures"),
    ("rate", RATINGS),
    ("serve", "Raters elsewhere"),
];

/// Leaves to `--help` what a first year does not need, and says how much that is.
pub(super) fn with_short_help(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let is_rare = |arg: &&Arg| {
        let heading = arg.get_help_heading();
        let is_purpose = |heading| PURPOSES.contains(&(name.as_str(), heading));
        arg.is_hide_short_help_set()
            || heading.is_some_and(|heading| heading != OUTPUT && !is_purpose(heading))
                && arg.get_id() != "up"
    };
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let rare: Vec<_> = shown.filter(is_rare).map(|arg| arg.get_id().clone()).collect();
    if rare.is_empty() {
        return command;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let more = format!("{after}\n\n--help prints all flags, {} more.", rare.len());
    let command = command.after_long_help(after).after_help(more.trim_start().to_owned());
    rare.iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide_short_help(true)))
}

/// Shared flags that some commands do not use: flag, and why such a command refuses it.
const SHARED: [(&str, &str); 7] = [
    ("run", "asks no judges, so it keeps no run"),
    ("runs", "asks no judges, so it keeps no run"),
    ("renderer", "draws nothing"),
    ("threads", "draws nothing"),
    ("up", "loads no assets"),
    ("front", "loads no assets"),
    ("normals", "loads no assets"),
];

/// Accepts the shared flags before the command too, as in 0.1.0, and hides them in commands that do
/// not use them, so that [`refuse_unused`] can say why.
pub(super) fn with_shared_flags(command: Command) -> Command {
    let command = SHARED
        .iter()
        .fold(command, |command, (id, _)| command.mut_arg(id, |arg| arg.global(true).hide(true)));
    // These have no effect before the command.
    let of_loading = ["mtl_tint", "points", "vertex_colors"];
    of_loading.iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(true)))
}

/// The command that the arguments name, with its own arguments and its name below the program's.
pub(super) fn command_of<'a>(
    root: &'a Command,
    matches: &'a ArgMatches,
) -> (&'a Command, &'a ArgMatches, String) {
    let (mut command, mut matches) = (root, matches);
    let mut name = String::new();
    while let Some((sub, of_sub)) = matches.subcommand() {
        command = command.find_subcommand(sub).unwrap_or(command);
        matches = of_sub;
        name = format!("{name} {sub}").trim_start().to_owned();
    }
    (command, matches, name)
}

/// Refuses a shared flag that was given to a command which does not use it, and a flag of models
/// where only `probe` is asked.
pub(super) fn refuse_unused(
    command: &Command,
    matches: &ArgMatches,
    name: &str,
) -> Result<(), clap::Error> {
    for (id, why) in SHARED {
        let is_used = command.get_arguments().any(|arg| arg.get_id() == id && !arg.is_hide_set());
        // A verb does not know the flags that its command has for itself.
        let is_known = matches.try_contains_id(id).is_ok();
        if !is_used && is_known && matches.value_source(id) == Some(ValueSource::CommandLine) {
            let message = format!("`{name}` {why}; leave out --{id}\n");
            return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message).with_cmd(command));
        }
    }
    // A benchmark has its judges in its file.
    let judges = matches.try_get_many::<Spec>("judge").ok().filter(|_| name != "bench");
    let asks_models = judges.is_none_or(|judges| {
        judges.is_some_and(|mut judges| judges.any(|judge| *judge != Spec::Probe))
    });
    let has = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    let is_typed =
        |id: &&&str| has(id) && matches.value_source(id) == Some(ValueSource::CommandLine);
    // Without effect on the built-in judge.
    let of_models =
        [names::<Tuning>(), &["base_url", "temperature", "logprobs", "header"]].concat();
    if let Some(id) = of_models.iter().find(is_typed).filter(|_| !asks_models) {
        let flag = id.replace('_', "-");
        let message = format!(
            "the judge is probe, which measures and is no model on a server; name a model with --judge, or leave out --{flag}\n"
        );
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, message).with_cmd(command));
    }
    Ok(())
}

/// Starts the threads that draw, if their number was given.
pub(super) fn start_threads(matches: &ArgMatches) {
    if let Ok(Some(&threads)) = matches.try_get_one::<u16>("threads") {
        // A process that has threads already, as a caller of the library may, keeps them.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
    }
}

/// The loaders' settings for the assets of a run: without an option, those of the run's pictures.
pub(super) fn load_settings_of(run: &Store, load: &LoadOptions) -> Result<Options, Error> {
    let protocol = run.newest_protocol()?;
    let recorded = protocol.as_deref().and_then(recorded_options);
    Ok(load.over(recorded.unwrap_or_default()))
}

impl RendererArgs {
    /// The renderer that the flag selects; what a card reports is printed.
    ///
    /// # Errors
    /// A card that cannot draw.
    pub(super) fn open(&self, printer: &Printer) -> Result<Renderer, Error> {
        let notice = || -> Notice {
            let printer = printer.clone();
            Box::new(move |line| printer.warn(line))
        };
        let opened = self.renderer.open(notice);
        let remedy = "leave out --renderer, or give --renderer cpu";
        opened.map_err(|e| Error::usage(format!("{e}; {remedy}")))
    }
}
