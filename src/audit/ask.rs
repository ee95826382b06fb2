//! An audit's plan → work for a session: pairs of a clean object and a damaged one, or scenes one by one.

use super::notes::Notes;
use super::plan::{AuditPlan, CLEAN, CleanObject, SAME, method};
use crate::ask::{
    AskError, Drawing, FittedExamples, Planner, Progress, QuestionError, QuestionTemplate, Session,
    Shown, Subject, Work, draw_all,
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
    let producer = Producer {
        plan,
        rubric,
        sheet,
        planner: &planner,
        notes,
    };
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
    shown: Option<Shown>,
}

impl<'a> Producer<'a> {
    /// Scene by scene, then object by object, so that a clean one is drawn once.
    fn work(&self) -> impl Iterator<Item = Result<Work, QuestionError>> + Send + '_ {
        let cases = self.plan.cases.iter().flat_map(|case| {
            let kinds = (self.plan.kinds.iter().copied())
                .filter(|kind| kind.category() == Some(case.category));
            let trials = std::iter::once(None).chain(kinds.flat_map(|kind| self.levels_of(kind)));
            trials.flat_map(|trial| match self.case(case, trial) {
                Ok(work) => work.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
        });
        let pairs = self.plan.objects.iter().flat_map(move |subject| {
            let mut object = Object {
                subject,
                hash: hash_of(subject),
                scene: OnceCell::new(),
                shown: None,
            };
            let kinds = self.plan.kinds.iter().copied();
            // Nothing is done first, then every kind at every level.
            let trials = std::iter::once(None).chain(kinds.flat_map(|kind| self.levels_of(kind)));
            trials.flat_map(move |trial| self.pair(&mut object, trial))
        });
        cases.chain(pairs.map(Ok))
    }

    fn levels_of(&self, kind: &'static DamageKind) -> impl Iterator<Item = Trial> + '_ {
        self.plan
            .levels
            .iter()
            .map(move |level| Some((kind, *level)))
    }

    /// Clean against damaged. A pair that cannot be made is left out and noted.
    fn pair(&self, object: &mut Object<'_>, trial: Trial) -> Vec<Work> {
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
        let template = QuestionTemplate {
            prompt: Some(subject.prompt()),
            what: format!("{}: clean against {name}", subject.name()),
            ..self.template()
        };
        let work = self.planner.pair(&template, [&clean, &other], || {
            let scene = object.scene.get_or_init(|| subject.scene());
            let shown = match &object.shown {
                Some(shown) => shown.clone(),
                None => {
                    let shown = self.shown(clean.clone(), scene.clone())?;
                    object.shown.insert(shown).clone()
                }
            };
            let other = match trial {
                None => Shown {
                    asset: other.clone(),
                    ..shown.clone()
                },
                Some((kind, level)) => {
                    let damaged = damage(scene, kind, level, self.plan.seed);
                    let damaged = damaged.map_err(|e| failed(format!("{name}: {e}")))?;
                    self.notes.amount(&name, &subject.name(), damaged.amount);
                    self.shown(other.clone(), damaged.scene)?
                }
            };
            Ok::<_, QuestionError>([shown, other])
        });
        work.unwrap_or_else(|reason| {
            self.notes.left_out(format!("{}: {reason}", subject.name()));
            vec![Work::Fewer(2 * self.planner.num_requests_per_question())]
        })
    }

    /// A scene with its own prompt, or changed so that the prompt is no longer true.
    fn case(&self, case: &'static Case, trial: Trial) -> Result<Vec<Work>, QuestionError> {
        let name = trial.map_or(CLEAN.to_owned(), |(kind, level)| method(kind, level));
        let hash = keyed(&json!([
            "case 1",
            env!("CARGO_PKG_VERSION"),
            case.name,
            name,
            self.plan.seed,
        ]));
        let asset = Asset {
            path: case.name.to_owned(),
            hash,
            method: name.clone(),
        };
        let template = QuestionTemplate {
            category: Some(case.category),
            prompt: Some(case.prompt),
            photo: None,
            what: format!("{}: {name}", case.name),
            ..self.template()
        };
        let examples = FittedExamples::default();
        self.planner
            .single(&template, &examples, &asset, Subject::Category, || {
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
    Asset {
        path: subject.name(),
        hash: hash.to_owned(),
        method: method.to_owned(),
    }
}

/// Our objects are identified by name and version, the user's by content.
fn hash_of(subject: &CleanObject) -> String {
    match subject {
        CleanObject::Own(base) => keyed(&json!(["base", env!("CARGO_PKG_VERSION"), base.name])),
        CleanObject::Assembled(object) => keyed(&json!([
            "assembled",
            env!("CARGO_PKG_VERSION"),
            object.name()
        ])),
        CleanObject::File { hash, .. } => hash.clone(),
    }
}

fn keyed(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes())
        .to_hex()
        .to_string()
}
