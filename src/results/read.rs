//! Run folders → their contents, each question once. Records are read one by one and not kept.

use super::boards::indexed;
use super::collect::{Choice, Collected, insert_new};
use super::key::Key;
use super::places::{Outdated, Places, Spot, names_by_id, origin, shared_texts};
use super::refusals::Refusals;
use super::settings::RateSettings;
use super::spending::Spending;
use crate::error::Error;
use crate::rate::{Game, games, units};
use crate::rubric::Yes;
use crate::store::{
    JudgeSetup, Made, MetricsKept, Opinion, OpinionsKept, PlannedPair, Pseudonyms, Record, Store,
    booked_usd, config_of, each_record,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// Why nothing can be rated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotRated {
    #[error(
        "there is nothing to rate: no verdict in these runs ({found}); repeat the command that made them to ask the missing questions"
    )]
    NoVerdict {
        /// The outcomes of the questions, with their numbers.
        found: String,
    },
    /// There are verdicts, but none decides a criterion.
    #[error(
        "there is nothing to rate: the judges decided no criterion between two generators; ask another judge"
    )]
    NothingDecided,
}

/// In a benchmark's `run.toml`: the category of each prompt that has one, by the prompt's id.
pub const CATEGORIES_KEY: &str = "prompt_categories";

/// The content of several runs, as far as results need it.
#[derive(Debug, Default)]
pub struct Gathered {
    pub made: Vec<Made>,
    /// What services of generators were paid in all runs; US dollars by generator.
    pub booked_usd: BTreeMap<String, f64>,
    /// Pairs of which an asset is missing.
    pub forfeits: Vec<PlannedPair>,
    /// Questions that are in more than one run.
    pub repeated: usize,
    /// Judges that the runs asked at different addresses, or with different settings.
    pub unlike_judges: BTreeSet<String>,
    /// Questions without any reply yet.
    pub without_reply: usize,
    /// Verdicts about what a benchmark no longer holds: kept, not rated.
    pub outdated: BTreeMap<Outdated, usize>,
    pub facts: Facts,
    /// By the name of the prompt, where it has one.
    pub(crate) categories: BTreeMap<String, String>,
    pub(super) opinions: Vec<Opinion>,
    /// What a yes means, by name of a checklist.
    pub(super) checklists: BTreeMap<String, Yes>,
    /// Of all runs together.
    pub(super) metrics: MetricsKept,
    pub(super) collected: Collected,
    pub(super) spending: Spending,
    pub(super) refusals: Refusals,
    pub(super) outcomes: BTreeMap<&'static str, usize>,
}

/// The games of one voice on one criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Played {
    pub key: Key,
    /// Sorted names, into which the games' methods are indices.
    pub methods: Vec<String>,
    pub games: Vec<Game>,
}

/// What was asked, whatever the answers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub questions: usize,
    /// Every method that was asked about.
    pub methods: BTreeSet<String>,
    pub prompts: BTreeSet<Option<String>>,
    /// Hashes of the render protocols.
    pub protocols: BTreeSet<String>,
    /// Rubrics and their hashes.
    pub rubrics: BTreeSet<(String, String)>,
    /// First and last question, RFC 3339.
    pub asked: Option<(String, String)>,
}

/// Reads runs, also while another process works on them.
///
/// # Errors
/// A run that cannot be read, for example a folder that is not a run.
pub fn gather(folders: &[PathBuf]) -> Result<Gathered, Error> {
    gather_with(folders, None, |_, _| ())
}

