//! What a benchmark's verdicts are about now: a benchmark may have other assets, prompts,
//! generators or judges than when it asked. A verdict is about a prompt by its id, since several
//! may have one text, as photos to be rebuilt do.

use crate::error::Error;
use crate::judge::{Asset, PhotoKey};
use crate::options::names;
use crate::store::{JudgeSetup, Made, PlannedPair, RaterKind, Record, Shown, Store, config_of};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Why a verdict is kept and not rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outdated {
    /// Its generator was renamed or removed.
    Method,
    /// Its prompt was changed or removed.
    Prompt,
    /// An asset was made again, or its file replaced.
    Asset,
    /// The photo of its prompt was replaced.
    Photo,
    /// The judge has been asked at another address, or with other settings, since.
    Judge,
    /// The rubric's text, or its pictures, were changed.
    Question,
}

impl Outdated {
    /// As in rows.
    pub fn as_str(self) -> &'static str {
        names::<Self>()[self as usize]
    }

    fn text(self) -> &'static str {
        match self {
            Self::Method => "about generators that are no longer in the benchmark",
            Self::Prompt => "about prompts that were changed or removed",
            Self::Asset => "about assets that were replaced",
            Self::Photo => "about photos that were replaced",
            Self::Judge => "by a judge at another address or with other settings",
            Self::Question => "with another text of the rubric or with other pictures",
        }
    }
}

/// "3 verdicts are kept and not rated: 2 about …, 1 by …; they count again …"; empty for none.
pub(super) fn outdated_text(outdated: &BTreeMap<Outdated, usize>) -> String {
    let total: usize = outdated.values().sum();
    let parts = outdated.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<String> =
        parts.map(|(reason, count)| format!("{count} {}", reason.text())).collect();
    let (count, they) = match total {
        0 => return String::new(),
        1 => ("1 verdict is".to_owned(), "it counts"),
        _ => (format!("{total} verdicts are"), "they count"),
    };
    format!(
        "{count} kept and not rated: {}; {they} again when the change is undone",
        parts.join(", ")
    )
}

/// "openai:m was asked …, and counts as one judge"; empty where there are none.
pub(super) fn unlike_judges_text(judges: &BTreeSet<String>) -> String {
    let names: Vec<&str> = judges.iter().map(String::as_str).collect();
    let (was, counts) = match names.len() {
        0 => return String::new(),
        1 => ("was", "counts as one judge"),
        _ => ("were", "each count as one judge"),
    };
    format!(
        "{} {was} asked at different addresses or with different settings in these runs, and {counts}; rate the runs separately if these are different models",
        names.join(", ")
    )
}

