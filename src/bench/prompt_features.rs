//! The features that a checklist has for each prompt: listed by one call, kept in the run like any
//! answer, and read from there by later calls.

use super::observer::Observer;
use super::plan::Plan;
use crate::ask::{Case, Planner, Progress, Session, Side, Source, Studio, Template, Work};
use crate::error::Error;
use crate::judge::{Asset, Judge};
use crate::rubric::{Rubric, Verdict, feature_list};
use crate::store::Request;
use std::collections::HashMap;
use std::sync::Arc;

/// Who lists features: the first judge that reads, and its place.
pub(super) fn lister_of(judges: &[Judge]) -> Option<(usize, &Judge)> {
    judges.iter().enumerate().find(|(_, judge)| !matches!(judge, Judge::Probe))
}

/// Asks for the features of each prompt that has none in the run; those of all prompts, by id.
/// Prompts without are named.
///
/// # Errors
/// [`Error`]. Lists that came before are kept in the run.
pub(super) fn list_features(
    session: &mut Session<'_>,
    judges: &[Judge],
    plan: &Plan,
    lister: &Rubric,
    observer: &dyn Observer,
) -> Result<HashMap<String, String>, Error> {
    let Some((place, judge)) = lister_of(judges) else {
        observer.fail("the checklist of features needs a judge that reads prompts, and the probe reads none; nothing is asked about it");
        return Ok(HashMap::new());
    };
    let answered = session.store().answered_as_planned()?;
    let planner = Planner::new(std::slice::from_ref(judge), 1, None, answered);
    let drawings = vec![None; lister.pictures().len()];
    let template = Arc::new(Template::new(Arc::new(lister.clone()), drawings, &plan.load));
    // Of each prompt, which may be like another one; of each question, its record.
    let (mut keys, mut ids) = (Vec::new(), HashMap::new());
    let mut studio = Studio::default();
    let mut work = |prompt| -> Result<Vec<Work>, Error> {
        let case = case(plan, prompt, &template)?;
        let key = case.sides[0].asset.hash.clone();
        keys.push((prompt.id.as_str(), key.clone()));
        let mut planned = planner.work(&case, &mut studio)?;
        for work in &mut planned {
            match work {
                Work::Ask(unit) => {
                    (unit.judges, unit.is_once) = (Some(vec![place]), true);
                    ids.insert(key.clone(), Request::new(&unit.questions[0], judge, 0).id);
                }
                Work::Answered(known) => {
                    ids.extend(known.first().map(|id| (key.clone(), id.clone())));
                }
                _ => {}
            }
        }
        Ok(planned)
    };
    let planned = plan.prompts.iter().flat_map(|prompt| match work(prompt) {
        Ok(work) => work.into_iter().map(Ok).collect(),
        Err(error) => vec![Err(error)],
    });
    let num_requests = plan.prompts.len() as u64;
    session.ask(planned, num_requests, |progress: &Progress| observer.progress(progress, 0, 0))?;
    let (mut found, mut without) = (HashMap::new(), Vec::new());
    for (prompt, key) in keys {
        let record = ids.get(&key).map(|id| session.store().record(id)).transpose()?.flatten();
        match record.as_ref().and_then(|record| record.verdict()) {
            Some(Verdict::Category { aspects, .. }) => {
                found.insert(prompt.to_owned(), feature_list(aspects.keys().map(String::as_str)));
            }
            _ => without.push(prompt),
        }
    }
    if let Some(first) = without.first() {
        observer.warn(&format!(
            "{} of the prompts ({first:?} is the first) have no list of features, so their assets are not asked about; run the command again to ask for the lists",
            without.len()
        ));
    }
    Ok(found)
}

fn case(
    plan: &Plan,
    prompt: &super::prompt::Prompt,
    template: &Arc<Template>,
) -> Result<Case, Error> {
    let photo = match template.rubric.shows_photo() {
        true => plan.photos.cut_out(prompt)?,
        false => None,
    };
    let text = prompt.text().map(str::to_owned);
    let shown = format!("{:?}", (&text, photo.as_ref().map(|photo| photo.key())));
    let hash = blake3::hash(shown.as_bytes()).to_hex().to_string();
    let asset = Asset { path: String::new(), hash, method: String::new() };
    Ok(Case {
        template: Arc::clone(template),
        category: None,
        prompt: text,
        photo,
        sides: vec![Side { asset, source: Source::Prompt }],
        what: format!("the features of {:?}", prompt.id),
    })
}
