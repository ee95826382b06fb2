//! The model of tables: a kind of table is one list of columns, from which every format is written.
//! Programs get keys and values (JSON, CSV, Parquet, frames); people get headings and written cells
//! (terminal, Markdown, page). What writes a format is elsewhere.

use super::axis::{Axis, Tick, Whisker};
use super::ends::Ends;
use super::show::{dollars, percent, points, seconds};
use crate::rate::{Bound, Estimate, Interval};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A column of a kind of table whose rows are made of `R`.
#[derive(Debug)]
pub struct Column<R> {
    /// A name for each of its values; none for a column that only people see.
    pub(super) keys: &'static [&'static str],
    /// None for a column that only programs see.
    pub(super) heading: &'static str,
    /// An explanation on the page.
    pub(super) hint: &'static str,
    pub(super) cell: Cell<R>,
}

/// How the cells of a column are read from a row, and how they look.
#[derive(Debug)]
pub(super) enum Cell<R> {
    /// The heading of the row.
    Name(fn(&R) -> &str),
    Text(fn(&R) -> &str),
    MaybeText(fn(&R) -> Option<&str>),
    /// A name of the run's.
    Word(fn(&R) -> &str),
    /// A long text.
    Clip(fn(&R) -> &str),
    /// A text that is put together.
    Words(fn(&R) -> String),
    /// Such a text about numbers.
    Figures(fn(&R) -> String),
    /// Such a text below the name before it, only on the page.
    Below(fn(&R) -> String),
    Json(fn(&R) -> Option<Value>),
    List(fn(&R) -> &[String]),
    /// From 1, only on the page.
    Place(fn(&R) -> usize),
    /// 32 bits where a format distinguishes.
    Count(fn(&R) -> usize),
    MaybeCount(fn(&R) -> Option<u64>),
    /// 64 bits.
    Tokens(fn(&R) -> Option<u64>),
    Number(Unit, fn(&R) -> f64),
    MaybeNumber(Unit, fn(&R) -> Option<f64>),
    /// UTC, RFC 3339; empty where there is none.
    Time(fn(&R) -> &str),
    /// The number that the table is about.
    Main(Unit, fn(&R) -> (f64, Option<Bound>)),
    /// Another rating, which may be open on one side.
    Rating(fn(&R) -> (f64, Option<Bound>)),
    Interval(Unit, fn(&R) -> Option<Interval>),
    /// Best and worst.
    Ranks(fn(&R) -> Option<(usize, usize)>),
    /// A difference with its interval.
    Points(fn(&R) -> (f64, Option<Interval>)),
    /// A share or a coefficient with its interval.
    Estimate(Unit, fn(&R) -> Option<Estimate>),
    /// A dot with its interval, only on the page and in plots; the columns after it are its value
    /// and its interval.
    Plot(fn(&R) -> Option<Dot>),
}

/// A value, its interval, and another value on the axis.
pub(super) type Dot = (f64, Option<Interval>, f64);

/// Unit and precision of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    /// With so many digits after the point.
    Digits(usize),
    /// A score on any scale: two decimals, or four significant digits where those say little.
    Score,
    /// Four significant digits.
    Significant,
    /// Per cent of a share.
    Share,
    Dollars,
    Seconds,
}

/// How a column looks on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Style {
    Name,
    Text,
    Word,
    Clip,
    Number,
    Main,
    Place,
    Plot,
    Below,
    /// One of several alike, such as a criterion.
    Group,
    /// A metric, with the digits of its definition's hash.
    Metric,
}

/// The type of a value for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Text,
    MaybeText,
    Json,
    List,
    Count,
    MaybeCount,
    Tokens,
    Number,
    MaybeNumber,
    Time,
    /// An object with `value` and `interval`, or null.
    Estimate,
}

pub(super) const fn column<R>(
    keys: &'static [&'static str],
    heading: &'static str,
    cell: Cell<R>,
) -> Column<R> {
    Column { keys, heading, hint: "", cell }
}

