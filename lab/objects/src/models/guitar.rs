//! An upright acoustic guitar that faces +z: spruce top with a rosette, red-brown back, frets, six
//! strings, pegs.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, ball, bar, block, closed_curve, cos_turn, fluted_rod,
    inside, is_ink, noise, plate, sin_turn, to_disc, to_line, tube, wave, wood_value,
};

const TOP: Rect = [0.0, 0.0, 0.5, 0.62];
const BACK: Rect = [0.5, 0.0, 0.5, 0.62];
const SIDES: Rect = [0.0, 0.62, 1.0, 0.1];
const FRETS: Rect = [0.0, 0.72, 0.2, 0.28];
const DARK: Rect = [0.2, 0.72, 0.3, 0.14];
const NECK: Rect = [0.2, 0.86, 0.3, 0.14];
const HEAD: Rect = [0.5, 0.72, 0.3, 0.28];
const PEG: Rect = [0.8, 0.72, 0.2, 0.14];
const STRING: Rect = [0.8, 0.86, 0.2, 0.14];

/// Right half of the body's outline, from below upwards, around a point between waist and bridge.
const HALF: [(f32, f32); 9] = [
    (0.090, -0.222),
    (0.172, -0.185),
    (0.205, -0.100),
    (0.185, -0.010),
    (0.135, 0.060),
    (0.122, 0.110),
    (0.145, 0.175),
    (0.135, 0.235),
    (0.070, 0.272),
];
const MIDDLE: f32 = 0.23;

/// The clean guitar.
pub(super) fn guitar() -> Vec<Surface> {
    let mut corners: Vec<(f32, f32)> = HALF.to_vec();
    corners.extend(HALF.iter().rev().map(|&(x, y)| (-x, y)));
    let mut shape =
        plate(&closed_curve(&corners, 88), 0.050, 0.007, [TOP, BACK, SIDES]).at(0.0, MIDDLE, 0.0);
    let hole: Vec<(f32, f32)> = (0..32)
        .map(|i| (0.046 * cos_turn(i as f32 / 32.0), 0.046 * sin_turn(i as f32 / 32.0)))
        .collect();
    shape.add(
        plate(&hole, 0.002, 0.0008, [[0.22, 0.74, 0.1, 0.1], DARK, DARK]).at(0.0, 0.345, 0.0500),
    );
    shape.add(
        block(Vec3::new(0.075, 0.012, 0.009), 0.004, [8, 3, 2], |_, _| DARK).at(0.0, 0.150, 0.056),
    );
    shape.add(
        block(Vec3::new(0.045, 0.003, 0.004), 0.001, [6, 1, 1], |_, _| STRING)
            .at(0.0, 0.153, 0.067),
    );
    // The neck is round behind; the fingerboard is on it.
    let neck: Vec<Vec3> =
        (0..=14).map(|i| Vec3::new(0.0, 0.44 + 0.44 * i as f32 / 14.0, 0.032)).collect();
    shape.add(
        fluted_rod(
            &neck,
            |t, _| glam::Vec2::new(0.030 - 0.004 * t, 0.020),
            Vec3::Z,
            20,
            [0.0, 0.0, 1.0, 1.0 / 0.44],
        )
        .on(NECK),
    );
    let cells = [4, 24, 2];
    shape.add(
        block(Vec3::new(0.029, 0.255, 0.005), 0.002, cells, |_, _| FRETS)
            .moved(|p| Vec3::new(p.x * (1.0 - 0.4 * p.y), p.y, p.z))
            .at(0.0, 0.635, 0.056),
    );
    shape.add(
        block(Vec3::new(0.026, 0.004, 0.006), 0.001, [4, 2, 2], |_, _| STRING)
            .at(0.0, 0.889, 0.058),
    );
    shape.add(
        block(Vec3::new(0.040, 0.085, 0.011), 0.004, [5, 8, 2], |axis, sign| {
            if axis == 2 && sign > 0.0 { HEAD } else { NECK }
        })
        .moved(|p| Vec3::new(p.x * (1.0 + 1.5 * p.y), p.y, p.z - 0.18 * (p.y + 0.085)))
        .at(0.0, 0.965, 0.045),
    );
    for i in 0..6 {
        let (side, row) = (if i < 3 { -1.0 } else { 1.0 }, (i % 3) as f32);
        let y = 0.925 + 0.045 * row;
        let z = 0.045 - 0.18 * (y - 0.88);
        shape.add(
            bar(Vec3::new(0.020 * side, y, z), Vec3::new(0.060 * side, y, z), 0.004, 2, 8)
                .on(STRING),
        );
        shape.add(ball(Vec3::new(0.011, 0.013, 0.007), 8, 12).at(0.066 * side, y, z).on(PEG));
        shape.add(
            bar(
                Vec3::new(0.022 * side, y, z - 0.004),
                Vec3::new(0.022 * side, y, z + 0.024),
                0.0045,
                2,
                8,
            )
            .on(STRING),
        );
        let across = (i as f32 - 2.5) / 2.5;
        let low = Vec3::new(0.033 * across, 0.150, 0.0685);
        let nut = Vec3::new(0.020 * across, 0.889, 0.0645);
        // Outer pegs are the lower ones.
        let peg = Vec3::new(0.022 * side, y, z + 0.018);
        let path: Vec<Vec3> =
            (0..=10).map(|k| low.lerp(nut, k as f32 / 10.0)).chain([peg]).collect();
        shape.add(tube(&path, 6, |_, _| 0.0011).on(STRING));
    }
    vec![Surface::painted("guitar", 0.3, shape, texture())]
}

