//! `import`: people's votes and ratings, GPTEval3D's results, another run → verdicts of a run.

use super::{Exit, Failure, Printer};
use crate::exchange::{RatingsBy, read_gpteval3d, read_ratings, read_votes, votes};
use crate::rubric::{Kind, Rubric};
use crate::store::Store;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge import runs/bench-2026-11-21T10-03-55 --votes votes.csv
  meshjudge import people --ratings stanfordt23d.json --criterion text_asset_alignment
  meshjudge import people --ratings stanfordt23d.json --criterion text_asset_alignment --by rater
  meshjudge import ours --gpteval3d comparisons/full/comparisons.json
  meshjudge import ours --from runs/another

votes     CSV with a header, or .jsonl: prompt,a,b,criterion,vote,rater; the vote is a, b or tie; prompt is a text or an id of the run
ratings   CSV or .jsonl: prompt,method,score,rater,criterion; or .json: {\"0\": {\"prompt\": …, \"models\": {\"method\": [scores]}}}
gpteval3d comparisons.json or answered.json of GPTEval3D's own package

People's votes appear as judges named human:RATER, GPTEval3D's answers as imported:gpteval3d. `meshjudge rate` then shows how far they
agree.")]
pub(super) struct ImportArgs {
    /// The run's folder; created if it does not exist
    pub folder: PathBuf,

    /// People's votes on pairs
    #[arg(long, value_name = "FILE")]
    pub votes: Vec<PathBuf>,

    /// People's ratings of single assets; the higher of two wins
    #[arg(long, value_name = "FILE")]
    pub ratings: Vec<PathBuf>,

    /// Compare the mean over raters (one vote a pair), or each rater's own ratings (to measure their agreement)
    #[arg(long, value_enum, default_value_t)]
    pub by: By,

    /// The criterion of ratings whose file names none
    #[arg(long, value_name = "KEY", default_value = "overall")]
    pub criterion: String,

    /// Results of GPTEval3D
    #[arg(long, value_name = "FILE")]
    pub gpteval3d: Vec<PathBuf>,

    /// Another run: its questions, replies, verdicts and pictures
    #[arg(long, value_name = "RUN")]
    pub from: Vec<PathBuf>,

    /// The rubric that the votes answer
    #[arg(long, value_name = "RUBRIC", default_value = "pairwise")]
    pub rubric: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum By {
    #[default]
    Mean,
    Rater,
}

pub(super) fn run(args: &ImportArgs, printer: &Printer) -> Result<Exit, Failure> {
    let files = [&args.votes, &args.ratings, &args.gpteval3d, &args.from];
    if files.iter().all(|list| list.is_empty()) {
        return Err(
            "there is nothing to import; give --votes, --ratings, --gpteval3d or --from".into(),
        );
    }
    let rubric = Rubric::open(&args.rubric)?;
    if rubric.kind() != Kind::Pairwise {
        return Err(format!(
            "votes are about pairs, and the rubric {:?} is not",
            rubric.name()
        )
        .into());
    }
    let by = match args.by {
        By::Mean => RatingsBy::Mean,
        By::Rater => RatingsBy::Rater,
    };
    // Everything is read before anything is written.
    let mut read = Vec::new();
    for path in &args.votes {
        read.push((path, read_votes(path)?));
    }
    for path in &args.ratings {
        read.push((path, read_ratings(path, by, &args.criterion)?));
    }
    for path in &args.gpteval3d {
        read.push((path, read_gpteval3d(path, rubric.criteria(None))?));
    }
    for (path, said) in &read {
        let known = rubric.criteria(None);
        let unknown = said
            .iter()
            .find(|s| known.iter().all(|c| c.key != s.criterion));
        if let Some(said) = unknown {
            let keys: Vec<&str> = known.iter().map(|c| c.key.as_str()).collect();
            return Err(format!(
                "{:?} is not a criterion of the rubric {:?}, which has {}: {path:?}",
                said.criterion,
                rubric.name(),
                keys.join(", ")
            )
            .into());
        }
    }
    let mut store = Store::open(&args.folder)?;
    let made = store.made()?;
    for (path, said) in &read {
        let votes = votes(said, &rubric, &made, &name(path));
        store.keep_votes(&votes)?;
        let judges: std::collections::BTreeSet<&str> =
            votes.iter().map(|v| v.judge.as_str()).collect();
        let ties = said
            .iter()
            .filter(|s| s.winner == crate::rubric::Winner::Tie)
            .count();
        let decided = said.len() - ties;
        printer.row(&serde_json::json!({
            "kind": "imported", "file": name(path), "said": said.len(), "decided": decided, "ties": ties, "votes": votes.len(), "judges": judges.len(),
        }));
        printer.result(&format!(
            "{}: {decided} decided and {ties} tied, by {} judge{}",
            name(path),
            judges.len(),
            if judges.len() == 1 { "" } else { "s" }
        ));
    }
    for folder in &args.from {
        let count = store.copy_from(folder)?;
        printer
            .row(&serde_json::json!({"kind": "copied", "run": name(folder), "questions": count}));
        printer.result(&format!("{}: {count} questions copied", folder.display()));
    }
    printer.result(&format!("run     {}", args.folder.display()));
    Ok(Exit::Done)
}

fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy())
        .into_owned()
}
