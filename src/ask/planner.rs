//! Which questions are still to be asked: assets and a template → work for a session. What was answered before is recognised by its
//! plan key, before anything is drawn.

use super::error::QuestionError;
use super::photo::Photo;
use super::picture_limits::{PictureLimits, judges_by_limits};
use super::pictures::{PictureComposer, Shared};
use super::question::{Composer, Drawn, QuestionTemplate, Shown};
use super::work::{Unit, Work};
use crate::judge::{Asset, Judge, Picture, Question};
use crate::render::Image;
use crate::rubric::{Example, Order};
use crate::store::PlanKeys;
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
    /// Plan keys that were handed out: two seeds or prompts that lead to equal assets and text are asked once.
    handed_out: Mutex<HashSet<String>>,
}

/// Worked examples, at the picture sizes of each group of judges.
#[derive(Debug, Clone, Default)]
pub struct FittedExamples {
    by_group: Vec<Vec<Example>>,
    hashes: Vec<String>,
    /// As runs hashed them that were asked before plan keys of version 3.
    hashes_before: Vec<String>,
}

/// What a one-object rubric is asked about.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// An object against the photo that it was made from.
    Reconstruction(&'a Photo),
    /// An object's pictures against its prompt.
    Category,
    /// A picture that was made elsewhere, against its prompt.
    GivenPicture(&'a Picture, &'a Arc<Image>),
}

