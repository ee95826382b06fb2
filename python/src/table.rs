//! Rows as typed columns: as Python lists, as text, as HTML, and as an Arrow stream that pandas,
//! polars and DuckDB read without pyarrow.

use crate::error::{InternalError, invalid, is_near, unknown};
use crate::html::escaped;
use crate::json::{from_json, to_python};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
    TimestampMicrosecondArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use meshjudge::unstable::report::{Kind as ColumnKind, text_table};
use meshjudge::unstable::store::micros_of;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList, PySlice};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The values of one column.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Column {
    Text(Vec<Option<String>>),
    #[serde(with = "bits")]
    Float(Vec<Option<f64>>),
    Int(Vec<Option<i64>>),
    /// Lists and dicts in Python, JSON texts in Arrow.
    Json(Vec<Option<Value>>),
    /// RFC 3339 in UTC: a `datetime` in Python, microseconds in Arrow.
    Time(Vec<Option<String>>),
}

/// Floats as whole numbers, because a decimal that is read is not always the one that was written.
mod bits {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        values: &[Option<f64>],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let bits = values.iter().map(|value| value.map(f64::to_bits));
        bits.collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Option<f64>>, D::Error> {
        let bits = Vec::<Option<u64>>::deserialize(from)?;
        Ok(bits.into_iter().map(|bits| bits.map(f64::from_bits)).collect())
    }
}

/// The type of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Text,
    Float,
    Int,
    Json,
    Time,
}

impl From<ColumnKind> for Kind {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text | ColumnKind::MaybeText => Self::Text,
            ColumnKind::Json | ColumnKind::List => Self::Json,
            ColumnKind::Count | ColumnKind::MaybeCount | ColumnKind::Tokens => Self::Int,
            ColumnKind::Number | ColumnKind::MaybeNumber | ColumnKind::Estimate => Self::Float,
            ColumnKind::Time => Self::Time,
        }
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::Text(values) | Self::Time(values) => values.len(),
            Self::Json(values) => values.len(),
            Self::Float(values) => values.len(),
            Self::Int(values) => values.len(),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(StringArray::from_iter(values)),
            Self::Float(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Int(values) => Arc::new(Int64Array::from(values.clone())),
            Self::Json(values) => {
                let texts = values.iter().map(|value| value.as_ref().map(Value::to_string));
                Arc::new(StringArray::from_iter(texts))
            }
            Self::Time(values) => {
                let times = values.iter().map(|time| micros_of(time.as_deref()?));
                Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
            }
        }
    }

    /// Those rows.
    fn taken(&self, rows: &[usize]) -> Self {
        fn of<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row].clone()).collect()
        }
        match self {
            Self::Text(values) => Self::Text(of(values, rows)),
            Self::Float(values) => Self::Float(of(values, rows)),
            Self::Int(values) => Self::Int(of(values, rows)),
            Self::Json(values) => Self::Json(of(values, rows)),
            Self::Time(values) => Self::Time(of(values, rows)),
        }
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self {
            Self::Text(values) => PyList::new(py, values),
            Self::Float(values) => PyList::new(py, values),
            Self::Int(values) => PyList::new(py, values),
            Self::Json(values) => Ok(to_python(py, values)?.cast_into()?),
            Self::Time(values) => {
                let read = py.import("datetime")?.getattr("datetime")?.getattr("fromisoformat")?;
                let times = values
                    .iter()
                    .map(|time| time.as_ref().map(|time| read.call1((time,))).transpose());
                PyList::new(py, times.collect::<PyResult<Vec<_>>>()?)
            }
        }
    }

    /// As a page shows it.
    fn cell(&self, row: usize) -> String {
        match self {
            Self::Text(values) | Self::Time(values) => values[row].clone().unwrap_or_default(),
            Self::Json(values) => values[row].as_ref().map(Value::to_string).unwrap_or_default(),
            Self::Float(values) => values[row].map_or_else(String::new, |value| match value {
                value if value.abs() >= 100.0 => format!("{value:.0}"),
                value => format!("{value:.3}"),
            }),
            Self::Int(values) => values[row].map_or_else(String::new, |value| value.to_string()),
        }
    }
}

#[doc = doc!("Table")]
#[pyclass(frozen, module = "meshjudge")]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Table {
    columns: Vec<(String, Column)>,
    notes: Vec<String>,
}

/// The column that says on which side a rating is open.
const BOUND: &str = "bound";

/// Rows that a notebook shows; the rest is counted.
const ROWS_SHOWN_MAX: usize = 50;

