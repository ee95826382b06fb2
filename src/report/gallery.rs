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
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Longer replies are cut in the page; the export has them whole. Real ones are about 2,000 characters.
pub(super) const WORDS_CHARS_MAX: usize = 20_000;
/// Longer prompts are cut in the page.
pub(super) const PROMPT_CHARS_MAX: usize = 4_000;
/// Replies in one part, by their places.
pub(super) const WORDS_PER_PART: u64 = 256;
/// Items in one part: about 200 KB.
pub(super) const ITEMS_PER_PART: usize = 400;
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
    /// Where its words stand among those of all records; none without words.
    pub words: Option<u64>,
    /// Waited for.
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
    /// Items by the hash of what they are about, while records are taken in.
    places: HashMap<blake3::Hash, usize>,
}

/// A reply as the page shows it.
pub(super) fn cut_words(raw: &str) -> String {
    cut(raw, WORDS_CHARS_MAX)
}

impl Gallery {
    /// Takes in a record; `words` is the place of its words.
    pub(super) fn add(&mut self, record: &Record, words: u64) {
        let (said, is_turned) = answer(record, words);
        if let Some(verdict) = said.verdict() {
            if !self.criteria.contains_key(&record.rubric) {
                self.criteria.insert(record.rubric.clone(), Vec::new());
            }
            if let Some(known) = self.criteria.get_mut(&record.rubric) {
                add_keys(verdict, known);
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
        let key = blake3::hash(
            serde_json::json!([
                record.rubric,
                record.rubric_hash,
                record.category,
                record.prompt,
                [&a.method, &a.hash],
                b.as_ref().map(|b| [&b.method, &b.hash]),
            ])
            .to_string()
            .as_bytes(),
        );
        let place = *self.places.entry(key).or_insert_with(|| {
            self.items.push(Item {
                rubric: record.rubric.clone(),
                rubric_hash: record.rubric_hash.clone(),
                category: record.category.clone(),
                prompt: record.prompt.clone(),
                a,
                b,
                said: Vec::new(),
                differences: Differences::default(),
            });
            self.items.len() - 1
        });
        self.items[place].said.push(said);
    }

    /// Sorts what was taken in, and finds where answers differ.
    pub(super) fn finish(&mut self) {
        self.places = HashMap::new();
        self.items.sort_by(|x, y| {
            (x.rubric.cmp(&y.rubric))
                .then_with(|| x.rubric_hash.cmp(&y.rubric_hash))
                .then_with(|| x.category.cmp(&y.category))
                .then_with(|| x.prompt.cmp(&y.prompt))
                .then_with(|| x.a.cmp(&y.a))
                .then_with(|| x.b.cmp(&y.b))
        });
        for item in &mut self.items {
            item.said.sort_by(|x, y| {
                let key = |s: &GalleryAnswer| (s.judge.is_person(), s.sample, s.order);
                (key(x).0.cmp(&key(y).0))
                    .then_with(|| x.judge.cmp(&y.judge))
                    .then_with(|| key(x).cmp(&key(y)))
            });
            let keys = (self.criteria.get(&item.rubric)).map_or(&[][..], Vec::as_slice);
            item.differences = differences(item, keys);
        }
    }
}

/// The answer in the item's order, and whether the row lists the two the other way round.
fn answer(record: &Record, words: u64) -> (GalleryAnswer, bool) {
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
        words: record.raw.as_ref().map(|_| words),
        seconds: record.seconds,
        cost_usd: record.cost_usd,
        pictures: record.pictures.clone(),
    };
    (said, is_turned)
}

fn add_keys(verdict: &Verdict, known: &mut Vec<String>) {
    let mut add = |key: &str| {
        if !known.iter().any(|known| known == key) {
            known.push(key.to_owned());
        }
    };
    match verdict {
        Verdict::Pairwise { choices, .. } => choices.iter().for_each(|(key, _)| add(key)),
        Verdict::Reconstruction { .. } => add("score"),
        Verdict::Category { aspects, .. } => {
            let own = ["overall", "overall_recomputed"];
            own.into_iter().for_each(&mut add);
            aspects.keys().for_each(|key| add(key));
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

/// What the page's script reads: the lists of names, and the items in parts.
pub(super) fn script_data(
    gallery: &Gallery,
    pictured: impl Fn(&str) -> bool,
) -> (Value, Vec<Vec<Value>>) {
    let mut lists = Lists::default();
    let mut items = Vec::new();
    let mut outcomes = BTreeSet::new();
    let mut num_pictured = 0;
    for &place in &shown_order(gallery, &pictured) {
        let item = &gallery.items[place];
        num_pictured += usize::from(item.cover().0.iter().any(|hash| pictured(hash)));
        outcomes.extend(item.said.iter().map(|s| s.outcome.name()));
        let keys = gallery
            .criteria
            .get(&item.rubric)
            .map_or(&[][..], Vec::as_slice);
        let said: Vec<Value> = (item.said.iter())
            .map(|s| {
                json!([
                    lists.judges.place(s.judge.as_str()),
                    u8::from(s.order == Order::Swapped),
                    s.sample,
                    s.outcome.name(),
                    values(s, keys),
                    s.words,
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
        "prompts": lists.prompts.names, "numItems": items.len(), "itemsPerPart": ITEMS_PER_PART, "wordsPerPart": WORDS_PER_PART,
        "outcomes": outcomes, "hasPairs": gallery.items.iter().any(|item| item.b.is_some()), "numPictured": num_pictured, "human": PERSON_PREFIX,
    });
    let parts = items.chunks(ITEMS_PER_PART).map(<[Value]>::to_vec);
    (data, parts.collect())
}

/// Items with pictures first, the telling ones before the rest.
fn shown_order(gallery: &Gallery, pictured: impl Fn(&str) -> bool) -> Vec<usize> {
    let weight = |item: &Item| {
        let Differences {
            orders,
            judges,
            people,
        } = item.differences;
        let has_picture = item.cover().0.iter().any(|hash| pictured(hash));
        4 * u8::from(has_picture) + 2 * u8::from(people > 0) + u8::from(judges > 0 || orders > 0)
    };
    let mut order: Vec<usize> = (0..gallery.items.len()).collect();
    order.sort_by_cached_key(|&place| std::cmp::Reverse(weight(&gallery.items[place])));
    order
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
