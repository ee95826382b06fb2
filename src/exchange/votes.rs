//! Imported answers → votes for a run.

use super::answer::ImportedAnswer;
use crate::judge::Asset;
use crate::rubric::{Order, Rubric, Winner};
use crate::store::{Made, Rater, Vote, VoteSource};
use std::collections::{BTreeMap, HashMap};

/// Groups answers into votes for a run: a rater's answers on the criteria of one pair are one vote,
/// a second answer on the same criterion is a second vote. `made` resolves the assets of the run; a
/// vote on others has no file. `origin` and `file_hash` name the file that they come from.
pub fn votes(
    answers: &[ImportedAnswer],
    rubric: &Rubric,
    made: &[Made],
    origin: &str,
    file_hash: &str,
) -> Vec<Vote> {
    let texts: HashMap<&str, &str> =
        made.iter().map(|made| (made.prompt_id.as_str(), made.prompt.as_str())).collect();
    // By the prompt's text, and by its id, since several prompts may have one text.
    let by_text = made.iter().rev().map(|made| (made.prompt.as_str(), made));
    let by_id = made.iter().map(|made| (made.prompt_id.as_str(), made));
    let assets: HashMap<(&str, &str), &Made> =
        by_text.chain(by_id).map(|(prompt, made)| ((prompt, made.method.as_str()), made)).collect();
    let asset = |prompt: Option<&str>, method: &str| {
        let known = prompt.and_then(|prompt| assets.get(&(prompt, method)));
        Asset {
            path: known.and_then(|m| m.path.clone()).unwrap_or_default(),
            hash: known.and_then(|m| m.hash.clone()).unwrap_or_default(),
            method: method.to_owned(),
        }
    };
    type Key<'a> = (Option<&'a str>, &'a str, &'a str, &'a Rater);
    /// Criterion, winner, whether both are bad.
    type Choice = (String, Winner, bool);
    let mut grouped: BTreeMap<Key<'_>, Vec<Vec<Choice>>> = BTreeMap::new();
    for said in answers {
        let prompt = said.prompt.as_deref();
        // One pair is one pair, however it is listed.
        let is_listed = said.a <= said.b;
        let (a, b) = if is_listed { (&said.a, &said.b) } else { (&said.b, &said.a) };
        let winner = if is_listed { said.winner } else { said.winner.swapped() };
        let samples = grouped.entry((prompt, a, b, &said.judge)).or_default();
        let is_free =
            |sample: &&mut Vec<Choice>| sample.iter().all(|(key, ..)| *key != said.criterion);
        let choice = (said.criterion.clone(), winner, said.is_both_bad);
        match samples.iter_mut().find(is_free) {
            Some(sample) => sample.push(choice),
            None => samples.push(vec![choice]),
        }
    }
    let mut votes = Vec::new();
    for ((prompt, a, b, judge), samples) in grouped {
        for (sample, mut choices) in (0..).zip(samples) {
            // As the rubric lists them, so that boards come in its order.
            let place = |key: &str| {
                let criteria = rubric.criteria(None);
                criteria.iter().position(|c| c.key == key)
            };
            choices.sort_by_key(|(key, ..)| place(key).unwrap_or(usize::MAX));
            let bad = choices.iter().filter(|(.., is_both_bad)| *is_both_bad);
            let both_bad = bad.map(|(key, ..)| key.clone()).collect();
            votes.push(Vote {
                judge: judge.clone(),
                rubric: rubric.name().to_owned(),
                rubric_hash: rubric.hash().to_owned(),
                prompt: prompt.map(|p| texts.get(p).copied().unwrap_or(p).to_owned()),
                photo: None,
                a: asset(prompt, a),
                b: Some(asset(prompt, b)),
                order: Order::AsListed,
                sample,
                choices: choices.into_iter().map(|(key, winner, _)| (key, winner)).collect(),
                both_bad,
                seconds: 0.0,
                origin: origin.to_owned(),
                source: Some(VoteSource { file_hash: file_hash.to_owned(), repeat: sample }),
            });
        }
    }
    votes
}
