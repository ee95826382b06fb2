//! An audit's plan → cases, object by object: pairs of a clean object and a damaged one, each of
//! them with a photo, or scenes one by one.

use super::amounts::Amounts;
use super::photo::photo;
use super::plan::{AuditPlan, CLEAN, CleanObject, LOOKS, SAME, method};
use crate::ask::{
    Case, Drawing, Photo, Planner, Progress, Session, Side, Source, Studio, Template, Work,
};
use crate::damage::DamageKind;
use crate::error::Error;
use crate::judge::Asset;
use crate::objects::scenes;
use crate::render::ProtocolRecord;
use crate::rubric::Rubric;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;

/// One layout in which all questions of an audit are shown.
#[derive(Debug, Clone)]
pub struct AuditSheet {
    /// For tables: `4 views of 512 px, rgb + normal`.
    pub label: String,
    /// For each picture of the rubric, how it is drawn.
    pub drawings: Vec<Option<Drawing>>,
    /// The record of that. Its hash distinguishes the records of several sheets.
    pub protocol: Option<Arc<ProtocolRecord>>,
}

impl AuditSheet {
    /// Hash of the protocol; empty where nothing is drawn.
    pub fn protocol_hash(&self) -> String {
        let protocol = self.protocol.as_ref();
        protocol.map(|p| p.hash.clone()).unwrap_or_default()
    }
}

/// What asking about one sheet found out in addition to the answers.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub amounts: Amounts,
    /// Pairs that cannot be made, with the reason.
    pub left_out: Vec<String>,
}

/// Asks everything that the plan names, shown on one sheet.
///
/// # Errors
/// A store that fails, a question that cannot be composed. Answers are kept.
pub(super) fn ask_about(
    session: &mut Session<'_>,
    plan: &AuditPlan,
    rubric: &Arc<Rubric>,
    sheet: &AuditSheet,
    progress: impl FnMut(&Progress),
) -> Result<Notes, Error> {
    let planner = session.planner();
    let num_requests = plan.num_questions() as u64 * planner.num_requests_per_question();
    let mut producer = Producer {
        plan,
        template: Arc::new(Template {
            rubric: Arc::clone(rubric),
            examples: Vec::new(),
            drawings: sheet.drawings.clone(),
            protocol: sheet.protocol.clone(),
        }),
        planner: &planner,
        // The clean object and the one next to it.
        studio: Studio::new(0),
        num_listed: 0,
        cases: VecDeque::new(),
        ready: VecDeque::new(),
        notes: Notes::default(),
    };
    session.ask(&mut producer, num_requests, progress)?;
    Ok(producer.notes)
}

/// A kind of damage and its level; none for no damage.
type Trial = Option<(&'static DamageKind, f32)>;

/// The photo of a clean object, none in an audit without photos; or why there is none.
type PhotoOf = Result<Option<Arc<Photo>>, String>;

/// Lists the cases of one scene or object after the other, so that memory holds one list, and a
/// clean object is drawn once.
struct Producer<'a> {
    plan: &'a AuditPlan,
    template: Arc<Template>,
    planner: &'a Planner<'a>,
    studio: Studio,
    /// Scenes, then objects, whose cases were listed.
    num_listed: usize,
    cases: VecDeque<Case>,
    ready: VecDeque<Work>,
    notes: Notes,
}

