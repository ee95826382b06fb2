//! What each board's order rests on.

use super::boards::{CriterionBoard, indexed, model_of, voters};
use super::collect::{Choice, Collected, Said, raters_of};
use super::key::Key;
use super::settings::RateSettings;
use crate::rate::{Answer, ByCategory, Diagnosis, Game, by_category, diagnose, games, units};
use std::collections::BTreeMap;

/// More judges or raters than this are not left out one by one.
const RATERS_MAX: usize = 12;

/// The diagnosis of one board.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionDiagnosis {
    #[serde(flatten)]
    pub key: Key,
    /// Sorted names; every index is into these.
    pub methods: Vec<String>,
    /// The prompt that matters most, by its text, and its id where several have that text.
    pub prompt: Option<String>,
    pub diagnosis: Diagnosis,
}

/// How each method does in each category of prompts.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionCategories {
    #[serde(flatten)]
    pub key: Key,
    /// Sorted names; every index is into these.
    pub methods: Vec<String>,
    /// Names, as long as the lists of the findings.
    pub categories: Vec<String>,
    pub found: ByCategory,
}

/// Of every board that can be made; nothing unless the settings ask for it.
pub(super) fn diagnoses(settings: &RateSettings, collected: &Collected) -> Vec<CriterionDiagnosis> {
    if !settings.diagnoses {
        return Vec::new();
    }
    let one = |(key, choices): (&Key, &Vec<Choice>)| {
        let (methods, answers) = indexed(collected.said(choices), &collected.methods);
        let others = without_each_rater(collected, choices, &methods);
        let model = model_of(settings);
        let voters = voters(collected, &key.voice, choices);
        let diagnosis =
            diagnose(&methods, &answers, &voters, &model, settings.seed, &others).ok()?;
        let prompt = diagnosis.left_out.as_ref().map(|l| collected.prompts.names[l.prompt].clone());
        Some(CriterionDiagnosis { key: key.clone(), methods, prompt, diagnosis })
    };
    collected.games.iter().filter_map(one).collect()
}

/// The answers without those of each judge or person, where there are several.
fn without_each_rater(
    collected: &Collected,
    choices: &[Choice],
    methods: &[String],
) -> Vec<(String, Vec<Answer>)> {
    let raters = raters_of(collected.said(choices));
    if raters.len() < 2 || raters.len() > RATERS_MAX {
        return Vec::new();
    }
    let names = &collected.methods.names;
    let place = |method: usize| methods.binary_search(&names[method]).unwrap_or_default();
    let answer =
        |said: Said| Answer { a: place(said.answer.a), b: place(said.answer.b), ..said.answer };
    let without = |rater: u32| {
        let rest = collected.said(choices).filter(|said| said.rater != Some(rater));
        let name = &collected.raters.names[rater as usize];
        (format!("without {name}"), rest.map(answer).collect())
    };
    raters.into_iter().map(without).collect()
}

/// Of boards with prompt categories, by prompt name; nothing unless the settings ask for it.
pub(super) fn categories(
    settings: &RateSettings,
    collected: &Collected,
    category_of: &BTreeMap<String, String>,
    boards: &[CriterionBoard],
) -> Vec<CriterionCategories> {
    if !settings.diagnoses || category_of.is_empty() {
        return Vec::new();
    }
    let one = |(key, choices): (&Key, &Vec<Choice>)| {
        let (methods, answers) = indexed(collected.said(choices), &collected.methods);
        let mut by_name: BTreeMap<&String, Vec<Game>> = BTreeMap::new();
        for game in games(&units(&answers)) {
            if let Some(category) = category_of.get(&collected.prompts.names[game.prompt]) {
                by_name.entry(category).or_default().push(game);
            }
        }
        let is_same = |board: &&CriterionBoard| board.key == *key;
        let board = &boards.iter().find(is_same)?.board;
        let bias = board.left_bias.map(|(bias, _)| bias);
        let categories = by_name.keys().map(|name| (*name).clone()).collect();
        let games: Vec<Vec<Game>> = by_name.into_values().collect();
        Some(CriterionCategories {
            key: key.clone(),
            found: by_category(
                methods.len(),
                &games,
                settings.ties.into(),
                board.tie,
                bias,
                settings.seed,
            )?,
            methods,
            categories,
        })
    };
    collected.games.iter().filter_map(one).collect()
}
