//! `place`: a new generator among published scores that stay fixed.

use super::runs::runs;
use super::words::row_of;
use super::{Exit, Printer};
use crate::error::Error;
use crate::exchange::{place_among, read_published};
use crate::options::{Ties, bootstraps, choice};
use crate::rate::Draws;
use crate::report::plural;
use crate::results::{RateSettings, gather};
use crate::rubric::Rubric;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Example:
  meshjudge place runs/bench-2026-11-21T10-03-55 --generator ours --scores config.json

The published scores stay fixed, and a draw is a win for both, as in GPTEval3D. Games are the same as in `rate`: both orders \
of a pair are one game. Each judge places the generator separately, and so do people. SCORES is \
GPTEval3D's config.json, or {\"criteria\": [\"overall\"], \"scores\": [{\"dreamfusion\": 1000.0, …}]}.")]
pub(super) struct PlaceArgs {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    pub folders: Vec<PathBuf>,

    /// The generator to place
    #[arg(long, alias = "method", value_name = "NAME")]
    pub generator: String,

    /// File of published scores (form below)
    #[arg(long, value_name = "SCORES")]
    pub scores: PathBuf,

    /// How a tie counts; davidson is treated as half
    #[arg(long, value_name = "RULE", default_value = "both-win", value_parser = choice::<Ties>())]
    pub ties: Ties,

    /// Bootstrap samples; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = bootstraps)]
    pub bootstraps: u32,

    /// Random seed of the bootstrap
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

pub(super) fn run(args: &PlaceArgs, printer: &Printer) -> Result<Exit, Error> {
    let rubric = Rubric::open("pairwise")?;
    let keys: Vec<String> = rubric.criteria(None).iter().map(|c| c.key.clone()).collect();
    let published = read_published(&args.scores, &keys)?;
    let settings = RateSettings { mixes_protocols: true, ..RateSettings::default() };
    let played = gather(&runs(&args.folders, printer))?.played(&settings)?;
    let draws = match args.ties {
        Ties::BothWin => Draws::BothWin,
        Ties::Half | Ties::Davidson => Draws::Half,
    };
    let (placements, failed) = place_among(
        &played,
        &args.generator,
        &published,
        draws,
        args.bootstraps as usize,
        args.seed,
    )?;
    for placed in &placements {
        let mut row = row_of("placement", placed);
        row["method"] = args.generator.clone().into();
        row["voice"] = placed.voice.to_string().into();
        let interval = placed
            .interval
            .map_or(String::new(), |i| format!(" (95 % {:.0} to {:.0})", i.low, i.high));
        let text = format!(
            "{} by {}: {} has {:.1}{interval}, rank {} of {}, from {} on {}",
            placed.criterion,
            placed.voice,
            args.generator,
            placed.rating,
            placed.rank,
            placed.of,
            plural(placed.games, "game"),
            plural(placed.prompts, "prompt")
        );
        printer.show(text, [row]);
    }
    if let Some(placed) = placements.iter().find(|placed| placed.unknown > 0) {
        printer.note(&format!(
            "{} left out: the opponent has no published score",
            plural(placed.unknown, "game")
        ));
    }
    for (criterion, reason) in &failed {
        printer.fail(&format!("{criterion}: {reason}"));
    }
    Ok(if failed.is_empty() { Exit::Done } else { Exit::SomeFailed })
}
