//! The rows of runs → [`Results`]: a board for each criterion and voice, means, agreement between voices, what it cost, what failed.
//!
//! Everything that `rate`, the report and the exports tell is counted here, once. Reads runs, writes nothing, prints nothing.

mod boards;
mod collect;
mod majority;
mod making;
mod read;
mod settings;
mod spending;
mod voices;

pub use boards::{CriterionBoard, Unrated};
pub(super) use collect::answer_of;
pub use majority::{SampleMargins, majority};
pub use making::{MethodMaking, making};
pub use read::{Gathered, gather};
pub use settings::{RateSettings, RatingsDiffer, rating_of};
pub use spending::{JudgeSpending, spending};
pub use voices::{PeopleAgreement, VoiceAgreement};

use crate::rate::{Mean, RateError};
use crate::store::{Made, StoreError};
use std::collections::BTreeMap;

/// Who speaks on a board.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// One judge, by its spec.
    Judge(String),
    /// All judges but people, each unit of each a game.
    AllJudges,
    /// All people.
    People,
}

impl std::fmt::Display for Voice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Judge(name) => f.write_str(name),
            Self::AllJudges => f.write_str("all judges"),
            Self::People => f.write_str("people"),
        }
    }
}

/// Scores of one criterion by method, best first.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionMeans {
    /// The rubric's name.
    pub rubric: String,
    /// `score`, an aspect, `overall` or `overall_recomputed`.
    pub criterion: String,
    /// Who scored.
    pub voice: Voice,
    /// Method and its mean.
    pub means: Vec<(String, Mean)>,
}

/// Everything that is known of some runs.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Results {
    /// Pairwise criteria in the rubric's order of keys; a voice of its own for each judge, then all judges, then people.
    pub boards: Vec<CriterionBoard>,
    /// Boards that could not be made.
    pub unrated: Vec<Unrated>,
    /// One-object criteria.
    pub means: Vec<CriterionMeans>,
    /// How far voices say the same, for each criterion and two voices.
    pub agreement: Vec<VoiceAgreement>,
    /// How far people say the same among themselves: the ceiling for a judge.
    pub people: Vec<PeopleAgreement>,
    /// What each judge was asked and cost.
    pub spending: Vec<JudgeSpending>,
    /// What each generator made, and how long it took.
    pub making: Vec<MethodMaking>,
    /// Assets that could not be judged.
    pub failures: Vec<Made>,
    /// Questions by outcome.
    pub outcomes: BTreeMap<String, usize>,
    /// Prompts with a verdict.
    pub num_prompts: usize,
    /// Verdicts that set a method against itself, left out.
    pub same_method: usize,
}

/// Why there are no results.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// A run cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The anchor is not among the methods.
    #[error(transparent)]
    Rate(#[from] RateError),
    /// No verdict anywhere.
    #[error(
        "there is nothing to rate: no verdict in these runs ({found}); run the command that made them again to ask what is missing"
    )]
    NoVerdict {
        /// Outcomes that were found.
        found: String,
    },
    /// Verdicts, but no criterion was decided.
    #[error(
        "there is nothing to rate: the judges decided no criterion between two methods; ask another judge with --judge"
    )]
    NothingDecided,
    /// Pictures or texts differ.
    #[error(
        "the verdicts on {rubric:?} come from {} {what} ({}), so they are not comparable; rate the runs apart, or say --mix-protocols",
        hashes.len(),
        hashes.join(", ")
    )]
    Mixed {
        /// The rubric's name.
        rubric: String,
        /// `render protocols` or `versions of the rubric`.
        what: &'static str,
        /// Their hashes, shortened.
        hashes: Vec<String>,
    },
    /// Written by another version.
    #[error(
        "the verdict of question {id} is of a kind that this version does not know; use the version that wrote it"
    )]
    UnknownVerdict {
        /// The question's key.
        id: String,
    },
}

/// What can be counted where nothing can be rated: outcomes, spending, what was made.
pub fn counts(gathered: &Gathered) -> Results {
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for row in &gathered.rows {
        *outcomes.entry(row.outcome.clone()).or_default() += 1;
    }
    Results {
        boards: Vec::new(),
        unrated: Vec::new(),
        means: Vec::new(),
        agreement: Vec::new(),
        people: Vec::new(),
        spending: spending(&gathered.rows),
        making: making(&gathered.made),
        failures: (gathered.made.iter())
            .filter(|made| made.failure.is_some())
            .cloned()
            .collect(),
        outcomes,
        num_prompts: 0,
        same_method: 0,
    }
}

/// Rates and counts what was gathered.
///
/// # Errors
/// Nothing to rate, mixed protocols, an unknown anchor. A board that cannot be made is in [`Results::unrated`].
pub fn results(gathered: &Gathered, settings: &RateSettings) -> Result<Results, ResultsError> {
    let rows = &gathered.rows;
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        *outcomes.entry(row.outcome.clone()).or_default() += 1;
    }
    let verdicts: Vec<_> = rows.iter().filter(|r| r.verdict.is_some()).collect();
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
    let collected = collect::collect(&verdicts, &gathered.pairs)?;
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
        spending: spending(rows),
        making: making(&gathered.made),
        failures: (gathered.made.iter())
            .filter(|made| made.failure.is_some())
            .cloned()
            .collect(),
        outcomes,
        num_prompts: collected.prompts.len(),
        same_method: collected.same_method,
    })
}
