//! Boards and means as tables for people and rows for programs.

use super::Printer;
use crate::rate::{
    Agreement, AgreementRates, CLUSTERS_MIN, ELO_PER_NAT, Estimate, Interval, Raters,
};
use crate::report::percent as percent_of;
use crate::results::{
    CriterionBoard, CriterionMeans, MethodMaking, PeopleAgreement, VoiceAgreement,
};
use serde_json::json;
use std::collections::BTreeMap;

/// The 97.5 % point of the normal distribution.
const NORMAL_95: f64 = 1.96;

/// One criterion's leaderboard.
pub(super) fn tell_board(on: &CriterionBoard, names_voice: bool, printer: &Printer) {
    let CriterionBoard {
        rubric,
        criterion,
        voice,
        methods,
        board,
        undecided,
        forfeits,
        ..
    } = on;
    board_rows(on, printer);
    let prompts = plural(board.num_prompts, "prompt");
    let games = plural(board.num_units, "game");
    let judged = if names_voice {
        format!(", judged by {voice}")
    } else {
        String::new()
    };
    printer.result(&format!(
        "{criterion} ({rubric}{judged}): {games} on {prompts}"
    ));
    let mut table = vec![
        [
            "method",
            "rating",
            "95 % interval",
            "ranks",
            "above next",
            "games",
            "ties",
            "inconsistent",
        ]
        .map(str::to_owned),
    ];
    for (place, line) in board.lines.iter().enumerate() {
        let next = board.lines.get(place + 1);
        let above = match (&board.beats, next) {
            (Some(beats), Some(next)) => {
                percent_of(beats[line.method][next.method]).replace('\u{a0}', " ")
            }
            _ => "-".to_owned(),
        };
        table.push([
            shown(&methods[line.method]),
            format!("{:.0}", line.rating),
            line.interval
                .map_or("-".to_owned(), |i| format!("{:.0} to {:.0}", i.low, i.high)),
            line.ranks
                .map_or("-".to_owned(), |(best, worst)| format!("{best}-{worst}")),
            above,
            line.games.to_string(),
            line.ties.to_string(),
            line.inconsistent.to_string(),
        ]);
    }
    tell_table(&table, printer);
    if board.num_both_orders > 0 {
        printer.result(&format!(
            "  inconsistent: {} of {} asked in both orders ({:.0} %)",
            board.num_inconsistent,
            board.num_both_orders,
            100.0 * board.num_inconsistent as f64 / board.num_both_orders as f64
        ));
    }
    if let Some((bias, interval)) = board.left_bias {
        let interval = interval.map_or(String::new(), |Interval { low, high }| {
            format!(" (95 % {:+.0} to {:+.0})", bias_elo(low), bias_elo(high))
        });
        printer.result(&format!(
            "  left/right bias: standing left is worth {:+.0} points{interval}",
            bias_elo(bias)
        ));
    }
    if board.num_one_order > 0 {
        printer.result(&format!(
            "  one order only: {}, counted half; position bias is still in them",
            plural(board.num_one_order, "game")
        ));
    }
    if *forfeits > 0 {
        printer.result(&format!(
            "  decided by a missing asset, counted as its loss: {}",
            plural(*forfeits, "game")
        ));
    }
    if *undecided > 0 {
        printer.result(&format!(
            "  undecided, not counted: {}",
            plural(*undecided, "answer")
        ));
    }
    if board.beats.is_none() {
        printer.result(&format!(
            "  no intervals: they need {CLUSTERS_MIN} prompts or more, and --bootstraps above 0"
        ));
    } else if board.lines.iter().any(|line| line.interval.is_none()) {
        printer.result(
            "  no interval where every prompt said the same: the spread is not known, it is not 0",
        );
    }
    if !board.only_won.is_empty() {
        let names: Vec<String> = board.only_won.iter().map(|m| shown(&methods[*m])).collect();
        printer.result(&format!(
            "  never lost or drew against the rest, so only the prior bounds the rating: {}",
            names.join(", ")
        ));
    }
    printer.result("");
}

/// Ratings on all criteria, methods in the order of `main`.
pub(super) fn tell_side_by_side(
    main: &CriterionBoard,
    boards: &[&CriterionBoard],
    printer: &Printer,
) {
    if boards.len() < 2 {
        return;
    }
    printer.result("ratings on all criteria");
    let mut head = vec!["method".to_owned()];
    head.extend(boards.iter().map(|board| board.criterion.replace('_', " ")));
    let mut table = vec![head];
    for line in &main.board.lines {
        let name = &main.methods[line.method];
        let mut row = vec![shown(name)];
        for board in boards {
            let lines = board.board.lines.iter();
            let same = lines
                .clone()
                .find(|line| board.methods[line.method] == *name);
            row.push(same.map_or("-".to_owned(), |line| format!("{:.0}", line.rating)));
        }
        table.push(row);
    }
    tell_table(&table, printer);
    printer.result("");
}

