//! The output of `measure` for people: one comparison as a list, several as a table.

use crate::metrics::{Align, CompareSettings, Comparison, Unit};
use std::path::Path;

/// One result's numbers, in the order of the metrics.
pub(super) struct Line {
    pub name: String,
    pub values: Vec<Option<f64>>,
    /// What a picture shows: pictures of several channels have a mean each.
    pub channel: Option<&'static str>,
}

/// The lines of each channel, in the order of their first ones; all of them where no line has one.
pub(super) fn by_channel(lines: &[Line]) -> Vec<(Option<&'static str>, Vec<&Line>)> {
    let mut groups: Vec<(Option<&'static str>, Vec<&Line>)> = Vec::new();
    for line in lines {
        match groups.iter_mut().find(|(known, _)| *known == line.channel) {
            Some((_, group)) => group.push(line),
            None => groups.push((line.channel, vec![line])),
        }
    }
    groups
}

/// The mean of a metric's numbers, and how many there are.
pub(super) fn mean_of(lines: &[&Line], metric: usize) -> (Option<f64>, usize) {
    let values: Vec<f64> = lines.iter().filter_map(|line| line.values[metric]).collect();
    let count = values.len();
    ((count > 0).then(|| values.iter().sum::<f64>() / count as f64), count)
}

/// Warnings about the numbers.
pub(super) fn caveats(compared: &Comparison) -> Vec<String> {
    /// Beyond this the result is of another size, not an inexact copy.
    const SIZE_SLACK: f64 = 1.25;
    let mut lines = Vec::new();
    for (side, name) in [(&compared.result, "result"), (&compared.reference, "reference")] {
        if side.faces_inwards {
            lines.push(format!(
                "the {name} is inside out: its faces point inwards, and it was measured as if they pointed outwards; turn them in the file"
            ));
        }
    }
    let ratio = compared.size_ratio;
    if compared.alignment.method == Align::None && !(1.0 / SIZE_SLACK..SIZE_SLACK).contains(&ratio)
    {
        lines.push(format!(
            "the result's box is {ratio:.3} times as long as the reference's, so size dominates the numbers; remove it with --align box or search"
        ));
    }
    if compared.alignment.is_mirror_better() {
        lines.push(
            "the mirror image of this result fits its reference much better; the result was not mirrored"
                .to_owned(),
        );
    }
    lines
}

/// A search that leaves more than this part of the diagonal has compared two shapes. Halves of 41
/// real meshes left 0.012 to 0.075 and most came out at a scale of their own; copies left less than
/// 2e-7 (docs/runs/metrics).
const OTHER_SHAPE: f64 = 1e-2;

/// The definition that all share, and a line for each metric.
pub(super) fn one(
    path: &Path,
    reference: &Path,
    compared: &Comparison,
    settings: &CompareSettings,
) -> String {
    let alignment = &compared.alignment;
    let how = match alignment.method {
        Align::None => "as the files are".to_owned(),
        Align::Box => format!("boxes aligned, scale {:.6}", alignment.scale),
        Align::Axes => format!(
            "axes of inertia aligned, scale {:.6}, turned {:.2}°",
            alignment.scale, alignment.rotation_degrees
        ),
        Align::Search => format!(
            "searched, scale {:.6}, turned {:.2}°",
            alignment.scale, alignment.rotation_degrees
        ),
    };
    let unit = match settings.unit {
        Unit::Longest => "the reference's longest side",
        Unit::Diagonal => "the reference's diagonal",
        Unit::File => "the file's unit",
    };
    let compromise = (alignment.method == Align::Search && alignment.residual_after > OTHER_SHAPE)
        .then_some(
            "the shapes differ, so scale and rotation are a compromise over both whole surfaces",
        );
    let open = [(&compared.result, "result"), (&compared.reference, "reference")]
        .into_iter()
        .filter(|(side, _)| !side.is_closed)
        .map(|(_, name)| format!("the {name} is open"));
    let mut lines = vec![
        format!("{} against {}", path.display(), reference.display()),
        format!(
            "  unit of length: {unit} ({:.6}); {} points on each, seed {}",
            compared.unit_length, settings.samples, settings.seed
        ),
        format!(
            "  {how}; residual {:.3e} before, {:.3e} after",
            alignment.residual_before, alignment.residual_after
        ),
    ];
    lines.extend(compromise.map(|what| format!("  {what}")));
    lines.extend(open.map(|what| format!("  {what}")));
    for value in &compared.values {
        let number = match (value.value, &value.why) {
            (Some(number), _) => written(number),
            (None, Some(why)) => format!("none ({why})"),
            (None, None) => "none".to_owned(),
        };
        let floor =
            value.floor.map_or(String::new(), |floor| format!("   floor {}", written(floor)));
        let name = value.metric.to_string();
        lines.push(format!("  {name:<16} {number:>12}{floor}"));
    }
    lines.join("\n")
}

/// A line for each result, and the means.
pub(super) fn table(names: &[String], lines: &[Line]) -> String {
    let wide = lines.iter().map(|line| line.name.chars().count()).max();
    let wide = wide.unwrap_or(0).max("mean".len());
    let widths: Vec<usize> = names.iter().map(|name| name.len().max(10)).collect();
    let row = |name: &str, cells: Vec<String>| {
        let cells: String =
            cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}")).collect();
        let text = format!("{name:<wide$}{cells}");
        text.trim_end().to_owned()
    };
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), written);
    let mut out = vec![row("", names.to_vec())];
    for line in lines {
        out.push(row(&line.name, line.values.iter().map(|v| shown(*v)).collect()));
    }
    let groups = by_channel(lines);
    let is_one = groups.len() == 1;
    for (channel, lines) in groups.into_iter().filter(|(_, lines)| lines.len() > 1) {
        let mean = |k: usize| mean_of(&lines, k).0;
        let of = channel.filter(|_| !is_one).map_or_else(String::new, |name| format!(" of {name}"));
        out.push(row(&format!("mean{of}"), (0..names.len()).map(|k| shown(mean(k))).collect()));
    }
    out.join("\n")
}

/// Six significant digits.
fn written(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{number:.5e}");
    }
    let before = if size >= 1.0 { libm::log10(size) as usize } else { 0 };
    format!("{number:.*}", 6_usize.saturating_sub(before))
}
