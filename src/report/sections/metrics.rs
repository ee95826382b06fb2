//! Metrics: generators by metrics, each metric by itself, how it agrees with the voices, and which
//! assets are its best and worst.

use super::agreement::{AgreementRow, columns_of_metrics};
use super::row::ranks;
use super::section::{BoardKind, Boards, Section, csv_row};
use crate::rate::ScoredLine;
use crate::report::bias_plot::bias_plot;
use crate::report::ends::Ends;
use crate::report::show::short_hash;
use crate::report::table::Cell::{Count, Interval, MaybeNumber, Name, Plot, Text, Words};
use crate::report::table::{
    Column, Head, Marked, Shown, Style, Table, Unit, column, data, json_row, significant,
};
use crate::results::{MetricAgreement, MetricBoard, MetricCase, Results, Voice};
use crate::store::SetRow;
use serde_json::json;

pub(super) static KIND: BoardKind = BoardKind {
    id: "metrics",
    menu: "Metrics",
    heading: "Metrics",
    hint: "Means over prompts with 95 % intervals. Bold: the interval of ranks includes first place. An arrow shows which direction is better. Point at a value for its interval and rank, or download the table. docs/METRICS.md gives each formula.",
    class: "plain",
    is_detail: false,
    rows: &[],
    make,
};

/// Metrics of one sort, as many as fit into a table.
#[derive(Debug)]
pub(in super::super) struct MetricTable<'a> {
    pub title: &'static str,
    pub metrics: Vec<&'a MetricBoard>,
    pub rule: &'static str,
}

/// A method's line on a metric's board; none where it has no number.
#[derive(Debug)]
struct MetricRow<'a> {
    metric: &'a str,
    method: &'a str,
    missing: usize,
    line: Option<&'a ScoredLine>,
    set: Option<&'a SetRow>,
}

/// Further columns are in another table.
const COLUMNS_MAX: usize = 7;

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.metrics {
        let rows = lines(on).into_iter();
        let rows = rows.filter_map(|row| Some((row.line?, row))).zip(1..);
        made.csv.extend(rows.map(|((line, row), at)| {
            let more = [("rating", json!(line.mean)), ("games", json!(line.num_values))];
            csv_row("metric", at, json_row(&columns(false), &row), more)
        }));
    }
    made.sections = metric_tables(&results.metrics).iter().map(section).collect();
    if let Some(last) = made.sections.last_mut() {
        last.further.push(("best and worst cases".to_owned(), cases(&results.metrics)));
    }
    made
}

fn section(of: &MetricTable<'_>) -> Section {
    let boards = &of.metrics;
    let figures = if boards.iter().any(|board| !board.sets.is_empty()) {
        "one number for each generator, 95 % intervals over assets"
    } else {
        "means, 95 % intervals, ranks"
    };
    let wide = of.by_method();
    let one = |(board, head): (&&MetricBoard, &Head)| {
        let better = match head.arrow {
            "↓" => " (lower is better)",
            "↑" => " (higher is better)",
            _ => "",
        };
        let columns = columns(!board.sets.is_empty());
        (format!("{}{better}", head.text), Table::new(&columns, &lines(board), None))
    };
    let mut tables: Vec<_> = boards.iter().zip(&wide.heads[1..]).map(one).collect();
    let is_decided = |found: &&MetricAgreement| found.agreement.same.counts.decided > 0;
    let agreement = boards.iter().flat_map(|board| {
        let found = board.agreement.iter().filter(is_decided);
        found.map(|found| AgreementRow::of_metric(&board.metric, found))
    });
    let agreement: Vec<_> = agreement.collect();
    let mut further = Vec::new();
    if !agreement.is_empty() {
        let whole = main_lines(&agreement);
        let more = match agreement.len() - whole.len() {
            0 => "",
            _ => "; other criteria and single judges: see `meshjudge report`",
        };
        let heading = "agreement of metrics with judges and people, with 95 % intervals";
        let table = |rows: &[AgreementRow<'_>]| Table::new(&columns_of_metrics(), rows, None);
        tables.push((format!("{heading}{more}"), table(&whole)));
        further.push((heading.to_owned(), table(&agreement)));
    }
    let undecided = boards.iter().filter(|board| {
        !board.agreement.is_empty() && !board.agreement.iter().any(|found| is_decided(&found))
    });
    let undecided: Vec<&str> = undecided.map(|board| &*board.metric).collect();
    let undecided = (!undecided.is_empty()).then(|| {
        format!("no pair was decided by both a voice and the metric: {}", undecided.join(", "))
    });
    Section {
        basis: format!("{figures}; {}", of.rule),
        tables,
        wide: Some(wide),
        further,
        plots: boards.iter().filter_map(|board| bias_plot(board)).collect(),
        ..Section::of(("", "", None), of.title).noted(undecided)
    }
}

/// Those on the overall criterion with people and with all judges.
fn main_lines<'a>(all: &[AgreementRow<'a>]) -> Vec<AgreementRow<'a>> {
    let has_whole = all.iter().any(|row| row.criterion == "overall");
    let [people, judges] = [Voice::People, Voice::AllJudges].map(|voice| voice.to_string());
    let has_all = all.iter().any(|row| row.second == judges);
    let is_main = |row: &&AgreementRow<'_>| {
        (row.criterion == "overall" || !has_whole)
            && ([&people, &judges].contains(&&row.second) || !has_all)
    };
    all.iter().filter(is_main).cloned().collect()
}

