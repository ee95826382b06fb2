//! `export`: the rows of a run as lines of JSON, as a table, or as typed columns.

use super::global::{RendererArgs, load_settings_of};
use super::render::write_file;
use super::runs::{refusal_of_parts, runs};
use super::{Exit, Printer};
use crate::error::Error;
use crate::exchange::export_tournament;
use crate::features::stored_vectors;
use crate::options::LoadOptions;
use crate::report::{csv, jsonl, parquet, plural, plural_with, run_rows, write_vectors};
use crate::rubric::Rubric;
use crate::save::NewFile;
use crate::store::{AssetPaths, Pseudonyms, Store};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Examples:\n  meshjudge export runs/compare-2026-11-21T10-03-55 --format jsonl --out rows.jsonl\n  meshjudge export runs/bench --vectors views --out views.parquet"
)]
pub(super) struct ExportArgs {
    /// The run's folder, or the folder of its shards
    pub folder: PathBuf,

    /// One JSON object per question (jsonl), the same as a table (csv), typed columns (parquet), or
    /// views in GPTEval3D's layout. Required for standard output; default: the file name's ending
    #[arg(long, value_enum, required_unless_present_any = ["vectors", "out"])]
    pub format: Option<Format>,

    /// The stored vectors of this feature instead, as .parquet or .jsonl
    #[arg(long, value_name = "FEATURE", requires = "out", conflicts_with_all = ["format", "without_names"])]
    pub vectors: Option<String>,

    /// The file to write; - for standard output [default: -]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Replace the names of people who voted by numbers
    #[arg(long)]
    pub without_names: bool,

    #[command(flatten)]
    pub renderer: RendererArgs,

    #[command(flatten)]
    pub load: LoadOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Jsonl,
    /// RFC 4180, with a header.
    Csv,
    Parquet,
    /// 120 views of every asset of a benchmark, for GPTEval3D's own package.
    Gpteval3d,
}

