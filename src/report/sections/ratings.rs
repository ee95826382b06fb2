//! Ratings of one criterion by one voice: the leaderboard.

use super::row::{
    ELO, Row, criterion, interval, judge, lower_or_open, method, next_lower, of, plot, ranks, rows,
    rubric, win_rates,
};
use super::section::{BoardKind, Boards, Note, Section, csv_row, fields, tagged};
use crate::rate::{CLUSTERS_MIN, ELO_ORIGIN, ELO_PER_NAT, Estimate, Line};
use crate::report::ends::Ends;
use crate::report::show::{part_of, percent, plural};
use crate::report::table::Cell::{Count, Json, Main, MaybeText, Place};
use crate::report::table::{
    Column, Head, Marked, Shown, Style, TINTS, Table, bound_word, bounded, column, data, hinted,
    json_row,
};
use crate::report::words::{PROBE_CAVEATS, is_one_pair, one_sided};
use crate::results::{CriterionBoard, Results};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

pub(super) static KIND: BoardKind = BoardKind {
    id: "boards",
    menu: "Leaderboards",
    heading: "Leaderboards",
    hint: "",
    class: "plot",
    is_detail: false,
    rows: &[("rating", || fields(&columns())), ("criterion", Vec::new)],
    make,
};

type RatingRow<'a> = Row<'a, CriterionBoard, Line>;

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.boards {
        let (columns, rows) = (columns(), lines(on));
        made.csv.extend(rows.iter().map(|row| {
            let bias = on.board.left_bias.map(|(nats, _)| nats * ELO_PER_NAT);
            let more = [("prompts", json!(on.board.num_prompts)), ("left_bias_elo", json!(bias))];
            csv_row("rating", row.place, json_row(&columns, row), more)
        }));
        made.sections.push(section(on, Table::new(&columns, &rows, Some(ELO_ORIGIN))));
        made.rows.extend(tagged("rating", &columns, rows));
        made.rows.push(criterion_row(on));
    }
    made
}

fn lines(on: &CriterionBoard) -> Vec<RatingRow<'_>> {
    rows(on, of(&on.key), &on.board.lines, |line| &on.methods[line.method])
}

fn columns<'a>() -> Vec<Column<RatingRow<'a>>> {
    let inconsistent = "The two orders contradict each other; counted as a tie";
    vec![
        rubric(),
        criterion(),
        judge(),
        column(&[], "place", Place(|r| r.place)),
        method(),
        plot(|r| Some((r.line.rating, r.line.interval, r.line.rating))),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, r.line.bound))),
        data(&["bound"], MaybeText(|r| r.line.bound.map(bound_word))),
        interval(ELO, |r| r.line.interval),
        ranks(|r| r.line.ranks_all),
        next_lower(|r| lower_or_open(r.is_next_lower())),
        data(&["next_lower"], Json(|r| Some(r.is_next_lower().into()))),
        column(&["games"], "games", Count(|r| r.line.games)),
        hinted("Both orders say tie", column(&["ties"], "ties", Count(|r| r.line.ties))),
        hinted(
            inconsistent,
            column(&["inconsistent"], "inconsistent", Count(|r| r.line.inconsistent)),
        ),
        data(
            &["win_rates"],
            Json(|r| Some(win_rates(&r.on.methods, &r.on.board.win_rates, r.line.method))),
        ),
    ]
}

impl RatingRow<'_> {
    /// Whether it is established that the next line is lower.
    fn is_next_lower(&self) -> bool {
        let next = self.on.board.lines.get(self.place);
        next.is_some_and(|next| self.on.board.is_above(self.line.method, next.method))
    }
}

fn section(on: &CriterionBoard, table: Table) -> Section {
    let board = &on.board;
    let basis =
        format!("{} on {}", plural(board.num_units, "game"), plural(board.num_prompts, "prompt"));
    Section {
        figures: figures(on),
        notes: notes(on),
        matrix: matrix(on),
        ..Section::new(of(&on.key), "", basis, table)
    }
}

