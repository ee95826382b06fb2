//! Metrics as tables: methods by metrics, each metric by itself, how it agrees with the voices, and
//! which assets are its best and worst.

use super::board_columns::ranks;
use super::ends::Ends;
use super::show::short_hash;
use super::table::Cell::{Count, Interval, MaybeNumber, Name, Text, Words};
use super::table::{Column, Head, Marked, Shown, Style, Table, Unit, column, data};
use super::table_view::AgreementRow;
use crate::rate::ScoredLine;
use crate::results::{MetricAgreement, MetricBoard, MetricCase};
use crate::store::SetRow;

/// Metrics of one sort, as many as fit into a table.
#[derive(Debug)]
pub(super) struct MetricTable<'a> {
    pub title: &'static str,
    /// Whether they compare with references.
    pub is_against: bool,
    pub metrics: Vec<&'a MetricBoard>,
    /// Methods by metrics.
    pub table: Table,
    /// Where both decided some pair.
    pub agreement: Vec<AgreementRow<'a>>,
    /// Metrics of which no pair is left for that, such as those that are the same for every method.
    pub undecided: Vec<&'a str>,
    pub rule: &'static str,
}

/// A method's line on a metric's board; none where it has no number.
#[derive(Debug)]
pub(super) struct MetricRow<'a> {
    metric: &'a str,
    method: &'a str,
    missing: usize,
    pub line: Option<&'a ScoredLine>,
}

/// Further columns are in another table.
const COLUMNS_MAX: usize = 7;

pub(super) fn metric_columns<'a>() -> Vec<Column<MetricRow<'a>>> {
    const UNIT: Unit = Unit::Significant;
    vec![
        data(&["criterion"], Text(|r| r.metric)),
        column(&["method"], "generator", Name(|r| r.method)),
        column(&["mean"], "mean", MaybeNumber(UNIT, |r| Some(r.line?.mean))),
        column(&["low", "high"], "95 % interval", Interval(UNIT, |r| r.line?.interval)),
        ranks(|r| r.line?.ranks_all),
        column(&[], "missing", Count(|r| r.missing)),
    ]
}

/// Best first, then the methods without a number.
pub(super) fn metric_rows(board: &MetricBoard) -> Vec<MetricRow<'_>> {
    let row = |method: usize, line| MetricRow {
        metric: &board.metric,
        method: &board.methods[method],
        missing: board.missing[method],
        line,
    };
    let is_rated = |method: &usize| board.lines.iter().any(|line| line.method == *method);
    let others = (0..board.methods.len()).filter(|method| !is_rated(method));
    let rated = board.lines.iter().map(|line| row(line.method, Some(line)));
    rated.chain(others.map(|method| row(method, None))).collect()
}

/// First those against references, then of learned features, then of the assets alone.
pub(super) fn metric_tables(boards: &[MetricBoard]) -> Vec<MetricTable<'_>> {
    let of = |is_sort: fn(&MetricBoard) -> bool| -> Vec<&MetricBoard> {
        boards.iter().filter(|board| is_sort(board)).collect()
    };
    let sorts = [
        ("Metrics against references", of(|board| board.has_reference && !board.is_learned)),
        ("Scores of learned features", of(|board| board.is_learned && board.sets.is_empty())),
        ("Distances of sets", of(|board| !board.sets.is_empty())),
        ("Figures of the assets", of(|board| !board.has_reference)),
    ];
    let tables = sorts.iter().flat_map(|(title, boards)| {
        // 8 are 4 and 4, not 7 and 1.
        let num_tables = boards.len().div_ceil(COLUMNS_MAX).max(1);
        let columns = boards.len().div_ceil(num_tables).max(1);
        boards.chunks(columns).filter_map(|boards| metric_table(title, boards))
    });
    tables.collect()
}

fn metric_table<'a>(title: &'static str, boards: &[&'a MetricBoard]) -> Option<MetricTable<'a>> {
    let first = boards.first()?;
    let is_decided = |found: &&MetricAgreement| found.agreement.same.counts.decided > 0;
    let undecided = boards.iter().filter(|board| {
        !board.agreement.is_empty() && !board.agreement.iter().any(|found| is_decided(&found))
    });
    let agreement = boards.iter().flat_map(|board| {
        let found = board.agreement.iter().filter(is_decided);
        found.map(|found| AgreementRow::of_metric(&board.metric, found))
    });
    Some(MetricTable {
        title,
        is_against: first.has_reference,
        metrics: boards.to_vec(),
        table: by_method(boards),
        agreement: agreement.collect(),
        undecided: undecided.map(|board| &*board.metric).collect(),
        rule: if !first.sets.is_empty() {
            "a missing asset is left out of its set; no ranks"
        } else if first.missing_is_worst {
            "a missing asset gets the worst value of the others on its prompt"
        } else {
            "a missing asset is left out"
        },
    })
}

/// Methods in the order of the first metric.
fn by_method(boards: &[&MetricBoard]) -> Table {
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
        value: number(line.mean),
        // One number for a method has no ranks, and the least may be so by chance.
        is_best: board.is_lower_better.is_some()
            && board.sets.is_empty()
            && (line.ranks_all).map_or(line.mean == board.lines[0].mean, |(low, _)| low == 1),
        interval: Ends::interval(line.interval, number).joined(" to "),
        below: match board.sets.get(place) {
            Some(row) => set_notes(row),
            None if missing > 0 => vec![format!("{missing} missing")],
            None => Vec::new(),
        },
        ranks: Ends::ranks(line.ranks_all),
    })
}

/// What belongs to a number of a set: its limit, its noise floor, and its size.
pub(super) fn set_notes(row: &SetRow) -> Vec<String> {
    let limit = row.limit.map(|limit| match row.limit_interval {
        Some([low, high]) => {
            format!("at infinity {} ({} to {})", number(limit), number(low), number(high))
        }
        None => format!("at infinity {}", number(limit)),
    });
    let floor = row.floor.map(|floor| format!("halves of the reference {}", number(floor)));
    let SetRow { num_assets, num_vectors, dimension, .. } = row;
    let size = format!("{num_assets} assets, {num_vectors} vectors of {dimension}");
    limit.into_iter().chain(floor).chain([size]).collect()
}

/// The best and the worst cases of each metric; none where neither more nor less is better.
pub(super) fn cases_table<'a>(metrics: impl Iterator<Item = &'a MetricBoard>) -> Table {
    let columns: [Column<&MetricBoard>; 4] = [
        column(&[], "metric", Name(|m| &m.metric)),
        column(&[], "definition", Words(|m| definitions(m))),
        column(&[], "best", Words(|m| listed(&m.best))),
        column(&[], "worst", Words(|m| listed(&m.worst))),
    ];
    Table::new(&columns, &metrics.collect::<Vec<_>>(), None)
}

fn listed(cases: &[MetricCase]) -> String {
    let each = cases.iter().map(|case| format!("{}: {}", asset_name(case), number(case.value)));
    each.collect::<Vec<_>>().join("; ")
}

/// `trellis on chair, seed 2`.
pub(super) fn asset_name(case: &MetricCase) -> String {
    let seed = match case.seed {
        0 => String::new(),
        seed => format!(", seed {seed}"),
    };
    format!("{} on {}{seed}", case.method, case.prompt_id)
}

/// Four significant digits.
pub(super) fn number(value: f64) -> String {
    Unit::Significant.written(value)
}
