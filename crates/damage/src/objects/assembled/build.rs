//! The seven ways an object is put together. About a metre high, on the ground, front to +z.

use super::chance::Chance;
use super::pattern::{BODY, SECOND, SIGN, THIRD, TRIM};
use crate::objects::kit::{
    Rect, Shape, ball, bar, block, cos_turn, curve, curved, hoop, hull, lathe, lumpy, sin_turn,
    station, tube, wheel,
};
use glam::Vec3;

/// A way to put an object together.
pub(super) struct Plan {
    pub prompt: &'static str,
    pub build: fn(&mut Chance) -> Shape,
}

const PLANS: [Plan; 7] = [
    Plan { prompt: "a turned, painted jar with handles and a lettered plate in front", build: jar },
    Plan {
        prompt: "a painted piece of furniture on four legs with a lettered plate in front",
        build: furniture,
    },
    Plan {
        prompt: "a patterned tower house with turrets and a lettered sign over the door",
        build: tower,
    },
    Plan {
        prompt: "a toy animal with a patterned coat and a lettered plate on its chest",
        build: animal,
    },
    Plan { prompt: "a potted plant with a round crown, a lettered label on its pot", build: plant },
    Plan {
        prompt: "a toy cart with four wheels, a cabin and a lettered plate in front",
        build: cart,
    },
    Plan {
        prompt: "a fairground machine: a column with arms and balls on a lettered base",
        build: machine,
    },
];

/// One after the other, so that every lot holds all.
pub(super) fn plan(number: u32) -> &'static Plan {
    &PLANS[number as usize % PLANS.len()]
}

/// A lettered plate whose back is sunk into the body behind `z`.
fn sign(width: f32, x: f32, y: f32, z: f32) -> Shape {
    let half = Vec3::new(0.5 * width, 0.25 * width, 0.03);
    block(half, 0.008, [6, 4, 2], |axis, sign| if axis == 2 && sign > 0.0 { SIGN } else { TRIM })
        .at(x, y, z)
}

fn box_of(half: Vec3, cells: [usize; 3], panel: Rect) -> Shape {
    let radius = 0.15 * half.min_element();
    block(half, radius, cells, |_, _| panel)
}

fn jar(chance: &mut Chance) -> Shape {
    let height = chance.between(0.7, 1.2);
    let points = chance.count(4, 6);
    let profile: Vec<(f32, f32)> = (0..=points)
        .map(|i| {
            let radius = chance.between(0.16, 0.4);
            (radius, height * i as f32 / points as f32)
        })
        .collect();
    let radius_at = |t: f32| curve(&profile, t).x;
    let mut shape = lathe(&curved(&profile, 28), 0.01, 0.05, 44).on(BODY);
    for _ in 0..chance.count(1, 2) {
        let t = chance.between(0.15, 0.85);
        let thickness = chance.between(0.012, 0.025);
        shape.add(hoop(radius_at(t), thickness, 44, 8).at(0.0, t * height, 0.0).on(TRIM));
    }
    let (low, high) = (chance.between(0.25, 0.4), chance.between(0.6, 0.85));
    let out = chance.between(0.12, 0.22);
    for side in if chance.does(0.6) { [1.0, -1.0].as_slice() } else { [1.0].as_slice() } {
        let path: Vec<Vec3> = (0..=14)
            .map(|i| {
                let f = i as f32 / 14.0;
                let t = low + (high - low) * f;
                let root = radius_at(low) * (1.0 - f) + radius_at(high) * f - 0.01;
                Vec3::new(side * (root + out * sin_turn(0.5 * f)), t * height, 0.0)
            })
            .collect();
        shape.add(tube(&path, 12, |_, _| 0.022).on(SECOND));
    }
    let top = profile[points].0;
    if chance.does(0.6) {
        let lid = [
            (0.9 * top, height - 0.02),
            (1.05 * top, height + 0.01),
            (0.6 * top, height + 0.07),
            (0.1 * top, height + 0.10),
        ];
        shape.add(lathe(&lid, 0.008, 0.05, 36).on(SECOND));
        let knob = chance.between(0.04, 0.07);
        shape
            .add(ball(Vec3::splat(knob), 12, 18).at(0.0, height + 0.10 + 0.6 * knob, 0.0).on(TRIM));
    }
    let at = chance.between(0.35, 0.65);
    shape.add(sign(chance.between(0.16, 0.24), 0.0, at * height, radius_at(at)));
    shape
}

