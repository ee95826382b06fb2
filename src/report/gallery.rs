//! Rows → the gallery: one item for each pair (or single object) and prompt, with all its answers.
//!
//! The items go into the page as JSON and become elements only when they are shown. Names are in lists and items hold indices,
//! and replies are in chunks of their own, parsed when one of them is opened, so that the page stays fast with ten thousand records.

use super::show::{cut, short_hash};
use crate::judge::Asset;
use crate::rubric::{Order, Outcome, Verdict, Winner};
use crate::store::{PERSON_PREFIX, Rater, Record};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Longer replies are cut in the page; the export has them whole. Real ones are about 2,000 characters.
pub(super) const WORDS_CHARS_MAX: usize = 20_000;
/// Longer prompts are cut in the page.
pub(super) const PROMPT_CHARS_MAX: usize = 4_000;
/// All replies together; those after it are not in the page.
pub(super) const WORDS_BYTES_MAX: usize = 32 << 20;
/// Replies parsed at once.
pub(super) const WORDS_PER_CHUNK: usize = 256;
/// The last pictures of a question are its own; worked examples come before them.
pub(super) const PICTURES_PER_ITEM_MAX: usize = 4;

/// An object of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    /// Who or what made it.
    pub method: String,
    /// BLAKE3 of its content.
    pub hash: String,
}

/// One record, as the page shows it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GalleryAnswer {
    pub judge: Rater,
    /// Who stood left, in the item's order.
    pub order: Order,
    /// Counts from 0.
    pub sample: u32,
    /// How it ended. A verdict is in the item's order, turned where the record lists the two the other way round.
    pub outcome: Outcome,
    /// The raw reply, cut.
    pub raw: Option<String>,
    pub seconds: f64,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// What it was shown.
    pub pictures: Vec<String>,
}

impl GalleryAnswer {
    /// The verdict, in the item's order.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        self.outcome.verdict()
    }
}

/// Where answers differ, as one bit for each criterion of the rubric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(super) struct Differences {
    /// One judge contradicts itself between the orders.
    pub orders: u32,
    /// Two judges name opposite winners.
    pub judges: u32,
    /// A judge names the loser of most people's votes.
    pub people: u32,
}

/// A pair or a single object, on one prompt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub rubric: String,
    pub rubric_hash: String,
    pub category: Option<String>,
    pub prompt: Option<String>,
    /// The first by name.
    pub a: Object,
    /// None for one-object rubrics.
    pub b: Option<Object>,
    /// Judges first, by name, then people; orders and samples together.
    pub said: Vec<GalleryAnswer>,
    pub differences: Differences,
}

impl Item {
    /// What was shown with that object on the left; empty where that order was not asked.
    pub(super) fn pictures(&self, order: Order) -> &[String] {
        let shown = self
            .said
            .iter()
            .filter(|s| s.order == order && !s.pictures.is_empty());
        let all = shown
            .map(|s| s.pictures.as_slice())
            .next()
            .unwrap_or_default();
        &all[all.len().saturating_sub(PICTURES_PER_ITEM_MAX)..]
    }

    /// The pictures that represent the item: with `a` on the left where that was asked.
    pub(super) fn cover(&self) -> (&[String], Order) {
        match self.pictures(Order::AsListed) {
            [] => (self.pictures(Order::Swapped), Order::Swapped),
            listed => (listed, Order::AsListed),
        }
    }
}

/// The gallery of some rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Gallery {
    /// By rubric, prompt and methods.
    pub items: Vec<Item>,
    /// Keys of each rubric's criteria, in its order; at most 32 have a bit.
    pub criteria: BTreeMap<String, Vec<String>>,
}

