//! Results → reports: an HTML page with pictures and plots, the boards as Markdown, JSON and CSV,
//! rows as Parquet, vectors as Parquet and Arrow, and the local page for reading and blind voting.
//!
//! Counts nothing itself: every figure comes from [`crate::results::results`]. Everything that a
//! run holds (prompts, names, judges' words) is data that may be hostile; it enters a page through
//! one escaping formatter, or as JSON that no HTML parser can leave.

mod about;
mod audit_page;
mod axis;
mod bias_plot;
mod boards;
mod bundle;
mod csv;
mod current;
mod diff_page;
mod ends;
mod error_maps;
mod extent;
mod formats;
mod gallery;
mod invited;
mod latex;
mod methods;
mod page;
mod paper_table;
#[cfg_attr(not(feature = "parquet"), path = "parquet_absent.rs")]
mod parquet;
mod pictures;
mod plot;
mod plot_files;
mod record_columns;
mod rows;
mod run_rows;
mod sections;
pub mod serve;
mod show;
mod static_files;
mod table;
mod table_view;
mod tex;
mod text;
mod text_table;
mod thumbs;
mod unrated;
mod vector_column;
mod vector_file;
mod words;

pub use about::RunReport;
pub use audit_page::write_audit_page;
pub use boards::{boards_csv, boards_json, boards_markdown};
pub use bundle::{Bundled, read_bundle, write_bundle};
pub use csv::csv_line;
pub use current::ReportSource;
pub use diff_page::write_diff_page;
pub use extent::{GalleryPlace, PictureCount};
pub use formats::{ReportFormat, write_report_as};
pub use latex::{boards_bibtex, boards_latex};
pub use page::{Page, write_page, write_report};
pub use parquet::parquet;
pub use pictures::{PICTURE_BYTES_MAX, PICTURE_SIDE_PX};
pub use plot_files::boards_svg;
pub use record_columns::RECORD_COLUMNS;
pub use rows::{csv, jsonl, result_kinds, result_rows, row_fields};
pub use run_rows::{forfeit_id, run_rows};
pub(crate) use show::{grouped, outcome_count, plural, plural_with};
pub use table::{Column, Kind};
pub use table_view::differences_text;
pub use text::{Detail, audit_text, board_notes, results_text};
pub use text_table::{ascii, text_table};
pub use unrated::{
    UnratedSentences, boards_notes, further_notes, left_out_sentences, unrated_sentences,
};
pub use vector_file::write_vectors;
pub use words::PROBE_CAVEATS;
