//! The boards as plain text for a terminal, from the same sections that the page is made of.

use super::boards::written;
use super::sections::{Section, Verdict, audit_sections, chapters, joined, notes_of, verdict};
use super::table::{Style, Table};
use super::table_view::making_table;
use super::text_table::{ascii, text_table};
use crate::audit::JudgeFigures;
use crate::results::{CriterionBoard, Results};
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
    /// Ratings and means that were printed.
    num_boards: usize,
    /// Text → its boards, grouped by methods. In the order of first use.
    found: Vec<(String, Vec<Applies>)>,
}

impl Caveats {
    /// The notes of a section that are about many boards.
    fn add_all(&mut self, section: &Section, names_voice: bool) {
        self.num_boards += usize::from(section.what.is_empty());
        let voice = match names_voice && !section.voice.is_empty() {
            true => format!("judged by {}", section.voice),
            false => String::new(),
        };
        let board = ascii(&joined([&section.criterion, &voice]));
        for note in section.notes.iter().filter(|note| note.is_common) {
            self.add(note.text.clone(), ascii(&note.methods), &board);
        }
    }

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
    let chapters = chapters(results);
    for chapter in chapters.iter().filter(|it| detail == Detail::Full || !it.kind.is_detail) {
        let sections = &chapter.boards.sections;
        for group in groups(sections, detail) {
            let mut push = |section| {
                push_section(&mut out, section, chapter.names_voices);
                caveats.add_all(section, chapter.names_voices);
            };
            let figures: Option<Vec<_>> = group.iter().map(|section| figure_of(section)).collect();
            match figures.filter(|_| detail == Detail::Short && group.len() > 1) {
                Some(figures) => {
                    let is_overall = |section: &&Section| section.criterion == "overall";
                    let main = group.iter().position(is_overall).unwrap_or(0);
                    push(group[main]);
                    push_side_by_side(&mut out, main, &figures);
                }
                None => group.into_iter().for_each(push),
            }
        }
        for missing in &chapter.boards.missing {
            caveats.add(ascii(&missing.text), String::new(), &missing.criterion);
        }
    }
    push_making(&mut out, results);
    caveats.push(&mut out);
    out
}

/// Each judge's reliability in sentences, then the figures of all judges.
pub fn audit_text(judges: &[JudgeFigures]) -> String {
    let mut out = String::new();
    for Verdict { answer, notes, .. } in judges.iter().map(verdict) {
        let _ = writeln!(out, "{}", ascii(&written(&answer)));
        notes.iter().for_each(|note| push_line(&mut out, note));
    }
    out.push('\n');
    audit_sections(judges).iter().for_each(|section| push_section(&mut out, section, false));
    out
}

/// Sections by rubric and voice; all together where each is printed.
fn groups(sections: &[Section], detail: Detail) -> Vec<Vec<&Section>> {
    let mut groups: Vec<Vec<&Section>> = Vec::new();
    for section in sections {
        let key = |other: &Section| (other.rubric.clone(), other.voice.clone(), other.what);
        let is_same =
            |group: &&mut Vec<&Section>| detail == Detail::Full || key(group[0]) == key(section);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(section),
            None => groups.push(vec![section]),
        }
    }
    groups
}

fn push_section(out: &mut String, section: &Section, names_voice: bool) {
    let asked = match section.asked(names_voice) {
        none if none.is_empty() => none,
        asked => format!(" ({asked})"),
    };
    let heading = match (&*section.criterion, &*section.basis) {
        ("", basis) => format!("{}{asked}: {basis}", section.what),
        (criterion, "") => format!("{}: {criterion}{asked}", section.what),
        (criterion, basis) => {
            format!("{}: {basis}", joined([&format!("{criterion}{asked}"), section.what]))
        }
    };
    let _ = writeln!(out, "{}", ascii(&heading));
    for (heading, table) in &section.tables {
        if !heading.is_empty() {
            let _ = writeln!(out, "{}", ascii(heading));
        }
        out.push_str(&table.text());
    }
    for (name, value) in &section.figures {
        push_line(out, &format!("{name}: {value}"));
    }
    for note in section.notes.iter().filter(|note| !note.is_common) {
        push_line(out, &note.written());
    }
    out.push('\n');
}

fn push_line(out: &mut String, line: &str) {
    let _ = writeln!(out, "  {}", ascii(line));
}

/// A board's criterion and table, with its columns of names and of the figure that it is about.
type FigureOf<'a> = (&'a str, &'a Table, [usize; 2]);

fn figure_of(section: &Section) -> Option<FigureOf<'_>> {
    let table = &section.tables.first()?.1;
    let at = |style| table.heads.iter().position(|head| head.style == style);
    Some((&section.criterion, table, [at(Style::Name)?, at(Style::Main)?]))
}

/// The figure on all criteria, methods in the order of the main board.
fn push_side_by_side(out: &mut String, main: usize, boards: &[FigureOf<'_>]) {
    let (_, first, [name, figure]) = boards[main];
    let _ = writeln!(out, "{}s on all criteria", first.heads[figure].text);
    let criteria = boards.iter().map(|(criterion, ..)| (*criterion).to_owned());
    let mut lines = vec![std::iter::once("generator".to_owned()).chain(criteria).collect()];
    for row in &first.rows {
        let figures = boards.iter().map(|(_, table, [name_at, figure_at])| {
            let same = table.rows.iter().find(|other| other[*name_at] == row[name]);
            same.map_or("-".to_owned(), |other| ascii(&other[*figure_at].to_string()))
        });
        lines.push(std::iter::once(ascii(&row[name].to_string())).chain(figures).collect());
    }
    out.push_str(&text_table(&lines));
    out.push('\n');
}

/// What a reader of a board must know, as it is below the board in a terminal: figures, then
/// caveats with the methods that they are about.
pub fn board_notes(on: &CriterionBoard) -> Vec<String> {
    notes_of(on).iter().map(|note| ascii(note)).collect()
}

fn push_making(out: &mut String, results: &Results) {
    let failed: Vec<_> = results.making.iter().filter(|found| found.failed > 0).collect();
    if !failed.is_empty() {
        let table = making_table(&failed).text();
        let _ = writeln!(out, "assets that could not be judged\n{table}");
    }
}
