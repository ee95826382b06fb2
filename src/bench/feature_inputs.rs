//! The inputs of a feature: assets, photos and texts → pictures, points and texts for a model, each
//! once, made ahead of the model.

use super::observer::Observer;
use super::plan::Plan;
use super::planned_features::{Against, Origin, PlannedFeature};
use super::threads::{in_threads, threads_max};
use crate::ask::{Drawing, StopSwitch};
use crate::features::{Input, Model, VectorRow};
use crate::metrics::colored_points;
use crate::render::{Channel, Image, draw};
use crate::scene::Asset;
use crate::store::Made;
use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::SyncSender;

/// Inputs with which a model is asked at once, or a few more; as many are made meanwhile.
const READY_MAX: usize = 64;

/// Where vectors belong: method (empty for what belongs to a prompt), prompt and seed.
pub(super) type Place = (String, String, u32);

/// The keys of its vectors, view by view.
pub(super) type Keys = BTreeMap<Place, Vec<String>>;

/// Inputs for the model.
#[derive(Default)]
pub(super) struct Ready {
    /// How many items have been looked at, up to these.
    pub num_items: usize,
    pub inputs: Vec<(VectorRow, Input)>,
}

/// What makes the inputs of a feature.
pub(super) struct Inputs<'a> {
    pub plan: &'a Plan,
    pub planned: &'a PlannedFeature,
    pub model: &'a Model,
    /// The keys of the vectors that are there.
    pub known: HashSet<String>,
    pub stop: &'a StopSwitch,
    pub observer: &'a dyn Observer,
}

impl Inputs<'_> {
    /// Sends the missing inputs, in order of the items, while they are taken; returns all keys.
    pub(super) fn make(&self, items: &[(Place, &Made)], send: SyncSender<Ready>) -> Keys {
        let Self { plan, planned: PlannedFeature { origin, .. }, .. } = self;
        let (mut keys, mut claimed) = (Keys::new(), HashSet::new());
        let (mut ready, mut is_taken) = (Ready::default(), true);
        let group = (READY_MAX / origin.num_views().max(1)).clamp(1, threads_max());
        for some in items.chunks(group).take_while(|_| !self.stop.is_pressed()) {
            let found = in_threads(some, |(_, made)| Item::new(plan, origin, made));
            let mut missing = Vec::new();
            for ((place, made), found) in some.iter().zip(found) {
                let item = match found {
                    Ok(item) => item,
                    Err(reason) => {
                        self.warn(made, &reason);
                        continue;
                    }
                };
                let key = |view: usize| self.model.key(&format!("{}\n{view}", item.identity));
                let all: Vec<String> = (0..origin.num_views()).map(key).collect();
                keys.insert(place.clone(), all.clone());
                // Prompts can share a photo, and generators an asset.
                let is_new = |view: &usize| {
                    !self.known.contains(&all[*view]) && claimed.insert(all[*view].clone())
                };
                let views: Vec<usize> = (0..all.len()).filter(is_new).collect();
                if is_taken && !views.is_empty() {
                    missing.push((place, *made, item, all, views));
                }
            }
            let made = in_threads(missing, |(place, made, item, keys, views)| {
                self.inputs(place, made, item, keys, &views)
            });
            ready.inputs.extend(made.into_iter().flatten());
            ready.num_items += some.len();
            if is_taken && ready.inputs.len() >= READY_MAX {
                let num_items = ready.num_items;
                is_taken = send.send(std::mem::take(&mut ready)).is_ok();
                ready.num_items = num_items;
            }
        }
        if is_taken {
            // Nobody to take it: the failure is known.
            let _ = send.send(ready);
        }
        keys
    }

    /// The inputs of an item for these views, with the keys of all of its vectors.
    fn inputs(
        &self,
        (method, prompt_id, seed): &Place,
        made: &Made,
        item: Item,
        keys: Vec<String>,
        views: &[usize],
    ) -> Vec<(VectorRow, Input)> {
        let asset_hash = item.asset_hash.clone();
        let inputs = item.inputs(self.plan, &self.planned.origin, made).unwrap_or_else(|reason| {
            self.warn(made, &reason);
            Vec::new()
        });
        let row = |(view, (key, input))| {
            let row = VectorRow {
                key,
                method: method.clone(),
                prompt_id: prompt_id.clone(),
                seed: *seed,
                view,
                asset_hash: asset_hash.clone(),
            };
            (row, input)
        };
        let each = keys.into_iter().zip(inputs).enumerate();
        each.filter(|(view, _)| views.contains(view)).map(row).collect()
    }

    fn warn(&self, made: &Made, reason: &str) {
        let (name, Made { method, prompt_id, .. }) = (&self.planned.feature.name, made);
        self.observer.warn(&format!(
            "feature {name}: nothing for {method} on the prompt {prompt_id:?}: {reason}"
        ));
    }
}

/// What inputs are made of.
struct Item {
    /// Names the input: the same text, the same input.
    identity: String,
    /// Of its asset's content; empty without one.
    asset_hash: String,
    /// An asset that was read for its hash.
    asset: Option<Asset>,
    /// What the model sees with each view.
    with: With,
}

