//! Rows → Parquet: the columns of the CSV with real types, written with the format's low-level writer.

use super::ReportError;
use super::arrow::{ArrowColumn, schema_message};
use super::record_columns::RECORD_COLUMNS;
use super::table::{Column, Kind};
use crate::store::Record;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
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
/// [`ReportError::Parquet`], also for errors of the output.
pub fn parquet<W: Write + Send>(records: &[Record], out: W) -> Result<(), ReportError> {
    write(&RECORD_COLUMNS, records, out).map_err(|e| ReportError::Parquet { reason: e.to_string() })
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

/// Vectors with what they belong to, and the schema that tells readers of Arrow their size.
pub(super) fn vectors_as_parquet(
    columns: &[(&str, ArrowColumn<'_>)],
    num_rows: usize,
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, ReportError> {
    let written = write_vectors(columns, num_rows, metadata);
    written.map_err(|e| ReportError::Parquet { reason: e.to_string() })
}

fn write_vectors(
    columns: &[(&str, ArrowColumn<'_>)],
    num_rows: usize,
    metadata: &[(&str, &str)],
) -> Result<Vec<u8>, ParquetError> {
    let field = |(name, column): &(&str, ArrowColumn<'_>)| match column {
        ArrowColumn::Text(_) => format!("required binary {name} (STRING);"),
        ArrowColumn::Count(_) => format!("required int32 {name} (INTEGER(32,false));"),
        ArrowColumn::Vectors(..) => format!(
            "required group {name} (LIST) {{ repeated group list {{ required float element; }} }}"
        ),
    };
    let fields: Vec<String> = columns.iter().map(field).collect();
    let schema = parse_message_type(&format!("message vectors {{ {} }}", fields.join(" ")))?;
    let pair = |(key, value): &(&str, &str)| KeyValue::new((*key).to_owned(), (*value).to_owned());
    let mut pairs: Vec<KeyValue> = metadata.iter().map(pair).collect();
    pairs.push(KeyValue::new("ARROW:schema".to_owned(), STANDARD.encode(schema_message(columns))));
    let properties = properties().set_key_value_metadata(Some(pairs)).build();
    let mut out = Vec::new();
    let mut file = SerializedFileWriter::new(&mut out, Arc::new(schema), Arc::new(properties))?;
    for start in (0..num_rows).step_by(ROWS_PER_GROUP) {
        let rows = start..(start + ROWS_PER_GROUP).min(num_rows);
        let mut group = file.next_row_group()?;
        for (_, held) in columns {
            match held {
                ArrowColumn::Text(texts) => {
                    let texts = texts[rows.clone()].iter().map(|text| ByteArray::from(*text));
                    let texts: Vec<ByteArray> = texts.collect();
                    column::<ByteArrayType>(&mut group, &texts, None, None)?;
                }
                ArrowColumn::Count(counts) => {
                    let counts = counts[rows.clone()].iter().map(|count| *count as i32);
                    let counts: Vec<i32> = counts.collect();
                    column::<Int32Type>(&mut group, &counts, None, None)?;
                }
                ArrowColumn::Vectors(size, values) => {
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
        Kind::Time => optional::<Int64Type>(group, values, |value| millis(value.as_str()?)),
    }
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

/// Milliseconds since 1970 of `2026-11-21T10:03:55.120Z`, the one form that a run holds; none for anything else.
fn millis(time: &str) -> Option<i64> {
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = time.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    if time.len() != 24 || !time.ends_with('Z') {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second, milli) =
        (digits(11..13)?, digits(14..16)?, digits(17..19)?, digits(20..23)?);
    let days = days_from_civil(year, month, day);
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milli)
}

/// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"; for years from 1970.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn times_come_back_as_they_were_written() {
        for millis_since in [0, 951_782_400_007, 1_795_255_435_120, 4_107_542_400_999] {
            let time = UNIX_EPOCH + Duration::from_millis(millis_since);
            assert_eq!(millis(&crate::store::rfc3339(time)), Some(millis_since as i64));
        }
        assert_eq!(millis("yesterday"), None);
    }
}
