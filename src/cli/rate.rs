//! `rate`: verdicts of runs → leaderboards by criterion, means for one-object rubrics.
//!
//! Only verdicts are rated; other outcomes are counted. An unanswered criterion is not a game.

use super::rating_args::RatingArgs;
use super::runs::runs;
use super::{Exit, Printer};
use crate::error::Error;
use crate::report::{
    Detail, UnratedSentences, left_out_sentences, outcome_count, result_rows, results_text,
    unrated_sentences,
};
use crate::results::{JudgeReliability, RateSettings, Results, gather, reliability_of, results};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge rate runs/compare-2026-11-21T10-03-55
  meshjudge rate run-a run-b --anchor dreamfusion --ties both-win --no-prior
  meshjudge rate run-a --anchor people --diagnose
  meshjudge rate run-a --control triangles,file_bytes
  meshjudge rate run-a --json

Both orders of a question are one game. If they disagree, the game is a draw, counted in the column `inconsistent`. \
Intervals come from a bootstrap over prompts, so they need at least five prompts.")]
pub(super) struct RateArgs {
    /// Run folders, or the folder of a run's shards; a question in several of them counts once
    #[arg(required = true, value_name = "RUN")]
    pub folders: Vec<PathBuf>,

    /// Also print the sensitivity of each board's order to rules for draws, the prior, single
    /// prompts and judges, and circular wins; and each generator's rating in each category
    #[arg(long)]
    pub diagnose: bool,

    #[command(flatten)]
    pub rating: RatingArgs,
}

pub(super) fn run(args: &RateArgs, printer: &Printer) -> Result<Exit, Error> {
    let folders = runs(&args.folders, printer);
    let mut gathered = gather(&folders)?;
    let settings = RateSettings { diagnoses: args.diagnose, ..args.rating.settings(&folders)? };
    let results = results(&mut gathered, &settings)?;
    left_out_sentences(&gathered, &results).iter().for_each(|note| printer.note(note));
    let rated = print_results(&results, Detail::Full, printer)?;
    print_reliability(&reliability_of(&folders), printer);
    Ok(rated)
}

/// The reliability of the judges, from the audits that the benchmark cites.
pub(super) fn print_reliability(reliability: &[JudgeReliability], printer: &Printer) {
    for JudgeReliability { judge, lines } in reliability {
        let row = serde_json::json!({"kind": "worth", "judge": judge, "lines": lines});
        let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        printer.show(format!("reliability of {judge}, from its audit\n{lines}\n"), [row]);
    }
}

/// Prints boards, means and agreement, and the criteria that cannot be rated.
///
/// # Errors
/// Nothing can be rated.
pub(super) fn print_results(
    results: &Results,
    detail: Detail,
    printer: &Printer,
) -> Result<Exit, Error> {
    let UnratedSentences { undecided, mut not_yet, mut failed } =
        unrated_sentences(results, str::to_owned);
    let is_empty = results.boards.is_empty() && results.means.is_empty();
    let nothing = is_empty.then(|| failed.pop().or_else(|| not_yet.pop())).flatten();
    let rows = if nothing.is_none() { result_rows(results) } else { Vec::new() };
    printer.show(results_text(results, detail), rows);
    undecided.iter().for_each(|note| printer.note(note));
    if let Some(reason) = nothing {
        return Err(Error::run(reason));
    }
    not_yet.iter().for_each(|note| printer.note(note));
    failed.iter().for_each(|failure| printer.fail(failure));
    let counts: Vec<String> = results.outcomes.iter().map(|(o, n)| outcome_count(*n, o)).collect();
    if !counts.is_empty() {
        printer.show(format!("questions: {}", counts.join(", ")), []);
    }
    Ok(if failed.is_empty() { Exit::Done } else { Exit::SomeFailed })
}
