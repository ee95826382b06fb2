//! `export`: the rows of a run as lines of JSON, as a table, or as typed columns.

use super::{Exit, Failure, Global, Printer};
use crate::exchange::export_tournament;
use crate::report::{csv_line, parquet, write_whole};
use crate::rubric::Rubric;
use crate::store::{Record, Store};
use clap::{Args, ValueEnum};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `export`.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Example:\n  meshjudge export runs/compare-2026-11-21T10-03-55 --format jsonl --out rows.jsonl"
)]
pub(super) struct ExportArgs {
    /// The run's folder
    pub folder: PathBuf,

    /// jsonl: one object per question; csv: the same in columns; parquet: columns with types
    #[arg(long, value_enum)]
    pub format: Format,

    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// One JSON object a line
    Jsonl,
    /// RFC 4180, with a header
    Csv,
    /// Columns
    Parquet,
    /// A GPTEval3D tournament: 120 views of every asset of a benchmark, for its own package
    Gpteval3d,
}

/// The fields of a row in their order, the assets' spread out.
const COLUMNS: [&str; 30] = [
    "id",
    "rubric",
    "rubric_hash",
    "category",
    "prompt",
    "a_path",
    "a_hash",
    "a_method",
    "b_path",
    "b_hash",
    "b_method",
    "order",
    "sample",
    "judge",
    "model_reported",
    "protocol",
    "pictures",
    "outcome",
    "reason",
    "verdict",
    "raw",
    "attempts",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "seconds",
    "asked_at",
    "view_px",
    "probabilities",
    "reused_from",
];

/// Runs the command.
///
/// # Errors
/// No run, a run of another version, a file that cannot be written.
pub(super) fn run(args: &ExportArgs, global: &Global, printer: &Printer) -> Result<Exit, Failure> {
    let store = Store::read(&args.folder)?;
    if args.format == Format::Gpteval3d {
        return tournament(args, &store, global, printer);
    }
    let left_out = match &args.out {
        None if args.format == Format::Parquet => {
            return Err("Parquet is no text; name a file with --out".into());
        }
        Some(path) => {
            let left_out = match args.format {
                Format::Parquet => to_parquet(&store, path)?,
                _ => to_file(&store, args.format, path)?,
            };
            printer.row(&serde_json::json!({"kind": "exported", "path": path}));
            printer.result(&format!("rows    {}", path.display()));
            left_out
        }
        None => write_rows(&store, args.format, |line| {
            printer.data(line);
            Ok(())
        })?,
    };
    if left_out > 0 {
        printer.note(&format!("{left_out} questions have no reply yet and are left out; run the same command again to ask them"));
    }
    Ok(Exit::Done)
}

/// Pictures of every asset in GPTEval3D's layout.
fn tournament(
    args: &ExportArgs,
    store: &Store,
    global: &Global,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let Some(folder) = &args.out else {
        return Err("a tournament is a folder; name one with --out".into());
    };
    let made = store.made()?;
    let rubric = Rubric::open("pairwise")?;
    let bar = printer.with_progress(made.len() as u64, "assets");
    let renderer = global.renderer(printer)?;
    let options = global.load_options();
    let exported = export_tournament(&made, &rubric, &options, folder, renderer, |_| bar.step())?;
    bar.finish();
    for (path, reason) in &exported.left_out {
        let line = format!("left out ({reason}): {:?}", path.display().to_string());
        printer.error(Failure::from(line).as_ref());
    }
    printer.row(&serde_json::json!({
        "kind": "tournament", "path": folder, "drawn": exported.drawn, "kept": exported.kept, "left_out": exported.left_out.len(),
    }));
    printer.result(&format!(
        "tournament {}: {} assets drawn, {} there before, {} left out",
        folder.display(),
        exported.drawn,
        exported.kept,
        exported.left_out.len()
    ));
    Ok(if exported.left_out.is_empty() {
        Exit::Done
    } else {
        Exit::SomeFailed
    })
}

fn to_parquet(store: &Store, path: &Path) -> Result<usize, Failure> {
    let mut records = Vec::new();
    let left_out = store.records(|record| -> Result<(), Failure> {
        records.push(record);
        Ok(())
    })?;
    let mut bytes = Vec::new();
    parquet(&records, &mut bytes)?;
    write_whole(path, &bytes)?;
    Ok(left_out)
}

/// A whole file or none: written beside, then renamed.
fn to_file(store: &Store, format: Format, path: &Path) -> Result<usize, Failure> {
    let failed = |e: std::io::Error| -> Failure {
        format!("cannot write the rows ({e}); check the folder and the disk: {path:?}").into()
    };
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut file = BufWriter::new(File::create(&part).map_err(failed)?);
    let written = write_rows(store, format, |line| {
        writeln!(file, "{line}").map_err(failed)
    });
    let result = written.and_then(|count| {
        file.flush().map_err(failed)?;
        std::fs::rename(&part, path).map_err(failed)?;
        Ok(count)
    });
    if result.is_err() {
        // Nothing can be done about a half file that cannot be removed either.
        let _ = std::fs::remove_file(&part);
    }
    result
}

fn write_rows(
    store: &Store,
    format: Format,
    mut line: impl FnMut(&str) -> Result<(), Failure>,
) -> Result<usize, Failure> {
    if format == Format::Csv {
        line(&COLUMNS.join(","))?;
    }
    store.records(|record| match format {
        Format::Csv => line(&csv(&record)?),
        Format::Jsonl | Format::Parquet | Format::Gpteval3d => {
            line(&serde_json::to_string(&record)?)
        }
    })
}

/// One line of RFC 4180. A list stands space-separated in its cell, a verdict as JSON, null as nothing.
fn csv(record: &Record) -> Result<String, Failure> {
    let json = serde_json::to_value(record)?;
    let cell = |value: Option<&serde_json::Value>| match value {
        None | Some(serde_json::Value::Null) => String::new(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(list)) => list
            .iter()
            .filter_map(|v| v.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        Some(other) => other.to_string(),
    };
    let cells = COLUMNS.iter().map(|column| {
        let value = match column.split_once('_') {
            Some((side @ ("a" | "b"), field)) => json.get(side).and_then(|asset| asset.get(field)),
            _ => json.get(*column),
        };
        cell(value)
    });
    Ok(csv_line(&cells.collect::<Vec<_>>()))
}
