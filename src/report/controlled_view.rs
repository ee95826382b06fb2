//! A style-controlled board as it is written: which methods moved, and the effect of each figure.

use super::board_view::{Axis, Tick, Whisker, bounded};
use super::columns::Columns;
use super::ends::Ends;
use super::show::{plural, points, title};
use crate::results::{CriterionControlled, Uncontrolled};
use serde::Serialize;

/// The effect of doubling is given if doubling is at most three standard deviations of the differences.
const DOUBLING_SD_MIN: f64 = std::f64::consts::LN_2 / 3.0;

/// One method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ControlledLineView {
    pub method: String,
    pub whisker: Whisker,
    pub rating: String,
    pub interval: Ends,
    pub ranks: Ends,
    pub plain: String,
    /// `+12`, with its interval.
    pub moved: String,
    /// `2 → 1`, or the place where it stays.
    pub places: String,
}

/// The board of one criterion and voice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ControlledView {
    pub title: String,
    pub rubric: String,
    pub voice: String,
    /// `240 games on 40 prompts, controlled for triangles`.
    pub basis: String,
    pub ticks: Vec<Tick>,
    pub lines: Vec<ControlledLineView>,
    /// The effect of each figure, and notes for the reader.
    pub notes: Vec<String>,
}

pub(super) fn controlled_view(on: &CriterionControlled) -> ControlledView {
    let board = &on.board;
    let ends = board.lines.iter().flat_map(|line| {
        let ends = line.interval.map_or([line.rating; 2], |i| [i.low, i.high]);
        ends.into_iter().chain([line.plain])
    });
    let axis = Axis::around(ends, Some(crate::rate::ELO_ORIGIN));
    let lines = board.lines.iter().map(|line| ControlledLineView {
        method: on.methods[line.method].clone(),
        whisker: axis.whisker(line.rating, line.interval),
        rating: bounded(line.rating, line.bound),
        interval: Ends::interval(line.interval, 0),
        ranks: Ends::ranks(line.ranks),
        plain: bounded(line.plain, line.bound),
        moved: points(line.moved, line.moved_interval),
        places: if line.plain_rank == line.rank {
            line.rank.to_string()
        } else {
            format!("{} → {}", line.plain_rank, line.rank)
        },
    });
    let held: Vec<&str> =
        board.effects.iter().map(|effect| on.controls[effect.covariate].name.as_str()).collect();
    ControlledView {
        title: title(&on.criterion),
        rubric: on.rubric.clone(),
        voice: on.voice.to_string(),
        basis: format!(
            "{} on {}, controlled for {}",
            plural(board.games.round() as usize, "game"),
            plural(board.num_prompts, "prompt"),
            held.join(", ")
        ),
        ticks: axis.ticks(),
        lines: lines.collect(),
        notes: notes(on),
    }
}

impl ControlledView {
    pub(super) fn columns(&self) -> Columns {
        let row = |l: &ControlledLineView| {
            [
                (&l.method).into(),
                (&l.rating).into(),
                (&l.interval).into(),
                (&l.ranks).into(),
                (&l.plain).into(),
                (&l.moved).into(),
                (&l.places).into(),
            ]
        };
        let heads = ["method", "rating", "95 % interval", "ranks", "plain", "moved", "place"];
        Columns::new(heads, self.lines.iter().map(row))
    }
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
            control.name, effect.sd, control.scale
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
