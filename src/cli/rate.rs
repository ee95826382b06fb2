//! `rate`: the verdicts of runs → a leaderboard for each criterion, and means for one-object rubrics.
//!
//! Only verdicts are rated; what ended otherwise is counted. A criterion that a judge could not answer is no game.

use super::rate_tell::{tell_board, tell_outcomes, tell_scores};
use super::{Exit, Failure, Global, Printer};
use crate::rate::{
    Anchor, Answer, Board, BoardSettings, Draws, ELO_PER_NAT, Model, Prior, RateError, Score, Side,
    Winner, board,
};
use crate::rubric::{Verdict, Winner as Won};
use crate::store::{Row, Store};
use clap::{Args, ValueEnum};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Arguments of `rate`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge rate runs/compare-2026-11-21T10-03-55
  meshjudge rate run-a run-b --anchor dreamfusion --ties both-win --no-prior
  meshjudge rate run-a --json

Both orders of a question are one game. What agrees counts; orders that differ count as a draw and stand in their own column.
Intervals come from prompts drawn with replacement, so they need at least five prompts.")]
pub struct RateArgs {
    /// Folders of runs; a question that several of them hold counts once
    #[arg(required = true, value_name = "RUN")]
    pub folders: Vec<PathBuf>,

    /// The method that stands at 1000 [default: the mean of all]
    #[arg(long, value_name = "METHOD")]
    pub anchor: Option<String>,

    /// What a draw is
    #[arg(long, value_enum, default_value_t)]
    pub ties: Ties,

    /// Bootstrap samples; 0 for no intervals
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub bootstraps: u32,

    /// Decides which prompts a bootstrap sample draws
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Exact maximum likelihood; a method that only wins is then an error (bootstrap samples keep the prior)
    #[arg(long)]
    pub no_prior: bool,

    /// Rate verdicts together that were asked with different pictures or texts
    #[arg(long)]
    pub mix_protocols: bool,
}

/// What a draw is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Ties {
    /// Half a win for each
    #[default]
    Half,
    /// A win for each, as GPTEval3D counts
    BothWin,
    /// An outcome with a fitted share of its own
    Davidson,
}

/// Names in order of first sight, by index.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn index(&mut self, name: &str) -> usize {
        let next = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

/// What was said on one criterion of one rubric: (method, method, prompt, …) still by name.
type Said<T> = BTreeMap<(String, String), Vec<T>>;

/// What the rows hold.
#[derive(Debug, Default)]
struct Collected {
    prompts: Names,
    /// (a, b, answer without its methods).
    games: Said<(String, String, Answer)>,
    scores: Said<(String, Score)>,
    undecided: BTreeMap<(String, String), usize>,
    same_method: usize,
}

/// Runs the command.
///
/// # Errors
/// A folder that is no run, mixed protocols, nothing to rate.
pub fn run(args: &RateArgs, _global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let rows = read(args, printer)?;
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        *outcomes.entry(&row.outcome).or_default() += 1;
    }
    let verdicts: Vec<&Row> = rows.iter().filter(|r| r.verdict.is_some()).collect();
    if verdicts.is_empty() {
        let counts: Vec<String> = outcomes.iter().map(|(o, n)| format!("{n} {o}")).collect();
        let found = if counts.is_empty() {
            "no answers at all".to_owned()
        } else {
            counts.join(", ")
        };
        return Err(format!("there is nothing to rate: no verdict in these runs ({found}); run the command that made them again to ask what is missing").into());
    }
    if !args.mix_protocols {
        refuse_mixed(&verdicts)?;
    }
    let collected = collect(&verdicts)?;
    if collected.same_method > 0 {
        printer.note(&format!(
            "{} verdicts set a method against itself and are left out",
            collected.same_method
        ));
    }
    if collected.games.is_empty() && collected.scores.is_empty() {
        return Err("there is nothing to rate: the judges decided no criterion between two methods; ask another judge with --judge".into());
    }
    check_anchor(args, &collected)?;
    let exit = tell(args, &collected, printer)?;
    tell_outcomes(&outcomes, printer);
    Ok(exit)
}