fn furniture(chance: &mut Chance) -> Shape {
    let (width, depth) = (chance.between(0.35, 0.7), chance.between(0.25, 0.4));
    let (height, thick) = (chance.between(0.4, 0.75), chance.between(0.025, 0.05));
    let top = Vec3::new(width, thick, depth);
    let mut shape =
        block(top, 0.3 * thick, [14, 3, 10], |axis, _| if axis == 1 { BODY } else { SECOND })
            .at(0.0, height, 0.0);
    let thin = chance.between(0.02, 0.035);
    let swell = chance.between(1.0, 1.9);
    let leg =
        [(thin, 0.0), (swell * thin, 0.3 * height), (thin, 0.6 * height), (1.3 * thin, height)];
    for (x, z) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let leg = lathe(&curved(&leg, 14), 0.004, 0.1, 14).on(THIRD);
        shape.add(leg.at(0.85 * width * x, 0.0, 0.8 * depth * z));
    }
    if chance.does(0.5) {
        // A back of bars under a rail.
        let (rise, bars) = (chance.between(0.35, 0.55), chance.count(3, 6));
        for i in 0..bars {
            let x = 0.85 * width * (2.0 * i as f32 / (bars - 1) as f32 - 1.0);
            let foot = Vec3::new(x, height, -0.85 * depth);
            shape.add(bar(foot, foot + Vec3::new(0.0, rise, -0.04), 0.016, 8, 10).on(THIRD));
        }
        let rail = Vec3::new(width, 0.05, 0.025);
        shape.add(box_of(rail, [12, 3, 2], SECOND).at(0.0, height + rise, -0.85 * depth - 0.04));
    } else {
        // A case on top with shelves that stick out.
        let rise = chance.between(0.15, 0.3);
        let case = Vec3::new(0.8 * width, rise, 0.6 * depth);
        shape.add(box_of(case, [8, 6, 6], BODY).at(0.0, height + rise, -0.2 * depth));
        for i in 0..chance.count(1, 3) {
            let shelf = Vec3::new(0.86 * width, 0.012, 0.7 * depth);
            let y = height + rise * (0.5 + 0.6 * i as f32);
            shape.add(box_of(shelf, [8, 1, 6], SECOND).at(0.0, y, -0.2 * depth));
        }
    }
    let apron = Vec3::new(0.82 * width, 0.05, 0.04);
    shape.add(box_of(apron, [10, 3, 2], SECOND).at(0.0, height - 0.05, 0.8 * depth));
    for x in [-0.55, 0.55] {
        let knob = ball(Vec3::splat(0.022), 10, 14).on(TRIM);
        shape.add(knob.at(x * width, height - 0.06, 0.8 * depth + 0.045));
    }
    shape.add(sign(0.2, 0.0, height - 0.05, 0.8 * depth + 0.025));
    shape
}

