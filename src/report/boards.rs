//! The boards without pictures: as Markdown for people, as JSON and CSV for programs.

use super::RunReport;
use super::anchored_view::anchored_section;
use super::board_columns::{
    checklist_columns, checklist_rows, mean_columns, mean_rows, rating_columns, rating_rows,
};
use super::board_view::{board_view, means_section};
use super::checklist_view::checklist_section;
use super::controlled_view::controlled_section;
use super::csv::{csv_cell, csv_line};
use super::jury_view::jury_section;
use super::metric_view::{MetricTable, cases_table, metric_columns, metric_rows, metric_tables};
use super::mos_view::mos_view;
use super::paper_table::rating_tables;
use super::section::{Section, joined};
use super::table::{Table, json_row};
use super::table_view::{
    AgreementRow, agreement_columns, asset_failures, judge_columns, metric_agreement_columns,
};
use super::text_table::escaped;
use super::words::{Sentence, Span, headline};
use crate::rate::ELO_PER_NAT;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// All of [`crate::results::Results`] with its provenance and the headline; one JSON object.
pub fn boards_json(report: &RunReport) -> Value {
    let headline = headline(report);
    let say = |sentence: &Sentence| plain(sentence, |name| name.to_owned());
    json!({
        "title": headline.title,
        "answer": say(&headline.answer),
        "notes": headline.notes.iter().map(say).collect::<Vec<_>>(),
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
    let results = &report.results;
    let mut out = CSV_KEYS.join(",") + "\n";
    let mut push =
        |kind: &str, place: usize, mut row: Map<String, Value>, more: &[(&str, Value)]| {
            row.insert("kind".to_owned(), kind.into());
            row.insert("place".to_owned(), place.into());
            row.extend(more.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
            let cell = |key: &str| match row.get(key).unwrap_or(&Value::Null) {
                // Without an exponent, and `1000` for 1000.0.
                Value::Number(n) if n.is_f64() => n.as_f64().unwrap_or(f64::NAN).to_string(),
                value => csv_cell(value),
            };
            out.push_str(&(csv_line(&CSV_KEYS.map(cell)) + "\n"));
        };
    for on in &results.boards {
        let board = &on.board;
        for row in rating_rows(on) {
            let bias = board.left_bias.map(|(nats, _)| nats * ELO_PER_NAT);
            let more = [("prompts", json!(board.num_prompts)), ("left_bias_elo", json!(bias))];
            push("rating", row.place, json_row(&rating_columns(), &row), &more);
        }
    }
    for row in results.means.iter().flat_map(mean_rows) {
        let mean = &row.line.1;
        let more = [
            ("rating", json!(mean.mean)),
            ("games", json!(mean.num_scores)),
            ("prompts", json!(mean.num_clusters)),
        ];
        push("mean", row.place, json_row(&mean_columns(), &row), &more);
    }
    for (at, row) in results
        .checklists
        .iter()
        .flat_map(|on| checklist_rows(on).into_iter().zip(1..).map(|(row, at)| (at, row)))
    {
        let interval = row.2.mcc.and_then(|mcc| mcc.interval);
        let more = [
            ("criterion", json!(row.1)),
            ("rating", json!(row.2.mcc.map(|mcc| mcc.value))),
            ("low", json!(interval.map(|i| i.low))),
            ("high", json!(interval.map(|i| i.high))),
            ("games", json!(row.2.counts.iter().sum::<usize>())),
        ];
        push("checklist", at, json_row(&checklist_columns(), &row), &more);
    }
    for on in &results.metrics {
        let rows = metric_rows(on).into_iter();
        for (at, (row, line)) in rows.filter_map(|row| Some((row.line?, row))).enumerate() {
            let more = [("rating", json!(row.mean)), ("games", json!(row.num_values))];
            push("metric", at + 1, json_row(&metric_columns(), &line), &more);
        }
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
    for on in &results.boards {
        let view = board_view(on, false);
        push_section(&mut out, &view.section, &view.figures);
    }
    let sections = results.anchored.iter().map(anchored_section);
    let sections = sections.chain(results.controlled.iter().map(controlled_section));
    for section in sections.chain(results.means.iter().map(means_section)) {
        push_section(&mut out, &section, &[]);
    }
    for view in results.mos.iter().map(mos_view) {
        push_section(&mut out, &view.section, &[]);
        if !view.against.rows.is_empty() {
            let _ = write!(out, "\n{}", view.against.markdown());
        }
    }
    for table in metric_tables(&results.metrics) {
        push_metrics(&mut out, &table);
    }
    let agreement = AgreementRow::all(results);
    if !agreement.is_empty() {
        let table = Table::new(&agreement_columns(), &agreement, None);
        let _ = write!(out, "\n## Agreement\n\n{}", table.markdown());
    }
    let juries = results.juries.iter().map(jury_section);
    for section in juries.chain(results.checklists.iter().map(checklist_section)) {
        push_section(&mut out, &section, &[]);
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

fn push_section(out: &mut String, section: &Section, figures: &[(String, String)]) {
    let about = joined([&section.asked(true), section.what]);
    let _ = write!(
        out,
        "\n## {} ({})\n\n{}.\n\n{}",
        escaped(&section.title),
        escaped(&about),
        escaped(&section.basis),
        section.table.markdown()
    );
    for (what, value) in figures {
        let _ = write!(out, "\n- {what}: {value}");
    }
    for note in &section.notes {
        let _ = write!(out, "\n- {}", escaped(note));
    }
    if !figures.is_empty() || !section.notes.is_empty() {
        out.push('\n');
    }
}

/// The best by interval in bold: those whose ranks reach 1.
fn push_metrics(out: &mut String, metrics: &MetricTable<'_>) {
    let _ = write!(
        out,
        "\n## {}\n\nMeans with 95 % intervals over prompts; bold: its ranks include first place; {}.\n\n{}\n{}",
        metrics.title,
        metrics.rule,
        metrics.table.markdown(),
        cases_table(metrics.metrics.iter().copied()).markdown()
    );
    if !metrics.agreement.is_empty() {
        let table = Table::new(&metric_agreement_columns(), &metrics.agreement, None);
        let _ = write!(
            out,
            "\n### Agreement of metrics with judges and people\n\n{}",
            table.markdown()
        );
    }
}

fn plain(sentence: &Sentence, name: impl Fn(&str) -> String) -> String {
    let one = |span: &Span| match span {
        Span::Text(words) => words.clone(),
        Span::Name(words) => name(words),
    };
    sentence.iter().map(one).collect()
}
