//! A whole audit in a run folder: asks about every sheet, and stores data that rows lack in a
//! separate file, so that the figures can be read again.

use super::amounts::Amounts;
use super::ask::{AuditSheet, ask_about};
use super::figures::{JudgeFigures, figures};
use super::plan::{AuditPlan, CleanObject};
use super::sheets::SheetSpec;
use crate::ask::{AskSettings, Progress, Session, Summary, drawings, protocol_of};
use crate::error::Error;
use crate::front::add_rubric;
use crate::judge::Judge;
use crate::load::Options;
use crate::options::ViewOptions;
use crate::rubric::Rubric;
use crate::store::{Record, Store, write_whole};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NOTES_FILE: &str = "audit_notes.json";

/// Data that the run's rows lack: each pair's damage, and the sheets by protocol hash.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    amounts: Amounts,
    sheets: Vec<(String, String)>,
}

impl Kept {
    /// A run in memory has no folder, and so no notes.
    fn read(folder: &Path) -> Result<Self, Error> {
        if folder.as_os_str().is_empty() {
            return Ok(Self::default());
        }
        let path = folder.join(NOTES_FILE);
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| failed(&path, e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(failed(&path, e)),
        }
    }

    fn write(&self, folder: &Path) -> Result<(), Error> {
        if folder.as_os_str().is_empty() {
            return Ok(());
        }
        let path = folder.join(NOTES_FILE);
        let value = serde_json::to_value(self).map_err(|e| failed(&path, e))?;
        write_whole(&path, format!("{value:#}\n").as_bytes())
    }
}

fn failed(path: &Path, reason: impl std::fmt::Display) -> Error {
    Error::audit(format!("cannot read the audit ({reason})")).at(path)
}

/// How an audit ended.
#[derive(Debug)]
pub struct Audited {
    /// Its run, still open.
    pub store: Store,
    /// How the asking ended.
    pub summary: Summary,
    /// Pairs that cannot be made, with the reason.
    pub left_out: Vec<String>,
    /// What every row of the run says, those of earlier calls included.
    pub figures: Vec<JudgeFigures>,
}

/// The subject of a run of this audit.
pub fn about(plan: &AuditPlan, rubric: &Rubric, sheets: &[AuditSheet]) -> toml::Table {
    let mut about = toml::Table::new();
    let scenes = plan.cases.iter().map(|case| case.name.to_owned());
    let objects = plan.objects.iter().map(CleanObject::name);
    let objects: Vec<String> = objects.chain(scenes).collect();
    about.insert("objects".to_owned(), objects.into());
    let kinds: Vec<String> = plan.kinds.iter().map(|k| k.name.to_owned()).collect();
    about.insert("kinds".to_owned(), kinds.into());
    let levels: Vec<String> = plan.levels.iter().map(f32::to_string).collect();
    about.insert("levels".to_owned(), levels.into());
    add_rubric(rubric, &mut about);
    let hashes: Vec<String> = sheets.iter().map(AuditSheet::protocol_hash).collect();
    about.insert("protocol".to_owned(), hashes.join(" ").into());
    about
}

/// Each form of the questions; without `specs`, the form that `views` selects. `load` are options
/// for loading assets. Records of two sheets differ in protocol, which contains these options.
///
/// # Errors
/// Views or sizes that cannot be drawn.
pub fn sheets(
    specs: &[SheetSpec],
    rubric: &Rubric,
    views: &ViewOptions,
    load: &Options,
) -> Result<Vec<AuditSheet>, Error> {
    let specs: Vec<Option<&SheetSpec>> = match specs {
        [] => vec![None],
        specs => specs.iter().map(Some).collect(),
    };
    let each = specs.into_iter().map(|spec| {
        let views = ViewOptions {
            views: spec.map_or(views.views, |spec| Some(spec.views)),
            tile_px: spec.map_or(views.tile_px, |spec| Some(spec.size_px)),
            ..views.clone()
        };
        let mut drawings = drawings(rubric, &views)?;
        let mut label = String::new();
        for drawing in drawings.iter_mut().flatten() {
            if let Some(channels) = spec.and_then(|spec| spec.channels.as_ref()) {
                drawing.settings.channels.clone_from(channels);
            }
            let seen = SheetSpec {
                views: drawing.rig.views.len(),
                size_px: drawing.settings.width_px,
                channels: None,
            };
            label = seen.label(&drawing.settings.channels);
        }
        let protocol = Some(protocol_of(rubric, &drawings, load));
        Ok(AuditSheet { label, protocol, drawings })
    });
    each.collect()
}

/// Asks all questions of the plan, on every sheet, and counts the answers in the run.
///
/// # Errors
/// A failing disk, a question that cannot be made. Answers are kept.
pub fn audit(
    plan: &AuditPlan,
    rubric: &Arc<Rubric>,
    sheets: &[AuditSheet],
    (store, judges): (Store, &[Judge]),
    settings: &AskSettings,
    fit_px: Option<u32>,
    mut progress: impl FnMut(&Progress),
) -> Result<Audited, Error> {
    let mut kept = Kept::read(store.folder())?;
    let mut session = Session::open(store, judges, settings, fit_px)?;
    let mut left_out = Vec::new();
    for sheet in sheets {
        let named = (sheet.protocol_hash(), sheet.label.clone());
        if !kept.sheets.contains(&named) {
            kept.sheets.push(named);
        }
        let notes = ask_about(&mut session, plan, rubric, sheet, &mut progress)?;
        kept.amounts.extend(notes.amounts);
        left_out.extend(notes.left_out);
        if session.summary().stop.is_some() {
            break;
        }
    }
    left_out.dedup();
    let (store, summary) = session.close();
    kept.write(store.folder())?;
    Ok(Audited {
        figures: figures(&records(&store)?, &kept.amounts, &kept.sheets),
        store,
        summary,
        left_out,
    })
}

/// The figures of finished audits, read from their rows again; each names its run.
///
/// # Errors
/// A folder that is no run, or no audit's.
pub fn read_figures(folders: &[PathBuf]) -> Result<Vec<JudgeFigures>, Error> {
    let mut all: Vec<JudgeFigures> = Vec::new();
    for folder in folders {
        let store = Store::read(folder)?;
        let kept = Kept::read(folder)?;
        let mut found = figures(&records(&store)?, &kept.amounts, &kept.sheets);
        if found.is_empty() {
            return Err(Error::audit(
                "the run has no answers of an audit; give the folder of an audit",
            )
            .at(folder));
        }
        for judge in &mut found {
            let name = folder.file_name().unwrap_or_default();
            judge.run = Some(name.to_string_lossy().into_owned());
        }
        all.extend(found);
    }
    Ok(all)
}

pub(super) fn records(store: &Store) -> Result<Vec<Record>, Error> {
    // What an earlier version of a judge answered is kept, and counts no more.
    let judges = store.judge_setups()?;
    let mut records = Vec::new();
    store.records(|record: Record| {
        if judges.get(record.judge.as_str()).is_none_or(|setup| setup.is_of(&record)) {
            records.push(record);
        }
        Ok(())
    })?;
    Ok(records)
}