/// Groups records by pair or asset, prompt and rubric.
pub(super) fn gallery(records: &[Record]) -> Gallery {
    let mut items: BTreeMap<_, Item> = BTreeMap::new();
    let mut criteria: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in records {
        let (said, is_turned) = answer(record);
        if let Some(verdict) = said.verdict() {
            let known = criteria.entry(record.rubric.clone()).or_default();
            for key in keys(verdict) {
                if !known.contains(&key) {
                    known.push(key);
                }
            }
        }
        let object = |asset: &Asset| Object {
            method: asset.method.clone(),
            hash: asset.hash.clone(),
        };
        let (mut a, mut b) = (object(&record.a), record.b.as_ref().map(object));
        if is_turned && let Some(b) = &mut b {
            std::mem::swap(&mut a, b);
        }
        let key = (
            record.rubric.clone(),
            record.rubric_hash.clone(),
            record.category.clone(),
            record.prompt.clone(),
            a.clone(),
            b.clone(),
        );
        let item = items.entry(key).or_insert_with(|| Item {
            rubric: record.rubric.clone(),
            rubric_hash: record.rubric_hash.clone(),
            category: record.category.clone(),
            prompt: record.prompt.clone(),
            a,
            b,
            said: Vec::new(),
            differences: Differences::default(),
        });
        item.said.push(said);
    }
    let mut items: Vec<Item> = items.into_values().collect();
    for item in &mut items {
        item.said.sort_by(|x, y| {
            let key = |s: &GalleryAnswer| (s.judge.is_person(), s.judge.clone(), s.sample, s.order);
            key(x).cmp(&key(y))
        });
        let keys = criteria.get(&item.rubric).map_or(&[][..], Vec::as_slice);
        item.differences = differences(item, keys);
    }
    Gallery { items, criteria }
}

/// The answer in the item's order, and whether the row lists the two the other way round.
fn answer(record: &Record) -> (GalleryAnswer, bool) {
    let is_turned = (record.b.as_ref())
        .is_some_and(|b| (&b.method, &b.hash) < (&record.a.method, &record.a.hash));
    let order = match (record.order, is_turned) {
        (Order::Swapped, false) | (Order::AsListed, true) if record.b.is_some() => Order::Swapped,
        _ => Order::AsListed,
    };
    let mut outcome = record.outcome.clone();
    if is_turned && let Outcome::Verdict(Verdict::Pairwise { choices, .. }) = &mut outcome {
        for (_, winner) in choices {
            *winner = winner.swapped();
        }
    }
    let said = GalleryAnswer {
        judge: record.judge.clone(),
        order,
        sample: record.sample,
        outcome,
        raw: record.raw.as_ref().map(|raw| cut(raw, WORDS_CHARS_MAX)),
        seconds: record.seconds,
        cost_usd: record.cost_usd,
        pictures: record.pictures.clone(),
    };
    (said, is_turned)
}

fn keys(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Pairwise { choices, .. } => choices.iter().map(|(key, _)| key.clone()).collect(),
        Verdict::Reconstruction { .. } => vec!["score".to_owned()],
        Verdict::Category { aspects, .. } => {
            let own = ["overall", "overall_recomputed"].map(str::to_owned);
            own.into_iter().chain(aspects.keys().cloned()).collect()
        }
    }
}

fn differences(item: &Item, keys: &[String]) -> Differences {
    let mut found = Differences::default();
    for (i, key) in keys.iter().enumerate().take(32) {
        let mut units: BTreeMap<(&Rater, u32), BTreeSet<Winner>> = BTreeMap::new();
        let mut people = 0_i64;
        for said in &item.said {
            let Some(winner) = said.verdict().and_then(|verdict| verdict.winner(key)) else {
                continue;
            };
            if said.judge.is_person() {
                people += match winner {
                    Winner::A => 1,
                    Winner::B => -1,
                    Winner::Tie => 0,
                };
            } else {
                units
                    .entry((&said.judge, said.sample))
                    .or_default()
                    .insert(winner);
            }
        }
        let agreed = |w: Winner| units.values().any(|u| u.len() == 1 && u.contains(&w));
        let bit = |is_so: bool| u32::from(is_so) << i;
        found.orders |= bit(units.values().any(|u| u.len() > 1));
        found.judges |= bit(agreed(Winner::A) && agreed(Winner::B));
        found.people |= bit(match people.signum() {
            1 => agreed(Winner::B),
            -1 => agreed(Winner::A),
            _ => false,
        });
    }
    found
}

