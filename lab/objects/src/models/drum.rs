//! A marching drum: red shell with gold zigzag cords and a crest to +z, white hoops, skin, two
//! sticks lying on it.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, block, cos_turn, inside, is_ink, lathe, noise, plate,
    sin_turn, to_box, to_disc, to_line, tube, wave, wood_value,
};

const SHELL: Rect = [0.0, 0.0, 1.0, 0.45];
const HOOP: Rect = [0.0, 0.45, 1.0, 0.1];
const SKIN: Rect = [0.0, 0.55, 0.45, 0.45];
const CORD: Rect = [0.45, 0.55, 0.25, 0.2];
const STICK: Rect = [0.45, 0.75, 0.4, 0.25];
const LEATHER: Rect = [0.7, 0.55, 0.3, 0.2];

const RADIUS: f32 = 0.19;

/// The clean drum.
pub(super) fn drum() -> Vec<Surface> {
    let mut shape = lathe(&[(RADIUS, 0.02), (RADIUS, 0.30)], 0.004, 0.05, 48).turned(0.5).on(SHELL);
    for y in [0.028, 0.292] {
        let ring = [
            (RADIUS - 0.02, y - 0.026),
            (RADIUS + 0.012, y - 0.026),
            (RADIUS + 0.012, y + 0.026),
            (RADIUS - 0.02, y + 0.026),
        ];
        shape.add(lathe(&ring, 0.003, 0.12, 48).turned(0.5).on(HOOP));
    }
    let round: Vec<(f32, f32)> = (0..48)
        .map(|i| (0.178 * cos_turn(i as f32 / 48.0), 0.178 * sin_turn(i as f32 / 48.0)))
        .collect();
    for (y, tip) in [(0.3175, -0.25), (0.0025, 0.25)] {
        shape.add(plate(&round, 0.004, 0.001, [SKIN, SKIN, CORD]).tipped(tip).at(0.0, y, 0.0));
    }
    const CORDS: usize = 10;
    for i in 0..CORDS {
        let at = |half: f32, y: f32| {
            let turn = (i as f32 + half) / CORDS as f32;
            Vec3::new((RADIUS + 0.006) * sin_turn(turn), y, (RADIUS + 0.006) * cos_turn(turn))
        };
        // Chords would cut through the shell: each cord follows it in five steps.
        for (from, to) in [((0.0, 0.045), (0.5, 0.275)), ((0.5, 0.275), (1.0, 0.045))] {
            let path: Vec<Vec3> = (0..=5)
                .map(|k| {
                    let t = k as f32 / 5.0;
                    at(from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t)
                })
                .collect();
            shape.add(tube(&path, 7, |_, _| 0.0055).on(CORD));
        }
        let turn = (i as f32 + 0.5) / CORDS as f32;
        shape.add(
            block(Vec3::new(0.017, 0.022, 0.007), 0.003, [3, 3, 2], |_, _| LEATHER)
                .at(0.0, 0.215, RADIUS + 0.008)
                .turned(turn),
        );
    }
    for (turn, y) in [(0.08, 0.332), (-0.10, 0.346)] {
        let stick: Vec<Vec3> =
            (0..=20).map(|i| Vec3::new(-0.21 + 0.42 * i as f32 / 20.0, 0.0, 0.0)).collect();
        let tip = |t: f32, _: f32| {
            if t > 0.94 {
                0.0095 - 0.004 * (2.0 * (t - 0.97) / 0.06).abs()
            } else {
                0.0088 - 0.0045 * t
            }
        };
        shape.add(tube(&stick, 12, tip).turned(turn).at(0.0, y - 0.002, 0.03).on(STICK));
    }
    vec![Surface::painted("drum", 0.4, shape, texture())]
}

fn texture() -> Picture {
    const RED: &[[f32; 3]] = &[
        [110.0, 12.0, 20.0],
        [190.0, 28.0, 38.0],
        [222.0, 62.0, 62.0],
        [244.0, 204.0, 90.0],
        [250.0, 246.0, 232.0],
        [28.0, 54.0, 120.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: SHELL,
                colors: RED,
                value: |u, v| {
                    let (x, y) = ((u - 0.5) * 4.3, v - 0.5);
                    let crest = to_disc(x, y, 0.33);
                    let turn = libm::atan2f(x, -y) * (5.0 / std::f32::consts::TAU);
                    let star = (x * x + y * y).sqrt() - 0.15 - 0.07 * cos_turn(turn);
                    let back = if u < 0.5 { u } else { u - 1.0 };
                    let badge = to_box(back * 4.3, y, 0.28, 0.20);
                    match () {
                        () if star < 0.0 => 3.0,
                        () if crest < 0.0 => {
                            if crest > -0.04 {
                                3.0
                            } else {
                                5.0
                            }
                        }
                        () if is_ink("BAND", (back * 4.3 + 0.22) / 0.44, (y + 0.10) / 0.20) => 5.0,
                        () if badge < 0.0 => {
                            if badge > -0.03 {
                                3.0
                            } else {
                                4.0
                            }
                        }
                        () => 1.0 + 0.5 * noise(u, v, [40, 16], 1) + 0.2 * wave(u * 20.0),
                    }
                },
            },
            Panel {
                rect: HOOP,
                colors: &[[30.0, 56.0, 120.0], [236.0, 230.0, 212.0], [252.0, 250.0, 244.0]],
                value: |u, v| {
                    if to_line(u * 20.0) + 0.4 * (v - 0.5).abs() < 0.17 {
                        0.0
                    } else {
                        1.3 + 0.7 * noise(u, v, [30, 4], 2)
                    }
                },
            },
            Panel {
                rect: SKIN,
                colors: &[[206.0, 186.0, 148.0], [244.0, 234.0, 208.0], [252.0, 248.0, 236.0]],
                value: |u, v| {
                    let reach = to_disc(u - 0.5, v - 0.5, 0.0);
                    let worn = 0.9 * inside(reach - 0.16 - 0.05 * noise(u, v, [8, 8], 3), 0.14);
                    1.6 - worn + 0.5 * (noise(u, v, [20, 20], 4) - 0.5)
                        - if (reach - 0.44).abs() < 0.012 { 1.2 } else { 0.0 }
                },
            },
            Panel {
                rect: CORD,
                colors: &[[170.0, 130.0, 50.0], [250.0, 232.0, 170.0]],
                value: |u, v| 0.5 + 0.5 * wave(v * 10.0 + 2.0 * u),
            },
            Panel {
                rect: STICK,
                colors: &[[120.0, 76.0, 40.0], [206.0, 158.0, 100.0], [240.0, 206.0, 150.0]],
                value: |u, v| {
                    if (0.80..0.83).contains(&v) { 0.0 } else { 0.4 + 1.5 * wood_value(u * 0.5, v) }
                },
            },
            Panel {
                rect: LEATHER,
                colors: &[[70.0, 38.0, 20.0], [136.0, 82.0, 46.0]],
                value: |u, v| {
                    if u.min(1.0 - u).min(v).min(1.0 - v) < 0.12 { 0.1 } else { 0.8 }
                },
            },
        ],
    )
}