/// A column that only programs see.
pub(super) const fn data<R>(key: &'static [&'static str; 1], cell: Cell<R>) -> Column<R> {
    column(key, "", cell)
}

/// A column with an explanation.
pub(super) fn hinted<R>(hint: &'static str, column: Column<R>) -> Column<R> {
    Column { hint, ..column }
}

impl<R> Column<R> {
    /// Names and types of its values.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Kind)> + use<R> {
        self.keys.iter().copied().zip(self.cell.kinds().iter().copied())
    }
}

/// Before a rating that nothing but the prior keeps there.
fn sign(bound: Option<Bound>) -> &'static str {
    match bound {
        Some(Bound::AtLeast) => "≥\u{a0}",
        Some(Bound::AtMost) => "≤\u{a0}",
        Some(Bound::Neither) => "~\u{a0}",
        None => "",
    }
}

/// The word of a bound for programs.
pub(super) fn bound_word(bound: Bound) -> &'static str {
    match bound {
        Bound::AtLeast => "at_least",
        Bound::AtMost => "at_most",
        Bound::Neither => "neither",
    }
}

pub(super) fn bounded(rating: f64, bound: Option<Bound>) -> String {
    format!("{}{rating:.0}", sign(bound))
}

impl Unit {
    pub(super) fn written(self, value: f64) -> String {
        match self {
            Self::Digits(digits) => format!("{value:.digits$}"),
            Self::Score if value == 0.0 || (0.005..1e6).contains(&value.abs()) => {
                format!("{value:.2}")
            }
            Self::Score | Self::Significant => significant(value),
            Self::Share => percent(value),
            Self::Dollars => dollars(value),
            Self::Seconds => seconds(value),
        }
    }

    /// With its interval, or nothing.
    pub(super) fn estimate(self, estimate: Option<Estimate>) -> String {
        let number = |value: f64| self.written(value).replace('-', "−");
        estimate.map_or(String::new(), |found| match found.interval {
            Some(i) => format!("{} ({} to {})", number(found.value), number(i.low), number(i.high)),
            None => number(found.value),
        })
    }
}

/// At least four significant digits.
pub(super) fn significant(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e9).contains(&size) {
        return format!("{value:.3e}");
    }
    let before = libm::floor(libm::log10(size)) as i32;
    format!("{value:.*}", usize::try_from(3 - before).unwrap_or(0))
}

impl<R> Cell<R> {
    fn style(&self) -> Style {
        match self {
            Self::Name(_) => Style::Name,
            Self::Text(_) | Self::MaybeText(_) | Self::Words(_) | Self::List(_) => Style::Text,
            Self::Word(_) => Style::Word,
            Self::Clip(_) => Style::Clip,
            Self::Below(_) => Style::Below,
            Self::Place(_) => Style::Place,
            Self::Main(..) => Style::Main,
            Self::Plot(_) => Style::Plot,
            _ => Style::Number,
        }
    }

