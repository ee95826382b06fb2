//! The axis of a plot: values → positions in per cent of its width, and round numbers as marks.

use crate::rate::Interval;
use serde::Serialize;

/// The approximate number of marks on an axis.
const TICKS: f64 = 5.0;

/// A mark on the axis of a plot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Tick {
    /// Distance from the left, in per cent.
    pub at: f64,
    pub label: String,
    /// Whether this is the mean of all methods.
    pub is_base: bool,
}

/// A dot with its whisker, in per cent from the left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Whisker {
    pub dot: f64,
    /// Ends of the interval.
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A linear axis with a little air at both ends.
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    base: Option<f64>,
}

impl Axis {
    pub(super) fn around(values: impl Iterator<Item = f64>, base: Option<f64>) -> Self {
        let (mut low, mut high) =
            values.chain(base).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let air = 0.04 * (high - low);
        (low, high) = (low - air, high + air);
        Self { low, high, step: nice_step((high - low) / TICKS), base }
    }

    /// To a tenth of a per cent, which is less than a pixel.
    fn at(&self, value: f64) -> f64 {
        (1000.0 * (value - self.low) / (self.high - self.low)).round() / 10.0
    }

    pub(super) fn whisker(&self, value: f64, interval: Option<Interval>) -> Whisker {
        Whisker {
            dot: self.at(value),
            low: interval.map(|i| self.at(i.low)),
            high: interval.map(|i| self.at(i.high)),
        }
    }

    pub(super) fn ticks(&self) -> Vec<Tick> {
        let (first, last) = ((self.low / self.step).ceil(), (self.high / self.step).floor());
        // Steps are 1, 2 or 5 times a power of ten.
        let (mut digits, mut unit) = (0, self.step);
        while unit < 0.99 && digits < 9 {
            unit *= 10.0;
            digits += 1;
        }
        // A label hangs on both sides of its mark; near an end it would be cut.
        (first as i64..=last as i64)
            .map(|n| n as f64 * self.step)
            .map(|value| Tick {
                at: self.at(value),
                label: format!("{value:.digits$}"),
                is_base: self.base == Some(value),
            })
            .filter(|tick| (4.0..=96.0).contains(&tick.at))
            .collect()
    }
}

/// 1, 2 or 5 times a power of ten, at least `rough`.
fn nice_step(rough: f64) -> f64 {
    let mut power = 1e-6;
    loop {
        for factor in [1.0, 2.0, 5.0] {
            if factor * power >= rough {
                return factor * power;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_holds_its_values_and_marks_round_numbers() {
        let axis = Axis::around([873.0, 1131.0].into_iter(), Some(1000.0));
        assert!(axis.at(873.0) > 0.0 && axis.at(1131.0) < 100.0);
        let labels: Vec<String> = axis.ticks().into_iter().map(|t| t.label).collect();
        assert_eq!(labels, ["900", "1000", "1100"]);
        assert!(axis.ticks()[1].is_base);
        let flat = Axis::around([1000.0].into_iter(), Some(1000.0));
        assert_eq!(flat.at(1000.0), 50.0);
        assert!(!Axis::around(std::iter::empty(), None).ticks().is_empty());
    }
}
