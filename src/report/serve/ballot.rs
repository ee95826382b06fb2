//! Which pair a person sees next, or which object with a checklist, who is on the left, and how the
//! answers become votes.
//!
//! Pairs, objects and pictures have ids made with a secret key, so they reveal no method.

use super::super::gallery::{Object, Texts, add_keys, first_photos, item_order, own_pictures};
use super::super::invited::CheckAnswer;
use super::super::show::title;
use super::assets::{Assets, Content};
use super::checks::{CHECKS_MAX, KINDS, check_answer, check_kind};
use crate::error::Error;
use crate::judge::{Asset, PhotoKey};
use crate::results::{Current, short_hash};
use crate::rubric::{Order, Rubric, Verdict, Winner};
use crate::store::{Rater, Record, Store, Vote};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
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

/// A pair, or an object with a checklist.
#[derive(Debug)]
struct Pair {
    /// The same in every process: decides sides and the order of pairs.
    key: String,
    /// Decides the order of pairs, together with the rater.
    shuffle: u64,
    rubric: Arc<str>,
    rubric_hash: Arc<str>,
    prompt: Option<Arc<str>>,
    photo: Option<PhotoKey>,
    /// The first by name.
    a: Object,
    b: Option<Object>,
    /// The run that asked about it.
    folder: Arc<Path>,
    /// Those of the first question in each order.
    listed: Box<[Arc<str>]>,
    swapped: Box<[Arc<str>]>,
    /// Whether an answer has the keys of its criteria.
    has_keys: bool,
    /// Whether it can be shown and answered.
    is_offered: bool,
    /// Ids of the votes of each rater: more than one only where a file was imported.
    votes: BTreeMap<String, BTreeSet<String>>,
}

impl Pair {
    fn objects(&self) -> impl Iterator<Item = &Object> {
        std::iter::once(&self.a).chain(&self.b)
    }

    fn photos(&self) -> &[Arc<str>] {
        first_photos(&self.listed, &self.swapped)
    }

    /// The picture of both objects in that order, or of one.
    fn sheet(&self, order: Order) -> Option<&Arc<str>> {
        let all = match order {
            Order::AsListed => &self.listed,
            Order::Swapped => &self.swapped,
        };
        let mut own = own_pictures(all, self.photo.as_ref()).iter();
        own.find(|picture| !self.photos().contains(picture))
    }
}

/// A pair whose right answer is known: an object of a pair against itself, damaged.
#[derive(Debug)]
struct Check {
    id: String,
    /// The same in every process.
    key: String,
    /// Number of the kind of damage.
    kind: usize,
    /// Id of the pair whose first object, prompt and criteria it has.
    pair: String,
}

/// What was read of a run.
#[derive(Debug)]
struct Reading {
    newest_attempt: i64,
    current: Current,
}

/// All pairs, and how often each was voted on.
#[derive(Debug, Default)]
pub(super) struct Ballot {
    /// By id.
    pairs: BTreeMap<String, Pair>,
    /// In their order; the first [`CHECKS_MAX`] are asked. Others were once.
    checks: BTreeMap<u64, Check>,
    /// Id of an object in a pair → its asset.
    objects: BTreeMap<String, Content>,
    /// Id of a picture → content hash.
    pictures: BTreeMap<String, Arc<str>>,
    /// Keys of each rubric's criteria, in its order.
    keys: BTreeMap<Arc<str>, Vec<String>>,
    built_in: BTreeMap<Arc<str>, Option<Rubric>>,
    texts: Texts,
    runs: BTreeMap<PathBuf, Reading>,
    rubric: Option<Rubric>,
    key: [u8; 32],
    has_checks: bool,
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

impl Ballot {
    /// Without pairs. `rubric` is the one whose titles and descriptions a voter reads; `key` makes
    /// the ids. With checks, no pair has a sheet, which would reveal a check.
    pub(super) fn new(rubric: Option<Rubric>, key: [u8; 32], has_checks: bool) -> Self {
        Self { rubric, key, has_checks, ..Self::default() }
    }

    /// Reads the new attempts of these runs: about pairs of different methods on pairwise rubrics,
    /// objects on checklists of fixed items, and votes. A run that vanished has none.
    ///
    /// # Errors
    /// A run that cannot be read.
    pub(super) fn read(&mut self, runs: &[PathBuf], assets: &Assets) -> Result<(), Error> {
        for run in runs {
            if let Some(store) = Store::find(run)?
                && !self.has_read(run, &store, assets)?
            {
                *self = Self::new(self.rubric.take(), self.key, self.has_checks);
                return self.read(runs, assets);
            }
        }
        Ok(())
    }

