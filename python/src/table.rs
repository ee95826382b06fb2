//! Rows as typed columns: as Python lists, as HTML, and as an Arrow stream that pandas, polars and DuckDB read without pyarrow.

use crate::error::InternalError;
use crate::html::escaped;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The values of one column.
#[derive(Debug, Clone)]
pub(crate) enum Column {
    Text(Vec<Option<String>>),
    Float(Vec<Option<f64>>),
    Int(Vec<Option<i64>>),
}

/// The type of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Float,
    Int,
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int(values) => values.len(),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(StringArray::from_iter(values)),
            Self::Float(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Int(values) => Arc::new(Int64Array::from(values.clone())),
        }
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self {
            Self::Text(values) => PyList::new(py, values),
            Self::Float(values) => PyList::new(py, values),
            Self::Int(values) => PyList::new(py, values),
        }
    }

    /// As a page shows it.
    fn cell(&self, row: usize) -> String {
        match self {
            Self::Text(values) => values[row].clone().unwrap_or_default(),
            Self::Float(values) => values[row].map_or_else(String::new, |value| match value {
                value if value.abs() >= 100.0 => format!("{value:.0}"),
                value => format!("{value:.3}"),
            }),
            Self::Int(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        }
    }
}

/// Rows with named, typed columns. Arrow readers accept it directly: ``polars.DataFrame(table)``, ``pandas.DataFrame(table.to_dict())``,
/// ``pandas.DataFrame.from_arrow(table)``, ``duckdb.from_arrow(table)``.
///
/// Attributes
/// ----------
/// columns : list of str
#[pyclass(frozen, module = "meshjudge")]
pub(crate) struct Table {
    columns: Vec<(String, Column)>,
}

/// The column that says on which side a rating is open.
const BOUND: &str = "bound";

/// Rows that a notebook shows; the rest is counted.
const ROWS_SHOWN_MAX: usize = 50;

impl Table {
    pub(crate) fn new(columns: Vec<(&str, Column)>) -> Self {
        let columns = columns.into_iter();
        Self {
            columns: columns
                .map(|(name, column)| (name.to_owned(), column))
                .collect(),
        }
    }

