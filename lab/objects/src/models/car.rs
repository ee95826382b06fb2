//! A small red car that drives to +z: white roof, round lamps, plates with letters, spare lines for
//! doors.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Station, Surface, atlas, ball, block, cos_turn, hull, inside, is_ink,
    lathe, noise, sin_turn, station, to_box, to_line, tube, wheel,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.4];
const SIDE: Rect = [0.0, 0.4, 0.5, 0.2];
const PANE: Rect = [0.5, 0.4, 0.25, 0.2];
const ROOF: Rect = [0.75, 0.4, 0.25, 0.2];
const TYRE: Rect = [0.0, 0.6, 0.4, 0.2];
const HUB: Rect = [0.4, 0.6, 0.3, 0.2];
const CHROME: Rect = [0.7, 0.6, 0.3, 0.2];
const LAMP: Rect = [0.0, 0.8, 0.2, 0.2];
const REAR: Rect = [0.2, 0.8, 0.2, 0.2];
const GRILLE: Rect = [0.4, 0.8, 0.3, 0.2];
const PLATE: Rect = [0.7, 0.8, 0.3, 0.2];

const BODY_STATIONS: [Station; 8] = [
    station(-0.98, 0.36, 0.30, 0.10),
    station(-0.90, 0.37, 0.37, 0.16),
    station(-0.60, 0.38, 0.41, 0.19),
    station(-0.15, 0.37, 0.42, 0.18),
    station(0.35, 0.36, 0.42, 0.17),
    station(0.75, 0.34, 0.39, 0.155),
    station(0.93, 0.32, 0.34, 0.125),
    station(0.98, 0.31, 0.30, 0.09),
];

/// The clean car.
pub(super) fn car() -> Vec<Surface> {
    let mut shape = hull(&BODY_STATIONS, 26, 36, 0.72).on(BODY);
    let cells = [6, 5, 8];
    let cabin = |half: Vec3, panel: fn(usize, f32) -> Rect| block(half, 0.04, cells, panel);
    shape.add(
        cabin(Vec3::new(0.37, 0.17, 0.46), |axis, _| match axis {
            0 => SIDE,
            1 => ROOF,
            _ => PANE,
        })
        .moved(|p| {
            let up = (p.y + 0.17) / 0.34;
            let lean = if p.z > 0.0 { 0.34 } else { 0.20 };
            Vec3::new(p.x * (1.0 - 0.20 * up), p.y + 0.66, p.z * (1.0 - lean * up) - 0.14)
        }),
    );
    shape.add(
        block(Vec3::new(0.29, 0.018, 0.31), 0.016, [6, 2, 6], |_, _| ROOF).at(0.0, 0.835, -0.17),
    );
    for (z, sign) in [(0.955, 1.0), (-0.955, -1.0)] {
        shape.add(
            block(Vec3::new(0.39, 0.035, 0.035), 0.025, [10, 2, 2], |_, _| CHROME)
                .at(0.0, 0.215, z),
        );
        shape.add(
            block(Vec3::new(0.11, 0.032, 0.008), 0.005, [4, 2, 1], |axis, _| {
                if axis == 2 { PLATE } else { CHROME }
            })
            .at(0.0, 0.225, z + 0.038 * sign),
        );
    }
    for x in [-1.0, 1.0] {
        for z in [0.58, -0.58] {
            shape.add(wheel(0.165, 0.065, TYRE, HUB).at(0.37 * x, 0.165, z));
            let arch: Vec<Vec3> = (0..=12)
                .map(|i| {
                    let turn = -0.03 + 0.56 * i as f32 / 12.0;
                    Vec3::new(0.405 * x, 0.165 + 0.195 * sin_turn(turn), z + 0.195 * cos_turn(turn))
                })
                .collect();
            shape.add(tube(&arch, 8, |_, _| 0.022).on(CHROME));
        }
        let lamp = |radius: f32| {
            lathe(
                &[(radius, -0.05), (radius, 0.012), (0.8 * radius, 0.020), (0.3 * radius, 0.026)],
                0.006,
                0.03,
                20,
            )
        };
        shape.add(lamp(0.070).tipped(0.25).at(0.24 * x, 0.37, 0.975).on(LAMP));
        shape.add(lamp(0.045).tipped(-0.25).at(0.25 * x, 0.40, -0.968).on(REAR));
        shape.add(ball(Vec3::new(0.035, 0.025, 0.018), 6, 12).at(0.42 * x, 0.56, 0.26).on(CHROME));
    }
    shape.add(
        block(Vec3::new(0.13, 0.055, 0.03), 0.012, [4, 3, 2], |_, _| GRILLE).at(0.0, 0.345, 0.965),
    );
    vec![Surface::painted("painted car", 0.3, shape, texture())]
}