/// What the page's script reads: the lists and items, and the chunks of words.
pub(super) fn script_data(gallery: &Gallery) -> (Value, Vec<Vec<String>>) {
    let mut lists = Lists::default();
    let mut words: Vec<String> = Vec::new();
    let mut words_bytes = 0;
    let mut items = Vec::new();
    for item in &gallery.items {
        let keys = gallery
            .criteria
            .get(&item.rubric)
            .map_or(&[][..], Vec::as_slice);
        let said: Vec<Value> = (item.said.iter())
            .map(|s| {
                let place = s.raw.as_ref().and_then(|raw| {
                    words_bytes += raw.len();
                    (words_bytes <= WORDS_BYTES_MAX).then(|| {
                        words.push(raw.clone());
                        words.len() - 1
                    })
                });
                json!([
                    lists.judges.place(s.judge.as_str()),
                    u8::from(s.order == Order::Swapped),
                    s.sample,
                    s.outcome.name(),
                    values(s, keys),
                    place,
                    s.outcome.reason().map(|r| cut(r, PROMPT_CHARS_MAX)),
                    (s.seconds * 1000.0).round() / 1000.0,
                    s.cost_usd,
                ])
            })
            .collect();
        let object = |o: &Object, lists: &mut Lists| {
            json!([lists.methods.place(&o.method), short_hash(&o.hash), o.hash])
        };
        let (cover, cover_order) = item.cover();
        items.push(json!({
            "r": lists.rubrics.place(&item.rubric),
            "c": item.category,
            "p": item.prompt.as_ref().map(|p| lists.prompts.place(&cut(p, PROMPT_CHARS_MAX))),
            "a": object(&item.a, &mut lists),
            "b": item.b.as_ref().map(|b| object(b, &mut lists)),
            "s": said,
            "d": [item.differences.orders, item.differences.judges, item.differences.people],
            "i": cover,
            "o": u8::from(cover_order == Order::Swapped),
            "j": if cover_order == Order::AsListed { item.pictures(Order::Swapped) } else { &[] },
        }));
    }
    let criteria: Vec<_> = (lists.rubrics.names.iter())
        .map(|rubric| gallery.criteria.get(rubric).cloned().unwrap_or_default())
        .collect();
    let data = json!({
        "rubrics": lists.rubrics.names, "criteria": criteria, "methods": lists.methods.names, "judges": lists.judges.names,
        "prompts": lists.prompts.names, "items": items, "wordsPerChunk": WORDS_PER_CHUNK, "human": PERSON_PREFIX,
    });
    let chunks = words
        .chunks(WORDS_PER_CHUNK)
        .map(<[String]>::to_vec)
        .collect();
    (data, chunks)
}

/// One letter a criterion for pairs (`a`, `b`, `t`ie, `u`ndecided, `-` absent), one number or null for single objects.
fn values(said: &GalleryAnswer, keys: &[String]) -> Value {
    match said.verdict() {
        None => Value::Null,
        Some(Verdict::Pairwise { choices, undecided }) => {
            let letter = |key: &String| match choices.iter().find(|(k, _)| k == key) {
                None => '-',
                Some(_) if undecided.contains(key) => 'u',
                Some((_, Winner::A)) => 'a',
                Some((_, Winner::B)) => 'b',
                Some((_, Winner::Tie)) => 't',
            };
            keys.iter().map(letter).collect::<String>().into()
        }
        Some(Verdict::Reconstruction { score }) => json!([score]),
        Some(Verdict::Category {
            aspects,
            overall,
            overall_recomputed,
            ..
        }) => {
            let number = |key: &String| match key.as_str() {
                "overall" => Some(*overall),
                "overall_recomputed" => Some(*overall_recomputed),
                key => aspects.get(key).copied(),
            };
            keys.iter().map(number).collect()
        }
    }
}

/// Names in the order of first use.
#[derive(Default)]
struct Names {
    names: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Names {
    fn place(&mut self, name: &str) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

#[derive(Default)]
struct Lists {
    rubrics: Names,
    methods: Names,
    judges: Names,
    prompts: Names,
}
