//! Everything that was gathered → [`Results`].

use super::anchored::{CriterionAnchored, Unanchored, anchored_boards};
use super::boards::{self, CriterionBoard, CriterionMeans, Unrated};
use super::checklists::{ChecklistBoard, checklist_boards};
use super::controlled::{CriterionControlled, Uncontrolled, controlled_boards};
use super::diagnoses::{CriterionCategories, CriterionDiagnosis, categories, diagnoses};
use super::jury::{CriterionJury, juries};
use super::making::{MethodMaking, making};
use super::metrics::{MetricBoard, metric_boards};
use super::mos::{MosBoard, mos_boards};
use super::places::{Outdated, copies_text, outdated_text, unlike_judges_text};
use super::read::Gathered;
use super::settings::RateSettings;
use super::spending::JudgeSpending;
use super::voices::{self, PeopleAgreement, VoiceAgreement};
use crate::error::Error;
use crate::store::Made;
use std::collections::BTreeMap;

/// Everything that is computed from some runs.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Results {
    /// Pairwise criteria in the rubric's key order; a voice per judge, then all judges, people.
    pub boards: Vec<CriterionBoard>,
    /// Boards that cannot be fitted.
    pub unrated: Vec<Unrated>,
    /// What people prefer, by votes and judges together; only where the settings ask for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub anchored: Vec<CriterionAnchored>,
    /// Criteria for which that was asked and cannot be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanchored: Vec<Unanchored>,
    /// The same boards with figures of the assets held equal; only where the settings ask for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controlled: Vec<CriterionControlled>,
    /// Boards for which that cannot be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncontrolled: Vec<Uncontrolled>,
    /// What each board's order rests on; only where the settings ask for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub diagnoses: Vec<CriterionDiagnosis>,
    /// Each method by prompt category; with the diagnoses, where prompts have categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<CriterionCategories>,
    pub means: Vec<CriterionMeans>,
    /// Judges' answers to the items of a checklist against people's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklists: Vec<ChecklistBoard>,
    /// Scores that people gave to single assets, as they were imported.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mos: Vec<MosBoard>,
    /// For each criterion and two voices.
    pub agreement: Vec<VoiceAgreement>,
    /// Agreement of people among themselves: the ceiling for a judge.
    pub people: Vec<PeopleAgreement>,
    /// Judges and metrics together, against people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub juries: Vec<CriterionJury>,
    /// Metrics of assets, where the benchmark names any.
    pub metrics: Vec<MetricBoard>,
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
    /// Verdicts about what the benchmark no longer holds: kept, not rated.
    pub outdated: BTreeMap<Outdated, usize>,
    /// Judges that several runs asked in different ways, in a sentence; empty where there are none.
    pub unlike_judges: String,
    /// Prompts with the same assets, in a sentence; empty where there are none.
    pub copies: String,
    /// Judges that refuse mostly where one method wins, a sentence each.
    pub refusals: Vec<String>,
}

impl Results {
    /// What a reader must know of the verdicts, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let mut notes =
            vec![outdated_text(&self.outdated), self.unlike_judges.clone(), self.copies.clone()];
        notes.retain(|note| !note.is_empty());
        notes.extend(self.refusals.iter().cloned());
        notes.extend(self.spending.iter().filter_map(restated_text));
        notes
    }
}

/// How many of a judge's verdicts are restatements.
fn restated_text(judge: &JudgeSpending) -> Option<String> {
    /// Judges that answer in form restate one verdict in forty.
    const SHARE_MAX: f64 = 0.05;
    let JudgeSpending { judge, verdicts, restated, .. } = judge;
    let warning = match *restated as f64 > SHARE_MAX * *verdicts as f64 {
        true => "; more than 5 %, so read some of its replies, or give it a clearer question",
        false => "",
    };
    let verb = if *restated == 1 { "is" } else { "are" };
    (*restated > 0).then(|| {
        format!(
            "{restated} of {verdicts} verdicts of {judge} {verb} restated: the reply was in another form, and the judge copied its decision into the form asked for{warning}"
        )
    })
}

/// What can be counted where nothing can be rated: outcomes, spending, assets.
pub fn counts(gathered: &Gathered) -> Results {
    Results {
        spending: gathered.spending.finish(),
        making: making(&gathered.made, &gathered.booked_usd),
        failures: failures(gathered),
        outcomes: outcomes(gathered),
        outdated: gathered.outdated.clone(),
        unlike_judges: unlike_judges_text(&gathered.unlike_judges),
        copies: copies_text(&gathered.made),
        ..Results::default()
    }
}

/// Rates and counts. The answers that were gathered are used up.
///
/// # Errors
/// Nothing to rate and nothing measured, mixed protocols, an unknown anchor. A board that cannot be
/// fitted is in [`Results::unrated`].
pub fn results(gathered: &mut Gathered, settings: &RateSettings) -> Result<Results, Error> {
    let collected = gathered.finish(settings)?;
    boards::check_anchor(settings, &collected)?;
    let (boards, unrated) = boards::boards(settings, &collected);
    let (anchored, unanchored) = anchored_boards(settings, &collected);
    let (controlled, uncontrolled) = controlled_boards(settings, &collected, &gathered.metrics)?;
    let categories = categories(settings, &collected, &gathered.categories, &boards);
    let mos = mos_boards(settings, gathered, &collected, &boards);
    let (metrics, votes) = metric_boards(settings, &gathered.metrics, &gathered.made, &collected)?;
    Ok(Results {
        boards,
        unrated,
        anchored,
        unanchored,
        controlled,
        uncontrolled,
        diagnoses: diagnoses(settings, &collected),
        categories,
        means: boards::means(&collected, &gathered.checklists),
        checklists: checklist_boards(settings, &collected, &gathered.checklists),
        mos,
        agreement: voices::agreements(settings, &collected)?,
        people: voices::people(settings, &collected),
        juries: juries(&collected, &votes),
        metrics,
        refusals: gathered.refusals.texts(&collected),
        num_prompts: collected.prompts.names.len(),
        same_method: collected.same_method,
        ..counts(gathered)
    })
}

fn outcomes(gathered: &Gathered) -> BTreeMap<String, usize> {
    let outcomes = gathered.outcomes.iter();
    outcomes.map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

fn failures(gathered: &Gathered) -> Vec<Made> {
    let failed = gathered.made.iter().filter(|made| made.failure.is_some());
    failed.cloned().collect()
}