/// Every question once, with its verdict if any run has one; sorted by id, so that the order of folders changes nothing.
fn read(args: &RateArgs, printer: &Printer) -> Result<Vec<Row>, Failure> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut repeated = 0;
    let mut without_reply = 0;
    for folder in &args.folders {
        without_reply += Store::read(folder)?.rows(|row| -> Result<(), Failure> {
            if let Some(known) = rows.get(&row.id) {
                repeated += 1;
                if known.verdict.is_some() {
                    return Ok(());
                }
            }
            rows.insert(row.id.clone(), row);
            Ok(())
        })?;
    }
    if repeated > 0 {
        printer.note(&format!(
            "{repeated} questions stand in more than one run and count once"
        ));
    }
    if without_reply > 0 {
        printer.note(&format!(
            "{without_reply} questions have no reply yet and are left out"
        ));
    }
    Ok(rows.into_values().collect())
}

/// Verdicts on one rubric are comparable only when drawn and asked in one way.
fn refuse_mixed(verdicts: &[&Row]) -> Result<(), Failure> {
    let mut seen: BTreeMap<&str, [BTreeSet<String>; 2]> = BTreeMap::new();
    for row in verdicts {
        let [protocols, texts] = seen.entry(&row.rubric).or_default();
        protocols.insert(row.protocol.clone().unwrap_or_else(|| "none".to_owned()));
        texts.insert(row.rubric_hash.clone());
    }
    for (rubric, sets) in seen {
        for (what, hashes) in ["render protocols", "versions of the rubric"]
            .iter()
            .zip(sets)
        {
            if hashes.len() > 1 {
                let short = |h: &String| h.chars().take(12).collect::<String>();
                let list: Vec<String> = hashes.iter().map(short).collect();
                return Err(format!("the verdicts on {rubric:?} come from {} {what} ({}), so they are not comparable; rate the runs apart, or say --mix-protocols", hashes.len(), list.join(", ")).into());
            }
        }
    }
    Ok(())
}

fn collect(verdicts: &[&Row]) -> Result<Collected, Failure> {
    let mut collected = Collected::default();
    for row in verdicts {
        let json = row.verdict.as_ref();
        let Some(verdict) = json.and_then(Verdict::from_json) else {
            return Err(format!("the verdict of question {} is of a kind that this version does not know; use the version that wrote it", row.id).into());
        };
        // Without a prompt an asset stands for itself.
        let cluster = row.prompt.as_deref().unwrap_or(&row.a.hash);
        let prompt = collected.prompts.index(cluster);
        let on = |criterion: &str| (row.rubric.clone(), criterion.to_owned());
        let mut score = |criterion: &str, value: f64| {
            let scores = collected.scores.entry(on(criterion)).or_default();
            scores.push((row.a.method.clone(), Score { prompt, value }));
        };
        match verdict {
            Verdict::Reconstruction { score: value } => score("score", f64::from(value)),
            Verdict::Category {
                aspects,
                overall,
                overall_recomputed,
                undecided,
            } => {
                for (aspect, value) in &aspects {
                    score(aspect, *value);
                }
                score("overall", overall);
                score("overall_recomputed", overall_recomputed);
                for aspect in &undecided {
                    *collected.undecided.entry(on(aspect)).or_default() += 1;
                }
            }
            Verdict::Pairwise { choices, undecided } => {
                collect_pair(row, prompt, &choices, &undecided, &mut collected);
            }
        }
    }
    Ok(collected)
}

fn collect_pair(
    row: &Row,
    prompt: usize,
    choices: &[(String, Won)],
    undecided: &[String],
    collected: &mut Collected,
) {
    let Some(b) = &row.b else { return };
    if row.a.method == b.method {
        collected.same_method += 1;
        return;
    }
    let mut assets = [row.a.hash.as_str(), b.hash.as_str()];
    assets.sort_unstable();
    let protocol = row.protocol.as_deref().unwrap_or("");
    let key = format!(
        "{}\n{}\n{}\n{protocol}\n{}",
        row.judge,
        row.sample,
        assets.join("\n"),
        row.rubric_hash
    );
    for (criterion, won) in choices {
        let on = (row.rubric.clone(), criterion.clone());
        if undecided.contains(criterion) {
            *collected.undecided.entry(on).or_default() += 1;
            continue;
        }
        let answer = Answer {
            a: 0,
            b: 0,
            prompt,
            key: key.clone(),
            side: if row.order == "ab" {
                Side::ALeft
            } else {
                Side::BLeft
            },
            winner: match won {
                Won::A => Winner::A,
                Won::B => Winner::B,
                Won::Tie => Winner::Tie,
            },
        };
        let game = (row.a.method.clone(), b.method.clone(), answer);
        collected.games.entry(on).or_default().push(game);
    }
}

