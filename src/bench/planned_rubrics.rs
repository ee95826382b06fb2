//! The rubrics of a benchmark file: text, examples and drawings of each, checked against the
//! prompts that it asks about.

use super::file::{BenchFile, RubricEntry, RubricTable};
use super::prompt::Prompt;
use crate::ask::{Drawing, drawings};
use crate::error::Error;
use crate::options::own_file;
use crate::rubric::{Example, Rubric};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A rubric with its settings.
#[derive(Debug, Clone)]
pub struct PlannedRubric {
    pub rubric: Arc<Rubric>,
    pub examples: Vec<Example>,
    /// The category of prompts that name none.
    pub category: Option<String>,
    /// Cameras and settings for each of its pictures that is drawn.
    pub drawings: Vec<Option<Drawing>>,
}

/// The questions that the file names, else the pairwise one that fits its prompts.
pub(super) fn rubrics_of(file: &BenchFile, prompts: &[Prompt]) -> Vec<RubricEntry> {
    let are_photos = prompts.iter().all(|prompt| prompt.text().is_none());
    let name = if are_photos { "pairwise-image" } else { "pairwise" };
    match file.rubrics.as_slice() {
        [] => vec![RubricEntry::Name(name.to_owned())],
        named => named.to_vec(),
    }
}

pub(super) fn planned_rubric(
    table: &RubricTable,
    file: &BenchFile,
    folder: &Path,
    prompts: &[Prompt],
    wrong: &impl Fn(String) -> Error,
) -> Result<PlannedRubric, Error> {
    let mut rubric = Rubric::open(&own_file(&table.name, folder))?;
    if let Some(question) = &table.question {
        rubric = rubric.with_question(&folder.join(question))?;
    }
    if rubric.is_of_pairs() {
        rubric = rubric.with_form(file.pictures.pair.form.unwrap_or_default())?;
    }
    let examples = match &table.examples {
        Some(examples) => rubric.examples(&folder.join(examples))?,
        None => Vec::new(),
    };
    for prompt in prompts {
        let category = prompt.category.as_ref().or(table.category.as_ref());
        if rubric.has_categories() {
            let Some(category) = category else {
                return Err(wrong(format!(
                    "the rubric {:?} needs a category, but prompt {:?} has none; give `category` to the prompt or to the rubric",
                    rubric.name(),
                    prompt.id
                )));
            };
            rubric.text(Some(category))?;
        }
    }
    check_contents(&rubric, prompts).map_err(wrong)?;
    let drawings = drawings(&rubric, &file.pictures.views.in_folder(folder))?;
    Ok(PlannedRubric {
        rubric: Arc::new(rubric),
        examples,
        category: table.category.clone(),
        drawings,
    })
}

/// Every prompt must have what the rubric shows.
fn check_contents(rubric: &Rubric, prompts: &[Prompt]) -> Result<(), String> {
    let (photoless, textless): (Vec<&Prompt>, Vec<&Prompt>) = (
        prompts.iter().filter(|prompt| prompt.images.is_empty()).collect(),
        prompts.iter().filter(|prompt| prompt.text().is_none()).collect(),
    );
    let name = rubric.name();
    if (rubric.shows_photo() || rubric.needs_photo()) && !photoless.is_empty() {
        return Err(format!(
            "the rubric {name:?} shows the photo that objects were made from, and {} no `image`; give one, or choose a rubric for texts, such as pairwise",
            named(&photoless)
        ));
    }
    if !rubric.quotes_prompt() || textless.is_empty() {
        return Ok(());
    }
    // Among photos without texts, a prompt without a photo is the slip.
    if !photoless.is_empty() && textless.len() + photoless.len() == prompts.len() {
        return Err(format!(
            "no rubric asks about photos and texts: {} no `image`, and {} no `text`; give the missing ones",
            named(&photoless),
            named(&textless)
        ));
    }
    Err(format!(
        "the rubric {name:?} quotes the text that objects were made from, and {} none; give `text`, or choose a rubric for photos: pairwise-image, match-image or reconstruction",
        named(&textless)
    ))
}

/// The first ids as the subject of a sentence.
fn named(prompts: &[&Prompt]) -> String {
    const IDS_MAX: usize = 5;
    let ids: Vec<String> =
        prompts.iter().take(IDS_MAX).map(|prompt| format!("{:?}", prompt.id)).collect();
    match prompts.len() {
        1 => format!("prompt {} has", ids[0]),
        count if count > IDS_MAX => format!("{count} prompts ({}, …) have", ids.join(", ")),
        _ => format!("prompts {} have", ids.join(", ")),
    }
}

pub(super) fn check_rubrics(rubrics: &[PlannedRubric], num_methods: usize) -> Result<(), String> {
    let has_pairs = |r: &PlannedRubric| r.rubric.is_of_pairs();
    if rubrics.iter().any(has_pairs) && num_methods < 2 {
        return Err(format!(
            "a pair needs two generators, but there is {num_methods}; add a [[generators]] entry, or use a one-object rubric"
        ));
    }
    let named: BTreeSet<&str> = rubrics.iter().map(|r| r.rubric.name()).collect();
    if named.len() < rubrics.len() || rubrics.is_empty() {
        return Err("`rubrics` must have at least one entry and no duplicates".to_owned());
    }
    Ok(())
}
