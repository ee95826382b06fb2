//! The boards for a paper: tables in LaTeX (booktabs), and BibTeX entries of the sources that the paragraph on methods cites.

use super::RunReport;
use super::methods::methods_paragraph;
use super::paper_table::{PaperTable, paper_tables};
use super::plot::width_of;
use super::plot_files::figures_latex;
use super::table::{Head, Shown};
use super::tex::escaped;
use std::fmt::Write;
use std::ops::Range;

/// Text on a page of LaTeX's `article` is so wide, in points; wider tables are cut into parts below each other.
const TEXT_WIDTH_PT: f32 = 345.0;
/// Space on both sides of a column.
const COLUMN_GAP_PT: f32 = 12.0;
/// Longer names of methods are broken between words.
const NAME_WIDTH_PT: f32 = 110.0;

/// Tables of ratings, one for each rubric and voice, of metrics, the plots, and the paragraph. Needs the packages booktabs and tikz. Bold: the
/// 95 % interval of the rank reaches 1.
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
    let cited = SOURCES.iter().filter(|(key, _)| paragraph.contains(&format!("\\cite{{{key}}}")));
    let entries = cited.map(|(_, entry)| (*entry).to_owned());
    let entries: Vec<String> = std::iter::once(own).chain(entries).collect();
    entries.join("\n\n") + "\n"
}