/// Of a table as text.
const COLUMNS_SHOWN_MAX: usize = 14;
const CELL_CHARS_MAX: usize = 24;
/// The names of all criteria fit, hashes and replies do not.
const PAGE_CELL_CHARS_MAX: usize = 40;

fn cut(cell: &str, chars_max: usize) -> String {
    let cell = cell.replace('\n', " ");
    if cell.chars().count() > chars_max {
        cell.chars().take(chars_max - 1).chain(['…']).collect()
    } else {
        cell
    }
}

impl Table {
    pub(crate) fn new(columns: Vec<(&str, Column)>) -> Self {
        let columns = columns.into_iter();
        Self {
            columns: columns.map(|(name, column)| (name.to_owned(), column)).collect(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn with_notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// From rows as JSON objects; a missing or invalid value is null.
    pub(crate) fn of_rows(schema: &[(impl AsRef<str>, Kind)], rows: &[Map<String, Value>]) -> Self {
        let columns = schema.iter().map(|(name, kind)| {
            let name = name.as_ref();
            let cells = rows.iter().map(|row| row.get(name));
            let column = match kind {
                Kind::Text => Column::Text(cells.map(text).collect()),
                Kind::Float => Column::Float(cells.map(|v| v.and_then(Value::as_f64)).collect()),
                Kind::Int => Column::Int(cells.map(|v| v.and_then(Value::as_i64)).collect()),
                Kind::Json => {
                    Column::Json(cells.map(|v| v.filter(|v| !v.is_null()).cloned()).collect())
                }
                Kind::Time => Column::Time(
                    cells.map(text).map(|time| time.filter(|time| !time.is_empty())).collect(),
                ),
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
            unknown("column", name, &known)
        })
    }

    fn batch(&self) -> Result<RecordBatch, ArrowError> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = self
            .columns
            .iter()
            .map(|(name, column)| {
                let kind = match column {
                    Column::Text(_) | Column::Json(_) => DataType::Utf8,
                    Column::Time(_) => {
                        DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
                    }
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
        let ratings = values("rating").or_else(|| values("mean")).or_else(|| values("right"))?;
        let (lows, highs) = (values("low")?, values("high")?);
        let all = || ratings.iter().chain(lows).chain(highs).flatten().copied();
        let (start, end) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
        let at = |value: f64| {
            if end > start { 2.0 + 96.0 * (value - start) / (end - start) } else { 50.0 }
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

    /// As on a page: an interval is drawn next to its ends, and the bound of a rating (≥, ≤, ~) is
    /// before it.
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
                let cell = cut(&column.cell(row), PAGE_CELL_CHARS_MAX);
                match (name.as_str(), column, &whiskers) {
                    (_, Column::Text(_) | Column::Json(_), _) => {
                        format!(
                            "<td style=\"text-align:left;white-space:nowrap\">{}</td>",
                            escaped(&cell)
                        )
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
        let notes: String =
            self.notes.iter().map(|note| format!("<li>{}</li>", escaped(note))).collect();
        let notes = if notes.is_empty() { notes } else { format!("<ul>{notes}</ul>") };
        format!("<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}{notes}")
    }

    fn text(&self) -> String {
        let shown = &self.columns[..self.columns.len().min(COLUMNS_SHOWN_MAX)];
        let mut rows = vec![shown.iter().map(|(name, _)| name.clone()).collect()];
        for row in 0..self.num_rows().min(ROWS_SHOWN_MAX) {
            rows.push(
                shown.iter().map(|(_, column)| cut(&column.cell(row), CELL_CHARS_MAX)).collect(),
            );
        }
        let mut text = text_table(&rows);
        if self.num_rows() > ROWS_SHOWN_MAX {
            text += &format!("… {} more rows\n", self.num_rows() - ROWS_SHOWN_MAX);
        }
        let hidden: Vec<&str> =
            self.columns[shown.len()..].iter().map(|(name, _)| name.as_str()).collect();
        if !hidden.is_empty() {
            text += &format!("… {} more columns: {}\n", hidden.len(), hidden.join(", "));
        }
        for note in &self.notes {
            text += &format!("  {note}\n");
        }
        text.trim_end().to_owned()
    }

    fn taken(&self, rows: &[usize]) -> Self {
        let columns = self.columns.iter();
        Self {
            columns: columns.map(|(name, column)| (name.clone(), column.taken(rows))).collect(),
            notes: Vec::new(),
        }
    }

    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in &self.columns {
            dict.set_item(name, column.taken(&[row]).list(py)?.get_item(0)?)?;
        }
        Ok(dict)
    }

    /// From the end if it is negative.
    fn row_index(&self, row: isize) -> PyResult<usize> {
        let from_start = if row < 0 { row + self.num_rows() as isize } else { row };
        let found = usize::try_from(from_start).ok().filter(|&row| row < self.num_rows());
        found.ok_or_else(|| {
            PyIndexError::new_err(format!(
                "there is no row {row}; the table has {}",
                self.num_rows()
            ))
        })
    }
}

/// A pickled table.
#[pyfunction]
pub(crate) fn restore_table(json: &str) -> PyResult<Table> {
    from_json(json)
}

fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[pymethods]
impl Table {
    #[doc = doc!("Table.columns")]
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(|(name, _)| name.as_str()).collect()
    }

    #[doc = doc!("Table.to_dict")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in &self.columns {
            dict.set_item(name, column.list(py)?)?;
        }
        Ok(dict)
    }

    #[doc = doc!("Table.to_dicts")]
    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let lists = self
            .columns
            .iter()
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

    #[doc = doc!("Table.notes")]
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    #[doc = doc!("Table.filter")]
    #[pyo3(signature = (**equal))]
    fn filter(&self, py: Python<'_>, equal: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut rows: Vec<usize> = (0..self.num_rows()).collect();
        for (name, wanted) in equal.into_iter().flat_map(|equal| equal.iter()) {
            let name: String = name.extract()?;
            let column = self.column(&name)?;
            if !matches!(column, Column::Json(_)) && wanted.is_instance_of::<PyList>() {
                return Err(invalid(format!("{name}= takes one value, not a list")));
            }
            let cells = column.list(py)?;
            let is_equal = |row: &usize| cells.get_item(*row)?.eq(&wanted);
            if let (Column::Text(values), Ok(word)) = (column, wanted.extract::<String>())
                && !values.iter().flatten().any(|value| *value == word)
            {
                let known: BTreeSet<&String> = values.iter().flatten().collect();
                let known: Vec<&String> = known.into_iter().collect();
                // A word like none of them is none that a slip made: there may be no tie, or no b.
                if is_near(&word, &known)? {
                    return Err(unknown(&name, &word, &known));
                }
            }
            let mut kept = Vec::new();
            for row in rows {
                if is_equal(&row)? {
                    kept.push(row);
                }
            }
            rows = kept;
        }
        Ok(self.taken(&rows))
    }

    #[doc = doc!("Table.to_pandas")]
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let frame = py.import("pandas")?.call_method1("DataFrame", (self.to_dict(py)?,))?;
        // A column of which nothing is known is still one of numbers.
        let kinds = PyDict::new(py);
        for (name, column) in &self.columns {
            let is_empty = match column {
                Column::Float(cells) => cells.iter().all(Option::is_none),
                Column::Int(cells) => cells.iter().all(Option::is_none),
                _ => false,
            };
            if is_empty {
                kinds.set_item(name, "float64")?;
            }
        }
        frame.call_method1("astype", (kinds,))
    }

    #[doc = doc!("Table.to_polars")]
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    #[doc = doc!("Table.to_arrow")]
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    #[doc = doc!("Table.plot")]
    #[pyo3(signature = (ax=None))]
    fn plot<'py>(
        slf: Bound<'py, Self>,
        ax: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plots = slf.py().import("meshjudge._plots")?;
        plots.call_method1("plot", (slf, ax))
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.extract::<String>() {
            return Ok(self.column(&name)?.list(py)?.into_any());
        }
        if let Ok(row) = key.extract::<isize>() {
            return Ok(self.row(py, self.row_index(row)?)?.into_any());
        }
        if let Ok(slice) = key.cast::<PySlice>() {
            let places = slice.indices(self.num_rows() as isize)?;
            let rows: Vec<usize> = (0..places.slicelength)
                .map(|k| (places.start + k as isize * places.step) as usize)
                .collect();
            return Ok(self.taken(&rows).into_pyobject(py)?.into_any());
        }
        if let Ok((row, name)) = key.extract::<(isize, String)>() {
            let row = self.row_index(row)?;
            return self.column(&name)?.taken(&[row]).list(py)?.get_item(0);
        }
        Err(PyTypeError::new_err(
            "a table is indexed by a column's name, a row's number, a slice, or (row, column)",
        ))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.to_dicts(py)?)?.try_iter()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = py.import("meshjudge._native")?.getattr("restore_table")?;
        Ok((restore, (serde_json::json!(self).to_string(),)))
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
        self.text()
    }
}
