//! A style-controlled board as it is written: which methods moved, and the effect of each figure.

use super::board_columns::{controlled_columns, controlled_rows};
use super::section::Section;
use super::show::{plural, points, title};
use super::table::Table;
use crate::rate::ELO_ORIGIN;
use crate::results::{CriterionControlled, Uncontrolled};

/// A doubling's effect is given if ln 2 ≤ 3 standard deviations of the differences.
const DOUBLING_SD_MIN: f64 = std::f64::consts::LN_2 / 3.0;

pub(super) fn controlled_section(on: &CriterionControlled) -> Section {
    let board = &on.board;
    let held: Vec<&str> =
        board.effects.iter().map(|effect| on.controls[effect.covariate].name.as_str()).collect();
    let basis = format!(
        "{} on {}, controlled for {}",
        plural(board.games.round() as usize, "game"),
        plural(board.num_prompts, "prompt"),
        held.join(", ")
    );
    let table = Table::new(&controlled_columns(), &controlled_rows(on), Some(ELO_ORIGIN));
    let of = [&*on.rubric, &*on.criterion, &on.voice.to_string()];
    Section::new(of, "style-controlled", basis, table, notes(on))
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

pub(super) fn uncontrolled_text(on: &Uncontrolled) -> String {
    format!(
        "{} ({}, judged by {}): no style-controlled ratings: {}.",
        title(&on.criterion),
        on.rubric,
        on.voice,
        on.reason
    )
}
