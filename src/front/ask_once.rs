//! A list of work → records, in one session.

use super::error::FrontError;
use crate::ask::{AskError, AskSettings, Planner, Progress, QuestionError, Session, Summary, Work};
use crate::judge::Judge;
use crate::store::{Record, Store};

/// Asks what `plan` returns, and reads back the records of all its questions, those answered before included, in the order of asking.
///
/// # Errors
/// What `plan` fails with; [`AskError`]. Answers that came before are kept in the run.
pub fn ask_once<E: From<AskError> + From<QuestionError>>(
    store: Store,
    judges: &[Judge],
    settings: &AskSettings,
    fit_px: Option<u32>,
    plan: impl FnOnce(&Planner<'_>) -> Result<Vec<Work>, E>,
    progress: impl FnMut(&Progress),
) -> Result<(Store, Summary, Vec<Record>), E> {
    let mut session = Session::open(store, judges, settings, fit_px)?;
    let work = plan(&session.planner())?;
    let num_requests: u64 =
        work.iter().map(|work| work.num_requests(judges.len(), settings.samples)).sum();
    session.ask(work.into_iter().map(Ok), num_requests, progress)?;
    let (store, summary) = session.close();
    let mut records = Vec::new();
    for id in &summary.ids {
        records.extend(store.record(id).map_err(AskError::from)?);
    }
    Ok((store, summary, records))
}

/// A run folder, or none: then nothing outlives the call.
pub(super) fn open_store(run: Option<&std::path::Path>) -> Result<Store, FrontError> {
    Ok(match run {
        Some(folder) => Store::open(folder)?,
        None => Store::in_memory()?,
    })
}
