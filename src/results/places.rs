//! What a benchmark's verdicts are about now: a benchmark may have other assets, prompts, generators or judges than when it asked.

use crate::judge::Asset;
use crate::store::{JudgeSetup, Made, PlannedPair, RaterKind, Record};
use std::collections::{BTreeMap, HashMap};

/// Why a verdict is kept and not rated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outdated {
    /// Its generator was renamed or removed.
    Method,
    /// Its prompt was changed or removed.
    Prompt,
    /// An asset was made again, or its file replaced.
    Asset,
    /// The judge has been asked at another address, or with other settings, since.
    Judge,
}

impl Outdated {
    fn text(self) -> &'static str {
        match self {
            Self::Method => "about generators that are no longer in the benchmark",
            Self::Prompt => "about prompts that were changed or removed",
            Self::Asset => "about assets that were replaced",
            Self::Judge => "by a judge at another address or with other settings",
        }
    }
}

/// "3 verdicts are kept and not rated: 2 about …, 1 by …; they count again …"; empty where there are none.
pub fn outdated_text(outdated: &BTreeMap<Outdated, usize>) -> String {
    let total: usize = outdated.values().sum();
    let parts = outdated.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<String> = parts
        .map(|(reason, count)| format!("{count} {}", reason.text()))
        .collect();
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

/// The prompts and seeds of a run, and which asset each generator has there.
#[derive(Debug)]
pub(super) struct Places {
    /// By prompt id and seed.
    places: HashMap<(String, u32), usize>,
    /// By generator and prompt, sorted by place.
    slots: HashMap<String, HashMap<String, Vec<Slot>>>,
    judges: HashMap<String, JudgeSetup>,
    /// Whether the run is the benchmark's own. One that answers were copied into may hold those of several benchmarks.
    is_own: bool,
}

/// An asset of a generator.
#[derive(Debug)]
struct Slot {
    place: usize,
    /// None where it is being made, or was not looked at yet.
    hash: Option<String>,
    is_failed: bool,
}

impl Slot {
    /// Whether it may be any asset, for all that is known.
    fn is_unknown(&self) -> bool {
        self.hash.is_none() && !self.is_failed
    }
}

impl Places {
    /// Of a run; `judges` are as they were last asked.
    pub(super) fn new(made: &[Made], judges: HashMap<String, JudgeSetup>, is_own: bool) -> Self {
        let mut found = Self {
            places: HashMap::new(),
            slots: HashMap::new(),
            judges,
            is_own,
        };
        for item in made {
            let next = found.places.len();
            let place = (item.prompt_id.clone(), item.seed);
            let place = *found.places.entry(place).or_insert(next);
            let of_method = found.slots.entry(item.method.clone()).or_default();
            of_method
                .entry(item.prompt.clone())
                .or_default()
                .push(Slot {
                    place,
                    hash: item.hash.clone(),
                    is_failed: item.failure.is_some(),
                });
        }
        for slots in found.slots.values_mut().flat_map(HashMap::values_mut) {
            slots.sort_by_key(|slot| slot.place);
        }
        found
    }

    /// How many places of the benchmark a record is about: deterministic generators make equal assets of several seeds, which are asked
    /// about once. 1 for what no benchmark asked.
    ///
    /// # Errors
    /// Why it is about none.
    pub(super) fn count(&self, record: &Record) -> Result<usize, Outdated> {
        let Some(prompt) = &record.prompt else {
            return Ok(1);
        };
        if self.slots.is_empty() || record.judge.kind() == RaterKind::Imported {
            return Ok(1);
        }
        match self.count_here(record, prompt) {
            Err(_) if !self.is_own => Ok(1),
            counted => counted,
        }
    }

    fn count_here(&self, record: &Record, prompt: &str) -> Result<usize, Outdated> {
        let setup = self.judges.get(record.judge.as_str());
        if setup.is_some_and(|s| s.settings != record.settings || s.base_url != record.base_url) {
            return Err(Outdated::Judge);
        }
        let slots = |asset: &Asset| {
            let of_method = self.slots.get(&asset.method).ok_or(Outdated::Method)?;
            of_method.get(prompt).ok_or(Outdated::Prompt)
        };
        let a_slots = slots(&record.a)?;
        let b = record.b.as_ref().unwrap_or(&record.a);
        let b_slots = slots(b)?;
        let is_at = |slots: &[Slot], asset: &Asset, place: usize| {
            let here = slots.binary_search_by_key(&place, |slot| slot.place);
            here.is_ok_and(|i| slots[i].hash.as_ref() == Some(&asset.hash))
        };
        let places = a_slots.iter().map(|slot| slot.place);
        let count = places
            .filter(|&place| is_at(a_slots, &record.a, place) && is_at(b_slots, b, place))
            .count();
        let may_be_here = || a_slots.iter().chain(b_slots).any(Slot::is_unknown);
        match count {
            0 if may_be_here() => Ok(1),
            0 => Err(Outdated::Asset),
            count => Ok(count),
        }
    }

    /// Whether a scheduled pair is still the benchmark's.
    pub(super) fn has(&self, pair: &PlannedPair) -> bool {
        let place = self.places.get(&(pair.prompt_id.clone(), pair.seed));
        let is_there = |method: &String| {
            let slots = (self.slots.get(method)).and_then(|of| of.get(&pair.prompt));
            (slots.into_iter().flatten()).any(|slot| Some(&slot.place) == place)
        };
        !self.is_own || [&pair.a, &pair.b].into_iter().all(is_there)
    }
}
