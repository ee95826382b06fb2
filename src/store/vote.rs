//! Verdicts that we did not ask for: votes of the page and of imported files, kept as the answers of a judge named `human:RATER`,
//! and other programs' results, kept as those of `imported:NAME`.

use super::request::{hash, side};
use super::{Rater, Store, StoreError, insert_asset, rfc3339};
use crate::judge::Asset;
use crate::rubric::{Order, Verdict, Winner};
use rusqlite::params;
use serde_json::json;
use std::time::SystemTime;

/// The answer of one person, or of another program, on one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Vote {
    /// A person or another program.
    pub judge: Rater,
    pub rubric: String,
    /// What it asks, as a hash.
    pub rubric_hash: String,
    pub prompt: Option<String>,
    /// The asset listed first.
    pub a: Asset,
    /// The asset listed second.
    pub b: Asset,
    pub order: Order,
    /// Distinguishes repeated votes of one judge on one pair; counts from 0.
    pub sample: u32,
    /// Criterion and winner, in the listed order.
    pub choices: Vec<(String, Winner)>,
    /// How long the person took; 0 where it is not known.
    pub seconds: f64,
    /// Where it comes from: `page`, or the imported file's name.
    pub origin: String,
}

impl Vote {
    /// The `id` of its row: who voted on what; the choices play no part, so that a vote can be corrected.
    pub fn id(&self) -> String {
        hash(&json!([
            "vote 1",
            self.judge.as_str(),
            self.rubric_hash,
            self.prompt,
            side(&self.a),
            side(&self.b),
            self.order.as_str(),
            self.sample,
        ]))
    }
}

impl Store {
    /// Keeps votes, all or none; a vote with the [id](Vote::id) of an earlier one replaces it.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn keep_votes(&mut self, votes: &[Vote]) -> Result<(), StoreError> {
        self.transaction(|t| {
            for vote in votes {
                let (a, b) = (insert_asset(t, &vote.a)?, insert_asset(t, &vote.b)?);
                let now = rfc3339(SystemTime::now());
                let id = vote.id();
                t.prepare_cached(
                    "INSERT OR IGNORE INTO questions (id, request, rubric, rubric_hash, prompt, a, b, \"order\", sample, judge, settings,
                        recorded_at) VALUES (?1, ?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                )?
                .execute(params![
                    id,
                    vote.rubric,
                    vote.rubric_hash,
                    vote.prompt,
                    a,
                    b,
                    vote.order.as_str(),
                    vote.sample,
                    vote.judge.as_str(),
                    vote.origin,
                    now,
                ])?;
                let number: i64 = t
                    .prepare_cached("SELECT number FROM questions WHERE id = ?")?
                    .query_row([&id], |row| row.get(0))?;
                t.prepare_cached("DELETE FROM attempts WHERE question = ?")?
                    .execute([number])?;
                let verdict = Verdict::Pairwise {
                    choices: vote.choices.clone(),
                    undecided: Vec::new(),
                };
                t.prepare_cached("INSERT INTO attempts (question, asked_at, seconds, outcome, verdict) VALUES (?, ?, ?, 'verdict', ?)")?
                    .execute(params![number, now, vote.seconds, json!(verdict).to_string()])?;
            }
            Ok(())
        })
    }
}
