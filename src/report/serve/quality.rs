//! Each rater's votes and reliability: checks, and agreement with the others.

use super::super::about::RunReport;
use super::super::extent::GalleryPlace;
use super::super::invited::{CheckAnswer, InvitedRaters};
use crate::error::Error;
use crate::rate::AgreementRates;
use crate::results::RateSettings;
use crate::store::run_folders;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The criterion that agreement is about, where the run has it.
const OVERALL: &str = "overall";

/// One rater, invited or not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RaterLine {
    pub name: String,
    /// None for somebody who voted on the owner's machine or in an imported file.
    pub invited_at: Option<String>,
    pub revoked_at: Option<String>,
    /// Pairs voted on.
    pub votes: usize,
    /// The middle one of the times for a pair; none without votes.
    pub median_seconds: Option<f64>,
    /// Pairs with a known answer: answered rightly, wrongly, undecided.
    pub checks: [usize; 3],
    /// With the majority of the other raters, on the criterion `overall` or the first of the run;
    /// none without a common pair.
    pub with_others: Option<AgreementRates>,
}

/// Everybody who was invited or has voted, by name.
///
/// # Errors
/// No run, a list of raters that cannot be read.
pub fn rater_lines(folder: &Path, rating: &RateSettings) -> Result<Vec<RaterLine>, Error> {
    let mut seconds: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let folders = run_folders(&[folder.to_owned()]).folders;
    let report = RunReport::read_with(&folders, rating, GalleryPlace::Nowhere, None, |record| {
        if record.judge.is_person() && record.verdict().is_some() {
            let name = record.judge.short_name().to_owned();
            seconds.entry(name).or_default().push(record.seconds);
        }
    })?;
    let people = &report.results.people;
    let on = people.iter().find(|on| on.on.criterion == OVERALL).or(people.first());
    let agreement = |name: &str| {
        let on = on?;
        let place = on.raters.iter().position(|rater| rater == name)?;
        let found = on.agreement.against_rest.iter().find(|(source, _)| *source == place);
        found.map(|(_, rates)| *rates).filter(|rates| rates.counts.all > 0)
    };
    let invited = InvitedRaters::read(folder)?;
    let mut names: Vec<&String> = invited.raters.keys().chain(seconds.keys()).collect();
    names.sort();
    names.dedup();
    let line = |name: &String| {
        let known = invited.raters.get(name);
        let mut times = seconds.get(name).cloned().unwrap_or_default();
        times.sort_by(f64::total_cmp);
        let count = |which| {
            known
                .map_or(0, |known| known.checks.values().filter(|answer| **answer == which).count())
        };
        RaterLine {
            name: name.clone(),
            invited_at: known.map(|known| known.invited_at.clone()),
            revoked_at: known.and_then(|known| known.revoked_at.clone()),
            votes: times.len(),
            median_seconds: times.get(times.len() / 2).copied(),
            checks: [CheckAnswer::Right, CheckAnswer::Wrong, CheckAnswer::Tie].map(count),
            with_others: agreement(name),
        }
    };
    Ok(names.into_iter().map(line).collect())
}