    /// From rows as JSON objects; a missing or invalid value is null.
    pub(crate) fn of_rows(schema: &[(&str, Kind)], rows: &[Map<String, Value>]) -> Self {
        let columns = schema.iter().map(|&(name, kind)| {
            let cells = rows.iter().map(|row| row.get(name));
            let column = match kind {
                Kind::Text => Column::Text(cells.map(text).collect()),
                Kind::Float => Column::Float(cells.map(|v| v.and_then(Value::as_f64)).collect()),
                Kind::Int => Column::Int(cells.map(|v| v.and_then(Value::as_i64)).collect()),
            };
            (name, column)
        });
        Self::new(columns.collect())
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    fn column(&self, name: &str) -> PyResult<&Column> {
        let found = self.columns.iter().find(|(known, _)| known == name);
        found.map(|(_, column)| column).ok_or_else(|| {
            let known: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
            PyKeyError::new_err(format!(
                "{name:?} is not a column; choose from {}",
                known.join(", ")
            ))
        })
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = (self.columns.iter())
            .map(|(name, column)| {
                let kind = match column {
                    Column::Text(_) => DataType::Utf8,
                    Column::Float(_) => DataType::Float64,
                    Column::Int(_) => DataType::Int64,
                };
                (Field::new(name, kind, true), column.array())
            })
            .unzip();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
    }

    /// For a board with intervals, each row's rating as a dot on its interval.
    fn whiskers(&self) -> Option<Vec<String>> {
        let values = |name: &str| match self.column(name) {
            Ok(Column::Float(values)) => Some(values),
            _ => None,
        };
        let ratings = values("rating")
            .or_else(|| values("mean"))
            .or_else(|| values("right"))?;
        let (lows, highs) = (values("low")?, values("high")?);
        let all = || ratings.iter().chain(lows).chain(highs).flatten().copied();
        let (start, end) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
        let at = |value: f64| match end > start {
            true => 2.0 + 96.0 * (value - start) / (end - start),
            false => 50.0,
        };
        let whisker = |row: usize| {
            let bar = lows[row].zip(highs[row]).map(|(low, high)| {
                let (left, width) = (at(low), at(high) - at(low));
                format!("<div style=\"position:absolute;top:7px;height:2px;background:#8aa;left:{left:.1}%;width:{width:.1}%\"></div>")
            });
            let dot = ratings[row].map(|rating| {
                format!("<div style=\"position:absolute;top:4px;width:8px;height:8px;margin-left:-4px;border-radius:4px;background:#247;left:{:.1}%\"></div>", at(rating))
            });
            format!(
                "<div style=\"position:relative;width:160px;height:16px\">{}{}</div>",
                bar.unwrap_or_default(),
                dot.unwrap_or_default()
            )
        };
        Some((0..self.num_rows()).map(whisker).collect())
    }

    /// As on a page: an interval is drawn next to its ends, and the bound of a rating (≥, ≤, ~) is before it.
    pub(crate) fn html(&self) -> String {
        let num_rows = self.num_rows();
        let whiskers = self.whiskers();
        let sign = |row: usize| match self.column(BOUND) {
            Ok(Column::Text(bounds)) => match bounds[row].as_deref() {
                Some("at_least") => "≥ ",
                Some("at_most") => "≤ ",
                Some("neither") => "~ ",
                _ => "",
            },
            _ => "",
        };
        let shown = || self.columns.iter().filter(|(name, _)| name != BOUND);
        let head: String = shown()
            .map(|(name, _)| match (name.as_str(), &whiskers) {
                ("high", Some(_)) => "<th>high</th><th>95 %</th>".to_owned(),
                (name, _) => format!("<th>{}</th>", escaped(name)),
            })
            .collect();
        let row = |row: usize| {
            let cells = shown().map(|(name, column)| {
                let cell = column.cell(row);
                match (name.as_str(), column, &whiskers) {
                    (_, Column::Text(_), _) => {
                        format!("<td style=\"text-align:left\">{}</td>", escaped(&cell))
                    }
                    ("rating", ..) => format!("<td>{}{cell}</td>", sign(row)),
                    ("high", _, Some(whiskers)) => {
                        format!("<td>{cell}</td><td>{}</td>", whiskers[row])
                    }
                    _ => format!("<td>{cell}</td>"),
                }
            });
            format!("<tr>{}</tr>", cells.collect::<String>())
        };
        let rows: String = (0..num_rows.min(ROWS_SHOWN_MAX)).map(row).collect();
        let more = match num_rows.saturating_sub(ROWS_SHOWN_MAX) {
            0 => String::new(),
            more => format!("<p>{more} more rows</p>"),
        };
        format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}")
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(list) => {
            let words: Vec<String> = list.iter().filter_map(|v| text(Some(v))).collect();
            Some(words.join(" "))
        }
        other => Some(other.to_string()),
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The columns as lists, by name.
    ///
    /// Returns
    /// -------
    /// dict of str to list
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in &self.columns {
            dict.set_item(name, column.list(py)?)?;
        }
        Ok(dict)
    }

    /// The rows, each a dict.
    ///
    /// Returns
    /// -------
    /// list of dict
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let lists = (self.columns.iter())
            .map(|(name, column)| Ok((name, column.list(py)?)))
            .collect::<PyResult<Vec<_>>>()?;
        (0..self.num_rows())
            .map(|row| {
                let dict = PyDict::new(py);
                for (name, list) in &lists {
                    dict.set_item(name, list.get_item(row)?)?;
                }
                Ok(dict)
            })
            .collect()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        self.column(name)?.list(py)
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }

    /// The Arrow PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to ignore requests that it cannot satisfy.
        drop(requested_schema);
        let failed = |e: ArrowError| InternalError::new_err(format!("Arrow: {e}"));
        let batch = self.batch().map_err(failed)?;
        let schema = batch.schema();
        let batches = RecordBatchIterator::new(std::iter::once(Ok(batch)), schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Only the schema, by the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let failed = |e: ArrowError| InternalError::new_err(format!("Arrow: {e}"));
        let batch = self.batch().map_err(failed)?;
        let schema = arrow_array::ffi::FFI_ArrowSchema::try_from(batch.schema().as_ref());
        PyCapsule::new_with_value(py, schema.map_err(failed)?, c"arrow_schema")
    }

    fn _repr_html_(&self) -> String {
        self.html()
    }

    fn __repr__(&self) -> String {
        format!(
            "<Table {} rows: {}>",
            self.num_rows(),
            self.columns().join(", ")
        )
    }
}
