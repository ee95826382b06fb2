//! The plots of all sections as files: an SVG or a LaTeX figure for each.

use super::RunReport;
use super::plot::{Anchor, DOT_INK, Ink, Mark, Plot, Row, drawn, svg};
use super::sections::{Section, chapters, joined};
use super::table::{Shown, Style, Table};
use super::tex::escaped;
use super::words::primary;
use std::fmt::Write;

/// Name for a file and SVG of every plot, the board that answers the whole question first.
pub fn boards_svg(report: &RunReport) -> Vec<(String, String)> {
    plots(report).into_iter().map(|plot| (plot.slug.clone(), svg(&plot))).collect()
}

/// One figure per plot, in order, drawn by TikZ in the paper's fonts. Empty without plots.
pub(super) fn figures_latex(report: &RunReport) -> String {
    plots(report).iter().map(figure).collect()
}

fn plots(report: &RunReport) -> Vec<Plot> {
    let chapters = chapters(&report.results);
    let mut sections: Vec<&Section> = chapters.iter().flat_map(|it| &it.boards.sections).collect();
    let first = primary(report).map(|i| &report.results.boards[i].key);
    let is_first = |section: &Section| {
        section.what.is_empty()
            && first.is_some_and(|key| {
                (key.rubric(), key.criterion()) == (&*section.rubric, &*section.criterion)
                    && key.voice.to_string() == section.voice
            })
    };
    // Stable: the others keep their order.
    sections.sort_by_key(|section| !is_first(section));
    let mut all: Vec<Plot> = sections
        .iter()
        .flat_map(|section| dots(section).into_iter().chain(section.plots.iter().cloned()))
        .collect();
    for i in 1..all.len() {
        let is_taken = |slug: &String, all: &[Plot]| all[..i].iter().any(|p| p.slug == *slug);
        let plain = all[i].slug.clone();
        let mut copy = 2;
        while is_taken(&all[i].slug, &all) {
            all[i].slug = format!("{plain}-{copy}");
            copy += 1;
        }
    }
    all
}

/// A plot of each table with dots. Where a section has several, their headings are the titles.
fn dots(section: &Section) -> Vec<Plot> {
    let of_table = |(heading, table): &(String, Table)| {
        let at = |style| table.heads.iter().position(|head| head.style == style);
        let (name, plot) = (at(Style::Name)?, at(Style::Plot)?);
        let row = |row: &Vec<Shown>| {
            let Shown::Plot { whisker, .. } = &row[plot] else {
                return None;
            };
            let value = match row[plot + 2].to_string() {
                none if none.is_empty() => row[plot + 1].to_string(),
                interval => format!("{} ({interval})", row[plot + 1]),
            };
            Some(Row { name: row[name].to_string(), value, whisker: whisker.clone() })
        };
        let rows: Vec<Row> = table.rows.iter().filter_map(row).collect();
        let Section { rubric, criterion, title, voice, what, basis, .. } = section;
        let figure = format!("{} with 95 % interval", table.heads[plot + 1].text);
        let (title, slug, basis) = match heading.split(" (").next() {
            None | Some("") => (title, [&**rubric, criterion, voice, what].join("-"), &**basis),
            Some(name) => (heading, name.to_owned(), ""),
        };
        let note = joined([&figure, what, basis, &section.asked(true)]);
        Some(drawn(title, &note, &slug, &rows, &table.heads[plot].ticks))
    };
    section.tables.iter().filter_map(of_table).collect()
}

fn figure(plot: &Plot) -> String {
    let mut out = "\n\\begin{figure}\n\\centering\n\\resizebox{\\linewidth}{!}{%\n\\begin{tikzpicture}[x=1pt, y=-1pt, every node/.style={inner sep=0pt}]\n".to_owned();
    for mark in &plot.marks {
        let _ = match mark {
            Mark::Line { from: [x1, y1], to: [x2, y2], width, ink } => writeln!(
                out,
                "\\draw[draw={}, line width={width}pt] ({x1:.2},{y1:.2}) -- ({x2:.2},{y2:.2});",
                rgb(*ink)
            ),
            Mark::Dot { at: [x, y], radius, is_hollow } => writeln!(
                out,
                "\\filldraw[draw={ink}, fill={}] ({x:.2},{y:.2}) circle[radius={radius}pt];",
                if *is_hollow { "white".to_owned() } else { rgb(DOT_INK) },
                ink = rgb(DOT_INK)
            ),
            Mark::Words { at: [x, y], anchor, size, is_bold, ink, text } => writeln!(
                out,
                "\\node[anchor=base{}, text={}, font=\\fontsize{{{size}}}{{{size}}}\\selectfont{}] at ({x:.2},{y:.2}) {{{}}};",
                match anchor {
                    Anchor::Start => " west",
                    Anchor::Middle => "",
                    Anchor::End => " east",
                },
                rgb(*ink),
                if *is_bold { "\\bfseries" } else { "" },
                escaped(text)
            ),
        };
    }
    out.push_str("\\end{tikzpicture}}\n\\end{figure}\n");
    out
}

/// A colour as TikZ reads it.
fn rgb([r, g, b]: Ink) -> String {
    format!("{{rgb,1:red,{r:.3};green,{g:.3};blue,{b:.3}}}")
}