fn tower(chance: &mut Chance) -> Shape {
    let (width, depth) = (chance.between(0.22, 0.35), chance.between(0.2, 0.32));
    let height = chance.between(0.35, 0.55);
    let mut shape =
        box_of(Vec3::new(width, height, depth), [10, 14, 10], BODY).at(0.0, height, 0.0);
    let roof = [
        (1.5 * width.max(depth), 2.0 * height - 0.01),
        (1.45 * width.max(depth), 2.0 * height + 0.04),
        (0.03, 2.0 * height + chance.between(0.25, 0.5)),
    ];
    let sides = chance.one_of(&[4, 6, 24]);
    shape.add(lathe(&roof, 0.01, 0.05, sides).turned(0.125).on(SECOND));
    let thin = chance.between(0.07, 0.11);
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    for (x, z) in corners.iter().take(chance.count(1, 4)) {
        let rise = 2.0 * height * chance.between(0.55, 0.95);
        let wall = [(thin, 0.0), (thin, rise), (1.25 * thin, rise + 0.04)];
        let cap = [(1.3 * thin, rise + 0.03), (0.02, rise + 0.03 + chance.between(0.12, 0.25))];
        shape.add(lathe(&wall, 0.006, 0.06, 18).at(x * width, 0.0, z * depth).on(THIRD));
        shape.add(lathe(&cap, 0.006, 0.05, 18).at(x * width, 0.0, z * depth).on(SECOND));
    }
    let door = Vec3::new(0.3 * width, 0.16, 0.02);
    shape.add(box_of(door, [4, 6, 2], THIRD).at(0.0, 0.15, depth));
    shape.add(ball(Vec3::splat(0.014), 8, 10).at(0.2 * width, 0.15, depth + 0.028).on(TRIM));
    for i in 0..chance.count(2, 4) {
        let x = (i % 2) as f32 - 0.5;
        let y = 0.48 + 0.2 * (i / 2) as f32;
        let window = Vec3::new(0.05, 0.06, 0.015);
        shape.add(box_of(window, [3, 3, 2], TRIM).at(0.8 * width * x, y.min(1.85 * height), depth));
    }
    shape.add(sign(0.75 * width, 0.0, 0.37, depth));
    shape
}

fn animal(chance: &mut Chance) -> Shape {
    let (length, girth) = (chance.between(0.3, 0.5), chance.between(0.14, 0.22));
    let legs = chance.between(0.15, 0.4);
    let y = legs + girth;
    let body = [
        station(-length, y, 0.3 * girth, 0.3 * girth),
        station(-0.8 * length, y, 0.9 * girth, girth),
        station(0.0, y, girth * chance.between(0.7, 1.0), girth * chance.between(0.7, 1.0)),
        station(0.7 * length, y, 0.9 * girth, girth),
        station(length, y + 0.1 * girth, 0.5 * girth, 0.6 * girth),
    ];
    let mut shape = hull(&body, 36, 32, 0.0).on(BODY);
    for (x, z) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
        let hip = Vec3::new(0.6 * girth * x, y, 0.65 * length * z);
        let foot = Vec3::new(0.75 * girth * x, 0.0, 0.7 * length * z);
        shape.add(bar(hip, foot, 0.28 * girth, 8, 14).on(THIRD));
    }
    let head = girth * chance.between(0.75, 1.1);
    let face = Vec3::new(0.0, y + chance.between(0.5, 1.6) * girth, length + 0.5 * head);
    shape.add(bar(Vec3::new(0.0, y, 0.75 * length), face, 0.45 * girth, 8, 16).on(SECOND));
    shape.add(ball(Vec3::splat(head), 20, 28).at(face.x, face.y, face.z).on(SECOND));
    let snout = chance.between(0.35, 0.6) * head;
    shape.add(
        ball(Vec3::new(snout, 0.8 * snout, 1.2 * snout), 12, 18)
            .at(0.0, face.y - 0.25 * head, face.z + 0.85 * head)
            .on(TRIM),
    );
    let ear = chance.between(0.4, 0.9) * head;
    for side in [1.0, -1.0] {
        shape.add(
            ball(Vec3::splat(0.15 * head), 10, 12)
                .at(0.4 * head * side, face.y + 0.35 * head, face.z + 0.82 * head)
                .on(TRIM),
        );
        let horn = lathe(&[(0.28 * head, 0.0), (0.04 * head, ear)], 0.01, 0.04, 14);
        let horn = horn.rolled(-0.08 * side).on(SECOND);
        shape.add(horn.at(0.5 * head * side, face.y + 0.7 * head, face.z - 0.1 * head));
    }
    let up = chance.between(-0.2, 0.4);
    let tail: Vec<Vec3> = (0..=10)
        .map(|i| {
            let f = i as f32 / 10.0;
            let swing = 0.08 * sin_turn(f);
            Vec3::new(swing, y + up * f * f, -0.9 * length - 0.35 * f)
        })
        .collect();
    shape.add(tube(&tail, 12, |t, _| 0.25 * girth * (1.0 - 0.7 * t)).on(THIRD));
    // On the chest, below the head.
    shape.add(sign(1.1 * girth, 0.0, y - 0.15 * girth, 0.99 * length));
    shape
}

