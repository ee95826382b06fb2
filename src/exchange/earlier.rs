//! Comparison of an import with the run's data: unknown methods, and raters whose answers differ.

use super::answer::ImportedAnswer;
use crate::error::Error;
use crate::judge::Asset;
use crate::rubric::{Verdict, Winner};
use crate::scene::nearest;
use crate::store::{Record, Store, Vote};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A method's name that the run does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMethod {
    pub name: String,
    /// The nearest known name.
    pub nearest: Option<String>,
}

/// A rater who answered one question differently in two sources. Both answers stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub rater: String,
    pub prompt: Option<String>,
    pub a: String,
    pub b: String,
    pub criterion: String,
    /// The imported answer: a method's name, or `tie`.
    pub imported: String,
    pub earlier: String,
    /// Where the earlier answer comes from: `page`, or a file's name.
    pub origin: String,
}

/// The asked pair: judge, rubric, prompt, hash and method of both assets, lesser method first.
type Pair = (String, String, Option<String>, [(String, String); 2]);

#[derive(Debug)]
struct EarlierAnswer {
    criterion: String,
    winner: Winner,
    origin: String,
}

/// The methods of a run, and the votes that were imported or given on its page.
#[derive(Debug, Default)]
pub struct EarlierVotes {
    methods: BTreeSet<String>,
    ids: HashSet<String>,
    /// Of the votes of each file, by its name, and of the page.
    ids_by_origin: HashMap<String, Vec<String>>,
    answers: HashMap<Pair, Vec<EarlierAnswer>>,
    samples: HashMap<Pair, u32>,
}

impl EarlierVotes {
    /// Reads them.
    ///
    /// # Errors
    /// [`Error`].
    pub fn read(store: &Store) -> Result<Self, Error> {
        let mut earlier = Self::default();
        let made = store.made()?;
        earlier.methods.extend(made.into_iter().map(|m| m.method));
        store.records(|record| {
            earlier.add(record);
            Ok(())
        })?;
        Ok(earlier)
    }

    fn add(&mut self, record: Record) {
        let verdict = match (record.judge.is_asked(), record.verdict()) {
            (false, Some(Verdict::Pairwise { choices, .. })) => choices.clone(),
            _ => Vec::new(),
        };
        for asset in [Some(&record.a), record.b.as_ref()].into_iter().flatten() {
            if !self.methods.contains(&asset.method) {
                self.methods.insert(asset.method.clone());
            }
        }
        let (Some(b), false) = (record.b, verdict.is_empty()) else {
            return;
        };
        let judge = record.judge.as_str();
        let (pair, is_listed) =
            pair(judge, &record.rubric_hash, record.prompt.as_deref(), &record.a, &b);
        let next = self.samples.entry(pair.clone()).or_default();
        *next = (*next).max(record.sample.saturating_add(1));
        let answers = verdict.into_iter().map(|(criterion, winner)| EarlierAnswer {
            criterion,
            winner: if is_listed { winner } else { winner.swapped() },
            origin: record.settings.clone(),
        });
        self.answers.entry(pair).or_default().extend(answers);
        self.ids_by_origin.entry(record.settings).or_default().push(record.id.clone());
        self.ids.insert(record.id);
    }

    /// The methods of `answers` that a run with methods does not know, each once.
    pub fn unknown_methods(&self, answers: &[ImportedAnswer]) -> Vec<UnknownMethod> {
        if self.methods.is_empty() {
            return Vec::new();
        }
        let named: BTreeSet<&str> = answers
            .iter()
            .flat_map(|said| [said.a.as_str(), said.b.as_str()])
            .filter(|name| !self.methods.contains(*name))
            .collect();
        let unknown = named.into_iter().map(|name| UnknownMethod {
            name: name.to_owned(),
            nearest: nearest(name, self.methods()).map(str::to_owned),
        });
        unknown.collect()
    }

    /// The names of all methods.
    pub fn methods(&self) -> impl Iterator<Item = &str> {
        self.methods.iter().map(String::as_str)
    }

    /// Votes of the file of this name that are not among `votes`: those of an earlier version.
    pub fn replaced_by(&self, votes: &[Vote], origin: &str) -> Vec<String> {
        let kept: HashSet<String> = votes.iter().map(Vote::id).collect();
        let ids = self.ids_by_origin.get(origin).into_iter().flatten();
        ids.filter(|id| !kept.contains(*id)).cloned().collect()
    }

    /// Leaves the votes that the run lacks, numbered after those that it has on the same pair.
    pub fn without_known(&self, votes: Vec<Vote>) -> Vec<Vote> {
        let mut new: Vec<Vote> =
            votes.into_iter().filter(|vote| !self.ids.contains(&vote.id())).collect();
        for vote in &mut new {
            vote.sample += self.samples.get(&pair_of(vote).0).copied().unwrap_or(0);
        }
        new
    }

    /// Answers of `votes` that differ from every earlier one of the same rater to the same
    /// question, and how many repeat one.
    pub fn compare(&self, votes: &[Vote]) -> (Vec<Conflict>, u64) {
        let (mut conflicts, mut repeated) = (Vec::new(), 0);
        for vote in votes {
            let (pair, is_listed) = pair_of(vote);
            let earlier = self.answers.get(&pair).map_or(&[][..], Vec::as_slice);
            for (criterion, winner) in &vote.choices {
                let winner = if is_listed { *winner } else { winner.swapped() };
                let mut same = earlier.iter().filter(|e| e.criterion == *criterion);
                let Some(first) = same.clone().next() else {
                    continue;
                };
                if same.any(|e| e.winner == winner) {
                    repeated += 1;
                    continue;
                }
                let [(_, a), (_, b)] = &pair.3;
                let chosen = |winner| match winner {
                    Winner::A => a.clone(),
                    Winner::B => b.clone(),
                    Winner::Tie => "tie".to_owned(),
                };
                conflicts.push(Conflict {
                    rater: vote.judge.short_name().to_owned(),
                    prompt: vote.prompt.clone(),
                    a: a.clone(),
                    b: b.clone(),
                    criterion: criterion.clone(),
                    imported: chosen(winner),
                    earlier: chosen(first.winner),
                    origin: first.origin.clone(),
                });
            }
        }
        (conflicts, repeated)
    }
}

fn pair_of(vote: &Vote) -> (Pair, bool) {
    let prompt = vote.prompt.as_deref();
    pair(
        vote.judge.as_str(),
        &vote.rubric_hash,
        prompt,
        &vote.a,
        vote.b.as_ref().unwrap_or(&vote.a),
    )
}

/// The pair, and whether it is listed that way round.
fn pair(judge: &str, rubric: &str, prompt: Option<&str>, a: &Asset, b: &Asset) -> (Pair, bool) {
    let is_listed = a.method <= b.method;
    let sides = if is_listed { [a, b] } else { [b, a] };
    let sides = sides.map(|asset| (asset.hash.clone(), asset.method.clone()));
    let prompt = prompt.map(str::to_owned);
    ((judge.to_owned(), rubric.to_owned(), prompt, sides), is_listed)
}