impl ExportArgs {
    /// None for standard output.
    fn file(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// The given format, or the one that the file's name ends in.
    fn format(&self) -> Result<Format, Error> {
        let ending = self.file().and_then(|path| path.extension()?.to_str());
        let named = ending.and_then(|ending| Format::from_str(ending, true).ok());
        match (self.format, named) {
            (Some(format), Some(named)) if format != named => {
                let format = format.to_possible_value().map(|value| value.get_name().to_owned());
                Err(Error::usage(format!(
                    "--format is {}, but the name of the file ends in .{}; change one of them",
                    format.unwrap_or_default(),
                    ending.unwrap_or_default()
                )))
            }
            (Some(format), _) | (None, Some(format)) => Ok(format),
            (None, None) => Err(Error::usage(
                "add --format, or end the name of the file in .jsonl, .csv or .parquet",
            )),
        }
    }
}

pub(super) fn run(args: &ExportArgs, printer: &Printer) -> Result<Exit, Error> {
    if args.vectors.is_some() {
        return vectors(args, printer);
    }
    let format = args.format()?;
    if format == Format::Gpteval3d {
        if let Some(refusal) = refusal_of_parts(&args.folder) {
            return Err(Error::usage(refusal));
        }
        return tournament(args, &Store::read(&args.folder)?, printer);
    }
    let folders = runs(std::slice::from_ref(&args.folder), printer);
    let stores = folders.iter().map(|folder| Store::read(folder));
    let stores = &*stores.collect::<Result<Vec<_>, _>>()?;
    let mut hidden = args.without_names.then(Pseudonyms::default);
    let hidden = hidden.as_mut();
    let left_out = match args.file() {
        None if format == Format::Parquet => {
            return Err(Error::usage("Parquet cannot be printed; give a file with --out"));
        }
        Some(path) => {
            let left_out = match format {
                Format::Parquet => to_parquet(stores, hidden, path)?,
                _ => to_file(stores, format, hidden, path)?,
            };
            let text = format!("rows    {}", path.display());
            printer.show(text, [json!({"kind": "exported", "path": path})]);
            left_out
        }
        None => write_rows(stores, format, hidden, |line| {
            printer.data(line);
            Ok(())
        })?,
    };
    if left_out > 0 {
        printer.note(&format!(
            "{} left out, for lack of a reply; repeat the command that asked to complete them",
            plural_with(left_out as usize, "question", ["is", "are"])
        ));
    }
    Ok(Exit::Done)
}

/// The stored vectors of a feature.
fn vectors(args: &ExportArgs, printer: &Printer) -> Result<Exit, Error> {
    let name = args.vectors.as_deref().unwrap_or_default();
    let Some(path) = args.file() else {
        return Err(Error::usage("vectors cannot be printed; give a file with --out"));
    };
    let stored = stored_vectors(&runs(std::slice::from_ref(&args.folder), printer), name)?;
    write_vectors(&stored, name, path)?;
    let (count, dimension) = (stored.rows.len(), stored.dimension);
    let row = json!({"kind": "exported", "path": path, "vectors": count, "dimension": dimension});
    let count = plural(count, "vector");
    printer.show(format!("vectors {} ({count} of {dimension} numbers)", path.display()), [row]);
    Ok(Exit::Done)
}

/// Pictures of every asset in GPTEval3D's layout.
fn tournament(args: &ExportArgs, store: &Store, printer: &Printer) -> Result<Exit, Error> {
    let Some(folder) = args.file() else {
        return Err(Error::usage("a tournament needs a folder; give one with --out"));
    };
    let (mut made, paths) = (store.made()?, AssetPaths::of(std::slice::from_ref(&args.folder)));
    for path in made.iter_mut().filter_map(|made| made.path.as_mut()) {
        let file = paths.places(Path::new(path)).find(|file| file.is_file());
        if let Some(file) = file {
            *path = file.display().to_string();
        }
    }
    let rubric = Rubric::open("pairwise")?;
    let bar = printer.with_progress(made.len() as u64, "assets");
    let renderer = args.renderer.open(printer)?;
    let options = load_settings_of(store, &args.load)?;
    let exported = export_tournament(&made, &rubric, &options, folder, renderer, |_| bar.step())?;
    bar.finish();
    for (path, reason) in &exported.left_out {
        printer.fail(&format!("left out ({reason}): {:?}", path.display().to_string()));
    }
    let (drawn, kept, left_out) = (exported.drawn, exported.kept, exported.left_out.len());
    let row = json!({
        "kind": "tournament", "path": folder, "drawn": drawn, "kept": kept, "left_out": left_out,
    });
    let (place, drawn) = (folder.display(), plural(drawn, "asset"));
    let text =
        format!("tournament {place}: {drawn} drawn, {kept} drawn before, {left_out} left out");
    printer.show(text, [row]);
    Ok(if left_out == 0 { Exit::Done } else { Exit::SomeFailed })
}

fn to_parquet(
    stores: &[Store],
    mut hidden: Option<&mut Pseudonyms>,
    path: &Path,
) -> Result<usize, Error> {
    let mut records = Vec::new();
    let mut left_out = 0;
    for store in stores {
        left_out += run_rows(store, |mut row| {
            hidden.as_mut().into_iter().for_each(|names| names.hide(&mut row));
            records.push(row);
            Ok(())
        })?;
    }
    let mut bytes = Vec::new();
    parquet(&records, &mut bytes)?;
    write_file(path, &bytes)?;
    Ok(left_out)
}

fn to_file(
    stores: &[Store],
    format: Format,
    hidden: Option<&mut Pseudonyms>,
    path: &Path,
) -> Result<usize, Error> {
    let failed = |e: std::io::Error| -> Error {
        Error::usage(format!("cannot write the rows ({e}); check the folder and the disk")).at(path)
    };
    let mut file = BufWriter::new(NewFile::create(path).map_err(failed)?);
    let count =
        write_rows(stores, format, hidden, |line| writeln!(file, "{line}").map_err(failed))?;
    let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
    file.finish().map_err(failed)?;
    Ok(count)
}

fn write_rows(
    stores: &[Store],
    format: Format,
    mut hidden: Option<&mut Pseudonyms>,
    mut line: impl FnMut(&str) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut left_out = 0;
    for (store_idx, store) in stores.iter().enumerate() {
        left_out += match format {
            Format::Csv => {
                let mut is_repeated_header = store_idx > 0;
                csv(store, hidden.as_deref_mut(), |row| {
                    if std::mem::take(&mut is_repeated_header) { Ok(()) } else { line(row) }
                })
            }
            _ => jsonl(store, hidden.as_deref_mut(), &mut line),
        }?;
    }
    Ok(left_out)
}