fn board_rows(on: &CriterionBoard, printer: &Printer) {
    let CriterionBoard {
        rubric,
        criterion,
        methods,
        board,
        ..
    } = on;
    let judge = on.voice.to_string();
    for line in &board.lines {
        let beats = board.beats.as_ref().map(|beats| {
            let others = methods
                .iter()
                .enumerate()
                .filter(|(j, _)| *j != line.method);
            others
                .map(|(j, name)| (name.clone(), beats[line.method][j].into()))
                .collect::<serde_json::Map<_, _>>()
        });
        printer.row(&json!({
            "kind": "rating", "rubric": rubric, "criterion": criterion, "judge": judge, "method": methods[line.method], "rating": line.rating,
            "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
            "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1),
            "games": line.games, "ties": line.ties, "inconsistent": line.inconsistent, "beats": beats,
        }));
    }
    let bias = board.left_bias;
    let interval = bias.and_then(|(_, interval)| interval);
    printer.row(&json!({
        "kind": "criterion", "rubric": rubric, "criterion": criterion, "judge": judge, "prompts": board.num_prompts, "games": board.num_units,
        "both_orders": board.num_both_orders, "inconsistent": board.num_inconsistent, "undecided": on.undecided, "forfeits": on.forfeits,
        "left_bias_elo": bias.map(|(b, _)| bias_elo(b)),
        "left_bias_low": interval.map(|i| bias_elo(i.low)), "left_bias_high": interval.map(|i| bias_elo(i.high)),
        "davidson_nu": board.tie, "only_won": board.only_won.iter().map(|m| &methods[*m]).collect::<Vec<_>>(),
    }));
}

/// Means of one score by method, best first.
pub(super) fn tell_means(on: &CriterionMeans, names_voice: bool, printer: &Printer) {
    let CriterionMeans {
        rubric,
        criterion,
        voice,
        means,
    } = on;
    let judge = voice.to_string();
    let judged = if names_voice {
        format!(", judged by {voice}")
    } else {
        String::new()
    };
    let num_scores = means.iter().map(|(_, mean)| mean.num_scores).sum();
    printer.result(&format!(
        "{criterion} ({rubric}{judged}): {}",
        plural(num_scores, "score")
    ));
    let mut table =
        vec![["method", "mean", "95 % interval", "scores", "prompts"].map(str::to_owned)];
    for (method, found) in means {
        let half = found.standard_error.map(|e| NORMAL_95 * e);
        let (low, high) = (half.map(|h| found.mean - h), half.map(|h| found.mean + h));
        printer.row(&json!({
            "kind": "mean", "rubric": rubric, "criterion": criterion, "judge": judge, "method": method, "mean": found.mean,
            "standard_error": found.standard_error, "low": low, "high": high, "scores": found.num_scores, "clusters": found.num_clusters,
        }));
        let interval = low
            .zip(high)
            .map_or("-".to_owned(), |(l, h)| format!("{l:.2} to {h:.2}"));
        table.push([
            shown(method),
            format!("{:.2}", found.mean),
            interval,
            found.num_scores.to_string(),
            found.num_clusters.to_string(),
        ]);
    }
    tell_table(&table, printer);
    printer.result("");
}

/// How far judges and people say the same.
pub(super) fn tell_agreement(agreement: &[VoiceAgreement], printer: &Printer) {
    if agreement.is_empty() {
        return;
    }
    printer.result("agreement, with 95 % intervals");
    let mut table = vec![
        [
            "criterion",
            "between",
            "and",
            "pairs",
            "same where both decided",
            "same with ties",
            "kappa",
            "Kendall",
            "Spearman",
        ]
        .map(str::to_owned),
    ];
    for found in agreement {
        let (first, second) = (found.first.to_string(), found.second.to_string());
        let Agreement {
            same,
            kendall,
            spearman,
            num_methods,
            num_prompts,
        } = &found.agreement;
        printer.row(&json!({
            "kind": "agreement", "rubric": found.rubric, "criterion": found.criterion, "first": first, "second": second,
            "counts": same.counts, "on_decided": same.on_decided, "with_ties": same.with_ties, "kappa": same.kappa,
            "kendall": kendall, "spearman": spearman, "methods": num_methods, "prompts": num_prompts,
        }));
        table.push([
            format!("{} ({})", found.criterion, found.rubric),
            shown(&first),
            shown(&second),
            same.counts.all.to_string(),
            percent(same.on_decided),
            percent(same.with_ties),
            plain(same.kappa),
            plain(*kendall),
            plain(*spearman),
        ]);
    }
    tell_table(&table, printer);
    printer.result("");
}

