//! The answer in sentences: which method is first, how certain that is, and the caveats.

use super::RunReport;
use super::show::{in_words, part_of, percent, plural, plural_with};
use crate::judge::probe;
use crate::rate::{CLUSTERS_MIN, Line};
use crate::results::{CriterionBoard, Voice};
use crate::store::{RaterKind, config_of};
use serde::Serialize;
use std::path::PathBuf;

/// More names do not fit into a headline.
const NAMES_MAX: usize = 4;

/// Ratings nearer than this are shown as the same number.
const LEVEL_ELO: f64 = 0.5;

/// A piece of a sentence. Names come from files, so they are marked as such.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Span {
    Text(String),
    /// A method, a judge, a criterion.
    Name(String),
}

/// One or a few sentences.
pub(super) type Sentence = Vec<Span>;

/// The top of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Headline {
    pub title: String,
    /// Who is first and how sure that is.
    pub answer: Sentence,
    /// Caveats, the most important first.
    pub notes: Vec<Sentence>,
}

fn text(words: impl Into<String>) -> Span {
    Span::Text(words.into())
}

fn name(words: &str) -> Span {
    Span::Name(words.to_owned())
}

/// The board that answers the whole question: `overall` where there is one, by all judges, by a
/// model, by the probe, or by people.
pub(super) fn primary(report: &RunReport) -> Option<usize> {
    let rank = |board: &CriterionBoard| {
        let voice = match &board.key.voice {
            Voice::AllJudges => 0,
            Voice::Judge(rater) if rater.kind() != RaterKind::Probe => 1,
            Voice::Judge(_) => 2,
            Voice::People => 3,
        };
        (board.key.criterion() != "overall", voice)
    };
    let boards = report.results.boards.iter().enumerate();
    // `min_by_key` keeps the first of equals.
    boards.min_by_key(|(_, board)| rank(board)).map(|(i, _)| i)
}

/// The sentences at the top of the page.
pub(super) fn headline(report: &RunReport) -> Headline {
    let results = &report.results;
    let num_methods = report.methods().len();
    let num_prompts = match results.num_prompts {
        0 => report.facts.prompts.len(),
        n => n,
    };
    let extent =
        format!("{} on {}", plural(num_methods, "generator"), plural(num_prompts, "prompt"));
    let title = match benchmark_name(&report.folders) {
        Some(name) => format!("{name}: {extent}"),
        None => extent,
    };
    let (answer, mut notes) = match primary(report).map(|i| &results.boards[i]) {
        Some(board) => (answer(board), caveats(report, board)),
        None => (no_board(report), Vec::new()),
    };
    let failed: usize = results.making.iter().map(|m| m.failed).sum();
    let wanted: usize = results.making.iter().map(|m| m.wanted).sum();
    if failed > 0 {
        let failed = part_of(failed, wanted, "asset");
        notes.push(vec![text(format!("{failed} could not be judged."))]);
    }
    let questions: usize = results.outcomes.values().sum();
    let verdicts = results.outcomes.get("verdict").copied().unwrap_or(0);
    if verdicts < questions {
        let others = part_of(questions - verdicts, questions, "question");
        notes.push(vec![text(format!("{others} ended without a verdict and were not rated."))]);
    }
    for found in &report.reliability {
        let said = found.lines.join("; ");
        notes.push(vec![
            text("Reliability of "),
            name(&found.judge),
            text(format!(", by its audit: {said}.")),
        ]);
    }
    Headline { title, answer, notes }
}

/// The name in the benchmark file; none for other runs, and where several runs differ.
fn benchmark_name(folders: &[PathBuf]) -> Option<String> {
    let mut names = folders.iter().map(|folder| {
        let config = config_of(folder)?;
        let name = config.get("bench")?.get("name")?.as_str()?.trim();
        (!name.is_empty()).then(|| name.to_owned())
    });
    let first = names.next()??;
    names.all(|name| name.as_ref() == Some(&first)).then_some(first)
}

