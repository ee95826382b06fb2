//! The boards as plain text for a terminal, from the same views that the page is made of.

use super::anchored_view::anchored_view;
use super::board_view::{
    BoardView, Figure, Note, board_view, figures, mean_columns, means_view, notes, rating_text,
};
use super::columns::{Cell, Columns};
use super::controlled_view::controlled_view;
use super::diagnosis_view::{categories_view, diagnosis_view};
use super::metric_view::{MetricTable, metric_agreement_columns, metric_tables};
use super::mos_view::{MosView, mos_view};
use super::show::{plural, title};
use super::table_view::{AgreementView, agreement_view, making_view, plain};
use super::text_table::{ascii, dash_if_empty, text_table, words};
use super::words::{PROBE_CAVEATS, is_measured};
use crate::rate::{AgreementRates, CLUSTERS_MIN, Interval};
use crate::results::{
    CriterionAnchored, CriterionBoard, CriterionCategories, CriterionControlled,
    CriterionDiagnosis, CriterionMeans, PeopleAgreement, Results, Voice,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Which boards are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Every board, with the sensitivity of its order.
    Full,
    /// For each rubric and voice the main board, and the ratings of the other boards in one table.
    Short,
}

/// The methods that a caveat is about (often none), and the boards.
type Applies = (String, Vec<String>);

/// Caveats of the boards. Each text is printed once, after all boards, with the boards to which it applies.
#[derive(Debug, Default)]
struct Caveats {
    /// Boards that were printed.
    num_boards: usize,
    /// Text → its boards, grouped by methods. In the order of first use.
    found: Vec<(String, Vec<Applies>)>,
}

impl Caveats {
    fn add(&mut self, text: String, methods: String, board: &str) {
        let at = self.found.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
            self.found.push((text, Vec::new()));
            self.found.len() - 1
        });
        let groups = &mut self.found[at].1;
        match groups.iter_mut().find(|(known, _)| *known == methods) {
            Some((_, boards)) => boards.push(board.to_owned()),
            None => groups.push((methods, vec![board.to_owned()])),
        }
    }

    /// Leaves out the names of the boards where a caveat applies to all of them.
    fn push(&self, out: &mut String) {
        if self.found.is_empty() {
            return;
        }
        out.push_str("notes\n");
        for (text, groups) in &self.found {
            let group = |(methods, boards): &Applies| {
                let boards = if boards.len() == self.num_boards {
                    String::new()
                } else {
                    format!("({})", boards.join(", "))
                };
                let parts = [methods.clone(), boards];
                let parts = parts.into_iter().filter(|part| !part.is_empty());
                parts.collect::<Vec<_>>().join(" ")
            };
            let groups: Vec<String> = groups.iter().map(group).collect();
            let colon = if groups[0].is_empty() || groups[0].starts_with('(') { " " } else { ": " };
            let line = format!("  {text}{colon}{}", groups.join("; "));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out.push('\n');
    }
}

/// Boards, means, agreement, caveats, and assets that could not be judged. Names are shown without control characters.
pub fn results_text(results: &Results, detail: Detail) -> String {
    let mut out = String::new();
    let mut caveats = Caveats::default();
    let names_voices = results.spending.len() > 1;
    if detail == Detail::Full || results.boards.len() < 2 {
        for board in &results.boards {
            push_board(&mut out, board, names_voices, &mut caveats);
        }
    } else {
        let voices: BTreeSet<&Voice> = results.boards.iter().map(|board| &board.voice).collect();
        let rubrics: BTreeSet<&String> = results.boards.iter().map(|b| &b.rubric).collect();
        for rubric in rubrics {
            for voice in &voices {
                let boards: Vec<&CriterionBoard> = results
                    .boards
                    .iter()
                    .filter(|board| board.voice == **voice && board.rubric == *rubric)
                    .collect();
                let overall = boards.iter().find(|board| board.criterion == "overall");
                if let Some(main) = overall.or(boards.first()) {
                    push_board(&mut out, main, names_voices, &mut caveats);
                    push_side_by_side(&mut out, main, &boards);
                }
            }
        }
    }
    for on in &results.anchored {
        push_anchored(&mut out, on);
    }
    for on in &results.unanchored {
        let text = format!("no anchored ratings: {}", ascii(&on.reason.to_string()));
        caveats.add(text, String::new(), &on.criterion);
    }
    for on in &results.controlled {
        let is_main = |other: &CriterionControlled| other.criterion == "overall";
        if detail == Detail::Full || is_main(on) || !results.controlled.iter().any(is_main) {
            push_controlled(&mut out, on);
        }
    }
    for on in &results.uncontrolled {
        let text = format!("no style-controlled ratings: {}", ascii(&on.reason.to_string()));
        caveats.add(text, String::new(), &on.criterion);
    }
    if detail == Detail::Full {
        for on in &results.diagnoses {
            push_diagnosis(&mut out, on);
        }
        for on in &results.categories {
            push_categories(&mut out, on);
        }
    }
    for means in &results.means {
        push_means(&mut out, means, names_voices, &mut caveats);
    }
    for on in &results.mos {
        push_mos(&mut out, &mos_view(on));
    }
    for table in metric_tables(&results.metrics) {
        push_metrics(&mut out, &table);
    }
    push_agreement(&mut out, results);
    for found in &results.people {
        push_people(&mut out, found);
    }
    push_making(&mut out, results);
    caveats.push(&mut out);
    out
}

