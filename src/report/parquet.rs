//! Rows → Parquet: the columns of the CSV with real types, written with the format's low-level writer.

use super::ReportError;
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

const SCHEMA: &str = "message rows {
    required binary id (STRING); required binary rubric (STRING); required binary rubric_hash (STRING);
    optional binary category (STRING); optional binary prompt (STRING);
    required binary a_path (STRING); required binary a_hash (STRING); required binary a_method (STRING);
    optional binary b_path (STRING); optional binary b_hash (STRING); optional binary b_method (STRING);
    required binary order (STRING); required int32 sample (INTEGER(32,false)); required binary judge (STRING);
    optional binary model_reported (STRING); optional binary protocol (STRING);
    required group pictures (LIST) { repeated group list { required binary element (STRING); } }
    required binary outcome (STRING); optional binary reason (STRING); optional binary verdict (JSON); optional binary raw (STRING);
    required int32 attempts (INTEGER(32,false)); optional int64 input_tokens (INTEGER(64,false)); optional int64 output_tokens (INTEGER(64,false));
    optional double cost_usd; required double seconds; optional int64 asked_at (TIMESTAMP(MILLIS,true));
    optional int32 view_px (INTEGER(32,false)); optional binary probabilities (JSON); optional binary reused_from (STRING);
    optional binary prompt_id (STRING); optional int32 seed (INTEGER(32,false));
    optional binary ending (STRING); optional binary reasoning (STRING); optional int64 reasoning_tokens (INTEGER(64,false)); }";

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;

/// Writes all rows; the same rows give the same bytes.
///
/// # Errors
/// [`ReportError::Parquet`], also for errors of the output.
pub fn parquet<W: Write + Send>(records: &[Record], out: W) -> Result<(), ReportError> {
    write(records, out).map_err(|e| ReportError::Parquet {
        reason: e.to_string(),
    })
}

fn write<W: Write + Send>(records: &[Record], out: W) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("meshjudge {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    for records in records.chunks(ROWS_PER_GROUP) {
        let mut group = file.next_row_group()?;
        columns(records, &mut group)?;
        group.close()?;
    }
    file.close()?;
    Ok(())
}

/// In the order of the schema.
fn columns<W: Write + Send>(
    records: &[Record],
    group: &mut Group<'_, W>,
) -> Result<(), ParquetError> {
    text(group, records, |r| &r.id)?;
    text(group, records, |r| &r.rubric)?;
    text(group, records, |r| &r.rubric_hash)?;
    maybe_text(group, records, |r| r.category.as_deref())?;
    maybe_text(group, records, |r| r.prompt.as_deref())?;
    text(group, records, |r| &r.a.path)?;
    text(group, records, |r| &r.a.hash)?;
    text(group, records, |r| &r.a.method)?;
    maybe_text(group, records, |r| r.b.as_ref().map(|b| b.path.as_str()))?;
    maybe_text(group, records, |r| r.b.as_ref().map(|b| b.hash.as_str()))?;
    maybe_text(group, records, |r| r.b.as_ref().map(|b| b.method.as_str()))?;
    text(group, records, |r| r.order.as_str())?;
    required::<_, Int32Type>(group, records, |r| r.sample as i32)?;
    text(group, records, |r| r.judge.as_str())?;
    maybe_text(group, records, |r| r.model_reported.as_deref())?;
    maybe_text(group, records, |r| r.protocol.as_deref())?;
    pictures(group, records)?;
    text(group, records, |r| r.outcome.name())?;
    maybe_text(group, records, |r| r.outcome.reason())?;
    let verdicts: Vec<Option<String>> = records
        .iter()
        .map(|r| {
            r.verdict()
                .map(|verdict| serde_json::json!(verdict).to_string())
        })
        .collect();
    maybe_text(group, &verdicts, |cell| cell.as_deref())?;
    maybe_text(group, records, |r| r.raw.as_deref())?;
    required::<_, Int32Type>(group, records, |r| r.attempts as i32)?;
    optional::<_, Int64Type>(group, records, |r| r.input_tokens.map(|n| n as i64))?;
    optional::<_, Int64Type>(group, records, |r| r.output_tokens.map(|n| n as i64))?;
    optional::<_, DoubleType>(group, records, |r| r.cost_usd)?;
    required::<_, DoubleType>(group, records, |r| r.seconds)?;
    optional::<_, Int64Type>(group, records, |r| millis(&r.asked_at))?;
    optional::<_, Int32Type>(group, records, |r| r.view_px.map(|px| px as i32))?;
    let probabilities: Vec<Option<String>> = records
        .iter()
        .map(|r| r.probabilities.as_ref().map(ToString::to_string))
        .collect();
    maybe_text(group, &probabilities, |cell| cell.as_deref())?;
    maybe_text(group, records, |r| r.reused_from.as_deref())?;
    maybe_text(group, records, |r| r.prompt_id.as_deref())?;
    optional::<_, Int32Type>(group, records, |r| r.seed.map(|seed| seed as i32))?;
    maybe_text(group, records, |r| r.ending.as_deref())?;
    maybe_text(group, records, |r| r.reasoning.as_deref())?;
    optional::<_, Int64Type>(group, records, |r| r.reasoning_tokens.map(|n| n as i64))
}

fn text<W: Write + Send>(
    group: &mut Group<'_, W>,
    records: &[Record],
    of: impl Fn(&Record) -> &str,
) -> Result<(), ParquetError> {
    required::<_, ByteArrayType>(group, records, |row| ByteArray::from(of(row)))
}

fn maybe_text<W: Write + Send, T>(
    group: &mut Group<'_, W>,
    records: &[T],
    of: impl Fn(&T) -> Option<&str>,
) -> Result<(), ParquetError> {
    optional::<T, ByteArrayType>(group, records, |row| of(row).map(ByteArray::from))
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
fn pictures(
    group: &mut Group<'_, impl Write + Send>,
    records: &[Record],
) -> Result<(), ParquetError> {
    let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for row in records {
        if row.pictures.is_empty() {
            defined.push(0);
            repeated.push(0);
        }
        for (i, hash) in row.pictures.iter().enumerate() {
            values.push(ByteArray::from(hash.as_str()));
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
    let mut column = (group.next_column()?)
        .ok_or_else(|| ParquetError::General("more columns than the schema has".to_owned()))?;
    column.typed::<D>().write_batch(values, defined, repeated)?;
    column.close()
}

/// Milliseconds since 1970 of `2026-11-21T10:03:55.120Z`, the one form that a run holds; none for anything else.
fn millis(time: &str) -> Option<i64> {
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = time.get(range)?;
        part.bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| part.parse().ok())?
    };
    if time.len() != 24 || !time.ends_with('Z') {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second, milli) = (
        digits(11..13)?,
        digits(14..16)?,
        digits(17..19)?,
        digits(20..23)?,
    );
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
            assert_eq!(
                millis(&crate::store::rfc3339(time)),
                Some(millis_since as i64)
            );
        }
        assert_eq!(millis("yesterday"), None);
    }
}
