//! Pairs of a plan → questions, made by one thread and put to judges by the runner of every other question.

use super::notes::Notes;
use super::plan::{AuditPlan, CLEAN, SAME, Subject, method};
use crate::bench::{
    AskSettings, Asking, Drawing, Progress, Shown, Summary, Work, ask, canaries, pair_unit,
    protocol, sights, stop_signal,
};
use crate::damage::damage;
use crate::judge::{Judge, Specimen};
use crate::load::Options;
use crate::render::{Frame, draw};
use crate::rubric::{Order, Rubric};
use crate::scene::Scene;
use crate::store::{Asset, Store, StoreError, planned};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Units on their way to the runner; each holds its pictures.
const WAITING_MAX: usize = 4;

/// Why an audit stopped.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No threads.
    #[error("no network threads ({0})")]
    Threads(#[from] std::io::Error),
    /// A question that cannot be made.
    #[error("{reason}")]
    Question {
        /// What, and why.
        reason: String,
    },
}

/// What every pair shares.
pub struct Producing<'a> {
    pub(super) plan: &'a AuditPlan,
    pub(super) rubric: &'a Arc<Rubric>,
    pub(super) drawings: &'a [Option<Drawing>],
    pub(super) judges: &'a [Judge],
    pub(super) fit_px: Option<u32>,
    pub(super) samples: u32,
    pub(super) notes: &'a Notes,
}

/// Asks about every pair. `notes` receives how much was done to each object, and the pairs that cannot be made.
///
/// # Errors
/// A disk that fails, a question that cannot be made. What was answered is kept.
#[expect(clippy::too_many_arguments, reason = "each is another thing")]
pub fn ask_about(
    plan: &AuditPlan,
    rubric: &Arc<Rubric>,
    drawings: &[Option<Drawing>],
    judges: &[Judge],
    fit_px: Option<u32>,
    settings: &AskSettings,
    store: &mut Store,
    progress: impl FnMut(&Progress),
    notes: &Notes,
) -> Result<Summary, AuditError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut settings = settings.clone();
    let looking = canaries(judges, settings.canary, &settings, store);
    settings.refused = runtime.block_on(looking)?.into_iter().collect();
    let answered = store.answered_as_planned()?;
    let producing = Producing {
        plan,
        rubric,
        drawings,
        judges,
        fit_px,
        samples: settings.samples,
        notes,
    };
    let (to, from) = mpsc::channel(WAITING_MAX);
    let (stop_to, stop_from) = mpsc::channel(2);
    let (summary, produced) = std::thread::scope(|scope| {
        let produced = scope.spawn(|| producing.run(&answered, to));
        runtime.spawn(async move {
            while stop_signal().await.is_ok() && stop_to.send(()).await.is_ok() {}
        });
        let asking = ask(from, judges, &settings, store, stop_from, progress);
        let summary = runtime.block_on(asking);
        (
            summary,
            produced.join().expect("the producer does not panic"),
        )
    });
    // A measurement that cannot be stopped must not hold up an interrupted program.
    runtime.shutdown_background();
    let summary = summary?;
    produced.map_err(|reason| AuditError::Question { reason })?;
    Ok(summary)
}

