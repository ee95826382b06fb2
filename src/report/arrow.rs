//! Columns → an Arrow IPC file, and the same schema for Parquet's metadata. The format: Arrow
//! columnar format 1.5, "IPC file format"; its messages are `FlatBuffers`, of which only writing is
//! needed here: each table has its vtable before it and what it refers to after it.

/// A file begins and ends with it.
const MAGIC: &[u8] = b"ARROW1";
/// Rows of a record batch.
const ROWS_PER_BATCH: usize = 65_536;
/// Version 5 of the metadata.
const VERSION: Part<'static> = I16(4);

/// A column without missing values.
pub(super) enum ArrowColumn<'a> {
    Text(Vec<&'a str>),
    Count(Vec<u32>),
    /// Rows of so many numbers each.
    Vectors(usize, &'a [f32]),
}

/// A value in a `FlatBuffer`.
enum Part<'a> {
    Bool(bool),
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    Text(&'a str),
    /// Fields by their ids; none for an absent one.
    Table(Vec<Option<Part<'a>>>),
    Tables(Vec<Part<'a>>),
    /// Structs of so many 64-bit words.
    Structs(usize, Vec<i64>),
}

use Part::{Bool, I16, I32, I64, Structs, Table, Tables, Text, U8};

fn pad(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

/// Appends the part and returns its place.
fn write(part: &Part<'_>, out: &mut Vec<u8>) -> usize {
    pad(out, 8);
    match part {
        Table(fields) => {
            let slots: Vec<_> = fields.iter().enumerate().filter(|(_, it)| it.is_some()).collect();
            let vtable = out.len();
            // Each field has eight bytes, so that every kind is aligned.
            let table_size = 8 + 8 * slots.len();
            let mut entries = vec![0_u16; fields.len()];
            slots.iter().enumerate().for_each(|(at, (id, _))| entries[*id] = 8 + 8 * at as u16);
            let sizes = [4 + 2 * fields.len() as u16, table_size as u16];
            sizes.iter().chain(&entries).for_each(|it| out.extend(it.to_le_bytes()));
            pad(out, 8);
            let table = out.len();
            out.extend((table as i32 - vtable as i32).to_le_bytes());
            out.resize(table + table_size, 0);
            for (at, part) in slots.into_iter().filter_map(|(_, it)| it.as_ref()).enumerate() {
                let slot = table + 8 + 8 * at;
                match part {
                    Bool(value) => out[slot] = u8::from(*value),
                    U8(value) => out[slot] = *value,
                    I16(value) => out[slot..slot + 2].copy_from_slice(&value.to_le_bytes()),
                    I32(value) => out[slot..slot + 4].copy_from_slice(&value.to_le_bytes()),
                    I64(value) => out[slot..slot + 8].copy_from_slice(&value.to_le_bytes()),
                    other => refer(slot, other, out),
                }
            }
            table
        }
        Text(text) => {
            let place = out.len();
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text.as_bytes());
            out.push(0);
            place
        }
        Tables(parts) => {
            let place = out.len();
            out.extend((parts.len() as u32).to_le_bytes());
            out.resize(place + 4 + 4 * parts.len(), 0);
            for (at, part) in parts.iter().enumerate() {
                refer(place + 4 + 4 * at, part, out);
            }
            place
        }
        Structs(words, values) => {
            // The values are aligned, not their number.
            out.extend([0; 4]);
            let place = out.len();
            out.extend(((values.len() / words) as u32).to_le_bytes());
            values.iter().for_each(|value| out.extend(value.to_le_bytes()));
            place
        }
        Bool(_) | U8(_) | I16(_) | I32(_) | I64(_) => out.len(),
    }
}

/// Writes the part, and into the slot how far away it is.
fn refer(slot: usize, part: &Part<'_>, out: &mut Vec<u8>) {
    let place = write(part, out);
    out[slot..slot + 4].copy_from_slice(&((place - slot) as u32).to_le_bytes());
}

fn buffer(root: &Part<'_>) -> Vec<u8> {
    let mut out = vec![0; 8];
    refer(0, root, &mut out);
    pad(&mut out, 8);
    out
}

/// With the marks of a message before it.
fn message(header_type: u8, header: Part<'_>, body_length: usize) -> Vec<u8> {
    let root = Table(vec![
        Some(VERSION),
        Some(U8(header_type)),
        Some(header),
        Some(I64(body_length as i64)),
    ]);
    let buffer = buffer(&root);
    [&[0xFF; 4], &(buffer.len() as u32).to_le_bytes()[..], &buffer].concat()
}

fn schema<'a>(columns: &[(&'a str, ArrowColumn<'_>)], metadata: &[(&'a str, &'a str)]) -> Part<'a> {
    let field = |name, type_id, of_type, children| {
        Table(vec![
            Some(Text(name)),
            Some(Bool(false)),
            Some(U8(type_id)),
            Some(Table(of_type)),
            None,
            Some(Tables(children)),
        ])
    };
    let fields = columns.iter().map(|(name, column)| match column {
        ArrowColumn::Text(_) => field(name, 5, Vec::new(), Vec::new()),
        ArrowColumn::Count(_) => field(name, 2, vec![Some(I32(32)), Some(Bool(false))], Vec::new()),
        ArrowColumn::Vectors(size, _) => {
            let number = field("element", 3, vec![Some(I16(1))], Vec::new());
            field(name, 16, vec![Some(I32(*size as i32))], vec![number])
        }
    });
    let pairs = metadata.iter().map(|(key, value)| Table(vec![Some(Text(key)), Some(Text(value))]));
    Table(vec![None, Some(Tables(fields.collect())), Some(Tables(pairs.collect()))])
}

/// The schema for Parquet's key `ARROW:schema`, before base64: gives Arrow readers the vector size.
#[cfg(feature = "parquet")]
pub(super) fn schema_message(columns: &[(&str, ArrowColumn<'_>)]) -> Vec<u8> {
    message(1, schema(columns, &[]), 0)
}

/// The whole file.
pub(super) fn arrow_file(
    columns: &[(&str, ArrowColumn<'_>)],
    num_rows: usize,
    metadata: &[(&str, &str)],
) -> Vec<u8> {
    let mut out = [MAGIC, &[0; 2]].concat();
    out.extend(message(1, schema(columns, metadata), 0));
    let mut blocks = Vec::new();
    for start in (0..num_rows).step_by(ROWS_PER_BATCH) {
        let rows = start..(start + ROWS_PER_BATCH).min(num_rows);
        let (mut body, mut nodes, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let mut add = |bytes: Vec<u8>| {
            places.extend([body.len() as i64, bytes.len() as i64]);
            body.extend(bytes);
            pad(&mut body, 8);
        };
        for (_, column) in columns {
            nodes.extend([rows.len() as i64, 0]);
            // No bits of validity.
            add(Vec::new());
            match column {
                ArrowColumn::Text(texts) => {
                    let texts = &texts[rows.clone()];
                    let mut end = 0_i32;
                    let ends = texts.iter().map(|text| {
                        end += text.len() as i32;
                        end
                    });
                    add(std::iter::once(0).chain(ends).flat_map(i32::to_le_bytes).collect());
                    add(texts.concat().into_bytes());
                }
                ArrowColumn::Count(values) => {
                    add(values[rows.clone()].iter().flat_map(|v| v.to_le_bytes()).collect());
                }
                ArrowColumn::Vectors(size, values) => {
                    nodes.extend([(rows.len() * size) as i64, 0]);
                    add(Vec::new());
                    let values = &values[rows.start * size..rows.end * size];
                    add(values.iter().flat_map(|v| v.to_le_bytes()).collect());
                }
            }
        }
        let header = Table(vec![
            Some(I64(rows.len() as i64)),
            Some(Structs(2, nodes)),
            Some(Structs(2, places)),
        ]);
        let head = message(3, header, body.len());
        blocks.extend([out.len() as i64, head.len() as i64, body.len() as i64]);
        out.extend(head);
        out.extend(body);
    }
    out.extend([0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]);
    let footer = buffer(&Table(vec![
        Some(VERSION),
        Some(schema(columns, metadata)),
        Some(Structs(3, Vec::new())),
        Some(Structs(3, blocks)),
    ]));
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(MAGIC);
    out
}