fn push_columns(out: &mut String, columns: &Columns) {
    let cells = |row: &Vec<Cell>| row.iter().map(Cell::plain).collect();
    let rows = columns.rows.iter().map(cells);
    let rows: Vec<Vec<String>> = std::iter::once(words(&columns.heads)).chain(rows).collect();
    out.push_str(&text_table(&rows));
}

/// The findings of one table, below it.
fn push_notes(out: &mut String, notes: &[String]) {
    for note in notes {
        let _ = writeln!(out, "  {}", ascii(note));
    }
    out.push('\n');
}

fn judged_by(voice: &str, names_voice: bool) -> String {
    if names_voice { format!(", judged by {}", ascii(voice)) } else { String::new() }
}

fn push_board(out: &mut String, on: &CriterionBoard, names_voice: bool, caveats: &mut Caveats) {
    let view = board_view(on, 0, false);
    let BoardView { rubric, criterion, voice, basis, .. } = &view;
    let judged = judged_by(voice, names_voice);
    let _ = writeln!(out, "{criterion} ({rubric}{judged}): {}", ascii(basis));
    push_columns(out, &view.columns());
    for line in figures(on).into_iter().filter_map(figure_line) {
        let _ = writeln!(out, "  {line}");
    }
    out.push('\n');
    caveats.num_boards += 1;
    let board = format!("{criterion}{judged}");
    for note in notes(on) {
        let (text, methods) = caveat(&note);
        caveats.add(text, methods, &board);
    }
    if is_measured(on) {
        for words in PROBE_CAVEATS {
            caveats.add(words.to_owned(), String::new(), &board);
        }
    }
}

/// What a reader of a board must know, as it is below the board in a terminal: figures, then caveats with the methods that they are about.
pub fn board_notes(on: &CriterionBoard) -> Vec<String> {
    let mut found: Vec<String> = figures(on).into_iter().filter_map(figure_line).collect();
    found.extend(notes(on).iter().map(|note| match caveat(note) {
        (text, methods) if methods.is_empty() => text,
        (text, methods) => format!("{text}: {methods}"),
    }));
    if is_measured(on) {
        found.extend(PROBE_CAVEATS.map(str::to_owned));
    }
    found
}

fn push_anchored(out: &mut String, on: &CriterionAnchored) {
    let view = anchored_view(on, 0);
    let _ = writeln!(
        out,
        "{} ({}), anchored in people's votes: {}",
        on.criterion,
        on.rubric,
        ascii(&view.basis)
    );
    push_columns(out, &view.columns());
    push_notes(out, &view.notes);
}

fn push_controlled(out: &mut String, on: &CriterionControlled) {
    let view = controlled_view(on);
    let _ = writeln!(
        out,
        "{} ({}, judged by {}), style-controlled: {}",
        on.criterion,
        on.rubric,
        ascii(&view.voice),
        ascii(&view.basis)
    );
    push_columns(out, &view.columns());
    push_notes(out, &view.notes);
}

fn push_diagnosis(out: &mut String, on: &CriterionDiagnosis) {
    let view = diagnosis_view(on);
    let _ = writeln!(
        out,
        "sensitivity of the order: {} ({}, judged by {})",
        on.criterion,
        on.rubric,
        ascii(&view.voice)
    );
    push_columns(out, &view.columns());
    push_notes(out, &view.notes);
}

fn push_categories(out: &mut String, on: &CriterionCategories) {
    let view = categories_view(on);
    let _ = writeln!(
        out,
        "by category: {} ({}, judged by {}). {}",
        on.criterion,
        on.rubric,
        ascii(&view.voice),
        ascii(&view.basis)
    );
    for (k, head) in view.heads.iter().enumerate() {
        let _ = writeln!(out, "{}", ascii(&format!("{} ({})", head.0, head.1)));
        push_columns(out, &view.columns(k));
    }
    out.push('\n');
}

