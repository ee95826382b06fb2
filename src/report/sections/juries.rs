//! Juries against people: each member, their majority, and their weighted sum.

use super::row::COEFFICIENT;
use super::section::{BoardKind, Boards, Section, fields, tagged};
use crate::rate::JuryLine;
use crate::report::show::plural;
use crate::report::table::Cell::{Count, Estimate, MaybeNumber, Text, Word};
use crate::report::table::{Column, Table, Unit, column, data, hinted};
use crate::results::{CriterionJury, Results};

pub(super) static KIND: BoardKind = BoardKind {
    id: "jury",
    menu: "Jury",
    heading: "Jury",
    hint: "All judges and metrics together, on pairs that people decided: how often each agrees with people, how often their majority does, and how often a weighted sum does, whose weights were learned from the votes on other prompts. A tie counts as half. In brackets, 95 % intervals over prompts. The best member is chosen on the same pairs, which favours it a little.",
    class: "plain",
    is_detail: false,
    rows: &[("jury", || fields(&columns()))],
    make,
};

/// A member's name, or what decides in its place.
type JuryRow<'a> = (&'a CriterionJury, &'a str, &'a JuryLine);

fn make(results: &Results) -> Boards {
    let section = |on: &CriterionJury| {
        let basis = format!(
            "{} that people decided, on {}",
            plural(on.jury.num_questions, "pair"),
            plural(on.jury.num_prompts, "prompt")
        );
        let table = Table::new(&columns(), &lines(on), None);
        Section::new((&on.on.rubric, &on.on.criterion, None), "jury", basis, table)
            .noted([added(on)])
    };
    Boards {
        sections: results.juries.iter().map(section).collect(),
        rows: tagged("jury", &columns(), results.juries.iter().flat_map(lines)),
        ..Boards::default()
    }
}

/// Members, then their majority and their weighted sum.
fn lines(on: &CriterionJury) -> Vec<JuryRow<'_>> {
    let CriterionJury { members, jury, .. } = on;
    let members = members.iter().map(String::as_str).zip(&jury.members);
    let together = [("majority", &jury.majority), ("weighted jury", &jury.weighted)];
    members.chain(together).map(|(name, line)| (on, name, line)).collect()
}

fn columns<'a>() -> Vec<Column<JuryRow<'a>>> {
    let weight = "Learned from the votes; 0 for a member that adds nothing";
    vec![
        data(&["rubric"], Text(|r| &r.0.on.rubric)),
        data(&["criterion"], Text(|r| &r.0.on.criterion)),
        column(&["member"], "member", Word(|r| r.1)),
        hinted(weight, column(&["weight"], "weight", MaybeNumber(COEFFICIENT, |r| r.2.weight))),
        column(&["right"], "agrees with people", Estimate(Unit::Share, |r| Some(r.2.right))),
        column(&["gain"], "more than the best member", Estimate(Unit::Share, |r| r.2.gain)),
        data(&["pairs"], Count(|r| r.0.jury.num_questions)),
        data(&["prompts"], Count(|r| r.0.jury.num_prompts)),
    ]
}

/// What the better of both juries adds to its best member.
fn added(on: &CriterionJury) -> String {
    let jury = &on.jury;
    let best = &on.members[jury.best];
    let (name, line): (&str, &JuryLine) =
        match jury.weighted.right.value >= jury.majority.right.value {
            true => ("weighted jury", &jury.weighted),
            false => ("majority", &jury.majority),
        };
    let points = |value: f64| format!("{:.0}", 100.0 * value);
    let interval = line.gain.and_then(|gain| gain.interval);
    let range = interval.map_or_else(String::new, |it| {
        format!(" (95 % interval {} to {})", points(it.low), points(it.high))
    });
    let gain = 100.0 * line.gain.map_or(0.0, |gain| gain.value);
    let is_clear = interval.is_some_and(|it| it.low > 0.0 || it.high < 0.0);
    let end = if is_clear { "." } else { ", so it is not distinguished from that member." };
    let than = match gain.round() {
        0.0 => format!("as often as only {best}"),
        more => format!(
            "{:.0} percentage points {} often than only {best}",
            more.abs(),
            if more < 0.0 { "less" } else { "more" }
        ),
    };
    format!("The {name} agrees with people {than}{range}{end}")
}
