//! Cases → work for a session, in phases: find the questions that have no answer yet, draw their
//! assets, compose their pictures. The session then asks. What was answered before is recognised by
//! its plan key, before anything is drawn.

use super::case::{Case, Template};
use super::compose::Composer;
use super::photo::Photo;
use super::picture_limits::{PictureLimits, judges_by_limits};
use super::pictures::{PictureComposer, Shared};
use super::studio::{Drawn, Studio};
use super::work::{Unit, Work};
use crate::error::Error;
use crate::judge::Judge;
use crate::rubric::{Example, Order};
use crate::store::{PlanKeys, Shown};
use serde::Serialize;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which judges are asked, with pictures of which size, and what they answered before.
#[derive(Debug)]
pub struct Planner<'a> {
    judges: &'a [Judge],
    samples: u32,
    /// For each sample, for each judge.
    keys: Vec<Vec<PlanKeys>>,
    /// Each group of judges is shown the same pictures.
    groups: Vec<(PictureLimits, Vec<usize>)>,
    /// Plan keys of requests with a verdict, and their ids.
    answered: HashMap<String, String>,
    /// Group and plan key of what was handed out: two seeds or prompts that lead to equal assets
    /// and text are asked once.
    handed_out: Mutex<HashSet<(usize, String)>>,
    /// Of the templates that have any.
    examples: Mutex<Vec<(Arc<Template>, Arc<FittedExamples>)>>,
}

/// Worked examples, at the picture sizes of each group of judges.
#[derive(Debug, Default)]
struct FittedExamples {
    by_group: Vec<Vec<Example>>,
    hashes: Vec<String>,
}

/// The questions of one case, by group of judges.
#[derive(Debug)]
pub struct Found(Vec<State>);

#[derive(Debug)]
enum State {
    /// There is nothing to ask.
    Known(Work),
    /// To be asked, with this plan key.
    Open(String),
}

impl Found {
    /// Whether any question has to be drawn, composed and asked.
    pub fn is_open(&self) -> bool {
        self.0.iter().any(|state| matches!(state, State::Open(_)))
    }
}

impl<'a> Planner<'a> {
    /// `fit_px` limits the longer side of a pair's sheet; `answered` maps plan keys of requests
    /// with a verdict to their ids.
    pub fn new(
        judges: &'a [Judge],
        samples: u32,
        fit_px: Option<u32>,
        answered: HashMap<String, String>,
    ) -> Self {
        Self {
            judges,
            samples,
            keys: (0..samples)
                .map(|sample| judges.iter().map(|j| PlanKeys::new(j, sample)).collect())
                .collect(),
            groups: judges_by_limits(judges, fit_px),
            answered,
            handed_out: Mutex::default(),
            examples: Mutex::default(),
        }
    }

    /// How often each question is asked: once a judge and sample.
    pub fn num_requests_per_question(&self) -> u64 {
        self.judges.len() as u64 * u64::from(self.samples)
    }

    /// How the questions of a template are shown to the judges.
    pub fn shown(&self, template: &Template) -> Shown {
        let views = self.groups.iter().flat_map(|(limits, judges)| {
            let view_px = limits.view_px(&template.rubric, &template.drawings);
            judges.iter().map(move |&judge| (self.judges[judge].name(), view_px))
        });
        Shown {
            rubric_hash: template.rubric.hash().to_owned(),
            protocol: template.protocol.as_ref().map(|protocol| protocol.hash.clone()),
            view_px: views.collect(),
            quotes_prompt: template.rubric.quotes_prompt(),
            yes: template.rubric.yes(),
        }
    }

    /// All phases for one case: its questions, as far as they have no answer yet.
    ///
    /// # Errors
    /// [`Error`].
    pub fn work(&self, case: &Case, studio: &mut Studio) -> Result<Vec<Work>, Error> {
        let found = self.find(case)?;
        let drawn = if found.is_open() { studio.draw(case)? } else { Drawn::default() };
        self.compose(case, found, &drawn)
    }

    /// The first phase: which groups of judges have not answered.
    ///
    /// # Errors
    /// Pictures of worked examples that cannot be decoded.
    pub fn find(&self, case: &Case) -> Result<Found, Error> {
        self.found(case, false)
    }

    /// The same where verdicts are read by the names of methods, so that either may have been
    /// listed first: both orders were asked.
    ///
    /// # Errors
    /// As of [`find`](Self::find).
    pub fn find_either_first(&self, case: &Case) -> Result<Found, Error> {
        self.found(case, true)
    }