fn plant(chance: &mut Chance) -> Shape {
    let (foot, rim) = (chance.between(0.12, 0.18), chance.between(0.18, 0.26));
    let pot_height = chance.between(0.2, 0.32);
    let pot = [
        (foot, 0.0),
        (0.5 * (foot + rim), 0.5 * pot_height),
        (rim, 0.85 * pot_height),
        (1.12 * rim, 0.88 * pot_height),
        (1.12 * rim, pot_height),
    ];
    let mut shape = lathe(&pot, 0.008, 0.05, 36).on(BODY);
    let height = chance.between(0.35, 0.6);
    let bend = chance.between(-0.15, 0.15);
    let at = |f: f32| Vec3::new(bend * f * f, pot_height - 0.05 + height * f, 0.05 * bend * f);
    let stem: Vec<Vec3> = (0..=12).map(|i| at(i as f32 / 12.0)).collect();
    shape.add(tube(&stem, 14, |t, _| 0.045 - 0.02 * t).on(THIRD));
    let crown = at(1.0);
    if chance.does(0.5) {
        // Lumps of leaves.
        let first = chance.between(0.16, 0.24);
        let seed = chance.seed();
        let lump = |size: f32, seed: u32| lumpy(ball(Vec3::splat(size), 16, 24), 0.12, 0.04, seed);
        shape.add(lump(first, seed).at(crown.x, crown.y, crown.z).on(SECOND));
        for i in 0..chance.count(3, 6) {
            let turn = i as f32 * 0.382;
            let size = chance.between(0.09, 0.15);
            let out = 0.9 * first;
            let y = crown.y + chance.between(-0.3, 0.8) * first;
            shape.add(
                lump(size, seed + 2 * i as u32 + 2)
                    .at(crown.x + out * sin_turn(turn), y, crown.z + out * cos_turn(turn))
                    .on(SECOND),
            );
        }
    } else {
        // Flat leaves around the stem, and a bud.
        for i in 0..chance.count(6, 11) {
            let turn = i as f32 * 0.382;
            let long = chance.between(0.14, 0.24);
            let root = at(0.25 + 0.06 * i as f32);
            let leaf = ball(Vec3::new(0.45 * long, 0.012, long), 10, 18).at(0.0, 0.0, long);
            let leaf = leaf.tipped(-0.07).turned(turn).on(SECOND);
            shape.add(leaf.at(root.x, root.y, root.z));
        }
        shape.add(
            ball(Vec3::new(0.08, 0.11, 0.08), 16, 24).at(crown.x, crown.y + 0.05, crown.z).on(TRIM),
        );
    }
    let side = 0.5 * (foot + rim);
    shape.add(sign(1.2 * foot, 0.0, 0.5 * pot_height, side));
    shape
}