    /// Of each of its values.
    fn kinds(&self) -> &'static [Kind] {
        match self {
            Self::MaybeText(_) => &[Kind::MaybeText],
            Self::Json(_) => &[Kind::Json],
            Self::List(_) => &[Kind::List],
            Self::Place(_) | Self::Count(_) => &[Kind::Count],
            Self::MaybeCount(_) => &[Kind::MaybeCount],
            Self::Tokens(_) => &[Kind::Tokens],
            Self::Number(..) | Self::Main(..) | Self::Rating(_) => &[Kind::Number],
            Self::MaybeNumber(..) => &[Kind::MaybeNumber],
            Self::Time(_) => &[Kind::Time],
            Self::Interval(..) => &[Kind::MaybeNumber; 2],
            Self::Ranks(_) => &[Kind::MaybeCount; 2],
            Self::Points(_) => &[Kind::Number, Kind::MaybeNumber, Kind::MaybeNumber],
            Self::Estimate(..) => &[Kind::Estimate],
            Self::Plot(_) => &[],
            _ => &[Kind::Text],
        }
    }

    pub(super) fn values(&self, row: &R) -> Vec<Value> {
        let ends = |i: Option<Interval>| [json!(i.map(|i| i.low)), json!(i.map(|i| i.high))];
        vec![match self {
            Self::MaybeText(of) => of(row).into(),
            Self::Json(of) => of(row).into(),
            Self::List(of) => of(row).into(),
            Self::Place(of) | Self::Count(of) => of(row).into(),
            Self::MaybeCount(of) | Self::Tokens(of) => of(row).into(),
            Self::Number(_, of) => of(row).into(),
            Self::MaybeNumber(_, of) => of(row).into(),
            Self::Main(_, of) | Self::Rating(of) => of(row).0.into(),
            Self::Estimate(_, of) => json!(of(row)),
            Self::Interval(_, of) => return ends(of(row)).into(),
            Self::Ranks(of) => {
                return of(row)
                    .map_or(vec![Value::Null; 2], |(low, high)| vec![low.into(), high.into()]);
            }
            Self::Points(of) => {
                let (value, interval) = of(row);
                let [low, high] = ends(interval);
                return vec![value.into(), low, high];
            }
            _ => self.shown(row).to_string().into(),
        }]
    }

    fn shown(&self, row: &R) -> Shown {
        let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
        Shown::Text(match self {
            Self::Name(of) | Self::Text(of) | Self::Word(of) | Self::Clip(of) | Self::Time(of) => {
                of(row).to_owned()
            }
            Self::MaybeText(of) => of(row).unwrap_or_default().to_owned(),
            Self::Words(of) | Self::Figures(of) | Self::Below(of) => of(row),
            Self::Json(of) => of(row).map_or(String::new(), |value| value.to_string()),
            Self::List(of) => of(row).join(", "),
            Self::Place(of) | Self::Count(of) => of(row).to_string(),
            Self::MaybeCount(of) | Self::Tokens(of) => count(of(row)),
            Self::Number(unit, of) => unit.written(of(row)),
            Self::MaybeNumber(unit, of) => {
                of(row).map_or(String::new(), |value| unit.written(value))
            }
            Self::Main(unit, of) => {
                let (value, bound) = of(row);
                format!("{}{}", sign(bound), unit.written(value))
            }
            Self::Rating(of) => {
                let (value, bound) = of(row);
                bounded(value, bound)
            }
            Self::Points(of) => {
                let (value, interval) = of(row);
                points(value, interval)
            }
            Self::Estimate(unit, of) => unit.estimate(of(row)),
            Self::Interval(unit, of) => {
                return Shown::Ends(Ends::interval(of(row), |end| unit.written(end)));
            }
            Self::Ranks(of) => return Shown::Ends(Ends::ranks(of(row))),
            // Needs the axis of all rows.
            Self::Plot(_) => String::new(),
        })
    }
}

/// Names and values of one row, in the order of the columns.
pub(super) fn json_row<R>(columns: &[Column<R>], row: &R) -> Map<String, Value> {
    let values = columns.iter().flat_map(|column| {
        let keys = column.keys.iter().map(|key| (*key).to_owned());
        keys.zip(column.cell.values(row)).collect::<Vec<_>>()
    });
    values.collect()
}

/// A cell as people see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Shown {
    Text(String),
    Ends(Ends),
    Plot {
        #[serde(flatten)]
        whisker: Whisker,
        label: String,
    },
    Marked(Marked),
}

/// Steps of a tint on each side.
pub(super) const TINTS: f64 = 5.0;

/// A number in a table whose columns are alike, such as methods by criteria.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Marked {
    pub value: String,
    /// It may be the first: its 95 % interval of ranks reaches 1.
    pub is_best: bool,
    pub interval: Ends,
    /// Further notes.
    pub below: Vec<String>,
    /// Only on the page.
    pub ranks: Ends,
    /// Only on the page: its colour, −[`TINTS`] to [`TINTS`].
    pub tint: Option<i32>,
    /// Only on the page: the cell in words.
    pub title: String,
}