    /// False where earlier records are no longer about what the benchmark has.
    fn has_read(&mut self, run: &Path, store: &Store, assets: &Assets) -> Result<bool, Error> {
        let newest_attempt = store.begin()?;
        let before = self.runs.get(run);
        let read = before.map_or(0, |before| before.newest_attempt);
        if read == newest_attempt {
            return Ok(true);
        }
        let current = Current::of(store)?;
        if before.is_some_and(|before| !current.goes_on_from(&before.current)) {
            return Ok(false);
        }
        assets.read(store)?;
        let folder: Arc<Path> = run.into();
        let mut changed = BTreeSet::new();
        store.records_since(read, |record| {
            if current.has(&record) {
                changed.extend(self.add(&record, &folder));
            }
            Ok::<(), Error>(())
        })?;
        let mut has_file = BTreeMap::new();
        for id in changed {
            self.offer(&id, |hash| {
                *has_file.entry(Arc::clone(hash)).or_insert_with(|| assets.has_file(hash))
            });
        }
        self.runs.insert(run.to_owned(), Reading { newest_attempt, current });
        Ok(true)
    }

    /// Adds a record, and returns the id of its pair; none where people cannot answer.
    fn add(&mut self, record: &Record, folder: &Arc<Path>) -> Option<String> {
        let (order, is_turned) = item_order(record);
        let (mut a, mut b) = (&record.a, record.b.as_ref());
        if let (true, Some(second)) = (is_turned, &mut b) {
            std::mem::swap(&mut a, second);
        }
        if record.is_of_prompt() || b.is_some_and(|b| b.method == a.method) {
            return None;
        }
        let side = |asset: &Asset| format!("{}\n{}", asset.hash, asset.method);
        let key = format!(
            "{}\n{}\n{}\n{}{}",
            record.rubric_hash,
            record.prompt.as_deref().unwrap_or_default(),
            side(a),
            b.map(side).unwrap_or_default(),
            record.photo.as_ref().map(PhotoKey::to_text).unwrap_or_default(),
        );
        let id = self.id("pair", &key);
        let is_vote = record.judge.is_person();
        if record.verdict().is_none() && !record.judge.is_asked() {
            let pair = self.pairs.get_mut(&id).filter(|_| is_vote)?;
            let of_rater = pair.votes.get_mut(record.judge.short_name())?;
            of_rater.remove(&record.id);
            if of_rater.is_empty() {
                pair.votes.remove(record.judge.short_name());
            }
            return Some(id);
        }
        let texts = &mut self.texts;
        let pair = self.pairs.entry(id.clone()).or_insert_with(|| {
            let mut object = |asset: &Asset| Object {
                method: texts.shared(&asset.method),
                hash: texts.shared(&asset.hash),
            };
            let (a, b) = (object(a), b.map(&mut object));
            Pair {
                shuffle: short_hash(&key),
                key,
                rubric: texts.shared(&record.rubric),
                rubric_hash: texts.shared(&record.rubric_hash),
                prompt: record.prompt.as_deref().map(|text| texts.shared(text)),
                photo: record.photo.clone(),
                a,
                b,
                folder: Arc::clone(folder),
                listed: Box::default(),
                swapped: Box::default(),
                has_keys: false,
                is_offered: false,
                votes: BTreeMap::new(),
            }
        });
        let pictures = match order {
            Order::AsListed => &mut pair.listed,
            Order::Swapped => &mut pair.swapped,
        };
        if pictures.is_empty() {
            *pictures = record.pictures.iter().map(|hash| self.texts.shared(hash)).collect();
        }
        let known = self.keys.entry(Arc::clone(&pair.rubric)).or_default();
        if let Some(verdict) = record.verdict() {
            pair.has_keys |= matches!(verdict, Verdict::Pairwise { .. });
            add_keys(verdict, known);
        }
        if is_vote {
            let of_rater = pair.votes.entry(record.judge.short_name().to_owned());
            of_rater.or_default().insert(record.id.clone());
        }
        Some(id)
    }

