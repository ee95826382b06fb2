//! Rows → the gallery: one item for each pair (or single object) and prompt, with all its answers.
//!
//! The items go into the page as JSON and become elements only when they are shown. Names are in
//! lists and items hold indices, and replies are in chunks of their own, parsed when one of them is
//! opened, so that the page stays fast with ten thousand records.

use super::show::{cut, short_hash};
use crate::judge::{Asset, PhotoKey};
use crate::results::Names;
use crate::rubric::{Order, Parts, Verdict, Winner};
use crate::store::{PERSON_PREFIX, Rater, Record, ShownFronts};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The page cuts longer replies; the export does not. Real ones are about 2,000 characters.
pub(super) const WORDS_CHARS_MAX: usize = 20_000;
/// Longer prompts are cut in the page.
pub(super) const PROMPT_CHARS_MAX: usize = 4_000;
/// Replies in one part, by their places.
pub(super) const WORDS_PER_PART: u64 = 256;
/// Items in one part: about 200 KB.
pub(super) const ITEMS_PER_PART: usize = 400;
/// Enough to tell a million items apart.
const LINK_DIGITS: usize = 12;
/// The last pictures of a question are its own; worked examples come before them.
pub(super) const PICTURES_PER_ITEM_MAX: usize = 4;

/// An object of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    /// Its method.
    pub method: Arc<str>,
    /// BLAKE3 of its content.
    pub hash: Arc<str>,
}

/// One answer, in little memory: a run has hundreds of thousands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GalleryAnswer {
    pub judge: Arc<Rater>,
    /// The method on the left, in the item's order.
    pub order: Order,
    /// Counts from 0.
    pub sample: u32,
    pub outcome: &'static str,
    /// Why there is no verdict.
    pub reason: Option<Box<str>>,
    pub values: Values,
    /// The index of its text among those of all records; none without text.
    pub words: Option<u64>,
    pub seconds: f64,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Hashes of the pictures that it saw.
    pub pictures: Box<[Arc<str>]>,
}

/// What an answer says on each criterion of its rubric, as far as they were known when it came.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Values {
    NoVerdict,
    /// One letter a criterion, in the item's order: `a`, `b`, `t`ie, `x` a tie because both are
    /// bad, `u`ndecided, `-` absent.
    Pair(Box<str>),
    One(Box<[Option<f64>]>),
}

impl GalleryAnswer {
    fn rank(&self) -> impl Ord {
        (self.judge.is_person(), &self.judge, self.sample, self.order)
    }

    /// The winner on a criterion, in the item's order; none where it is not decided.
    pub(super) fn winner(&self, place: usize) -> Option<Winner> {
        match self.letter(place)? {
            b'a' => Some(Winner::A),
            b'b' => Some(Winner::B),
            b't' | b'x' => Some(Winner::Tie),
            _ => None,
        }
    }

    /// See [`Values::Pair`].
    pub(super) fn letter(&self, place: usize) -> Option<u8> {
        match &self.values {
            Values::Pair(letters) => letters.as_bytes().get(place).copied(),
            Values::NoVerdict | Values::One(_) => None,
        }
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

/// A pair or a single object, on one prompt. Items share the texts that they have in common.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub rubric: Arc<str>,
    pub rubric_hash: Arc<str>,
    pub category: Option<Arc<str>>,
    pub prompt: Option<Arc<str>>,
    /// The prompt, or the name of the photo that is one.
    pub title: Option<Arc<str>>,
    /// What identifies the photos that its questions show.
    pub photo: Option<PhotoKey>,
    /// The first by name.
    pub a: Object,
    /// None for one-object rubrics.
    pub b: Option<Object>,
    /// How the two were given a common front.
    pub fronts: Option<String>,
    /// Judges first, by name, then people; orders and samples together.
    pub said: Vec<GalleryAnswer>,
    pub differences: Differences,
}

impl Item {
    fn rank(&self) -> impl Ord {
        (&self.rubric, &self.rubric_hash, &self.category, &self.prompt, &self.a, &self.b)
    }