/// With what belongs to a set where `has_sets`.
fn columns<'a>(has_sets: bool) -> Vec<Column<MetricRow<'a>>> {
    const UNIT: Unit = Unit::Significant;
    let set = if has_sets { "set" } else { "" };
    vec![
        data(&["criterion"], Text(|r| r.metric)),
        column(&["method"], "generator", Name(|r| r.method)),
        column(
            &[],
            "Mean with its 95 % interval, drawn",
            Plot(|r| r.line.map(|line| (line.mean, line.interval, line.mean))),
        ),
        column(&["mean"], "mean", MaybeNumber(UNIT, |r| Some(r.line?.mean))),
        column(&["low", "high"], "95 % interval", Interval(UNIT, |r| r.line?.interval)),
        ranks(|r| r.line?.ranks_all),
        column(&[], "missing", Count(|r| r.missing)),
        column(&[], set, Words(|r| r.set.map_or(String::new(), |set| set_notes(set).join("; ")))),
    ]
}

/// Best first, then the methods without a number.
fn lines(board: &MetricBoard) -> Vec<MetricRow<'_>> {
    let row = |method: usize, line| MetricRow {
        metric: &board.metric,
        method: &board.methods[method],
        missing: board.missing[method],
        line,
        set: board.sets.get(method),
    };
    let is_rated = |method: &usize| board.lines.iter().any(|line| line.method == *method);
    let others = (0..board.methods.len()).filter(|method| !is_rated(method));
    let rated = board.lines.iter().map(|line| row(line.method, Some(line)));
    rated.chain(others.map(|method| row(method, None))).collect()
}

/// First those against references, then of learned features, then of the assets alone.
pub(in super::super) fn metric_tables(boards: &[MetricBoard]) -> Vec<MetricTable<'_>> {
    let of = |is_sort: fn(&MetricBoard) -> bool| -> Vec<&MetricBoard> {
        boards.iter().filter(|board| is_sort(board)).collect()
    };
    let sorts = [
        ("metrics against references", of(|board| board.has_reference && !board.is_learned)),
        ("scores of learned features", of(|board| board.is_learned && board.sets.is_empty())),
        ("distances of sets", of(|board| !board.sets.is_empty())),
        ("figures of the assets", of(|board| !board.has_reference)),
    ];
    let tables = sorts.iter().flat_map(|(title, boards)| {
        // 8 are 4 and 4, not 7 and 1.
        let num_tables = boards.len().div_ceil(COLUMNS_MAX).max(1);
        let columns = boards.len().div_ceil(num_tables).max(1);
        boards.chunks(columns).map(|boards| MetricTable {
            title,
            metrics: boards.to_vec(),
            rule: if boards.iter().any(|board| !board.sets.is_empty()) {
                "a missing asset is left out of its set; no ranks"
            } else if boards[0].missing_is_worst {
                "a missing asset gets the worst value of the others on its prompt"
            } else {
                "a missing asset is left out"
            },
        })
    });
    tables.collect()
}

