//! Which pair a person sees next, which object is on the left, and how the answers become votes.
//!
//! Pairs, objects and pictures have ids made with a key of this process: they reveal no method and expire with the process.

use super::super::gallery::{Gallery, GalleryAnswer, Item, Object, Values};
use super::super::show::title;
use super::assets::Assets;
use crate::judge::Asset;
use crate::rubric::{Kind, Order, Rubric, Winner};
use crate::store::{Rater, Vote};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Digits of an id.
const ID_DIGITS: usize = 24;

/// What a voter says on one criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The left object is better.
    Left,
    Right,
    Tie,
}

impl Choice {
    fn winner(self, order: Order) -> Winner {
        match (self, order) {
            (Self::Tie, _) => Winner::Tie,
            (Self::Left, Order::AsListed) | (Self::Right, Order::Swapped) => Winner::A,
            (Self::Right, Order::AsListed) | (Self::Left, Order::Swapped) => Winner::B,
        }
    }
}

/// Which side each object is on for this person: random, but always the same for the same person and pair.
pub fn ballot_order(rater: &str, pair: &str) -> Order {
    let hash = blake3::hash(format!("left or right 1\n{rater}\n{pair}").as_bytes());
    Order::BOTH[usize::from(hash.as_bytes()[0] & 1)]
}

/// A criterion as a voter reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Asked {
    pub key: String,
    pub title: String,
    /// What to look at.
    pub description: String,
}

/// A pair that can be voted on.
#[derive(Debug, Clone)]
struct Pair {
    /// The same in every process: decides sides and the order of pairs.
    key: String,
    /// Decides the order of pairs, together with the rater.
    shuffle: u64,
    item: Item,
    criteria: Vec<Asked>,
}

/// All pairs, and how often each was voted on.
#[derive(Debug)]
pub(super) struct Ballot {
    pairs: BTreeMap<String, Pair>,
    /// Pair id → rater → votes.
    votes: BTreeMap<String, BTreeMap<String, usize>>,
    /// Id of an object in a pair → content hash.
    objects: BTreeMap<String, Arc<str>>,
    /// Id of a picture → content hash.
    pictures: BTreeMap<String, Arc<str>>,
    key: [u8; 32],
}

/// What a voter is shown; nothing in it reveals the generators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Shown {
    pub pair: String,
    /// Ids of the objects.
    pub left: String,
    pub right: String,
    /// Id of the sheet with the two on the same sides, where there is one.
    pub sheet: Option<String>,
    pub prompt: Option<String>,
    /// In the rubric's order.
    pub criteria: Vec<Asked>,
}

impl Ballot {
    /// Pairs of different methods on pairwise rubrics. `key` makes the ids.
    pub(super) fn new(
        gallery: &Gallery,
        rubric: Option<&Rubric>,
        assets: &Assets,
        key: [u8; 32],
    ) -> Self {
        let mut ballot = Self {
            pairs: BTreeMap::new(),
            votes: BTreeMap::new(),
            objects: BTreeMap::new(),
            pictures: BTreeMap::new(),
            key,
        };
        let mut built_in = BTreeMap::new();
        for item in &gallery.items {
            let Some(b) = &item.b else { continue };
            if b.method == item.a.method || !assets.has_both(item) {
                continue;
            }
            let known = built_in
                .entry(item.rubric.clone())
                .or_insert_with(|| Rubric::open(&item.rubric).ok());
            let criteria = asked(item, gallery, rubric.or(known.as_ref()));
            if criteria.is_empty() {
                continue;
            }
            let side = |o: &Object| format!("{}\n{}", o.hash, o.method);
            let prompt = item.prompt.as_deref().unwrap_or("");
            let stable = format!(
                "{}\n{prompt}\n{}\n{}",
                item.rubric_hash,
                side(&item.a),
                side(b)
            );
            let id = ballot.id("pair", &stable);
            for (order, object) in [("a", &item.a), ("b", b)] {
                let object_id = ballot.id("object", &format!("{id}{order}"));
                ballot.objects.insert(object_id, Arc::clone(&object.hash));
            }
            for order in Order::BOTH {
                if let Some(hash) = item.pictures(order).first() {
                    let picture_id = ballot.id("picture", hash);
                    ballot.pictures.insert(picture_id, Arc::clone(hash));
                }
            }
            for said in item.said.iter().filter(|said| said.judge.is_person()) {
                let rater = said.judge.short_name();
                *ballot
                    .votes
                    .entry(id.clone())
                    .or_default()
                    .entry(rater.to_owned())
                    .or_default() += 1;
            }
            let pair = Pair {
                shuffle: short_hash(&stable),
                key: stable,
                item: item.clone(),
                criteria,
            };
            ballot.pairs.insert(id, pair);
        }
        ballot
    }

