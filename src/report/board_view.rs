//! Boards and means as they are written, with the win matrix, further figures and notes.

use super::board_columns::{mean_columns, mean_rows, rating_columns, rating_rows};
use super::section::Section;
use super::show::{capital, percent, plural};
use super::table::{Table, bounded};
use super::words::{SCORED, one_sided};
use crate::rate::{CLUSTERS_MIN, ELO_ORIGIN, ELO_PER_NAT, Estimate, Line};
use crate::results::{CriterionBoard, CriterionMeans};
use serde::Serialize;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

/// Steps of the heat map on each side of even.
const TINTS: f64 = 5.0;

/// One cell of the win matrix.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct CellView {
    /// The expected share of wins: `75 %`.
    pub share: String,
    /// Its 95 % interval: `62–84`.
    pub interval: String,
    /// `9–2`, and ties after it.
    pub record: String,
    /// −5 (always loses) to 5 (always wins); none on the diagonal and where the two never met.
    pub tint: Option<i32>,
    pub aria: String,
}

/// A leaderboard as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct BoardView {
    #[serde(flatten)]
    pub section: Section,
    pub is_primary: bool,
    /// Methods in the order of their places.
    methods: Vec<String>,
    /// Rows and columns in the same order.
    matrix: Vec<Vec<CellView>>,
    /// Name and value of further figures.
    pub figures: Vec<(String, String)>,
}

pub(super) fn board_view(on: &CriterionBoard, is_primary: bool) -> BoardView {
    let board = &on.board;
    let basis =
        format!("{} on {}", plural(board.num_units, "game"), plural(board.num_prompts, "prompt"));
    let table = Table::new(&rating_columns(), &rating_rows(on), Some(ELO_ORIGIN));
    let of = [&*on.rubric, &*on.criterion, &on.voice.to_string()];
    let notes = notes(on);
    let sentences = notes.iter().map(|note| capital(&note.written()) + ".");
    BoardView {
        section: Section::new(of, "", basis, table, sentences.collect()),
        is_primary,
        methods: board.lines.iter().map(|line| on.methods[line.method].clone()).collect(),
        matrix: matrix(on),
        figures: figures(on).into_iter().map(|(name, value)| (capital(name), value)).collect(),
    }
}

/// `1094`, or `≥ 1094` where nothing but the prior keeps it there.
pub(super) fn rating_text(line: &Line) -> String {
    bounded(line.rating, line.bound)
}

fn matrix(on: &CriterionBoard) -> Vec<Vec<CellView>> {
    let order: Vec<usize> = on.board.lines.iter().map(|line| line.method).collect();
    let cell = |i: usize, j: usize| {
        let (wins, losses, ties) = (on.wins[i][j], on.wins[j][i], on.ties[i][j]);
        let met = wins + losses + ties;
        if i == j || met == 0.0 {
            let aria = if i == j { "" } else { "never met" };
            return CellView {
                share: String::new(),
                interval: String::new(),
                record: String::new(),
                tint: None,
                aria: aria.to_owned(),
            };
        }
        let Estimate { value: share, interval } = on.board.win_rates[i][j];
        let end = |share: f64| format!("{:.0}", 100.0 * share);
        let (row, column) = (&on.methods[i], &on.methods[j]);
        CellView {
            share: percent(share),
            interval: interval.map_or(String::new(), |i| format!("{}–{}", end(i.low), end(i.high))),
            record: match ties {
                0.0 => format!("{}–{}", count(wins), count(losses)),
                _ => format!("{}–{}, {}\u{a0}=", count(wins), count(losses), count(ties)),
            },
            tint: Some(((share - 0.5) * 2.0 * TINTS).round() as i32),
            aria: format!(
                "{row} against {column}: {} won, {} lost, {} tied",
                count(wins),
                count(losses),
                count(ties)
            ),
        }
    };
    let row = |&i: &usize| order.iter().map(|&j| cell(i, j)).collect();
    order.iter().map(row).collect()
}

