//! Verdicts that we did not ask for: votes and answers to checklists of the page, and votes of
//! imported files, kept as the answers of a judge named `human:RATER`, and other programs' results,
//! kept as those of `imported:NAME`.

use super::asked::Asked;
use super::attempt::replace_attempt;
use super::journal::lock_journal;
use super::request::{side, with_photo};
use super::{Attempt, DATABASE_FILE, Rater, Store, open_to_write, rfc3339};
use crate::error::Error;
use crate::judge::{Asset, PhotoKey};
use crate::rubric::{Order, Outcome, Verdict, Winner};
use rusqlite::OpenFlags;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The answer of one person, or of another program, on one pair; or of a person on the items of a
/// checklist for one asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// A person or another program.
    pub judge: Rater,
    pub rubric: String,
    /// What it asks, as a hash.
    pub rubric_hash: String,
    pub prompt: Option<String>,
    /// The photos that the voter saw; none for a prompt without any, and in a file.
    pub photo: Option<PhotoKey>,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second; none for a checklist.
    pub b: Option<Asset>,
    pub order: Order,
    /// Distinguishes repeated votes of one judge on one pair; counts from 0.
    pub sample: u32,
    /// Criterion and winner, in the listed order. Of a checklist item and answer: [`Winner::A`] for
    /// yes, [`Winner::B`] for no, [`Winner::Tie`] for partly.
    pub choices: Vec<(String, Winner)>,
    /// Criteria on which both are bad; a tie in `choices`.
    pub both_bad: Vec<String>,
    /// How long the person took; 0 where it is not known.
    pub seconds: f64,
    /// Where it comes from: `page`, or the imported file's name.
    pub origin: String,
    /// None for a vote of the page.
    pub source: Option<VoteSource>,
}

/// Which vote of which file it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoteSource {
    /// Of the file's content, so that a copy is the same source.
    pub file_hash: String,
    /// Distinguishes repeated votes of one judge on one pair in the file; counts from 0.
    pub repeat: u32,
}

impl Vote {
    /// The `id` of its row: who voted on what, and in which file. The choices play no part, so that
    /// a vote of the page can be corrected.
    pub fn id(&self) -> String {
        let (version, which) = match &self.source {
            Some(source) => ("vote 2", json!([source.file_hash, source.repeat])),
            None => ("vote 1", json!(self.sample)),
        };
        let vote = json!([
            version,
            self.judge.as_str(),
            self.rubric_hash,
            self.prompt,
            side(&self.a),
            self.b.as_ref().map(side),
            self.order.as_str(),
            which,
        ]);
        with_photo(vote, self.photo.as_ref())
    }

    /// As its row has it.
    pub fn verdict(&self) -> Verdict {
        let value = |winner| match winner {
            Winner::A => 1.0,
            Winner::Tie => 0.5,
            Winner::B => 0.0,
        };
        let answers = self.choices.iter().map(|(key, winner)| (key.clone(), value(*winner)));
        match self.b {
            Some(_) => Verdict::Pairwise {
                choices: self.choices.clone(),
                undecided: Vec::new(),
                both_bad: self.both_bad.clone(),
            },
            None => Verdict::Category {
                aspects: answers.collect(),
                overall: None,
                undecided: Vec::new(),
            },
        }
    }
}

impl Store {
    /// Opens a run that is there already for a vote, also while another process asks the run's
    /// questions. Until it is dropped, nobody else votes and the run is not rebuilt. None if there
    /// is no run any more.
    ///
    /// # Errors
    /// A disk that fails; [`Kind::Locked`](crate::error::Kind) where another process did not let
    /// go of the run for ten seconds.
    pub fn open_to_vote(folder: &Path) -> Result<Option<Self>, Error> {
        if std::fs::metadata(folder.join(DATABASE_FILE)).map_or(0, |file| file.len()) == 0 {
            return Ok(None);
        }
        let lock = lock_journal(folder)?;
        let connection = open_to_write(folder, OpenFlags::empty())?;
        Ok(Some(Self { _lock: Some(lock), ..Self::with_journal(connection, folder)? }))
    }

    /// Keeps votes, all or none; a vote with the [id](Vote::id) of an earlier one replaces it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn keep_votes(&mut self, votes: &[Vote]) -> Result<(), Error> {
        self.transaction(|t| {
            for vote in votes {
                let id = vote.id();
                let vote_row = Asked {
                    number: 0,
                    request: id.clone(),
                    id: id.clone(),
                    planned: None,
                    rubric: vote.rubric.clone(),
                    rubric_hash: vote.rubric_hash.clone(),
                    category: None,
                    prompt: vote.prompt.clone(),
                    order: vote.order,
                    sample: vote.sample,
                    judge: vote.judge.as_str().to_owned(),
                    base_url: None,
                    settings: vote.origin.clone(),
                    protocol: None,
                    view_px: None,
                    a: vote.a.clone(),
                    b: vote.b.clone(),
                    photo: vote.photo.clone(),
                    recorded_at: rfc3339(SystemTime::now()),
                    parts: Vec::new(),
                };
                vote_row.insert(t)?;
                let attempt = Attempt {
                    elapsed: Duration::try_from_secs_f64(vote.seconds).unwrap_or_default(),
                    ..Attempt::without_sending(Outcome::Verdict(vote.verdict()))
                };
                replace_attempt(t, &id, &attempt)?;
            }
            Ok(())
        })
    }

    /// Withdraws votes, all or none: kept as answers without verdict. Keeping one restores it.
    ///
    /// # Errors
    /// [`Error`].
    pub fn withdraw_votes(&mut self, ids: &[String], reason: &str) -> Result<(), Error> {
        self.transaction(|t| {
            let reason = reason.to_owned();
            let attempt = Attempt::without_sending(Outcome::Invalid { reason });
            ids.iter().try_for_each(|id| replace_attempt(t, id, &attempt))
        })
    }
}
