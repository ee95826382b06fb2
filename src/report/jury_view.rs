//! A jury as it is written: its members, their majority and their weighted sum, against people.

use super::board_columns::{jury_columns, jury_rows};
use super::section::Section;
use super::show::plural;
use super::table::Table;
use crate::rate::JuryLine;
use crate::results::CriterionJury;

pub(super) fn jury_section(on: &CriterionJury) -> Section {
    let jury = &on.jury;
    let basis = format!(
        "{} that people decided, on {}",
        plural(jury.num_questions, "pair"),
        plural(jury.num_prompts, "prompt")
    );
    let table = Table::new(&jury_columns(), &jury_rows(on), None);
    let of = [&*on.rubric, &*on.criterion, ""];
    Section::new(of, "jury", basis, table, vec![added(on)])
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
