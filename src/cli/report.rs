//! `report`: runs as a page of pictures and plots, or boards as Markdown, JSON, CSV, LaTeX or SVG.

use super::rating_args::RatingArgs;
use super::render::write_file;
use super::runs::runs;
use super::{Exit, Printer};
use crate::audit::read_figures;
use crate::error::Error;
use crate::options::choice;
use crate::report::{
    Bundled, GalleryPlace, PictureCount, ReportFormat, RunReport, plural, plural_with, read_bundle,
    write_audit_page, write_bundle, write_report_as,
};
use crate::results::RateSettings;
use crate::store::config_of;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};

/// The page's name in a run folder.
pub(super) const PAGE_FILE: &str = "report.html";

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge report runs/bench-2026-11-21T10-03-55
  meshjudge report run-a run-b --out both.html --pictures all
  meshjudge report run-a --out boards.csv
  meshjudge report run-a --bundle site

The page is one file that loads nothing from the network; for runs of more than 10,000 questions its gallery is in a folder next to it \
and loads on demand. The extension of --out decides the format: .html, .md, .json, .csv, .tex (tables, plots and a methods paragraph), .bib or .svg (one file per plot).")]
pub(super) struct ReportArgs {
    /// Run folders, or the folder of a run's shards; a question in several of them counts once
    #[arg(required = true, value_name = "RUN")]
    pub folders: Vec<PathBuf>,

    /// The file to write [default: `report.html` in the run's folder]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Write a static site with 3D views to DIR, for any web host; raters' names become numbers
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "gallery"])]
    pub bundle: Option<PathBuf>,

    /// Format, if the file's name does not decide it
    #[arg(long, value_parser = choice::<ReportFormat>())]
    pub format: Option<ReportFormat>,

    /// Number of pairs shown with their pictures: a number, all (as many as fit into 24 MB) or none
    #[arg(long, value_name = "N|all|none", default_value = "48", value_parser = picture_count)]
    pub pictures: PictureCount,

    /// Put the gallery inside the page, or into a folder next to it that loads on demand; by size:
    /// into the folder for more than 10,000 questions
    #[arg(long, default_value = "by-size", value_parser = choice::<GalleryPlace>())]
    pub gallery: GalleryPlace,

    /// Also analyse order sensitivity, like `rate --diagnose`; always done up to 10,000 questions
    #[arg(long)]
    pub diagnose: bool,

    #[command(flatten)]
    pub rating: RatingArgs,
}

fn picture_count(text: &str) -> Result<PictureCount, String> {
    match text {
        "all" => Ok(PictureCount::All),
        "none" => Ok(PictureCount::None),
        number => (number.parse().map(PictureCount::Some))
            .map_err(|_| format!("{number:?} is not a number; give a number, all or none")),
    }
}

pub(super) fn run(args: &ReportArgs, printer: &Printer) -> Result<Exit, Error> {
    let path = match &args.out {
        Some(path) => path.clone(),
        None => args.folders[0].join(PAGE_FILE),
    };
    let format = match (args.format, &args.out) {
        (Some(format), _) => format,
        (None, None) => ReportFormat::Html,
        (None, Some(path)) => ReportFormat::of(path)?,
    };
    let folders = runs(&args.folders, printer);
    let settings = RateSettings { diagnoses: args.diagnose, ..args.rating.settings(&folders)? };
    if let Some(folder) = &args.bundle {
        return bundle(folder, &folders, &settings, args.pictures, printer);
    }
    // The pairs of an audit are no games: its page says how often its judges are right.
    if format == ReportFormat::Html && folders.iter().all(|folder| is_audit(folder)) {
        let page = write_audit_page(&read_figures(&folders)?, &folders)?;
        write_file(&path, page.as_bytes())?;
        said(printer, &path, page.len());
        return Ok(Exit::Done);
    }
    let report = RunReport::read(&folders, &settings, args.gallery)?;
    if let Some(reason) = &report.not_rated {
        printer.warn(&reason.to_string());
    }
    let written = write_report_as(&report, &path, format, args.pictures)?;
    if written.is_empty() {
        return Err(Error::usage("there is no board to plot; --out report.html gives the reason"));
    }
    for (path, bytes) in written {
        said(printer, &path, bytes);
    }
    Ok(Exit::Done)
}

fn is_audit(folder: &Path) -> bool {
    let of = |config: toml::Table| {
        let command = config.get("asked")?.get("command")?.as_str()?;
        Some(command == "audit")
    };
    config_of(folder).and_then(of).unwrap_or(false)
}

fn bundle(
    folder: &Path,
    runs: &[PathBuf],
    settings: &RateSettings,
    pictures: PictureCount,
    printer: &Printer,
) -> Result<Exit, Error> {
    let (report, assets) = read_bundle(runs, settings)?;
    if let Some(reason) = &report.not_rated {
        printer.warn(&reason.to_string());
    }
    let Bundled { files, bytes, assets, lacking } =
        write_bundle(&report, &assets, folder, pictures)?;
    if lacking > 0 {
        printer.warn(&format!(
            "{} no 3D view, because the file was moved or has changed since it was judged",
            plural_with(lacking, "asset", ["has", "have"])
        ));
    }
    let text = format!(
        "bundle  {}\n        {}, {:.1} MB, {} in 3D; put the folder on a web host, and open index.html there",
        folder.display(),
        plural(files, "file"),
        bytes as f64 / 1e6,
        plural(assets, "asset")
    );
    printer.show(text, [json!({
        "kind": "bundle", "path": folder, "files": files, "bytes": bytes, "assets": assets, "lacking": lacking,
    })]);
    Ok(Exit::Done)
}

fn said(printer: &Printer, path: &Path, bytes: usize) {
    let row = json!({"kind": "report", "path": path, "bytes": bytes});
    printer.show(format!("report  {}", path.display()), [row]);
}
