//! Rows → Parquet: the CSV's columns with real types, by the format's low-level writer.

use super::record_columns::RECORD_COLUMNS;
use super::table::{Column, Kind};
use super::vector_column::VectorColumn;
use crate::error::Error;
use crate::store::{Record, micros_of};
use parquet::basic::Compression;
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::io::Write;
use std::sync::Arc;

/// Rows of a row group: with replies of some kilobytes each, tens of megabytes in memory.
const ROWS_PER_GROUP: usize = 8192;

/// The columns as the format declares them.
fn schema<R>(columns: &[Column<R>]) -> String {
    let field = |(name, kind): (&str, Kind)| match kind {
        Kind::Text => format!("required binary {name} (STRING);"),
        Kind::MaybeText => format!("optional binary {name} (STRING);"),
        Kind::Json | Kind::Estimate => format!("optional binary {name} (JSON);"),
        Kind::List => format!(
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
        ),
        Kind::Count => format!("required int32 {name} (INTEGER(32,false));"),
        Kind::MaybeCount => format!("optional int32 {name} (INTEGER(32,false));"),
        Kind::Tokens => format!("optional int64 {name} (INTEGER(64,false));"),
        Kind::Number => format!("required double {name};"),
        Kind::MaybeNumber => format!("optional double {name};"),
        Kind::Time => format!("optional int64 {name} (TIMESTAMP(MILLIS,true));"),
    };
    let fields: Vec<String> = columns.iter().flat_map(Column::fields).map(field).collect();
    format!("message rows {{ {} }}", fields.join(" "))
}

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;

/// Writes all rows; the same rows give the same bytes.
///
/// # Errors
/// Rows without columns, and errors of the output.
pub fn parquet<W: Write + Send>(records: &[Record], out: W) -> Result<(), Error> {
    write(&RECORD_COLUMNS, records, out)
        .map_err(|e| Error::run(format!("the rows could not be written as Parquet ({e})")))
}

fn write<R, W: Write + Send>(
    columns: &[Column<R>],
    rows: &[R],
    out: W,
) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema(columns))?);
    let properties = properties().build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    for rows in rows.chunks(ROWS_PER_GROUP) {
        let mut group = file.next_row_group()?;
        for column in columns {
            let mut cells: Vec<Vec<Value>> =
                rows.iter().map(|row| column.cell.values(row)).collect();
            for (at, (_, kind)) in column.fields().enumerate() {
                let values = cells.iter_mut().map(|cells| cells[at].take()).collect();
                write_column(kind, values, &mut group)?;
            }
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("meshjudge {}", env!("CARGO_PKG_VERSION")))
}

