//! The boards as plain text for a terminal, from the same views that the page is made of.

use super::anchored_view::anchored_section;
use super::board_view::{Note, board_view, figures, means_section, notes, rating_text};
use super::checklist_view::checklist_section;
use super::controlled_view::controlled_section;
use super::diagnosis_view::{categories_view, diagnosis_section};
use super::jury_view::jury_section;
use super::metric_view::{MetricTable, metric_columns, metric_rows, metric_tables, set_notes};
use super::mos_view::mos_view;
use super::section::{Section, joined};
use super::show::plural;
use super::table::{Table, Unit};
use super::table_view::{AgreementRow, agreement_columns, making_table, metric_agreement_columns};
use super::text_table::{ascii, text_table};
use super::words::PROBE_CAVEATS;
use crate::results::{CriterionBoard, CriterionCategories, CriterionControlled, Results, Voice};
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

/// The boards' caveats. Each is printed once, after all boards, with the boards it applies to.
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
            for (methods, boards) in groups {
                let boards = match boards.len() == self.num_boards {
                    true => String::new(),
                    false => format!("({})", boards.join("; ")),
                };
                let text = ascii(text);
                let parts = [methods.as_str(), &text, &boards].into_iter();
                let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
                let _ = writeln!(out, "  {}", parts.join(" "));
            }
        }
        out.push('\n');
    }
}

/// Boards, means, agreement, caveats, unjudgeable assets. Names without control characters.
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
        push_section(&mut out, &anchored_section(on), true);
    }
    for on in &results.unanchored {
        let text = format!("no anchored ratings: {}", ascii(&on.reason.to_string()));
        caveats.add(text, String::new(), &on.criterion);
    }
    for on in &results.controlled {
        let is_main = |other: &CriterionControlled| other.criterion == "overall";
        if detail == Detail::Full || is_main(on) || !results.controlled.iter().any(is_main) {
            push_section(&mut out, &controlled_section(on), true);
        }
    }
    for on in &results.uncontrolled {
        let text = format!("no style-controlled ratings: {}", ascii(&on.reason.to_string()));
        caveats.add(text, String::new(), &on.criterion);
    }
    if detail == Detail::Full {
        for on in &results.diagnoses {
            push_section(&mut out, &diagnosis_section(on), true);
        }
        for on in &results.categories {
            push_categories(&mut out, on);
        }
    }
    for means in &results.means {
        let section = means_section(means);
        push_titled(&mut out, &section, names_voices);
        out.push('\n');
        caveats.num_boards += 1;
        for note in section.notes {
            caveats.add(note, String::new(), &means.criterion);
        }
    }
    for view in results.mos.iter().map(mos_view) {
        push_titled(&mut out, &view.section, true);
        if !view.against.rows.is_empty() {
            out.push_str(&view.against.text());
        }
        out.push('\n');
    }
    for table in metric_tables(&results.metrics) {
        push_metrics(&mut out, &table);
    }
    push_agreement(&mut out, results);
    let juries = results.juries.iter().map(jury_section);
    for section in juries.chain(results.checklists.iter().map(checklist_section)) {
        push_section(&mut out, &section, true);
    }
    push_making(&mut out, results);
    caveats.push(&mut out);
    out
}

/// A heading, the table and the notes below it.
fn push_section(out: &mut String, section: &Section, names_voice: bool) {
    push_titled(out, section, names_voice);
    for note in &section.notes {
        let _ = writeln!(out, "  {}", ascii(note));
    }
    out.push('\n');
}

fn push_titled(out: &mut String, section: &Section, names_voice: bool) {
    let asked = match section.asked(names_voice) {
        none if none.is_empty() => none,
        asked => format!(" ({asked})"),
    };
    let asked = format!("{}{asked}", section.criterion);
    let title = match &*section.basis {
        "" => format!("{}: {asked}", section.what),
        basis => format!("{}: {basis}", joined([&asked, section.what])),
    };
    let _ = writeln!(out, "{}", ascii(&title));
    out.push_str(&section.table.text());
}

fn push_board(out: &mut String, on: &CriterionBoard, names_voice: bool, caveats: &mut Caveats) {
    let section = board_view(on, false).section;
    push_titled(out, &section, names_voice);
    for (name, value) in figures(on) {
        let _ = writeln!(out, "  {}", ascii(&format!("{name}: {value}")));
    }
    out.push('\n');
    caveats.num_boards += 1;
    let judged = if names_voice { &*section.voice } else { "" };
    let judged = if judged.is_empty() { String::new() } else { format!("judged by {judged}") };
    let board = ascii(&joined([&on.criterion, &judged]));
    for Note { text, methods } in notes(on) {
        caveats.add(text, ascii(&methods), &board);
    }
    if on.voice.is_measured() {
        for words in PROBE_CAVEATS {
            caveats.add(words.to_owned(), String::new(), &board);
        }
    }
}

