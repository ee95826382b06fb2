//! How a Fréchet distance falls with the number of assets, and where the line through it ends: for
//! infinitely many there is no bias.

use super::axis::Axis;
use super::plot::{Anchor, BLACK, BLUE, FAINT, GREY, Mark, Plot, WIDTH_PT, slugged, width_of};
use super::show::{cut, visible};
use crate::results::MetricBoard;
use crate::store::{Bias, SetRow};

const TOP_PT: f32 = 44.0;
const PLOT_PT: f32 = 150.0;
const NAME_PT: f32 = 9.5;
/// Names are at least so far apart.
const NAME_STEP_PT: f32 = 12.0;
const NAME_CHARS_MAX: usize = 24;
/// The letters that a system without Helvetica shows can be so much wider.
const WIDER: f32 = 1.2;

/// None for a board without such a distance.
pub(super) fn bias_plot(on: &MetricBoard) -> Option<Plot> {
    let curve = |row: &'_ SetRow| row.bias.clone().zip(row.limit);
    let curves: Vec<(&SetRow, Bias, f64)> = on
        .sets
        .iter()
        .filter_map(|row| curve(row).map(|(bias, limit)| (row, bias, limit)))
        .collect();
    let least = curves.iter().flat_map(|(_, bias, _)| &bias.points).map(|(n, _)| *n).min()?;
    let far = 1.0 / least as f64;
    let values = curves.iter().flat_map(|(_, bias, limit)| {
        let points = bias.points.iter().map(|(_, value)| *value);
        points.chain(ends_of(bias, *limit, far)).collect::<Vec<f64>>()
    });
    let axis = Axis::around(values, None);
    let name = |row: &SetRow| cut(&visible(&row.method, false), NAME_CHARS_MAX);
    let names = curves.iter().map(|(row, ..)| width_of(&name(row), NAME_PT));
    let right = WIDTH_PT - WIDER * names.fold(0.0, f32::max) - 8.0;
    let left = 44.0;
    let x = |share: f64| left + (right - left) * (share / far) as f32;
    let y = |value: f64| TOP_PT + PLOT_PT * (1.0 - axis.whisker(value, None).dot as f32 / 100.0);
    let heading = format!("{} by number of assets", on.metric);
    let note = "dots: samples of the assets; lines: least squares over 1/N, which end at infinitely many assets (left)";
    let mut marks = vec![
        Mark::words([0.0, 12.0], Anchor::Start, 11.0, BLACK, heading),
        Mark::words([0.0, 26.0], Anchor::Start, 8.0, GREY, note.to_owned()),
    ];
    for tick in axis.ticks() {
        let height = TOP_PT + PLOT_PT * (1.0 - tick.at as f32 / 100.0);
        marks.push(Mark::line([left, height], [right, height], 0.6, FAINT));
        marks.push(Mark::words([left - 6.0, height + 3.0], Anchor::End, 8.0, GREY, tick.label));
    }
    let mut sizes: Vec<usize> =
        curves.iter().flat_map(|(_, bias, _)| &bias.points).map(|(n, _)| *n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let foot = TOP_PT + PLOT_PT + 12.0;
    marks.push(Mark::words([left, foot], Anchor::Middle, 8.0, GREY, "∞".to_owned()));
    // From the smallest on, where there is room.
    let mut free = f32::INFINITY;
    for size in sizes {
        let at = x(1.0 / size as f64);
        let label = size.to_string();
        if at + width_of(&label, 8.0) < free {
            free = at - width_of(&label, 8.0);
            marks.push(Mark::words([at, foot], Anchor::Middle, 8.0, GREY, label));
        }
    }
    let mut ends: Vec<(f32, String)> = Vec::new();
    for (row, bias, limit) in &curves {
        let [near, end] = ends_of(bias, *limit, far);
        marks.push(Mark::line([x(0.0), y(near)], [x(far), y(end)], 1.0, BLUE));
        let dot = |(n, value): &(usize, f64)| Mark::Dot {
            at: [x(1.0 / *n as f64), y(*value)],
            radius: 1.6,
            is_hollow: true,
        };
        marks.extend(bias.points.iter().map(dot));
        marks.push(Mark::Dot { at: [x(0.0), y(near)], radius: 3.0, is_hollow: false });
        ends.push((y(end), name(row)));
    }
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lowest = f32::NEG_INFINITY;
    for (height, name) in ends {
        lowest = height.max(lowest + NAME_STEP_PT);
        marks.push(Mark::words([right + 8.0, lowest + 3.0], Anchor::Start, NAME_PT, BLACK, name));
    }
    let height = foot.max(lowest) + 10.0;
    Some(Plot { slug: slugged(&format!("{}-bias", on.metric)), height, marks })
}

fn ends_of(bias: &Bias, limit: f64, far: f64) -> [f64; 2] {
    [limit, limit + bias.slope * far]
}
