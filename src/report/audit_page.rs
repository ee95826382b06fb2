//! The reliability of judges → one HTML file without scripts, several judges side by side.

use super::page::{STYLE, filled, value};
use super::pictures::{embed, find};
use super::sections::{audit_sections, verdict};
use super::show::title;
use crate::audit::{JudgeFigures, WrongAnswer, wrong_answers};
use crate::error::Error;
use crate::store::Store;
use minijinja::{Value, context};
use std::path::PathBuf;

const TEMPLATE: &str = include_str!("../../assets/report/audit.html");

/// More wrong answers are counted, not shown.
const WRONG_SHOWN_MAX: usize = 48;

/// The page of these runs' figures as HTML; the same figures give the same bytes. Wrong answers are
/// shown with their pictures, as far as the runs have them.
///
/// # Errors
/// A folder that is no run. A broken template of ours, which a test would have found.
pub fn write_audit_page(judges: &[JudgeFigures], runs: &[PathBuf]) -> Result<String, Error> {
    let wrong = wrong_answers(runs)?;
    let names = runs.iter().filter_map(|run| Some(run.file_name()?.to_string_lossy()));
    let context = context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        run => names.collect::<Vec<_>>().join(", "),
        judges => value(judges.iter().map(verdict).collect::<Vec<_>>()),
        sections => value(audit_sections(judges)),
        num_wrong => wrong.len(),
        wrong => wrong.iter().take(WRONG_SHOWN_MAX).map(wrong_figure).collect::<Vec<_>>(),
    };
    filled("audit.html", TEMPLATE, context)
}

fn wrong_figure(answer: &WrongAnswer) -> Value {
    let picture = answer
        .picture
        .as_ref()
        .and_then(|(folder, hash)| embed(&find(&[Store::read(folder).ok()?], hash)?.path));
    let criteria: Vec<String> = answer.criteria.iter().map(|key| title(key)).collect();
    let base = std::path::Path::new(&answer.base).file_name().unwrap_or_default();
    context! {
        judge => answer.judge.as_str(),
        base => base.to_string_lossy(),
        damage => answer.damage.clone(),
        criteria => criteria.join(", "),
        // Only letters of base64, and longer than text may be.
        src => picture.map(|picture| Value::from_safe_string(picture.data_uri())),
    }
}