fn no_board(report: &RunReport) -> Sentence {
    if let Some(means) = report
        .results
        .means
        .iter()
        .find(|m| m.key.criterion() == "overall" || m.key.criterion() == "score")
        && let Some((best, mean)) = means.means.first()
    {
        let criterion = in_words(means.key.criterion());
        let mean_of = match criterion.as_str() {
            "score" => "mean score".to_owned(),
            other => format!("mean on {other}"),
        };
        let alike = means.means.iter().filter(|(_, other)| mean.mean - other.mean < 1e-9);
        if means.means.len() > 1 && alike.count() == means.means.len() {
            return vec![text(format!(
                "All generators have the same {mean_of}: {:.2}.",
                mean.mean
            ))];
        }
        let mut said =
            vec![name(best), text(format!(" has the highest {mean_of}: {:.2}.", mean.mean))];
        let prompts = || means.means.iter().map(|(_, mean)| mean.num_clusters);
        if let (Some(least), Some(most)) = (prompts().min(), prompts().max())
            && least < most
        {
            said = vec![
                name(best),
                text(format!(
                    " has the highest {mean_of}, {:.2} on {}, but the generators have scores on {least} to {most} prompts: compare them only on prompts that all have.",
                    mean.mean,
                    plural(mean.num_clusters, "prompt")
                )),
            ];
        }
        if means.means.len() == 1 {
            said = vec![name(best), text(format!(": {criterion} {:.2}.", mean.mean))];
        }
        return said;
    }
    if let Some(cause) = cause(report) {
        return cause;
    }
    vec![text(report.not_rated.as_ref().map_or_else(
        || "No criterion could be rated.".to_owned(),
        |reason| {
            format!(
                "Nothing is rated: {}.",
                reason.to_string().trim_start_matches("there is nothing to rate: ")
            )
        },
    ))]
}

/// Why there are no verdicts, and what to do: the judges' failures, or else those of assets.
fn cause(report: &RunReport) -> Option<Sentence> {
    let results = &report.results;
    if results.outcomes.contains_key("verdict") {
        return None;
    }
    let failed = &report.failed;
    if let Some(first) = failed.listed.first() {
        let alike = failed.listed.iter().filter(|f| f.whose == first.whose).count();
        let all = failed.count;
        let mut said = vec![text("No verdicts: "), name(&first.whose)];
        said.push(text(match (alike == failed.listed.len(), all) {
            (true, 1) => " did not answer the only question: ".to_owned(),
            (true, _) => format!(" answered none of {all} questions: "),
            (false, _) => format!(" and other judges answered none of {all} questions: "),
        }));
        said.push(text(match &*first.reason {
            "" => &*first.outcome,
            reason => reason,
        }));
        let is_down = first.reason.contains("cannot connect");
        said.push(text(match is_down {
            true => ". Start the server, and run the same command again.",
            false => ". Correct that, and run the same command again.",
        }));
        return Some(said);
    }
    let first = results.failures.iter().find_map(|made| Some((made, &made.failure.as_ref()?.1)));
    let (made, reason) = first?;
    Some(vec![
        text(format!(
            "No verdicts: {} could not be judged. The first is the asset of ",
            plural(results.failures.len(), "asset")
        )),
        name(&made.method),
        text(" for "),
        name(&made.prompt),
        text(format!(": {reason}.")),
    ])
}

/// Lines that can be first: their rank ranges, which are right together, include first place. None
/// where the best line has no range.
fn contenders(on: &CriterionBoard) -> Option<Vec<&Line>> {
    let lines = &on.board.lines;
    lines.first()?.ranks_all?;
    let can_be_first = |line: &&Line| line.ranks_all.is_none_or(|(best, _)| best == 1);
    Some(lines.iter().filter(can_be_first).collect())
}

/// The method that is first for certain.
fn winner(on: &CriterionBoard) -> Option<&str> {
    let best = on.board.lines.first()?;
    (best.ranks_all? == (1, 1)).then(|| &*on.methods[best.method])
}

/// Whether it is about two objects of one prompt: a result, and no leaderboard.
pub(super) fn is_one_pair(on: &CriterionBoard) -> bool {
    on.board.lines.len() == 2 && on.board.num_prompts == 1
}