impl Producing<'_> {
    /// Object by object, so that a clean one is drawn once. Ends early when the runner does.
    fn run(
        &self,
        answered: &std::collections::HashMap<String, String>,
        to: mpsc::Sender<Work>,
    ) -> Result<(), String> {
        self.run_cases(answered, &to)?;
        for subject in &self.plan.subjects {
            let scene = subject.scene();
            let hash = hash_of(subject);
            let mut clean: Option<Shown> = None;
            for (kind, level) in self.trials() {
                let name = kind.map_or(SAME.to_owned(), |kind| method(kind, level));
                // A kind's work may change between versions, and with it the picture.
                let other_hash = match kind {
                    None => hash.clone(),
                    Some(kind) => keyed(&json!([
                        "damage 1",
                        env!("CARGO_PKG_VERSION"),
                        hash,
                        kind.name,
                        level,
                        self.plan.seed,
                    ])),
                };
                let works = self.works(subject, &hash, &name, &other_hash, answered, || {
                    let shown = match &clean {
                        Some(shown) => shown.clone(),
                        None => {
                            let asset = asset(subject, CLEAN, &hash);
                            clean.insert(self.shown(asset, scene.clone())?).clone()
                        }
                    };
                    let other = match kind {
                        None => Shown {
                            asset: asset(subject, SAME, &hash),
                            ..shown.clone()
                        },
                        Some(kind) => {
                            let damaged = damage(&scene, kind, level, self.plan.seed);
                            let damaged = damaged.map_err(|e| format!("{name}: {e}"))?;
                            (self.notes).amount(&name, &subject.name(), damaged.amount);
                            self.shown(asset(subject, &name, &other_hash), damaged.scene)?
                        }
                    };
                    Ok([shown, other])
                });
                let works = match works {
                    Ok(works) => works,
                    Err(reason) => {
                        let what = format!("{}: {reason}", subject.name());
                        self.notes.left_out(what);
                        let times = self.judges.len() as u64 * u64::from(self.samples);
                        vec![Work::Fewer(2 * times)]
                    }
                };
                for work in works {
                    if to.blocking_send(work).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Nothing is done first, then every kind at every level.
    fn trials(&self) -> impl Iterator<Item = (Option<&'static crate::damage::Kind>, f32)> + '_ {
        let kinds = self.plan.kinds.iter();
        let each =
            kinds.flat_map(|kind| self.plan.levels.iter().map(|level| (Some(*kind), *level)));
        std::iter::once((None, 0.0)).chain(each)
    }

    /// The questions about one pair, for judges that see pictures of each size; what was answered is not drawn again.
    fn works(
        &self,
        subject: &Subject,
        hash: &str,
        name: &str,
        other_hash: &str,
        answered: &std::collections::HashMap<String, String>,
        mut pair: impl FnMut() -> Result<[Shown; 2], String>,
    ) -> Result<Vec<Work>, String> {
        let protocol = protocol(self.drawings, &Options::default());
        let mut works = Vec::new();
        for (sight, places) in sights(self.judges, self.fit_px) {
            let key = keyed(&json!([
                "audit 1",
                self.rubric.hash(),
                subject.prompt(),
                hash,
                other_hash,
                name,
                protocol.as_ref().map(|p| p.hash.as_str()),
                sight.fit_px,
                sight.rule,
            ]));
            let mut ids = Vec::new();
            for sample in 0..self.samples {
                for judge in places.iter().map(|&place| &self.judges[place]) {
                    for order in Order::BOTH {
                        ids.push(answered.get(&planned(&key, order, judge, sample)).cloned());
                    }
                }
            }
            if let Some(ids) = ids.into_iter().collect::<Option<Vec<String>>>() {
                works.push(Work::Answered(ids));
                continue;
            }
            let asking = Asking {
                rubric: self.rubric,
                category: None,
                prompt: Some(subject.prompt()),
                examples: &[],
                drawings: self.drawings,
                sight,
                judges: Some(places),
                protocol: protocol.clone(),
                plan: Some(key),
                what: format!("{}: clean against {name}", subject.name()),
            };
            let unit = pair_unit(&asking, &pair()?).map_err(|e| e.to_string())?;
            works.push(Work::Ask(unit));
        }
        Ok(works)
    }

    pub(super) fn shown(&self, asset: Asset, scene: Scene) -> Result<Shown, String> {
        let mut frames: Vec<Arc<Vec<Frame>>> = Vec::new();
        for (i, drawing) in self.drawings.iter().enumerate() {
            let same = self.drawings[..i]
                .iter()
                .position(|before| before == drawing);
            frames.push(match (same, drawing) {
                (Some(same), _) => Arc::clone(&frames[same]),
                (None, Some(drawing)) => {
                    let drawn = draw(&scene, &drawing.rig, &drawing.settings);
                    Arc::new(drawn.map_err(|e| e.to_string())?)
                }
                (None, None) => Arc::default(),
            });
        }
        Ok(Shown {
            asset,
            specimen: Some(Arc::new(Specimen::new(scene))),
            frames,
        })
    }
}

fn asset(subject: &Subject, method: &str, hash: &str) -> Asset {
    Asset {
        path: subject.name(),
        hash: hash.to_owned(),
        method: method.to_owned(),
    }
}

/// Our objects are told apart by name and version, the user's by content.
fn hash_of(subject: &Subject) -> String {
    match subject {
        Subject::Own(base) => keyed(&json!(["base", env!("CARGO_PKG_VERSION"), base.name])),
        Subject::Assembled(object) => keyed(&json!([
            "assembled",
            env!("CARGO_PKG_VERSION"),
            object.name()
        ])),
        Subject::File { hash, .. } => hash.clone(),
    }
}

pub(super) fn keyed(value: &serde_json::Value) -> String {
    blake3::hash(value.to_string().as_bytes())
        .to_hex()
        .to_string()
}
