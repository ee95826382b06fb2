//! `--ocr`: the text on assets in lines for people and rows for programs.

use super::Printer;
use crate::ask::Drawing;
use crate::error::Error;
use crate::features::TextReader;
use crate::front::PaintedText;
use crate::render::Channel;
use crate::report::plural;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub(super) struct TextArgs {
    /// Report text on assets, read by networks in DIR (docs/FEATURES.md)
    #[arg(long, value_name = "DIR", help_heading = "Pictures")]
    ocr: Option<PathBuf>,
}

/// The networks, and the views in which they look for text.
pub(super) struct TextSearch {
    pub reader: TextReader,
    pub drawing: Drawing,
}

impl TextArgs {
    /// None without the flag. `drawings` are those of the pictures that judges see.
    pub(super) fn open<'a>(
        &self,
        drawings: impl IntoIterator<Item = &'a Drawing>,
    ) -> Result<Option<TextSearch>, Error> {
        let Some(folder) = &self.ocr else { return Ok(None) };
        let mut drawings = drawings.into_iter();
        let drawing = drawings.find(|it| it.settings.channels.contains(&Channel::Rgb));
        let drawing = drawing
            .ok_or_else(|| Error::usage("judges see no colours, so --ocr has nothing to read"))?;
        Ok(Some(TextSearch { reader: TextReader::open(folder)?, drawing: drawing.clone() }))
    }
}

impl TextSearch {
    /// `4 views of 512 px`.
    pub(super) fn views(&self) -> String {
        let count = plural(self.drawing.rig.views.len(), "view");
        format!("{count} of {} px", self.drawing.settings.width_px)
    }

    pub(super) fn row(&self, found: &[PaintedText]) -> Value {
        let Drawing { rig, settings } = &self.drawing;
        json!({ "views": rig.views.len(), "size_px": settings.width_px, "lines": found })
    }
}

/// `view 0 (azimuth 0°): "…", confidence 0.98 - reads like an instruction to a judge` per line.
pub(super) fn lines(found: &[PaintedText]) -> impl Iterator<Item = String> {
    found.iter().map(|PaintedText { view, azimuth_degrees, line, .. }| {
        let read = match line.reads_like_instruction {
            true => " - reads like an instruction to a judge",
            false => "",
        };
        let (text, confidence) = (&line.text, line.confidence);
        format!("view {view} (azimuth {azimuth_degrees:.0}°): {text:?}, confidence {confidence:.2}{read}")
    })
}

/// Warns if a judge could follow text on the asset.
pub(super) fn warn_of_text(printer: &Printer, name: &str, found: &[PaintedText]) {
    if found.iter().any(|it| it.line.reads_like_instruction) {
        printer.warn(&format!("text on the asset reads like an instruction, and a judge may follow it; look at its views, and leave the asset out if they show such text: {name:?}"));
    }
}
