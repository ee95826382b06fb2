//! A sunflower in a blue striped pot: it looks to +z, its seeds are in spirals, five leaves on the
//! stalk.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, block, cos_turn, hash, inside, lathe, noise,
    on_panel, plate, sin_turn, to_disc, to_line, tube, wave,
};

const POT: Rect = [0.0, 0.0, 1.0, 0.25];
const SEEDS: Rect = [0.0, 0.25, 0.45, 0.45];
const PETAL: Rect = [0.45, 0.25, 0.25, 0.45];
const LEAF: Rect = [0.7, 0.25, 0.3, 0.45];
const STALK: Rect = [0.0, 0.7, 0.4, 0.3];
const SOIL: Rect = [0.4, 0.7, 0.3, 0.3];
const SEPAL: Rect = [0.7, 0.7, 0.3, 0.3];

const HEAD: Vec3 = Vec3::new(0.0, 1.06, 0.08);

/// The clean sunflower.
pub(super) fn sunflower() -> Vec<Surface> {
    let pot = [
        (0.13, 0.0),
        (0.145, 0.01),
        (0.185, 0.22),
        (0.205, 0.225),
        (0.210, 0.275),
        (0.185, 0.278),
        (0.172, 0.22),
    ];
    let mut shape = lathe(&pot, 0.006, 0.05, 36).turned(0.5).on(POT);
    shape.add(lathe(&[(0.16, 0.20), (0.185, 0.238), (0.10, 0.255)], 0.006, 0.04, 26).on(SOIL));
    let stalk: Vec<Vec3> = (0..=20)
        .map(|i| {
            let t = i as f32 / 20.0;
            Vec3::new(0.025 * sin_turn(0.8 * t), 0.22 + 0.83 * t, 0.11 * t * t * t * t - 0.05 * t)
        })
        .collect();
    shape.add(tube(&stalk, 12, |t, _| 0.024 - 0.008 * t).on(STALK));
    for (i, (turn, y)) in [(0.25, 0.42), (0.72, 0.52), (0.06, 0.62), (0.45, 0.72), (0.86, 0.80)]
        .into_iter()
        .enumerate()
    {
        shape.add(leaf(0.17 - 0.012 * i as f32).turned(turn).at(0.01, y, -0.02));
    }
    let upright = |part: Shape| part.tipped(-0.025).at(HEAD.x, HEAD.y, HEAD.z);
    let seeds: Vec<(f32, f32)> = (0..40)
        .map(|i| (0.130 * cos_turn(i as f32 / 40.0), 0.130 * sin_turn(i as f32 / 40.0)))
        .collect();
    shape.add(upright(plate(&seeds, 0.022, 0.010, [SEEDS, SEPAL, SEPAL]).moved(|p| {
        let out = (p.x * p.x + p.y * p.y) / (0.130 * 0.130);
        Vec3::new(p.x, p.y, p.z + 0.022 * (1.0 - out))
    })));
    for row in 0..2 {
        for i in 0..16 {
            let turn = (i as f32 + 0.5 * row as f32) / 16.0;
            let long = 0.085 + 0.012 * hash(i, row, 3);
            shape.add(upright(petal(long, row == 1).rolled(turn)));
        }
    }
    let cup = [(0.030, -0.060), (0.10, -0.040), (0.145, -0.010), (0.10, -0.005)];
    shape.add(upright(lathe(&cup, 0.006, 0.04, 24).tipped(0.25)).on(SEPAL));
    vec![Surface::painted("sunflower", 0.7, shape, texture())]
}

/// Up from the rim of the seeds; those of the second row are behind and bend back.
fn petal(long: f32, is_behind: bool) -> Shape {
    let back = if is_behind { -0.014 } else { 0.0 };
    ball(Vec3::new(0.034, long, 0.007), 9, 10).on(PETAL).moved(|p| {
        let out = (p.y + long) / (2.0 * long);
        let wide = 1.15 - 0.5 * out;
        Vec3::new(
            p.x * wide,
            p.y + 0.105 + long,
            p.z + back + 0.5 * p.x * p.x * 10.0 - 0.03 * out * out,
        )
    })
}

