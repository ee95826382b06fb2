//! `serve`: the report with its 3D views, and blind voting, on this machine only.

use super::global::LoadArgs;
use super::rating_args::RatingArgs;
use super::runs::refusal_of_parts;
use super::{Exit, Failure, Printer};
use crate::report::serve::{ServeSettings, serve};
use crate::rubric::{Kind, Rubric};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge serve runs/bench-2026-11-21T10-03-55
  meshjudge serve my-run --port 8000 --rubric my-rubric.toml

Only this machine can open the page. At /vote people compare assets without knowing who made them; each vote is stored in the run at
once, as the answer of a judge human:NAME. Ctrl-C stops the server.")]
pub(super) struct ServeArgs {
    /// The run's folder
    pub folder: PathBuf,

    /// Port to listen on [default, and for 0: 7878 or the next free one]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,

    /// Rubric file with the titles and descriptions that voters read; not needed for built-in rubrics
    #[arg(long, value_name = "FILE.toml")]
    pub rubric: Option<String>,

    #[command(flatten)]
    pub rating: RatingArgs,

    #[command(flatten)]
    pub load: LoadArgs,
}

pub(super) fn run(args: &ServeArgs, printer: &Printer) -> Result<Exit, Failure> {
    let rubric = args.rubric.as_deref().map(Rubric::open).transpose()?;
    if let Some(rubric) = rubric.as_ref().filter(|r| r.kind() != Kind::Pairwise) {
        return Err(format!(
            "people vote on pairs, and the rubric {:?} is not for two objects; give a pairwise rubric",
            rubric.name()
        )
        .into());
    }
    if let Some(refusal) = refusal_of_parts(&args.folder) {
        return Err(refusal.into());
    }
    let settings = ServeSettings {
        folder: args.folder.clone(),
        port: args.port.filter(|&port| port != 0),
        rubric,
        load: args.load.options(),
        rating: args.rating.settings(std::slice::from_ref(&args.folder))?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(settings, |url| {
        printer.result(&format!("report  {url}\nvote    {url}vote"));
        printer.row(&serde_json::json!({"kind": "serve", "url": url}));
        printer.note("Ctrl-C stops the server");
    }))?;
    Ok(Exit::Done)
}
