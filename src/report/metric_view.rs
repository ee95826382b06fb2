//! Metrics as tables: methods by metrics, how each metric agrees with the voices, and which assets are its best and worst.

use super::columns::Columns;
use super::table_view::{AgreementView, plain, sameness_view};
use crate::results::{MetricAgreement, MetricBoard, MetricCase};
use serde::Serialize;

/// A metric's column head.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MetricHead {
    pub name: String,
    /// Which way is better; empty where neither is.
    pub arrow: &'static str,
    /// First digits of the definition's hash.
    pub definition: String,
}

/// A method's mean on one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MetricCell {
    pub mean: String,
    pub interval: String,
    /// Such as `1–2`.
    pub ranks: String,
    /// Nobody's interval of ranks is better: it may be the first.
    pub is_best: bool,
    /// Such as `2 missing`, or nothing.
    pub missing: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct MetricLineView {
    pub method: String,
    /// One for each head; none without a number.
    pub cells: Vec<Option<MetricCell>>,
}

/// A table of metrics of one sort, with as many columns as fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(super) struct MetricTable {
    pub title: &'static str,
    /// Whether they compare with references.
    pub is_against: bool,
    pub heads: Vec<MetricHead>,
    /// In the order of the first metric.
    pub lines: Vec<MetricLineView>,
    /// Where both decided some pair.
    pub agreement: Vec<AgreementView>,
    /// Metrics of which no pair is left for that, such as those that are the same for every method.
    pub undecided: Vec<String>,
    /// Metric, its best and its worst cases; nothing for one of which neither more nor less is better.
    pub cases: Vec<(String, String, String)>,
    pub rule: &'static str,
}

/// Digits of a definition's hash that are shown.
const HASH_SHOWN: usize = 12;

/// Further columns are in another table.
const COLUMNS_MAX: usize = 7;

/// First those against references, then those of the assets by themselves.
pub(super) fn metric_tables(boards: &[MetricBoard]) -> Vec<MetricTable> {
    let (against, alone): (Vec<&MetricBoard>, Vec<&MetricBoard>) =
        boards.iter().partition(|board| board.has_reference);
    let sorts = [("Metrics against references", against), ("Figures of the assets", alone)];
    let tables = sorts.iter().flat_map(|(title, boards)| {
        // 8 are 4 and 4, not 7 and 1.
        let num_tables = boards.len().div_ceil(COLUMNS_MAX).max(1);
        let columns = boards.len().div_ceil(num_tables).max(1);
        boards.chunks(columns).filter_map(|boards| metric_table(title, boards))
    });
    tables.collect()
}

fn metric_table(title: &'static str, boards: &[&MetricBoard]) -> Option<MetricTable> {
    let first = boards.first()?;
    let mut methods: Vec<&String> =
        first.lines.iter().map(|line| &first.methods[line.method]).collect();
    for name in boards.iter().flat_map(|board| &board.methods) {
        if !methods.contains(&name) {
            methods.push(name);
        }
    }
    let lines = methods.iter().map(|method| MetricLineView {
        method: (*method).clone(),
        cells: boards.iter().map(|board| cell(board, method)).collect(),
    });
    let is_decided = |found: &&MetricAgreement| found.agreement.same.counts.decided > 0;
    let undecided = boards.iter().filter(|board| {
        !board.agreement.is_empty() && !board.agreement.iter().any(|found| is_decided(&found))
    });
    let undecided = undecided.map(|board| board.metric.clone()).collect();
    let agreement = boards.iter().flat_map(|board| {
        let found = board.agreement.iter().filter(is_decided);
        found.map(|found| AgreementView {
            kendall: plain(found.agreement.kendall),
            spearman: plain(found.agreement.spearman),
            ..sameness_view(
                &found.criterion,
                [board.metric.clone(), found.voice.to_string()],
                &found.agreement.same,
            )
        })
    });
    Some(MetricTable {
        title,
        is_against: first.has_reference,
        heads: boards.iter().map(|board| head(board)).collect(),
        lines: lines.collect(),
        agreement: agreement.collect(),
        undecided,
        cases: boards
            .iter()
            .filter(|board| !board.best.is_empty())
            .map(|board| (board.metric.clone(), listed(&board.best), listed(&board.worst)))
            .collect(),
        rule: if first.missing_is_worst {
            "a missing asset gets the worst value of the others on its prompt"
        } else {
            "a missing asset is left out"
        },
    })
}

fn head(board: &MetricBoard) -> MetricHead {
    let shown = |hash: &String| hash.chars().take(HASH_SHOWN).collect::<String>();
    MetricHead {
        name: board.metric.clone(),
        arrow: match board.is_lower_better {
            Some(true) => "↓",
            Some(false) => "↑",
            None => "",
        },
        definition: board.definitions.keys().map(shown).collect::<Vec<_>>().join(", "),
    }
}

fn cell(board: &MetricBoard, method: &String) -> Option<MetricCell> {
    let place = board.methods.iter().position(|name| name == method)?;
    let at = board.lines.iter().position(|line| line.method == place)?;
    let line = board.lines[at];
    Some(MetricCell {
        mean: number(line.mean),
        interval: line
            .interval
            .map_or(String::new(), |i| format!("{} to {}", number(i.low), number(i.high))),
        ranks: line.ranks.map_or(String::new(), |(low, high)| {
            if low == high { low.to_string() } else { format!("{low}–{high}") }
        }),
        is_best: board.is_lower_better.is_some()
            && (line.ranks).map_or(line.mean == board.lines[0].mean, |(low, _)| low == 1),
        missing: match board.missing[place] {
            0 => String::new(),
            count => format!("{count} missing"),
        },
    })
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
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e5).contains(&size) {
        return format!("{value:.3e}");
    }
    let before = libm::floor(libm::log10(size)) as i32;
    format!("{value:.*}", usize::try_from(3 - before).unwrap_or(0))
}

pub(super) fn metric_agreement_columns(views: &[&AgreementView]) -> Columns {
    let row = |view: &&AgreementView| {
        [
            (&view.first).into(),
            (&view.second).into(),
            (&view.criterion).into(),
            view.pairs.into(),
            (&view.on_decided).into(),
            (&view.kappa).into(),
            (&view.kendall).into(),
            (&view.spearman).into(),
        ]
    };
    let heads = [
        "metric",
        "with",
        "on",
        "pairs",
        "same where both decided",
        "kappa",
        "Kendall",
        "Spearman",
    ];
    Columns::new(heads, views.iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn four_digits_count() {
        let shown = [0.0, 0.012_345, 1.0, 123.456, 12_345.6, 0.000_012_346, -0.5].map(number);
        assert_eq!(shown, ["0", "0.01235", "1.000", "123.5", "12346", "1.235e-5", "-0.5000"]);
    }
}
