//! Plots as files: an SVG or a LaTeX figure for each.

use super::RunReport;
use super::bias_plot::bias_plot;
use super::plot::{Anchor, DOT_INK, Ink, Mark, Plot, WIDTH_PT, plots};
use super::tex::escaped;
use std::fmt::Write;

/// Name for a file and SVG of every plot, the board that answers the whole question first.
pub fn boards_svg(report: &RunReport) -> Vec<(String, String)> {
    let all = all_plots(report);
    all.into_iter().map(|plot| (plot.slug.clone(), svg(&plot))).collect()
}

fn all_plots(report: &RunReport) -> Vec<Plot> {
    let biases = report.results.metrics.iter().filter_map(bias_plot);
    plots(report).into_iter().chain(biases).collect()
}

/// One figure per plot, in order, drawn by TikZ in the paper's fonts. Empty without plots.
pub(super) fn figures_latex(report: &RunReport) -> String {
    all_plots(report).iter().map(figure).collect()
}

pub(super) fn svg(plot: &Plot) -> String {
    let height = plot.height;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PT}pt\" height=\"{height}pt\" viewBox=\"0 0 {WIDTH_PT} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for mark in &plot.marks {
        let _ = match mark {
            Mark::Line { from: [x1, y1], to: [x2, y2], width, ink } => writeln!(
                out,
                "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{}\" stroke-width=\"{width}\"/>",
                hex(*ink)
            ),
            Mark::Dot { at: [x, y], radius, is_hollow } => writeln!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\" stroke=\"{}\"/>",
                if *is_hollow { "#fff".to_owned() } else { hex(DOT_INK) },
                hex(DOT_INK)
            ),
            Mark::Words { at: [x, y], anchor, size, is_bold, ink, text } => writeln!(
                out,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{}\"{} fill=\"{}\">{}</text>",
                match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                },
                if *is_bold { " font-weight=\"bold\"" } else { "" },
                hex(*ink),
                xml(text)
            ),
        };
    }
    out.push_str("</svg>\n");
    out
}

fn hex(ink: Ink) -> String {
    let [r, g, b] = ink.map(|v| (v * 255.0).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
