//! A ginger cat that sits and looks to +z: striped back and tail, white bib, red collar with a
//! bell.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, ball, cos_turn, curved, hoop, inside, lathe, noise,
    sin_turn, to_disc, to_line, tube, wave,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.4];
const HEAD: Rect = [0.0, 0.4, 0.6, 0.3];
const LEG: Rect = [0.6, 0.4, 0.4, 0.3];
const TAIL: Rect = [0.0, 0.7, 0.4, 0.2];
const COLLAR: Rect = [0.4, 0.7, 0.3, 0.1];
const BELL: Rect = [0.4, 0.8, 0.15, 0.2];
const EYE: Rect = [0.55, 0.8, 0.15, 0.2];
const PINK: Rect = [0.7, 0.7, 0.15, 0.3];
const PAW: Rect = [0.85, 0.7, 0.15, 0.3];
const EAR: Rect = [0.0, 0.9, 0.4, 0.1];

/// The clean cat.
pub(super) fn cat() -> Vec<Surface> {
    // A pear that leans back at the bottom; the seam is behind.
    let pear = [
        (0.10, 0.005),
        (0.205, 0.03),
        (0.235, 0.13),
        (0.215, 0.28),
        (0.165, 0.44),
        (0.115, 0.56),
        (0.075, 0.62),
    ];
    let mut shape = lathe(&curved(&pear, 28), 0.004, 0.1, 40)
        .turned(0.5)
        .moved(|p| Vec3::new(p.x, p.y, p.z * 1.12 - 0.10 + 0.16 * p.y))
        .on(BODY);
    shape.add(
        ball(Vec3::new(0.168, 0.145, 0.150), 20, 32)
            .turned(0.5)
            .moved(|p| {
                // Cheeks and a short muzzle.
                let low = (0.05 - p.y).max(0.0);
                Vec3::new(p.x * (1.0 + 0.9 * low), p.y, p.z * (1.0 + 0.5 * low))
            })
            .at(0.0, 0.70, 0.035)
            .on(HEAD),
    );
    for x in [-1.0, 1.0] {
        let ear = [(0.064, -0.03), (0.056, 0.02), (0.034, 0.075), (0.006, 0.125)];
        shape.add(
            lathe(&curved(&ear, 10), 0.002, 0.1, 18)
                .moved(|p| Vec3::new(p.x, p.y, 0.55 * p.z))
                .rolled(-0.045 * x)
                .at(0.100 * x, 0.795, 0.02)
                .on(EAR),
        );
        shape.add(
            ball(Vec3::new(0.030, 0.036, 0.016), 10, 16)
                .tipped(0.25)
                .turned(0.075 * x)
                .at(0.068 * x, 0.728, 0.165)
                .on(EYE),
        );
        shape.add(ball(Vec3::new(0.046, 0.036, 0.036), 10, 16).at(0.034 * x, 0.648, 0.178).on(PAW));
        // A fore leg, its paw, and a haunch with a hind paw.
        let leg: Vec<Vec3> = (0..=10)
            .map(|i| {
                let t = i as f32 / 10.0;
                Vec3::new((0.085 - 0.01 * t) * x, 0.42 * (1.0 - t) + 0.03, 0.105 + 0.065 * t)
            })
            .collect();
        shape.add(tube(&leg, 16, |t, _| 0.062 - 0.018 * t).on(LEG));
        shape.add(ball(Vec3::new(0.056, 0.038, 0.075), 10, 18).at(0.078 * x, 0.036, 0.205).on(PAW));
        shape.add(ball(Vec3::new(0.088, 0.165, 0.175), 14, 22).at(0.175 * x, 0.165, -0.06).on(LEG));
        shape.add(ball(Vec3::new(0.055, 0.036, 0.095), 10, 18).at(0.205 * x, 0.036, 0.085).on(PAW));
    }
    shape.add(ball(Vec3::new(0.021, 0.015, 0.016), 8, 14).at(0.0, 0.678, 0.205).on(PINK));
    shape.add(hoop(0.104, 0.018, 36, 8).tipped(0.03).at(0.0, 0.575, 0.0).on(COLLAR));
    shape.add(ball(Vec3::splat(0.030), 10, 16).at(0.0, 0.535, 0.122).on(BELL));
    let tail: Vec<Vec3> = (0..=24)
        .map(|i| {
            let t = i as f32 / 24.0;
            let turn = 0.5 - 0.42 * t;
            Vec3::new(
                0.33 * sin_turn(turn),
                0.045 + 0.03 * t * t,
                -0.10 + (0.22 + 0.08 * (5.0 * t).min(1.0)) * cos_turn(turn),
            )
        })
        .collect();
    shape.add(tube(&tail, 14, |t, _| 0.044 * (1.0 - t * t * t * t * 0.75)).on(TAIL));
    vec![Surface::painted("cat", 0.7, shape, texture())]
}

