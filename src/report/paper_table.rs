//! The tables of a paper: methods by criteria and methods by metrics, each number with its
//! interval, once for every format that writes them.

use super::RunReport;
use super::csv::csv_line;
use super::ends::Ends;
use super::sections::{MetricTable, metric_tables, rating_text};
use super::show::{capital, in_words};
use super::table::{Head, Marked, Shown, Style, Table};
use super::text_table::escaped_whole;
use crate::results::{CriterionBoard, Voice};

/// A table; text is plain, not yet escaped for any format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PaperTable {
    /// Such as `Ratings by all judges (geometry)`.
    pub title: String,
    pub caption: String,
    /// Methods, best first by the first column that ranks them, by criteria or metrics. Both ends
    /// of an interval are in one text.
    pub table: Table,
}

impl PaperTable {
    /// A line a method; for each head its value, and both ends of its interval in one cell.
    pub(super) fn csv(&self) -> String {
        let heads = self.table.heads.iter().skip(1);
        let heads = heads.flat_map(|h| [h.text.clone(), format!("{} 95 % interval", h.text)]);
        let mut out = csv_line(&[vec!["method".to_owned()], heads.collect()].concat()) + "\n";
        for row in &self.table.rows {
            let cells = row.iter().skip(1).flat_map(|cell| match cell {
                Shown::Marked(cell) => [cell.value.clone(), cell.interval.to_string()],
                _ => [String::new(), String::new()],
            });
            out.push_str(&csv_line(&[vec![row[0].to_string()], cells.collect()].concat()));
            out.push('\n');
        }
        out
    }

    /// The table and its caption below it.
    pub(super) fn markdown(&self) -> String {
        format!("{}\n{}\n", self.table.markdown(), escaped_whole(&self.caption))
    }
}

/// Those of ratings, one for each rubric and voice, then those of metrics.
pub(super) fn paper_tables(report: &RunReport) -> Vec<PaperTable> {
    let metrics = metric_tables(&report.results.metrics);
    let metrics = metrics.iter().map(of_metrics);
    rating_tables(report).into_iter().chain(metrics).collect()
}

/// All criteria of each rubric and voice.
pub(super) fn rating_tables(report: &RunReport) -> Vec<PaperTable> {
    let all = &report.results.boards;
    let mut groups: Vec<(&str, &Voice)> = Vec::new();
    for board in all {
        if !groups.contains(&(board.key.rubric(), &board.key.voice)) {
            groups.push((board.key.rubric(), &board.key.voice));
        }
    }
    let of_group = |group| {
        let boards = all.iter().filter(|b| (b.key.rubric(), &b.key.voice) == group);
        of_ratings(&boards.collect::<Vec<_>>())
    };
    groups.into_iter().filter_map(of_group).collect()
}

fn of_ratings(boards: &[&CriterionBoard]) -> Option<PaperTable> {
    let overall = boards.iter().find(|board| board.key.criterion() == "overall");
    let main = overall.or(boards.first())?;
    let cell = |board: &CriterionBoard, name: &String| {
        let mut lines = board.board.lines.iter().enumerate();
        match lines.find(|(_, line)| board.methods[line.method] == *name) {
            None => Shown::Text("–".to_owned()),
            Some((at, line)) => Shown::Marked(Marked {
                value: rating_text(line),
                is_best: line.ranks_all.map_or(at == 0, |(low, _)| low == 1),
                interval: Ends::interval(line.interval, |end| format!("{end:.0}")).joined(", "),
                ranks: Ends::ranks(line.ranks_all),
                ..Marked::default()
            }),
        }
    };
    let mut names: Vec<&String> = Vec::new();
    for board in std::iter::once(main).chain(boards) {
        for line in &board.board.lines {
            let name = &board.methods[line.method];
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let criteria =
        boards.iter().map(|board| Head::new(&in_words(board.key.criterion()), Style::Group));
    let table = Table::of_methods(names, criteria, |name| {
        boards.iter().map(|board| cell(board, name)).collect()
    });
    Some(PaperTable {
        title: format!("Ratings by {} ({})", main.key.voice, main.key.rubric()),
        caption: format!(
            "Ratings (Bradley–Terry on the Elo scale, mean 1000) with 95 % intervals over {} prompts; rubric {}, judged by {}.",
            main.board.num_prompts,
            main.key.rubric(),
            main.key.voice
        ),
        table,
    })
}

/// Without numbers of missing assets.
fn of_metrics(metrics: &MetricTable<'_>) -> PaperTable {
    let mut table = metrics.by_method();
    for cell in table.rows.iter_mut().flatten() {
        if let Shown::Marked(cell) = cell {
            cell.below.clear();
            cell.interval = cell.interval.clone().joined(", ");
        }
    }
    let names: Vec<&str> = metrics.metrics.iter().map(|board| &*board.metric).collect();
    PaperTable {
        title: format!("{} ({})", capital(metrics.title), names.join(", ")),
        caption: format!(
            "{}: means over prompts with 95 % intervals over prompts; {}.",
            capital(metrics.title),
            metrics.rule
        ),
        table,
    }
}