impl Iterator for Producer<'_> {
    type Item = Result<Work, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(work) = self.ready.pop_front() {
                return Some(Ok(work));
            }
            let Some(case) = self.cases.pop_front() else {
                self.list_next()?;
                continue;
            };
            let worked = self.planner.work(&case, &mut self.studio);
            for (asset, amount) in self.studio.take_amounts() {
                self.notes.amounts.set(&asset.method, &asset.path, amount);
            }
            match worked {
                Ok(work) => self.ready.extend(work),
                Err(reason) if case.category.is_none() => {
                    self.leave_out(&case.sides[0].asset.path, &reason.to_string());
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Producer<'_> {
    /// Lists the cases of the next scene or object; none after the last.
    fn list_next(&mut self) -> Option<()> {
        let (plan, i) = (self.plan, self.num_listed);
        self.num_listed += 1;
        if let Some(scene) = plan.cases.get(i) {
            let is_for = |kind: &&DamageKind| kind.category() == Some(scene.category);
            for trial in trials(plan, is_for) {
                self.list_scene(scene, trial);
            }
            return Some(());
        }
        let i = i - plan.cases.len();
        let object = plan.objects.get(i)?;
        let clean = Arc::new(clean(object));
        let photo = self.photo(object, &clean);
        if plan.looks() {
            self.list_looks(object, &clean, &photo, &plan.objects[(i + 1) % plan.objects.len()]);
        }
        let other = plan.kinds.iter().filter(|kind| !object.takes(kind)).count();
        if other > 0 {
            let what = if other == 1 { "1 kind".to_owned() } else { format!("{other} kinds") };
            let reason = format!("{}: {what} of damage for other assets", object.name());
            self.notes.left_out.push(reason);
        }
        for trial in trials(plan, |kind| object.takes(kind)) {
            self.list_trial(object, &clean, &photo, trial);
        }
        Some(())
    }

    /// An object against another, with the photo of either: a judge that looks changes its mind on
    /// the match with the photo.
    fn list_looks(
        &mut self,
        object: &CleanObject,
        clean_one: &Arc<Side>,
        photo: &PhotoOf,
        other: &CleanObject,
    ) {
        let Side { asset, source } = clean(other);
        let photo_of_other = self.photo(other, &clean(other));
        if self.plan.is_scored {
            let mut only = Side::clone(clean_one);
            only.asset.method = LOOKS[1].to_owned();
            let what = format!("{} with the photo of {}", object.name(), other.name());
            return self.list_case(object, vec![only], &photo_of_other, what);
        }
        for (name, photo) in LOOKS.into_iter().zip([photo, &photo_of_other]) {
            let asset = Asset { path: object.name(), method: name.to_owned(), ..asset.clone() };
            let what = format!("{} against {}", object.name(), other.name());
            let second = Side { asset, source: source.clone() };
            self.list_case(object, vec![Side::clone(clean_one), second], photo, what);
        }
    }

    /// Clean against damaged, or against itself; the second one by itself where objects are scored.
    fn list_trial(
        &mut self,
        object: &CleanObject,
        clean: &Arc<Side>,
        photo: &PhotoOf,
        trial: Trial,
    ) {
        let mut second = Side::clone(clean);
        second.asset.method = trial.map_or(SAME.to_owned(), |(kind, level)| method(kind, level));
        if let Some((kind, level)) = trial {
            let seed = self.plan.seed;
            // A kind's work may change between versions, and with it the picture.
            let version = env!("CARGO_PKG_VERSION");
            let hash = &clean.asset.hash;
            second.asset.hash = keyed(&json!(["damage 1", version, hash, kind.name, level, seed]));
            second.source = Source::Damaged { of: Arc::clone(clean), kind, level, seed };
        }
        if self.plan.is_scored {
            if trial.is_none() {
                second.asset.method = CLEAN.to_owned();
            }
            let what = format!("{}: {}", object.name(), second.asset.method);
            return self.list_case(object, vec![second], photo, what);
        }
        let what = format!("{}: clean against {}", object.name(), second.asset.method);
        self.list_case(object, vec![Side::clone(clean), second], photo, what);
    }

    fn list_case(&mut self, object: &CleanObject, sides: Vec<Side>, photo: &PhotoOf, what: String) {
        let photo = match photo {
            Ok(photo) => photo.clone(),
            Err(reason) => return self.leave_out(&object.name(), reason),
        };
        self.cases.push_back(Case {
            template: Arc::clone(&self.template),
            category: None,
            prompt: Some(object.prompt().to_owned()),
            photo,
            sides,
            what,
        });
    }

    /// A scene with its own prompt, or changed so that the prompt is no longer true.
    fn list_scene(&mut self, scene: &'static scenes::Case, trial: Trial) {
        let name = trial.map_or(CLEAN.to_owned(), |(kind, level)| method(kind, level));
        let (version, seed) = (env!("CARGO_PKG_VERSION"), self.plan.seed);
        let side = |name: &str, source: Source| {
            let hash = keyed(&json!(["case 1", version, scene.name, name, seed]));
            let asset = Asset { path: scene.name.to_owned(), hash, method: name.to_owned() };
            Side { asset, source }
        };
        let clean = Source::Scene(scene);
        let source = match trial {
            None => clean,
            Some((kind, level)) => {
                let of = Arc::new(side(CLEAN, clean));
                Source::Damaged { of, kind, level, seed }
            }
        };
        self.cases.push_back(Case {
            template: Arc::clone(&self.template),
            category: Some(scene.category.to_owned()),
            prompt: Some(scene.prompt.to_owned()),
            photo: None,
            what: format!("{}: {name}", scene.name),
            sides: vec![side(&name, source)],
        });
    }

    fn photo(&mut self, object: &CleanObject, clean: &Side) -> PhotoOf {
        if !self.plan.has_photos {
            return Ok(None);
        }
        let specimen = self.studio.specimen(clean)?;
        let made =
            photo(specimen.asset(), &object.name(), self.plan.seed).map_err(|e| e.to_string())?;
        Ok(Some(Arc::new(made)))
    }

    fn leave_out(&mut self, object: &str, reason: &str) {
        self.notes.left_out.push(format!("{object}: {reason}"));
        let orders = if self.plan.is_scored { 1 } else { 2 };
        self.ready.push_back(Work::Fewer(orders * self.planner.num_requests_per_question()));
    }
}

/// Nothing is done first, then every kind at every level.
fn trials(plan: &AuditPlan, is_for: impl Fn(&&DamageKind) -> bool) -> Vec<Trial> {
    let kinds = plan.kinds.iter().copied().filter(|kind| is_for(kind));
    let damaged = kinds.flat_map(|kind| plan.levels.iter().map(move |&level| Some((kind, level))));
    std::iter::once(None).chain(damaged).collect()
}

pub(super) fn clean(object: &CleanObject) -> Side {
    let asset = Asset { path: object.name(), hash: hash_of(object), method: CLEAN.to_owned() };
    Side { asset, source: object.source() }
}

/// Our objects are identified by name and version, the user's by content.
fn hash_of(subject: &CleanObject) -> String {
    match subject {
        CleanObject::Own(base) => keyed(&json!(["base", env!("CARGO_PKG_VERSION"), base.name])),
        CleanObject::Assembled(object) => {
            keyed(&json!(["assembled", env!("CARGO_PKG_VERSION"), object.name()]))
        }
        CleanObject::File { hash, .. } => hash.clone(),
    }
}

fn keyed(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes()).to_hex().to_string()
}