/// Said once, and not for each criterion.
fn check_anchor(args: &RateArgs, collected: &Collected) -> Result<(), RateError> {
    let said = collected.games.values().flatten();
    let methods: BTreeSet<&String> = said.flat_map(|(a, b, _)| [a, b]).collect();
    match &args.anchor {
        Some(anchor) if !methods.contains(anchor) => Err(RateError::UnknownAnchor {
            anchor: anchor.clone(),
            methods: methods.into_iter().cloned().collect(),
        }),
        _ => Ok(()),
    }
}

/// Every criterion's table; one that cannot be rated is named and the others go on.
fn tell(args: &RateArgs, collected: &Collected, printer: &Printer) -> Result<Exit, Failure> {
    let (mut told, mut failed) = (0, Vec::new());
    for (on, said) in &collected.games {
        match rate(args, said) {
            Ok((methods, board)) => {
                let undecided = collected.undecided.get(on).copied().unwrap_or(0);
                tell_board(on, &methods, &board, undecided, printer);
                told += 1;
            }
            Err(e) => failed.push(format!("{} ({}) is not rated: {e}", on.1, on.0)),
        }
    }
    for (on, said) in &collected.scores {
        tell_scores(on, said, printer);
        told += 1;
    }
    let no_games = (collected.undecided.iter())
        .filter(|(on, _)| !collected.games.contains_key(on) && !collected.scores.contains_key(on));
    for ((rubric, criterion), count) in no_games {
        printer.note(&format!(
            "{criterion} ({rubric}): undecided in all {count} answers, so not rated"
        ));
    }
    let Some(last) = failed.pop() else {
        return Ok(Exit::Done);
    };
    for failure in &failed {
        printer.error(Failure::from(failure.clone()).as_ref());
    }
    if told == 0 {
        return Err(last.into());
    }
    printer.error(Failure::from(last).as_ref());
    Ok(Exit::SomeFailed)
}

fn rate(
    args: &RateArgs,
    said: &[(String, String, Answer)],
) -> Result<(Vec<String>, Board), RateError> {
    let names: BTreeSet<&String> = said.iter().flat_map(|(a, b, _)| [a, b]).collect();
    let methods: Vec<String> = names.into_iter().cloned().collect();
    let index = |name: &String| methods.binary_search(name).unwrap_or_default();
    let answers: Vec<Answer> = (said.iter())
        .map(|(a, b, answer)| Answer {
            a: index(a),
            b: index(b),
            ..answer.clone()
        })
        .collect();
    let anchor =
        match &args.anchor {
            None => Anchor::Mean,
            Some(name) => Anchor::Method(methods.binary_search(name).map_err(|_| {
                RateError::UnknownAnchor {
                    anchor: name.clone(),
                    methods: methods.clone(),
                }
            })?),
        };
    let settings = BoardSettings {
        model: Model {
            draws: match args.ties {
                Ties::Half => Draws::Half,
                Ties::BothWin => Draws::BothWin,
                Ties::Davidson => Draws::Davidson,
            },
            prior: (!args.no_prior).then(Prior::default),
            fits_bias: false,
        },
        anchor,
        replicates: args.bootstraps as usize,
        seed: args.seed,
    };
    let board = board(&methods, &answers, &settings)?;
    Ok((methods, board))
}

/// A bias in log-odds as the Elo points that standing left is worth.
pub(super) fn bias_elo(nats: f64) -> f64 {
    nats * ELO_PER_NAT
}
