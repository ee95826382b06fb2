//! Everything that was gathered → [`Results`].

use super::boards::{self, CriterionBoard, CriterionMeans, Unrated};
use super::collect;
use super::error::ResultsError;
use super::making::{MethodMaking, making};
use super::read::Gathered;
use super::settings::RateSettings;
use super::spending::{JudgeSpending, spending};
use super::voices::{self, PeopleAgreement, VoiceAgreement};
use crate::store::Made;
use std::collections::BTreeMap;

/// Everything that is computed from some runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Results {
    /// Pairwise criteria in the rubric's order of keys; a voice of its own for each judge, then all judges, then people.
    pub boards: Vec<CriterionBoard>,
    /// Boards that cannot be fitted.
    pub unrated: Vec<Unrated>,
    pub means: Vec<CriterionMeans>,
    /// For each criterion and two voices.
    pub agreement: Vec<VoiceAgreement>,
    /// Agreement of people among themselves: the ceiling for a judge.
    pub people: Vec<PeopleAgreement>,
    /// What each judge was asked and cost.
    pub spending: Vec<JudgeSpending>,
    /// What each generator made, and how long it took.
    pub making: Vec<MethodMaking>,
    /// Assets that cannot be judged.
    pub failures: Vec<Made>,
    pub outcomes: BTreeMap<String, usize>,
    /// Prompts with a verdict.
    pub num_prompts: usize,
    /// Verdicts that compare a method with itself, and are left out.
    pub same_method: usize,
}

/// What can be counted where nothing can be rated: outcomes, spending, assets.
pub fn counts(gathered: &Gathered) -> Results {
    Results {
        boards: Vec::new(),
        unrated: Vec::new(),
        means: Vec::new(),
        agreement: Vec::new(),
        people: Vec::new(),
        spending: spending(&gathered.records),
        making: making(&gathered.made),
        failures: failures(gathered),
        outcomes: outcomes(gathered),
        num_prompts: 0,
        same_method: 0,
    }
}

/// Rates and counts.
///
/// # Errors
/// Nothing to rate, mixed protocols, an unknown anchor. A board that cannot be fitted is in [`Results::unrated`].
pub fn results(gathered: &Gathered, settings: &RateSettings) -> Result<Results, ResultsError> {
    let records = &gathered.records;
    let outcomes = outcomes(gathered);
    let verdicts: Vec<_> = (records.iter())
        .filter_map(|record| Some((record, record.verdict()?)))
        .collect();
    if verdicts.is_empty() {
        let counts: Vec<String> = outcomes.iter().map(|(o, n)| format!("{n} {o}")).collect();
        let found = if counts.is_empty() {
            "no answers at all".to_owned()
        } else {
            counts.join(", ")
        };
        return Err(ResultsError::NoVerdict { found });
    }
    if !settings.mixes_protocols {
        collect::refuse_mixed(&verdicts)?;
    }
    let collected = collect::collect(&verdicts, &gathered.pairs);
    if collected.games.is_empty() && collected.scores.is_empty() {
        return Err(ResultsError::NothingDecided);
    }
    boards::check_anchor(settings, &collected)?;
    let (boards, unrated) = boards::boards(settings, &collected);
    Ok(Results {
        boards,
        unrated,
        means: boards::means(&collected),
        agreement: voices::agreements(settings, &collected)?,
        people: voices::people(settings, &collected),
        spending: spending(records),
        making: making(&gathered.made),
        failures: failures(gathered),
        outcomes,
        num_prompts: collected.prompts.len(),
        same_method: collected.same_method,
    })
}

fn outcomes(gathered: &Gathered) -> BTreeMap<String, usize> {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for record in &gathered.records {
        let name = record.outcome.name().to_owned();
        *outcomes.entry(name).or_default() += 1;
    }
    outcomes
}

fn failures(gathered: &Gathered) -> Vec<Made> {
    let failed = gathered.made.iter().filter(|made| made.failure.is_some());
    failed.cloned().collect()
}
