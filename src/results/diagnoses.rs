//! What each board's order rests on.

use super::boards::{indexed, model_of};
use super::collect::{Choice, Collected, On};
use super::settings::RateSettings;
use super::voice::Voice;
use crate::rate::{Diagnosis, diagnose};

/// The diagnosis of one board.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionDiagnosis {
    pub rubric: String,
    pub criterion: String,
    pub voice: Voice,
    /// Sorted names; every index is into these.
    pub methods: Vec<String>,
    /// The prompt that matters most, by its text.
    pub prompt: Option<String>,
    pub diagnosis: Diagnosis,
}

/// Of every board that can be made; nothing unless the settings ask for it.
pub(super) fn diagnoses(settings: &RateSettings, collected: &Collected) -> Vec<CriterionDiagnosis> {
    if !settings.diagnoses {
        return Vec::new();
    }
    let one = |((on, voice), choices): (&(On, Voice), &Vec<Choice>)| {
        let (methods, answers) = indexed(collected.said(choices), &collected.methods.names);
        let diagnosis = diagnose(&methods, &answers, &model_of(settings), settings.seed).ok()?;
        let prompt = diagnosis
            .left_out
            .as_ref()
            .map(|l| collected.prompts.names[l.prompt].clone());
        Some(CriterionDiagnosis {
            rubric: on.rubric.clone(),
            criterion: on.criterion.clone(),
            voice: voice.clone(),
            methods,
            prompt,
            diagnosis,
        })
    };
    collected.games.iter().filter_map(one).collect()
}
