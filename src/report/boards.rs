//! The boards without pictures: as Markdown for people, as JSON and CSV for programs.

use super::RunReport;
use super::csv::{csv_cell, csv_line};
use super::paper_table::rating_tables;
use super::sections::{KINDS, Section, chapters_after, joined};
use super::show::capital;
use super::table::Table;
use super::table_view::{asset_failures, judge_columns};
use super::text_table::{escaped, escaped_whole};
use super::words::{Sentence, Span, headline};
use serde_json::{Value, json};
use std::fmt::Write;

/// All of [`crate::results::Results`] with its provenance and the headline; one JSON object.
pub fn boards_json(report: &RunReport) -> Value {
    let headline = headline(report);
    json!({
        "title": headline.title,
        "answer": written(&headline.answer),
        "notes": headline.notes.iter().map(written).collect::<Vec<_>>(),
        "provenance": report.provenance(),
        "results": report.results,
    })
}

/// The columns of [`boards_csv`]; new ones come at the end.
const CSV_KEYS: [&str; 18] = [
    "kind",
    "rubric",
    "criterion",
    "judge",
    "place",
    "method",
    "rating",
    "low",
    "high",
    "games",
    "ties",
    "inconsistent",
    "prompts",
    "left_bias_elo",
    "rank_all_low",
    "rank_all_high",
    "bound",
    "next_lower",
];

/// One line a method, criterion and voice, as RFC 4180. A mean of a one-object rubric is in
/// `rating` with `kind` `mean`, a checklist's MCC with `kind` `checklist`.
pub fn boards_csv(report: &RunReport) -> String {
    let mut out = CSV_KEYS.join(",") + "\n";
    for row in KINDS.iter().flat_map(|kind| (kind.make)(&report.results).csv) {
        let cell = |key: &str| match row.get(key).unwrap_or(&Value::Null) {
            // Without an exponent, and `1000` for 1000.0.
            Value::Number(n) if n.is_f64() => n.as_f64().unwrap_or(f64::NAN).to_string(),
            value => csv_cell(value),
        };
        out.push_str(&(csv_line(&CSV_KEYS.map(cell)) + "\n"));
    }
    out
}

/// The same boards, agreement, judges and failures as a page of Markdown.
pub fn boards_markdown(report: &RunReport) -> String {
    let results = &report.results;
    let headline = headline(report);
    let say = |sentence: &Sentence| plain(sentence, |name| format!("**{}**", escaped(name)));
    let mut out = format!("# {}\n\n{}\n", escaped(&headline.title), say(&headline.answer));
    for note in &headline.notes {
        let _ = write!(out, "\n- {}", say(note));
    }
    out.push('\n');
    for table in rating_tables(report) {
        // Bold: the ranks include first place.
        let _ = write!(out, "\n## {}\n\n{}", escaped(&table.title), table.markdown());
    }
    let said: Vec<String> = headline.notes.iter().map(written).collect();
    let chapters = chapters_after(&said, results);
    for chapter in chapters.iter().filter(|chapter| !chapter.kind.is_detail) {
        chapter.boards.sections.iter().for_each(|section| push_section(&mut out, section));
    }
    let judges: Vec<_> = results.spending.iter().collect();
    let judges = Table::new(&judge_columns(), &judges, None);
    let _ = write!(out, "\n## Judges\n\n{}", judges.markdown());
    if !results.failures.is_empty() {
        let failures = asset_failures(&results.failures).markdown();
        let _ = write!(out, "\n## Assets that could not be judged\n\n{failures}");
    }
    let from = report.provenance();
    let _ = write!(
        out,
        "\n---\nRun {}; questions: {}; protocol {}; meshjudge {}.\n",
        from.runs.iter().map(|r| escaped(r)).collect::<Vec<_>>().join(", "),
        from.questions,
        if from.protocols.is_empty() { "none".to_owned() } else { from.protocols.join(", ") },
        from.version
    );
    out
}

fn push_section(out: &mut String, section: &Section) {
    let title =
        if section.title.is_empty() { capital(section.what) } else { section.title.clone() };
    let what = if section.title.is_empty() { "" } else { section.what };
    let about = match joined([&section.asked(true), what]) {
        none if none.is_empty() => none,
        about => format!(" ({})", escaped(&about)),
    };
    let _ =
        write!(out, "\n## {}{about}\n\n{}.\n", escaped(&title), escaped(&capital(&section.basis)));
    let whole = section.wide.iter().map(|table| ("", table));
    let each = section.tables.iter().map(|(heading, table)| (heading.as_str(), table));
    let each = each.filter(|_| section.wide.is_none());
    let further = section.further.iter().map(|(heading, table)| (heading.as_str(), table));
    for (heading, table) in whole.chain(each).chain(further) {
        if !heading.is_empty() {
            let _ = write!(out, "\n### {}\n", escaped(&capital(heading)));
        }
        let _ = write!(out, "\n{}", table.markdown());
    }
    let figures = section.figures.iter().map(|(name, value)| format!("{}: {value}", capital(name)));
    let notes = section.notes.iter().map(|note| escaped_whole(&note.sentence()));
    let lines: Vec<String> = figures.chain(notes).map(|line| format!("\n- {line}")).collect();
    if !lines.is_empty() {
        out.push_str(&(lines.concat() + "\n"));
    }
}

/// Without marks of its names.
pub(super) fn written(sentence: &Sentence) -> String {
    plain(sentence, str::to_owned)
}

fn plain(sentence: &Sentence, name: impl Fn(&str) -> String) -> String {
    let one = |span: &Span| match span {
        Span::Text(words) => words.clone(),
        Span::Name(words) => name(words),
    };
    sentence.iter().map(one).collect()
}