    fn id(&self, what: &str, of: &str) -> String {
        let hash = blake3::keyed_hash(&self.key, format!("{what}\n{of}").as_bytes());
        hash.to_hex().chars().take(ID_DIGITS).collect()
    }

    /// Pairs that this person has voted on, and all.
    pub(super) fn progress(&self, rater: &str) -> (usize, usize) {
        let done = self
            .votes
            .values()
            .filter(|by| by.contains_key(rater))
            .count();
        (done, self.pairs.len())
    }

    /// The next pair: one that this person has not seen, of these one with the fewest votes, of these by a shuffle of the person's own.
    pub(super) fn next(&self, rater: &str) -> Option<Shown> {
        let of_rater = short_hash(rater);
        let open = self
            .pairs
            .iter()
            .filter(|(id, _)| !self.votes.get(*id).is_some_and(|by| by.contains_key(rater)));
        let (id, pair) = open.min_by_key(|(id, pair)| {
            let votes: usize = self.votes.get(*id).map_or(0, |by| by.values().sum());
            (votes, mixed(pair.shuffle ^ of_rater))
        })?;
        let order = ballot_order(rater, &pair.key);
        let object = |side: &str| self.id("object", &format!("{id}{side}"));
        let (left, right) = match order {
            Order::AsListed => (object("a"), object("b")),
            Order::Swapped => (object("b"), object("a")),
        };
        Some(Shown {
            pair: id.clone(),
            left,
            right,
            sheet: pair
                .item
                .pictures(order)
                .first()
                .map(|hash| self.id("picture", hash)),
            prompt: pair.item.prompt.as_deref().map(str::to_owned),
            criteria: pair.criteria.clone(),
        })
    }

    /// The content hash of an object that a voter sees.
    pub(super) fn object(&self, id: &str) -> Option<&str> {
        self.objects.get(id).map(|hash| &**hash)
    }

    /// The content hash of a picture that a voter sees.
    pub(super) fn picture(&self, id: &str) -> Option<&str> {
        self.pictures.get(id).map(|hash| &**hash)
    }

    /// The vote as the run keeps it; none where the pair is unknown or not every criterion has its answer.
    pub(super) fn vote(
        &self,
        rater: &str,
        pair: &str,
        choices: &BTreeMap<String, Choice>,
        seconds: f64,
        assets: &Assets,
    ) -> Option<Vote> {
        let Pair {
            key,
            item,
            criteria,
            ..
        } = self.pairs.get(pair)?;
        let order = ballot_order(rater, key);
        let known: BTreeSet<&String> = criteria.iter().map(|c| &c.key).collect();
        if known != choices.keys().collect() {
            return None;
        }
        let asset = |object: &Object| Asset {
            path: assets.path(&object.hash),
            hash: object.hash.to_string(),
            method: object.method.to_string(),
        };
        Some(Vote {
            judge: Rater::person(rater),
            rubric: item.rubric.to_string(),
            rubric_hash: item.rubric_hash.to_string(),
            prompt: item.prompt.as_deref().map(str::to_owned),
            a: asset(&item.a),
            b: asset(item.b.as_ref()?),
            order,
            sample: 0,
            choices: (criteria.iter())
                .filter_map(|c| Some((c.key.clone(), choices.get(&c.key)?.winner(order))))
                .collect(),
            seconds,
            origin: "page".to_owned(),
            source: None,
        })
    }

    /// Remembers a vote that was kept; a corrected one counts once.
    pub(super) fn voted(&mut self, rater: &str, pair: &str) {
        self.votes
            .entry(pair.to_owned())
            .or_default()
            .insert(rater.to_owned(), 1);
    }
}

fn short_hash(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let (first, _) = hash.as_bytes().split_at(8);
    u64::from_le_bytes(first.try_into().expect("eight bytes"))
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit. A run has hundreds of thousands of pairs, and
/// a person waits for the next one.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The rubric's criteria where its file is at hand, else the keys that verdicts hold.
fn asked(item: &Item, gallery: &Gallery, rubric: Option<&Rubric>) -> Vec<Asked> {
    if let Some(rubric) = rubric.filter(|r| r.kind() == Kind::Pairwise && r.name() == &*item.rubric)
    {
        let one = |c: &crate::rubric::Criterion| Asked {
            key: c.key.clone(),
            title: c.title.clone(),
            description: c.description.clone(),
        };
        return rubric.criteria(None).iter().map(one).collect();
    }
    let is_pairwise = |said: &GalleryAnswer| matches!(said.values, Values::Pair(_));
    if !item.said.iter().any(is_pairwise) {
        return Vec::new();
    }
    let keys = gallery
        .criteria
        .get(&*item.rubric)
        .map_or(&[][..], Vec::as_slice);
    let one = |key: &String| Asked {
        key: key.clone(),
        title: title(key),
        description: String::new(),
    };
    keys.iter().map(one).collect()
}
