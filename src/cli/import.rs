//! `import`: adds people's votes and ratings, GPTEval3D's results, or another run to a run.

use super::judge_args::warn_of_batches;
use super::runs::runs;
use super::words::{name_of, some_of};
use super::{Exit, Printer};
use crate::error::Error;
use crate::exchange::{
    ANYBODY, Conflict, EarlierVotes, ImportedAnswer, RatingsBy, UnknownMethod, file_hash,
    ratings_as_votes, read_gpteval3d, read_ratings, read_votes, votes,
};
use crate::options::choice;
use crate::report::{plural, plural_with};
use crate::results::Counting;
use crate::rubric::{Rubric, Winner};
use crate::scene::one_of;
use crate::store::{Made, Opinion, OpinionsKept, Store, Vote};
use clap::Args;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge import runs/bench-2026-11-21T10-03-55 --votes votes.csv
  meshjudge import people --ratings stanfordt23d.json --criterion text_asset_alignment
  meshjudge import people --ratings stanfordt23d.json --criterion text_asset_alignment --by rater
  meshjudge import ours --gpteval3d comparisons/full/comparisons.json
  meshjudge import ours --from runs/another
  meshjudge import runs/bench-2026-11-21T10-03-55 --ratings labels.csv --rubric defects

votes     CSV with a header, or .jsonl: prompt,a,b,criterion,vote,rater; the vote is a, b, tie or
          both_bad; prompt is a text or an id of the run
