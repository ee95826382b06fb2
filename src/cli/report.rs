//! `report`: writes runs as one page with pictures and plots, or the boards as Markdown, JSON, CSV, LaTeX or SVG.

use super::rating_args::RatingArgs;
use super::render::write_file;
use super::runs::runs;
use super::{Exit, Failure, Printer};
use crate::report::{
    Bundled, GalleryPlace, PictureCount, RunReport, boards_bibtex, boards_csv, boards_json,
    boards_latex, boards_markdown, boards_svg, plural, plural_with, read_bundle, write_bundle,
    write_report,
};
use crate::results::RateSettings;
use clap::{Args, ValueEnum};
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

    /// Write a static site with 3D views into this folder, for any web host; raters' names become numbers
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "gallery"])]
    pub bundle: Option<PathBuf>,

    /// Format, if the file's name does not decide it
    #[arg(long, value_enum)]
    pub format: Option<Form>,

    /// Number of pairs shown with their pictures: a number, all (as many as fit into 24 MB) or none
    #[arg(long, value_name = "N|all|none", default_value = "48", value_parser = picture_count)]
    pub pictures: PictureCount,

    /// Put the gallery into the page, or into a folder next to it that loads on demand
    #[arg(long, value_enum, default_value = "by-size")]
    pub gallery: Gallery,

    /// Also analyse the sensitivity of the order, as `rate --diagnose` does; always included up to 10,000 questions
    #[arg(long)]
    pub diagnose: bool,

    #[command(flatten)]
    pub rating: RatingArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Gallery {
    /// Next to the page for more than 10,000 questions
    BySize,
    /// One file, whatever its size
    Inside,
    /// Always next to the page
    Beside,
}

impl From<Gallery> for GalleryPlace {
    fn from(place: Gallery) -> Self {
        match place {
            Gallery::BySize => Self::BySize,
            Gallery::Inside => Self::Inside,
            Gallery::Beside => Self::Beside,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    Html,
    Md,
    Json,
    Csv,
    /// Tables (booktabs), plots (TikZ) and a paragraph on the methods for a paper
    Tex,
    /// BibTeX entries of the works that the paragraph cites
    Bib,
    /// Plots, one file each; those after the first have a suffix
    Svg,
}

impl Form {
    fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("html" | "htm") => Ok(Self::Html),
            Some("md") => Ok(Self::Md),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("tex") => Ok(Self::Tex),
            Some("bib") => Ok(Self::Bib),
            Some("svg") => Ok(Self::Svg),
            _ => Err(format!(
                "unknown extension of a report; use .html, .md, .json, .csv, .tex, .bib or .svg, or give --format: {path:?}"
            )
            .into()),
        }
    }
}

fn picture_count(text: &str) -> Result<PictureCount, String> {
    match text {
        "all" => Ok(PictureCount::All),
        "none" => Ok(PictureCount::None),
        number => (number.parse().map(PictureCount::Some))
            .map_err(|_| format!("{number:?} is not a number; give a number, all or none")),
    }
}

pub(super) fn run(args: &ReportArgs, printer: &Printer) -> Result<Exit, Failure> {
    let path = match &args.out {
        Some(path) => path.clone(),
        None => args.folders[0].join(PAGE_FILE),
    };
    let form = match (args.format, &args.out) {
        (Some(form), _) => form,
        (None, None) => Form::Html,
        (None, Some(path)) => Form::of(path)?,
    };
    let folders = runs(&args.folders, printer);
    let settings = RateSettings {
        diagnoses: args.diagnose,
        ..args.rating.settings(&folders)?
    };
    if let Some(folder) = &args.bundle {
        return bundle(folder, &folders, &settings, args.pictures, printer);
    }
    let report = RunReport::read(&folders, &settings, args.gallery.into())?;
    if let Some(reason) = &report.not_rated {
        printer.warn(reason);
    }
    let text = |text: String| (path.clone(), text.into_bytes());
    let files = match form {
        Form::Html => {
            let bytes = write_report(&report, &path, args.pictures)?;
            said(printer, &path, bytes);
            return Ok(Exit::Done);
        }
        Form::Md => vec![text(boards_markdown(&report))],
        Form::Json => vec![text(format!("{:#}\n", boards_json(&report)))],
        Form::Csv => vec![text(boards_csv(&report))],
        Form::Tex => vec![text(boards_latex(&report))],
        Form::Bib => vec![text(boards_bibtex(&report))],
        Form::Svg => plot_paths(&path, boards_svg(&report)),
    };
    if files.is_empty() {
        return Err("there is no board to plot; --out report.html gives the reason".into());
    }
    for (path, bytes) in files {
        write_file(&path, &bytes)?;
        said(printer, &path, bytes.len());
    }
    Ok(Exit::Done)
}

fn bundle(
    folder: &Path,
    runs: &[PathBuf],
    settings: &RateSettings,
    pictures: PictureCount,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let (report, assets) = read_bundle(runs, settings)?;
    if let Some(reason) = &report.not_rated {
        printer.warn(reason);
    }
    let Bundled {
        files,
        bytes,
        assets,
        lacking,
    } = write_bundle(&report, &assets, folder, pictures)?;
    if lacking > 0 {
        printer.warn(&format!(
            "{} no 3D view, because the file was moved or has changed since it was judged",
            plural_with(lacking, "asset", ["has", "have"])
        ));
    }
    printer.row(&serde_json::json!({
        "kind": "bundle", "path": folder, "files": files, "bytes": bytes, "assets": assets, "lacking": lacking,
    }));
    printer.result(&format!("bundle  {}", folder.display()));
    printer.result(&format!(
        "        {}, {:.1} MB, {} in 3D; put the folder on a web host, and open index.html there",
        plural(files, "file"),
        bytes as f64 / 1e6,
        plural(assets, "asset")
    ));
    Ok(Exit::Done)
}

fn said(printer: &Printer, path: &Path, bytes: usize) {
    printer.result(&format!("report  {}", path.display()));
    printer.row(&serde_json::json!({"kind": "report", "path": path, "bytes": bytes}));
}

/// The first plot has the given name, the others are next to it as `NAME-PLOT.svg`.
fn plot_paths(path: &Path, plots: Vec<(String, String)>) -> Vec<(PathBuf, Vec<u8>)> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let place = |(i, (slug, svg)): (usize, (String, String))| {
        let path = match i {
            0 => path.to_path_buf(),
            _ => path.with_file_name(format!("{stem}-{slug}.svg")),
        };
        (path, svg.into_bytes())
    };
    plots.into_iter().enumerate().map(place).collect()
}