enum With {
    Nothing,
    Text(String),
    Asset(Asset),
}

impl Item {
    fn new(plan: &Plan, origin: &Origin, made: &Made) -> Result<Self, String> {
        let named = |identity: String| Self {
            identity,
            asset_hash: String::new(),
            asset: None,
            with: With::Nothing,
        };
        if let Some(reference) = origin.reference() {
            let loaded = reference.read_shown(made, &plan.load)?;
            let asset_hash = loaded.hash.clone();
            return Ok(Self { asset_hash, asset: Some(loaded.scene), ..named(loaded.hash) });
        }
        match origin {
            Origin::Photo => Ok(named(photo_key(plan, made)?)),
            Origin::Text(template) => Ok(named(text(template, made)?)),
            Origin::Views { against, .. } => {
                let item = Self::of_asset(plan, made)?;
                let (identity, with) = match against {
                    None => return Ok(item),
                    Some(Against::Photo) => (photo_key(plan, made)?, With::Nothing),
                    Some(Against::Text(template)) => {
                        let text = text(template, made)?;
                        (text.clone(), With::Text(text))
                    }
                    Some(Against::Views(reference)) => {
                        let loaded = reference.read_shown(made, &plan.load)?;
                        (loaded.hash, With::Asset(loaded.scene))
                    }
                };
                let identity = format!("{}\n{identity}", item.identity);
                Ok(Self { identity, with, ..item })
            }
            Origin::Points { .. } => Self::of_asset(plan, made),
        }
    }

    fn of_asset(plan: &Plan, made: &Made) -> Result<Self, String> {
        // An asset that no question showed has not been read yet.
        let (hash, asset) = match &made.hash {
            Some(hash) => (hash.clone(), None),
            None => {
                let loaded = plan.read_shown(made)?;
                (loaded.hash, Some(loaded.scene))
            }
        };
        let method = plan.methods.iter().find(|method| method.name == made.method);
        let turn = method.and_then(|it| it.turn_of(&made.prompt_id, made.seed));
        let identity = format!("{hash} {turn:?}");
        Ok(Self { identity, asset_hash: hash, asset, with: With::Nothing })
    }

    /// One input for each view.
    fn inputs(self, plan: &Plan, origin: &Origin, made: &Made) -> Result<Vec<Input>, String> {
        let asset = || match &self.asset {
            Some(asset) => Ok(asset.clone()),
            None => plan.read_shown(made).map(|loaded| loaded.scene),
        };
        match origin {
            Origin::Views { drawing, against, .. } => {
                let views = views(&asset()?, drawing)?;
                Ok(match (against, &self.with) {
                    (_, With::Asset(other)) => {
                        let pairs = views.into_iter().zip(self::views(other, drawing)?);
                        pairs.map(|(view, other)| Input::Pair([view, other])).collect()
                    }
                    (_, With::Text(text)) => {
                        views.into_iter().map(|view| Input::Both(text.clone(), view)).collect()
                    }
                    (Some(Against::Photo), _) => {
                        let photo = photo(plan, made)?;
                        views.into_iter().map(|view| Input::Pair([view, photo.clone()])).collect()
                    }
                    _ => views.into_iter().map(Input::Picture).collect(),
                })
            }
            Origin::Points { settings, .. } => {
                let asset = asset()?;
                let scene = asset.mesh().ok_or("Gaussian splats have no surface to sample")?;
                let cloud = colored_points(scene, settings).map_err(|e| e.to_string())?;
                Ok(vec![Input::Points(cloud)])
            }
            Origin::Text(_) => Ok(vec![Input::Text(self.identity)]),
            Origin::Photo => Ok(vec![Input::Picture(photo(plan, made)?)]),
        }
    }
}

fn views(asset: &Asset, drawing: &Drawing) -> Result<Vec<Image>, String> {
    let frames = draw(asset, &drawing.rig, &drawing.settings).map_err(|e| e.to_string())?;
    Ok(frames.into_iter().filter_map(|mut frame| frame.images.remove(&Channel::Rgb)).collect())
}

fn text(template: &str, made: &Made) -> Result<String, String> {
    match made.prompt.trim() {
        "" => Err("the prompt has no text".to_owned()),
        text => Ok(template.replace("{prompt}", text)),
    }
}

fn photo_key(plan: &Plan, made: &Made) -> Result<String, String> {
    let key = plan.prompt(&made.prompt_id).and_then(|prompt| plan.photos.key(prompt));
    Ok(key.ok_or(NO_PHOTO)?.to_text())
}

fn photo(plan: &Plan, made: &Made) -> Result<Image, String> {
    let prompt = plan.prompt(&made.prompt_id);
    let photo = prompt.map(|prompt| plan.photos.cut_out(prompt)).transpose();
    let photo = photo.map_err(|e| e.to_string())?.flatten().ok_or(NO_PHOTO)?;
    let picture = photo.object().map_err(|e| e.to_string())?;
    Image::decode(&picture.bytes).map_err(|e| e.to_string())
}

const NO_PHOTO: &str = "the prompt has no photo";
