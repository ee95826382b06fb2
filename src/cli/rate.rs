//! `rate`: the verdicts of runs → a leaderboard for each criterion, and means for one-object rubrics.
//!
//! Only verdicts are rated; what ended otherwise is counted. A criterion that a judge could not answer is no game.

use super::rate_tell::{
    tell_agreement, tell_board, tell_making, tell_means, tell_outcomes, tell_people,
    tell_side_by_side,
};
use super::rating_args::RatingArgs;
use super::{Exit, Failure, Global, Printer};
use crate::results::{
    CriterionBoard, JudgeReliability, Results, Unrated, Voice, gather, reliability_of, results,
};
use clap::Args;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Arguments of `rate`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge rate runs/compare-2026-11-21T10-03-55
  meshjudge rate run-a run-b --anchor dreamfusion --ties both-win --no-prior
  meshjudge rate run-a --json

Both orders of a question are one game. What agrees counts; orders that differ count as a draw and stand in their own column.
Intervals come from prompts drawn with replacement, so they need at least five prompts.")]
pub(super) struct RateArgs {
    /// Folders of runs; a question that several of them hold counts once
    #[arg(required = true, value_name = "RUN")]
    pub folders: Vec<PathBuf>,

    /// How verdicts become ratings.
    #[command(flatten)]
    pub rating: RatingArgs,
}

/// Runs the command.
///
/// # Errors
/// A folder that is no run, mixed protocols, nothing to rate.
pub(super) fn run(args: &RateArgs, _global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let mut gathered = gather(&args.folders)?;
    if gathered.repeated > 0 {
        printer.note(&format!(
            "{} questions stand in more than one run and count once",
            gathered.repeated
        ));
    }
    if gathered.without_reply > 0 {
        printer.note(&format!(
            "{} questions have no reply yet and are left out",
            gathered.without_reply
        ));
    }
    let results = results(&mut gathered, &args.rating.settings(&args.folders)?)?;
    if results.same_method > 0 {
        printer.note(&format!(
            "{} verdicts set a method against itself and are left out",
            results.same_method
        ));
    }
    let rated = tell(&results, printer)?;
    tell_reliability(&reliability_of(&args.folders), printer);
    Ok(rated)
}

/// What the judges are worth, where the benchmark cites an audit.
pub(super) fn tell_reliability(reliability: &[JudgeReliability], printer: &Printer) {
    for JudgeReliability { judge, lines } in reliability {
        printer.row(&serde_json::json!({"kind": "worth", "judge": judge, "lines": lines}));
        printer.result(&format!("reliability of {judge}, by its audit"));
        for line in lines {
            printer.result(&format!("  {line}"));
        }
        printer.result("");
    }
}

/// The board that says most in full, the others side by side: what a benchmark ends with.
pub(super) fn tell_short(results: &Results, printer: &Printer) -> Result<Exit, Failure> {
    if printer.is_json() || results.boards.len() < 2 {
        return tell(results, printer);
    }
    let names_voices = results.spending.len() > 1;
    let voices: BTreeSet<&Voice> = results.boards.iter().map(|board| &board.voice).collect();
    let rubrics: BTreeSet<&String> = results.boards.iter().map(|board| &board.rubric).collect();
    for rubric in rubrics {
        for voice in &voices {
            let boards: Vec<&CriterionBoard> = (results.boards.iter())
                .filter(|board| board.voice == **voice && board.rubric == *rubric)
                .collect();
            let overall = boards.iter().find(|board| board.criterion == "overall");
            if let Some(main) = overall.or(boards.first()) {
                tell_board(main, names_voices, printer);
                tell_side_by_side(main, &boards, printer);
            }
        }
    }
    tell_rest(results, names_voices, printer)
}

/// Every criterion's table; one that cannot be rated is named and the others go on.
pub(super) fn tell(results: &Results, printer: &Printer) -> Result<Exit, Failure> {
    let names_voices = results.spending.len() > 1;
    for board in &results.boards {
        tell_board(board, names_voices, printer);
    }
    tell_rest(results, names_voices, printer)
}

/// Everything beside the boards.
fn tell_rest(results: &Results, names_voices: bool, printer: &Printer) -> Result<Exit, Failure> {
    for means in &results.means {
        tell_means(means, names_voices, printer);
    }
    tell_agreement(&results.agreement, printer);
    tell_people(&results.people, printer);
    tell_making(&results.making, printer);
    let mut failed = Vec::new();
    for unrated in &results.unrated {
        let Unrated {
            rubric,
            criterion,
            voice,
            reason,
        } = unrated;
        if reason.starts_with("undecided") {
            printer.note(&format!(
                "{criterion} ({rubric}): {reason} of {voice}, so not rated"
            ));
        } else {
            failed.push(format!("{criterion} ({rubric}) is not rated: {reason}"));
        }
    }
    if results.boards.is_empty()
        && results.means.is_empty()
        && let Some(last) = failed.pop()
    {
        return Err(last.into());
    }
    for failure in &failed {
        printer.error(Failure::from(failure.clone()).as_ref());
    }
    tell_outcomes(&results.outcomes, printer);
    Ok(if failed.is_empty() {
        Exit::Done
    } else {
        Exit::SomeFailed
    })
}