/// "A is first overall.", or which methods can still be first.
fn answer(on: &CriterionBoard) -> Sentence {
    let lines = &on.board.lines;
    let named = |line: &Line| name(&on.methods[line.method]);
    let Some(first) = lines.first() else {
        return vec![text("No generator was rated.")];
    };
    let on_it = match on.key.criterion() {
        "overall" => "overall".to_owned(),
        other => format!("in {}", in_words(other)),
    };
    let by = if on.key.voice.is_measured() { ", by the defects that probe measures" } else { "" };
    let is_level = |line: &&Line| first.rating - line.rating < LEVEL_ELO;
    let level: Vec<&Line> = lines.iter().filter(is_level).collect();
    if lines.len() > 1 && level.len() == lines.len() {
        return vec![text(match is_one_pair(on) {
            true => format!("The two are level {on_it}{by}."),
            false => format!("All generators have the same rating {on_it}."),
        })];
    }
    let listed = |lines: &[&Line]| -> Sentence {
        let mut said = Vec::new();
        for (n, line) in lines.iter().enumerate() {
            match n {
                0 => {}
                n if n + 1 == lines.len() => said.push(text(" and ")),
                _ => said.push(text(", ")),
            }
            said.push(named(line));
        }
        said
    };
    if is_one_pair(on) {
        return vec![named(first), text(format!(" is better {on_it}{by}."))];
    }
    if let Some(winner) = winner(on) {
        return vec![name(winner), text(format!(" is first {on_it}{by}."))];
    }
    let highest = |mut said: Sentence| {
        said.push(text(if level.len() == 1 { "" } else { " share" }));
        said.push(text(match level.len() {
            1 => format!(" has the highest rating {on_it}{by} ({:.0})", first.rating),
            _ => format!(" the highest rating {on_it}{by} ({:.0})", first.rating),
        }));
        said
    };
    let Some(contenders) = contenders(on) else {
        let mut said = highest(listed(&level));
        said.push(text(format!(
            " on {}. Intervals need {CLUSTERS_MIN} prompts.",
            plural(on.board.num_prompts, "prompt")
        )));
        return said;
    };
    let (some, all) = (contenders.len(), lines.len());
    let mut said = vec![text("No clear winner: ")];
    if some == all {
        let whose = if all == 2 { "both".to_owned() } else { format!("all {all}") };
        said.push(text(format!("the rank ranges of {whose} generators overlap; ")));
    } else if some <= NAMES_MAX {
        said.extend(listed(&contenders));
        said.push(text(" can each be first; "));
    } else {
        said.push(text(format!("{some} of {all} generators can be first; ")));
    }
    said.extend(highest(listed(&level)));
    said.push(text("."));
    said
}

/// Caveats of a board judged only by `probe`: fewer defects do not always make the better object.
pub const PROBE_CAVEATS: [&str; 2] = [
    "probe measures defects of surfaces and textures; it does not recognise objects.",
    probe::RECORD,
];

/// The same for a board of scores.
pub(super) const SCORED: [&str; 2] = [PROBE_CAVEATS[0], probe::SCORES];

/// Generators that only won or only lost against all others, whichever are fewer, and what that
/// means for their ratings.
pub(super) fn one_sided(on: &CriterionBoard) -> Option<(Vec<&str>, &'static str)> {
    let won = &on.board.only_won;
    let lines = on.board.lines.iter().map(|line| line.method);
    let lost: Vec<usize> = lines.filter(|method| !won.contains(method)).collect();
    let named = |methods: &[usize]| methods.iter().map(|m| &*on.methods[*m]).collect();
    match won.len() {
        0 => None,
        few if few <= lost.len() => Some((
            named(won),
            "won every game against the others; the prior sets how far ahead, not the data",
        )),
        _ => Some((
            named(&lost),
            "lost every game against the others; the prior sets how far behind, not the data",
        )),
    }
}

fn caveats(report: &RunReport, on: &CriterionBoard) -> Vec<Sentence> {
    let mut notes = Vec::new();
    if on.key.voice.is_measured() {
        notes.extend(PROBE_CAVEATS.map(|words| vec![text(words)]));
    }
    let same_criterion = |b: &&CriterionBoard| {
        b.key.criterion() == on.key.criterion() && b.key.rubric() == on.key.rubric()
    };
    let others = report.results.boards.iter().filter(same_criterion);
    for other in others.filter(|b| b.key.voice != on.key.voice && b.key.voice == Voice::People) {
        notes.push(match winner(other) {
            Some(theirs) if winner(on) == Some(theirs) => {
                vec![text("People rank "), name(theirs), text(" first, too.")]
            }
            Some(theirs) => vec![text("People rank "), name(theirs), text(" first.")],
            None => vec![text(format!(
                "People’s votes ({}) do not settle who is first.",
                plural(other.board.num_units, "game")
            ))],
        });
    }
    let board = &on.board;
    if on.forfeits > 0 {
        let mut said = vec![text(format!(
            "{} decided by a missing asset.",
            plural_with(on.forfeits, "game", ["was", "were"])
        ))];
        let first = board.lines.first().map(|line| line.method);
        match on.first_without_forfeits {
            Some(other) if Some(other) != first => {
                said.extend([
                    text(" Without them "),
                    name(&on.methods[other]),
                    text(" would be first."),
                ]);
            }
            Some(_) => said.push(text(" Without them the same generator is first.")),
            None => said.push(text(" Without them there is no board.")),
        }
        notes.push(said);
    }
    if board.num_inconsistent > 0 {
        notes.push(vec![text(format!(
            "In {} the verdict changed when left and right were swapped ({}); these count as ties.",
            part_of(board.num_inconsistent, board.num_both_orders, "pair"),
            percent(board.num_inconsistent as f64 / board.num_both_orders as f64)
        ))]);
    }
    if is_one_pair(on) {
        notes.push(vec![text(format!("Ratings with intervals need {CLUSTERS_MIN} prompts."))]);
    }
    notes
}
