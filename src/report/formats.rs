//! A report in the format of its file's name: the page, or boards as tables and plots.

use super::page::written;
use super::{
    PictureCount, RunReport, boards_bibtex, boards_csv, boards_json, boards_latex, boards_markdown,
    boards_svg, write_report,
};
use crate::error::Error;
use crate::save::write_file;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A format of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// One page with pictures and plots.
    Html,
    Md,
    Json,
    Csv,
    /// Tables (booktabs), plots (TikZ) and a paragraph on the methods for a paper.
    Tex,
    /// BibTeX entries of the works that the paragraph cites.
    Bib,
    /// Plots, one file each; those after the first have a suffix.
    Svg,
}

impl ReportFormat {
    /// By the extension.
    ///
    /// # Errors
    /// [`Error`].
    pub fn of(path: &Path) -> Result<Self, Error> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("html" | "htm") => Ok(Self::Html),
            Some("md") => Ok(Self::Md),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("tex") => Ok(Self::Tex),
            Some("bib") => Ok(Self::Bib),
            Some("svg") => Ok(Self::Svg),
            _ => Err(Error::usage("unknown extension of a report; use .html, .md, .json, .csv, .tex, .bib or .svg, or give the format").at(path).option("format")),
        }
    }
}

/// Writes a report and returns its files with their sizes in bytes: none where no board can be
/// plotted. Only the page has pictures.
///
/// # Errors
/// A file that cannot be written.
pub fn write_report_as(
    report: &RunReport,
    path: &Path,
    format: ReportFormat,
    pictures: PictureCount,
) -> Result<Vec<(PathBuf, usize)>, Error> {
    let text = |text: String| vec![(path.to_owned(), text.into_bytes())];
    let files = match format {
        ReportFormat::Html => {
            let bytes = write_report(report, path, pictures)?;
            return Ok(vec![(path.to_owned(), bytes)]);
        }
        ReportFormat::Md => text(boards_markdown(report)),
        ReportFormat::Json => text(format!("{:#}\n", boards_json(report))),
        ReportFormat::Csv => text(boards_csv(report)),
        ReportFormat::Tex => text(boards_latex(report)),
        ReportFormat::Bib => text(boards_bibtex(report)),
        ReportFormat::Svg => plot_paths(path, boards_svg(report)),
    };
    let write = |(path, bytes): (PathBuf, Vec<u8>)| {
        written(&path, write_file(&path, &bytes)).map(|()| (path, bytes.len()))
    };
    files.into_iter().map(write).collect()
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