/// What a reader of a board must know, as it is below the board in a terminal: figures, then
/// caveats with the methods that they are about.
pub fn board_notes(on: &CriterionBoard) -> Vec<String> {
    let figures = figures(on).into_iter().map(|(name, value)| format!("{name}: {value}"));
    let notes = notes(on).into_iter().map(|note| note.written());
    let mut found: Vec<String> = figures.chain(notes).map(|line| ascii(&line)).collect();
    if on.voice.is_measured() {
        found.extend(PROBE_CAVEATS.map(str::to_owned));
    }
    found
}

fn push_categories(out: &mut String, on: &CriterionCategories) {
    let view = categories_view(on);
    let Section { criterion, basis, .. } = &view.section;
    let asked = view.section.asked(true);
    let _ = writeln!(out, "by category: {criterion} ({}). {}", ascii(&asked), ascii(basis));
    for (category, table) in &view.categories {
        let _ = writeln!(out, "{}\n{}", ascii(category), table.text().trim_end_matches('\n'));
    }
    out.push('\n');
}

/// Ratings on all criteria, methods in the order of `main`.
fn push_side_by_side(out: &mut String, main: &CriterionBoard, boards: &[&CriterionBoard]) {
    if boards.len() < 2 {
        return;
    }
    out.push_str("ratings on all criteria\n");
    let criteria = boards.iter().map(|board| board.criterion.clone());
    let mut table = vec![std::iter::once("generator".to_owned()).chain(criteria).collect()];
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

/// Means by method with their ranks, then agreement with the voices.
fn push_metrics(out: &mut String, metrics: &MetricTable<'_>) {
    let title = metrics.title.to_lowercase();
    let numbers = if metrics.metrics.iter().any(|board| !board.sets.is_empty()) {
        "one number for each generator, 95 % intervals over assets"
    } else {
        "means, 95 % intervals, ranks"
    };
    let _ = writeln!(out, "{title}: {numbers}; {}", metrics.rule);
    for (board, head) in metrics.metrics.iter().zip(&metrics.table.heads[1..]) {
        let better = match head.arrow {
            "↓" => " (lower is better)",
            "↑" => " (higher is better)",
            _ => "",
        };
        let table = Table::new(&metric_columns(), &metric_rows(board), None);
        let _ = write!(out, "{}{better}\n{}", head.text, table.text());
        for row in &board.sets {
            let _ = writeln!(out, "  {}: {}", ascii(&row.method), set_notes(row).join("; "));
        }
    }
    out.push('\n');
    push_metric_agreement(out, metrics);
}

/// Agreement on the overall criterion with people and with all judges; the page has every line.
fn push_metric_agreement(out: &mut String, metrics: &MetricTable<'_>) {
    let all = &metrics.agreement;
    let has_whole = all.iter().any(|row| row.criterion == "overall");
    let people = Voice::People.to_string();
    let judges = Voice::AllJudges.to_string();
    let has_all = all.iter().any(|row| row.second == judges);
    let is_shown = |row: &&AgreementRow<'_>| {
        (row.criterion == "overall" || !has_whole)
            && ([&people, &judges].contains(&&row.second) || !has_all)
    };
    let shown: Vec<AgreementRow<'_>> = all.iter().filter(is_shown).cloned().collect();
    if !metrics.undecided.is_empty() {
        let names = metrics.undecided.join(", ");
        let _ = writeln!(out, "no pair was decided by both a voice and the metric: {names}\n");
    }
    if shown.is_empty() {
        return;
    }
    out.push_str("agreement of metrics with judges and people, with 95 % intervals\n");
    out.push_str(&Table::new(&metric_agreement_columns(), &shown, None).text());
    if shown.len() < all.len() {
        let more = plural(all.len() - shown.len(), "more line");
        let _ =
            writeln!(out, "  {more} (other criteria and single judges): see `meshjudge report`");
    }
    out.push('\n');
}

/// Of voices, and of people among themselves: the upper limit for a judge's agreement with them.
fn push_agreement(out: &mut String, results: &Results) {
    let rows = AgreementRow::all(results);
    if rows.is_empty() {
        return;
    }
    out.push_str("agreement, with 95 % intervals\n");
    out.push_str(&Table::new(&agreement_columns(), &rows, None).text());
    for found in &results.people {
        let alpha = Unit::Digits(2).estimate(found.agreement.alpha);
        let raters = plural(found.raters.len(), "rater");
        let about = format!("of {raters} on {} ({})", found.criterion, found.rubric);
        let alpha = if alpha.is_empty() { "-" } else { &alpha };
        let _ = writeln!(out, "  {}", ascii(&format!("Krippendorff's alpha {about}: {alpha}")));
    }
    out.push('\n');
}

fn push_making(out: &mut String, results: &Results) {
    let failed: Vec<_> = results.making.iter().filter(|found| found.failed > 0).collect();
    if !failed.is_empty() {
        let table = making_table(&failed).text();
        let _ = writeln!(out, "assets that could not be judged\n{table}");
    }
}
