//! `rate`: turns the verdicts of runs into a leaderboard for each criterion, and means for one-object rubrics.
//!
//! Only verdicts are rated; other outcomes are counted. A criterion that a judge could not answer is not a game.

use super::rating_args::RatingArgs;
use super::runs::runs;
use super::{Exit, Failure, Printer};
use crate::rate::RateError;
use crate::report::{Detail, outcome_count, plural, plural_with, result_rows, results_text};
use crate::results::{
    JudgeReliability, RateSettings, Results, Unrated, UnratedReason, gather, outdated_text,
    reliability_of, results,
};
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

    /// Also print the sensitivity of each board's order to rules for draws, the prior, single prompts and judges, and circular wins; and each
    /// method's rating in each category of prompts
    #[arg(long)]
    pub diagnose: bool,

    #[command(flatten)]
    pub rating: RatingArgs,
}

pub(super) fn run(args: &RateArgs, printer: &Printer) -> Result<Exit, Failure> {
    let folders = runs(&args.folders, printer);
    let mut gathered = gather(&folders)?;
    if gathered.repeated > 0 {
        printer.note(&format!(
            "{} in more than one run and counted once",
            plural_with(gathered.repeated, "question", ["is", "are"])
        ));
    }
    if gathered.without_reply > 0 {
        printer.note(&format!(
            "{} no reply yet and left out",
            plural_with(gathered.without_reply, "question", ["has", "have"])
        ));
    }
    let settings = RateSettings {
        diagnoses: args.diagnose,
        ..args.rating.settings(&folders)?
    };
    let results = results(&mut gathered, &settings)?;
    if results.same_method > 0 {
        printer.note(&format!(
            "left out: {} that compare a method with itself",
            plural(results.same_method, "verdict")
        ));
    }
    let outdated = outdated_text(&results.outdated);
    if !outdated.is_empty() {
        printer.note(&outdated);
    }
    let rated = print_results(&results, Detail::Full, printer)?;
    print_reliability(&reliability_of(&folders), printer);
    Ok(rated)
}

/// The reliability of the judges, from the audits that the benchmark cites.
pub(super) fn print_reliability(reliability: &[JudgeReliability], printer: &Printer) {
    for JudgeReliability { judge, lines } in reliability {
        printer.row(&serde_json::json!({"kind": "worth", "judge": judge, "lines": lines}));
        printer.result(&format!("reliability of {judge}, from its audit"));
        for line in lines {
            printer.result(&format!("  {line}"));
        }
        printer.result("");
    }
}

/// Criteria without a board, by their rubric, voice and reason, so that each reason is printed once.
struct ByReason<'a>(Vec<(&'a str, String, Vec<&'a str>)>);

impl<'a> ByReason<'a> {
    fn add(&mut self, unrated: &'a Unrated, by: String) {
        let (rubric, criterion) = (unrated.rubric.as_str(), unrated.criterion.as_str());
        let mut known = self.0.iter_mut();
        match known.find(|known| known.0 == rubric && known.1 == by) {
            Some((.., criteria)) => criteria.push(criterion),
            None => self.0.push((rubric, by, vec![criterion])),
        }
    }

    fn sentences(&self) -> Vec<String> {
        let sentence = |(rubric, by, criteria): &(&str, String, Vec<&str>)| {
            let verb = if criteria.len() == 1 { "is" } else { "are" };
            format!(
                "{} ({rubric}) {verb} not rated by {by}",
                criteria.join(", ")
            )
        };
        self.0.iter().map(sentence).collect()
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
) -> Result<Exit, Failure> {
    let text = results_text(results, detail);
    if !text.is_empty() {
        printer.result(text.strip_suffix('\n').unwrap_or(&text));
    }
    let [mut failed, mut not_yet, mut undecided] = [const { ByReason(Vec::new()) }; 3];
    for unrated in &results.unrated {
        let (voice, reason) = (&unrated.voice, &unrated.reason);
        match reason {
            UnratedReason::Undecided { .. } => {
                undecided.add(unrated, format!("{voice}: {reason}"));
            }
            // Voting starts with a few pairs.
            UnratedReason::Rate(_) if voice.is_human() => {
                not_yet.add(unrated, format!("{voice} yet: {reason}"));
            }
            // Pairs that `probe` left undecided can leave methods without a common opponent, which needs no remedy.
            UnratedReason::Rate(RateError::Disconnected { .. }) if voice.is_measured() => {
                let voice = format!("{voice}, which left pairs undecided: {reason}");
                undecided.add(unrated, voice);
            }
            UnratedReason::Rate(_) => failed.add(unrated, format!("{voice}: {reason}")),
        }
    }
    for note in undecided.sentences() {
        printer.note(&note);
    }
    let (mut failed, mut not_yet) = (failed.sentences(), not_yet.sentences());
    if results.boards.is_empty()
        && results.means.is_empty()
        && let Some(last) = failed.pop().or_else(|| not_yet.pop())
    {
        return Err(last.into());
    }
    for row in result_rows(results) {
        printer.row(&row);
    }
    for note in &not_yet {
        printer.note(note);
    }
    for failure in &failed {
        printer.fail(failure);
    }
    let counts = results.outcomes.iter().map(|(o, n)| outcome_count(*n, o));
    let counts: Vec<String> = counts.collect();
    printer.result(&format!("questions: {}", counts.join(", ")));
    Ok(if failed.is_empty() {
        Exit::Done
    } else {
        Exit::SomeFailed
    })
}
