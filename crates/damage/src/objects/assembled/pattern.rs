//! What assembled objects are painted with: five panels, each with a pattern and colours by chance.

use super::chance::Chance;
use crate::objects::kit::{
    Picture, Rect, hash, is_ink, noise, paint, stone, to_disc, to_joint, to_line, wave, wood_value,
    zigzag,
};

pub(super) const BODY: Rect = [0.0, 0.0, 1.0, 0.5];
pub(super) const SECOND: Rect = [0.0, 0.5, 0.5, 0.25];
pub(super) const THIRD: Rect = [0.5, 0.5, 0.5, 0.25];
/// Lettered, on the front.
pub(super) const SIGN: Rect = [0.0, 0.75, 0.5, 0.25];
pub(super) const TRIM: Rect = [0.5, 0.75, 0.5, 0.25];

/// Place along four colours, 0 to 3, at (u, v).
type Value = Box<dyn Fn(f32, f32) -> f32>;

const WORDS: [&str; 12] =
    ["NORD", "LUMEN", "OAK", "TEA", "1742", "VITA", "STAR", "MAR", "FERN", "ROSA", "N7", "SOL"];

pub(super) fn texture(chance: &mut Chance) -> Picture {
    let panels: Vec<(Rect, [[f32; 3]; 4], Value)> = [BODY, SECOND, THIRD, SIGN, TRIM]
        .into_iter()
        .map(|rect| {
            let value = match rect {
                SIGN => sign(chance),
                _ => pattern(chance),
            };
            (rect, colors(chance), value)
        })
        .collect();
    paint(512, panels.iter().map(|(rect, colors, value)| (*rect, colors.as_slice(), value)))
}

/// Dark, middle and light of one hue, and an accent of another; no two alike.
fn colors(chance: &mut Chance) -> [[f32; 3]; 4] {
    let hue = chance.between(0.0, 1.0);
    let saturation = chance.between(0.25, 0.8);
    let other = hue + chance.between(0.3, 0.7);
    [
        shade(hue, saturation, chance.between(0.08, 0.2)),
        shade(hue, saturation, chance.between(0.35, 0.5)),
        shade(hue, 0.7 * saturation, chance.between(0.65, 0.85)),
        shade(other, chance.between(0.5, 0.9), chance.between(0.4, 0.7)),
    ]
}

/// sRGB from 0 to 255 of a hue (turns), a saturation and a value (0 to 1).
fn shade(hue: f32, saturation: f32, value: f32) -> [f32; 3] {
    [0.0, 1.0 / 3.0, 2.0 / 3.0].map(|turn| {
        let third = to_line(hue + turn);
        let full = (3.0 * third - 0.5).clamp(0.0, 1.0);
        255.0 * value * (1.0 - saturation * (1.0 - full))
    })
}

fn pattern(chance: &mut Chance) -> Value {
    let seed = chance.seed();
    let (across, along) = (chance.count(6, 14), chance.count(4, 10));
    let (columns, rows) = (across as f32, along as f32);
    let grain = move |u: f32, v: f32| 0.5 * (noise(u, v, [96, 64], seed + 9) - 0.5);
    match chance.count(0, 7) {
        0 => Box::new(move |u, v| {
            let joint = to_joint(u, v, columns, rows) < 0.09;
            let brick = 1.0 + stone(u, v, columns, rows, seed) + grain(u, v);
            if joint { 0.0 } else { brick }
        }),
        1 => Box::new(move |u, v| {
            let plank = to_line(u * columns * 0.5) < 0.03;
            if plank { 0.0 } else { 0.4 + 1.8 * wood_value(u + hash(seed as i32, 0, seed), v) }
        }),
        2 => Box::new(move |u, v| {
            let band = (v * rows).floor() as i32;
            let tone = 3.0 * hash(band, 1, seed);
            let edge = to_line(v * rows) < 0.06;
            if edge { 0.0 } else { tone + grain(u, v) }
        }),
        3 => Box::new(move |u, v| {
            let line = v * rows + 0.35 * zigzag(u * columns);
            let tone = if line.floor().rem_euclid(2.0) < 0.5 { 1.0 } else { 3.0 };
            if to_line(line) < 0.07 { 0.0 } else { tone + grain(u, v) }
        }),
        4 => Box::new(move |u, v| {
            let (x, y) = (u * columns, v * rows);
            let disc = to_disc(x - x.floor() - 0.5, y - y.floor() - 0.5, 0.3);
            match disc {
                d if d < -0.06 => 3.0,
                d if d < 0.0 => 0.0,
                _ => 1.5 + grain(u, v),
            }
        }),
        5 => Box::new(move |u, v| {
            let vein = wave(u * 2.0 + v + 1.5 * noise(u, v, [7, 5], seed));
            let fine = noise(u, v, [30, 20], seed + 1);
            if vein.abs() < 0.08 { 0.0 } else { 1.0 + fine + 0.3 * vein }
        }),
        6 => Box::new(move |u, v| {
            let (x, y) = (u * columns, v * rows * 1.5);
            let row = y.floor();
            let shift = if row.rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
            let (x, y) = (x + shift, y - row);
            let scale = to_disc(x - x.floor() - 0.5, y * 0.8, 0.55);
            if scale.abs() < 0.06 { 0.0 } else { 1.2 + y + grain(u, v) }
        }),
        _ => Box::new(move |u, v| {
            let square = (u * columns).floor() as i32 + (v * rows).floor() as i32;
            let tone = if square % 2 == 0 { 0.6 } else { 2.2 };
            tone + grain(u, v)
        }),
    }
}

/// A word in a frame.
fn sign(chance: &mut Chance) -> Value {
    let (word, seed) = (chance.one_of(&WORDS), chance.seed());
    Box::new(move |u, v| {
        let border = u.min(1.0 - u).min(v.min(1.0 - v));
        let ink = is_ink(word, (u - 0.12) / 0.76, (v - 0.3) / 0.4);
        match () {
            () if (0.06..0.1).contains(&border) => 3.0,
            () if ink => 0.0,
            () => 1.9 + 0.5 * (noise(u, v, [40, 24], seed) - 0.5),
        }
    })
}