    /// The answers with that object on the left; empty if that order was not asked.
    pub(super) fn pictures(&self, order: Order) -> &[Arc<str>] {
        let shown = self.said.iter().filter(|s| s.order == order && !s.pictures.is_empty());
        own_pictures(shown.map(|s| &*s.pictures).next().unwrap_or_default(), self.photo.as_ref())
    }

    /// The photos from which both objects were made: the first pictures in both orders.
    pub(super) fn photos(&self) -> &[Arc<str>] {
        let shown = |order: Order| {
            let mut said = self.said.iter().filter(|said| said.order == order);
            let found = said.find(|said| !said.pictures.is_empty());
            found.map_or(&[][..], |said| &said.pictures)
        };
        first_photos(shown(Order::AsListed), shown(Order::Swapped))
    }

    /// The pictures that represent the item: with `a` on the left where that was asked.
    pub(super) fn cover(&self) -> (&[Arc<str>], Order) {
        match self.pictures(Order::AsListed) {
            [] => (self.pictures(Order::Swapped), Order::Swapped),
            listed => (listed, Order::AsListed),
        }
    }
}

/// The pictures of a question, without those of worked examples.
pub(super) fn own_pictures<'a>(all: &'a [Arc<str>], photo: Option<&PhotoKey>) -> &'a [Arc<str>] {
    let max = PICTURES_PER_ITEM_MAX + photo.map_or(0, |it| it.photo_sides.len());
    &all[all.len().saturating_sub(max)..]
}

/// The photos among the pictures of a pair in both orders: the first ones, which are the same.
pub(super) fn first_photos<'a>(listed: &'a [Arc<str>], swapped: &[Arc<str>]) -> &'a [Arc<str>] {
    let same = listed.iter().zip(swapped).take_while(|(x, y)| x == y).count();
    // A pair of equal objects looks the same in both orders.
    let most = listed.len().min(swapped.len()).saturating_sub(1);
    &listed[..same.min(most)]
}

/// The gallery of some rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Gallery {
    /// By rubric, prompt and methods.
    pub items: Vec<Item>,
    /// Keys of each rubric's criteria, in its order; at most 32 have a bit.
    pub criteria: BTreeMap<String, Vec<String>>,
    /// Items by the hash of their assets and prompt, while records are read.
    places: HashMap<blake3::Hash, usize>,
    judges: BTreeSet<Arc<Rater>>,
    texts: Texts,
}

/// Each text once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Texts(HashSet<Arc<str>>);

impl Texts {
    pub(super) fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}

/// What separates the answer from the reasoning in the words that a page loads.
const BEFORE_REASONING: char = '\u{1e}';

/// A reply as the page shows it: the answer, and the reasoning where there is some.
pub(super) fn cut_words(raw: &str, reasoning: &str) -> String {
    if reasoning.is_empty() {
        return cut(raw, WORDS_CHARS_MAX);
    }
    let answer = Parts::of(raw).answer;
    let cut = |text: &str| cut(text.trim(), WORDS_CHARS_MAX);
    format!("{}{BEFORE_REASONING}{}", cut(&answer), cut(reasoning))
}

