//! The tables of a paper: methods by criteria and methods by metrics, each number with its interval, once for every format that writes them.

use super::RunReport;
use super::board_view::rating_text;
use super::csv::csv_line;
use super::ends::Ends;
use super::metric_view::{MetricTable, metric_tables};
use crate::results::{CriterionBoard, Voice};

/// A number in a table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PaperCell {
    pub value: String,
    /// Both ends; empty where there is no interval.
    pub interval: String,
    /// May be the first: its 95 % interval of ranks reaches 1.
    pub is_best: bool,
}

/// A table; text is plain, not yet escaped for any format.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PaperTable {
    /// Such as `Ratings by all judges (geometry)`.
    pub title: String,
    pub caption: String,
    /// Names with `↓` or `↑` where one way is better.
    pub heads: Vec<(String, &'static str)>,
    /// Methods, best first by the first column that ranks them.
    pub rows: Vec<(String, Vec<Option<PaperCell>>)>,
}

impl PaperTable {
    /// A line a method; for each head its value, and both ends of its interval in one cell.
    pub(super) fn csv(&self) -> String {
        let heads =
            self.heads.iter().flat_map(|(name, _)| [name.clone(), format!("{name} 95 % interval")]);
        let mut out = csv_line(&[vec!["method".to_owned()], heads.collect()].concat()) + "\n";
        for (method, cells) in &self.rows {
            let cells = cells.iter().flat_map(|cell| match cell {
                Some(cell) => [cell.value.clone(), cell.interval.clone()],
                None => [String::new(), String::new()],
            });
            out.push_str(&csv_line(&[vec![method.clone()], cells.collect()].concat()));
            out.push('\n');
        }
        out
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
    let mut groups: Vec<(&String, &Voice)> = Vec::new();
    for board in all {
        if !groups.contains(&(&board.rubric, &board.voice)) {
            groups.push((&board.rubric, &board.voice));
        }
    }
    let of_group = |group| {
        let boards = all.iter().filter(|b| (&b.rubric, &b.voice) == group);
        of_ratings(&boards.collect::<Vec<_>>())
    };
    groups.into_iter().filter_map(of_group).collect()
}

fn of_ratings(boards: &[&CriterionBoard]) -> Option<PaperTable> {
    let overall = boards.iter().find(|board| board.criterion == "overall");
    let main = overall.or(boards.first())?;
    let cell = |board: &CriterionBoard, name: &String| {
        let mut lines = board.board.lines.iter().enumerate();
        let (at, line) = lines.find(|(_, line)| board.methods[line.method] == *name)?;
        Some(PaperCell {
            value: rating_text(line),
            interval: joined(&Ends::interval(line.interval, 0)),
            is_best: line.ranks.map_or(at == 0, |(low, _)| low == 1),
        })
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
    let rows = names.into_iter().map(|name| {
        let cells = boards.iter().map(|board| cell(board, name));
        (name.clone(), cells.collect())
    });
    Some(PaperTable {
        title: format!("Ratings by {} ({})", main.voice, main.rubric),
        caption: format!(
            "Ratings (Bradley–Terry on the Elo scale, mean 1000) with 95 % intervals over {} prompts; rubric {}, judged by {}.",
            main.board.num_prompts, main.rubric, main.voice
        ),
        heads: boards.iter().map(|board| (board.criterion.replace('_', " "), "")).collect(),
        rows: rows.collect(),
    })
}

fn of_metrics(table: &MetricTable) -> PaperTable {
    let rows = table.lines.iter().map(|line| {
        let cells = line.cells.iter().map(|found| {
            found.as_ref().map(|found| PaperCell {
                value: found.mean.clone(),
                interval: found.interval.replace(" to ", ", "),
                is_best: found.is_best,
            })
        });
        (line.method.clone(), cells.collect())
    });
    let names: Vec<&str> = table.heads.iter().map(|head| head.name.as_str()).collect();
    PaperTable {
        title: format!("{} ({})", table.title, names.join(", ")),
        caption: format!(
            "{}: means over prompts with 95 % bootstrap intervals over prompts; {}.",
            table.title, table.rule
        ),
        heads: table.heads.iter().map(|head| (head.name.clone(), head.arrow)).collect(),
        rows: rows.collect(),
    }
}

fn joined(ends: &Ends) -> String {
    match ends.plain(", ") {
        none if none == "-" => String::new(),
        both => both,
    }
}
