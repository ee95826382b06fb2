//! The boards for a paper: tables in LaTeX (booktabs), and BibTeX entries of the sources that the
//! paragraph on methods cites.

use super::RunReport;
use super::methods::methods_paragraph;
use super::paper_table::{PaperTable, paper_tables};
use super::plot::width_of;
use super::plot_files::figures_latex;
use super::table::{Head, Shown};
use super::tex::escaped;
use std::fmt::Write;
use std::ops::Range;

/// Text width of LaTeX's `article`, in points; wider tables are cut into parts below each other.
const TEXT_WIDTH_PT: f32 = 345.0;
/// Space on both sides of a column.
const COLUMN_GAP_PT: f32 = 12.0;
/// Longer names of methods are broken between words.
const NAME_WIDTH_PT: f32 = 110.0;

/// Tables of ratings, one for each rubric and voice, of metrics, the plots, and the paragraph.
/// Needs the packages booktabs and tikz. Bold: the 95 % interval of the rank reaches 1.
pub fn boards_latex(report: &RunReport) -> String {
    let mut out =
        "% Needs \\usepackage{booktabs,tikz}. Bold: the 95 % interval of the rank reaches 1.\n"
            .to_owned();
    let mut body = String::new();
    for table in paper_tables(report) {
        body.push('\n');
        body.push_str(&table_latex(&table));
    }
    body.push_str(&figures_latex(report));
    let _ = write!(
        body,
        "\n% How it was measured.\n\\begin{{sloppypar}}\n{}\n\\end{{sloppypar}}\n",
        methods_paragraph(report)
    );
    // pdfLaTeX's fonts end with Latin Extended-A.
    if body.chars().any(|c| c > '\u{17f}') {
        out.push_str("% Some names have letters that pdfLaTeX lacks: use LuaLaTeX or XeLaTeX with a font that has them.\n");
    }
    out + &body
}

/// A floating table: each interval below its number, and as many columns as a page has room for.
pub(super) fn table_latex(table: &PaperTable) -> String {
    let mut out =
        format!("\\begin{{table}}\n\\centering\n\\caption{{{}}}\n", escaped(&table.caption));
    let (heads, rows) = (&table.table.heads[1..], &table.table.rows);
    let name_width = rows.iter().map(|row| width_of(&row[0].to_string(), 10.0)).fold(0.0, f32::max);
    let names =
        if name_width > NAME_WIDTH_PT { format!("p{{{NAME_WIDTH_PT}pt}}") } else { "l".to_owned() };
    let room = TEXT_WIDTH_PT - name_width.min(NAME_WIDTH_PT) - COLUMN_GAP_PT;
    let widths: Vec<f32> = (1..=heads.len()).map(|column| column_width(table, column)).collect();
    for (part, columns) in parts(&widths, room).into_iter().enumerate() {
        if part > 0 {
            out.push_str("\n\\medskip\n");
        }
        let heads: Vec<String> = heads[columns.clone()].iter().map(head).collect();
        let _ = write!(
            out,
            "\\begin{{tabular}}{{{names}{}}}\n\\toprule\nMethod & {} \\\\\n\\midrule\n",
            "r".repeat(columns.len()),
            heads.join(" & ")
        );
        for row in rows {
            let (method, cells) = (row[0].to_string(), &row[1..][columns.clone()]);
            let values: Vec<String> = cells.iter().map(value).collect();
            let _ = writeln!(out, "{} & {} \\\\", escaped(&method), values.join(" & "));
            let below: Vec<String> = cells.iter().map(interval).collect();
            if below.iter().any(|interval| !interval.is_empty()) {
                let _ = writeln!(out, " & {} \\\\", below.join(" & "));
            }
        }
        out.push_str("\\bottomrule\n\\end{tabular}\n");
    }
    out.push_str("\\end{table}\n");
    out
}