/// The same, with people under the names that `hidden` gives them, if any; `each` sees every record
/// that counts, with the index of its folder. What a benchmark no longer holds does not count.
///
/// # Errors
/// As [`gather`].
pub fn gather_with(
    folders: &[PathBuf],
    mut hidden: Option<&mut Pseudonyms>,
    mut each: impl FnMut(usize, &Record),
) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    let stores = folders.iter().map(|folder| Store::read(folder));
    let stores: Vec<Store> = stores.collect::<Result<_, _>>()?;
    let chosen = chosen(&stores, &mut gathered.repeated)?;
    let mut made = BTreeMap::new();
    let mut forfeits = BTreeMap::new();
    let read = stores.into_iter().map(|store| {
        let (asked, made) = ((store.judge_setups()?, store.shown()?), store.made()?);
        Ok((store, asked, made))
    });
    let read: Vec<_> = read.collect::<Result<_, Error>>()?;
    let mut setups: HashMap<&str, &JudgeSetup> = HashMap::new();
    for (name, setup) in read.iter().flat_map(|(_, (judges, _), _)| judges) {
        if *setups.entry(name).or_insert(setup) != setup {
            gathered.unlike_judges.insert(name.clone());
        }
    }
    for (rubric, shown) in read.iter().flat_map(|(_, (_, shown), _)| shown) {
        gathered.checklists.extend(shown.yes.map(|yes| (rubric.clone(), yes)));
    }
    let shared = shared_texts(read.iter().flat_map(|(_, _, made)| made));
    for (folder_idx, (store, asked, made_here)) in read.into_iter().enumerate() {
        let folder = &folders[folder_idx];
        let names = names_by_id(&made_here, &shared);
        let config = config_of(store.folder());
        if let Some(toml::Value::Table(named)) = config.as_ref().and_then(|c| c.get(CATEGORIES_KEY))
        {
            let category = |item: &Made| {
                let name = named.get(&item.prompt_id)?.as_str()?;
                Some((names[&item.prompt_id].clone(), name.to_owned()))
            };
            gathered.categories.extend(made_here.iter().filter_map(category));
        }
        let places = Places::new(&made_here, &names, asked, origin(&store));
        gathered.collected.prompts_by_id.extend(names);
        store.each_pair(|pair| {
            let is_forfeit = pair.result.winner_by_forfeit().is_some();
            // Most runs have none.
            if !is_forfeit && forfeits.is_empty() || !places.has(&pair) {
                return;
            }
            let key = (
                pair.rubric.clone(),
                pair.prompt_id.clone(),
                pair.seed,
                pair.a.clone(),
                pair.b.clone(),
            );
            match is_forfeit {
                true => forfeits.insert(key, pair),
                // What a later run asked is decided there.
                false => forfeits.remove(&key),
            };
        })?;
        for item in made_here {
            let key = (item.method.clone(), item.prompt_id.clone(), item.seed);
            made.insert(key, item);
        }
        for (generator, usd) in booked_usd(store.folder()) {
            *gathered.booked_usd.entry(generator).or_default() += usd;
        }
        drop(store);
        let kept = MetricsKept::read(folder)?;
        gathered.metrics.missing_is_worst |= kept.missing_is_worst;
        gathered.metrics.definitions.extend(kept.definitions);
        gathered.metrics.rows.extend(kept.rows);
        gathered.metrics.error_maps.extend(kept.error_maps);
        gathered.metrics.sets.extend(kept.sets);
        gathered.opinions.extend(OpinionsKept::read(folder)?.rows);
        gathered.without_reply += each_record(folder, |mut record| {
            let counts =
                chosen.as_ref().is_none_or(|chosen| chosen.get(&record.id) == Some(&folder_idx));
            // A person's vote that was taken back is no answer that failed.
            let is_withdrawn = record.verdict().is_none() && !record.judge.is_asked();
            if !counts || is_withdrawn {
                return;
            }
            if let Some(names) = &mut hidden {
                names.hide(&mut record);
            }
            gathered.spending.add(&record);
            if record.is_of_prompt() {
                return;
            }
            match places.find(&record) {
                Ok(spots) => {
                    gathered.add(&record, &spots);
                    each(folder_idx, &record);
                }
                Err(reason) => {
                    let verdicts = usize::from(record.verdict().is_some());
                    *gathered.outdated.entry(reason).or_default() += verdicts;
                }
            }
        })?;
    }
    gathered.made = made.into_values().collect();
    gathered.forfeits = forfeits.into_values().collect();
    Ok(gathered)
}

