//! Games of a benchmark in progress, as its board will have them, read as verdicts arrive.

use super::collect::Collected;
use super::places::{Places, Spot, names_by_id};
use crate::error::Error;
use crate::rate::{Game, games, units};
use crate::store::{JudgeSetup, Made, Shown, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The games to follow; no people's votes, judges of earlier calls or answers to other questions.
#[derive(Debug, Clone)]
pub struct FollowedQuestion {
    /// The rubric and its pictures.
    pub shown: Shown,
    pub criterion: String,
    /// Address and settings of each judge of this call, by name.
    pub judges: HashMap<String, JudgeSetup>,
    /// Whether the probe counts in addition to models.
    pub with_probe: bool,
}

/// The judges' verdicts on one criterion. Methods and places are numbered as the caller lists them.
#[derive(Debug)]
pub struct Followed {
    question: FollowedQuestion,
    collected: Collected,
    num_places: usize,
    /// Place and methods, the smaller first, of every question with an outcome.
    asked: BTreeSet<(usize, usize, usize)>,
    /// The newest attempt that was read.
    newest: i64,
}

impl Followed {
    /// `places` are prompt ids and seeds.
    pub fn new<'b>(
        question: FollowedQuestion,
        methods: impl Iterator<Item = &'b str>,
        places: impl Iterator<Item = (&'b str, u32)>,
    ) -> Self {
        let mut collected = Collected::default();
        methods.for_each(|method| _ = collected.methods.number(method));
        places.for_each(|place| _ = collected.prompts.number(&name(place)));
        Self {
            num_places: collected.prompts.names.len(),
            question,
            collected,
            asked: BTreeSet::new(),
            newest: 0,
        }
    }

    /// Reads new answers; `made` are the assets that the benchmark has now.
    ///
    /// # Errors
    /// [`Error`].
    pub fn read(&mut self, store: &Store, made: &[Made]) -> Result<(), Error> {
        let FollowedQuestion { shown, judges, .. } = &self.question;
        let names = names_by_id(made, &HashSet::new());
        let places = Places::new(made, &names, (judges.clone(), BTreeMap::new()), [true; 2]);
        let (collected, asked) = (&mut self.collected, &mut self.asked);
        self.newest = store.records_since(self.newest, |record| {
            if !judges.contains_key(record.judge.as_str()) || !shown.is_of(&record) {
                return Ok(());
            }
            let here = places.find(&record).unwrap_or_default();
            let here = here.iter().filter_map(|spot| spot.place).map(name);
            let here: Vec<String> = here.collect();
            for place in &here {
                if let Some(b) = &record.b {
                    let place = collected.prompts.number(place);
                    let [a, b] = [&record.a, b].map(|x| collected.methods.number(&x.method));
                    asked.insert((place, a.min(b), a.max(b)));
                }
            }
            let spots: Vec<Spot<'_>> =
                here.iter().map(|place| Spot { prompt: place, place: None }).collect();
            collected.add(&record, &spots);
            Ok::<(), Error>(())
        })?;
        Ok(())
    }

    /// Whether the pair was asked, with whatever outcome.
    pub fn has(&self, place: usize, [a, b]: [usize; 2]) -> bool {
        self.asked.contains(&(place, a.min(b), a.max(b)))
    }

    /// The games so far; their prompts are places.
    pub fn games(&self) -> Vec<Game> {
        let answers = self.collected.so_far(&self.question.criterion, self.question.with_probe);
        let mut games = games(&units(&answers));
        games.retain(|game| game.prompt < self.num_places);
        games
    }
}

fn name((id, seed): (&str, u32)) -> String {
    format!("{id}\n{seed}")
}
