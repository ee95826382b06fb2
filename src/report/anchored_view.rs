//! The anchored board as written: lines, and sentences on what each judge adds to people's votes.

use super::board_columns::{anchored_columns, anchored_rows};
use super::section::Section;
use super::show::{grouped, percent, plural, title};
use super::table::Table;
use crate::rate::ELO_ORIGIN;
use crate::results::{CriterionAnchored, Unanchored};

pub(super) fn anchored_section(on: &CriterionAnchored) -> Section {
    let board = &on.board;
    let judges: Vec<String> = on.judges.iter().map(ToString::to_string).collect();
    let basis = format!(
        "{} on {}, anchored in {}",
        plural(board.num_votes, "vote"),
        plural(board.num_prompts, "prompt"),
        judges.join(", ")
    );
    let table = Table::new(&anchored_columns(), &anchored_rows(on), Some(ELO_ORIGIN));
    let what = "anchored in people’s votes";
    Section::new([&on.rubric, &on.criterion, ""], what, basis, table, notes(on))
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
            notes.push(format!(
                "{name} has no votes: its rating comes from the judges, and how far they are off on it is unknown; 1000 is the mean of the generators with votes."
            ));
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
    let is_checked = board.lines.iter().all(|line| line.votes > 0);
    notes.extend(is_checked.then(|| match board.votes_to_first {
        Some(0) => "First place is settled.".to_owned(),
        Some(more) => format!(
            "If the ratings stay as they are, first place would be settled after about {}.",
            plural(rounded(more as f64), "more vote")
        ),
        None => "No realistic number of votes would settle first place.".to_owned(),
    }));
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