/// Says which prompts have the same assets of every method, since as evidence they are one prompt,
/// and which methods share assets. Empty where there are none.
pub(super) fn copies_text(made: &[Made]) -> String {
    let parts = [copied_prompts(made), copied_methods(made)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Those that could be read: the prompt's id, the seed, the method and the hash of the file.
fn hashes(made: &[Made]) -> impl Iterator<Item = (&str, u32, &str, &str)> {
    made.iter().filter(|item| item.failure.is_none()).filter_map(|item| {
        let hash = item.hash.as_deref()?;
        Some((item.prompt_id.as_str(), item.seed, item.method.as_str(), hash))
    })
}

fn copied_prompts(made: &[Made]) -> Option<String> {
    const SHOWN_MAX: usize = 4;
    let mut assets: BTreeMap<&str, Vec<(&str, u32, &str)>> = BTreeMap::new();
    for (prompt, seed, method, hash) in hashes(made) {
        assets.entry(prompt).or_default().push((method, seed, hash));
    }
    let mut prompts: BTreeMap<Vec<(&str, u32, &str)>, Vec<&str>> = BTreeMap::new();
    for (id, mut of_prompt) in assets.into_iter().filter(|(_, of_prompt)| of_prompt.len() > 1) {
        of_prompt.sort_unstable();
        prompts.entry(of_prompt).or_default().push(id);
    }
    let copies: Vec<&str> = prompts.into_values().filter(|ids| ids.len() > 1).flatten().collect();
    let more = if copies.len() > SHOWN_MAX { ", …" } else { "" };
    (!copies.is_empty()).then(|| {
        format!(
            "{} prompts have the same files as another one ({}{more}); each counts as evidence of its own, so the intervals are too narrow",
            copies.len(),
            copies[..copies.len().min(SHOWN_MAX)].join(", ")
        )
    })
}

fn copied_methods(made: &[Made]) -> Option<String> {
    let mut owners: BTreeMap<(&str, u32, &str), BTreeSet<&str>> = BTreeMap::new();
    for (prompt, seed, method, hash) in hashes(made) {
        owners.entry((prompt, seed, hash)).or_default().insert(method);
    }
    let mut count: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
    for methods in owners.into_values().filter(|methods| methods.len() > 1) {
        *count.entry(methods).or_default() += 1;
    }
    // The methods that share most; of several such, the first.
    let (methods, count) = count.into_iter().rev().max_by_key(|(_, count)| *count)?;
    let methods = Vec::from_iter(methods).join(", ");
    let assets = if count == 1 { "asset is the same file" } else { "assets are the same files" };
    Some(format!("{methods}: {count} {assets}, so verdicts between them say nothing"))
}

/// The texts that several prompts of these assets have, whichever runs they are from.
pub(super) fn shared_texts<'a>(made: impl Iterator<Item = &'a Made>) -> HashSet<String> {
    let mut ids: HashMap<&str, &str> = HashMap::new();
    made.filter(|item| *ids.entry(&item.prompt).or_insert(&item.prompt_id) != item.prompt_id)
        .map(|item| item.prompt.clone())
        .collect()
}

/// Names of prompts by id: the text, and the id with it where the text is shared.
pub(super) fn names_by_id(made: &[Made], shared: &HashSet<String>) -> HashMap<String, String> {
    let name = |item: &Made| match shared.contains(&item.prompt) {
        // A photo without a text.
        _ if item.prompt.is_empty() => item.prompt_id.clone(),
        false => item.prompt.clone(),
        true => format!("{} ({})", item.prompt, item.prompt_id),
    };
    let named = made.iter().map(|item| (item.prompt_id.clone(), name(item)));
    named.collect()
}

/// What a verdict is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot<'a> {
    /// Name of the prompt: see [`names_by_id`]; without a prompt an asset is its own prompt.
    pub prompt: &'a str,
    /// Prompt id and seed of the benchmark's place, if one is known.
    pub place: Option<(&'a str, u32)>,
}

/// Which verdicts of a run count.
#[derive(Debug)]
pub struct Counting(Places);

impl Counting {
    /// As the run is now.
    ///
    /// # Errors
    /// [`Error`].
    pub fn of(store: &Store) -> Result<Self, Error> {
        let made = store.made()?;
        let names = names_by_id(&made, &HashSet::new());
        let asked = (store.judge_setups()?, store.shown()?);
        Ok(Self(Places::new(&made, &names, asked, origin(store))))
    }

    /// Why the verdict of a record does not; none for one that does.
    pub fn outdated(&self, record: &Record) -> Option<Outdated> {
        record.verdict().and_then(|_| self.0.find(record).err())
    }

    /// The same of a pair that a missing asset decided.
    pub fn outdated_pair(&self, pair: &PlannedPair) -> Option<Outdated> {
        let has_both = [&pair.a, &pair.b].iter().all(|it| self.0.slots.contains_key(*it));
        let why = if has_both { Outdated::Prompt } else { Outdated::Method };
        (!self.0.has(pair)).then_some(why)
    }
}

/// What people can vote on in a run, whichever judges were asked about it.
#[derive(Debug)]
pub(crate) struct Current {
    made: Vec<Made>,
    origin: [bool; 2],
    places: Places,
}

impl Current {
    /// As the run is now.
    pub(crate) fn of(store: &Store) -> Result<Self, Error> {
        let (made, origin) = (store.made()?, origin(store));
        let names = names_by_id(&made, &HashSet::new());
        let places = Places::new(&made, &names, (HashMap::new(), store.shown()?), origin);
        Ok(Self { made, origin, places })
    }

    /// Whether everything that counted at an earlier moment still does.
    pub(crate) fn goes_on_from(&self, before: &Self) -> bool {
        let place = |made: &'_ Made| (made.method.clone(), made.prompt_id.clone(), made.seed);
        let now: HashMap<_, &Made> = self.made.iter().map(|made| (place(made), made)).collect();
        let is_same = |old: &Made, new: &Made| {
            (&old.prompt, &old.hash, &old.photo) == (&new.prompt, &new.hash, &new.photo)
        };
        let mut known = before.made.iter().filter(|made| made.hash.is_some());
        self.origin == before.origin
            && self.places.shown == before.places.shown
            && known.all(|old| now.get(&place(old)).is_some_and(|new| is_same(old, new)))
    }

    pub(crate) fn has(&self, record: &Record) -> bool {
        self.places.find(record).is_ok()
    }
}

/// Whether a benchmark asked in a run, and whether it or another command did.
pub(super) fn origin(store: &Store) -> [bool; 2] {
    let config = config_of(store.folder());
    let has = |key: &str| config.as_ref().is_some_and(|config| config.contains_key(key));
    [has("bench"), has("bench") || has("asked")]
}

/// The prompts and seeds of a run, and which asset each generator has there.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Prompt id and seed of each place, and the prompt's name.
    listed: Vec<(String, u32, String)>,
    /// By prompt id and seed.
    places: HashMap<(String, u32), usize>,
    /// By generator and prompt, sorted by place.
    slots: HashMap<String, HashMap<String, Vec<Slot>>>,
    judges: HashMap<String, JudgeSetup>,
    /// By rubric.
    shown: BTreeMap<String, Shown>,
    /// Whether the run is the benchmark's own. Copied answers may come from several benchmarks.
    is_own: bool,
    /// Whether its judges were asked by this run, so that earlier versions of them are known.
    is_asked: bool,
}

