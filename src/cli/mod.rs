//! The command line: arguments → settings → stages. The only place that prints.

mod ask_args;
mod audit;
mod audit_tell;
mod bench;
mod choice;
mod compare;
mod damage;
mod doctor;
mod draw_args;
mod exit;
mod export;
mod global;
mod hint;
mod import;
mod inspect;
mod judge_args;
mod place;
mod plan_tell;
mod printer;
mod rate;
mod rate_tell;
mod rating_args;
mod recover;
mod render;
mod report;
mod score;
mod serve;
mod sheet;

pub(crate) use global::Global;
pub(crate) use printer::Printer;

pub(crate) use exit::{Exit, Failure};

use clap::{Parser, Subcommand};
use std::process::ExitCode;

const LONG_ABOUT: &str = "Which 3D asset is better, and how sure are we?

meshjudge draws meshes without a display, puts the pictures and a rubric to a judge, and keeps every verdict with its evidence.";

const AFTER_HELP: &str = "Examples:
  meshjudge compare a.glb b.glb --prompt \"a wooden chair\"     which of two assets is better
  meshjudge render chair.glb --out pictures                    twelve views of an asset, colour and normals
  meshjudge sheet pair a.glb b.glb --out pair.png              the picture that a pairwise judge sees

`meshjudge COMMAND --help` has more, with an example each.";

#[derive(Debug, Parser)]
#[command(
    name = "meshjudge",
    version,
    about = "Which 3D asset is better, and how sure are we?",
    long_about = LONG_ABOUT,
    after_help = AFTER_HELP,
    arg_required_else_help = true,
    max_term_width = 100
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Draw standard views of assets as PNG files
    Render(render::RenderArgs),
    /// Compose the exact pictures that a rubric shows a judge
    Sheet(sheet::SheetArgs),
    /// Measured facts of assets: size, holes, pieces, noise, textures
    Inspect(inspect::InspectArgs),
    /// Ask which of two assets is better, in both orders
    Compare(compare::CompareArgs),
    /// Ask how good one asset or picture is
    Score(score::ScoreArgs),
    /// How reliable is a judge? Pairs whose right answer is known
    Audit(audit::AuditArgs),
    /// Damage an asset in a known way: what judges are tried with
    Damage(damage::DamageArgs),
    /// Run a whole benchmark of generators: generate, render, judge, rate, report
    Bench(bench::BenchArgs),
    /// Rate methods from the verdicts of runs, with intervals
    Rate(rate::RateArgs),
    /// Take in people's votes and ratings, GPTEval3D's results, another run
    Import(import::ImportArgs),
    /// Place a new method among published scores
    Place(place::PlaceArgs),
    /// Write a page with pictures, plots and every verdict, or the boards as a file
    Report(report::ReportArgs),
    /// Open a run in the browser: every verdict with 3D views, and blind voting
    Serve(serve::ServeArgs),
    /// Build a run's database again from its journal
    Recover(recover::RecoverArgs),
    /// Write the rows of a run
    Export(export::ExportArgs),
    /// Say what this build and machine can do
    Doctor(doctor::DoctorArgs),
}

/// Runs the program with the process's arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let printer = Printer::new(cli.global.quiet, cli.global.json);
    let result = match &cli.command {
        Command::Render(args) => render::run(args, &cli.global, &printer),
        Command::Sheet(args) => sheet::run(args, &cli.global, &printer),
        Command::Inspect(args) => inspect::run(args, &cli.global, &printer),
        Command::Compare(args) => compare::run(args, &cli.global, &printer),
        Command::Score(args) => score::run(args, &cli.global, &printer),
        Command::Audit(args) => audit::run(args, &cli.global, &printer),
        Command::Damage(args) => damage::run(args, &cli.global, &printer),
        Command::Bench(args) => bench::run(args, &cli.global, &printer),
        Command::Rate(args) => rate::run(args, &cli.global, &printer),
        Command::Import(args) => import::run(args, &cli.global, &printer),
        Command::Place(args) => place::run(args, &cli.global, &printer),
        Command::Report(args) => report::run(args, &cli.global, &printer),
        Command::Serve(args) => serve::run(args, &cli.global, &printer),
        Command::Recover(args) => recover::run(args, &cli.global, &printer),
        Command::Export(args) => export::run(args, &cli.global, &printer),
        Command::Doctor(args) => doctor::run(args, &cli.global, &printer),
    };
    let exit = result.unwrap_or_else(|failure| {
        printer.error(failure.as_ref());
        Exit::Nothing
    });
    ExitCode::from(exit.code())
}
