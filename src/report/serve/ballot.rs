//! Which pair a person sees next, or which object with a checklist, who is on the left, and how the
//! answers become votes.
//!
//! Pairs, objects and pictures have ids made with a secret key, so they reveal no method.

use super::super::gallery::{Gallery, GalleryAnswer, Item, Object, Values};
use super::super::invited::CheckAnswer;
use super::super::show::title;
use super::assets::{Assets, Content};
use super::checks::{CHECKS_MAX, check_answer, check_kind};
use crate::judge::{Asset, PhotoKey};
use crate::results::short_hash;
use crate::rubric::{Order, Rubric, Winner};
use crate::store::{Rater, Vote};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Digits of an id.
const ID_DIGITS: usize = 24;

/// A voter's answer on one criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// The left object is better.
    Left,
    Right,
    Tie,
    /// Neither is good: a tie that is counted separately.
    Bad,
    /// To an item of a checklist.
    Yes,
    Partly,
    No,
}

impl Choice {
    fn winner(self, order: Order) -> Winner {
        match (self, order) {
            (Self::Tie | Self::Bad | Self::Partly, _) => Winner::Tie,
            (Self::Yes, _) => Winner::A,
            (Self::No, _) => Winner::B,
            (Self::Left, Order::AsListed) | (Self::Right, Order::Swapped) => Winner::A,
            (Self::Right, Order::AsListed) | (Self::Left, Order::Swapped) => Winner::B,
        }
    }
}

impl Choice {
    /// Whether it answers an item of a checklist.
    fn is_of_item(self) -> bool {
        matches!(self, Self::Yes | Self::Partly | Self::No)
    }
}

/// The picture of both objects in that order, or of one.
fn sheet(item: &Item, order: Order) -> Option<&Arc<str>> {
    let mut pictures = item.pictures(order).iter();
    pictures.find(|picture| !item.photos().contains(picture))
}

/// Each object's side for this person: random, but constant for a person and pair.
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

/// A pair that can be voted on, or an object with a checklist.
#[derive(Debug, Clone)]
struct Pair {
    /// The same in every process: decides sides and the order of pairs.
    key: String,
    /// Decides the order of pairs, together with the rater.
    shuffle: u64,
    item: Item,
    criteria: Vec<Asked>,
}

impl Pair {
    fn order(&self, rater: &str) -> Order {
        match self.item.b {
            Some(_) => ballot_order(rater, &self.key),
            None => Order::AsListed,
        }
    }
}

/// A pair whose right answer is known: an object of a pair against itself, damaged.
#[derive(Debug, Clone)]
struct Check {
    /// Decides the kind of damage.
    number: usize,
    /// The same in every process.
    key: String,
    prompt: Option<Arc<str>>,
    photos: Vec<(String, Arc<str>)>,
    criteria: Vec<Asked>,
}

/// The run's vote of one rater on one pair.
#[derive(Debug, Clone, Default)]
struct Kept {
    /// Given on this page: the run as read may be older.
    is_ours: bool,
    /// More than one only where a file was imported.
    count: usize,
    /// The choice on each criterion as a letter, in the order asked, of the last.
    letters: String,
    seconds: f64,
}

/// All pairs, and how often each was voted on.
#[derive(Debug, Default)]
pub(super) struct Ballot {
    pairs: BTreeMap<String, Pair>,
    checks: BTreeMap<String, Check>,
    /// Pair id → rater → votes.
    votes: BTreeMap<String, BTreeMap<String, Kept>>,
    /// Id of an object in a pair → its asset.
    objects: BTreeMap<String, Content>,
    /// Id of a picture → content hash.
    pictures: BTreeMap<String, Arc<str>>,
    key: [u8; 32],
}

/// The content of a ballot; nothing in it reveals the generators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Shown {
    pub pair: String,
    /// Ids of the objects.
    pub left: String,
    /// None for a checklist.
    pub right: Option<String>,
    /// Id of the sheet with the two on the same sides, where there is one.
    pub sheet: Option<String>,
    pub prompt: Option<String>,
    /// The photos that both were made from.
    pub photos: Vec<ShownPhoto>,
    /// In the rubric's order.
    pub criteria: Vec<Asked>,
    /// The vote that this one would replace, so that a repeated vote is recognised.
    pub ticket: String,
}