impl Gallery {
    /// Adds a record; `words` is the place of its words. `photo` names the photo of its prompt.
    pub(super) fn add(
        &mut self,
        record: &Record,
        photo: Option<&str>,
        fronts: &ShownFronts,
        words: u64,
    ) {
        if !self.criteria.contains_key(&record.rubric) {
            self.criteria.insert(record.rubric.clone(), Vec::new());
        }
        let keys = self.criteria.get_mut(&record.rubric).expect("just inserted");
        if let Some(verdict) = record.verdict() {
            add_keys(verdict, keys);
        }
        let judge = match self.judges.get(&record.judge) {
            Some(judge) => Arc::clone(judge),
            None => {
                let judge = Arc::new(record.judge.clone());
                self.judges.insert(Arc::clone(&judge));
                judge
            }
        };
        let texts = &mut self.texts;
        let (said, is_turned) = answer(record, judge, keys, words, texts);
        let (mut a, mut b) = (Some(&record.a), record.b.as_ref());
        if is_turned {
            std::mem::swap(&mut a, &mut b);
        }
        let place = *self.places.entry(key(record, a, b)).or_insert_with(|| {
            let title = photo.map(|name| format!("Photo: {name}")).or(record.prompt.clone());
            let mut object = |asset: &Asset| Object {
                method: texts.shared(&asset.method),
                hash: texts.shared(&asset.hash),
            };
            let (a, b) = (object(a.unwrap_or(&record.a)), b.map(&mut object));
            self.items.push(Item {
                rubric: texts.shared(&record.rubric),
                rubric_hash: texts.shared(&record.rubric_hash),
                category: record.category.as_deref().map(|text| texts.shared(text)),
                prompt: record.prompt.as_deref().map(|text| texts.shared(text)),
                title: title.map(|title| texts.shared(&title)),
                photo: record.photo.clone(),
                fronts: front_words(fronts, is_turned),
                a,
                b,
                said: Vec::new(),
                differences: Differences::default(),
            });
            self.items.len() - 1
        });
        self.items[place].said.push(said);
    }

    /// Sorts the items, and finds differences between answers. `categories` are those of a
    /// benchmark's prompts.
    pub(super) fn finish(&mut self, categories: &BTreeMap<String, String>) {
        self.places = HashMap::new();
        for item in self.items.iter_mut().filter(|item| item.category.is_none()) {
            let category = item.title.as_deref().and_then(|title| categories.get(title));
            item.category = category.map(|category| self.texts.shared(category));
        }
        self.texts = Texts::default();
        self.items.sort_by(|x, y| x.rank().cmp(&y.rank()));
        for item in &mut self.items {
            item.said.sort_by(|x, y| x.rank().cmp(&y.rank()));
            let keys = self.criteria.get(&*item.rubric).map_or(&[][..], Vec::as_slice);
            item.differences = differences(item, keys);
        }
    }
}

/// The order of a record's pictures in its item, whose first object is the first by name; and
/// whether the record lists the two the other way round.
pub(super) fn item_order(record: &Record) -> (Order, bool) {
    let is_turned = record
        .b
        .as_ref()
        .is_some_and(|b| (&b.method, &b.hash) < (&record.a.method, &record.a.hash));
    let order = match (record.order, is_turned) {
        (Order::Swapped, false) | (Order::AsListed, true) if record.b.is_some() => Order::Swapped,
        _ => Order::AsListed,
    };
    (order, is_turned)
}

/// The answer in the item's order, and whether the row lists the two the other way round.
fn answer(
    record: &Record,
    judge: Arc<Rater>,
    keys: &[String],
    words: u64,
    texts: &mut Texts,
) -> (GalleryAnswer, bool) {
    let (order, is_turned) = item_order(record);
    let said = GalleryAnswer {
        judge,
        order,
        sample: record.sample,
        outcome: record.outcome.name(),
        reason: record.outcome.reason().map(|reason| cut(reason, PROMPT_CHARS_MAX).into()),
        values: values(record.verdict(), keys, is_turned),
        words: record.raw.as_ref().map(|_| words),
        seconds: record.seconds,
        cost_usd: record.cost_usd,
        pictures: record.pictures.iter().map(|hash| texts.shared(hash)).collect(),
    };
    (said, is_turned)
}

