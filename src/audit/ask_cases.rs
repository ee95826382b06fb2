//! Scenes of a plan → questions of the category rubric: each scene as its prompt says, then with its prompt made untrue.

use super::ask::{Producing, keyed};
use super::plan::{CLEAN, method};
use crate::bases::scenes::Case;
use crate::bench::{Asking, Shown, Work, category_unit, protocol, sights};
use crate::damage::{Kind, damage_case};
use crate::load::Options;
use crate::rubric::Order;
use crate::store::{Asset, planned};
use serde_json::json;
use std::collections::HashMap;
use tokio::sync::mpsc;

impl Producing<'_> {
    /// Case by case. Ends early when the runner does.
    pub(super) fn run_cases(
        &self,
        answered: &HashMap<String, String>,
        to: &mpsc::Sender<Work>,
    ) -> Result<(), String> {
        for case in &self.plan.cases {
            let kinds = (self.plan.kinds.iter())
                .filter(|kind| kind.category() == Some(case.category))
                .flat_map(|kind| self.plan.levels.iter().map(|level| Some((*kind, *level))));
            for trial in std::iter::once(None).chain(kinds) {
                for work in self.case_works(case, trial, answered)? {
                    if to.blocking_send(work).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn case_works(
        &self,
        case: &'static Case,
        trial: Option<(&'static Kind, f32)>,
        answered: &HashMap<String, String>,
    ) -> Result<Vec<Work>, String> {
        let name = trial.map_or(CLEAN.to_owned(), |(kind, level)| method(kind, level));
        let hash = keyed(&json!([
            "case 1",
            env!("CARGO_PKG_VERSION"),
            case.name,
            name,
            self.plan.seed,
        ]));
        let protocol = protocol(self.drawings, &Options::default());
        let mut shown: Option<Shown> = None;
        let mut works = Vec::new();
        for (sight, places) in sights(self.judges, self.fit_px) {
            let key = keyed(&json!([
                "audit of cases 1",
                self.rubric.hash(),
                case.category,
                case.prompt,
                hash,
                protocol.as_ref().map(|p| p.hash.as_str()),
                sight.fit_px,
                sight.rule,
            ]));
            let mut ids = Vec::new();
            for sample in 0..self.samples {
                for judge in places.iter().map(|&place| &self.judges[place]) {
                    let planned = planned(&key, Order::AsListed, judge, sample);
                    ids.push(answered.get(&planned).cloned());
                }
            }
            if let Some(ids) = ids.into_iter().collect::<Option<Vec<String>>>() {
                works.push(Work::Answered(ids));
                continue;
            }
            let shown = match &shown {
                Some(shown) => shown,
                None => {
                    let scene = match trial {
                        None => case.layout().make(),
                        Some((kind, level)) => {
                            let damaged = damage_case(case, kind, level, self.plan.seed);
                            let damaged = damaged.map_err(|e| e.to_string())?;
                            self.notes.amount(&name, case.name, damaged.amount);
                            damaged.scene
                        }
                    };
                    let asset = Asset {
                        path: case.name.to_owned(),
                        hash: hash.clone(),
                        method: name.clone(),
                    };
                    shown.insert(self.shown(asset, scene)?)
                }
            };
            let asking = Asking {
                rubric: self.rubric,
                category: Some(case.category),
                prompt: Some(case.prompt),
                examples: &[],
                drawings: self.drawings,
                sight,
                judges: Some(places),
                protocol: protocol.clone(),
                plan: Some(key),
                what: format!("{}: {name}", case.name),
            };
            let unit = category_unit(&asking, shown, None).map_err(|e| e.to_string())?;
            works.push(Work::Ask(unit));
        }
        Ok(works)
    }
}