    fn found(&self, case: &Case, is_either_first: bool) -> Result<Found, Error> {
        let examples = self.fitted(&case.template)?;
        let orders = case.orders();
        let states = self.groups.iter().enumerate().map(|(group, (limits, judges))| {
            let key = plan_key(case, &examples, limits);
            let other = is_either_first && !self.answered.is_empty();
            let other = other.then(|| swapped(case)).flatten();
            let other = other.map(|case| plan_key(&case, &examples, limits));
            let mut keys = std::iter::once(&key).chain(&other);
            if let Some(ids) = keys.find_map(|key| self.answered_before(key, orders, judges)) {
                return State::Known(Work::Answered(ids));
            }
            let handed_out = (group, key);
            if self.handed_out().contains(&handed_out) {
                let requests = (orders.len() * judges.len()) as u64 * u64::from(self.samples);
                return State::Known(Work::Fewer(requests));
            }
            State::Open(handed_out.1)
        });
        Ok(Found(states.collect()))
    }

    /// The last phase before asking: the pictures and texts of what was found open. `drawn` has
    /// nothing where nothing was open.
    ///
    /// # Errors
    /// [`Error`].
    pub fn compose(&self, case: &Case, found: Found, drawn: &Drawn) -> Result<Vec<Work>, Error> {
        let Case { template, photo, .. } = case;
        let examples = self.fitted(template)?;
        let shared = Shared::default();
        let each = found.0.into_iter().zip(&self.groups).enumerate();
        let work = each.map(|(group, (state, (limits, judges)))| {
            let plan_key = match state {
                State::Known(work) => return Ok(work),
                State::Open(plan_key) => plan_key,
            };
            let composer = Composer {
                case,
                pictures: PictureComposer {
                    template,
                    limits: *limits,
                    photo: photo.as_deref(),
                    shared: &shared,
                },
                examples: examples.by_group.get(group).map_or(&[], Vec::as_slice),
                plan_key: &plan_key,
                composed: drawn
                    .composed
                    .as_ref()
                    .and_then(|all| all.0.get(group))
                    .map(Vec::as_slice),
            };
            let questions = composer.questions(&drawn.sides)?;
            self.handed_out().insert((group, plan_key));
            let (what, judges) = (case.what.clone(), Some(judges.clone()));
            Ok(Work::Ask(Unit { questions, what, judges, is_once: false }))
        });
        work.collect()
    }

    /// Whether a template's worked examples can be shown; a run can check before it begins.
    ///
    /// # Errors
    /// A picture that cannot be decoded.
    pub fn check_examples(&self, template: &Arc<Template>) -> Result<(), Error> {
        self.fitted(template).map(|_| ())
    }

    /// Worked examples at the sizes that these judges see; made once for each template.
    fn fitted(&self, template: &Arc<Template>) -> Result<Arc<FittedExamples>, Error> {
        let examples = &template.examples;
        if examples.is_empty() {
            return Ok(Arc::default());
        }
        let mut known = self.examples.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, fitted)) = known.iter().find(|(of, _)| Arc::ptr_eq(of, template)) {
            return Ok(Arc::clone(fitted));
        }
        let fit = |(limits, _): &(PictureLimits, Vec<usize>)| limits.fitted_examples(examples);
        let fitted = Arc::new(FittedExamples {
            by_group: self.groups.iter().map(fit).collect::<Result<_, _>>()?,
            hashes: examples.iter().map(example_hash).collect(),
        });
        known.push((Arc::clone(template), Arc::clone(&fitted)));
        Ok(fitted)
    }

    fn handed_out(&self) -> MutexGuard<'_, HashSet<(usize, String)>> {
        self.handed_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ids of all requests that a planned question comes to, if every one has its verdict.
    fn answered_before(
        &self,
        key: &str,
        orders: &[Order],
        judges: &[usize],
    ) -> Option<Vec<String>> {
        if self.answered.is_empty() {
            return None;
        }
        let mut ids = Vec::new();
        for keys in &self.keys {
            for keys in judges.iter().map(|&judge| &keys[judge]) {
                for &order in orders {
                    let id = self.answered.get(&keys.key(key, order))?;
                    ids.push(id.clone());
                }
            }
        }
        Some(ids)
    }
}

/// A pair with its sides exchanged.
fn swapped(case: &Case) -> Option<Case> {
    let is_pair = case.sides.len() == 2;
    is_pair.then(|| Case { sides: case.sides.iter().rev().cloned().collect(), ..case.clone() })
}

/// The plan key of a case for one group of judges.
fn plan_key(case: &Case, examples: &FittedExamples, limits: &PictureLimits) -> String {
    match case.sides.len() {
        2 => pair_key(case, limits),
        _ => one_key(case, &examples.hashes, limits),
    }
}