fn texture() -> Picture {
    const FUR: &[[f32; 3]] =
        &[[120.0, 54.0, 14.0], [206.0, 116.0, 44.0], [236.0, 160.0, 84.0], [252.0, 246.0, 234.0]];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: FUR,
                value: |u, v| {
                    let front = (u - 0.5).abs();
                    let bib = front - 0.13
                        + 0.10 * (v - 0.4) * (v - 0.4)
                        + 0.02 * (noise(u, v, [60, 40], 2) - 0.5);
                    let hair = 0.3 * (noise(u, v, [90, 14], 3) - 0.5);
                    let stripe = wave(v * 7.0 + 0.25 * noise(u, v, [8, 6], 1) + 1.2 * front) > 0.45
                        && front > 0.20;
                    if bib < 0.0 {
                        2.9 + 0.3 * hair
                    } else if stripe {
                        0.2 + hair
                    } else {
                        1.4 + hair
                    }
                },
            },
            Panel {
                rect: HEAD,
                colors: FUR,
                value: |u, v| {
                    let front = (u - 0.5).abs();
                    let hair = 0.3 * (noise(u, v, [70, 20], 3) - 0.5);
                    let muzzle = to_disc(front * 2.4, v - 0.70, 0.22);
                    let mark = v < 0.34 && to_line(front * 13.0) < 0.22 && front < 0.17;
                    let back = front > 0.25 && wave(v * 6.0) > 0.5;
                    let whisker = muzzle > 0.03
                        && muzzle < 0.22
                        && (v - 0.66).abs() < 0.14
                        && to_line((v - 0.3 * front) * 16.0) < 0.16;
                    if muzzle < 0.0 {
                        3.0
                    } else if mark || back {
                        0.2 + hair
                    } else if whisker {
                        3.0
                    } else {
                        1.4 + hair
                    }
                },
            },
            Panel {
                rect: LEG,
                colors: FUR,
                value: |u, v| {
                    if wave(v * 5.0 + 0.2 * noise(u, v, [6, 6], 4)) > 0.55 {
                        0.3
                    } else {
                        1.3 + 0.3 * noise(u, v, [30, 12], 5)
                    }
                },
            },
            Panel {
                rect: TAIL,
                colors: FUR,
                value: |u, v| {
                    if v > 0.88 {
                        3.0
                    } else if wave(v * 8.0) > 0.2 {
                        0.2 + 0.2 * u
                    } else {
                        1.5
                    }
                },
            },
            Panel {
                rect: COLLAR,
                colors: &[[120.0, 12.0, 20.0], [210.0, 36.0, 44.0], [250.0, 230.0, 140.0]],
                value: |u, v| {
                    if to_disc(to_line(u * 12.0) * 2.0, (v - 0.75) * 4.0, 0.4) < 0.0 {
                        2.0
                    } else {
                        0.9
                    }
                },
            },
            Panel {
                rect: BELL,
                colors: &[[90.0, 60.0, 16.0], [236.0, 190.0, 70.0]],
                value: |_, v| if (v - 0.55).abs() < 0.07 { 0.0 } else { 1.0 },
            },
            Panel {
                rect: EYE,
                colors: &[[10.0, 14.0, 10.0], [120.0, 180.0, 60.0], [210.0, 226.0, 110.0]],
                value: |u, v| if v < 0.26 { 0.0 } else { 1.2 + 0.4 * u },
            },
            Panel {
                rect: PINK,
                colors: &[[200.0, 90.0, 100.0], [246.0, 160.0, 160.0]],
                value: |u, v| noise(u, v, [4, 4], 1),
            },
            Panel {
                rect: PAW,
                colors: &[[214.0, 200.0, 180.0], [252.0, 248.0, 240.0]],
                value: |u, v| {
                    1.0 - 0.6 * inside(to_line(u * 10.0) - 0.06, 0.06) * inside(0.4 - v, 0.3)
                },
            },
            Panel {
                rect: EAR,
                colors: FUR,
                value: |u, v| {
                    if u.min(1.0 - u) < 0.2 && v > 0.2 { 2.6 } else { 1.1 }
                },
            },
        ],
    )
}
