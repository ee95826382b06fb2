//! `[[features]]` and `[[scores]]` of a benchmark: vectors of every asset and prompt, computed
//! once, and the numbers from them.

use super::feature_inputs::{Inputs, Keys, Place, Ready};
use super::observer::Observer;
use super::plan::Plan;
use super::planned_features::{PlannedFeature, PlannedScore};
use crate::ask::StopSwitch;
use crate::error::Error;
use crate::features::{
    Formula, Input, InputKind, Model, VectorRow, VectorStore, scores, set_value,
};
use crate::store::{Bias, Made, MetricRow, MetricsKept, SetRow};
use meshjudge_features::{FeatureSet, check_sizes};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// The known faults of the preset's protocol.
const FLASHVDM: &str = "as in FlashVDM's script, points are neither centred nor scaled and have no colour of their own, unlike in the training of ULIP and Uni3D; the script also draws them anew in each run and leaves the network in training mode, which an exported network is not. Its numbers are comparable only with numbers of the same definition";

/// A feature whose model is open, with its vectors.
pub(super) struct Opened<'a> {
    planned: &'a PlannedFeature,
    model: Model,
    vectors: VectorStore,
}

/// Opens and checks every model, before anything is asked.
///
/// # Errors
/// In words: a model that cannot be used, or that is not the one that made the stored vectors.
pub(super) fn open_models<'a>(
    plan: &'a Plan,
    run_folder: &Path,
    observer: &dyn Observer,
) -> Result<Vec<Opened<'a>>, String> {
    let open = |planned: &'a PlannedFeature| -> Result<Opened<'a>, String> {
        let name = &planned.feature.name;
        let wrong = |e: Error| format!("feature {name:?}: {e}");
        let model = Model::open(&planned.feature).map_err(wrong)?;
        let mut vectors = VectorStore::open(run_folder, name, model.definition()).map_err(wrong)?;
        let probe = &model.probe;
        let (dimension, norm) = (probe.dimension, probe.norm);
        observer.note(&match dimension {
            1 => format!("feature {name}: one number for each input"),
            _ => format!("feature {name}: vectors of {dimension} numbers; length {norm:.4}"),
        });
        if planned.preset.is_some() {
            observer.warn(&format!("feature {name}: {FLASHVDM}"));
        }
        if !model.is_repeatable() {
            let share = probe.repeated_within;
            observer.warn(&format!("feature {name}: the same input gave vectors that differ by {share:.1e} of their length; scores are reproducible only to that precision"));
        }
        let key = model.key("specimen");
        match vectors.get(&key) {
            Some(before) if !model.is_of_specimen(before) => {
                return Err(format!(
                    "feature {name:?}: the model has changed since the stored vectors were made; use another run folder, or another name for the feature"
                ));
            }
            Some(_) => {}
            None => {
                let row = VectorRow { key, ..VectorRow::default() };
                vectors.push(row, model.specimen.clone()).map_err(wrong)?;
            }
        }
        Ok(Opened { planned, model, vectors })
    };
    let opened: Vec<Opened<'a>> = plan.features.iter().map(open).collect::<Result<_, _>>()?;
    for score in &plan.scores {
        check_score(score, &opened, observer)?;
    }
    Ok(opened)
}