fn texture() -> Picture {
    const PAINT: &[[f32; 3]] =
        &[[26.0, 24.0, 26.0], [120.0, 16.0, 22.0], [206.0, 36.0, 38.0], [250.0, 244.0, 232.0]];
    const GLASS: &[[f32; 3]] = &[[20.0, 32.0, 44.0], [92.0, 136.0, 164.0], [206.0, 36.0, 38.0]];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: PAINT,
                value: |u, v| {
                    // Half way round is the top, a quarter a side; v runs from the front to the
                    // back.
                    let up = 1.0 - (2.0 * u - 1.0).abs();
                    let door = [0.40, 0.66].iter().fold(1.0_f32, |d, x| d.min((v - x).abs()));
                    let handle = to_box(v - 0.62, (up - 0.60) * 0.6, 0.02, 0.012);
                    let bonnet = (up - 0.88).abs() < 0.008 && v < 0.30
                        || (v - 0.30).abs() < 0.005 && up > 0.88;
                    match () {
                        () if up < 0.24 => 0.0,
                        () if handle < 0.0 => 3.0,
                        () if bonnet || door < 0.004 && (0.3..0.75).contains(&up) => 1.0,
                        () if (0.50..0.54).contains(&up) => 3.0,
                        // Two white stripes over the bonnet.
                        () if up > 0.90 && (0.93..0.975).contains(&up) => 3.0,
                        () => 1.9 + 0.1 * noise(u, v, [30, 30], 2),
                    }
                },
            },
            Panel {
                rect: SIDE,
                colors: GLASS,
                value: |u, v| {
                    let pane = to_box((u - 0.27) * 1.4, v - 0.45, 0.25, 0.30).min(to_box(
                        (u - 0.74) * 1.4,
                        v - 0.45,
                        0.25,
                        0.30,
                    ));
                    if pane < 0.0 { 0.4 + 0.7 * inside(v - 0.3 + 0.3 * u, 0.4) } else { 2.0 }
                },
            },
            Panel {
                rect: PANE,
                colors: GLASS,
                value: |u, v| {
                    let pane = to_box(u - 0.5, v - 0.45, 0.40, 0.33);
                    if pane < 0.0 { 0.5 + 0.6 * inside(v - 0.2 - 0.4 * u, 0.5) } else { 2.0 }
                },
            },
            Panel {
                rect: ROOF,
                colors: &[[214.0, 206.0, 190.0], [252.0, 248.0, 238.0]],
                value: |u, v| 0.7 + 0.3 * noise(u, v, [12, 12], 3),
            },
            Panel {
                rect: TYRE,
                colors: &[[14.0, 14.0, 16.0], [58.0, 58.0, 62.0]],
                value: |u, v| {
                    if to_line(u * 28.0) < 0.14 && (0.25..0.75).contains(&v) {
                        0.0
                    } else {
                        0.7 + 0.3 * noise(u, v, [40, 8], 4)
                    }
                },
            },
            Panel {
                rect: HUB,
                colors: &[
                    [60.0, 62.0, 68.0],
                    [188.0, 192.0, 198.0],
                    [250.0, 250.0, 250.0],
                    [190.0, 34.0, 36.0],
                ],
                value: |u, v| {
                    let out = 1.0 - (2.0 * v - 1.0).abs();
                    if out < 0.03 {
                        3.0
                    } else if out < 0.14 && to_line(u * 10.0) < 0.16 {
                        0.0
                    } else {
                        1.5
                    }
                },
            },
            Panel {
                rect: CHROME,
                colors: &[[120.0, 124.0, 132.0], [232.0, 236.0, 240.0]],
                value: |u, v| 0.8 - 0.5 * (v - 0.5).abs() + 0.2 * noise(u, v, [8, 8], 1),
            },
            Panel {
                rect: LAMP,
                colors: &[[150.0, 156.0, 160.0], [255.0, 240.0, 180.0], [255.0, 253.0, 236.0]],
                value: |u, v| {
                    if v > 0.45 {
                        0.2
                    } else {
                        1.2 + 0.6 * (1.0 - v) - if to_line(u * 8.0) < 0.1 { 0.5 } else { 0.0 }
                    }
                },
            },
            Panel {
                rect: REAR,
                colors: &[[90.0, 8.0, 12.0], [226.0, 30.0, 24.0], [255.0, 150.0, 60.0]],
                value: |u, v| {
                    if v > 0.45 {
                        0.2
                    } else if u > 0.5 {
                        2.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: GRILLE,
                colors: &[[20.0, 20.0, 24.0], [226.0, 230.0, 234.0]],
                value: |u, v| {
                    if to_line(v * 5.0) < 0.2 || u.min(1.0 - u) < 0.06 { 1.0 } else { 0.0 }
                },
            },
            Panel {
                rect: PLATE,
                colors: &[[20.0, 24.0, 60.0], [250.0, 246.0, 226.0]],
                value: |u, v| {
                    if is_ink("MJ 24", (u - 0.1) / 0.8, (v - 0.22) / 0.56) || v.min(1.0 - v) < 0.06
                    {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
        ],
    )
}
