//! People's votes and judges' verdicts on one criterion → the anchored board.

use super::collect::{Choice, Collected, methods_of, raters_of};
use super::key::On;
use super::settings::RateSettings;
use super::voice::Voice;
use super::voices::votes;
use crate::rate::{
    AnchoredBoard, Answer, CLUSTERS_MIN, Draws, RateError, Vote, anchored, judge_board,
};
use crate::store::RaterKind;
use std::collections::BTreeSet;

/// The anchored board of one criterion.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CriterionAnchored {
    #[serde(flatten)]
    pub on: On,
    /// Sorted names; every index in the board is into these.
    pub methods: Vec<String>,
    /// The judges that it is anchored in, in the order of the board's.
    pub judges: Vec<Voice>,
    /// Judges that it is not, and why.
    pub refused: Vec<(Voice, String)>,
    pub board: AnchoredBoard,
}

/// A criterion without an anchored board: people and judges only have separate boards.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Unanchored {
    #[serde(flatten)]
    pub on: On,
    pub reason: UnanchoredReason,
}

/// Why there is no anchored board. Serialised as its message.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnanchoredReason {
    #[error("nobody voted")]
    NoVotes,
    #[error(
        "people voted on {prompts} prompt{}, and {CLUSTERS_MIN} are needed to say how far a judge can be trusted", if *.prompts == 1 { "" } else { "s" }
    )]
    FewPrompts { prompts: usize },
    #[error("no judge has a board to anchor in{}", refusals(.refused))]
    NoJudge { refused: Vec<(Voice, String)> },
    #[error(transparent)]
    Rate(#[from] RateError),
}

fn refusals(refused: &[(Voice, String)]) -> String {
    refused.iter().map(|(voice, why)| format!("; {voice}: {why}")).collect()
}

impl serde::Serialize for UnanchoredReason {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One for each criterion that people voted on; nothing unless the settings ask for it.
pub(super) fn anchored_boards(
    settings: &RateSettings,
    collected: &Collected,
) -> (Vec<CriterionAnchored>, Vec<Unanchored>) {
    let (mut made, mut failed) = (Vec::new(), Vec::new());
    if !settings.anchored {
        return (made, failed);
    }
    for (on, voices) in collected.by_criterion() {
        match one(settings, collected, on, &voices) {
            Ok(board) => made.push(board),
            Err(reason) => failed.push(Unanchored { on: on.clone(), reason }),
        }
    }
    // Where people voted on some criteria, it goes without saying that they did not on the others.
    let is_silent = |on: &Unanchored| matches!(on.reason, UnanchoredReason::NoVotes);
    if !made.is_empty() || !failed.iter().all(is_silent) {
        failed.retain(|on| !is_silent(on));
    }
    (made, failed)
}

fn one(
    settings: &RateSettings,
    collected: &Collected,
    on: &On,
    voices: &[(&Voice, &Vec<Choice>)],
) -> Result<CriterionAnchored, UnanchoredReason> {
    let people = voices.iter().find(|(voice, _)| **voice == Voice::People);
    let Some((_, people)) = people else {
        return Err(UnanchoredReason::NoVotes);
    };
    let kind = |voice: &Voice| match voice {
        Voice::Judge(rater) => Some(rater.kind()),
        Voice::AllJudges | Voice::People => None,
    };
    let has_model = voices.iter().any(|(voice, _)| kind(voice) == Some(RaterKind::Model));
    let leaves_probe = has_model && !settings.with_probe;
    let judges: Vec<&(&Voice, &Vec<Choice>)> = voices
        .iter()
        .filter(|(voice, _)| match kind(voice) {
            Some(RaterKind::Probe) => !leaves_probe,
            Some(_) => true,
            None => false,
        })
        .collect();
    let all = judges.iter().map(|(_, choices)| *choices).chain([*people]);
    let methods = methods_of(all.flat_map(|choices| collected.said(choices)));
    let raters = raters_of(collected.said(people));
    let votes: Vec<Vote> = votes(collected.said(people), &methods, &raters);
    let answers = judges.into_iter().map(|(voice, choices)| {
        let answers = collected.said(choices).map(|said| said.among(&methods)).collect();
        ((*voice).clone(), answers)
    });
    let AnchoredIn { judges, refused, board } =
        anchored_in(methods.len(), &votes, answers, settings.ties.into(), settings.seed)?;
    Ok(CriterionAnchored {
        on: on.clone(),
        methods: collected.methods.of(&methods),
        judges,
        refused,
        board,
    })
}

/// An anchored board with the judges it is anchored in, in board order, and the judges left out.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchoredIn {
    pub judges: Vec<Voice>,
    pub refused: Vec<(Voice, String)>,
    pub board: AnchoredBoard,
}

/// Anchors people's votes in the boards of all judges that have one.
///
/// # Errors
/// [`UnanchoredReason`].
pub fn anchored_in(
    num_methods: usize,
    votes: &[Vote],
    answers: impl IntoIterator<Item = (Voice, Vec<Answer>)>,
    draws: Draws,
    seed: u64,
) -> Result<AnchoredIn, UnanchoredReason> {
    if votes.is_empty() {
        return Err(UnanchoredReason::NoVotes);
    }
    let prompts: BTreeSet<usize> = votes.iter().map(|vote| vote.prompt).collect();
    if prompts.len() < CLUSTERS_MIN {
        return Err(UnanchoredReason::FewPrompts { prompts: prompts.len() });
    }
    let (mut judges, mut boards, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (voice, answers) in answers {
        match judge_board(num_methods, &answers, draws) {
            Ok(board) => {
                judges.push(voice);
                boards.push(board);
            }
            Err(why) => refused.push((voice, why.to_string())),
        }
    }
    if boards.is_empty() {
        return Err(UnanchoredReason::NoJudge { refused });
    }
    Ok(AnchoredIn { judges, refused, board: anchored(num_methods, votes, &boards, draws, seed)? })
}
