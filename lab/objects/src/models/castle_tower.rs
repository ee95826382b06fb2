//! A round castle tower: grey stones, battlements, a turret with a slate cone and a flag, a
//! portcullis and a coat of arms to +z.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, ball, bar, block, closed_curve, cos_turn, lathe, lumpy,
    noise, plate, sin_turn, stone, to_box, to_disc, to_joint, to_line, tube,
};

const WALL: Rect = [0.0, 0.0, 0.7, 0.45];
const TURRET: Rect = [0.7, 0.0, 0.3, 0.3];
const SLATE: Rect = [0.0, 0.45, 0.4, 0.25];
const GATE: Rect = [0.4, 0.45, 0.3, 0.3];
const ARMS: Rect = [0.7, 0.3, 0.3, 0.3];
const SLIT: Rect = [0.7, 0.6, 0.15, 0.2];
const FLAG: Rect = [0.0, 0.7, 0.4, 0.3];
const ROCK: Rect = [0.4, 0.75, 0.3, 0.25];
const MERLON: Rect = [0.7, 0.8, 0.3, 0.2];
const WOOD: Rect = [0.85, 0.6, 0.15, 0.2];

/// The clean tower.
pub(super) fn castle_tower() -> Vec<Surface> {
    let wall = [
        (0.36, 0.02),
        (0.345, 0.10),
        (0.30, 0.22),
        (0.29, 0.86),
        (0.345, 0.94),
        (0.345, 1.04),
        (0.295, 1.045),
        (0.290, 0.97),
    ];
    let mut shape = lathe(&wall, 0.005, 0.09, 44).turned(0.5).on(WALL);
    shape.add(
        lumpy(lathe(&[(0.45, 0.0), (0.44, 0.04), (0.34, 0.085)], 0.01, 0.06, 36), 0.13, 0.06, 21)
            .on(ROCK),
    );
    for i in 0..12 {
        shape.add(
            block(Vec3::new(0.048, 0.062, 0.032), 0.008, [3, 3, 2], |_, _| MERLON)
                .at(0.0, 1.085, 0.317)
                .turned((i as f32 + 0.5) / 12.0),
        );
    }
    for i in 0..18 {
        shape.add(
            block(Vec3::new(0.022, 0.028, 0.035), 0.006, [2, 2, 2], |_, _| MERLON)
                .at(0.0, 0.885, 0.300)
                .turned((i as f32 + 0.25) / 18.0),
        );
    }
    let turret = [(0.125, 0.95), (0.125, 1.30), (0.150, 1.335), (0.150, 1.37)];
    shape.add(lathe(&turret, 0.004, 0.09, 28).at(-0.10, 0.0, -0.08).on(TURRET));
    let cone = [(0.178, 1.36), (0.182, 1.372), (0.085, 1.56), (0.012, 1.72)];
    shape.add(lathe(&cone, 0.003, 0.05, 28).at(-0.10, 0.0, -0.08).on(SLATE));
    let pole = |y: f32| Vec3::new(-0.10, y, -0.08);
    shape.add(bar(pole(1.68), pole(2.00), 0.009, 4, 8).on(WOOD));
    shape.add(ball(Vec3::splat(0.018), 6, 10).at(-0.10, 2.0, -0.08).on(WOOD));
    shape.add(block(Vec3::new(0.13, 0.065, 0.005), 0.004, [12, 4, 1], |_, _| FLAG).moved(|p| {
        Vec3::new(
            p.x + 0.028,
            p.y + 1.91,
            p.z - 0.08 + 0.025 * sin_turn(4.0 * p.x) * (p.x + 0.13) / 0.26,
        )
    }));
    // The gate leans with the foot of the wall, under an arch of stone.
    shape.add(
        block(Vec3::new(0.105, 0.16, 0.040), 0.008, [4, 6, 2], |_, _| GATE)
            .moved(|p| Vec3::new(p.x, p.y, p.z - 0.25 * p.y))
            .at(0.0, 0.235, 0.305),
    );
    let arch: Vec<Vec3> = (0..=16)
        .map(|i| {
            let turn = 0.5 * i as f32 / 16.0;
            let y = 0.36 + 0.115 * sin_turn(turn);
            Vec3::new(0.120 * cos_turn(turn), y, 0.335 - 0.25 * (y - 0.235))
        })
        .collect();
    shape.add(tube(&arch, 8, |_, _| 0.024).on(MERLON));
    let shield = [
        (-0.075, 0.085),
        (-0.078, 0.0),
        (-0.055, -0.065),
        (0.0, -0.105),
        (0.055, -0.065),
        (0.078, 0.0),
        (0.075, 0.085),
        (0.0, 0.090),
    ];
    shape.add(
        plate(&closed_curve(&shield, 40), 0.022, 0.006, [ARMS, MERLON, MERLON])
            .at(0.0, 0.64, 0.288),
    );
    for (turn, y) in [
        (0.17, 0.45),
        (0.33, 0.66),
        (0.5, 0.42),
        (0.5, 0.74),
        (0.67, 0.55),
        (0.83, 0.45),
        (0.20, 0.76),
        (0.82, 0.74),
    ] {
        shape.add(
            block(Vec3::new(0.026, 0.062, 0.022), 0.006, [2, 3, 2], |_, _| SLIT)
                .at(0.0, y, 0.284)
                .turned(turn),
        );
    }
    for turn in [0.0, 0.33, 0.66] {
        shape.add(
            block(Vec3::new(0.022, 0.045, 0.016), 0.005, [2, 3, 2], |_, _| SLIT)
                .at(0.0, 1.24, 0.119)
                .turned(turn)
                .at(-0.10, 0.0, -0.08),
        );
    }
    vec![Surface::painted("castle tower", 0.8, shape, texture())]
}