/// Key and entry of every source that a paragraph may cite.
const SOURCES: [(&str, &str); 18] = [
    (
        "bradley1952",
        "@article{bradley1952,\n  author = {Bradley, Ralph Allan and Terry, Milton E.},\n  title = {Rank Analysis of Incomplete Block Designs: {I}. The Method of Paired Comparisons},\n  journal = {Biometrika},\n  volume = {39},\n  pages = {324--345},\n  year = {1952}\n}",
    ),
    (
        "davidson1970",
        "@article{davidson1970,\n  author = {Davidson, Roger R.},\n  title = {On Extending the {Bradley--Terry} Model to Accommodate Ties in Paired Comparison Experiments},\n  journal = {Journal of the American Statistical Association},\n  volume = {65},\n  number = {329},\n  pages = {317--328},\n  year = {1970}\n}",
    ),
    (
        "efron1993",
        "@book{efron1993,\n  author = {Efron, Bradley and Tibshirani, Robert J.},\n  title = {An Introduction to the Bootstrap},\n  publisher = {Chapman \\& Hall},\n  year = {1993}\n}",
    ),
    (
        "hesterberg2015",
        "@article{hesterberg2015,\n  author = {Hesterberg, Tim C.},\n  title = {What Teachers Should Know About the Bootstrap: Resampling in the Undergraduate Statistics Curriculum},\n  journal = {The American Statistician},\n  volume = {69},\n  number = {4},\n  pages = {371--386},\n  year = {2015}\n}",
    ),
    (
        "steele2014",
        "@inproceedings{steele2014,\n  author = {Steele, Guy L. and Lea, Doug and Flood, Christine H.},\n  title = {Fast Splittable Pseudorandom Number Generators},\n  booktitle = {OOPSLA},\n  year = {2014}\n}",
    ),
    (
        "alexa2022",
        "@inproceedings{alexa2022,\n  author = {Alexa, Marc},\n  title = {Super-{Fibonacci} Spirals: Fast, Low-Discrepancy Sampling of {SO(3)}},\n  booktitle = {CVPR},\n  year = {2022}\n}",
    ),
    (
        "jacobson2013",
        "@article{jacobson2013,\n  author = {Jacobson, Alec and Kavan, Ladislav and Sorkine-Hornung, Olga},\n  title = {Robust Inside-Outside Segmentation Using Generalized Winding Numbers},\n  journal = {ACM Transactions on Graphics},\n  volume = {32},\n  number = {4},\n  year = {2013}\n}",
    ),
    (
        "vanoosterom1983",
        "@article{vanoosterom1983,\n  author = {Van Oosterom, Adriaan and Strackee, Jan},\n  title = {The Solid Angle of a Plane Triangle},\n  journal = {IEEE Transactions on Biomedical Engineering},\n  volume = {BME-30},\n  number = {2},\n  pages = {125--126},\n  year = {1983}\n}",
    ),
    (
        "barill2018",
        "@article{barill2018,\n  author = {Barill, Gavin and Dickson, Neil G. and Schmidt, Ryan and Levin, David I. W. and Jacobson, Alec},\n  title = {Fast Winding Numbers for Soups and Clouds},\n  journal = {ACM Transactions on Graphics},\n  volume = {37},\n  number = {4},\n  year = {2018}\n}",
    ),
    (
        "jonker1987",
        "@article{jonker1987,\n  author = {Jonker, Roy and Volgenant, Anton},\n  title = {A Shortest Augmenting Path Algorithm for Dense and Sparse Linear Assignment Problems},\n  journal = {Computing},\n  volume = {38},\n  pages = {325--340},\n  year = {1987}\n}",
    ),
    (
        "chen2022",
        "@article{chen2022,\n  author = {Chen, Zhiqin and Tagliasacchi, Andrea and Funkhouser, Thomas and Zhang, Hao},\n  title = {Neural Dual Contouring},\n  journal = {ACM Transactions on Graphics},\n  volume = {41},\n  number = {4},\n  year = {2022}\n}",
    ),
    (
        "sander2001",
        "@inproceedings{sander2001,\n  author = {Sander, Pedro V. and Snyder, John and Gortler, Steven J. and Hoppe, Hugues},\n  title = {Texture Mapping Progressive Meshes},\n  booktitle = {SIGGRAPH},\n  year = {2001}\n}",
    ),
    (
        "heusel2017",
        "@inproceedings{heusel2017,\n  author = {Heusel, Martin and Ramsauer, Hubert and Unterthiner, Thomas and Nessler, Bernhard and Hochreiter, Sepp},\n  title = {{GANs} Trained by a Two Time-Scale Update Rule Converge to a Local {Nash} Equilibrium},\n  booktitle = {NeurIPS},\n  year = {2017}\n}",
    ),
    (
        "chong2020",
        "@inproceedings{chong2020,\n  author = {Chong, Min Jin and Forsyth, David},\n  title = {Effectively Unbiased {FID} and {Inception Score} and Where to Find Them},\n  booktitle = {CVPR},\n  year = {2020}\n}",
    ),
    (
        "binkowski2018",
        "@inproceedings{binkowski2018,\n  author = {Bi{\\'n}kowski, Miko{\\l}aj and Sutherland, Danica J. and Arbel, Michael and Gretton, Arthur},\n  title = {Demystifying {MMD} {GANs}},\n  booktitle = {ICLR},\n  year = {2018}\n}",
    ),
    (
        "jayasumana2024",
        "@inproceedings{jayasumana2024,\n  author = {Jayasumana, Sadeep and Ramalingam, Srikumar and Veit, Andreas and Glasner, Daniel and Chakrabarti, Ayan and Kumar, Sanjiv},\n  title = {Rethinking {FID}: Towards a Better Evaluation Metric for Image Generation},\n  booktitle = {CVPR},\n  year = {2024}\n}",
    ),
    (
        "kynkaanniemi2019",
        "@inproceedings{kynkaanniemi2019,\n  author = {Kynk{\\\"a}{\\\"a}nniemi, Tuomas and Karras, Tero and Laine, Samuli and Lehtinen, Jaakko and Aila, Timo},\n  title = {Improved Precision and Recall Metric for Assessing Generative Models},\n  booktitle = {NeurIPS},\n  year = {2019}\n}",
    ),
    (
        "naeem2020",
        "@inproceedings{naeem2020,\n  author = {Naeem, Muhammad Ferjad and Oh, Seong Joon and Uh, Youngjung and Choi, Yunjey and Yoo, Jaejun},\n  title = {Reliable Fidelity and Diversity Metrics for Generative Models},\n  booktitle = {ICML},\n  year = {2020}\n}",
    ),
];

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