impl<'a> Planner<'a> {
    /// `fit_px` limits the longer side of a pair's sheet; `answered` maps plan keys of requests with a verdict to their ids.
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
        }
    }

    /// The picture limits of each group of judges, in the order of [`ComposedPictures`](super::ComposedPictures).
    pub fn limits(&self) -> Vec<PictureLimits> {
        self.groups.iter().map(|(limits, _)| *limits).collect()
    }

    /// How often each question is asked: once a judge and sample.
    pub fn num_requests_per_question(&self) -> u64 {
        self.judges.len() as u64 * u64::from(self.samples)
    }

    /// Worked examples at the sizes that these judges see.
    ///
    /// # Errors
    /// A picture that cannot be decoded.
    pub fn fit_examples(&self, examples: &[Example]) -> Result<FittedExamples, QuestionError> {
        let fit = |(limits, _): &(PictureLimits, Vec<usize>)| limits.fitted_examples(examples);
        Ok(FittedExamples {
            by_group: self.groups.iter().map(fit).collect::<Result<_, _>>()?,
            hashes: examples.iter().map(example_hash).collect(),
            hashes_before: examples.iter().map(example_hash_before).collect(),
        })
    }

    /// Both orders of a pair, for each group of judges that has not answered them. `draw` is called when the first question has to be
    /// composed.
    ///
    /// # Errors
    /// What `draw` fails with; [`QuestionError`].
    pub fn pair<E: From<QuestionError>, D: Into<Drawn<[Shown; 2]>>>(
        &self,
        template: &QuestionTemplate<'_>,
        [a, b]: [&Asset; 2],
        draw: impl FnOnce() -> Result<D, E>,
    ) -> Result<Vec<Work>, E> {
        let key = |limits: &PictureLimits| vec![pair_key(template, [a, b], limits)];
        self.plan(
            template,
            &FittedExamples::default(),
            &Order::BOTH,
            key,
            draw,
            |composer, shown| composer.pair(shown),
        )
    }

    /// One question about a single object or picture, for each group of judges that has not answered it. `draw` is called when the first
    /// has to be composed.
    ///
    /// # Errors
    /// What `draw` fails with; [`QuestionError`].
    pub fn single<E: From<QuestionError>, D: Into<Drawn<Shown>>>(
        &self,
        template: &QuestionTemplate<'_>,
        examples: &FittedExamples,
        asset: &Asset,
        subject: Subject<'_>,
        draw: impl FnOnce() -> Result<D, E>,
    ) -> Result<Vec<Work>, E> {
        let photo = match subject {
            Subject::Reconstruction(photo) => Some(photo.hashes()),
            Subject::Category | Subject::GivenPicture(..) => None,
        };
        let key = |limits: &PictureLimits| {
            vec![
                one_key("one 3", template, asset, &photo, &examples.hashes, limits),
                one_key("one 2", template, asset, &photo, &examples.hashes_before, limits),
            ]
        };
        self.plan(template, examples, &[Order::AsListed], key, draw, |composer, shown| {
            Ok(vec![match subject {
                Subject::Reconstruction(photo) => composer.reconstruction(shown, photo)?,
                Subject::Category => composer.category(shown, None)?,
                Subject::GivenPicture(picture, image) => {
                    composer.category(shown, Some((picture, image)))?
                }
            }])
        })
    }

    fn plan<S, D: Into<Drawn<S>>, E: From<QuestionError>>(
        &self,
        template: &QuestionTemplate<'_>,
        examples: &FittedExamples,
        orders: &[Order],
        keys: impl Fn(&PictureLimits) -> Vec<String>,
        draw: impl FnOnce() -> Result<D, E>,
        compose: impl Fn(&Composer<'_>, &S) -> Result<Vec<Arc<Question>>, QuestionError>,
    ) -> Result<Vec<Work>, E> {
        let mut draw = Some(draw);
        let mut drawn: Option<Drawn<S>> = None;
        let mut works = Vec::new();
        let shared = Shared::default();
        for (group, (limits, judges)) in self.groups.iter().enumerate() {
            // The key of today first, then those that older versions gave the same question.
            let keys = keys(limits);
            let answered = |key: &String| self.answered_before(key, orders, judges);
            if let Some(ids) = keys.iter().find_map(answered) {
                works.push(Work::Answered(ids));
                continue;
            }
            let plan_key = keys[0].clone();
            if self.handed_out().contains(&plan_key) {
                let requests = orders.len() * judges.len();
                works.push(Work::Fewer(requests as u64 * u64::from(self.samples)));
                continue;
            }
            if let Some(draw) = draw.take() {
                drawn = Some(draw()?.into());
            }
            let drawn = drawn.as_ref().expect("drawn at the first question");
            let composed = drawn.composed.as_ref();
            let composer = Composer {
                template,
                pictures: PictureComposer {
                    rubric: template.rubric,
                    drawings: template.drawings,
                    limits: *limits,
                    photo: template.photo,
                    shared: &shared,
                },
                examples: examples.by_group.get(group).map_or(&[], Vec::as_slice),
                plan_key: plan_key.clone(),
                composed: composed.and_then(|all| all.0.get(group)).map(Vec::as_slice),
            };
            self.handed_out().insert(plan_key);
            works.push(Work::Ask(Unit {
                questions: compose(&composer, &drawn.shown)?,
                what: template.what.clone(),
                judges: Some(judges.clone()),
            }));
        }
        Ok(works)
    }

    fn handed_out(&self) -> MutexGuard<'_, HashSet<String>> {
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

fn pair_key(
    template: &QuestionTemplate<'_>,
    [a, b]: [&Asset; 2],
    limits: &PictureLimits,
) -> String {
    let key = (
        template.rubric.hash(),
        template.prompt,
        [&a.hash, &a.method],
        [&b.hash, &b.method],
        template.protocol.as_ref().map(|p| p.hash.as_str()),
        limits.fit_px,
        json!(limits.rule),
    );
    match template.photo {
        None => {
            let (rubric, prompt, a, b, protocol, fit_px, rule) = key;
            keyed(&("pair 2", rubric, prompt, a, b, protocol, fit_px, rule))
        }
        Some(photo) => keyed(&("photo pair 2", photo.key(), key)),
    }
}

fn one_key(
    version: &str,
    template: &QuestionTemplate<'_>,
    asset: &Asset,
    photo: &impl Serialize,
    examples: &[String],
    limits: &PictureLimits,
) -> String {
    keyed(&(
        version,
        template.rubric.hash(),
        template.category,
        template.prompt,
        [&asset.hash, &asset.method],
        template.protocol.as_ref().map(|p| p.hash.as_str()),
        photo,
        examples,
        json!(limits.rule),
    ))
}

fn example_hash(example: &Example) -> String {
    let Example { pictures, answer } = example;
    let pictures = pictures.iter().map(|p| (p.hash.as_str(), p.media_type));
    keyed(&("example 1", pictures.collect::<Vec<_>>(), answer))
}

/// What `{:?}` made of an example when that was hashed, written out so that it no longer depends on the types.
fn example_hash_before(example: &Example) -> String {
    let picture = |p: &Picture| {
        format!(
            "Picture {{ bytes: {:?}, media_type: {:?}, hash: {:?}, width_px: {}, height_px: {} }}",
            &p.bytes[..],
            p.media_type,
            p.hash,
            p.width_px,
            p.height_px
        )
    };
    let pictures: Vec<String> = example.pictures.iter().map(picture).collect();
    let text =
        format!("Example {{ pictures: [{}], answer: {:?} }}", pictures.join(", "), example.answer);
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// BLAKE3 of a list of texts and numbers as JSON.
fn keyed(list: &impl Serialize) -> String {
    let text = serde_json::to_vec(list).expect("texts and numbers are JSON");
    blake3::hash(&text).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::Rubric;

    fn hash(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Runs are recognised by these: a change makes everybody pay again, unless the old key is looked up as well.
    #[test]
    fn keys_of_stored_questions_stay() {
        let rubric = Arc::new(Rubric::open("pairwise").unwrap());
        let template = QuestionTemplate {
            rubric: &rubric,
            category: None,
            prompt: Some("a chair"),
            photo: None,
            drawings: &[],
            protocol: None,
            what: String::new(),
        };
        let asset =
            |name: &str| Asset { path: String::new(), hash: hash(name), method: name.to_owned() };
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
        let before = r#"Example { pictures: [Picture { bytes: [1, 2], media_type: "image/png", hash: "ab", width_px: 3, height_px: 4 }], answer: "a \"chair\"" }"#;
        assert_eq!(example_hash_before(&example), hash(before));
        assert_eq!(
            example_hash(&example),
            hash(r#"["example 1",[["ab","image/png"]],"a \"chair\""]"#)
        );
        let (a, b, rubric) = (hash("a"), hash("b"), rubric.hash());
        let pair =
            format!(r#"["pair 2","{rubric}","a chair",["{a}","a"],["{b}","b"],null,64,null]"#);
        let (a, b) = (asset("a"), asset("b"));
        assert_eq!(pair_key(&template, [&a, &b], &limits), hash(&pair));
        let photo = Some(["photo", "mask"]);
        let one = format!(
            r#"["one 3","{rubric}",null,"a chair",["{}","a"],null,["photo","mask"],["x"],null]"#,
            a.hash
        );
        let examples = ["x".to_owned()];
        assert_eq!(one_key("one 3", &template, &a, &photo, &examples, &limits), hash(&one));
    }
}
