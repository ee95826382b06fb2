//! Damage to what a prompt says of a scene: count, colour, place, size, separation, visibility.

use super::rng::CounterRng;
use crate::objects::scenes::{Form, Hue, Layout, Thing};
use glam::Vec3;

/// Things are missing, or there are too many. Returns the error as a share of the right number.
pub(super) fn wrong_count(layout: &mut Layout, level: f32, rng: CounterRng) -> f64 {
    let right = layout.things.len();
    let off = (level * 3.0).ceil() as usize;
    if rng.unit(0) < 0.5 && off < right {
        layout.things.truncate(right - off);
        let last = layout.things.len() - 1;
        let middle = 0.5 * (layout.things[0].at + layout.things[last].at);
        layout.things.iter_mut().for_each(|t| t.at -= middle);
    } else {
        for i in 0..off {
            let like = layout.things[0];
            // A second row below, at the places of the first.
            let at = layout.things[i % right].at - Vec3::Y * (2.0 * (1 + i / right) as f32);
            layout.things.push(Thing { at, ..like });
        }
    }
    off as f64 / right as f64
}

/// Every thing turns from its colour to another that has a name. Returns the root mean square
/// change of a channel, 0 to 1.
pub(super) fn wrong_color(layout: &mut Layout, level: f32, rng: CounterRng) -> f64 {
    let before = layout.clone();
    let named = layout.things[0].color;
    let others: Vec<Hue> = Hue::NAMED.into_iter().filter(|hue| hue.color() != named).collect();
    let other = others[(rng.unit(0) * others.len() as f32) as usize];
    for thing in &mut layout.things {
        thing.color = thing.color.lerp(other.color(), level);
    }
    color_change(&before, layout)
}

/// The two things exchange their colours. Returns the root mean square change of a channel, 0 to 1.
pub(super) fn swapped_colors(layout: &mut Layout, level: f32, _dice: CounterRng) -> f64 {
    let before = layout.clone();
    let [first, second] = [before.things[0].color, before.things[1].color];
    layout.things[0].color = first.lerp(second, level);
    layout.things[1].color = second.lerp(first, level);
    color_change(&before, layout)
}

fn color_change(before: &Layout, after: &Layout) -> f64 {
    let pairs = before.things.iter().zip(&after.things);
    let sum: f32 = pairs.map(|(a, b)| (a.color - b.color).length_squared()).sum();
    f64::from(sum / (3 * before.things.len()) as f32).sqrt()
}

/// Turns the two things around their middle, like clock hands. Returns the share of half a turn.
pub(super) fn wrong_place(layout: &mut Layout, level: f32, rng: CounterRng) -> f64 {
    let way = if rng.unit(0) < 0.5 { 1.0 } else { -1.0 };
    let (sin, cos) = libm::sincosf(way * level * std::f32::consts::PI);
    let middle = 0.5 * (layout.things[0].at + layout.things[1].at);
    for thing in &mut layout.things {
        let from = thing.at - middle;
        let turned = Vec3::new(from.x * cos - from.y * sin, from.x * sin + from.y * cos, from.z);
        thing.at = middle + turned;
    }
    f64::from(level)
}

/// One of the two grows and the other shrinks. Returns the ratio of their sizes, minus one.
pub(super) fn wrong_size(layout: &mut Layout, level: f32, rng: CounterRng) -> f64 {
    let grown = usize::from(rng.unit(0) < 0.5);
    layout.things[grown].size *= 1.0 + 0.3 * level;
    layout.things[1 - grown].size *= 1.0 - 0.7 * level;
    f64::from((1.0 + 0.3 * level) / (1.0 - 0.7 * level)) - 1.0
}

/// The two move into each other. Returns the share of the way between them that is gone.
pub(super) fn merged(layout: &mut Layout, level: f32, _dice: CounterRng) -> f64 {
    let gone = 0.9 * level;
    let middle = 0.5 * (layout.things[0].at + layout.things[1].at);
    for thing in &mut layout.things {
        thing.at = thing.at.lerp(middle, gone);
    }
    f64::from(gone)
}

/// A board slides in front of the thing from the left. Returns the share of its way.
pub(super) fn covered(layout: &mut Layout, level: f32, _dice: CounterRng) -> f64 {
    let front = layout.things[0];
    let way = 0.9 * level;
    // At the beginning of its way the board is next to the thing, also as seen in perspective.
    let shift = -2.2 * front.size * (1.0 - way);
    layout.things.push(Thing {
        form: Form::Board,
        color: Hue::Orange.color(),
        at: front.at + Vec3::new(shift, 0.0, 1.2 * front.size),
        size: 1.15 * front.size,
    });
    f64::from(way)
}