/// An asset of a generator.
#[derive(Debug)]
struct Slot {
    place: usize,
    /// None where it is being made, or was not looked at yet.
    hash: Option<String>,
    is_failed: bool,
    photo: Option<PhotoKey>,
}

impl Slot {
    /// Whether the question showed the photo that the prompt has now, or none.
    fn is_shown(&self, record: &Record) -> bool {
        let shown = record.photo.as_ref();
        shown.is_none_or(|shown| self.photo.as_ref().is_some_and(|now| now.is_shown_by(shown)))
    }

    /// Whether it may be any asset, for all that is known.
    fn is_unknown(&self) -> bool {
        self.hash.is_none() && !self.is_failed
    }
}

impl Places {
    /// Of a run; `names` are its prompts' names; judges are as last asked, rubrics as last shown.
    /// `is_own`: a benchmark asked; `is_asked`: a benchmark or another command did.
    pub(super) fn new(
        made: &[Made],
        names: &HashMap<String, String>,
        (judges, shown): (HashMap<String, JudgeSetup>, BTreeMap<String, Shown>),
        [is_own, is_asked]: [bool; 2],
    ) -> Self {
        let mut found = Self { judges, shown, is_own, is_asked, ..Self::default() };
        for item in made {
            let next = found.places.len();
            let place = (item.prompt_id.clone(), item.seed);
            let place = *found.places.entry(place).or_insert(next);
            if place == next {
                let name = names[&item.prompt_id].clone();
                found.listed.push((item.prompt_id.clone(), item.seed, name));
            }
            let of_method = found.slots.entry(item.method.clone()).or_default();
            of_method.entry(item.prompt.clone()).or_default().push(Slot {
                place,
                hash: item.hash.clone(),
                is_failed: item.failure.is_some(),
                photo: item.photo.clone(),
            });
        }
        for slots in found.slots.values_mut().flat_map(HashMap::values_mut) {
            slots.sort_by_key(|slot| slot.place);
        }
        found
    }