ratings   CSV or .jsonl: prompt,method,score,rater,criterion; or wide, without score: a column per
          criterion, per rater, or (without method) per generator; or .json:
          {\"0\": {\"prompt\": …, \"models\": {\"method\": [scores]}}}. The scores are stored; `rate` shows
          their means. If the rubric is a checklist, they are labels: yes, partly or no per item
gpteval3d comparisons.json or answered.json of GPTEval3D's own package

People's votes appear as judges named human:RATER, GPTEval3D's answers as imported:gpteval3d; `meshjudge rate` shows their agreement. \
A file that was imported before adds nothing; a changed file adds all its votes, and --replace withdraws its earlier ones. If a rater's answers differ between files, both are kept, with a warning.")]
pub(super) struct ImportArgs {
    /// The run's folder; created if it does not exist
    pub folder: PathBuf,

    /// People's votes on pairs
    #[arg(long, value_name = "FILE")]
    pub votes: Vec<PathBuf>,

    /// People's ratings of single assets; in each pair, the higher rating wins
    #[arg(long, value_name = "FILE")]
    pub ratings: Vec<PathBuf>,

    /// Compare mean ratings (one vote per pair), or each rater's own (to measure agreement)
    #[arg(long, default_value = "mean", value_parser = choice::<RatingsBy>())]
    pub by: RatingsBy,

    /// The criterion, for rating files that name none
    #[arg(long, value_name = "KEY", default_value = "overall")]
    pub criterion: String,

    /// Results of GPTEval3D
    #[arg(long, value_name = "FILE")]
    pub gpteval3d: Vec<PathBuf>,

    /// Another run: its questions, replies, verdicts, pictures and people's scores
    #[arg(long, value_name = "RUN")]
    pub from: Vec<PathBuf>,

    /// The rubric that the votes answer
    #[arg(long, value_name = "RUBRIC", default_value = "pairwise")]
    pub rubric: String,

    /// Withdraw the votes and scores of earlier imports of a file of the same name
    #[arg(long)]
    pub replace: bool,

    /// Accept generators that the run does not have, instead of refusing them as misspelt
    #[arg(long, alias = "new-methods")]
    pub new_generators: bool,
}

/// More conflicts and unknown generators are counted, not named.
const NAMED_MAX: usize = 20;

pub(super) fn run(args: &ImportArgs, printer: &Printer) -> Result<Exit, Error> {
    let files = [&args.votes, &args.ratings, &args.gpteval3d, &args.from];
    if files.iter().all(|list| list.is_empty()) {
        return Err(Error::usage(
            "nothing to import; give --votes, --ratings, --gpteval3d or --from",
        ));
    }
    let rubric = Rubric::open(&args.rubric)?;
    if !rubric.is_of_pairs() && (rubric.yes().is_none() || !args.votes.is_empty()) {
        return Err(Error::usage(format!(
            "votes are about pairs, but the rubric {:?} is not",
            rubric.name()
        )));
    }
    // Everything is read before anything is written.
    let known: Vec<&str> = rubric.criteria(None).iter().map(|c| c.key.as_str()).collect();
    let (mut answers, mut opinions) = (Vec::new(), Vec::new());
    for path in &args.votes {
        answers.push((path, read_votes(path)?));
    }
    for path in &args.ratings {
        let scores = read_ratings(path, &args.criterion, &known)?;
        if rubric.is_of_pairs() {
            answers.push((path, ratings_as_votes(&scores, args.by)));
        }
        opinions.push((path, scores));
    }
    for path in &args.gpteval3d {
        answers.push((path, read_gpteval3d(path, rubric.criteria(None))?));
    }
    for (path, said) in &answers {
        if let Some(said) = said.iter().find(|said| !known.contains(&said.criterion.as_str())) {
            return Err(Error::usage(format!(
                "{:?} is not a criterion of the rubric {:?}; {}: {path:?}",
                said.criterion,
                rubric.name(),
                one_of(&said.criterion, known.iter().copied())
            )));
        }
    }
    let mut store = Store::open(&args.folder)?;
    let earlier = EarlierVotes::read(&store)?;
    for (path, said) in answers.iter().filter(|_| !args.new_generators) {
        let unknown = earlier.unknown_methods(said);
        if !unknown.is_empty() {
            return Err(Error::usage(unknown_methods(&unknown, &earlier, path)));
        }
    }
    for (path, said) in &answers {
        add_votes(&mut store, path, said, &rubric, (args.replace, printer))?;
    }
    for (path, scores) in opinions {
        if rubric.yes().is_some() {
            warn_of_labels(&scores, &rubric, &store.made()?, (path, printer));
        }
        add_opinions(&args.folder, path, scores, (args.replace, printer))?;
    }
    for folder in runs(&args.from, printer) {
        copy_run(&mut store, &folder, &args.folder, printer)?;
    }
    printer.show(format!("run     {}", args.folder.display()), []);
    Ok(Exit::Done)
}

/// Says which prompts a run with assets lacks. Their votes are kept, but appear on no board.
fn unknown_prompts(said: &[ImportedAnswer], made: &[Made]) -> Option<String> {
    const SHOWN_MAX: usize = 3;
    let known = |prompt: &str| made.iter().any(|it| it.prompt_id == prompt || it.prompt == prompt);
    let prompts: BTreeSet<&str> = said.iter().filter_map(|it| it.prompt.as_deref()).collect();
    let unknown: Vec<&str> = prompts.into_iter().filter(|prompt| !known(prompt)).collect();
    let named: Vec<String> = unknown.iter().take(SHOWN_MAX).map(|it| format!("{it:?}")).collect();
    (!made.is_empty() && !unknown.is_empty()).then(|| {
        format!(
            "the run does not have {} ({}{}); the answers about them are stored but not rated",
            format_args!("{} of the prompts", unknown.len()),
            named.join(", "),
            if unknown.len() > SHOWN_MAX { ", …" } else { "" }
        )
    })
}

/// Lists the items and assets of labels that a checklist and a run do not have.
fn warn_of_labels(
    labels: &[Opinion],
    rubric: &Rubric,
    made: &[Made],
    (path, printer): (&Path, &Printer),
) {
    if made.is_empty() {
        printer.warn(&format!(
            "{}: only runs of `bench` compare labels with judges, and this is no such run: they are shown as scores",
            name_of(path)
        ));
        return;
    }
    let items: BTreeSet<&str> = rubric.criteria(None).iter().map(|it| it.key.as_str()).collect();
    let assets: BTreeSet<(&str, &str)> = made
        .iter()
        .flat_map(|it| [(it.prompt_id.as_str(), &*it.method), (it.prompt.as_str(), &*it.method)])
        .collect();
    let unknown_items = labels.iter().map(|it| it.criterion.as_str());
    let unknown_items: BTreeSet<String> =
        unknown_items.filter(|it| !items.contains(it)).map(str::to_owned).collect();
    let unknown_assets: BTreeSet<String> = labels
        .iter()
        .filter(|it| !assets.contains(&(it.prompt.as_str(), it.method.as_str())))
        .map(|it| format!("{} of {:?}", it.method, it.prompt))
        .collect();
    for (what, unknown) in [("items", unknown_items), ("assets", unknown_assets)] {
        if !unknown.is_empty() {
            printer.warn(&format!(
                "{}: {} of the {what} are unknown, and their labels are stored but not used: {}",
                name_of(path),
                unknown.len(),
                some_of(unknown.into_iter())
            ));
        }
    }
}

/// Adds the votes of a file that the run lacks.
fn add_votes(
    store: &mut Store,
    path: &Path,
    said: &[ImportedAnswer],
    rubric: &Rubric,
    (replace, printer): (bool, &Printer),
) -> Result<(), Error> {
    let mut earlier = EarlierVotes::read(store)?;
    let made = store.made()?;
    if let Some(note) = unknown_prompts(said, &made) {
        printer.warn(&format!("{}: {note}", name_of(path)));
    }
    let votes = votes(said, rubric, &made, &name_of(path), &file_hash(path)?);
    let replaced = earlier.replaced_by(&votes, &name_of(path));
    if !replace && !replaced.is_empty() {
        printer.warn(&format!(
            "{} from an earlier import of {} and not in this one; --replace withdraws such votes",
            plural_with(replaced.len(), "vote", ["is", "are"]),
            name_of(path)
        ));
    } else if replace {
        store.withdraw_votes(&replaced, "its file was imported again in another version")?;
        earlier = EarlierVotes::read(store)?;
        printer.note(&format!(
            "{} withdrawn: an earlier version of {} had them",
            plural_with(replaced.len(), "vote", ["is", "are"]),
            name_of(path)
        ));
    }
    let new = earlier.without_known(votes.clone());
    let (conflicts, repeated) = earlier.compare(&new);
    store.keep_votes(&new)?;
    let judges: BTreeSet<&str> = votes.iter().map(|v| v.judge.as_str()).collect();
    let ties = said.iter().filter(|s| s.winner == Winner::Tie).count();
    let decided = said.len() - ties;
    let row = json!({
        "kind": "imported", "file": name_of(path), "said": said.len(), "decided": decided, "ties": ties, "votes": votes.len(), "judges": judges.len(),
        "added": new.len(), "conflicts": conflicts.len(), "repeated": repeated,
    });
    let [file, judges] = [name_of(path), plural(judges.len(), "judge")];
    printer.show(format!("{file}: {decided} decided and {ties} tied, by {judges}"), [row]);
    if new.len() < votes.len() {
        let known = votes.len() - new.len();
        printer.note(&format!(
            "{known} of {} imported before, and not added again",
            plural_with(votes.len(), "vote", ["was", "were"])
        ));
    }
    // Without a column of raters, all are one.
    let again = |vote: &&Vote| vote.sample > 0 && vote.judge.short_name() != ANYBODY;
    let again: usize = votes.iter().filter(again).map(|vote| vote.choices.len()).sum();
    if again > 0 {
        printer.warn(&format!(
            "{} by a rater who answered the same question earlier in {}; each counts as a game of its own",
            plural_with(again, "answer", ["is", "are"]),
            name_of(path)
        ));
    }
    print_conflicts(&conflicts, repeated, &name_of(path), printer);
    Ok(())
}

fn add_opinions(
    folder: &Path,
    path: &Path,
    scores: Vec<Opinion>,
    (replace, printer): (bool, &Printer),
) -> Result<(), Error> {
    let all = scores.len();
    let added = OpinionsKept::add(folder, (&file_hash(path)?, &name_of(path)), scores, replace)?;
    let row = json!({"kind": "opinions", "file": name_of(path), "scores": all, "added": added});
    printer.show(format!("{}: {}", name_of(path), plural(all, "score")), [row]);
    Ok(())
}

fn copy_run(store: &mut Store, from: &Path, into: &Path, printer: &Printer) -> Result<(), Error> {
    // What the run set aside would count again in a run that knows nothing of the change.
    let (run, mut left_out) = (Store::read(from)?, Vec::new());
    let counting = Counting::of(&run)?;
    run.records(|record| {
        if counting.outdated(&record).is_some() {
            left_out.push(record.id);
        }
        Ok(())
    })?;
    warn_of_batches(&run, from, printer)?;
    drop(run);
    let count = store.copy_from(from, &left_out)?;
    if !left_out.is_empty() {
        printer.note(&format!(
            "{}: {} not rated there any more, and not copied",
            from.display(),
            plural_with(left_out.len(), "verdict", ["is", "are"])
        ));
    }
    let scores = OpinionsKept::copy(from, into)?;
    let row = json!({"kind": "copied", "run": name_of(from), "questions": count, "scores": scores});
    let with_scores = match scores {
        0 => String::new(),
        n => format!(", and {} by people", plural(n, "score")),
    };
    let (from, questions) = (from.display(), plural(count, "question"));
    printer.show(format!("{from}: {questions} copied{with_scores}"), [row]);
    Ok(())
}

fn unknown_methods(unknown: &[UnknownMethod], earlier: &EarlierVotes, path: &Path) -> String {
    let named = unknown.iter().map(|method| {
        let nearest = method.nearest.as_ref();
        let nearest = nearest.map(|nearest| format!(" (did you mean {nearest:?}?)"));
        format!("{:?}{}", method.name, nearest.unwrap_or_default())
    });
    format!(
        "the run has no generator {}; it has {}; correct the file, or accept new generators with --new-generators: {path:?}",
        some_of(named),
        some_of(earlier.methods().map(str::to_owned))
    )
}

fn print_conflicts(conflicts: &[Conflict], repeated: u64, file: &str, printer: &Printer) {
    for found in conflicts.iter().take(NAMED_MAX) {
        printer.warn(&format!(
            "{} says {} here and said {} in {} ({} or {}, {}{}); both answers are kept",
            found.rater,
            found.imported,
            found.earlier,
            found.origin,
            found.a,
            found.b,
            found.criterion,
            found.prompt.as_ref().map_or_else(String::new, |prompt| format!(", {prompt:?}")),
        ));
    }
    if conflicts.len() > NAMED_MAX {
        let more = conflicts.len() - NAMED_MAX;
        printer.warn(&format!(
            "{} from earlier ones of the same rater; all are kept",
            plural_with(more, "more answer", ["differs", "differ"])
        ));
    }
    if repeated > 0 {
        printer.warn(&format!(
            "{} in {file} that the same rater gave in another file or on the page; both count. If {file} is a corrected version, import it with --replace",
            plural(repeated as usize, "answer")
        ));
    }
}
