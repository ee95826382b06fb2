//! The command line: flags → settings → library → print. The only place that prints.

mod asking;
mod audit;
mod bench;
mod bench_init;
mod check;
mod compare;
mod completions;
mod config;
mod convert;
mod damage;
mod diff;
mod doctor;
mod draw_args;
mod exit;
mod export;
mod facts_table;
mod global;
mod import;
mod inspect;
mod inspect_splats;
mod judge_args;
mod man;
mod measure;
mod measure_features;
mod measure_text;
mod photo_args;
mod place;
mod plan_text;
mod printer;
mod rate;
mod raters;
mod rating_args;
mod recover;
mod render;
mod report;
mod runs;
mod sample;
mod score;
mod serve;
mod settings;
mod sheet;
mod signals;
mod text_args;
mod watch;
mod words;

pub(crate) use exit::Exit;
pub(crate) use printer::Printer;

use crate::error::Error;
use settings::Settings;

use crate::bench::OpenCluster;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

const ABOUT: &str = "Which 3D asset is better, and how sure are we?

meshjudge renders meshes without a display, shows the pictures and a rubric to a judge, and stores every verdict with its evidence.";

const AFTER_HELP: &str = "Examples:
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\"     which of two assets is better
  meshjudge render chair.glb --out pictures                    twelve views of an asset, colour and normals
  meshjudge sheet pair a.glb b.glb --out pair.png              the picture that a pairwise judge sees

`meshjudge COMMAND -h` prints the usual flags of a command, with examples, and `--help` all of them.";

#[derive(Debug, Parser)]
#[command(
    name = "meshjudge",
    version,
    about = ABOUT,
    after_help = AFTER_HELP,
    arg_required_else_help = true,
    disable_help_flag = true,
    max_term_width = 100
)]
struct Cli {
    #[command(flatten)]
    output: global::OutputArgs,
    #[command(flatten)]
    run: global::RunArgs,
    #[command(flatten)]
    renderer: global::RendererArgs,
    #[command(flatten)]
    load: crate::options::LoadOptions,
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Render standard views of assets as PNG files
    Render(render::RenderArgs),
    /// Compose the exact pictures that a rubric shows a judge
    Sheet(sheet::SheetArgs),
    /// Print measured facts of assets: size, holes, pieces, noise, textures
    Inspect(inspect::InspectArgs),
    /// Check assets against limits: for games, the web, shops, printers
    Check(check::CheckArgs),
    /// Measure assets or pictures against references: Chamfer, F-score, IoU, PSNR, SSIM
    Measure(measure::MeasureArgs),
    /// Draw points on an asset's surface, with normals and colours
    Sample(sample::SampleArgs),
    /// Convert Gaussian splats to another encoding
    Convert(convert::ConvertArgs),
    /// Ask which of two assets is better, in both orders
    Compare(compare::CompareArgs),
    /// Ask how good one asset or picture is
    Score(score::ScoreArgs),
    /// Measure how reliable a judge is, on pairs whose right answer is known
    Audit(audit::AuditArgs),
    /// Damage an asset in a known way, as audits do
    Damage(damage::DamageArgs),
    /// Run a whole benchmark of generators: generate, render, judge, rate, report
    Bench(bench::BenchArgs),
    /// Rate generators from the verdicts of runs, with intervals
    Rate(rate::RateArgs),
    /// Compare two runs prompt by prompt
    Diff(diff::DiffArgs),
    /// Import people's votes and ratings, GPTEval3D's results, or another run
    Import(import::ImportArgs),
    /// Place a generator among published scores
    Place(place::PlaceArgs),
    /// Write a page with pictures, plots and every verdict, or the boards as a file
    Report(report::ReportArgs),
    /// Open a run in the browser: every verdict with 3D views, and blind voting
    Serve(serve::ServeArgs),
    /// Invite raters, revoke invitations, and list what each rater did
    Raters(raters::RatersArgs),
    /// Rebuild a run's database from its journal
    Recover(recover::RecoverArgs),
    /// Write the questions and verdicts of a run as rows
    Export(export::ExportArgs),
    /// Print the capabilities of this build and machine
    Doctor,
    /// Print your settings and their sources
    Config(config::ConfigArgs),
    /// Print a script that completes commands and flags in a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(man::ManArgs),
}

/// Flags of earlier versions in whose place verbs are: command, flag, verb.
const OLD_FLAGS: [(&str, &str, &str); 4] = [
    ("audit", "--compare", "compare"),
    ("bench", "--init", "init"),
    ("bench", "--schema", "schema"),
    ("damage", "--list", "list"),
];

/// The arguments with the verb in the place of such a flag, since scripts may have it.
fn with_verbs(mut args: Vec<OsString>) -> Vec<OsString> {
    for (command, flag, verb) in OLD_FLAGS {
        let at = |word: &str| args.iter().position(|arg| arg == word);
        if let (Some(command), Some(flag)) = (at(command), at(flag))
            && command < flag
        {
            args.remove(flag);
            args.insert(command + 1, verb.into());
        }
    }
    args
}

/// Commands about one file or run, which a benchmark does not need.
const TOOLS: [&str; 5] = ["sample", "convert", "damage", "place", "recover"];

