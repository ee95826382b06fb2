//! A bound with its unit, and numbers in that unit.

use crate::metrics::Quantity;

/// What a figure must be.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    /// As the user wrote it; empty for plain numbers.
    unit: &'static str,
    /// One of it, in the figure's own unit: of lengths, metres.
    size: f64,
    quantity: Quantity,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BoundError {
    #[error("needs at_most, at_least or is")]
    Missing,
    #[error(
        "has {found}, but needs a number with a unit in quotes, as in \"5 {example}\"; known units: {known}"
    )]
    Unit { found: String, example: &'static str, known: String },
    #[error("has {found}, but is counted in plain numbers, as in 5")]
    NotPlain { found: String },
    #[error("is yes or no; write `is = true` or `is = false`")]
    NotYesNo,
    #[error("is a number; write at_most or at_least")]
    NotNumber,
    #[error("has bounds in two units; write both in one")]
    TwoUnits,
    #[error("is at least {at_least} and at most {at_most}, which nothing is")]
    Empty { at_least: f64, at_most: f64 },
}

/// Units and their sizes.
fn units(quantity: Quantity) -> &'static [(&'static str, f64)] {
    match quantity {
        Quantity::Count | Quantity::YesNo | Quantity::Ratio => &[],
        Quantity::Share => &[("%", 0.01)],
        Quantity::Length => &[("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("in", 0.0254)],
        Quantity::Volume => &[("mm³", 1e-9), ("cm³", 1e-6), ("m³", 1.0)],
        Quantity::Pixels => &[("px", 1.0)],
        Quantity::PixelsPerLength => &[("px/m", 1.0), ("px/cm", 100.0)],
        Quantity::Bytes => {
            &[("KB", 1e3), ("MB", 1e6), ("KiB", 1024.0), ("MiB", 1_048_576.0), ("B", 1.0)]
        }
    }
}

impl Bound {
    /// From the values of `at_least`, `at_most` and `is`.
    pub(super) fn new(
        quantity: Quantity,
        at_least: Option<&toml::Value>,
        at_most: Option<&toml::Value>,
        is: Option<bool>,
    ) -> Result<Self, BoundError> {
        let plain = |at_least, at_most| Self { at_least, at_most, unit: "", size: 1.0, quantity };
        match (quantity, is) {
            (Quantity::YesNo, Some(is)) if at_least.is_none() && at_most.is_none() => {
                let bound = f64::from(u8::from(is));
                return Ok(plain(Some(bound), Some(bound)));
            }
            (Quantity::YesNo, _) => return Err(BoundError::NotYesNo),
            (_, Some(_)) => return Err(BoundError::NotNumber),
            _ => {}
        }
        let read = |value: &toml::Value| parsed(quantity, value);
        let (low, high) = (at_least.map(read).transpose()?, at_most.map(read).transpose()?);
        let (_, unit, size) = low.or(high).ok_or(BoundError::Missing)?;
        if high.is_some_and(|high| high.1 != unit) {
            return Err(BoundError::TwoUnits);
        }
        let bound = Self { unit, size, ..plain(low.map(|low| low.0), high.map(|high| high.0)) };
        match (bound.at_least, bound.at_most) {
            (Some(at_least), Some(at_most)) if at_least > at_most => {
                Err(BoundError::Empty { at_least, at_most })
            }
            _ => Ok(bound),
        }
    }

    /// A figure in the unit of the bound; `None` where that is a length and the file's is unknown.
    pub fn in_own_unit(&self, value: f64, metres_per_unit: Option<f64>) -> Option<f64> {
        let scale = match self.quantity {
            Quantity::Length => metres_per_unit?,
            Quantity::Volume => metres_per_unit.map(|metres| metres * metres * metres)?,
            Quantity::PixelsPerLength => 1.0 / metres_per_unit?,
            _ => 1.0,
        };
        Some(value * scale / self.size)
    }

    /// Of a value in the unit of the bound. Where it is measured and not counted, a millionth is
    /// rounding: positions have 24 bits.
    pub fn is_kept(&self, value: f64) -> bool {
        let is_counted = matches!(
            self.quantity,
            Quantity::Count | Quantity::YesNo | Quantity::Pixels | Quantity::Bytes
        );
        let slack = if is_counted { 0.0 } else { 1e-6 * value.abs() };
        self.at_least.is_none_or(|low| value + slack >= low)
            && self.at_most.is_none_or(|high| value - slack <= high)
    }

    /// A value in the unit of the bound, for people.
    pub fn shown(&self, value: f64) -> String {
        match (self.quantity, self.unit) {
            (Quantity::YesNo, _) => if value == 1.0 { "yes" } else { "no" }.to_owned(),
            (_, "") => number(value),
            (_, "%") => format!("{} %", number(value)),
            (_, unit) => format!("{} {unit}", number(value)),
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = |value: f64| self.shown(value);
        match (self.at_least, self.at_most) {
            (Some(low), Some(high)) if low == high => f.write_str(&shown(low)),
            (Some(low), Some(high)) => write!(f, "{} to {}", number(low), shown(high)),
            (Some(low), None) => write!(f, "at least {}", shown(low)),
            (None, Some(high)) => write!(f, "at most {}", shown(high)),
            (None, None) => Ok(()),
        }
    }
}

/// Whole numbers as they are, others shortened.
fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = match value.abs() {
        size if size >= 100.0 => return format!("{value:.0}"),
        size if size >= 1.0 => 2,
        size if size >= 1e-3 => 4,
        _ => return format!("{value:.1e}"),
    };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The number, its unit and the unit's size.
fn parsed(quantity: Quantity, value: &toml::Value) -> Result<(f64, &'static str, f64), BoundError> {
    let known = units(quantity);
    let plain = match value {
        toml::Value::Integer(number) => Some(*number as f64),
        toml::Value::Float(number) if number.is_finite() => Some(*number),
        _ => None,
    };
    match (plain, known.first()) {
        (Some(number), None) => Ok((number, "", 1.0)),
        (None, None) => Err(BoundError::NotPlain { found: value.to_string() }),
        (plain, Some((example, _))) => {
            let text = value.as_str().unwrap_or_default().trim();
            let found = known.iter().find_map(|&(unit, size)| {
                let spelt = unit.replace('³', "3");
                let number = text.strip_suffix(unit).or_else(|| text.strip_suffix(&spelt))?;
                Some((number.trim().parse().ok().filter(|n: &f64| n.is_finite())?, unit, size))
            });
            found.filter(|_| plain.is_none()).ok_or_else(|| BoundError::Unit {
                found: value.to_string(),
                example,
                known: known.iter().map(|(unit, _)| *unit).collect::<Vec<_>>().join(", "),
            })
        }
    }
}
