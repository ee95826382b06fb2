//! Ratings with figures of the assets held equal: which generators move, and what each figure does.

use super::row::{
    ELO, Row, criterion, explained, interval, judge, method, of, plot, ranks, rows, rubric,
};
use super::section::{BoardKind, Boards, Missing, Section, fields, joined, tagged};
use crate::rate::{ControlledLine, ELO_ORIGIN};
use crate::report::show::{plural, points, title};
use crate::report::table::Cell::{Count, Figures, Main, MaybeText, Points, Rating};
use crate::report::table::{Column, Table, bound_word, column, data, hinted};
use crate::results::{CriterionControlled, Results};
use serde_json::{Value, json};

pub(super) static KIND: BoardKind = BoardKind {
    id: "controlled",
    menu: "Style",
    heading: "Style-controlled ratings",
    hint: "Estimated ratings if the assets did not differ in the named figures: Bradley–Terry with each figure’s difference as a covariate. This also removes effects of figures that make an asset better. The plain boards are above.",
    class: "plot",
    is_detail: false,
    rows: &[
        ("controlled", || fields(&columns())),
        ("controls", Vec::new),
        ("uncontrolled", Vec::new),
    ],
    make,
};

/// A doubling's effect is given if ln 2 ≤ 3 standard deviations of the differences.
const DOUBLING_SD_MIN: f64 = std::f64::consts::LN_2 / 3.0;

type ControlledRow<'a> = Row<'a, CriterionControlled, ControlledLine>;

fn make(results: &Results) -> Boards {
    let mut made = Boards::default();
    for on in &results.controlled {
        let board = &on.board;
        let rows = rows(on, of(&on.key), &board.lines, |line| &on.methods[line.method]);
        let held = board.effects.iter().map(|effect| &*on.controls[effect.covariate].name);
        let basis = format!(
            "{} on {}, controlled for {}",
            plural(board.games.round() as usize, "game"),
            plural(board.num_prompts, "prompt"),
            held.collect::<Vec<_>>().join(", ")
        );
        let table = Table::new(&columns(), &rows, Some(ELO_ORIGIN));
        made.sections
            .push(Section::new(of(&on.key), "style-controlled", basis, table).noted(notes(on)));
        made.rows.extend(tagged("controlled", &columns(), rows));
        made.rows.push(controls_row(on));
    }
    for on in &results.uncontrolled {
        let (criterion, voice, reason) =
            (on.key.criterion().to_owned(), on.key.voice.to_string(), on.reason.to_string());
        made.rows.push(json!({"kind": "uncontrolled", "rubric": on.key.rubric(), "criterion": criterion, "judge": voice, "reason": reason}));
        made.missing.push(Missing {
            title: title(&criterion),
            criterion,
            asked: joined([on.key.rubric(), &format!("judged by {voice}")]),
            text: format!("no style-controlled ratings: {reason}"),
        });
    }
    made
}

fn columns<'a>() -> Vec<Column<ControlledRow<'a>>> {
    let moved = "Rating minus the plain rating, with its 95 % interval";
    let moved_keys = &["moved", "moved_low", "moved_high"];
    let plain = "From the same games, without style control";
    vec![
        rubric(),
        criterion(),
        judge(),
        method(),
        plot(|r| Some((r.line.rating, r.line.interval, r.line.plain))),
        column(&["rating"], "rating", Main(ELO, |r| (r.line.rating, r.line.bound))),
        data(&["bound"], MaybeText(|r| r.line.bound.map(bound_word))),
        interval(ELO, |r| r.line.interval),
        data(&["rank"], Count(|r| r.line.rank)),
        ranks(|r| r.line.ranks_all),
        hinted(plain, column(&["plain"], "plain", Rating(|r| (r.line.plain, r.line.bound)))),
        data(&["plain_rank"], Count(|r| r.line.plain_rank)),
        hinted(
            moved,
            column(moved_keys, "moved", Points(|r| (r.line.moved, r.line.moved_interval))),
        ),
        explained("place", "On the plain board and on this one", Figures(Row::places)),
    ]
}

impl ControlledRow<'_> {
    fn places(&self) -> String {
        match (self.line.plain_rank, self.line.rank) {
            (plain, rank) if plain == rank => rank.to_string(),
            (plain, rank) => format!("{plain} → {rank}"),
        }
    }
}

fn controls_row(on: &CriterionControlled) -> Value {
    let board = &on.board;
    let effects = board.effects.iter().map(|effect| {
        let control = &on.controls[effect.covariate];
        json!({
            "name": control.name, "scale": control.scale, "sd": effect.sd, "elo_per_sd": effect.elo,
            "low": effect.interval.map(|i| i.low), "high": effect.interval.map(|i| i.high),
        })
    });
    let refused = on.refused.iter().map(|(name, why)| json!({"name": name, "reason": why}));
    json!({
        "kind": "controls", "rubric": on.key.rubric(), "criterion": on.key.criterion(), "judge": on.key.voice.to_string(),
        "effects": effects.collect::<Vec<_>>(), "refused": refused.collect::<Vec<_>>(), "games": board.games,
        "left_out": board.left_out, "prompts": board.num_prompts,
    })
}

fn notes(on: &CriterionControlled) -> Vec<String> {
    let board = &on.board;
    let mut notes = Vec::new();
    for effect in &board.effects {
        let control = &on.controls[effect.covariate];
        let said = points(effect.elo, effect.interval);
        let per = match control.scale {
            "x" => String::new(),
            // Where assets differ by little, the effect of doubling is an extrapolation.
            _ if effect.sd < DOUBLING_SD_MIN => String::new(),
            _ => {
                let doubled = effect.elo * std::f64::consts::LN_2 / effect.sd;
                format!("; doubling it adds {} points", points(doubled, None))
            }
        };
        notes.push(format!(
            "{}: {said} points for a difference of one standard deviation, {:.3} in {}{per}.",
            control.name,
            effect.sd,
            control.scale.replace('x', &control.name)
        ));
    }
    for (name, why) in &on.refused {
        notes.push(format!("{name} is not controlled for: {why}."));
    }
    if board.left_out > 0.0 {
        notes.push(format!(
            "{} left out of both columns of ratings, for lack of figures.",
            match board.left_out.round() as usize {
                1 => "1 game is".to_owned(),
                n => format!("{} are", plural(n, "game")),
            }
        ));
    }
    notes
}
