//! An audit's plan → work for a session: pairs of a clean object and a damaged one, or scenes one by one.

use super::notes::Notes;
use super::photo::photo;
use super::plan::{AuditPlan, CLEAN, CleanObject, LOOKS, SAME, method};
use crate::ask::{
    AskError, Drawing, FittedExamples, Photo, Planner, Progress, QuestionError, QuestionTemplate,
    Session, Shown, Subject, Work, draw_all,
};
use crate::damage::{DamageKind, damage, damage_case};
use crate::judge::{Asset, Specimen};
use crate::objects::scenes::Case;
use crate::render::ProtocolRecord;
use crate::rubric::Rubric;
use crate::scene::Scene;
use serde_json::json;
use std::cell::OnceCell;
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

/// Asks everything that the plan names, shown on one sheet. `notes` receives the amount of damage to each object, and the pairs that cannot
/// be made.
///
/// # Errors
/// A store that fails, a question that cannot be composed. Answers are kept.
pub(super) fn ask_about(
    session: &mut Session<'_>,
    plan: &AuditPlan,
    rubric: &Arc<Rubric>,
    sheet: &AuditSheet,
    notes: &Notes,
    progress: impl FnMut(&Progress),
) -> Result<(), AskError> {
    let planner = session.planner();
    let num_requests = plan.num_questions() as u64 * planner.num_requests_per_question();
    let producer = Producer { plan, rubric, sheet, planner: &planner, notes };
    session.ask(producer.work(), num_requests, progress)
}

/// A kind of damage and its level; none for no damage.
type Trial = Option<(&'static DamageKind, f32)>;

struct Producer<'a> {
    plan: &'a AuditPlan,
    rubric: &'a Arc<Rubric>,
    sheet: &'a AuditSheet,
    planner: &'a Planner<'a>,
    notes: &'a Notes,
}

/// A clean object, made and drawn when it is first needed.
struct Object<'a> {
    subject: &'a CleanObject,
    hash: String,
    scene: OnceCell<Scene>,
    photo: OnceCell<Photo>,
    shown: OnceCell<Shown>,
}

