//! The boards for a paper: tables in LaTeX (booktabs), and BibTeX entries of the sources that the paragraph on methods cites.

use super::RunReport;
use super::methods::{escaped, methods_paragraph};
use super::paper_table::{PaperCell, PaperTable, paper_tables};
use std::fmt::Write;

/// Tables of ratings, one for each rubric and voice, of metrics, and the paragraph. Needs the package booktabs. In bold is what may be
/// first: whose 95 % interval of ranks reaches 1.
pub fn boards_latex(report: &RunReport) -> String {
    let mut out =
        "% Needs \\usepackage{booktabs}. Bold: the 95 % interval of the rank reaches 1.\n"
            .to_owned();
    for table in paper_tables(report) {
        out.push('\n');
        out.push_str(&table_latex(&table));
    }
    let _ = write!(
        out,
        "\n% How it was measured.\n{}\n",
        methods_paragraph(report)
    );
    out
}

/// A floating table.
pub(super) fn table_latex(table: &PaperTable) -> String {
    let heads: Vec<String> = (table.heads.iter())
        .map(|(name, arrow)| {
            let arrow = match *arrow {
                "↓" => " $\\downarrow$",
                "↑" => " $\\uparrow$",
                _ => "",
            };
            format!("{}{arrow}", escaped(name))
        })
        .collect();
    let mut out = format!(
        "\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\nMethod & {} \\\\\n\\midrule\n",
        escaped(&table.caption),
        "r".repeat(heads.len()),
        heads.join(" & ")
    );
    for (method, cells) in &table.rows {
        let cells: Vec<String> = cells.iter().map(|c| cell(c.as_ref())).collect();
        let _ = writeln!(out, "{} & {} \\\\", escaped(method), cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{tabular}\n\\end{table}\n");
    out
}

fn cell(cell: Option<&PaperCell>) -> String {
    let Some(cell) = cell else {
        return "--".to_owned();
    };
    let value = match cell.is_best {
        true => format!("\\textbf{{{}}}", escaped(&cell.value)),
        false => escaped(&cell.value),
    };
    match cell.interval.as_str() {
        "" => value,
        interval => format!("{value} {{\\scriptsize [{interval}]}}"),
    }
}

/// Entries of what the paragraph cites.
pub fn boards_bibtex(report: &RunReport) -> String {
    let mut entries = vec![format!(
        "@software{{meshjudge,\n  title = {{meshjudge: which {{3D}} asset is better, and how sure are we?}},\n  version = {{{}}}\n}}",
        env!("CARGO_PKG_VERSION")
    )];
    let fixed = |text: &str| text.to_owned();
    if !report.results.boards.is_empty() {
        entries.push(fixed("@article{bradley1952,\n  author = {Bradley, Ralph Allan and Terry, Milton E.},\n  title = {Rank Analysis of Incomplete Block Designs: {I}. The Method of Paired Comparisons},\n  journal = {Biometrika},\n  volume = {39},\n  pages = {324--345},\n  year = {1952}\n}"));
    }
    if !report.results.boards.is_empty() || !report.results.metrics.is_empty() {
        entries.push(fixed("@book{efron1993,\n  author = {Efron, Bradley and Tibshirani, Robert J.},\n  title = {An Introduction to the Bootstrap},\n  publisher = {Chapman \\& Hall},\n  year = {1993}\n}"));
    }
    let metrics = &report.results.metrics;
    if !metrics.is_empty() {
        entries.push(fixed("@inproceedings{steele2014,\n  author = {Steele, Guy L. and Lea, Doug and Flood, Christine H.},\n  title = {Fast Splittable Pseudorandom Number Generators},\n  booktitle = {OOPSLA},\n  year = {2014}\n}"));
    }
    let has = |name: &str| metrics.iter().any(|board| board.metric == name);
    if has("iou") || has("volume_ratio") {
        entries.push(fixed("@article{barill2018,\n  author = {Barill, Gavin and Dickson, Neil G. and Schmidt, Ryan and Levin, David I. W. and Jacobson, Alec},\n  title = {Fast Winding Numbers for Soups and Clouds},\n  journal = {ACM Transactions on Graphics},\n  volume = {37},\n  number = {4},\n  year = {2018}\n}"));
    }
    if has("emd") {
        entries.push(fixed("@article{jonker1987,\n  author = {Jonker, Roy and Volgenant, Anton},\n  title = {A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems},\n  journal = {Computing},\n  volume = {38},\n  pages = {325--340},\n  year = {1987}\n}"));
    }
    entries.join("\n\n") + "\n"
}
