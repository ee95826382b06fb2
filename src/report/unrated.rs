//! Sentences to read with the boards: criteria without a board, and answers left out.

use super::show::{plural, plural_with};
use super::text::board_notes;
use crate::rate::RateError;
use crate::results::{CriterionBoard, Gathered, JudgeReliability, Results, Unrated, UnratedReason};

/// Criteria without a board. Each sentence is one reason of one voice.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct UnratedSentences {
    /// The judge decided nothing.
    pub undecided: Vec<String>,
    /// More answers will rate them.
    pub not_yet: Vec<String>,
    /// The games determine no ratings.
    pub failed: Vec<String>,
}

/// Criteria by their rubric, voice and reason, so that each reason is given once.
#[derive(Default)]
struct ByReason<'a>(Vec<(&'a str, String, Vec<String>)>);

impl<'a> ByReason<'a> {
    fn add(&mut self, unrated: &'a Unrated, named: fn(&str) -> String, by: String) {
        let (rubric, criterion) = (unrated.key.rubric(), named(unrated.key.criterion()));
        let mut known = self.0.iter_mut();
        match known.find(|known| known.0 == rubric && known.1 == by) {
            Some((.., criteria)) => criteria.push(criterion),
            None => self.0.push((rubric, by, vec![criterion])),
        }
    }

    fn not_rated(&self) -> Vec<String> {
        let sentence = |(rubric, by, criteria): &(&str, String, Vec<String>)| {
            let verb = if criteria.len() == 1 { "is" } else { "are" };
            format!("{} ({rubric}) {verb} not rated by {by}", criteria.join(", "))
        };
        self.0.iter().map(sentence).collect()
    }

    fn undecided(&self) -> Vec<String> {
        let sentence = |(rubric, by, criteria): &(&str, String, Vec<String>)| {
            let these = if criteria.len() == 1 { "this" } else { "these" };
            let [all, last] = match criteria.split_last() {
                Some((last, [])) => [String::new(), last.clone()],
                Some((last, all)) => [format!("{} or ", all.join(", ")), last.clone()],
                None => [String::new(), String::new()],
            };
            format!(
                "{by} decided nothing about {all}{last} ({rubric}); ask a vision model for {these}"
            )
        };
        self.0.iter().map(sentence).collect()
    }
}

/// Why criteria have no board; `named` is how a reader knows a criterion's key.
pub fn unrated_sentences(results: &Results, named: fn(&str) -> String) -> UnratedSentences {
    let [mut failed, mut not_yet, mut undecided] = [const { ByReason(Vec::new()) }; 3];
    for unrated in &results.unrated {
        let (voice, reason) = (&unrated.key.voice, &unrated.reason);
        match reason {
            UnratedReason::Undecided { .. } => {
                undecided.add(unrated, named, voice.to_string());
            }
            // Voting starts with a few pairs.
            UnratedReason::Rate(_) if voice.is_human() => {
                not_yet.add(unrated, named, format!("{voice} yet: {reason}"));
            }
            // Pairs left undecided by `probe` can disconnect methods, which needs no remedy.
            UnratedReason::Rate(RateError::Disconnected { .. }) if voice.is_measured() => {
                let voice = format!("{voice}, which left pairs undecided: {reason}");
                not_yet.add(unrated, named, voice);
            }
            UnratedReason::Rate(_) => failed.add(unrated, named, format!("{voice}: {reason}")),
        }
    }
    UnratedSentences {
        undecided: undecided.undecided(),
        not_yet: not_yet.not_rated(),
        failed: failed.not_rated(),
    }
}

/// Answers that are in several runs, have no reply yet, or are not rated.
pub fn left_out_sentences(gathered: &Gathered, results: &Results) -> Vec<String> {
    let mut said = Vec::new();
    if gathered.repeated > 0 {
        said.push(format!(
            "{} in more than one run and counted once",
            plural_with(gathered.repeated, "question", ["is", "are"])
        ));
    }
    if gathered.without_reply > 0 {
        said.push(format!(
            "{} left out, for lack of a reply",
            plural_with(gathered.without_reply, "question", ["is", "are"])
        ));
    }
    if results.same_method > 0 {
        said.push(format!(
            "left out: {} that compare a generator with itself",
            plural(results.same_method, "verdict")
        ));
    }
    said.extend(results.notes());
    said
}

/// What a reader must know besides the boards: criteria without one, what was left out, what audits
/// found about the judges.
pub fn further_notes(
    results: &Results,
    left_out: &[String],
    reliability: &[JudgeReliability],
) -> Vec<String> {
    let UnratedSentences { undecided, not_yet, failed } = unrated_sentences(results, str::to_owned);
    let found = |found: &JudgeReliability| {
        let lines = found.lines.join("; ");
        format!("reliability of {}, from its audit: {lines}", found.judge)
    };
    let mut notes: Vec<String> = [undecided, not_yet, failed].concat();
    notes.extend_from_slice(left_out);
    notes.extend(reliability.iter().map(found));
    notes
}

/// [`board_notes`] of several boards: each note once, with its boards if it is not about all.
pub fn boards_notes(boards: &[&CriterionBoard]) -> Vec<String> {
    let mut notes: Vec<(String, Vec<String>)> = Vec::new();
    for on in boards {
        let board = format!("{}, {}", on.key.criterion(), on.key.voice);
        for note in board_notes(on) {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, boards)) => boards.push(board.clone()),
                None => notes.push((note, vec![board.clone()])),
            }
        }
    }
    let said = |(note, of): (String, Vec<String>)| {
        if of.len() == boards.len() { note } else { format!("{note} ({})", of.join("; ")) }
    };
    notes.into_iter().map(said).collect()
}