    /// Offers a pair if there is something to see and to answer.
    fn offer(&mut self, id: &str, mut has_file: impl FnMut(&Arc<str>) -> bool) {
        let Some(pair) = self.pairs.get(id) else { return };
        let known = self.built_in.entry(Arc::clone(&pair.rubric));
        known.or_insert_with_key(|name| Rubric::open(name).ok());
        let orders = Order::BOTH.into_iter().filter(|_| !self.has_checks);
        let sheets: Vec<&Arc<str>> = orders.filter_map(|order| pair.sheet(order)).collect();
        let is_visible = !sheets.is_empty() || pair.objects().all(|it| has_file(&it.hash));
        if !is_visible || !(pair.has_keys || self.rubric_of(pair).is_some()) {
            return;
        }
        let picture = |hash: &Arc<str>| (self.id("picture", hash), Arc::clone(hash));
        let pictures: Vec<_> = sheets.into_iter().chain(pair.photos()).map(picture).collect();
        let mut objects: Vec<_> = ["a", "b"]
            .iter()
            .zip(pair.objects())
            .map(|(side, object)| {
                let content = Content { hash: Arc::clone(&object.hash), check: None };
                (self.id("object", &format!("{id}{side}")), content)
            })
            .collect();
        let rank = mixed(pair.shuffle);
        if self.has_checks
            && pair.b.is_some()
            && !self.checks.contains_key(&rank)
            && self.checks.range(..rank).take(CHECKS_MAX).count() < CHECKS_MAX
        {
            let kind = (mixed(rank) % KINDS.len() as u64) as usize;
            let key = format!("{}\n{}", pair.a.hash, check_kind(kind).name);
            let check_id = self.id("pair", &format!("check\n{key}"));
            for (side, check) in [("a", None), ("b", Some(kind))] {
                let content = Content { hash: Arc::clone(&pair.a.hash), check };
                objects.push((self.id("object", &format!("{check_id}{side}")), content));
            }
            self.checks.insert(rank, Check { id: check_id, key, kind, pair: id.to_owned() });
        }
        self.pictures.extend(pictures);
        self.objects.extend(objects);
        if let Some(pair) = self.pairs.get_mut(id) {
            pair.is_offered = true;
        }
    }

    fn id(&self, what: &str, of: &str) -> String {
        id(&self.key, what, of)
    }

    fn offered(&self) -> impl Iterator<Item = (&String, &Pair)> {
        self.pairs.iter().filter(|(_, pair)| pair.is_offered)
    }

    fn check_of(&self, id: &str) -> Option<&Check> {
        self.checks.values().find(|check| check.id == id)
    }

    /// The rubric of a pair, where its file is at hand.
    fn rubric_of(&self, pair: &Pair) -> Option<&Rubric> {
        let built_in = self.built_in.get(&pair.rubric).and_then(Option::as_ref);
        self.rubric.iter().chain(built_in).find(|rubric| {
            rubric.name() == &*pair.rubric
                && if pair.b.is_some() { rubric.is_of_pairs() } else { rubric.yes().is_some() }
        })
    }

    /// The rubric's criteria where its file is at hand, else the keys that verdicts have.
    fn criteria(&self, pair: &Pair) -> Vec<Asked> {
        let Some(rubric) = self.rubric_of(pair) else {
            let keys = self.keys.get(&pair.rubric).map_or(&[][..], Vec::as_slice);
            let one = |key: &String| Asked {
                key: key.clone(),
                title: title(key),
                description: String::new(),
            };
            return keys.iter().map(one).collect();
        };
        let one = |c: &crate::rubric::Criterion| Asked {
            key: c.key.clone(),
            title: c.title.clone(),
            description: c.for_people.as_ref().unwrap_or(&c.description).clone(),
        };
        rubric.criteria(None).iter().map(one).collect()
    }

    /// Whether there is anything to vote on.
    pub(super) fn has_pairs(&self) -> bool {
        self.offered().next().is_some()
    }

    /// Pairs that this person has voted on, all pairs, and the next one: among those that this
    /// person has not seen, one with the fewest votes, in a personal random order. `skipped` are
    /// pairs that this person's browser could not show.
    pub(super) fn next(&self, rater: &str, skipped: &[String]) -> (usize, usize, Option<&str>) {
        let of_rater = short_hash(rater);
        let (mut done, mut total, mut first) = (0, 0, None);
        for (id, pair) in self.offered() {
            total += 1;
            if pair.votes.contains_key(rater) {
                done += 1;
            } else if !skipped.contains(id) {
                let votes: usize = pair.votes.values().map(BTreeSet::len).sum();
                let place = (votes, mixed(pair.shuffle ^ of_rater));
                if first.is_none_or(|(earlier, _)| place < earlier) {
                    first = Some((place, id.as_str()));
                }
            }
        }
        (done, total, first.map(|(_, id)| id))
    }

    /// A check that this person has not seen; `seen` are the keys of those answered.
    pub(super) fn next_check(
        &self,
        rater: &str,
        skipped: &[String],
        seen: impl Fn(&str) -> bool,
    ) -> Option<&str> {
        let of_rater = short_hash(rater);
        let asked = self.checks.values().take(CHECKS_MAX);
        let open = asked.filter(|check| !seen(&check.key) && !skipped.contains(&check.id));
        let check = open.min_by_key(|check| mixed(short_hash(&check.key) ^ of_rater))?;
        Some(&check.id)
    }