/// A photo of a ballot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ShownPhoto {
    /// Of its picture.
    pub id: String,
    /// The name of the side that it shows; empty where there is one photo.
    pub side: String,
}

/// The photos of an item with the names of their sides.
fn photos(item: &Item) -> Vec<(String, Arc<str>)> {
    let sides = item.photo.iter().flat_map(|photo| &photo.photo_sides).cloned();
    let sides = sides.chain(std::iter::repeat(String::new()));
    sides.zip(item.photos().iter().cloned()).collect()
}

/// The relation of a vote to the run's vote of its rater and pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is the next.
    New,
    /// The run holds the same.
    Same,
    /// It was given before the run's present vote.
    Stale,
}

impl Ballot {
    /// Pairs of different methods on pairwise rubrics, and objects on checklists of fixed items.
    /// `key` makes the ids. With checks, no pair has a sheet, which would reveal a check.
    pub(super) fn new(
        gallery: &Gallery,
        rubric: Option<&Rubric>,
        assets: &Assets,
        key: [u8; 32],
        has_checks: bool,
    ) -> Self {
        let mut ballot = Self { key, ..Self::default() };
        let (mut built_in, mut has_file) = (BTreeMap::new(), BTreeMap::new());
        for item in &gallery.items {
            let is_same = |b: &Object| b.method == item.a.method;
            if item.b.as_ref().is_some_and(is_same) || !assets.has_all(item) {
                continue;
            }
            let has_sheet =
                !has_checks && Order::BOTH.into_iter().any(|order| sheet(item, order).is_some());
            let mut is_there = |object: &Object| {
                let hash = Arc::clone(&object.hash);
                *has_file.entry(hash).or_insert_with_key(|hash| assets.has_file(hash))
            };
            // There would be nothing to see.
            let is_visible = has_sheet || item.b.iter().chain([&item.a]).all(&mut is_there);
            if !is_visible {
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
            let photo = item.photo.as_ref().map(PhotoKey::to_text).unwrap_or_default();
            let b = item.b.as_ref().map(side).unwrap_or_default();
            let stable = format!("{}\n{prompt}\n{}\n{b}{photo}", item.rubric_hash, side(&item.a));
            let id = ballot.id("pair", &stable);
            for (order, object) in ["a", "b"].into_iter().zip([&item.a].into_iter().chain(&item.b))
            {
                let object_id = ballot.id("object", &format!("{id}{order}"));
                let hash = Arc::clone(&object.hash);
                ballot.objects.insert(object_id, Content { hash, check: None });
            }
            let orders = Order::BOTH.into_iter().filter(|_| !has_checks);
            for hash in orders.filter_map(|order| sheet(item, order)).chain(item.photos()) {
                let picture_id = ballot.id("picture", hash);
                ballot.pictures.insert(picture_id, Arc::clone(hash));
            }
            let keys = gallery.criteria.get(&*item.rubric).map_or(&[][..], Vec::as_slice);
            for said in item.said.iter().filter(|said| said.judge.is_person()) {
                let of_pair = ballot.votes.entry(id.clone()).or_default();
                let kept = of_pair.entry(said.judge.short_name().to_owned()).or_default();
                kept.count += 1;
                let place = |asked: &Asked| keys.iter().position(|key| *key == asked.key);
                let letter = |asked| {
                    let said = place(asked).and_then(|place| said.vote_letter(place));
                    said.map_or('-', char::from)
                };
                kept.letters = criteria.iter().map(letter).collect();
                kept.seconds = said.seconds;
            }
            let pair =
                Pair { shuffle: short_hash(&stable), key: stable, item: item.clone(), criteria };
            ballot.pairs.insert(id, pair);
        }
        if has_checks {
            ballot.add_checks();
        }
        ballot
    }

    /// Spread over the pairs, so that checks look like them.
    fn add_checks(&mut self) {
        let mut pairs: Vec<&Pair> =
            self.pairs.values().filter(|pair| pair.item.b.is_some()).collect();
        pairs.sort_by_key(|pair| mixed(pair.shuffle));
        let mut made = Vec::new();
        for (number, pair) in pairs.into_iter().take(CHECKS_MAX).enumerate() {
            let key = format!("{}\n{}", pair.item.a.hash, check_kind(number).name);
            let id = self.id("pair", &format!("check\n{key}"));
            let hash = Arc::clone(&pair.item.a.hash);
            for (side, check) in [("a", None), ("b", Some(number))] {
                let content = Content { hash: Arc::clone(&hash), check };
                made.push((self.id("object", &format!("{id}{side}")), content));
            }
            let check = Check {
                number,
                key,
                prompt: pair.item.prompt.clone(),
                photos: photos(&pair.item),
                criteria: pair.criteria.clone(),
            };
            self.checks.insert(id, check);
        }
        self.objects.extend(made);
    }

    fn id(&self, what: &str, of: &str) -> String {
        let hash = blake3::keyed_hash(&self.key, format!("{what}\n{of}").as_bytes());
        hash.to_hex().chars().take(ID_DIGITS).collect()
    }

    /// Pairs that this person has voted on, and all.
    pub(super) fn progress(&self, rater: &str) -> (usize, usize) {
        let done = self.votes.values().filter(|by| by.contains_key(rater)).count();
        (done, self.pairs.len())
    }

    /// The next pair: among pairs that this person has not seen, one with the fewest votes, in a
    /// personal random order. `skipped` are pairs that this person's browser could not show.
    pub(super) fn next(&self, rater: &str, skipped: &[String]) -> Option<Shown> {
        let of_rater = short_hash(rater);
        let is_open = |id: &String| {
            !self.votes.get(id).is_some_and(|by| by.contains_key(rater)) && !skipped.contains(id)
        };
        let open = self.pairs.iter().filter(|(id, _)| is_open(id));
        let (id, _) = open.min_by_key(|(id, pair)| {
            let votes: usize =
                self.votes.get(*id).map_or(0, |by| by.values().map(|kept| kept.count).sum());
            (votes, mixed(pair.shuffle ^ of_rater))
        })?;
        self.shown(rater, id)
    }

    /// A check that this person has not seen; `seen` are the keys of those answered.
    pub(super) fn next_check(
        &self,
        rater: &str,
        skipped: &[String],
        seen: impl Fn(&str) -> bool,
    ) -> Option<Shown> {
        let of_rater = short_hash(rater);
        let is_open = |id: &String, check: &Check| !seen(&check.key) && !skipped.contains(id);
        let open = self.checks.iter().filter(|(id, check)| is_open(id, check));
        let (id, _) = open.min_by_key(|(_, check)| mixed(short_hash(&check.key) ^ of_rater))?;
        self.shown(rater, id)
    }

    /// A pair or check as its rater sees it.
    fn shown(&self, rater: &str, id: &str) -> Option<Shown> {
        let (pair, check) = (self.pairs.get(id), self.checks.get(id));
        let of_pair = pair.map(|pair| (&pair.key, &pair.item.prompt, &pair.criteria));
        let of_check = check.map(|check| (&check.key, &check.prompt, &check.criteria));
        let (key, prompt, criteria) = of_pair.or(of_check)?;
        let order = pair.map_or_else(|| ballot_order(rater, key), |pair| pair.order(rater));
        let object = |side: &str| self.id("object", &format!("{id}{side}"));
        let (left, right) = match order {
            _ if pair.is_some_and(|pair| pair.item.b.is_none()) => (object("a"), None),
            Order::AsListed => (object("a"), Some(object("b"))),
            Order::Swapped => (object("b"), Some(object("a"))),
        };
        let item = pair.map(|pair| &pair.item);
        let picture = item.and_then(|item| sheet(item, order));
        let picture = picture.map(|hash| self.id("picture", hash));
        let of_check = || check.map(|check| check.photos.clone());
        let photos = item.map(photos).or_else(of_check).unwrap_or_default();
        let photo =
            |(side, hash): (String, Arc<str>)| ShownPhoto { id: self.id("picture", &hash), side };
        Some(Shown {
            pair: id.to_owned(),
            left,
            right,
            sheet: picture.filter(|picture| self.pictures.contains_key(picture)),
            prompt: prompt.as_deref().map(str::to_owned),
            photos: photos.into_iter().map(photo).collect(),
            criteria: criteria.clone(),
            ticket: self.ticket(rater, id),
        })
    }

    /// Goes with the file of an object or picture, so that a vote can prove which files it is
    /// about. Made from the file's content hash.
    pub(super) fn receipt(&self, id: &str) -> Option<String> {
        let content = match (self.objects.get(id), self.pictures.get(id)) {
            (Some(Content { hash, check }), _) => format!("{hash} {check:?}"),
            (None, Some(hash)) => hash.to_string(),
            (None, None) => return None,
        };
        Some(self.id("receipt", &format!("{id}\n{content}")))
    }

    /// Whether these are the receipts of one pair: of both objects, or of the sheet that shows
    /// them, and of all its photos.
    pub(super) fn is_drawn(&self, rater: &str, pair: &str, receipts: &[String]) -> bool {
        let Some(shown) = self.shown(rater, pair) else {
            return false;
        };
        let given: BTreeSet<&String> = receipts.iter().collect();
        let is_given = |ids: &[&String]| {
            let photos = shown.photos.iter().map(|photo| &photo.id);
            let wanted: Option<BTreeSet<String>> =
                ids.iter().copied().chain(photos).map(|id| self.receipt(id)).collect();
            wanted.is_some_and(|wanted| wanted.iter().collect::<BTreeSet<_>>() == given)
        };
        let objects: Vec<&String> = [&shown.left].into_iter().chain(&shown.right).collect();
        is_given(&objects) || shown.sheet.as_ref().is_some_and(|sheet| is_given(&[sheet]))
    }

    /// Identifies the run's vote of this person on this pair.
    pub(super) fn ticket(&self, rater: &str, pair: &str) -> String {
        let kept = self.votes.get(pair).and_then(|by| by.get(rater));
        let kept =
            kept.map_or_else(String::new, |kept| format!("{} {:.3}", kept.letters, kept.seconds));
        self.id("ticket", &format!("{rater}\n{pair}\n{kept}"))
    }

    /// Whether a vote made of `ticket` may be written; without a ticket, always.
    pub(super) fn standing(
        &self,
        rater: &str,
        pair: &str,
        ticket: Option<&str>,
        vote: &Vote,
    ) -> Standing {
        let kept = self.votes.get(pair).and_then(|by| by.get(rater));
        match ticket {
            Some(ticket)
                if kept.is_some_and(|kept| {
                    kept.letters == letters(vote) && ticket != self.ticket(rater, pair)
                }) =>
            {
                Standing::Same
            }
            Some(ticket) if ticket != self.ticket(rater, pair) => Standing::Stale,
            _ => Standing::New,
        }
    }

    /// What this person's answers to a check say, with the check's key; none where it is no check
    /// or not every criterion has its answer.
    pub(super) fn check(
        &self,
        rater: &str,
        id: &str,
        choices: &BTreeMap<String, Choice>,
    ) -> Option<(&str, CheckAnswer)> {
        let check = self.checks.get(id)?;
        let order = ballot_order(rater, &check.key);
        if !are_all(&check.criteria, choices, false) {
            return None;
        }
        let winners = choices.iter().map(|(key, choice)| (key.as_str(), choice.winner(order)));
        Some((&check.key, check_answer(check_kind(check.number), winners)))
    }

    /// An object that a voter sees.
    pub(super) fn object(&self, id: &str) -> Option<&Content> {
        self.objects.get(id)
    }

    /// The content hash of a picture that a voter sees.
    pub(super) fn picture(&self, id: &str) -> Option<&str> {
        self.pictures.get(id).map(|hash| &**hash)
    }

    /// The vote as the run keeps it; none if the pair is unknown or a criterion has no answer.
    pub(super) fn vote(
        &self,
        rater: &str,
        pair: &str,
        choices: &BTreeMap<String, Choice>,
        seconds: f64,
        assets: &Assets,
    ) -> Option<Vote> {
        let pair = self.pairs.get(pair)?;
        let (Pair { item, criteria, .. }, order) = (pair, pair.order(rater));
        if !are_all(criteria, choices, item.b.is_none()) {
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
            photo: item.photo.clone(),
            a: asset(&item.a),
            b: item.b.as_ref().map(asset),
            order,
            sample: 0,
            choices: criteria
                .iter()
                .filter_map(|c| Some((c.key.clone(), choices.get(&c.key)?.winner(order))))
                .collect(),
            both_bad: criteria
                .iter()
                .filter(|c| choices.get(&c.key) == Some(&Choice::Bad))
                .map(|c| c.key.clone())
                .collect(),
            seconds,
            origin: "page".to_owned(),
            source: None,
        })
    }