/// Towards +z, arched, folded along its middle.
fn leaf(long: f32) -> Shape {
    let cells = [6, 1, 10];
    block(Vec3::new(0.075, 0.006, long), 0.005, cells, |_, _| LEAF)
        .faced(cells, |_, _, p| {
            on_panel(LEAF, glam::Vec2::new(0.5 + p.x / 0.15, 0.5 - 0.5 * p.z / long))
        })
        .moved(|p| {
            let out = (p.z + long) / (2.0 * long);
            let wide = 0.12 + 3.6 * out * (1.0 - out) * (1.0 - 0.55 * out);
            Vec3::new(
                p.x * wide,
                p.y + 0.5 * p.x.abs() * wide + 0.20 * out - 0.26 * out * out,
                0.01 + p.z + long,
            )
        })
}

fn texture() -> Picture {
    atlas(
        512,
        &[
            Panel {
                rect: POT,
                colors: &[
                    [24.0, 58.0, 120.0],
                    [70.0, 122.0, 190.0],
                    [248.0, 246.0, 238.0],
                    [240.0, 190.0, 50.0],
                ],
                value: |u, v| {
                    // A yellow sun in front, stripes all around.
                    let sun = to_disc((u - 0.5) * 3.4, v - 0.58, 0.0);
                    let ray = sun < 0.30
                        && to_line(
                            libm::atan2f((u - 0.5) * 3.4, v - 0.58)
                                * (10.0 / std::f32::consts::TAU),
                        ) < 0.22;
                    match () {
                        () if sun < 0.15 || ray && sun > 0.19 => 3.0,
                        () if sun < 0.34 => 2.0,
                        () if v < 0.22 => 0.4,
                        () if to_line(u * 16.0) < 0.25 => 2.0,
                        () => 0.6 + 0.4 * noise(u, v, [30, 8], 1),
                    }
                },
            },
            Panel {
                rect: SEEDS,
                colors: &[
                    [30.0, 18.0, 10.0],
                    [92.0, 54.0, 22.0],
                    [176.0, 112.0, 36.0],
                    [236.0, 186.0, 70.0],
                ],
                value: |u, v| {
                    let (x, y) = (u - 0.5, v - 0.5);
                    let reach = (x * x + y * y).sqrt() * 2.0;
                    let turn = libm::atan2f(y, x) / std::f32::consts::TAU;
                    let one = wave(turn * 21.0 + 4.0 * reach.sqrt() * 3.0);
                    let other = wave(turn * 21.0 - 4.0 * reach.sqrt() * 3.0);
                    let ring = 1.3 * inside((reach - 0.80).abs() - 0.10, 0.1);
                    0.9 + 0.45 * (one + other) + ring - 0.5 * inside(reach - 0.3, 0.2)
                },
            },
            Panel {
                rect: PETAL,
                colors: &[[196.0, 110.0, 10.0], [250.0, 190.0, 20.0], [255.0, 226.0, 80.0]],
                value: |u, v| {
                    1.6 - 1.2 * inside(0.85 - v, 0.3) + 0.35 * wave(u * 8.0) * (0.4 + 0.6 * v)
                },
            },
            Panel {
                rect: LEAF,
                colors: &[[28.0, 72.0, 26.0], [62.0, 128.0, 48.0], [150.0, 196.0, 100.0]],
                value: |u, v| {
                    let x = (u - 0.5).abs();
                    if x < 0.03 || to_line(v * 7.0 + 2.2 * x) < 0.07 {
                        2.0
                    } else {
                        0.6 + 0.8 * noise(u, v, [14, 14], 5)
                    }
                },
            },
            Panel {
                rect: STALK,
                colors: &[[40.0, 90.0, 34.0], [110.0, 160.0, 70.0]],
                value: |u, v| 0.5 + 0.4 * wave(u * 6.0) + 0.2 * noise(u, v, [20, 30], 6),
            },
            Panel {
                rect: SOIL,
                colors: &[[40.0, 26.0, 18.0], [112.0, 82.0, 58.0]],
                value: |u, v| noise(u, v, [30, 12], 9),
            },
            Panel {
                rect: SEPAL,
                colors: &[[36.0, 84.0, 32.0], [112.0, 166.0, 74.0]],
                value: |u, v| 0.5 + 0.5 * wave(u * 12.0) * (1.0 - 0.5 * v),
            },
        ],
    )
}
