//! Plots for a paper: dots with their intervals on an axis, as lines, circles and words at places
//! in points (1/72 inch), and as SVG.

use super::axis::{Tick, Whisker};
use super::show::{cut, visible};
use serde::{Serialize, Serializer};
use std::fmt::Write;

/// As wide as the text of a page with one column.
pub(super) const WIDTH_PT: f32 = 468.0;
const ROW_PT: f32 = 17.0;
/// Title and the text below it.
const HEAD_PT: f32 = 40.0;
/// The labels of the axis.
const FOOT_PT: f32 = 22.0;
const GAP_PT: f32 = 10.0;
/// Longer names are cut.
const NAME_CHARS_MAX: usize = 36;
const TITLE_CHARS_MAX: usize = 70;
const NOTE_CHARS_MAX: usize = 110;

/// Red, green and blue, 0 to 1.
pub(super) type Ink = [f32; 3];
pub(super) const BLACK: Ink = [0.1, 0.1, 0.1];
pub(super) const GREY: Ink = [0.4, 0.4, 0.4];
pub(super) const FAINT: Ink = [0.86, 0.86, 0.86];
pub(super) const BLUE: Ink = [0.145, 0.341, 0.655];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Something drawn; places are from the top left corner, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Line {
        from: [f32; 2],
        to: [f32; 2],
        width: f32,
        ink: Ink,
    },
    Dot {
        at: [f32; 2],
        radius: f32,
        is_hollow: bool,
    },
    Words {
        /// The value of the base line.
        at: [f32; 2],
        anchor: Anchor,
        size: f32,
        is_bold: bool,
        ink: Ink,
        text: String,
    },
}

impl Mark {
    pub(super) fn line(from: [f32; 2], to: [f32; 2], width: f32, ink: Ink) -> Self {
        Self::Line { from, to, width, ink }
    }

    /// `at` is the start, middle or end of the base line. Large words are bold.
    pub(super) fn words(at: [f32; 2], anchor: Anchor, size: f32, ink: Ink, text: String) -> Self {
        Self::Words { at, anchor, size, is_bold: size > 10.0, ink, text }
    }
}

/// Colour of dots.
pub(super) const DOT_INK: Ink = BLUE;

/// A picture of one board.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plot {
    /// For a file's name: lower-case letters, digits and dashes.
    pub slug: String,
    pub height: f32,
    pub marks: Vec<Mark>,
}

/// One line of a plot of dots.
pub(super) struct Row {
    pub name: String,
    /// The number as it is written.
    pub value: String,
    pub whisker: Whisker,
}

/// At most two lines, broken between words.
fn note_lines(note: &str) -> Vec<String> {
    let end = note.char_indices().nth(NOTE_CHARS_MAX).map(|(at, _)| at);
    match end.and_then(|end| note[..end].rfind(' ')) {
        Some(space) => vec![note[..space].to_owned(), cut(&note[space + 1..], NOTE_CHARS_MAX)],
        None => vec![cut(note, NOTE_CHARS_MAX)],
    }
}

/// Dots with their whiskers above an axis with `ticks`.
pub(super) fn drawn(heading: &str, note: &str, slug: &str, rows: &[Row], ticks: &[Tick]) -> Plot {
    let names: Vec<String> =
        rows.iter().map(|row| cut(&visible(&row.name, false), NAME_CHARS_MAX)).collect();
    const SIZE: f32 = 9.5;
    let widest = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| width_of(text, SIZE)).fold(0.0, f32::max)
    };
    let left = widest(&mut names.iter().map(String::as_str)) + GAP_PT;
    let right = WIDTH_PT - widest(&mut rows.iter().map(|row| row.value.as_str())) - GAP_PT;
    let bottom = HEAD_PT + ROW_PT * rows.len() as f32;
    let x = |per_cent: f64| left + (right - left) * (per_cent / 100.0) as f32;
    let heading = cut(&visible(heading, false), TITLE_CHARS_MAX);
    let mut marks = vec![Mark::words([0.0, 12.0], Anchor::Start, 11.0, BLACK, heading)];
    let lines = note_lines(&visible(note, false));
    let first = 30.0 - 4.0 * lines.len() as f32;
    for (line, text) in lines.into_iter().enumerate() {
        let at = [0.0, first + 10.0 * line as f32];
        marks.push(Mark::words(at, Anchor::Start, 8.0, GREY, text));
    }
    for Tick { at, label, is_base } in ticks {
        let (at, ink) = (x(*at), if *is_base { GREY } else { FAINT });
        marks.push(Mark::line([at, HEAD_PT - 4.0], [at, bottom], 0.6, ink));
        marks.push(Mark::words([at, bottom + 12.0], Anchor::Middle, 8.0, BLACK, label.clone()));
    }
    for (i, (row, name)) in rows.iter().zip(&names).enumerate() {
        let middle = HEAD_PT + ROW_PT * (i as f32 + 0.5);
        let base_line = middle + 0.35 * SIZE;
        let (name, value) = (name.clone(), row.value.clone());
        marks.push(Mark::words([0.0, base_line], Anchor::Start, SIZE, BLACK, name));
        marks.push(Mark::words([WIDTH_PT, base_line], Anchor::End, SIZE, BLACK, value));
        let Whisker { dot, low, high } = row.whisker;
        if let (Some(low), Some(high)) = (low, high) {
            let line = |from, to| Mark::line(from, to, 1.2, BLUE);
            marks.push(line([x(low), middle], [x(high), middle]));
            for end in [low, high] {
                marks.push(line([x(end), middle - 3.0], [x(end), middle + 3.0]));
            }
        }
        marks.push(Mark::Dot { at: [x(dot), middle], radius: 3.0, is_hollow: low.is_none() });
    }
    Plot { slug: slugged(slug), height: bottom + FOOT_PT, marks }
}

