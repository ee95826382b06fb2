//! People's votes and other programs' results → votes for a run.
//!
//! Four forms: a table of votes (`votes`), a table of ratings (`ratings`), GPTEval3D's results (`gpteval3d`), and another run, which the store
//! copies by itself. Reads files, writes nothing.

mod gpteval3d;
mod ratings;
mod votes;

pub use gpteval3d::read_gpteval3d;
pub use ratings::{RatingsBy, read_ratings};
pub use votes::read_votes;

use crate::rubric::{Order, Rubric, Winner};
use crate::store::{Asset, Made, Vote};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// Larger files are refused: 1 GiB.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// One thing that somebody said, as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Text or id of a prompt; none where the file does not say.
    pub prompt: Option<String>,
    /// The one method.
    pub a: String,
    /// The other.
    pub b: String,
    /// The criterion's key.
    pub criterion: String,
    /// Who is better.
    pub winner: Winner,
    /// Who said so.
    pub rater: String,
}

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It cannot be read.
    #[error("cannot read the file ({reason}); check the path: {path:?}")]
    Unreadable {
        /// What the system says.
        reason: String,
        /// The file.
        path: PathBuf,
    },
    /// It is not what it should be.
    #[error("{place}: {reason}; `meshjudge import --help` shows the form: {path:?}")]
    Content {
        /// `line 3`, `entry "12"`.
        place: String,
        /// What is wrong.
        reason: String,
        /// The file.
        path: PathBuf,
    },
}

fn read_text(path: &std::path::Path) -> Result<String, ImportError> {
    let unreadable = |reason: String| ImportError::Unreadable {
        reason,
        path: path.to_owned(),
    };
    let size = std::fs::metadata(path)
        .map_err(|e| unreadable(e.to_string()))?
        .len();
    if size > FILE_BYTES_MAX {
        return Err(unreadable(format!(
            "{size} bytes, at most {FILE_BYTES_MAX} are read"
        )));
    }
    std::fs::read_to_string(path).map_err(|e| unreadable(e.to_string()))
}

/// Puts what was said on one pair by one person together, as votes for a run: criteria of one pair are one vote, a second word on the same
/// criterion is a second vote. `made` tells which assets of the run are meant; a vote on others stands without a file.
pub fn votes(said: &[Said], rubric: &Rubric, made: &[Made], origin: &str) -> Vec<Vote> {
    let texts: HashMap<&str, &str> = (made.iter())
        .map(|made| (made.prompt_id.as_str(), made.prompt.as_str()))
        .collect();
    let assets: HashMap<(&str, &str), &Made> = (made.iter().rev())
        .map(|made| ((made.prompt.as_str(), made.method.as_str()), made))
        .collect();
    let asset = |prompt: Option<&str>, method: &str| {
        let known = prompt.and_then(|prompt| assets.get(&(prompt, method)));
        Asset {
            path: known.and_then(|m| m.path.clone()).unwrap_or_default(),
            hash: known.and_then(|m| m.hash.clone()).unwrap_or_default(),
            method: method.to_owned(),
        }
    };
    type Key<'a> = (Option<&'a str>, &'a str, &'a str, &'a str);
    let mut grouped: BTreeMap<Key<'_>, Vec<Vec<(String, Winner)>>> = BTreeMap::new();
    for said in said {
        let prompt = (said.prompt.as_deref()).map(|p| texts.get(p).copied().unwrap_or(p));
        // One pair is one pair, however it is listed.
        let is_listed = said.a <= said.b;
        let (a, b) = if is_listed {
            (&said.a, &said.b)
        } else {
            (&said.b, &said.a)
        };
        let winner = match said.winner {
            Winner::A if !is_listed => Winner::B,
            Winner::B if !is_listed => Winner::A,
            winner => winner,
        };
        let samples = grouped.entry((prompt, a, b, &said.rater)).or_default();
        let is_free = |sample: &&mut Vec<(String, Winner)>| {
            sample.iter().all(|(key, _)| *key != said.criterion)
        };
        let choice = (said.criterion.clone(), winner);
        match samples.iter_mut().find(is_free) {
            Some(sample) => sample.push(choice),
            None => samples.push(vec![choice]),
        }
    }
    let mut votes = Vec::new();
    for ((prompt, a, b, rater), samples) in grouped {
        for (sample, mut choices) in (0..).zip(samples) {
            // As the rubric lists them, so that boards come in its order.
            let place = |key: &str| {
                let criteria = rubric.criteria(None);
                criteria.iter().position(|c| c.key == key)
            };
            choices.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
            votes.push(Vote {
                rater: rater.to_owned(),
                rubric: rubric.name().to_owned(),
                rubric_hash: rubric.hash().to_owned(),
                prompt: prompt.map(str::to_owned),
                a: asset(prompt, a),
                b: asset(prompt, b),
                order: Order::AsListed,
                sample,
                choices,
                seconds: 0.0,
                origin: origin.to_owned(),
            });
        }
    }
    votes
}