/// Edge of the smallest view, if `fit_px` reduces it: several limits can give the same pictures.
fn fitted_px(case: &Case, limits: &PictureLimits) -> Option<u32> {
    let Template { rubric, drawings, .. } = &*case.template;
    let fitted = limits.view_px(rubric, drawings);
    let whole = PictureLimits { fit_px: None, ..*limits }.view_px(rubric, drawings);
    fitted.filter(|_| fitted != whole)
}

fn pair_key(case: &Case, limits: &PictureLimits) -> String {
    let fit_px = fitted_px(case, limits);
    let [a, b] = [0, 1].map(|side| &case.sides[side].asset);
    let (rubric, prompt) = (case.template.rubric.hash(), &case.prompt);
    let (a, b) = ([&a.hash, &a.method], [&b.hash, &b.method]);
    let protocol = case.template.protocol.as_ref().map(|p| p.hash.as_str());
    let rule = json!(limits.rule);
    match &case.photo {
        None => keyed(&("pair 3", rubric, prompt, a, b, protocol, fit_px, rule)),
        Some(photo) => {
            let key = (rubric, prompt, a, b, protocol, fit_px, rule);
            keyed(&("photo pair 3", photo.key(), key))
        }
    }
}

fn one_key(case: &Case, examples: &[String], limits: &PictureLimits) -> String {
    let asset = &case.sides[0].asset;
    keyed(&(
        "one 3",
        case.template.rubric.hash(),
        &case.category,
        &case.prompt,
        [&asset.hash, &asset.method],
        case.template.protocol.as_ref().map(|p| p.hash.as_str()),
        case.photo.as_deref().map(Photo::hashes),
        examples,
        json!(limits.rule),
    ))
}

fn example_hash(example: &Example) -> String {
    let Example { pictures, answer } = example;
    let pictures = pictures.iter().map(|p| (p.hash.as_str(), p.media_type));
    keyed(&("example 1", pictures.collect::<Vec<_>>(), answer))
}

/// BLAKE3 of a list of texts and numbers as JSON.
fn keyed(list: &impl Serialize) -> String {
    let text = serde_json::to_vec(list).expect("texts and numbers are JSON");
    blake3::hash(&text).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::super::case::{Side, Source};
    use super::*;
    use crate::judge::{Asset, Picture};
    use crate::load::Options;
    use crate::rubric::Rubric;
    use std::path::PathBuf;

    fn hash(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// These identify questions: a change makes all pay again.
    #[test]
    fn keys_of_stored_questions_stay() {
        let rubric = Arc::new(Rubric::open("pairwise").unwrap());
        let side = |name: &str| Side {
            asset: Asset { path: String::new(), hash: hash(name), method: name.to_owned() },
            source: Source::Views(PathBuf::new()),
        };
        let template = Template {
            protocol: None,
            ..Template::new(Arc::clone(&rubric), Vec::new(), &Options::default())
        };
        let case = |sides: &[&str]| Case {
            template: Arc::new(template.clone()),
            category: None,
            prompt: Some("a chair".to_owned()),
            photo: None,
            sides: sides.iter().map(|name| side(name)).collect(),
            what: String::new(),
        };
        let limits = PictureLimits { fit_px: Some(64), ..PictureLimits::default() };
        let example = Example {
            pictures: vec![Picture {
                bytes: [1, 2].into(),
                media_type: "image/png",
                hash: "ab".to_owned(),
                width_px: 3,
                height_px: 4,
            }],
            answer: "a \"chair\"".to_owned(),
        };
        assert_eq!(
            example_hash(&example),
            hash(r#"["example 1",[["ab","image/png"]],"a \"chair\""]"#)
        );
        let (a, b, rubric) = (hash("a"), hash("b"), rubric.hash());
        let pair = |fit_px: &str| {
            hash(&format!(
                r#"["pair 3","{rubric}","a chair",["{a}","a"],["{b}","b"],null,{fit_px},null]"#
            ))
        };
        // A limit that makes no picture smaller is none.
        let key = plan_key(&case(&["a", "b"]), &FittedExamples::default(), &limits);
        assert_eq!(key, pair("null"));
        let photo = Photo::new(b"photo".to_vec(), Some(b"mask".to_vec()));
        let one = format!(
            r#"["one 3","{rubric}",null,"a chair",["{a}","a"],null,["{}","{}"],["x"],null]"#,
            hash("photo"),
            hash("mask")
        );
        let of_photo = Case { photo: Some(Arc::new(photo)), ..case(&["a"]) };
        assert_eq!(one_key(&of_photo, &["x".to_owned()], &limits), hash(&one));
    }
}