/// Vectors that cannot be compared are refused, and those that hardly can are reported.
fn check_score(
    score: &PlannedScore,
    opened: &[Opened<'_>],
    observer: &dyn Observer,
) -> Result<(), String> {
    let name = &score.name;
    let of = &opened[score.of].model;
    let Some(to) = score.to.map(|at| &opened[at].model) else {
        return match of.probe.dimension {
            1 => Ok(()),
            more => Err(format!(
                "score {name:?}: its model gives vectors of {more} numbers, not one number; compare them with another feature by `to`"
            )),
        };
    };
    let (first, second) = (of.probe.dimension, to.probe.dimension);
    if first != second || first == 1 {
        return Err(format!(
            "score {name:?}: vectors of {first} and of {second} {} cannot be compared",
            if second == 1 { "number" } else { "numbers" }
        ));
    }
    let is_picture = |model: &Model| model.feature().kind == InputKind::Picture;
    if is_picture(of) && is_picture(to) && of.definition()["model"] != to.definition()["model"] {
        observer.warn(&format!(
            "score {name}: its pictures go to two models, whose vectors are comparable only if they were trained together"
        ));
    }
    Ok(())
}

/// Computes the missing vectors and all scores. A failure is reported, and has no row.
pub(super) fn score_made(
    plan: &Plan,
    opened: &mut [Opened<'_>],
    made: &[Made],
    stop: &StopSwitch,
    observer: &dyn Observer,
    before: &MetricsKept,
    kept: &mut MetricsKept,
) {
    let mut keys = Vec::new();
    for feature in opened.iter_mut() {
        let name = &feature.planned.feature.name;
        let mut found = Keys::new();
        if let Err(e) = feature.compute(plan, made, stop, observer, &mut found) {
            observer.fail(&format!("feature {name}: {e}; run the same command again"));
        }
        let distinct: BTreeSet<&String> = found.values().flatten().collect();
        let count = distinct.iter().filter(|key| feature.vectors.get(key).is_some()).count();
        let what = if feature.model.probe.dimension == 1 { "numbers" } else { "vectors" };
        let said = format!("feature {name}: {count} of {} {what}", distinct.len());
        if count < distinct.len() {
            observer.fail(&said)
        } else {
            observer.note(&said)
        }
        keys.push(found);
    }
    if stop.is_pressed() {
        return;
    }
    for score in &plan.scores {
        let (of, to) = (&opened[score.of], score.to.map(|at| &opened[at]));
        let to_definition = to.map(|it| it.model.definition());
        let definition = score.definition(of.model.definition(), to_definition);
        let hash = blake3::hash(definition.to_string().as_bytes()).to_hex().to_string();
        let no_keys = Keys::new();
        let to_keys = score.to.map_or(&no_keys, |at| &keys[at]);
        let pair = Pair { score, of, to: to.unwrap_or(of), of_keys: &keys[score.of], to_keys };
        if score.settings.formula.is_of_set() {
            match pair.sets(made, &hash, &before.sets) {
                Ok(rows) => kept.sets.extend(rows),
                Err(reason) => observer.fail(&format!("no {}: {reason}", score.name)),
            }
        } else {
            kept.rows.extend(made.iter().map(|made| pair.row(made, &hash)));
        }
        kept.definitions.insert(hash, definition);
    }
}

impl Opened<'_> {
    /// Asks the model while the next inputs are made.
    fn compute(
        &mut self,
        plan: &Plan,
        made: &[Made],
        stop: &StopSwitch,
        observer: &dyn Observer,
        keys: &mut Keys,
    ) -> Result<(), Error> {
        let Self { planned, model, vectors } = self;
        let (name, origin) = (&planned.feature.name, &planned.origin);
        let mut seen = BTreeSet::new();
        let items: Vec<(Place, &Made)> = made
            .iter()
            .map(|made| {
                let method = if origin.is_of_prompts() { "" } else { &made.method };
                ((method.to_owned(), made.prompt_id.clone(), made.seed), made)
            })
            .filter(|(place, _)| seen.insert(place.clone()))
            .collect();
        let known: HashSet<String> = vectors.keys().cloned().collect();
        // Nothing waits in between, so that only two groups take memory.
        let (send, receive) = sync_channel(0);
        let inputs = Inputs { plan, planned, model, known, stop, observer };
        std::thread::scope(|scope| {
            let making = scope.spawn(|| inputs.make(&items, send));
            let asked = receive.iter().take_while(|_| !stop.is_pressed()).try_for_each(|ready| {
                let Ready { num_items, inputs } = ready;
                let (rows, inputs): (Vec<VectorRow>, Vec<Input>) = inputs.into_iter().unzip();
                let mut rows = rows.into_iter();
                model.vectors(&inputs, &mut |vector| match (rows.next(), vector) {
                    (None, _) => Ok(()),
                    (Some(row), Ok(vector)) => vectors.push(row, vector),
                    (Some(VectorRow { method, prompt_id, view, .. }), Err(e)) => {
                        observer.warn(&format!(
                            "feature {name}: {method} {prompt_id:?}, view {view}: {e}"
                        ));
                        Ok(())
                    }
                })?;
                observer.computed(name, num_items, items.len());
                Ok(())
            });
            // Without a receiver no more inputs are made.
            drop(receive);
            keys.extend(making.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            // What was computed before a failure is kept.
            asked.and(vectors.flush())
        })
    }

    /// The vectors of these keys; none where one is missing.
    fn rows(&self, keys: Option<&Vec<String>>) -> Option<Vec<f64>> {
        let mut values = Vec::new();
        for key in keys? {
            values.extend(self.vectors.get(key)?.iter().map(|value| f64::from(*value)));
        }
        Some(values)
    }
}

/// A score with its two features, which are the same where the model gives the number.
struct Pair<'a> {
    score: &'a PlannedScore,
    of: &'a Opened<'a>,
    to: &'a Opened<'a>,
    of_keys: &'a Keys,
    to_keys: &'a Keys,
}

/// Vectors of some assets in one list.
#[derive(Clone, Default)]
struct Gathered {
    values: Vec<f64>,
    rows_by_asset: Vec<usize>,
    keys: Vec<String>,
    /// Of each asset, its prompt.
    groups: Vec<u64>,
}

impl Gathered {
    fn add(&mut self, prompt_id: &str, values: Vec<f64>, keys: &[String]) {
        let hash = blake3::hash(prompt_id.as_bytes());
        let (start, _) = hash.as_bytes().split_first_chunk().expect("32 bytes");
        self.groups.push(u64::from_le_bytes(*start));
        self.values.extend(values);
        self.rows_by_asset.push(keys.len());
        self.keys.extend_from_slice(keys);
    }

    fn set(self, dimension: usize) -> Result<FeatureSet, String> {
        let set = FeatureSet::new(self.values, dimension, &self.rows_by_asset);
        set.and_then(|set| set.in_groups(self.groups)).map_err(|e| e.to_string())
    }
}

impl Pair<'_> {
    /// The keys of an asset's vectors and of its prompt's.
    fn keys(&self, made: &Made) -> [Option<&Vec<String>>; 2] {
        let key = |method: &str| (method.to_owned(), made.prompt_id.clone(), made.seed);
        [self.of_keys.get(&key(&made.method)), self.to_keys.get(&key(""))]
    }

    fn value(&self, made: &Made) -> Result<f64, String> {
        let [of_keys, to_keys] = self.keys(made);
        if self.score.settings.formula == Formula::Value {
            // The mean over an asset's views of the model's number.
            let name = &self.of.planned.feature.name;
            let values = self.of.rows(of_keys);
            let values =
                values.ok_or_else(|| format!("feature {name} has no number of this asset"))?;
            return Ok(values.iter().sum::<f64>() / values.len() as f64);
        }
        let set = |opened: &Opened<'_>, keys: Option<&Vec<String>>| {
            let mut gathered = Gathered::default();
            let values = opened.rows(keys);
            let values = values.ok_or_else(|| {
                format!("feature {} has no vector of this asset", opened.planned.feature.name)
            })?;
            gathered.add(&made.prompt_id, values, keys.map_or(&[], Vec::as_slice));
            gathered.set(opened.model.probe.dimension)
        };
        let (assets, targets) = (set(self.of, of_keys)?, set(self.to, to_keys)?);
        let values = scores(self.score.settings.formula, &assets, &targets);
        values.map(|values| values[0]).map_err(|e| e.to_string())
    }

    fn row(&self, made: &Made, definition: &str) -> MetricRow {
        let value = self.value(made);
        let reference = self.keys(made)[1].map_or_else(Vec::new, Clone::clone).concat();
        MetricRow {
            value: value.as_ref().ok().copied(),
            why: value.err(),
            asset: made.hash.clone().unwrap_or_default(),
            reference: blake3::hash(reference.as_bytes()).to_hex().to_string(),
            definition: definition.to_owned(),
            ..MetricRow::of(made, self.score.name.clone())
        }
    }

    /// One row for each method; those of the same vectors are taken from `before`.
    fn sets(
        &self,
        made: &[Made],
        definition: &str,
        before: &[SetRow],
    ) -> Result<Vec<SetRow>, String> {
        let formula = self.score.settings.formula;
        let methods: BTreeSet<&String> = made.iter().map(|made| &made.method).collect();
        let mut gathered: Vec<(&String, Gathered, Gathered)> = Vec::new();
        for method in methods {
            let (mut of_method, mut targets) = (Gathered::default(), Gathered::default());
            for made in made.iter().filter(|made| made.method == *method) {
                let [of_keys, to_keys] = self.keys(made);
                let both = (self.of.rows(of_keys), self.to.rows(to_keys));
                if let (Some(of_keys), Some(to_keys), (Some(of), Some(to))) =
                    (of_keys, to_keys, both)
                {
                    of_method.add(&made.prompt_id, of, of_keys);
                    targets.add(&made.prompt_id, to, to_keys);
                }
            }
            gathered.push((method, of_method, targets));
        }
        let sizes: Vec<(&str, usize)> = gathered
            .iter()
            .map(|(method, of, _)| (method.as_str(), of.rows_by_asset.len()))
            .collect();
        if formula.depends_on_size() {
            check_sizes(formula.name(), &sizes).map_err(|e| e.to_string())?;
        }
        let all_targets = self.all_targets();
        let mut rows = Vec::new();
        for (method, of, own_targets) in gathered {
            let is_own = formula == Formula::RPrecision;
            let targets = if is_own { own_targets } else { all_targets.clone() };
            let both = [of.keys.concat(), targets.keys.concat()].join("\n");
            let vectors = blake3::hash(both.as_bytes()).to_hex().to_string();
            let is_same = |row: &&SetRow| {
                row.definition == definition && row.method == *method && row.vectors == vectors
            };
            if let Some(row) = before.iter().find(is_same) {
                rows.push(row.clone());
                continue;
            }
            let (num_assets, num_vectors) = (of.rows_by_asset.len(), of.keys.len());
            let dimension = self.of.model.probe.dimension;
            let sets = (of.set(dimension), targets.set(self.to.model.probe.dimension));
            let found = match sets {
                (Ok(of), Ok(to)) => set_value(&self.score.settings, &of, &to),
                (Err(reason), _) | (_, Err(reason)) => return Err(reason),
            };
            let found = found.map_err(|e| e.to_string())?;
            if !found.estimate.value.is_finite() {
                return Err(format!("{method:?} has too few vectors ({num_vectors})"));
            }
            let interval = found.estimate.interval.map(|it| [it.low, it.high]);
            let limit_interval = found.infinity.as_ref().and_then(|it| it.interval);
            rows.push(SetRow {
                method: method.clone(),
                metric: self.score.name.clone(),
                value: found.estimate.value,
                interval,
                limit: found.infinity.as_ref().map(|it| it.line.intercept),
                limit_interval: limit_interval.map(|it| [it.low, it.high]),
                bias: found.infinity.map(|it| Bias { points: it.points, slope: it.line.slope }),
                floor: found.floor,
                num_assets,
                num_vectors,
                dimension,
                vectors,
                definition: definition.to_owned(),
            });
        }
        Ok(rows)
    }

    /// Every prompt's vectors once, whatever the number of seeds.
    fn all_targets(&self) -> Gathered {
        let (mut all, mut seen) = (Gathered::default(), BTreeSet::new());
        for ((_, prompt_id, _), keys) in self.to_keys {
            if seen.insert(keys)
                && let Some(values) = self.to.rows(Some(keys))
            {
                all.add(prompt_id, values, keys);
            }
        }
        all
    }
}