fn criterion_row(on: &CriterionBoard) -> Value {
    let board = &on.board;
    let interval = board.left_bias.and_then(|(_, interval)| interval);
    let points = |nats: f64| nats * ELO_PER_NAT;
    json!({
        "kind": "criterion", "rubric": on.key.rubric(), "criterion": on.key.criterion(), "judge": on.key.voice.to_string(),
        "prompts": board.num_prompts, "games": board.num_units, "both_orders": board.num_both_orders,
        "inconsistent": board.num_inconsistent, "undecided": on.undecided, "both_bad": on.both_bad, "forfeits": on.forfeits,
        "left_bias_elo": board.left_bias.map(|(bias, _)| points(bias)),
        "left_bias_low": interval.map(|i| points(i.low)), "left_bias_high": interval.map(|i| points(i.high)),
        "davidson_nu": board.tie, "only_won": board.only_won.iter().map(|m| &on.methods[*m]).collect::<Vec<_>>(),
    })
}

/// `1094`, or `≥ 1094` where nothing but the prior keeps it there.
pub(in super::super) fn rating_text(line: &Line) -> String {
    bounded(line.rating, line.bound)
}

/// The expected share of wins of each line against each column, with its tint from always loses to
/// always wins; without a tint on the diagonal and where the two never met. None for two objects of
/// one prompt, which are no tournament.
fn matrix(on: &CriterionBoard) -> Option<Table> {
    if on.board.lines.len() < 2 || is_one_pair(on) {
        return None;
    }
    let order: Vec<usize> = on.board.lines.iter().map(|line| line.method).collect();
    let cell = |i: usize, j: usize| {
        let (wins, losses, ties) = (on.wins[i][j], on.wins[j][i], on.ties[i][j]);
        let met = wins + losses + ties;
        if i == j || met == 0.0 {
            let title = if i == j { "" } else { "never met" }.to_owned();
            return Shown::Marked(Marked { title, ..Marked::default() });
        }
        let Estimate { value: share, interval } = on.board.win_rates[i][j];
        let end = |share: f64| format!("{:.0}", 100.0 * share);
        let (row, column) = (&on.methods[i], &on.methods[j]);
        let [won, lost, tied] = [wins, losses, ties].map(count);
        Shown::Marked(Marked {
            value: percent(share),
            interval: Ends::interval(interval, end).joined("–"),
            below: vec![match ties {
                0.0 => format!("{won}–{lost}"),
                _ => format!("{won}–{lost}, {tied}\u{a0}="),
            }],
            tint: Some(((share - 0.5) * 2.0 * TINTS).round() as i32),
            title: format!("{row} against {column}: {won} won, {lost} lost, {tied} tied"),
            ..Marked::default()
        })
    };
    let heads = order.iter().map(|&i| Head::new(&on.methods[i], Style::Group));
    let row = |&i: &usize| {
        let cells = order.iter().map(|&j| cell(i, j));
        std::iter::once(Shown::Text(on.methods[i].clone())).chain(cells).collect()
    };
    Some(Table {
        heads: std::iter::once(Head::new("generator", Style::Name)).chain(heads).collect(),
        rows: order.iter().map(row).collect(),
    })
}

/// Half games appear where only one order was answered.
fn count(games: f64) -> String {
    if games.fract() == 0.0 { format!("{games:.0}") } else { format!("{games:.1}") }
}

/// Name and value of the figures below a board that are not trivial.
fn figures(on: &CriterionBoard) -> Vec<(String, String)> {
    let board = &on.board;
    let counted = |count: usize, what: &str| (count > 0).then(|| plural(count, what));
    let inconsistent = (board.num_both_orders > 0).then(|| {
        let share = board.num_inconsistent as f64 / board.num_both_orders as f64;
        let pairs = part_of(board.num_inconsistent, board.num_both_orders, "pair");
        format!("{pairs} asked in both orders ({})", percent(share))
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
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}

/// What a reader of the board must know, figures first.
pub(in super::super) fn notes_of(on: &CriterionBoard) -> Vec<String> {
    let figures = figures(on).into_iter().map(|(name, value)| format!("{name}: {value}"));
    figures.chain(notes(on).iter().map(Note::written)).collect()
}

fn notes(on: &CriterionBoard) -> Vec<Note> {
    let board = &on.board;
    let mut notes = Vec::new();
    let mut add = |text: String, methods: String| {
        notes.push(Note { methods, is_common: true, ..Note::new(text) });
    };
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
    if on.key.voice.is_measured() {
        let caveats = PROBE_CAVEATS.iter();
        notes.extend(caveats.map(|words| Note { is_common: true, ..Note::new(*words) }));
    }
    notes
}

/// A name without what people spell differently.
fn folded(name: &str) -> String {
    let kept = name.nfkc().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    kept.collect::<String>().to_lowercase()
}
