//! Ratings anchored in people's votes, with sentences on what each judge adds to them.

use super::row::{
    ELO, Of, Row, criterion, interval, lower_or_open, method, next_lower, plot, ranks, rows,
    rubric, win_rates,
};
use super::section::{BoardKind, Boards, Missing, Section, fields, tagged};
use crate::rate::{AnchoredLine, ELO_ORIGIN};
use crate::report::show::{grouped, percent, plural, title};
use crate::report::table::Cell::{Count, Json, Main, MaybeNumber};
use crate::report::table::{Column, Table, column, data};
use crate::results::{CriterionAnchored, Results};
use serde_json::{Value, json};

pub(super) static KIND: BoardKind = BoardKind {
    id: "anchored",
    menu: "People",
    heading: "Anchored ratings",
    hint: "People’s preferences, estimated from their votes and the judges’ boards; the votes determine how much weight each judge gets. The separate boards of people and judges are above.",
    class: "plot",
    is_detail: false,
    rows: &[("anchored", || fields(&columns())), ("anchors", Vec::new), ("unanchored", Vec::new)],
    make,
};

type AnchoredRow<'a> = Row<'a, CriterionAnchored, AnchoredLine>;

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.anchored {
        let of: Of<'_> = (&on.on.rubric, &on.on.criterion, None);
        let rows = rows(on, of, &on.board.lines, |line| &on.methods[line.method]);
        let judges: Vec<String> = on.judges.iter().map(ToString::to_string).collect();
        let basis = format!(
            "{} on {}, anchored in {}",
            plural(on.board.num_votes, "vote"),
            plural(on.board.num_prompts, "prompt"),
            judges.join(", ")
        );
        let table = Table::new(&columns(), &rows, Some(ELO_ORIGIN));
        let section = Section::new(of, "anchored in people’s votes", basis, table);
        made.sections.push(section.noted(notes(on)));
        made.rows.extend(tagged("anchored", &columns(), rows));
        made.rows.push(anchors_row(on));
    }
    for on in &results.unanchored {
        let (criterion, reason) = (on.on.criterion.clone(), on.reason.to_string());
        made.rows.push(json!({"kind": "unanchored", "rubric": on.on.rubric, "criterion": criterion, "reason": reason}));
        made.missing.push(Missing {
            title: title(&criterion),
            criterion,
            asked: on.on.rubric.clone(),
            text: format!("no anchored ratings: {reason}"),
        });
    }
    made
}

fn columns<'a>() -> Vec<Column<AnchoredRow<'a>>> {
    vec![
        rubric(),
        criterion(),
        method(),
        plot(|r| Some((r.line.rating, r.line.interval, r.line.rating))),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, None))),
        interval(ELO, |r| r.line.interval),
        ranks(|r| r.line.ranks_all),
        next_lower(|r| lower_or_open(r.is_next_lower())),
        column(&["votes"], "votes", Count(|r| r.line.votes)),
        data(&["apart"], MaybeNumber(ELO, |r| r.line.apart_elo)),
        data(&["next_lower"], Json(|r| Some(r.is_next_lower().into()))),
        data(
            &["win_rates"],
            Json(|r| Some(win_rates(&r.on.methods, &r.on.board.win_rates, r.line.method))),
        ),
    ]
}

impl AnchoredRow<'_> {
    fn is_next_lower(&self) -> bool {
        let next = self.on.board.lines.get(self.place);
        next.is_some_and(|next| self.on.board.is_above(self.line.method, next.method))
    }
}

fn anchors_row(on: &CriterionAnchored) -> Value {
    let board = &on.board;
    let judges = on.judges.iter().zip(&board.judges);
    let judges = judges.map(|(voice, worth)| json!({"judge": voice.to_string(), "worth": worth}));
    let refused = on.refused.iter();
    let refused = refused.map(|(voice, why)| json!({"judge": voice.to_string(), "reason": why}));
    json!({
        "kind": "anchors", "rubric": on.on.rubric, "criterion": on.on.criterion, "votes": board.num_votes, "prompts": board.num_prompts,
        "design_effect": board.design_effect, "worth": board.worth, "off_elo": board.off_elo,
        "judges": judges.collect::<Vec<_>>(), "next_50_narrow": board.next_50_narrow,
        "votes_to_first": board.votes_to_first, "refused": refused.collect::<Vec<_>>(),
    })
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

/// Rounded to two digits, the precision of these estimates.
fn rounded(votes: f64) -> usize {
    let mut unit = 1.0;
    while votes / unit >= 100.0 {
        unit *= 10.0;
    }
    ((votes / unit).round() * unit) as usize
}
