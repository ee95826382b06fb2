//! The anchored board as it is written: its lines, and sentences about how much each judge adds to people's votes.

use super::board_view::{Axis, Tick, Whisker};
use super::columns::Columns;
use super::ends::Ends;
use super::show::{grouped, percent, plural, title};
use crate::results::{CriterionAnchored, Unanchored};
use serde::Serialize;

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AnchoredLineView {
    pub method: String,
    pub whisker: Whisker,
    pub rating: String,
    pub interval: Ends,
    pub ranks: Ends,
    pub ranks_all: Ends,
    pub above_next: String,
    pub votes: usize,
}

/// The board of one criterion.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct AnchoredView {
    /// The id of the page's element.
    pub id: String,
    pub title: String,
    pub rubric: String,
    /// `300 votes on 60 prompts, anchored in gpt and probe`.
    pub basis: String,
    pub ticks: Vec<Tick>,
    pub lines: Vec<AnchoredLineView>,
    /// Sentences about each judge's information and other findings.
    pub notes: Vec<String>,
}

pub(super) fn anchored_view(on: &CriterionAnchored, number: usize) -> AnchoredView {
    let board = &on.board;
    let ends = board
        .lines
        .iter()
        .flat_map(|line| line.interval.map_or([line.rating; 2], |i| [i.low, i.high]));
    let axis = Axis::around(ends, Some(crate::rate::ELO_ORIGIN));
    let lines = board.lines.iter().enumerate().map(|(i, line)| AnchoredLineView {
        method: on.methods[line.method].clone(),
        whisker: axis.whisker(line.rating, line.interval),
        rating: format!("{:.0}", line.rating),
        interval: Ends::interval(line.interval, 0),
        ranks: Ends::ranks(line.ranks),
        ranks_all: Ends::ranks(line.ranks_all),
        above_next: board
            .lines
            .get(i + 1)
            .map_or(String::new(), |next| percent(board.beats[line.method][next.method])),
        votes: line.votes,
    });
    let judges: Vec<String> = on.judges.iter().map(ToString::to_string).collect();
    AnchoredView {
        id: format!("anchored-{number}"),
        title: title(&on.criterion),
        rubric: on.rubric.clone(),
        basis: format!(
            "{} on {}, anchored in {}",
            plural(board.num_votes, "vote"),
            plural(board.num_prompts, "prompt"),
            judges.join(", ")
        ),
        ticks: axis.ticks(),
        lines: lines.collect(),
        notes: notes(on),
    }
}

impl AnchoredView {
    pub(super) fn columns(&self) -> Columns {
        let row = |l: &AnchoredLineView| {
            [
                (&l.method).into(),
                (&l.rating).into(),
                (&l.interval).into(),
                (&l.ranks).into(),
                (&l.ranks_all).into(),
                (&l.above_next).into(),
                l.votes.into(),
            ]
        };
        let heads =
            ["method", "rating", "95 % interval", "ranks", "at once", "above next", "votes"];
        Columns::new(heads, self.lines.iter().map(row))
    }
}

fn notes(on: &CriterionAnchored) -> Vec<String> {
    let board = &on.board;
    let mut notes = Vec::new();
    for (voice, judge) in on.judges.iter().zip(&board.judges) {
        let (low, high) = judge.votes_range;
        let mut said = match rounded(high) {
            0 => format!("{voice} adds no information to these votes"),
            high => format!(
                "{voice} adds as much as about {} (80 % range: {} to {})",
                plural(rounded(judge.votes), "vote"),
                grouped(rounded(low) as u64),
                grouped(high as u64),
            ),
        };
        said += &if judge.is_backwards {
            "; it ranks backwards, so its ratings are reversed".to_owned()
        } else {
            format!(
                "; 100 points on its board correspond to {:.0} ± {:.0} of people’s, with a remaining error of about {:.0} points",
                100.0 * judge.slope,
                100.0 * judge.slope_sd,
                judge.off_elo
            )
        };
        notes.push(said + ".");
    }
    if board.judges.len() > 1 {
        notes.push(format!(
            "All judges together add as much as about {}.",
            plural(rounded(board.worth), "vote")
        ));
    }
    let effective = board.num_votes as f64 / board.design_effect;
    notes.push(format!(
        "By their spread, the votes carry the information of {} independent wins and losses; ties vary less, votes on the same prompt more.",
        grouped(effective.round() as u64)
    ));
    for line in &board.lines {
        let name = &on.methods[line.method];
        if line.votes == 0 {
            notes.push(format!("{name} has no votes; its rating comes from the judges."));
        } else if let Some(apart) = line.apart_elo {
            let way = if apart > 0.0 { "higher" } else { "lower" };
            notes.push(format!(
                "People and judges disagree on {name}: people rate it about {:.0} points {way}.",
                apart.abs()
            ));
        }
    }
    notes.push(format!(
        "50 more votes on random pairs and prompts would narrow the intervals by about {}.",
        percent(board.next_50_narrow)
    ));
    notes.push(match board.votes_to_first {
        Some(0) => "First place is settled.".to_owned(),
        Some(more) => format!(
            "If the ratings stay as they are, first place would be settled after about {}.",
            plural(rounded(more as f64), "more vote")
        ),
        None => "No realistic number of votes would settle first place.".to_owned(),
    });
    for (voice, why) in &on.refused {
        notes.push(format!("{voice} is left out: {why}."));
    }
    notes
}

pub(super) fn unanchored_text(on: &Unanchored) -> String {
    format!("{} ({}): no anchored ratings: {}.", title(&on.criterion), on.rubric, on.reason)
}

/// Rounded to two digits, the precision of these estimates.
fn rounded(votes: f64) -> usize {
    let mut unit = 1.0;
    while votes / unit >= 100.0 {
        unit *= 10.0;
    }
    ((votes / unit).round() * unit) as usize
}