/// A sentence about the front of each object compared with another; none if none was sought.
fn front_words(fronts: &ShownFronts, is_turned: bool) -> Option<String> {
    let ShownFronts { a_yaw_degrees, a_yaw_margin, b_yaw_degrees, b_yaw_margin } = *fronts;
    let mut sides = [(a_yaw_degrees, a_yaw_margin), (b_yaw_degrees, b_yaw_margin)];
    if is_turned {
        sides.swap(0, 1);
    }
    let said = ["A", "B"].iter().zip(sides).filter_map(|(name, (yaw, margin))| {
        let margin = margin?;
        Some(match yaw {
            Some(0) => format!("{name} needs no rotation (margin {margin:.2})"),
            Some(yaw) => format!("{name} is rotated by {yaw}° (margin {margin:.2})"),
            None => {
                format!(
                    "{name} has no clear rotation and keeps its file's front (margin {margin:.2})"
                )
            }
        })
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| format!("Common front: {}.", said.join("; ")))
}

/// The subject of a record, the first by name before the other.
fn key(record: &Record, a: Option<&Asset>, b: Option<&Asset>) -> blake3::Hash {
    let mut text = Vec::new();
    let mut add = |part: Option<&str>| {
        // Each part with its length, so that no two lists look alike.
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        text.extend(length.to_le_bytes());
        text.extend(part.unwrap_or_default().as_bytes());
    };
    add(Some(&record.rubric));
    add(Some(&record.rubric_hash));
    add(record.category.as_deref());
    add(record.prompt.as_deref());
    add(record.photo.as_ref().map(PhotoKey::to_text).as_deref());
    for asset in [a, b] {
        add(asset.map(|asset| asset.method.as_str()));
        add(asset.map(|asset| asset.hash.as_str()));
    }
    blake3::hash(&text)
}

pub(super) fn add_keys(verdict: &Verdict, known: &mut Vec<String>) {
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
    for i in 0..keys.len().min(32) {
        let mut units: BTreeMap<(&Rater, u32), BTreeSet<Winner>> = BTreeMap::new();
        let mut people = 0_i64;
        for said in &item.said {
            let Some(winner) = said.winner(i) else {
                continue;
            };
            if said.judge.is_person() {
                people += match winner {
                    Winner::A => 1,
                    Winner::B => -1,
                    Winner::Tie => 0,
                };
            } else {
                units.entry((&said.judge, said.sample)).or_default().insert(winner);
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

/// Data for the page's script: name lists, and the items in parts, each handed on with its number.
pub(super) fn script_data<E>(
    gallery: &Gallery,
    pictured: impl Fn(&str) -> bool,
    mut part: impl FnMut(usize, Value) -> Result<(), E>,
) -> Result<Value, E> {
    let mut lists = Lists::default();
    let mut items = Vec::new();
    let mut outcomes = BTreeSet::new();
    let categories: BTreeSet<&str> =
        gallery.items.iter().filter_map(|item| item.category.as_deref()).collect();
    let mut num_pictured = 0;
    let mut num_parts = 0;
    for &place in &shown_order(gallery, &pictured) {
        let item = &gallery.items[place];
        num_pictured += usize::from(item.cover().0.iter().any(|hash| pictured(hash)));
        outcomes.extend(item.said.iter().map(|s| s.outcome));
        let keys = gallery.criteria.get(&*item.rubric).map_or(&[][..], Vec::as_slice);
        let said: Vec<Value> = item
            .said
            .iter()
            .map(|s| {
                json!([
                    lists.judges.number(s.judge.as_str()),
                    u8::from(s.order == Order::Swapped),
                    s.sample,
                    s.outcome,
                    shown_values(&s.values, keys.len()),
                    s.words,
                    s.reason,
                    (s.seconds * 1000.0).round() / 1000.0,
                    s.cost_usd,
                ])
            })
            .collect();
        let object = |o: &Object, lists: &mut Lists| {
            json!([lists.methods.number(&o.method), short_hash(&o.hash), &*o.hash])
        };
        let (cover, cover_order) = item.cover();
        if items.len() == ITEMS_PER_PART {
            part(num_parts, std::mem::take(&mut items).into())?;
            num_parts += 1;
        }
        items.push(json!({
            "id": link(item),
            "r": lists.rubrics.number(&item.rubric),
            "c": item.category.as_deref(),
            "p": item.title.as_ref().map(|p| lists.prompts.number(&cut(p, PROMPT_CHARS_MAX))),
            "a": object(&item.a, &mut lists),
            "b": item.b.as_ref().map(|b| object(b, &mut lists)),
            "s": said,
            "d": [item.differences.orders, item.differences.judges, item.differences.people],
            "i": texts(cover),
            "f": texts(item.photos()),
            "y": item.fronts,
            "o": u8::from(cover_order == Order::Swapped),
            "j": texts(if cover_order == Order::AsListed { item.pictures(Order::Swapped) } else { &[] }),
        }));
    }
    if !items.is_empty() {
        part(num_parts, items.into())?;
    }
    let criteria: Vec<_> = lists
        .rubrics
        .names
        .iter()
        .map(|rubric| gallery.criteria.get(rubric).cloned().unwrap_or_default())
        .collect();
    let data = json!({
        "rubrics": lists.rubrics.names, "criteria": criteria, "methods": lists.methods.names, "judges": lists.judges.names,
        "prompts": lists.prompts.names, "numItems": gallery.items.len(), "itemsPerPart": ITEMS_PER_PART, "wordsPerPart": WORDS_PER_PART,
        "outcomes": outcomes, "categories": categories, "hasPairs": gallery.items.iter().any(|item| item.b.is_some()), "numPictured": num_pictured, "human": PERSON_PREFIX,
    });
    Ok(data)
}

/// Names an item in links: the same whenever the page is written, however the run grows.
fn link(item: &Item) -> String {
    let photo = item.photo.as_ref().map(PhotoKey::to_text);
    let objects = [Some(&item.a), item.b.as_ref()];
    let objects = objects.map(|object| object.map(|object| (&*object.method, &*object.hash)));
    let (category, prompt) = (item.category.as_deref(), item.prompt.as_deref());
    let parts = json!([&*item.rubric, &*item.rubric_hash, category, prompt, photo, objects]);
    blake3::hash(parts.to_string().as_bytes()).to_hex().chars().take(LINK_DIGITS).collect()
}

fn texts(hashes: &[Arc<str>]) -> Vec<&str> {
    hashes.iter().map(|hash| &**hash).collect()
}

/// Items with pictures first, the most informative before the rest.
fn shown_order(gallery: &Gallery, pictured: impl Fn(&str) -> bool) -> Vec<usize> {
    let weight = |item: &Item| {
        let Differences { orders, judges, people } = item.differences;
        let has_picture = item.cover().0.iter().any(|hash| pictured(hash));
        4 * u8::from(has_picture) + 2 * u8::from(people > 0) + u8::from(judges > 0 || orders > 0)
    };
    let mut order: Vec<usize> = (0..gallery.items.len()).collect();
    order.sort_by_cached_key(|&place| std::cmp::Reverse(weight(&gallery.items[place])));
    order
}

fn values(verdict: Option<&Verdict>, keys: &[String], is_turned: bool) -> Values {
    match verdict {
        None => Values::NoVerdict,
        Some(Verdict::Pairwise { choices, undecided, both_bad }) => {
            let letter = |key: &String| match choices.iter().find(|(k, _)| k == key) {
                None => '-',
                Some(_) if undecided.contains(key) => 'u',
                Some(_) if both_bad.contains(key) => 'x',
                Some((_, winner)) => match if is_turned { winner.swapped() } else { *winner } {
                    Winner::A => 'a',
                    Winner::B => 'b',
                    Winner::Tie => 't',
                },
            };
            Values::Pair(keys.iter().map(letter).collect())
        }
        Some(Verdict::Reconstruction { score }) => Values::One([score.map(f64::from)].into()),
        Some(Verdict::Category { aspects, overall, .. }) => {
            let number = |key: &String| match key.as_str() {
                "overall" => Some(overall.as_ref()?.stated),
                "overall_recomputed" => Some(overall.as_ref()?.mean),
                key => aspects.get(key).copied(),
            };
            Values::One(keys.iter().map(number).collect())
        }
    }
}

/// For the page's script, with new names.
fn shown_values(values: &Values, num_keys: usize) -> Value {
    match values {
        Values::NoVerdict => Value::Null,
        Values::Pair(letters) => format!("{letters:-<num_keys$}").into(),
        Values::One(numbers) => {
            let rest = num_keys.saturating_sub(numbers.len());
            let numbers = numbers.iter().copied();
            numbers.chain(std::iter::repeat_n(None, rest)).collect()
        }
    }
}

#[derive(Default)]
struct Lists {
    rubrics: Names,
    methods: Names,
    judges: Names,
    prompts: Names,
}
