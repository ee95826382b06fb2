//! One case → its records, in one session.

use crate::ask::{Answered, AskSettings, Case, Session, Studio};
use crate::error::Error;
use crate::judge::Judge;
use crate::store::Store;

/// Asks one case: finds what has no answer yet, draws, composes, asks, and reads all its records.
///
/// # Errors
/// [`Error`]. Answers that came before are kept in the run.
pub fn ask_once(
    store: Store,
    judges: &[Judge],
    settings: &AskSettings,
    fit_px: Option<u32>,
    case: &Case,
) -> Result<Answered, Error> {
    let session = Session::open(store, judges, settings, fit_px)?;
    let work = session.planner().work(case, &mut Studio::default())?;
    session.answer(work, |_| ())
}