impl<'a> Object<'a> {
    fn new(subject: &'a CleanObject) -> Self {
        Self {
            subject,
            hash: hash_of(subject),
            scene: OnceCell::new(),
            photo: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    fn scene(&self) -> &Scene {
        self.scene.get_or_init(|| self.subject.scene())
    }

    /// None in an audit without photos.
    fn photo(&self, plan: &AuditPlan) -> Result<Option<&Photo>, QuestionError> {
        if plan.has_photos && self.photo.get().is_none() {
            let made = photo(self.scene(), &self.subject.name(), plan.seed);
            let made = made.map_err(|e| failed(e.to_string()))?;
            let _ = self.photo.set(made);
        }
        Ok(self.photo.get())
    }
}

impl<'a> Producer<'a> {
    /// Scene by scene, then object by object, so that a clean one is drawn once.
    fn work(&self) -> impl Iterator<Item = Result<Work, QuestionError>> + Send + '_ {
        let cases = self.plan.cases.iter().flat_map(|case| {
            let kinds = self
                .plan
                .kinds
                .iter()
                .copied()
                .filter(|kind| kind.category() == Some(case.category));
            let trials = std::iter::once(None).chain(kinds.flat_map(|kind| self.levels_of(kind)));
            trials.flat_map(|trial| match self.case(case, trial) {
                Ok(work) => work.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
        });
        let objects = &self.plan.objects;
        let pairs = objects.iter().enumerate().flat_map(move |(i, subject)| {
            let object = Object::new(subject);
            let looks = if self.plan.looks() {
                self.looks(&object, &Object::new(&objects[(i + 1) % objects.len()]))
            } else {
                Vec::new()
            };
            let kinds = self.plan.kinds.iter().copied();
            // Nothing is done first, then every kind at every level.
            let trials = std::iter::once(None).chain(kinds.flat_map(|kind| self.levels_of(kind)));
            let trials = trials.flat_map(move |trial| self.pair(&object, trial));
            looks.into_iter().chain(trials)
        });
        cases.chain(pairs.map(Ok))
    }

    fn levels_of(&self, kind: &'static DamageKind) -> impl Iterator<Item = Trial> + '_ {
        self.plan.levels.iter().map(move |level| Some((kind, *level)))
    }

    /// An object against another, with the photo of either: a judge that looks changes its mind on the match with the photo.
    fn looks(&self, object: &Object<'_>, other: &Object<'_>) -> Vec<Work> {
        let asked = |name: &str, of: &Object<'_>| {
            let clean = asset(object.subject, CLEAN, &object.hash);
            let second = Asset { hash: other.hash.clone(), ..asset(object.subject, name, "") };
            let template = QuestionTemplate {
                prompt: Some(object.subject.prompt()),
                photo: of.photo(self.plan)?,
                what: format!("{} against {}", object.subject.name(), other.subject.name()),
                ..self.template()
            };
            self.planner.pair(&template, [&clean, &second], || {
                let shown =
                    |asset: &Asset, of: &Object<'_>| self.shown(asset.clone(), of.scene().clone());
                Ok::<_, QuestionError>([shown(&clean, object)?, shown(&second, other)?])
            })
        };
        LOOKS
            .into_iter()
            .zip([object, other])
            .flat_map(|(name, of)| self.or_left_out(object, asked(name, of)))
            .collect()
    }

    fn or_left_out(
        &self,
        object: &Object<'_>,
        work: Result<Vec<Work>, QuestionError>,
    ) -> Vec<Work> {
        work.unwrap_or_else(|reason| {
            let name = object.subject.name();
            self.notes.left_out(format!("{name}: {reason}"));
            vec![Work::Fewer(2 * self.planner.num_requests_per_question())]
        })
    }

    /// Clean against damaged. A pair that cannot be made is left out and noted.
    fn pair(&self, object: &Object<'_>, trial: Trial) -> Vec<Work> {
        let subject = object.subject;
        let name = trial.map_or(SAME.to_owned(), |(kind, level)| method(kind, level));
        let other_hash = match trial {
            None => object.hash.clone(),
            // A kind's work may change between versions, and with it the picture.
            Some((kind, level)) => keyed(&json!([
                "damage 1",
                env!("CARGO_PKG_VERSION"),
                object.hash,
                kind.name,
                level,
                self.plan.seed,
            ])),
        };
        let clean = asset(subject, CLEAN, &object.hash);
        let other = asset(subject, &name, &other_hash);
        let photo = match object.photo(self.plan) {
            Ok(photo) => photo,
            Err(error) => return self.or_left_out(object, Err(error)),
        };
        let template = QuestionTemplate {
            prompt: Some(subject.prompt()),
            photo,
            what: format!("{}: clean against {name}", subject.name()),
            ..self.template()
        };
        let work = self.planner.pair(&template, [&clean, &other], || {
            let scene = object.scene();
            let shown = match object.shown.get() {
                Some(shown) => shown.clone(),
                None => {
                    let shown = self.shown(clean.clone(), scene.clone())?;
                    object.shown.get_or_init(|| shown).clone()
                }
            };
            let other = match trial {
                None => Shown { asset: other.clone(), ..shown.clone() },
                Some((kind, level)) => {
                    let damaged = damage(scene, kind, level, self.plan.seed);
                    let damaged = damaged.map_err(|e| failed(format!("{name}: {e}")))?;
                    self.notes.amount(&name, &subject.name(), damaged.amount);
                    self.shown(other.clone(), damaged.scene)?
                }
            };
            Ok::<_, QuestionError>([shown, other])
        });
        self.or_left_out(object, work)
    }

    /// A scene with its own prompt, or changed so that the prompt is no longer true.
    fn case(&self, case: &'static Case, trial: Trial) -> Result<Vec<Work>, QuestionError> {
        let name = trial.map_or(CLEAN.to_owned(), |(kind, level)| method(kind, level));
        let hash =
            keyed(&json!(["case 1", env!("CARGO_PKG_VERSION"), case.name, name, self.plan.seed,]));
        let asset = Asset { path: case.name.to_owned(), hash, method: name.clone() };
        let template = QuestionTemplate {
            category: Some(case.category),
            prompt: Some(case.prompt),
            photo: None,
            what: format!("{}: {name}", case.name),
            ..self.template()
        };
        let examples = FittedExamples::default();
        self.planner.single(&template, &examples, &asset, Subject::Category, || {
            let scene = match trial {
                None => case.layout().make(),
                Some((kind, level)) => {
                    let damaged = damage_case(case, kind, level, self.plan.seed);
                    let damaged = damaged.map_err(|e| failed(e.to_string()))?;
                    self.notes.amount(&name, case.name, damaged.amount);
                    damaged.scene
                }
            };
            self.shown(asset.clone(), scene)
        })
    }

    fn template(&self) -> QuestionTemplate<'a> {
        QuestionTemplate {
            rubric: self.rubric,
            category: None,
            prompt: None,
            photo: None,
            drawings: &self.sheet.drawings,
            protocol: self.sheet.protocol.clone(),
            what: String::new(),
        }
    }

    fn shown(&self, asset: Asset, scene: Scene) -> Result<Shown, QuestionError> {
        let frames = draw_all(&scene, &self.sheet.drawings);
        Ok(Shown {
            asset,
            frames: frames.map_err(|e| failed(e.to_string()))?,
            specimen: Some(Arc::new(Specimen::new(scene))),
        })
    }
}

fn failed(reason: String) -> QuestionError {
    QuestionError::Asset { reason }
}

fn asset(subject: &CleanObject, method: &str, hash: &str) -> Asset {
    Asset { path: subject.name(), hash: hash.to_owned(), method: method.to_owned() }
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