/// Of several runs, which one counts for each question: the first with a verdict, else the last.
/// None where there is but one run.
fn chosen(stores: &[Store], repeated: &mut usize) -> Result<Option<HashMap<String, usize>>, Error> {
    if stores.len() < 2 {
        return Ok(None);
    }
    let mut chosen: HashMap<String, (usize, bool)> = HashMap::new();
    for (folder_idx, store) in stores.iter().enumerate() {
        store.outcomes(|id, has_verdict| match chosen.get_mut(&id) {
            None => {
                chosen.insert(id, (folder_idx, has_verdict));
            }
            Some(known) => {
                *repeated += 1;
                if !known.1 {
                    *known = (folder_idx, has_verdict);
                }
            }
        })?;
    }
    let places = chosen.into_iter().map(|(id, (place, _))| (id, place));
    Ok(Some(places.collect()))
}

impl Gathered {
    fn add(&mut self, record: &Record, spots: &[Spot<'_>]) {
        self.collected.add(record, spots);
        self.refusals.add(record, spots.iter().map(|spot| spot.prompt.to_owned()));
        *self.outcomes.entry(record.outcome.name()).or_default() += 1;
        self.facts.add(record);
    }

    /// The answers, samples merged and numbered by name; they are used up.
    ///
    /// # Errors
    /// Nothing to rate and nothing measured; mixed protocols, unless the settings allow them.
    pub(super) fn finish(&mut self, settings: &RateSettings) -> Result<Collected, Error> {
        if let Some(reason) = self.nothing_to_rate().filter(|_| !self.has_metrics()) {
            return Err(Error::run(reason));
        }
        if !settings.mixes_protocols {
            self.collected.refuse_mixed()?;
        }
        let mut collected = std::mem::take(&mut self.collected);
        collected.add_labels(&self.opinions, &self.checklists);
        collected.finish(&self.forfeits, settings.with_probe);
        Ok(collected)
    }

    /// The games of each voice on each criterion: what boards are made from. Uses up the answers.
    ///
    /// # Errors
    /// As of the boards.
    pub fn played(&mut self, settings: &RateSettings) -> Result<Vec<Played>, Error> {
        let collected = self.finish(settings)?;
        let played = |(key, choices): (&Key, &Vec<Choice>)| {
            let (methods, answers) = indexed(collected.said(choices), &collected.methods);
            Played { key: key.clone(), methods, games: games(&units(&answers)) }
        };
        Ok(collected.games.iter().map(played).collect())
    }

    /// Whether there are numbers that need no judge.
    pub fn has_metrics(&self) -> bool {
        !self.metrics.rows.is_empty() || !self.metrics.sets.is_empty()
    }

    /// Why nothing can be rated; none where something can.
    pub fn nothing_to_rate(&self) -> Option<NotRated> {
        if self.collected.num_verdicts == 0
            && self.facts.questions == 0
            && !self.opinions.is_empty()
        {
            return None; // people's scores have means without any question
        }
        if self.collected.num_verdicts == 0 {
            let counts = self.outcomes.iter().map(|(o, n)| format!("{n} {o}"));
            let counts: Vec<String> = counts.collect();
            let found =
                if counts.is_empty() { "no answers at all".to_owned() } else { counts.join(", ") };
            return Some(NotRated::NoVerdict { found });
        }
        self.collected.is_empty().then_some(NotRated::NothingDecided)
    }
}

impl Facts {
    fn add(&mut self, record: &Record) {
        self.questions += 1;
        for asset in [Some(&record.a), record.b.as_ref()].into_iter().flatten() {
            insert_new(&mut self.methods, &asset.method);
        }
        if !self.prompts.contains(&record.prompt) {
            self.prompts.insert(record.prompt.clone());
        }
        if let Some(protocol) = &record.protocol {
            insert_new(&mut self.protocols, protocol);
        }
        let is_known = self
            .rubrics
            .iter()
            .any(|(name, hash)| *name == record.rubric && *hash == record.rubric_hash);
        if !is_known {
            let rubric = (record.rubric.clone(), record.rubric_hash.clone());
            self.rubrics.insert(rubric);
        }
        let at = &record.asked_at;
        match &mut self.asked {
            None => self.asked = Some((at.clone(), at.clone())),
            Some((first, _)) if at < first => first.clone_from(at),
            Some((_, last)) if at > last => last.clone_from(at),
            Some(_) => {}
        }
    }
}