    /// A pair or check as its rater sees it.
    pub(super) fn shown(&self, rater: &str, id: &str) -> Option<Shown> {
        let check = self.check_of(id);
        let pair = self.pairs.get(check.map_or(id, |check| &check.pair))?;
        let order = ballot_order(rater, check.map_or(&pair.key, |check| &check.key));
        let object = |side: &str| self.id("object", &format!("{id}{side}"));
        let (left, right) = match (&pair.b, order) {
            (None, _) => (object("a"), None),
            (_, Order::AsListed) => (object("a"), Some(object("b"))),
            (_, Order::Swapped) => (object("b"), Some(object("a"))),
        };
        let sheet = pair.sheet(pair_order(pair, rater)).filter(|_| !self.has_checks);
        let sides = pair.photo.iter().flat_map(|photo| &photo.photo_sides).cloned();
        let sides = sides.chain(std::iter::repeat(String::new()));
        let photo =
            |(side, hash): (String, &Arc<str>)| ShownPhoto { id: self.id("picture", hash), side };
        Some(Shown {
            pair: id.to_owned(),
            left,
            right,
            sheet: sheet.map(|hash| self.id("picture", hash)),
            prompt: pair.prompt.as_deref().map(str::to_owned),
            photos: sides.zip(pair.photos()).map(photo).collect(),
            criteria: self.criteria(pair),
            ticket: ticket(&self.key, rater, id, None),
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

    /// What this person's answers to a check say, with the check's key; none where it is no check
    /// or not every criterion has its answer.
    pub(super) fn check(
        &self,
        rater: &str,
        id: &str,
        choices: &BTreeMap<String, Choice>,
    ) -> Option<(&str, CheckAnswer)> {
        let check = self.check_of(id)?;
        let order = ballot_order(rater, &check.key);
        if !are_all(&self.criteria(self.pairs.get(&check.pair)?), choices, false) {
            return None;
        }
        let winners = choices.iter().map(|(key, choice)| (key.as_str(), choice.winner(order)));
        Some((&check.key, check_answer(check_kind(check.kind), winners)))
    }

    /// An object that a voter sees.
    pub(super) fn object(&self, id: &str) -> Option<&Content> {
        self.objects.get(id)
    }

    /// The content hash of a picture that a voter sees.
    pub(super) fn picture(&self, id: &str) -> Option<&str> {
        self.pictures.get(id).map(|hash| &**hash)
    }

    /// The vote as the run keeps it, and the run; none if the pair is unknown or a criterion has
    /// no answer.
    pub(super) fn vote(
        &self,
        rater: &str,
        pair: &str,
        choices: &BTreeMap<String, Choice>,
        seconds: f64,
        assets: &Assets,
    ) -> Option<(Vote, Arc<Path>)> {
        let pair = self.pairs.get(pair)?;
        let (criteria, order) = (self.criteria(pair), pair_order(pair, rater));
        if !are_all(&criteria, choices, pair.b.is_none()) {
            return None;
        }
        let asset = |object: &Object| Asset {
            path: assets.path(&object.hash),
            hash: object.hash.to_string(),
            method: object.method.to_string(),
        };
        let vote = Vote {
            judge: Rater::person(rater),
            rubric: pair.rubric.to_string(),
            rubric_hash: pair.rubric_hash.to_string(),
            prompt: pair.prompt.as_deref().map(str::to_owned),
            photo: pair.photo.clone(),
            a: asset(&pair.a),
            b: pair.b.as_ref().map(asset),
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
        };
        Some((vote, Arc::clone(&pair.folder)))
    }
}

/// Which object of a pair this person sees on the left.
fn pair_order(pair: &Pair, rater: &str) -> Order {
    if pair.b.is_some() { ballot_order(rater, &pair.key) } else { Order::AsListed }
}

fn id(key: &[u8; 32], what: &str, of: &str) -> String {
    let hash = blake3::keyed_hash(key, format!("{what}\n{of}").as_bytes());
    hash.to_hex().chars().take(ID_DIGITS).collect()
}

/// Identifies the run's vote of this person on this pair, if there is one.
pub(super) fn ticket(key: &[u8; 32], rater: &str, pair: &str, kept: Option<&Record>) -> String {
    let kept = kept.map(|kept| json!([kept.verdict(), kept.seconds]));
    id(key, "ticket", &format!("{rater}\n{pair}\n{}", json!(kept)))
}

/// Whether each criterion has its answer, and nothing else has; of a checklist or of a pair.
fn are_all(criteria: &[Asked], choices: &BTreeMap<String, Choice>, is_of_items: bool) -> bool {
    let known: BTreeSet<&String> = criteria.iter().map(|c| &c.key).collect();
    known == choices.keys().collect()
        && choices.values().all(|choice| choice.is_of_item() == is_of_items)
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit. A run
/// has hundreds of thousands of pairs, and a person waits for the next one.
fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