fn texture() -> Picture {
    const STONES: &[[f32; 3]] =
        &[[72.0, 70.0, 68.0], [128.0, 124.0, 118.0], [176.0, 172.0, 162.0], [84.0, 112.0, 60.0]];
    atlas(
        512,
        &[
            Panel {
                rect: WALL,
                colors: STONES,
                value: |u, v| {
                    if to_joint(u, v, 24.0, 26.0) < 0.09 {
                        return 0.0;
                    }
                    let moss = noise(u, v, [10, 6], 3) + 0.25 * v + 0.2 * noise(u, v, [60, 30], 4);
                    if v > 0.45 && moss > 0.98 {
                        3.0
                    } else {
                        (0.7 + 1.1 * stone(u, v, 24.0, 26.0, 5)
                            + 0.4 * (noise(u, v, [50, 30], 1) - 0.5))
                            .clamp(0.0, 2.0)
                    }
                },
            },
            Panel {
                rect: TURRET,
                colors: STONES,
                value: |u, v| {
                    if to_joint(u, v, 12.0, 13.0) < 0.10 {
                        0.0
                    } else {
                        0.9 + 1.0 * stone(u, v, 12.0, 13.0, 6)
                    }
                },
            },
            Panel {
                rect: SLATE,
                colors: &[[60.0, 22.0, 26.0], [130.0, 50.0, 48.0], [176.0, 86.0, 74.0]],
                value: |u, v| {
                    if to_joint(u, v, 22.0, 12.0) < 0.10 {
                        0.0
                    } else {
                        0.4 + 1.4 * stone(u, v, 22.0, 12.0, 7)
                    }
                },
            },
            Panel {
                rect: GATE,
                colors: &[
                    [22.0, 18.0, 16.0],
                    [70.0, 74.0, 80.0],
                    [120.0, 80.0, 46.0],
                    [150.0, 146.0, 138.0],
                ],
                value: |u, v| {
                    let inner = to_box(u - 0.5, v - 0.56, 0.42, 0.44);
                    if inner > 0.0 {
                        3.0
                    } else if to_line(u * 5.0 + 0.5) < 0.13 || to_line(v * 6.0) < 0.12 {
                        1.0
                    } else if v < 0.5 {
                        0.0
                    } else {
                        2.0 - 0.5 * noise(u, v, [20, 6], 2)
                    }
                },
            },
            Panel {
                rect: ARMS,
                colors: &[
                    [170.0, 30.0, 36.0],
                    [240.0, 200.0, 80.0],
                    [30.0, 66.0, 130.0],
                    [250.0, 246.0, 236.0],
                ],
                value: |u, v| {
                    // Quartered, with a gold bar and a tower in the first quarter.
                    let tower = to_box(u - 0.27, v - 0.27, 0.08, 0.13).min(to_box(
                        u - 0.27,
                        v - 0.15,
                        0.12,
                        0.03,
                    ));
                    let edge = (u - 0.5).abs().max((v - 0.45).abs() * 0.95);
                    match () {
                        () if edge > 0.46 => 1.0,
                        () if tower < 0.0 => 3.0,
                        () if (u - 0.5).abs() < 0.035 || (v - 0.48).abs() < 0.035 => 1.0,
                        () if (u < 0.5) == (v < 0.48) => 0.0,
                        () => 2.0,
                    }
                },
            },
            Panel {
                rect: SLIT,
                colors: &[[16.0, 16.0, 20.0], [190.0, 186.0, 176.0]],
                value: |u, v| {
                    if to_box(u - 0.5, v - 0.5, 0.14, 0.36).min(to_box(
                        u - 0.5,
                        v - 0.45,
                        0.30,
                        0.06,
                    )) < 0.0
                    {
                        0.0
                    } else {
                        0.8
                    }
                },
            },
            Panel {
                rect: FLAG,
                colors: &[
                    [250.0, 246.0, 230.0],
                    [214.0, 44.0, 44.0],
                    [30.0, 60.0, 124.0],
                    [244.0, 204.0, 80.0],
                ],
                value: |u, v| {
                    let lion = to_disc((u - 0.5) * 2.0, v - 0.5, 0.30);
                    if lion < 0.0 {
                        if lion > -0.08 { 2.0 } else { 3.0 }
                    } else if v < 0.5 {
                        1.0
                    } else {
                        0.0
                    }
                },
            },
            Panel {
                rect: ROCK,
                colors: &[[60.0, 66.0, 44.0], [120.0, 118.0, 100.0], [96.0, 140.0, 64.0]],
                value: |u, v| 2.0 * noise(u, v, [40, 10], 8),
            },
            Panel {
                rect: MERLON,
                colors: STONES,
                value: |u, v| {
                    if to_line(v * 2.0) < 0.08 { 0.2 } else { 1.0 + 0.8 * noise(u, v, [10, 8], 9) }
                },
            },
            Panel {
                rect: WOOD,
                colors: &[[70.0, 44.0, 22.0], [236.0, 190.0, 80.0]],
                value: |u, v| {
                    if v < 0.05 { 1.0 } else { 0.4 * noise(u, v, [8, 20], 1) }
                },
            },
        ],
    )
}
