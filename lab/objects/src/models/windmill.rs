//! A tower windmill: stone foot, white wall, blue cap, four lattice sails with red cloth to +z, a
//! gallery, a green door.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, bar, block, cos_turn, curved, hoop, lathe,
    lumpy, noise, sin_turn, stone, to_box, to_disc, to_joint, to_line, wood_value,
};

const WALL: Rect = [0.0, 0.0, 0.6, 0.5];
const CAP: Rect = [0.6, 0.0, 0.4, 0.25];
const SAIL: Rect = [0.6, 0.25, 0.4, 0.45];
const DOOR: Rect = [0.0, 0.5, 0.2, 0.2];
const WINDOW: Rect = [0.2, 0.5, 0.2, 0.2];
const WOOD: Rect = [0.4, 0.5, 0.2, 0.2];
const GRASS: Rect = [0.0, 0.7, 0.6, 0.3];
const DECK: Rect = [0.6, 0.7, 0.4, 0.3];

const AXLE: Vec3 = Vec3::new(0.0, 1.12, 0.30);

/// The clean windmill.
pub(super) fn windmill() -> Vec<Surface> {
    let radius = |y: f32| 0.30 - 0.135 * (y - 0.05) / 1.0;
    let mut shape =
        lathe(&[(0.315, 0.03), (0.30, 0.05), (0.165, 1.05)], 0.006, 0.08, 36).turned(0.5).on(WALL);
    shape.add(
        lumpy(lathe(&[(0.50, 0.0), (0.47, 0.035), (0.30, 0.06)], 0.01, 0.06, 40), 0.12, 0.03, 9)
            .on(GRASS),
    );
    let cap =
        [(0.195, 1.035), (0.205, 1.05), (0.200, 1.09), (0.165, 1.20), (0.095, 1.28), (0.020, 1.31)];
    shape.add(
        lathe(&curved(&cap, 14), 0.003, 0.1, 32)
            .turned(0.5)
            .moved(|p| Vec3::new(p.x, p.y, p.z * 1.12 + 0.01))
            .on(CAP),
    );
    shape.add(ball(Vec3::splat(0.028), 8, 14).at(0.0, 1.325, 0.01).on(WOOD));
    shape.add(
        lathe(&[(0.26, 0.425), (0.355, 0.43), (0.355, 0.452), (0.20, 0.455)], 0.004, 0.1, 36)
            .on(DECK),
    );
    shape.add(hoop(0.345, 0.009, 36, 6).at(0.0, 0.535, 0.0).on(WOOD));
    for i in 0..14 {
        let turn = (i as f32 + 0.5) / 14.0;
        let at = |y: f32| Vec3::new(0.345 * sin_turn(turn), y, 0.345 * cos_turn(turn));
        shape.add(bar(at(0.44), at(0.54), 0.008, 1, 6).on(WOOD));
    }
    shape.add(block(Vec3::new(0.062, 0.105, 0.03), 0.008, [3, 4, 2], |_, _| DOOR).at(
        0.0,
        0.155,
        radius(0.15) - 0.006,
    ));
    for (turn, y) in [
        (0.0, 0.66),
        (0.25, 0.25),
        (0.5, 0.30),
        (0.75, 0.25),
        (0.25, 0.72),
        (0.75, 0.72),
        (0.5, 0.80),
        (0.0, 0.90),
    ] {
        shape.add(
            block(Vec3::new(0.038, 0.052, 0.025), 0.006, [2, 3, 2], |_, _| WINDOW)
                .at(0.0, y, radius(y) - 0.004)
                .turned(turn),
        );
    }
    shape.add(
        bar(Vec3::new(0.0, AXLE.y, 0.10), Vec3::new(0.0, AXLE.y, 0.335), 0.030, 4, 14).on(WOOD),
    );
    shape.add(ball(Vec3::new(0.042, 0.042, 0.05), 10, 16).at(0.0, AXLE.y, 0.325).on(CAP));
    for i in 0..4 {
        for part in sail() {
            shape.add(part.rolled(0.115 + 0.25 * i as f32).at(AXLE.x, AXLE.y, AXLE.z));
        }
    }
    vec![Surface::painted("windmill", 0.65, shape, texture())]
}

/// Upwards from the axle: a spar and a frame of real bars with cloth behind them.
fn sail() -> Vec<Shape> {
    let at = |x: f32, y: f32| Vec3::new(x, y, 0.012);
    let mut parts =
        vec![bar(Vec3::new(0.0, 0.0, 0.004), Vec3::new(0.0, 0.72, 0.004), 0.014, 8, 8).on(WOOD)];
    parts.push(bar(at(0.145, 0.14), at(0.145, 0.71), 0.007, 6, 6).on(WOOD));
    for i in 0..7 {
        let y = 0.145 + 0.56 * i as f32 / 6.0;
        parts.push(bar(at(-0.02, y), at(0.15, y), 0.006, 3, 6).on(WOOD));
    }
    parts.push(
        block(Vec3::new(0.070, 0.275, 0.004), 0.003, [4, 10, 1], |_, _| SAIL)
            .moved(|p| Vec3::new(p.x + 0.075, p.y + 0.425, p.z + 0.004 - 0.18 * p.x)),
    );
    parts
}