fn cart(chance: &mut Chance) -> Shape {
    let (length, width) = (chance.between(0.4, 0.6), chance.between(0.18, 0.28));
    let (radius, tall) = (chance.between(0.1, 0.16), chance.between(0.09, 0.16));
    let y = radius + 0.6 * tall;
    let nose = chance.between(0.5, 0.95);
    let body = [
        station(-length, y, 0.85 * width, 0.9 * tall),
        station(-0.5 * length, y, width, tall),
        station(0.5 * length, y, width, tall),
        station(length, y, 0.9 * width, nose * tall),
    ];
    let mut shape = hull(&body, 28, 32, 0.8).on(BODY);
    let cabin =
        Vec3::new(0.8 * width, chance.between(0.12, 0.2), length * chance.between(0.25, 0.4));
    let place = chance.between(-0.4, 0.3) * length;
    shape.add(box_of(cabin, [8, 8, 8], SECOND).at(0.0, y + tall + 0.8 * cabin.y, place));
    let roof = Vec3::new(1.1 * cabin.x, 0.02, 1.15 * cabin.z);
    shape.add(box_of(roof, [8, 1, 8], THIRD).at(0.0, y + tall + 1.8 * cabin.y, place));
    for z in [-0.62, 0.62] {
        for side in [1.0, -1.0] {
            let wheel = wheel(radius, 0.05, THIRD, TRIM);
            shape.add(wheel.at(0.98 * width * side, radius, z * length));
        }
    }
    for side in [1.0, -1.0] {
        let lamp = ball(Vec3::splat(0.03), 10, 14).on(TRIM);
        shape.add(lamp.at(0.6 * width * side, y + 0.2 * nose * tall, length));
    }
    if chance.does(0.6) {
        let funnel = [(0.04, 0.0), (0.035, 0.16), (0.06, 0.2)];
        shape.add(lathe(&funnel, 0.005, 0.05, 18).at(0.0, y + 0.9 * tall, 0.75 * length).on(THIRD));
    }
    shape.add(sign(0.9 * width, 0.0, y - 0.1 * tall, length));
    shape
}

fn machine(chance: &mut Chance) -> Shape {
    let half =
        Vec3::new(chance.between(0.22, 0.35), chance.between(0.1, 0.18), chance.between(0.2, 0.3));
    let mut shape = box_of(half, [10, 6, 10], BODY).at(0.0, half.y, 0.0);
    let (base, height) = (2.0 * half.y, chance.between(0.5, 0.8));
    let thick = chance.between(0.05, 0.09);
    let column = [
        (1.6 * thick, base - 0.02),
        (1.6 * thick, base + 0.05),
        (thick, base + 0.09),
        (0.7 * thick, base + height),
    ];
    shape.add(lathe(&column, 0.008, 0.05, 24).on(SECOND));
    for i in 0..chance.count(1, 3) {
        let t = 0.3 + 0.2 * i as f32;
        let ring = hoop(thick * (1.1 - 0.3 * t), 0.02, 28, 10);
        shape.add(ring.at(0.0, base + t * height, 0.0).on(TRIM));
    }
    let arms = chance.count(3, 6);
    let (reach, drop) = (chance.between(0.2, 0.38), chance.between(-0.1, 0.25));
    for i in 0..arms {
        let turn = i as f32 / arms as f32 + 0.04;
        let out = Vec3::new(sin_turn(turn), 0.0, cos_turn(turn));
        let from = Vec3::new(0.0, base + 0.93 * height, 0.0);
        let to = from + out * reach - Vec3::new(0.0, drop, 0.0);
        shape.add(bar(from, to, 0.02, 8, 10).on(THIRD));
        let size = chance.between(0.05, 0.09);
        shape.add(ball(Vec3::splat(size), 14, 20).at(to.x, to.y, to.z).on(SECOND));
    }
    shape.add(ball(Vec3::splat(1.4 * thick), 16, 24).at(0.0, base + height + thick, 0.0).on(TRIM));
    for x in [-0.7, 0.7] {
        let dial = lathe(&[(0.05, -0.02), (0.05, 0.03)], 0.006, 0.03, 20);
        shape.add(dial.tipped(0.25).at(x * half.x, half.y, half.z).on(TRIM));
    }
    shape.add(sign(0.6 * half.x, 0.0, half.y, half.z));
    shape
}