    /// Keeps data newer than the run as read: later votes, and the pairs on voters' screens.
    pub(super) fn go_on_from(&mut self, before: &Self) {
        for (pair, by) in &before.votes {
            for (rater, kept) in by.iter().filter(|(_, kept)| kept.is_ours) {
                let of_pair = self.votes.entry(pair.clone()).or_default();
                of_pair.insert(rater.clone(), kept.clone());
            }
        }
        for (id, check) in &before.checks {
            self.checks.entry(id.clone()).or_insert_with(|| check.clone());
        }
        for (id, object) in &before.objects {
            self.objects.entry(id.clone()).or_insert_with(|| object.clone());
        }
    }

    /// Remembers a vote that was kept; a corrected one counts once.
    pub(super) fn voted(&mut self, rater: &str, pair: &str, vote: &Vote) {
        let kept = Kept { is_ours: true, count: 1, letters: letters(vote), seconds: vote.seconds };
        self.votes.entry(pair.to_owned()).or_default().insert(rater.to_owned(), kept);
    }
}

/// Whether each criterion has its answer, and nothing else has; of a checklist or of a pair.
fn are_all(criteria: &[Asked], choices: &BTreeMap<String, Choice>, is_of_items: bool) -> bool {
    let known: BTreeSet<&String> = criteria.iter().map(|c| &c.key).collect();
    known == choices.keys().collect()
        && choices.values().all(|choice| choice.is_of_item() == is_of_items)
}