/// Columns per table: as few parts as possible, of similar size.
fn parts(widths: &[f32], room: f32) -> Vec<Range<usize>> {
    let filled = |most: usize| {
        let (mut parts, mut first, mut used) = (Vec::new(), 0, 0.0);
        for (at, width) in widths.iter().enumerate() {
            if at > first && (used + width > room || at - first == most) {
                parts.push(first..at);
                (first, used) = (at, 0.0);
            }
            used += width;
        }
        if first < widths.len() {
            parts.push(first..widths.len());
        }
        parts
    };
    let least = filled(usize::MAX).len();
    let even = (1..=widths.len()).map(filled);
    even.into_iter().find(|parts| parts.len() <= least).unwrap_or_default()
}

/// By Helvetica, which is a little wider than LaTeX's own font.
fn column_width(table: &PaperTable, column: usize) -> f32 {
    let head = &table.table.heads[column];
    let words = head.text.split(' ').map(|word| width_of(word, 10.0));
    let head = words.fold(0.0, f32::max) + if head.arrow.is_empty() { 0.0 } else { 13.0 };
    let cells = table.table.rows.iter().filter_map(|row| match &row[column] {
        Shown::Marked(cell) => {
            let interval = width_of(&cell.interval.to_string(), 7.0) + 4.0;
            Some(width_of(&cell.value, 10.0).max(interval))
        }
        _ => None,
    });
    cells.fold(head, f32::max) + COLUMN_GAP_PT
}

/// Words below each other.
fn head(head: &Head) -> String {
    let arrow = match head.arrow {
        "↓" => " $\\downarrow$",
        "↑" => " $\\uparrow$",
        _ => "",
    };
    let words: Vec<String> = head.text.split(' ').map(escaped).collect();
    match &words[..] {
        [word] => format!("{word}{arrow}"),
        words => format!("\\shortstack[r]{{{}{arrow}}}", words.join("\\\\")),
    }
}

fn value(cell: &Shown) -> String {
    match cell {
        Shown::Marked(cell) if cell.is_best => format!("\\textbf{{{}}}", escaped(&cell.value)),
        Shown::Marked(cell) => escaped(&cell.value),
        _ => "--".to_owned(),
    }
}

fn interval(cell: &Shown) -> String {
    let Shown::Marked(cell) = cell else {
        return String::new();
    };
    match cell.interval.to_string() {
        none if none.is_empty() => none,
        ends => format!("{{\\scriptsize [{ends}]}}"),
    }
}

/// Entries of the works that the paragraph cites.
pub fn boards_bibtex(report: &RunReport) -> String {
    let paragraph = methods_paragraph(report);
    let own = format!(
        "@misc{{meshjudge,\n  author = {{{{The meshjudge authors}}}},\n  title = {{meshjudge: which {{3D}} asset is better, and how sure are we?}},\n  note = {{Software, version {}}}\n}}",
        env!("CARGO_PKG_VERSION")
    );
    let is_cited = |entry: &&str| {
        let key = entry.split(['{', ',']).nth(1);
        key.is_some_and(|key| paragraph.contains(&format!("\\cite{{{key}}}")))
    };
    // A checkout on Windows can have other ends of lines.
    let sources = SOURCES.replace('\r', "");
    let cited = sources.trim_end().split("\n\n").filter(is_cited);
    let entries: Vec<&str> = std::iter::once(own.as_str()).chain(cited).collect();
    entries.join("\n\n") + "\n"
}

/// Every source that a paragraph may cite.
const SOURCES: &str = include_str!("../../assets/report/sources.bib");

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn columns_are_cut_into_few_and_even_parts() {
        let ends = |widths: &[f32]| -> Vec<usize> {
            let parts = parts(widths, 300.0);
            parts.iter().map(|part| part.end).collect()
        };
        assert_eq!(ends(&[50.0; 6]), [6]);
        assert_eq!(ends(&[60.0; 6]), [3, 6]);
        assert_eq!(ends(&[400.0, 50.0]), [1, 2]);
        assert!(parts(&[], 300.0).is_empty());
    }
}