fn texture() -> Picture {
    const SPRUCE: &[[f32; 3]] =
        &[[60.0, 30.0, 14.0], [190.0, 110.0, 44.0], [226.0, 160.0, 84.0], [244.0, 196.0, 126.0]];
    atlas(
        512,
        &[
            Panel {
                rect: TOP,
                colors: SPRUCE,
                value: |u, v| {
                    // From the middle of the sound hole, in metres on the front.
                    let (x, y) = ((u - 0.5) * 0.42, (0.5 - v) * 0.50 - 0.0905);
                    let ring = (x * x + y * y).sqrt();
                    let guard = to_disc(x - 0.075, y + 0.052, 0.060).max(0.048 - ring);
                    let edge = 0.35 * inside(u.min(1.0 - u) - 0.10, 0.2);
                    let grain = 2.4 + 0.5 * wave(u * 46.0 + 0.4 * noise(u, v, [6, 3], 1)) - edge
                        + 0.3 * (noise(u, v, [40, 6], 2) - 0.5);
                    match () {
                        () if (0.050..0.053).contains(&ring) || (0.060..0.063).contains(&ring) => {
                            0.0
                        }
                        () if (0.053..0.060).contains(&ring) => {
                            if to_line(libm::atan2f(x, y) * (24.0 / std::f32::consts::TAU)) < 0.2 {
                                3.0
                            } else {
                                0.8
                            }
                        }
                        () if guard < 0.0 => 0.3,
                        () => grain,
                    }
                },
            },
            Panel {
                rect: BACK,
                colors: &[
                    [52.0, 20.0, 12.0],
                    [112.0, 46.0, 26.0],
                    [160.0, 78.0, 44.0],
                    [226.0, 190.0, 130.0],
                ],
                value: |u, v| {
                    let middle = (u - 0.5).abs();
                    if middle < 0.018 {
                        if to_line(v * 30.0) < 0.25 { 0.0 } else { 3.0 }
                    } else {
                        0.2 + 1.7 * wood_value(middle * 1.2, v * 0.9)
                    }
                },
            },
            Panel {
                rect: SIDES,
                colors: &[[52.0, 20.0, 12.0], [130.0, 58.0, 32.0], [246.0, 236.0, 210.0]],
                value: |u, v| {
                    if v.min(1.0 - v) < 0.14 { 2.0 } else { 0.2 + 0.9 * wood_value(v * 0.4, u) }
                },
            },
            Panel {
                rect: FRETS,
                colors: &[[26.0, 18.0, 14.0], [64.0, 46.0, 34.0], [214.0, 210.0, 200.0]],
                value: |u, v| {
                    let dot = [0.22, 0.38, 0.52, 0.70]
                        .iter()
                        .fold(1.0_f32, |d, y| d.min(to_disc((u - 0.5) * 0.24, v - y, 0.014)));
                    if to_line(v * v * 6.0 + v * 9.0) < 0.07 || dot < 0.0 {
                        2.0
                    } else {
                        noise(u, v, [10, 40], 3)
                    }
                },
            },
            Panel {
                rect: DARK,
                colors: &[[12.0, 8.0, 6.0], [54.0, 34.0, 22.0]],
                value: |u, v| {
                    if u < 0.4 && v > 0.1 { 0.1 } else { noise(u, v, [10, 10], 4) }
                },
            },
            Panel {
                rect: NECK,
                colors: &[[80.0, 40.0, 20.0], [140.0, 80.0, 44.0], [180.0, 116.0, 70.0]],
                value: |u, v| 0.2 + 1.6 * wood_value(u, v),
            },
            Panel {
                rect: HEAD,
                colors: &[[24.0, 14.0, 12.0], [90.0, 46.0, 26.0], [240.0, 206.0, 120.0]],
                value: |u, v| {
                    if is_ink("MJ", (u - 0.28) / 0.44, (v - 0.10) / 0.20) {
                        2.0
                    } else {
                        0.3 + 0.7 * wood_value(u, v)
                    }
                },
            },
            Panel {
                rect: PEG,
                colors: &[[190.0, 176.0, 140.0], [250.0, 244.0, 226.0]],
                value: |u, v| noise(u, v, [6, 6], 5),
            },
            Panel {
                rect: STRING,
                colors: &[[150.0, 140.0, 110.0], [236.0, 230.0, 210.0]],
                value: |u, v| 0.6 + 0.4 * wave(v * 12.0 + u),
            },
        ],
    )
}