fn figure_line(figure: Figure) -> Option<String> {
    let games = |count: usize| ascii(&plural(count, "game"));
    Some(match figure {
        Figure::Inconsistent(found, of) => format!(
            "inconsistent: {found} of {} asked in both orders ({:.0} %)",
            ascii(&plural(of, "pair")),
            100.0 * found as f64 / of as f64
        ),
        Figure::LeftBias(bias, interval) => {
            let interval = interval.map_or(String::new(), |Interval { low, high }| {
                format!(" (95 % {low:+.0} to {high:+.0})")
            });
            format!("left/right bias: {bias:+.0} points for the left side{interval}")
        }
        Figure::OneOrder(count) => {
            format!("one order only: {}, counted half; they include position bias", games(count))
        }
        Figure::Forfeits(count) => format!("lost by a missing asset: {}", games(count)),
        Figure::Undecided(count) => {
            format!("undecided, not counted: {}", ascii(&plural(count, "answer")))
        }
        Figure::BothBad(count) => {
            format!("both are bad, counted as ties: {}", ascii(&plural(count, "answer")))
        }
        Figure::TieShare(_) => return None,
    })
}

/// A caveat, and the methods that it is about.
fn caveat(note: &Note) -> (String, String) {
    match note {
        Note::NoIntervals => (
            format!(
                "no intervals: they need at least {CLUSTERS_MIN} prompts and bootstrap samples"
            ),
            String::new(),
        ),
        Note::SomeWithoutInterval => (
            "no interval where all prompts agree: the spread is unknown, not 0".to_owned(),
            String::new(),
        ),
        Note::OnlyWon(names) => (
            "won every game against the rest, so the size of the lead depends on the prior"
                .to_owned(),
            ascii(&names.join(", ")),
        ),
    }
}

/// Ratings on all criteria, methods in the order of `main`.
fn push_side_by_side(out: &mut String, main: &CriterionBoard, boards: &[&CriterionBoard]) {
    if boards.len() < 2 {
        return;
    }
    out.push_str("ratings on all criteria\n");
    let criteria = boards.iter().map(|board| board.criterion.replace('_', " "));
    let mut table = vec![std::iter::once("method".to_owned()).chain(criteria).collect()];
    for line in &main.board.lines {
        let name = &main.methods[line.method];
        let rating = |board: &&CriterionBoard| {
            let mut lines = board.board.lines.iter();
            let same = lines.find(|line| board.methods[line.method] == *name);
            same.map_or("-".to_owned(), |line| ascii(&rating_text(line)))
        };
        let ratings = boards.iter().map(rating);
        table.push(std::iter::once(ascii(name)).chain(ratings).collect());
    }
    out.push_str(&text_table(&table));
    out.push('\n');
}

fn push_means(out: &mut String, on: &CriterionMeans, names_voice: bool, caveats: &mut Caveats) {
    let view = means_view(on);
    let num_scores = view.lines.iter().map(|line| line.num_scores).sum();
    let _ = writeln!(
        out,
        "{} ({}{}): {}",
        on.criterion,
        on.rubric,
        judged_by(&view.voice, names_voice),
        ascii(&plural(num_scores, "score"))
    );
    push_columns(out, &mean_columns(&view.lines));
    out.push('\n');
    caveats.num_boards += 1;
    for words in &view.notes {
        caveats.add((*words).to_owned(), String::new(), &on.criterion);
    }
}

fn push_mos(out: &mut String, view: &MosView) {
    let _ = writeln!(out, "{}, mean opinion scores: {}", view.criterion, ascii(&view.basis));
    push_columns(out, &mean_columns(&view.lines));
    if !view.against.is_empty() {
        push_columns(out, &view.against_columns());
    }
    out.push('\n');
}