/// The program with its help: commands and tools apart, variables, and `-h` shorter than `--help`.
fn program_with_help() -> Command {
    let program = settings::with_variables(global::with_shared_flags(program()));
    let program = settings::with_each_command(program, &global::with_short_help);
    let head = program.get_styles().get_header();
    let listed = |title: &str, are_tools: bool| {
        let mut out = format!("{head}{title}:{head:#}\n");
        let all = program.get_subcommands();
        for one in all.filter(|one| TOOLS.contains(&one.get_name()) == are_tools) {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            out += &format!("  {:<11}  {about}\n", one.get_name());
        }
        out
    };
    let [commands, tools] = [listed("Commands", false), listed("Tools", true)];
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}\n{tools}\n{head}Options:{head:#}\n{{options}}{{after-help}}"
    );
    program.help_template(template)
}

fn program() -> Command {
    // Its own `--points` is a number; the loader's has no effect on surfaces.
    Cli::command().mut_subcommand("sample", |sample| {
        sample.mut_arg("points", |arg| arg.long("points-of-files"))
    })
}

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    ExitCode::from(run(std::env::args_os(), None))
}

/// Runs the program with these arguments, the first of which is its name, and returns its exit
/// code. Without `open_cluster`, a benchmark that names one is refused.
pub fn run(args: impl IntoIterator<Item = OsString>, open_cluster: Option<&OpenCluster<'_>>) -> u8 {
    let program = program_with_help();
    let settings = Settings::read(&program, |name| std::env::var_os(name));
    let parsed = match &settings {
        Ok(settings) => parse(args, program, settings),
        // Help is printed whatever the settings.
        Err(_) => parse(args, program, &Settings::default()),
    };
    let (cli, command) = match parsed {
        Ok(parsed) => parsed,
        Err(e) => {
            // Help that cannot be printed is a failure; a usage error on a closed standard error
            // cannot be reported.
            if let (Err(reason), false) = (e.print(), e.use_stderr()) {
                printer::end_without_stdout(&reason);
            }
            return u8::try_from(e.exit_code()).unwrap_or(Exit::Nothing.code());
        }
    };
    let printer = Printer::new(cli.output.quiet, cli.output.json, command);
    // From here on, signals end the program in order.
    signals::switch();
    let result = match settings {
        Ok(settings) => run_command(&cli.command, &settings, open_cluster, &printer),
        Err(e) => Err(e),
    };
    let exit = result.unwrap_or_else(|failure| {
        printer.error(&failure);
        Exit::of_error(&failure)
    });
    signals::code().unwrap_or(exit.code())
}

/// The arguments with the settings as defaults, and the command that they name; as many threads as
/// they say are started.
fn parse(
    args: impl IntoIterator<Item = OsString>,
    program: Command,
    settings: &Settings,
) -> Result<(Cli, Command), clap::Error> {
    let args = with_verbs(args.into_iter().collect());
    let mut command = settings.lay_into(program.clone());
    let mut matches = command.try_get_matches_from_mut(&args)?;
    let (command, own, name) = global::command_of(&command, &matches);
    global::refuse_unused(command, own, &name)?;
    global::start_threads(own);
    let (command, fewer) = (command.clone(), settings.beside(own));
    if let Some(fewer) = fewer {
        matches = fewer.lay_into(program).try_get_matches_from(args)?;
    }
    Ok((Cli::from_arg_matches(&matches)?, command))
}

fn run_command(
    command: &Subcommands,
    settings: &Settings,
    open_cluster: Option<&OpenCluster<'_>>,
    printer: &Printer,
) -> Result<Exit, Error> {
    match command {
        Subcommands::Render(args) => render::run(args, printer),
        Subcommands::Sheet(args) => sheet::run(args, printer),
        Subcommands::Inspect(args) => inspect::run(args, printer),
        Subcommands::Check(args) => check::run(args, printer),
        Subcommands::Measure(args) => measure::run(args, printer),
        Subcommands::Sample(args) => sample::run(args, printer),
        Subcommands::Convert(args) => convert::run(args, printer),
        Subcommands::Compare(args) => compare::run(args, printer),
        Subcommands::Score(args) => score::run(args, printer),
        Subcommands::Audit(args) => audit::run(args, printer),
        Subcommands::Damage(args) => damage::run(args, printer),
        Subcommands::Bench(args) => bench::run(args, open_cluster, printer),
        Subcommands::Rate(args) => rate::run(args, printer),
        Subcommands::Diff(args) => diff::run(args, printer),
        Subcommands::Import(args) => import::run(args, printer),
        Subcommands::Place(args) => place::run(args, printer),
        Subcommands::Report(args) => report::run(args, printer),
        Subcommands::Serve(args) => serve::run(args, printer),
        Subcommands::Raters(args) => raters::run(args, printer),
        Subcommands::Recover(args) => recover::run(args, printer),
        Subcommands::Export(args) => export::run(args, printer),
        Subcommands::Doctor => doctor::run(printer),
        Subcommands::Config(args) => config::run(args, settings, printer),
        Subcommands::Completions(args) => completions::run(args, program(), printer),
        Subcommands::Man(args) => man::run(args, program_with_help(), printer),
    }
}