/// How far people say the same: what a judge can be held to.
pub(super) fn tell_people(people: &[PeopleAgreement], printer: &Printer) {
    for found in people {
        let Raters {
            pairwise,
            rest,
            alpha,
            ..
        } = &found.agreement;
        printer.row(&json!({
            "kind": "people", "rubric": found.rubric, "criterion": found.criterion, "raters": found.raters,
            "pairwise": pairwise, "against_rest": rest, "alpha": alpha,
        }));
        printer.result(&format!(
            "people among themselves on {} ({}): {} raters",
            found.criterion,
            found.rubric,
            found.raters.len()
        ));
        let row = |what: &str, same: &AgreementRates| {
            [
                what.to_owned(),
                same.counts.all.to_string(),
                percent(same.on_decided),
                percent(same.with_ties),
                plain(same.kappa),
            ]
        };
        let head = [
            "",
            "pairs",
            "same where both decided",
            "same with ties",
            "kappa",
        ];
        let table = [
            head.map(str::to_owned),
            row("rater against rater", pairwise),
            row("rater against the others' majority", rest),
        ];
        tell_table(&table, printer);
        printer.result(&format!("  Krippendorff's alpha: {}", plain(*alpha)));
        printer.result("");
    }
}

fn percent(share: Option<Estimate>) -> String {
    let Some(Estimate { value, interval }) = share else {
        return "-".to_owned();
    };
    let interval = interval.map_or(String::new(), |i| {
        format!(" ({:.1}-{:.1})", 100.0 * i.low, 100.0 * i.high)
    });
    format!("{:.1} %{interval}", 100.0 * value)
}

fn plain(value: Option<Estimate>) -> String {
    let Some(Estimate { value, interval }) = value else {
        return "-".to_owned();
    };
    let interval = interval.map_or(String::new(), |i| format!(" ({:.2}-{:.2})", i.low, i.high));
    format!("{value:.2}{interval}")
}

/// What generators failed to make; nothing where all was made.
pub(super) fn tell_making(making: &[MethodMaking], printer: &Printer) {
    for found in making {
        printer.row(&json!({
            "kind": "generator", "method": found.method, "wanted": found.wanted, "failed": found.failed, "failed_share": found.failed_share(),
            "failed_at": found.failed_at, "median_seconds": found.median_seconds,
        }));
    }
    let failed: Vec<_> = making.iter().filter(|found| found.failed > 0).collect();
    if failed.is_empty() {
        return;
    }
    printer.result("assets that could not be judged");
    let mut table = vec![["method", "failed", "of", "where"].map(str::to_owned)];
    for found in failed {
        let stages: Vec<String> = (found.failed_at.iter())
            .map(|(stage, n)| format!("{n} {stage}"))
            .collect();
        table.push([
            shown(&found.method),
            found.failed.to_string(),
            found.wanted.to_string(),
            stages.join(", "),
        ]);
    }
    tell_table(&table, printer);
    printer.result("");
}

/// How all questions ended.
pub(super) fn tell_outcomes(outcomes: &BTreeMap<String, usize>, printer: &Printer) {
    printer.row(&json!({"kind": "outcomes", "outcomes": outcomes}));
    let counts: Vec<String> = outcomes.iter().map(|(o, n)| format!("{n} {o}")).collect();
    printer.result(&format!("questions: {}", counts.join(", ")));
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A name from a file name may hold what moves a terminal's cursor.
fn shown(name: &str) -> String {
    name.chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

/// The first column to the left, the rest to the right.
pub(super) fn tell_table<R: AsRef<[String]>>(table: &[R], printer: &Printer) {
    let width = |column: usize| {
        table
            .iter()
            .map(|row| row.as_ref()[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    for row in table {
        let cells = row.as_ref().iter().enumerate().map(|(i, cell)| {
            let width = width(i);
            if i == 0 {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        printer.result(&format!("  {}", cells.collect::<Vec<_>>().join("  ")));
    }
}

/// A bias in log-odds as the Elo points that standing left is worth.
fn bias_elo(nats: f64) -> f64 {
    nats * ELO_PER_NAT
}