pub(super) fn slugged(text: &str) -> String {
    let plain = text.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9') => c,
        _ => '-',
    });
    let plain: String = plain.collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(80).collect()
}

/// Serialised as SVG.
impl Serialize for Plot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&svg(self))
    }
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

/// Helvetica's widths in thousandths of the size, space to `~` (Adobe's 14 standard fonts).
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
    556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// How long a text is. Letters outside ASCII are taken for as wide as a digit, and those of
/// ideographs and the like for twice that.
pub(super) fn width_of(text: &str, size: f32) -> f32 {
    let one = |c: char| match c {
        ' '..='~' => f32::from(WIDTHS[c as usize - 32]),
        '\u{a0}' => 278.0,
        '\u{1100}'.. if !('\u{2000}'..='\u{22ff}').contains(&c) => 1000.0,
        _ => 556.0,
    };
    text.chars().map(one).sum::<f32>() * size / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Interval;
    use crate::report::axis::Axis;

    #[test]
    fn a_long_note_is_broken_between_words() {
        let note = format!("rubric pairwise, judged by {}", "a-model ".repeat(12));
        assert_eq!(note_lines(note.trim()).join(" "), note.trim());
        assert_eq!(note_lines(note.trim()).len(), 2);
        assert_eq!(note_lines("short"), ["short"]);
        assert!(note_lines(&"x".repeat(300))[0].ends_with('…'));
    }

    #[test]
    fn every_mark_is_on_the_paper() {
        let axis = Axis::around([930.0, 1012.0].into_iter(), Some(1000.0));
        let row = |name: &str, at: f64| Row {
            name: name.to_owned(),
            value: format!("{at}"),
            whisker: axis.whisker(at, Some(Interval { low: at - 10.0, high: at + 12.0 })),
        };
        let rows = [row("a", 1000.0), row(&"very long name ".repeat(9), 940.0)];
        let plot = drawn("Overall", &"note ".repeat(60), "A b/c: d", &rows, &axis.ticks());
        assert_eq!(plot.slug, "a-b-c-d");
        let is_on = |[x, y]: [f32; 2]| {
            (-0.01..=WIDTH_PT + 0.01).contains(&x) && (0.0..=plot.height).contains(&y)
        };
        for mark in &plot.marks {
            match mark {
                Mark::Line { from, to, .. } => assert!(is_on(*from) && is_on(*to), "{mark:?}"),
                Mark::Dot { at, .. } => assert!(is_on(*at), "{mark:?}"),
                Mark::Words { at: [x, y], anchor, size, text, .. } => {
                    let width = width_of(text, *size);
                    let left = match anchor {
                        Anchor::Start => *x,
                        Anchor::Middle => x - 0.5 * width,
                        Anchor::End => x - width,
                    };
                    assert!(is_on([left, *y]) && is_on([left + width, *y]), "{mark:?}");
                }
            }
        }
        let dots = plot.marks.iter().filter(|m| matches!(m, Mark::Dot { .. }));
        assert_eq!(dots.count(), 2);
    }
}