/// Vectors with the keys of their assets.
pub(super) fn vectors_as_parquet(
    columns: &[(&str, VectorColumn<'_>)],
    num_rows: usize,
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, Error> {
    let written = write_vectors(columns, num_rows, metadata);
    written.map_err(|e| Error::run(format!("the rows could not be written as Parquet ({e})")))
}

fn write_vectors(
    columns: &[(&str, VectorColumn<'_>)],
    num_rows: usize,
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, ParquetError> {
    let field = |(name, column): &(&str, VectorColumn<'_>)| match column {
        VectorColumn::Text(_) => format!("required binary {name} (STRING);"),
        VectorColumn::Count(_) => format!("required int32 {name} (INTEGER(32,false));"),
        VectorColumn::Vectors(..) => format!(
            "required group {name} (LIST) {{ repeated group list {{ required float element; }} }}"
        ),
    };
    let fields: Vec<String> = columns.iter().map(field).collect();
    let schema = parse_message_type(&format!("message vectors {{ {} }}", fields.join(" ")))?;
    let pair = |(key, value): &(&str, &str)| KeyValue::new((*key).to_owned(), (*value).to_owned());
    let pairs: Vec<KeyValue> = metadata.iter().map(pair).collect();
    let properties = properties().set_key_value_metadata(Some(pairs)).build();
    let mut out = Vec::new();
    let mut file = SerializedFileWriter::new(&mut out, Arc::new(schema), Arc::new(properties))?;
    for start in (0..num_rows).step_by(ROWS_PER_GROUP) {
        let rows = start..(start + ROWS_PER_GROUP).min(num_rows);
        let mut group = file.next_row_group()?;
        for (_, held) in columns {
            match held {
                VectorColumn::Text(texts) => {
                    let texts = texts[rows.clone()].iter().map(|text| ByteArray::from(*text));
                    let texts: Vec<ByteArray> = texts.collect();
                    column::<ByteArrayType>(&mut group, &texts, None, None)?;
                }
                VectorColumn::Count(counts) => {
                    let counts = counts[rows.clone()].iter().map(|count| *count as i32);
                    let counts: Vec<i32> = counts.collect();
                    column::<Int32Type>(&mut group, &counts, None, None)?;
                }
                VectorColumn::Vectors(size, values) => {
                    let values = &values[rows.start * size..rows.end * size];
                    let begins = |at: usize| i16::from(!at.is_multiple_of(*size));
                    let repeated: Vec<i16> = (0..values.len()).map(begins).collect();
                    let defined = vec![1; values.len()];
                    column::<FloatType>(&mut group, values, Some(&defined), Some(&repeated))?;
                }
            }
        }
        group.close()?;
    }
    file.close()?;
    Ok(out)
}

fn write_column<W: Write + Send>(
    kind: Kind,
    values: Vec<Value>,
    group: &mut Group<'_, W>,
) -> Result<(), ParquetError> {
    let json = |value: Value| Some(value.to_string().into_bytes().into());
    let small = |value: Value| value.as_u64().map(|count| count as i32);
    let large = |value: Value| value.as_u64().map(|count| count as i64);
    let number = |value: Value| value.as_f64();
    match kind {
        Kind::Text => required::<ByteArrayType>(group, values, text),
        Kind::MaybeText => optional::<ByteArrayType>(group, values, text),
        Kind::Json | Kind::Estimate => optional::<ByteArrayType>(group, values, json),
        Kind::List => lists(group, values),
        Kind::Count => required::<Int32Type>(group, values, small),
        Kind::MaybeCount => optional::<Int32Type>(group, values, small),
        Kind::Tokens => optional::<Int64Type>(group, values, large),
        Kind::Number => required::<DoubleType>(group, values, number),
        Kind::MaybeNumber => optional::<DoubleType>(group, values, number),
        Kind::Time => optional::<Int64Type>(group, values, time),
    }
}

/// Milliseconds since 1970.
fn time(value: Value) -> Option<i64> {
    Some(micros_of(value.as_str()?)? / 1000)
}

fn text(value: Value) -> Option<ByteArray> {
    match value {
        Value::String(text) => Some(text.into_bytes().into()),
        _ => None,
    }
}

fn required<D: DataType>(
    group: &mut Group<'_, impl Write + Send>,
    values: Vec<Value>,
    of: impl Fn(Value) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let values: Vec<D::T> = values.into_iter().map(|v| of(v).unwrap_or_default()).collect();
    column::<D>(group, &values, None, None)
}

fn optional<D: DataType>(
    group: &mut Group<'_, impl Write + Send>,
    values: Vec<Value>,
    of: impl Fn(Value) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let cells = values.into_iter().map(|value| if value.is_null() { None } else { of(value) });
    let cells: Vec<Option<D::T>> = cells.collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<D::T> = cells.into_iter().flatten().collect();
    column::<D>(group, &values, Some(&levels), None)
}

/// A list: definition level 0 is an empty one, repetition level 0 begins a row.
fn lists(group: &mut Group<'_, impl Write + Send>, lists: Vec<Value>) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        let list = list.as_array().cloned().unwrap_or_default();
        if list.is_empty() {
            defined.push(0);
            repeated.push(0);
        }
        for (i, element) in list.into_iter().enumerate() {
            values.push(text(element).unwrap_or_default());
            defined.push(1);
            repeated.push(i16::from(i > 0));
        }
    }
    column::<ByteArrayType>(group, &values, Some(&defined), Some(&repeated))
}

fn column<D: DataType>(
    group: &mut Group<'_, impl Write + Send>,
    values: &[D::T],
    defined: Option<&[i16]>,
    repeated: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column = group
        .next_column()?
        .ok_or_else(|| ParquetError::General("more columns than the schema has".to_owned()))?;
    column.typed::<D>().write_batch(values, defined, repeated)?;
    column.close()
}