    /// The benchmark places that a record is about: deterministic generators make equal assets of
    /// several seeds, asked about once. One without a place if no benchmark asked.
    ///
    /// # Errors
    /// Why it is about none.
    pub(super) fn find<'a>(&'a self, record: &'a Record) -> Result<Vec<Spot<'a>>, Outdated> {
        if record.is_of_prompt() {
            return Ok(Vec::new());
        }
        let text = record.prompt.as_deref();
        let elsewhere = || vec![Spot { prompt: text.unwrap_or(&record.a.hash), place: None }];
        let is_imported = record.judge.kind() == RaterKind::Imported;
        let setup = self.judges.get(record.judge.as_str());
        // The setting of a person's vote is its file, or the page; one does not replace the other.
        if self.is_asked
            && record.judge.is_asked()
            && setup.is_some_and(|setup| !setup.is_of(record))
        {
            return Err(Outdated::Judge);
        }
        let shown = self.shown.get(&record.rubric).filter(|_| self.is_own);
        if record.judge.is_asked() && shown.is_some_and(|shown| !shown.is_of(record)) {
            return Err(Outdated::Question);
        }
        // A prompt that is a photo has no text.
        let is_of_photo = || self.slots.values().any(|prompts| prompts.contains_key(""));
        // Of a prompt whose text no judge sees, the photo decides. People see it.
        let is_by_photo = record.judge.is_asked()
            && record.photo.is_some()
            && shown.is_some_and(|shown| !shown.quotes_prompt);
        let found = match text {
            Some(text) if !self.slots.is_empty() => self.find_here(record, Some(text)),
            None if is_by_photo => self.find_here(record, None),
            None if is_of_photo() => self.find_here(record, Some("")),
            _ => return Ok(elsewhere()),
        };
        let is_edited = is_by_photo && !found.as_ref().is_ok_and(|found| !found.is_empty());
        let found = if is_edited { self.find_here(record, None) } else { found };
        match found {
            // Another program's answer is one answer.
            Ok(mut found) if is_imported => {
                found.truncate(1);
                Ok(if found.is_empty() { elsewhere() } else { found })
            }
            Ok(found) if found.is_empty() => Ok(elsewhere()),
            Err(_) if is_imported || !self.is_own => Ok(elsewhere()),
            Err(Outdated::Asset) if is_edited && !self.has_text(record) => Err(Outdated::Prompt),
            found => found,
        }
    }

    /// Whether a prompt has the text that it had when the question was asked.
    fn has_text(&self, record: &Record) -> bool {
        let text = record.prompt.as_deref().unwrap_or_default();
        self.slots.values().any(|prompts| prompts.contains_key(text))
    }

    /// On the prompts with that text, or all. None where, as far as known, it may be about any.
    fn find_here(&self, record: &Record, prompt: Option<&str>) -> Result<Vec<Spot<'_>>, Outdated> {
        let slots = |asset: &Asset| {
            let of_method = self.slots.get(&asset.method).ok_or(Outdated::Method)?;
            let Some(prompt) = prompt else {
                let of_asset = |slot: &&Slot| slot.hash.as_ref().is_none_or(|it| *it == asset.hash);
                let mut slots: Vec<&Slot> = of_method.values().flatten().filter(of_asset).collect();
                slots.sort_unstable_by_key(|slot| slot.place);
                return Ok(slots);
            };
            of_method.get(prompt).map(|slots| slots.iter().collect()).ok_or(Outdated::Prompt)
        };
        let a_slots = slots(&record.a)?;
        let b = record.b.as_ref().unwrap_or(&record.a);
        let b_slots = slots(b)?;
        let is_at = |slots: &[&Slot], asset: &Asset, place: usize| {
            let here = slots.binary_search_by_key(&place, |slot| slot.place);
            here.is_ok_and(|i| slots[i].hash.as_ref() == Some(&asset.hash))
        };
        let (mut found, mut other_photo) = (Vec::new(), false);
        for slot in &a_slots {
            let place = slot.place;
            if !is_at(&a_slots, &record.a, place) || !is_at(&b_slots, b, place) {
                continue;
            }
            if slot.is_shown(record) {
                let (id, seed, prompt) = &self.listed[place];
                found.push(Spot { prompt, place: Some((id, *seed)) });
            } else {
                other_photo = true;
            }
        }
        if found.is_empty() && other_photo {
            return Err(Outdated::Photo);
        }
        if found.is_empty() && !a_slots.iter().chain(&b_slots).any(|slot| slot.is_unknown()) {
            return Err(Outdated::Asset);
        }
        Ok(found)
    }

    /// Whether a scheduled pair is still the benchmark's.
    pub(super) fn has(&self, pair: &PlannedPair) -> bool {
        let place = self.places.get(&(pair.prompt_id.clone(), pair.seed));
        let is_there = |method: &String| {
            let slots = self.slots.get(method).and_then(|of| of.get(&pair.prompt));
            slots.into_iter().flatten().any(|slot| Some(&slot.place) == place)
        };
        !self.is_own || [&pair.a, &pair.b].into_iter().all(is_there)
    }
}
