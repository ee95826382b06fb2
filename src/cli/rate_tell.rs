//! Boards and means as tables for people and rows for programs.

use super::Printer;
use super::rate::bias_elo;
use crate::rate::{Board, CLUSTERS_MIN, Interval, Score, mean};
use serde_json::json;
use std::collections::BTreeMap;

/// The 97.5 % point of the normal distribution.
const NORMAL_95: f64 = 1.96;

/// One criterion's leaderboard. `on` is (rubric, criterion).
pub(super) fn tell_board(
    on: &(String, String),
    methods: &[String],
    board: &Board,
    undecided: usize,
    printer: &Printer,
) {
    let (rubric, criterion) = on;
    board_rows(on, methods, board, undecided, printer);
    let prompts = plural(board.num_prompts, "prompt");
    let games = plural(board.num_units, "game");
    printer.result(&format!("{criterion} ({rubric}): {games} on {prompts}"));
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
                format!("{:.0} %", 100.0 * beats[line.method][next.method])
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
    if board.num_units > board.num_both_orders {
        printer.result(&format!(
            "  one order only: {}, counted half; position bias is still in them",
            plural(board.num_units - board.num_both_orders, "game")
        ));
    }
    if undecided > 0 {
        printer.result(&format!(
            "  undecided, not counted: {}",
            plural(undecided, "answer")
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

fn board_rows(
    (rubric, criterion): &(String, String),
    methods: &[String],
    board: &Board,
    undecided: usize,
    printer: &Printer,
) {
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
            "kind": "rating", "rubric": rubric, "criterion": criterion, "method": methods[line.method], "rating": line.rating,
            "low": line.interval.map(|i| i.low), "high": line.interval.map(|i| i.high),
            "rank_low": line.ranks.map(|r| r.0), "rank_high": line.ranks.map(|r| r.1),
            "games": line.games, "ties": line.ties, "inconsistent": line.inconsistent, "beats": beats,
        }));
    }
    let bias = board.left_bias;
    let interval = bias.and_then(|(_, interval)| interval);
    printer.row(&json!({
        "kind": "criterion", "rubric": rubric, "criterion": criterion, "prompts": board.num_prompts, "games": board.num_units,
        "both_orders": board.num_both_orders, "inconsistent": board.num_inconsistent, "undecided": undecided,
        "left_bias_elo": bias.map(|(b, _)| bias_elo(b)),
        "left_bias_low": interval.map(|i| bias_elo(i.low)), "left_bias_high": interval.map(|i| bias_elo(i.high)),
        "davidson_nu": board.tie, "only_won": board.only_won.iter().map(|m| &methods[*m]).collect::<Vec<_>>(),
    }));
}

/// Means of one score by method, best first.
pub(super) fn tell_scores(on: &(String, String), said: &[(String, Score)], printer: &Printer) {
    let (rubric, criterion) = on;
    let mut by_method: BTreeMap<&str, Vec<Score>> = BTreeMap::new();
    for (method, score) in said {
        by_method.entry(method).or_default().push(*score);
    }
    let mut means: Vec<_> = (by_method.iter())
        .filter_map(|(method, scores)| Some((*method, mean(scores)?)))
        .collect();
    means.sort_by(|x, y| y.1.mean.total_cmp(&x.1.mean).then(x.0.cmp(y.0)));
    printer.result(&format!(
        "{criterion} ({rubric}): {}",
        plural(said.len(), "score")
    ));
    let mut table =
        vec![["method", "mean", "95 % interval", "scores", "prompts"].map(str::to_owned)];
    for (method, found) in means {
        let half = found.standard_error.map(|e| NORMAL_95 * e);
        let (low, high) = (half.map(|h| found.mean - h), half.map(|h| found.mean + h));
        printer.row(&json!({
            "kind": "mean", "rubric": rubric, "criterion": criterion, "method": method, "mean": found.mean,
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

/// How all questions ended.
pub(super) fn tell_outcomes(outcomes: &BTreeMap<&str, usize>, printer: &Printer) {
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
fn tell_table<const N: usize>(table: &[[String; N]], printer: &Printer) {
    let width = |column: usize| {
        table
            .iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    for row in table {
        let cells = row.iter().enumerate().map(|(i, cell)| {
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