fn texture() -> Picture {
    const STONE: &[[f32; 3]] = &[
        [110.0, 104.0, 94.0],
        [172.0, 164.0, 148.0],
        [206.0, 200.0, 186.0],
        [248.0, 246.0, 238.0],
    ];
    const BLUE: &[[f32; 3]] = &[[20.0, 44.0, 84.0], [44.0, 88.0, 148.0], [86.0, 134.0, 190.0]];
    atlas(
        512,
        &[
            Panel {
                rect: WALL,
                colors: STONE,
                value: |u, v| {
                    if v > 0.72 {
                        return if to_joint(u, v, 20.0, 28.0) < 0.10 {
                            0.0
                        } else {
                            0.8 + 0.9 * stone(u, v, 20.0, 28.0, 3)
                        };
                    }
                    let plaster = 2.85 + 0.5 * (noise(u, v, [18, 14], 1) - 0.5);
                    let bare = noise(u, v, [9, 7], 5) > 0.80;
                    if bare {
                        if to_joint(u, v, 20.0, 28.0) < 0.12 { 0.4 } else { 1.6 }
                    } else if (v - 0.70).abs() < 0.015 {
                        1.0
                    } else {
                        plaster
                    }
                },
            },
            Panel {
                rect: CAP,
                colors: BLUE,
                value: |u, v| {
                    if to_joint(u, v, 26.0, 9.0) < 0.10 {
                        0.0
                    } else {
                        0.7 + 1.1 * stone(u, v, 26.0, 9.0, 2)
                    }
                },
            },
            Panel {
                rect: SAIL,
                colors: &[
                    [130.0, 24.0, 24.0],
                    [204.0, 56.0, 44.0],
                    [232.0, 214.0, 180.0],
                    [252.0, 246.0, 228.0],
                ],
                value: |u, v| {
                    let weave = 0.3 * noise(u, v, [60, 120], 4);
                    if (v * 5.0).floor().rem_euclid(2.0) < 0.5 { 0.6 + weave } else { 2.6 + weave }
                },
            },
            Panel {
                rect: DOOR,
                colors: &[
                    [16.0, 52.0, 34.0],
                    [40.0, 110.0, 70.0],
                    [236.0, 230.0, 210.0],
                    [236.0, 190.0, 70.0],
                ],
                value: |u, v| {
                    let frame = to_box(u - 0.5, v - 0.54, 0.37, 0.42);
                    let knob = to_disc(u - 0.74, v - 0.56, 0.06);
                    if frame > 0.0 {
                        2.0
                    } else if knob < 0.0 {
                        3.0
                    } else if to_line(u * 5.0) < 0.1 {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: WINDOW,
                colors: &[[24.0, 40.0, 58.0], [110.0, 150.0, 176.0], [44.0, 88.0, 148.0]],
                value: |u, v| {
                    if to_box(u - 0.5, v - 0.5, 0.33, 0.37) > 0.0
                        || (u - 0.5).abs() < 0.05
                        || (v - 0.5).abs() < 0.04
                    {
                        2.0
                    } else {
                        0.8 * (1.0 - v)
                    }
                },
            },
            Panel {
                rect: WOOD,
                colors: &[[58.0, 36.0, 20.0], [120.0, 80.0, 46.0], [164.0, 120.0, 76.0]],
                value: |u, v| 0.1 + 1.7 * wood_value(u, v),
            },
            Panel {
                rect: GRASS,
                colors: &[
                    [48.0, 88.0, 34.0],
                    [104.0, 152.0, 60.0],
                    [250.0, 226.0, 110.0],
                    [240.0, 240.0, 244.0],
                ],
                value: |u, v| {
                    let spot = noise(u, v, [90, 24], 7);
                    if spot > 0.95 {
                        3.0
                    } else if spot > 0.90 {
                        2.0
                    } else {
                        0.1 + 0.9 * noise(u, v, [70, 16], 6)
                    }
                },
            },
            Panel {
                rect: DECK,
                colors: &[[70.0, 44.0, 24.0], [160.0, 116.0, 70.0]],
                value: |u, v| {
                    if to_line(u * 30.0) < 0.08 { 0.0 } else { 0.3 + 0.7 * noise(u, v, [60, 4], 8) }
                },
            },
        ],
    )
}