/// The choices in the order asked.
fn letters(vote: &Vote) -> String {
    let letter = |(key, winner): &(String, Winner)| match winner {
        Winner::A => 'a',
        Winner::B => 'b',
        Winner::Tie if vote.both_bad.contains(key) => 'x',
        Winner::Tie => 't',
    };
    vote.choices.iter().map(letter).collect()
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit. A run
/// has hundreds of thousands of pairs, and a person waits for the next one.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The rubric's criteria where its file is at hand, else the keys that verdicts hold.
fn asked(item: &Item, gallery: &Gallery, rubric: Option<&Rubric>) -> Vec<Asked> {
    let is_fit = |rubric: &&Rubric| match item.b {
        Some(_) => rubric.is_of_pairs(),
        None => rubric.yes().is_some(),
    };
    if let Some(rubric) = rubric.filter(|r| is_fit(r) && r.name() == &*item.rubric) {
        let one = |c: &crate::rubric::Criterion| Asked {
            key: c.key.clone(),
            title: c.title.clone(),
            description: c.for_people.as_ref().unwrap_or(&c.description).clone(),
        };
        return rubric.criteria(None).iter().map(one).collect();
    }
    let is_pairwise = |said: &GalleryAnswer| matches!(said.values, Values::Pair(_));
    if !item.said.iter().any(is_pairwise) {
        return Vec::new();
    }
    let keys = gallery.criteria.get(&*item.rubric).map_or(&[][..], Vec::as_slice);
    let one =
        |key: &String| Asked { key: key.clone(), title: title(key), description: String::new() };
    keys.iter().map(one).collect()
}