impl Shown {
    pub(super) const NONE: Self = Self::Text(String::new());
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Ends(ends) => ends.fmt(f),
            Self::Marked(marked) => f.write_str(&marked.value),
            Self::Plot { .. } => Ok(()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Head {
    pub text: String,
    pub hint: &'static str,
    pub style: Style,
    /// Which way is better; empty where neither is.
    pub arrow: &'static str,
    pub below: String,
    /// Marks of a plot's axis.
    pub ticks: Vec<Tick>,
}

impl Head {
    pub(super) fn new(text: &str, style: Style) -> Self {
        let text = text.to_owned();
        Self { text, hint: "", style, arrow: "", below: String::new(), ticks: Vec::new() }
    }
}

/// A table as people see it. Every row has as many cells as there are heads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Table {
    pub heads: Vec<Head>,
    pub rows: Vec<Vec<Shown>>,
}

impl Table {
    /// `base` is a value that every axis has.
    pub(super) fn new<R>(columns: &[Column<R>], rows: &[R], base: Option<f64>) -> Self {
        let columns = columns.iter().filter(|column| !column.heading.is_empty());
        let columns: Vec<&Column<R>> = columns.collect();
        let row = |row: &R| columns.iter().map(|column| column.cell.shown(row)).collect();
        let mut table = Self {
            heads: columns
                .iter()
                .map(|column| Head {
                    hint: column.hint,
                    ..Head::new(column.heading, column.cell.style())
                })
                .collect(),
            rows: rows.iter().map(row).collect(),
        };
        for (at, column) in columns.iter().enumerate() {
            if let Cell::Plot(of) = column.cell {
                table.plot(at, &rows.iter().map(of).collect::<Vec<_>>(), base);
            }
        }
        table
    }

    /// A row for each method, with a cell below each of the heads after its name.
    pub(super) fn of_methods<'a>(
        methods: impl IntoIterator<Item = &'a String>,
        heads: impl IntoIterator<Item = Head>,
        cells: impl Fn(&'a String) -> Vec<Shown>,
    ) -> Self {
        let row = |name| [vec![Shown::Text(String::clone(name))], cells(name)].concat();
        Self {
            heads: std::iter::once(Head::new("generator", Style::Name)).chain(heads).collect(),
            rows: methods.into_iter().map(row).collect(),
        }
    }

    fn plot(&mut self, at: usize, dots: &[Option<Dot>], base: Option<f64>) {
        let ends = dots.iter().flatten().flat_map(|(value, interval, other)| {
            let [low, high] = interval.map_or([*value; 2], |i| [i.low, i.high]);
            [low, high, *other]
        });
        let axis = Axis::around(ends, base);
        self.heads[at].ticks = axis.ticks();
        for (row, dot) in self.rows.iter_mut().zip(dots) {
            let Some((value, interval, _)) = dot else {
                continue;
            };
            let known = match row[at + 2].to_string() {
                none if none.is_empty() => "not known".to_owned(),
                ends => ends,
            };
            row[at] = Shown::Plot {
                whisker: axis.whisker(*value, *interval),
                label: format!("{}, 95 % interval {known}", row[at + 1]),
            };
        }
    }

    /// The columns that not only the page shows.
    pub(super) fn written(&self) -> Vec<usize> {
        let is_shown = |at: &usize| {
            !matches!(self.heads[*at].style, Style::Plot | Style::Place | Style::Below)
        };
        (0..self.heads.len()).filter(is_shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn four_digits_count() {
        let shown = [0.0, 0.012_345, 1.0, 123.456, 205_812.6, 0.000_012_346, -0.5].map(significant);
        assert_eq!(shown, ["0", "0.01235", "1.000", "123.5", "205813", "1.235e-5", "-0.5000"]);
    }
}