/// Means by method with their ranks, then agreement with the voices.
fn push_metrics(out: &mut String, table: &MetricTable) {
    let _ = writeln!(
        out,
        "{}: means, 95 % intervals, ranks; {}",
        table.title.to_lowercase(),
        table.rule
    );
    for (k, head) in table.heads.iter().enumerate() {
        let better = match head.arrow {
            "↓" => " (lower is better)",
            "↑" => " (higher is better)",
            _ => "",
        };
        let _ = writeln!(out, "{}{better}", head.name);
        let cells = table.lines.iter().map(|line| (&line.method, &line.cells[k]));
        let rows: Vec<Vec<String>> = cells
            .map(|(method, cell)| match cell {
                Some(cell) => {
                    let ranks = dash_if_empty(&cell.ranks.replace('–', "-"));
                    let ranks = if cell.missing.is_empty() {
                        ranks
                    } else {
                        format!("{ranks} ({})", cell.missing)
                    };
                    vec![ascii(method), cell.mean.clone(), dash_if_empty(&cell.interval), ranks]
                }
                None => vec![ascii(method), "-".into(), "-".into(), "-".into()],
            })
            .collect();
        out.push_str(&text_table(&rows));
    }
    out.push('\n');
    push_metric_agreement(out, table);
}

/// Agreement on the overall criterion with people and with all judges; the page has every line.
fn push_metric_agreement(out: &mut String, table: &MetricTable) {
    let all = &table.agreement;
    let whole = title("overall");
    let is_on_whole = |view: &&AgreementView| {
        view.criterion == whole || !all.iter().any(|other| other.criterion == whole)
    };
    let people = Voice::People.to_string();
    let judges = Voice::AllJudges.to_string();
    let is_of_all = |view: &&AgreementView| {
        [&people, &judges].contains(&&view.second)
            || !all.iter().any(|other| other.second == judges)
    };
    let shown: Vec<&AgreementView> = all.iter().filter(is_on_whole).filter(is_of_all).collect();
    if !table.undecided.is_empty() {
        let names = table.undecided.join(", ");
        let _ = writeln!(out, "no pair was decided by both a voice and the metric: {names}\n");
    }
    if shown.is_empty() {
        return;
    }
    out.push_str("agreement of metrics with judges and people, with 95 % intervals\n");
    push_columns(out, &metric_agreement_columns(&shown));
    if shown.len() < all.len() {
        let more = plural(all.len() - shown.len(), "more line");
        let _ =
            writeln!(out, "  {more} (other criteria and single judges): see `meshjudge report`");
    }
    out.push('\n');
}

fn push_agreement(out: &mut String, results: &Results) {
    if results.agreement.is_empty() {
        return;
    }
    out.push_str("agreement, with 95 % intervals\n");
    let mut table = vec![words(&[
        "criterion",
        "between",
        "and",
        "pairs",
        "same where both decided",
        "same with ties",
        "kappa",
        "Kendall",
        "Spearman",
    ])];
    for found in &results.agreement {
        let view = agreement_view(found);
        table.push(vec![
            format!("{} ({})", found.criterion, found.rubric),
            ascii(&view.first),
            ascii(&view.second),
            view.pairs.to_string(),
            dash_if_empty(&view.on_decided),
            dash_if_empty(&view.with_ties),
            dash_if_empty(&view.kappa),
            dash_if_empty(&view.kendall),
            dash_if_empty(&view.spearman),
        ]);
    }
    out.push_str(&text_table(&table));
    out.push('\n');
}

/// Agreement among people: the upper limit for a judge's agreement with them.
fn push_people(out: &mut String, found: &PeopleAgreement) {
    let row = |what: &str, same: &AgreementRates| {
        let view = super::table_view::sameness_view("", [String::new(), String::new()], same);
        vec![
            what.to_owned(),
            view.pairs.to_string(),
            dash_if_empty(&view.on_decided),
            dash_if_empty(&view.with_ties),
            dash_if_empty(&view.kappa),
        ]
    };
    let raters = &found.agreement;
    let _ = writeln!(
        out,
        "agreement among people on {} ({}): {}",
        found.criterion,
        found.rubric,
        ascii(&plural(found.raters.len(), "rater"))
    );
    out.push_str(&text_table(&[
        words(&["", "pairs", "same where both decided", "same with ties", "kappa"]),
        row("rater against rater", &raters.pairwise),
        row("rater against the others' majority", &raters.rest),
    ]));
    let alpha = dash_if_empty(&plain(raters.alpha));
    let _ = write!(out, "  Krippendorff's alpha: {alpha}\n\n");
}

fn push_making(out: &mut String, results: &Results) {
    if results.making.iter().all(|found| found.failed == 0) {
        return;
    }
    out.push_str("assets that could not be judged\n");
    let mut table = vec![words(&["method", "failed", "of", "where"])];
    let failed = results.making.iter().filter(|found| found.failed > 0);
    table.extend(failed.map(making_view).map(|view| {
        vec![ascii(&view.method), view.failed.to_string(), view.wanted.to_string(), view.stages]
    }));
    out.push_str(&text_table(&table));
    out.push('\n');
}
