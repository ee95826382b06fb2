//! Plots as files: one SVG each, or one PDF with a page for each.

use super::RunReport;
use super::plot::{Anchor, DOT_INK, Ink, Mark, Plot, WIDTH_PT, plots};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use std::fmt::Write;

/// Name for a file and SVG of every plot, the board that answers the whole question first.
pub fn boards_svg(report: &RunReport) -> Vec<(String, String)> {
    let all = plots(report);
    all.into_iter()
        .map(|plot| (plot.slug.clone(), svg(&plot)))
        .collect()
}

/// A PDF with a page for every plot, in the same order, each as large as its plot. Words are in Helvetica, which every reader has and the
/// file does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardsPdf {
    pub bytes: Vec<u8>,
    pub num_pages: usize,
    /// Whether names have letters outside Western European ones, which this font lacks; they are written as `?`.
    pub lacks_letters: bool,
}

pub fn boards_pdf(report: &RunReport) -> BoardsPdf {
    pdf(&plots(report))
}

fn svg(plot: &Plot) -> String {
    let height = plot.height;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PT}pt\" height=\"{height}pt\" viewBox=\"0 0 {WIDTH_PT} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for mark in &plot.marks {
        let _ = match mark {
            Mark::Line {
                from: [x1, y1],
                to: [x2, y2],
                width,
                ink,
            } => writeln!(
                out,
                "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{}\" stroke-width=\"{width}\"/>",
                hex(*ink)
            ),
            Mark::Dot {
                at: [x, y],
                radius,
                is_hollow,
            } => writeln!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\" stroke=\"{}\"/>",
                if *is_hollow {
                    "#fff".to_owned()
                } else {
                    hex(DOT_INK)
                },
                hex(DOT_INK)
            ),
            Mark::Words {
                at: [x, y],
                anchor,
                size,
                is_bold,
                ink,
                text,
            } => writeln!(
                out,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" text-anchor=\"{}\"{} fill=\"{}\">{}</text>",
                match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                },
                if *is_bold {
                    " font-weight=\"bold\""
                } else {
                    ""
                },
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
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
    out
}

const REGULAR: Name<'static> = Name(b"R");
const BOLD: Name<'static> = Name(b"B");

fn pdf(plots: &[Plot]) -> BoardsPdf {
    let mut pdf = Pdf::new();
    let [catalog, tree, regular, bold] = [1, 2, 3, 4].map(Ref::new);
    let pages: Vec<Ref> = (0..plots.len() as i32)
        .map(|i| Ref::new(5 + 2 * i))
        .collect();
    pdf.catalog(catalog).pages(tree);
    pdf.pages(tree)
        .kids(pages.iter().copied())
        .count(plots.len() as i32);
    for (font, name) in [(regular, &b"Helvetica"[..]), (bold, b"Helvetica-Bold")] {
        pdf.type1_font(font)
            .base_font(Name(name))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    let mut lacks_letters = false;
    for (plot, &page) in plots.iter().zip(&pages) {
        let content = page.next();
        let mut writer = pdf.page(page);
        writer
            .parent(tree)
            .media_box(Rect::new(0.0, 0.0, WIDTH_PT, plot.height))
            .contents(content);
        let mut resources = writer.resources();
        let mut fonts = resources.fonts();
        fonts.pair(REGULAR, regular).pair(BOLD, bold);
        fonts.finish();
        resources.finish();
        writer.finish();
        pdf.stream(content, &drawn(plot, &mut lacks_letters));
    }
    BoardsPdf {
        bytes: pdf.finish(),
        num_pages: plots.len(),
        lacks_letters,
    }
}

fn drawn(plot: &Plot, lacks_letters: &mut bool) -> Vec<u8> {
    let mut content = Content::new();
    // PDF's y grows upwards.
    let up = |y: f32| plot.height - y;
    for mark in &plot.marks {
        match mark {
            Mark::Line {
                from,
                to,
                width,
                ink: [r, g, b],
            } => {
                content.set_stroke_rgb(*r, *g, *b).set_line_width(*width);
                content.move_to(from[0], up(from[1]));
                content.line_to(to[0], up(to[1])).stroke();
            }
            Mark::Dot {
                at: [x, y],
                radius,
                is_hollow,
            } => {
                let [r, g, b] = DOT_INK;
                content.set_stroke_rgb(r, g, b).set_line_width(1.0);
                match is_hollow {
                    true => content.set_fill_rgb(1.0, 1.0, 1.0),
                    false => content.set_fill_rgb(r, g, b),
                };
                circle(&mut content, [*x, up(*y)], *radius);
            }
            Mark::Words {
                at: [x, y],
                anchor,
                size,
                is_bold,
                ink: [r, g, b],
                text,
            } => {
                let letters = win_ansi(text, lacks_letters);
                let width = super::plot::width_of(text, *size);
                let left = match anchor {
                    Anchor::Start => *x,
                    Anchor::Middle => x - 0.5 * width,
                    Anchor::End => x - width,
                };
                content.begin_text().set_fill_rgb(*r, *g, *b);
                content.set_font(if *is_bold { BOLD } else { REGULAR }, *size);
                content
                    .next_line(left, up(*y))
                    .show(Str(&letters))
                    .end_text();
            }
        }
    }
    content.finish().into_vec()
}

/// By four cubic curves, which are within 0.03 % of a circle.
fn circle(content: &mut Content, [x, y]: [f32; 2], r: f32) {
    const K: f32 = 0.552_285;
    let k = K * r;
    content.move_to(x + r, y);
    content.cubic_to(x + r, y + k, x + k, y + r, x, y + r);
    content.cubic_to(x - k, y + r, x - r, y + k, x - r, y);
    content.cubic_to(x - r, y - k, x - k, y - r, x, y - r);
    content.cubic_to(x + k, y - r, x + r, y - k, x + r, y);
    content.close_fill_nonzero_and_stroke();
}

/// In the encoding of Windows for Western Europe (code page 1252); other characters become `?`.
fn win_ansi(text: &str, lacks_letters: &mut bool) -> Vec<u8> {
    let one = |c: char| match c {
        ' '..='~' | '\u{a0}'..='\u{ff}' => c as u8,
        '–' => 0x96,
        '—' => 0x97,
        '…' => 0x85,
        '‘' => 0x91,
        '’' => 0x92,
        '“' => 0x93,
        '”' => 0x94,
        '€' => 0x80,
        '−' => b'-',
        '≥' => b'>',
        '≤' => b'<',
        _ => {
            *lacks_letters = true;
            b'?'
        }
    };
    text.chars().map(one).collect()
}
