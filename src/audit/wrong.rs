//! The wrong answers of audits, one by one: pairs on which a judge preferred the damaged object in
//! both orders, on a criterion that the damage lowers.

use super::figures::lowered;
use super::plan::method;
use super::run::records;
use super::trial::{Together, Trial, trials};
use crate::error::Error;
use crate::rubric::Order;
use crate::store::{Rater, Record, Store};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongAnswer {
    pub judge: Rater,
    /// The clean object's path or name.
    pub base: String,
    /// `holes@0.5`.
    pub damage: String,
    pub criteria: Vec<String>,
    /// The run, and in it the hash of the picture with the clean object on the left; none for
    /// judges that see no picture.
    pub picture: Option<(PathBuf, String)>,
}

/// Of finished audits, by judge and object.
///
/// # Errors
/// A folder that is no run.
pub fn wrong_answers(folders: &[PathBuf]) -> Result<Vec<WrongAnswer>, Error> {
    let mut found = Vec::new();
    for folder in folders {
        let records = records(&Store::read(folder)?)?;
        let all: Vec<&Record> = records.iter().collect();
        for (judge, trials) in trials(&all) {
            let wrong = trials.iter().filter_map(|trial| wrong(trial, &judge, &all, folder));
            found.extend(wrong);
        }
    }
    Ok(found)
}

fn wrong(trial: &Trial, judge: &Rater, all: &[&Record], folder: &Path) -> Option<WrongAnswer> {
    let (kind, level) = trial.damage.filter(|_| trial.has_sides())?;
    let is_wrong = |key: &&'static str| trial.together(key) == Some(Together::Damaged);
    let criteria: Vec<String> = lowered(kind).filter(is_wrong).map(str::to_owned).collect();
    if criteria.is_empty() {
        return None;
    }
    let damage = method(kind, level);
    let is_shown = |record: &&&Record| {
        let is_damaged = record.b.as_ref().is_some_and(|b| b.method == damage);
        record.judge == *judge
            && record.a.path == trial.base
            && is_damaged
            && record.order == Order::AsListed
    };
    let picture = all.iter().find(is_shown).and_then(|record| record.pictures.last().cloned());
    Some(WrongAnswer {
        judge: judge.clone(),
        base: trial.base.clone(),
        damage,
        criteria,
        picture: picture.map(|picture| (folder.to_owned(), picture)),
    })
}
