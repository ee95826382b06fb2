//! An asset → the text painted on it, in the views that a judge sees.

use crate::ask::Drawing;
use crate::error::Error;
use crate::features::{PaintedLine, TextReader};
use crate::render::{Channel, draw};
use crate::scene::AssetRef;
use serde::Serialize;

/// A line of text on an asset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaintedText {
    /// Index of the view.
    pub view: usize,
    pub azimuth_degrees: f64,
    pub elevation_degrees: f64,
    #[serde(flatten)]
    pub line: PaintedLine,
}

/// The lines of text in all views, in their order.
///
/// # Errors
/// An asset that cannot be drawn, a network that cannot be run.
pub fn painted_text<'a>(
    asset: impl Into<AssetRef<'a>>,
    drawing: &Drawing,
    reader: &TextReader,
) -> Result<Vec<PaintedText>, Error> {
    let mut settings = drawing.settings.clone();
    settings.channels = vec![Channel::Rgb];
    let mut found = Vec::new();
    for (view, frame) in draw(asset, &drawing.rig, &settings)?.iter().enumerate() {
        for line in reader.lines(&frame.images[&Channel::Rgb])? {
            let camera = &drawing.rig.views[view];
            found.push(PaintedText {
                view,
                azimuth_degrees: camera.azimuth_degrees,
                elevation_degrees: camera.elevation_degrees,
                line,
            });
        }
    }
    Ok(found)
}