/// Half games appear where only one order was answered.
fn count(games: f64) -> String {
    if games.fract() == 0.0 { format!("{games:.0}") } else { format!("{games:.1}") }
}

/// Name and value of the figures below a board that are not trivial.
pub(super) fn figures(on: &CriterionBoard) -> Vec<(&'static str, String)> {
    let board = &on.board;
    let counted = |count: usize, what: &str| (count > 0).then(|| plural(count, what));
    let inconsistent = counted(board.num_both_orders, "pair").map(|pairs| {
        let share = board.num_inconsistent as f64 / board.num_both_orders as f64;
        format!("{} of {pairs} asked in both orders ({})", board.num_inconsistent, percent(share))
    });
    let points = |nats: f64| format!("{:+.0}", nats * ELO_PER_NAT).replace('-', "−");
    let bias = board.left_bias.map(|(bias, interval)| {
        let interval = interval.map_or(String::new(), |i| {
            format!(" (95\u{a0}% {} to {})", points(i.low), points(i.high))
        });
        format!("{} points for the left side{interval}", points(bias))
    });
    let bias_text =
        if board.fits_bias { "less the left/right bias" } else { "they include position bias" };
    let one_order = counted(board.num_one_order, "game")
        .map(|games| format!("{games}, counted half; {bias_text}"));
    [
        ("inconsistent", inconsistent),
        ("left/right bias", bias),
        ("one order only", one_order),
        ("lost by a missing asset", counted(on.forfeits, "game")),
        ("undecided, not counted", counted(on.undecided, "answer")),
        ("both are bad, counted as ties", counted(on.both_bad, "answer")),
        ("Davidson’s ν", board.tie.map(|nu| format!("{nu:.2}"))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}

/// What a reader of a board must know.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Note {
    pub text: String,
    /// The generators that it is about, the subject of the sentence; often none.
    pub methods: String,
}

/// The notes that apply.
pub(super) fn notes(on: &CriterionBoard) -> Vec<Note> {
    let board = &on.board;
    let mut notes = Vec::new();
    let mut add = |text: String, methods: String| notes.push(Note { text, methods });
    if on.without_probe {
        add("without probe, since models answered too".to_owned(), String::new());
    }
    if board.orders.is_none() {
        let text = "no intervals: they need at least";
        add(format!("{text} {CLUSTERS_MIN} prompts"), String::new());
    } else if board.lines.iter().any(|line| line.interval.is_none()) {
        let why = "prompts, or the same result on every prompt";
        add(format!("– means no interval: fewer than {CLUSTERS_MIN} {why}"), String::new());
    }
    if let Some((names, text)) = one_sided(on) {
        add(text.to_owned(), names.join(", "));
    }
    let mut spelt: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in &board.lines {
        let name = &*on.methods[line.method];
        spelt.entry(folded(name)).or_default().push(name);
    }
    for alike in spelt.into_values().filter(|alike| alike.len() > 1) {
        let text = "are rated apart, but their names differ only in case, spaces, hyphens, underscores or Unicode form";
        add(text.to_owned(), alike.join(", "));
    }
    notes
}

/// A name without what people spell differently.
fn folded(name: &str) -> String {
    let kept = name.nfkc().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    kept.collect::<String>().to_lowercase()
}

impl Note {
    pub(super) fn written(&self) -> String {
        let space = if self.methods.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.methods, self.text)
    }
}

pub(super) fn means_section(on: &CriterionMeans) -> Section {
    let num_scores = on.means.iter().map(|(_, mean)| mean.num_scores).sum();
    let table = Table::new(&mean_columns(), &mean_rows(on), None);
    let of = [&*on.rubric, &*on.criterion, &on.voice.to_string()];
    let notes: &[&str] = if on.voice.is_measured() { &SCORED } else { &[] };
    let notes = notes.iter().map(|note| (*note).to_owned()).collect();
    let lower = if on.is_lower_better { ", share of defects: lower is better" } else { "" };
    Section::new(of, "", plural(num_scores, "score") + lower, table, notes)
}