impl MetricTable<'_> {
    /// Methods in the order of the first metric, by metrics.
    pub(in super::super) fn by_method(&self) -> Table {
        let boards = &self.metrics;
        let mut methods: Vec<&String> = Vec::new();
        for board in boards {
            let ranked = board.lines.iter().map(|line| &board.methods[line.method]);
            for name in ranked.chain(&board.methods) {
                if !methods.contains(&name) {
                    methods.push(name);
                }
            }
        }
        let head = |board: &&MetricBoard| Head {
            arrow: match board.is_lower_better {
                Some(true) => "↓",
                Some(false) => "↑",
                None => "",
            },
            below: definitions(board),
            ..Head::new(&board.metric, Style::Metric)
        };
        let cell = |board: &&MetricBoard, method| match marked(board, method) {
            Some(cell) => Shown::Marked(cell),
            None => Shown::Text("–".to_owned()),
        };
        Table::of_methods(methods, boards.iter().map(head), |method| {
            boards.iter().map(|board| cell(board, method)).collect()
        })
    }
}

/// First digits of the hashes of a metric's definitions.
fn definitions(board: &MetricBoard) -> String {
    board.definitions.keys().map(|hash| short_hash(hash)).collect::<Vec<_>>().join(", ")
}

fn marked(board: &MetricBoard, method: &String) -> Option<Marked> {
    let place = board.methods.iter().position(|name| name == method)?;
    let at = board.lines.iter().position(|line| line.method == place)?;
    let line = board.lines[at];
    let missing = board.missing[place];
    Some(Marked {
        value: significant(line.mean),
        // One number for a method has no ranks, and the least may be so by chance.
        is_best: board.is_lower_better.is_some()
            && board.sets.is_empty()
            && (line.ranks_all).map_or(line.mean == board.lines[0].mean, |(low, _)| low == 1),
        interval: Ends::interval(line.interval, significant).joined(" to "),
        below: match board.sets.get(place) {
            Some(row) => set_notes(row),
            None if missing > 0 => vec![format!("{missing} missing")],
            None => Vec::new(),
        },
        ranks: Ends::ranks(line.ranks_all),
        ..Marked::default()
    })
}

/// What belongs to a number of a set: its limit, its noise floor, and its size.
fn set_notes(row: &SetRow) -> Vec<String> {
    let limit = row.limit.map(|limit| match row.limit_interval {
        Some([low, high]) => {
            format!(
                "at infinity {} ({} to {})",
                significant(limit),
                significant(low),
                significant(high)
            )
        }
        None => format!("at infinity {}", significant(limit)),
    });
    let floor = row.floor.map(|floor| format!("halves of the reference {}", significant(floor)));
    let SetRow { num_assets, num_vectors, dimension, .. } = row;
    let size = format!("{num_assets} assets, {num_vectors} vectors of {dimension}");
    limit.into_iter().chain(floor).chain([size]).collect()
}

/// The best and the worst cases of each metric; none where neither more nor less is better.
fn cases(metrics: &[MetricBoard]) -> Table {
    let columns: [Column<&MetricBoard>; 4] = [
        column(&[], "metric", Name(|m| &m.metric)),
        column(&[], "definition", Words(|m| definitions(m))),
        column(&[], "best", Words(|m| listed(&m.best))),
        column(&[], "worst", Words(|m| listed(&m.worst))),
    ];
    Table::new(&columns, &metrics.iter().collect::<Vec<_>>(), None)
}

fn listed(cases: &[MetricCase]) -> String {
    let each =
        cases.iter().map(|case| format!("{}: {}", asset_name(case), significant(case.value)));
    each.collect::<Vec<_>>().join("; ")
}

/// `trellis on chair, seed 2`.
pub(in super::super) fn asset_name(case: &MetricCase) -> String {
    let seed = match case.seed {
        0 => String::new(),
        seed => format!(", seed {seed}"),
    };
    format!("{} on {}{seed}", case.method, case.prompt_id)
}
