//! Rows → Parquet: the columns of the CSV with real types, written with the format's low-level writer.

use super::ReportError;
use super::record_columns::{Cell, RECORD_COLUMNS, RecordColumn};
use crate::store::Record;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::sync::Arc;

/// Rows of a row group: with replies of some kilobytes each, tens of megabytes in memory.
const ROWS_PER_GROUP: usize = 8192;

/// The columns as the format declares them.
fn schema() -> String {
    let field = |(name, cell): RecordColumn| match cell {
        Cell::Text(_) => format!("required binary {name} (STRING);"),
        Cell::MaybeText(_) => format!("optional binary {name} (STRING);"),
        Cell::Json(_) => format!("optional binary {name} (JSON);"),
        Cell::List(_) => format!(
            "required group {name} (LIST) {{ repeated group list {{ required binary element (STRING); }} }}"
        ),
        Cell::Count(_) => format!("required int32 {name} (INTEGER(32,false));"),
        Cell::MaybeCount(_) => format!("optional int32 {name} (INTEGER(32,false));"),
        Cell::Tokens(_) => format!("optional int64 {name} (INTEGER(64,false));"),
        Cell::Number(_) => format!("required double {name};"),
        Cell::MaybeNumber(_) => format!("optional double {name};"),
        Cell::Time(_) => format!("optional int64 {name} (TIMESTAMP(MILLIS,true));"),
    };
    let fields = RECORD_COLUMNS.map(field);
    format!("message rows {{ {} }}", fields.join(" "))
}

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;

/// Writes all rows; the same rows give the same bytes.
///
/// # Errors
/// [`ReportError::Parquet`], also for errors of the output.
pub fn parquet<W: Write + Send>(records: &[Record], out: W) -> Result<(), ReportError> {
    write(records, out).map_err(|e| ReportError::Parquet { reason: e.to_string() })
}

fn write<W: Write + Send>(records: &[Record], out: W) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(&schema())?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("meshjudge {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    for records in records.chunks(ROWS_PER_GROUP) {
        let mut group = file.next_row_group()?;
        for (_, cell) in RECORD_COLUMNS {
            cells(records, cell, &mut group)?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
}

/// Writes one column.
fn cells<W: Write + Send>(
    records: &[Record],
    cell: Cell,
    group: &mut Group<'_, W>,
) -> Result<(), ParquetError> {
    match cell {
        Cell::Text(of) => required::<_, ByteArrayType>(group, records, |r| of(r).into()),
        Cell::MaybeText(of) => {
            optional::<_, ByteArrayType>(group, records, |r| of(r).map(ByteArray::from))
        }
        Cell::Json(of) => optional::<_, ByteArrayType>(group, records, |r| {
            of(r).map(|value| value.to_string().into_bytes().into())
        }),
        Cell::List(of) => lists(group, records, of),
        Cell::Count(of) => required::<_, Int32Type>(group, records, |r| of(r) as i32),
        Cell::MaybeCount(of) => {
            optional::<_, Int32Type>(group, records, |r| of(r).map(|n| n as i32))
        }
        Cell::Tokens(of) => optional::<_, Int64Type>(group, records, |r| of(r).map(|n| n as i64)),
        Cell::Number(of) => required::<_, DoubleType>(group, records, of),
        Cell::MaybeNumber(of) => optional::<_, DoubleType>(group, records, of),
        Cell::Time(of) => optional::<_, Int64Type>(group, records, |r| millis(of(r))),
    }
}

fn required<T, D: DataType>(
    group: &mut Group<'_, impl Write + Send>,
    records: &[T],
    of: impl Fn(&T) -> D::T,
) -> Result<(), ParquetError> {
    let values: Vec<D::T> = records.iter().map(of).collect();
    column::<D>(group, &values, None, None)
}

fn optional<T, D: DataType>(
    group: &mut Group<'_, impl Write + Send>,
    records: &[T],
    of: impl Fn(&T) -> Option<D::T>,
) -> Result<(), ParquetError> {
    let cells: Vec<Option<D::T>> = records.iter().map(of).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<D::T> = cells.into_iter().flatten().collect();
    column::<D>(group, &values, Some(&levels), None)
}

/// A list: definition level 0 is an empty one, repetition level 0 begins a row.
fn lists(
    group: &mut Group<'_, impl Write + Send>,
    records: &[Record],
    of: fn(&Record) -> &[String],
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in records {
        if of(row).is_empty() {
            defined.push(0);
            repeated.push(0);
        }
        for (i, text) in of(row).iter().enumerate() {
            values.push(ByteArray::from(text.as_str()));
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
