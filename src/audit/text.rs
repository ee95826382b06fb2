//! The text painted on the clean objects of an audit.

use super::ask::clean;
use super::plan::AuditPlan;
use crate::ask::{Drawing, Studio};
use crate::features::TextReader;
use crate::front::{PaintedText, painted_text};

/// Each object's name with the lines of text on it, or why they cannot be read.
pub fn painted_texts(
    plan: &AuditPlan,
    drawing: &Drawing,
    reader: &TextReader,
) -> impl Iterator<Item = (String, Result<Vec<PaintedText>, String>)> {
    let mut studio = Studio::new(0);
    plan.objects.iter().map(move |object| {
        let specimen = studio.specimen(&clean(object));
        let found = specimen.and_then(|specimen| {
            painted_text(specimen.asset(), drawing, reader).map_err(|e| e.to_string())
        });
        (object.name(), found)
    })
}
