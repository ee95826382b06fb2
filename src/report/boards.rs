//! The boards without pictures: as Markdown for people, as JSON and CSV for programs.

use super::RunReport;
use super::anchored_view::{AnchoredView, anchored_view};
use super::board_view::{BoardView, board_view, mean_columns, means_view};
use super::columns::{Cell, Columns};
use super::controlled_view::{ControlledView, controlled_view};
use super::csv::csv_line;
use super::metric_view::{MetricTable, metric_agreement_columns, metric_tables};
use super::mos_view::mos_view;
use super::paper_table::{PaperTable, rating_tables};
use super::show::{cut, visible};
use super::table_view::{agreement_view, asset_failures, judge_view, people_view};
use super::words::{Sentence, Span, headline, primary};
use crate::rate::ELO_PER_NAT;
use serde_json::{Value, json};
use std::fmt::Write;

/// Longer names are cut in tables of Markdown.
const CELL_CHARS_MAX: usize = 120;

/// Everything that [`crate::results::Results`] holds, with its provenance and the headline; one JSON object.
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

/// One line a method, criterion and voice, as RFC 4180. A mean of a one-object rubric is in `rating` with `kind` `mean`.
pub fn boards_csv(report: &RunReport) -> String {
    let mut out = "kind,rubric,criterion,judge,place,method,rating,low,high,rank_low,rank_high,above_next,games,ties,inconsistent,prompts,left_bias_elo,rank_all_low,rank_all_high\n".to_owned();
    let number = |n: Option<f64>| n.map_or(String::new(), |n| format!("{n}"));
    let count = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
    for on in &report.results.boards {
        let board = &on.board;
        for (i, line) in board.lines.iter().enumerate() {
            let next = board.lines.get(i + 1);
            let above = board.beats.as_ref().zip(next).map(|(b, next)| b[line.method][next.method]);
            let cells = [
                "rating".to_owned(),
                on.rubric.clone(),
                on.criterion.clone(),
                on.voice.to_string(),
                (i + 1).to_string(),
                on.methods[line.method].clone(),
                number(Some(line.rating)),
                number(line.interval.map(|i| i.low)),
                number(line.interval.map(|i| i.high)),
                count(line.ranks.map(|r| r.0)),
                count(line.ranks.map(|r| r.1)),
                number(above),
                line.games.to_string(),
                line.ties.to_string(),
                line.inconsistent.to_string(),
                board.num_prompts.to_string(),
                number(board.left_bias.map(|(nats, _)| nats * ELO_PER_NAT)),
                count(line.ranks_all.map(|r| r.0)),
                count(line.ranks_all.map(|r| r.1)),
            ];
            out.push_str(&csv_line(&cells));
            out.push('\n');
        }
    }
    for on in &report.results.means {
        for (i, (method, mean)) in on.means.iter().enumerate() {
            let mut cells = vec![
                "mean".to_owned(),
                on.rubric.clone(),
                on.criterion.clone(),
                on.voice.to_string(),
                (i + 1).to_string(),
                method.clone(),
                number(Some(mean.mean)),
                number(mean.interval.map(|i| i.low)),
                number(mean.interval.map(|i| i.high)),
            ];
            cells.extend(["", "", ""].map(str::to_owned));
            cells.push(mean.num_scores.to_string());
            cells.extend(["", ""].map(str::to_owned));
            cells.extend([
                mean.num_clusters.to_string(),
                String::new(),
                String::new(),
                String::new(),
            ]);
            out.push_str(&csv_line(&cells));
            out.push('\n');
        }
    }
    for on in &report.results.metrics {
        for (i, line) in on.lines.iter().enumerate() {
            let mut cells =
                vec!["metric".to_owned(), String::new(), on.metric.clone(), String::new()];
            cells.extend([
                (i + 1).to_string(),
                on.methods[line.method].clone(),
                number(Some(line.mean)),
                number(line.interval.map(|i| i.low)),
                number(line.interval.map(|i| i.high)),
                count(line.ranks.map(|r| r.0)),
                count(line.ranks.map(|r| r.1)),
                String::new(),
                line.num_values.to_string(),
            ]);
            cells.extend(["", "", "", ""].map(str::to_owned));
            out.push_str(&csv_line(&cells));
            out.push('\n');
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
        push_paper_table(&mut out, &table);
    }
    let first = primary(report);
    for (i, on) in results.boards.iter().enumerate() {
        push_board(&mut out, &board_view(on, i, Some(i) == first));
    }
    for (i, on) in results.anchored.iter().enumerate() {
        push_anchored(&mut out, &anchored_view(on, i));
    }
    for on in &results.controlled {
        push_controlled(&mut out, &controlled_view(on));
    }
    for on in &results.means {
        let view = means_view(on);
        let _ = write!(
            out,
            "\n## {} ({}, {})\n\n",
            escaped(&view.title),
            escaped(&view.rubric),
            escaped(&view.voice)
        );
        push_columns(&mut out, &mean_columns(&view.lines));
    }
    for view in results.mos.iter().map(mos_view) {
        let (title, basis) = (escaped(&view.title), escaped(&view.basis));
        let _ = write!(out, "\n## {title} (mean opinion scores)\n\n{basis}.\n\n");
        push_columns(&mut out, &mean_columns(&view.lines));
        if !view.against.is_empty() {
            out.push('\n');
            push_columns(&mut out, &view.against_columns());
        }
    }
    for table in metric_tables(&results.metrics) {
        push_metrics(&mut out, &table);
    }
    let voices = results.agreement.iter().map(agreement_view);
    let agreement: Vec<_> = voices.chain(results.people.iter().map(people_view)).collect();
    if !agreement.is_empty() {
        out.push_str("\n## Agreement\n\n");
        let rows = agreement.into_iter().map(|a| {
            vec![
                a.criterion,
                a.first,
                a.second,
                a.pairs.to_string(),
                a.on_decided,
                a.with_ties,
                a.kappa,
            ]
        });
        push_table(
            &mut out,
            &["criterion", "between", "and", "pairs", "same where both decided", "with ties", "κ"],
            rows,
        );
    }
    out.push_str("\n## Judges\n\n");
    let rows = results.spending.iter().map(judge_view).map(|j| {
        vec![
            j.judge,
            j.questions,
            j.verdicts,
            j.failed,
            j.tokens,
            j.cost,
            j.cost_per_verdict,
            j.median_seconds,
        ]
    });
    push_table(
        &mut out,
        &[
            "judge",
            "questions",
            "verdicts",
            "without",
            "tokens",
            "cost",
            "a verdict",
            "median time",
        ],
        rows,
    );
    if !results.failures.is_empty() {
        out.push_str("\n## Assets that could not be judged\n\n");
        let rows = asset_failures(&results.failures).into_iter();
        let rows = rows.map(|f| vec![f.who, f.prompt, f.outcome, f.reason]);
        push_table(&mut out, &["method", "prompt", "stage", "why"], rows);
    }
    let from = report.provenance();
    let _ = write!(
        out,
        "\n---\nRun {}; questions: {}; render protocol {}; meshjudge {}.\n",
        from.runs.iter().map(|r| escaped(r)).collect::<Vec<_>>().join(", "),
        from.questions,
        if from.protocols.is_empty() { "none".to_owned() } else { from.protocols.join(", ") },
        from.version
    );
    out
}

/// All criteria in one table; bold: the interval of ranks includes first place.
fn push_paper_table(out: &mut String, table: &PaperTable) {
    let _ = write!(out, "\n## {}\n\n{}", escaped(&table.title), paper_markdown(table));
}

/// The table and its caption below it.
pub(super) fn paper_markdown(table: &PaperTable) -> String {
    let heads: Vec<String> = table
        .heads
        .iter()
        .map(|(name, arrow)| format!("{} {arrow}", escaped(name)).trim_end().to_owned())
        .collect();
    let mut out =
        format!("| method | {} |\n|{}\n", heads.join(" | "), " --- |".repeat(1 + heads.len()));
    for (method, cells) in &table.rows {
        let cells = cells.iter().map(|cell| {
            let Some(cell) = cell else {
                return "–".to_owned();
            };
            let value = if cell.is_best {
                format!("**{}**", escaped(&cell.value))
            } else {
                escaped(&cell.value)
            };
            match cell.interval.as_str() {
                "" => value,
                interval => format!("{value} ({})", escaped(interval)),
            }
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(out, "| {} | {} |", escaped(method), cells.join(" | "));
    }
    let _ = writeln!(out, "\n{}", escaped(&table.caption));
    out
}

fn push_anchored(out: &mut String, view: &AnchoredView) {
    let _ = write!(
        out,
        "\n## {} ({}, anchored in people’s votes)\n\n{}.\n\n",
        escaped(&view.title),
        escaped(&view.rubric),
        escaped(&view.basis)
    );
    push_columns(out, &view.columns());
    for note in &view.notes {
        let _ = write!(out, "\n- {}", escaped(note));
    }
    out.push('\n');
}

fn push_controlled(out: &mut String, view: &ControlledView) {
    let _ = write!(
        out,
        "\n## {} ({}, {}, style-controlled)\n\n{}.\n\n",
        escaped(&view.title),
        escaped(&view.rubric),
        escaped(&view.voice),
        escaped(&view.basis)
    );
    push_columns(out, &view.columns());
    for note in &view.notes {
        let _ = write!(out, "\n- {}", escaped(note));
    }
    out.push('\n');
}

/// The best by interval in bold: those whose ranks reach 1.
fn push_metrics(out: &mut String, table: &MetricTable) {
    let _ = write!(
        out,
        "\n## {}\n\nMeans with 95 % intervals over prompts; bold: its interval of ranks includes first place; {}.\n\n",
        table.title, table.rule
    );
    let heads: Vec<String> = std::iter::once("method".to_owned())
        .chain(
            table
                .heads
                .iter()
                .map(|h| format!("{} {}", escaped(&h.name), h.arrow).trim_end().to_owned()),
        )
        .collect();
    let _ = writeln!(out, "| {} |\n|{}", heads.join(" | "), " --- |".repeat(heads.len()));
    for line in &table.lines {
        let cells = line.cells.iter().map(|cell| match cell {
            None => "–".to_owned(),
            Some(cell) => {
                let mean =
                    if cell.is_best { format!("**{}**", cell.mean) } else { cell.mean.clone() };
                let beside = [&cell.interval, &cell.missing].into_iter().filter(|t| !t.is_empty());
                let beside: Vec<&str> = beside.map(String::as_str).collect();
                if beside.is_empty() { mean } else { format!("{mean} ({})", beside.join("; ")) }
            }
        });
        let cells: Vec<String> = cells.collect();
        let _ = writeln!(out, "| {} | {} |", escaped(&line.method), cells.join(" | "));
    }
    out.push('\n');
    let rows = table.heads.iter().map(|head| {
        let cases = table.cases.iter().find(|(name, ..)| *name == head.name);
        let (best, worst) = cases.map_or((String::new(), String::new()), |(_, best, worst)| {
            (best.clone(), worst.clone())
        });
        vec![head.name.clone(), head.definition.clone(), best, worst]
    });
    push_table(out, &["metric", "definition", "best", "worst"], rows);
    if !table.agreement.is_empty() {
        out.push_str("\n### Agreement of metrics with judges and people\n\n");
        let views: Vec<_> = table.agreement.iter().collect();
        push_columns(out, &metric_agreement_columns(&views));
    }
}

fn push_board(out: &mut String, view: &BoardView) {
    let _ = write!(
        out,
        "\n## {} ({}, judged by {})\n\n{}.\n\n",
        escaped(&view.title),
        escaped(&view.rubric),
        escaped(&view.voice),
        view.basis
    );
    push_columns(out, &view.columns());
    for (what, value) in &view.figures {
        let _ = write!(out, "\n- {what}: {value}");
    }
    for note in &view.notes {
        let _ = write!(out, "\n- {}", escaped(note));
    }
    out.push('\n');
}

fn push_columns(out: &mut String, columns: &Columns) {
    let cells = |row: &Vec<Cell>| row.iter().map(ToString::to_string).collect();
    push_table(out, &columns.heads, columns.rows.iter().map(cells));
}

fn push_table(out: &mut String, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |\n|{}", heads.join(" | "), " --- |".repeat(heads.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

fn plain(sentence: &Sentence, name: impl Fn(&str) -> String) -> String {
    let one = |span: &Span| match span {
        Span::Text(words) => words.clone(),
        Span::Name(words) => name(words),
    };
    sentence.iter().map(one).collect()
}

/// One line that no Markdown reader takes for markup or HTML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in visible(&cut(text, CELL_CHARS_MAX), false).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
