//! What a benchmark's verdicts are about now: a benchmark may have other assets, prompts, generators or judges than when it asked.

use crate::judge::Asset;
use crate::store::{JudgeSetup, Made, PlannedPair, RaterKind, Record};
use std::collections::{BTreeMap, HashMap, HashSet};

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

/// "3 verdicts are kept and not rated: 2 about …, 1 by …"; empty where there are none.
pub fn outdated_text(outdated: &BTreeMap<Outdated, usize>) -> String {
    let total: usize = outdated.values().sum();
    let parts = outdated.iter().filter(|(_, count)| **count > 0);
    let parts: Vec<String> = parts
        .map(|(reason, count)| format!("{count} {}", reason.text()))
        .collect();
    match total {
        0 => String::new(),
        1 => format!("1 verdict is kept and not rated: {}", parts.join(", ")),
        _ => format!(
            "{total} verdicts are kept and not rated: {}",
            parts.join(", ")
        ),
    }
}

/// The prompts and seeds of a run, and which asset each generator has there.
#[derive(Debug)]
pub(super) struct Places {
    /// Place of each prompt id and seed.
    by_asset: HashMap<(String, String), Vec<usize>>,
    /// Texts, by place.
    prompts: Vec<String>,
    texts: HashSet<String>,
    methods: HashSet<String>,
    /// The method at each place, by prompt id and seed.
    slots: HashMap<(String, String, u32), String>,
    judges: HashMap<String, JudgeSetup>,
}

impl Places {
    /// Of a run; `judges` are as they were last asked.
    pub(super) fn new(made: &[Made], judges: HashMap<String, JudgeSetup>) -> Self {
        let mut places = Self {
            by_asset: HashMap::new(),
            prompts: Vec::new(),
            texts: HashSet::new(),
            methods: HashSet::new(),
            slots: HashMap::new(),
            judges,
        };
        let mut numbers: HashMap<(&str, u32), usize> = HashMap::new();
        for item in made {
            let next = numbers.len();
            let place = *numbers
                .entry((item.prompt_id.as_str(), item.seed))
                .or_insert(next);
            if place == next {
                places.prompts.push(item.prompt.clone());
            }
            places.texts.insert(item.prompt.clone());
            places.methods.insert(item.method.clone());
            let slot = (item.method.clone(), item.prompt_id.clone(), item.seed);
            places.slots.insert(slot, item.prompt.clone());
            if let Some(hash) = &item.hash {
                let asset = (item.method.clone(), hash.clone());
                places.by_asset.entry(asset).or_default().push(place);
            }
        }
        places
    }

    /// How many places of the benchmark a record is about: deterministic generators make equal assets of several seeds, which are asked
    /// about once. 1 for what no benchmark asked.
    ///
    /// # Errors
    /// Why it is about none.
    pub(super) fn count(&self, record: &Record) -> Result<usize, Outdated> {
        if self.methods.is_empty() || record.judge.kind() == RaterKind::Imported {
            return Ok(1);
        }
        let setup = self.judges.get(record.judge.as_str());
        if setup.is_some_and(|s| s.settings != record.settings || s.base_url != record.base_url) {
            return Err(Outdated::Judge);
        }
        let sides = || std::iter::once(&record.a).chain(&record.b);
        if sides().any(|asset| !self.methods.contains(&asset.method)) {
            return Err(Outdated::Method);
        }
        let prompt = record.prompt.as_ref();
        if prompt.is_some_and(|prompt| !self.texts.contains(prompt)) {
            return Err(Outdated::Prompt);
        }
        let of = |asset: &Asset| {
            self.by_asset
                .get(&(asset.method.clone(), asset.hash.clone()))
        };
        let a = of(&record.a).ok_or(Outdated::Asset)?;
        let b = match &record.b {
            Some(b) => of(b).ok_or(Outdated::Asset)?,
            None => a,
        };
        let is_here = |place: &&usize| {
            b.contains(place) && prompt.is_none_or(|prompt| self.prompts[**place] == *prompt)
        };
        match a.iter().filter(is_here).count() {
            0 => Err(Outdated::Asset),
            count => Ok(count),
        }
    }

    /// Whether a scheduled pair is still the benchmark's.
    pub(super) fn has(&self, pair: &PlannedPair) -> bool {
        [&pair.a, &pair.b].into_iter().all(|method| {
            let slot = (method.clone(), pair.prompt_id.clone(), pair.seed);
            self.slots.get(&slot) == Some(&pair.prompt)
        })
    }
}
