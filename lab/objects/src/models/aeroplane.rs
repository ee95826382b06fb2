//! A yellow propeller aeroplane that flies to +z: low wings with roundels, blue stripe along the
//! body, cockpit, fixed wheels.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Station, Surface, atlas, ball, bar, block, curved, hull, is_ink,
    lathe, noise, station, to_disc, to_line, wheel, wood_value,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.5];
const WING: Rect = [0.0, 0.5, 0.5, 0.25];
const UNDER: Rect = [0.5, 0.5, 0.5, 0.25];
const FIN: Rect = [0.0, 0.75, 0.3, 0.25];
const GLASS: Rect = [0.3, 0.75, 0.3, 0.125];
const DARK: Rect = [0.3, 0.875, 0.3, 0.125];
const BLADE: Rect = [0.6, 0.75, 0.4, 0.125];
const STRUT: Rect = [0.6, 0.875, 0.4, 0.125];

const STATIONS: [Station; 9] = [
    station(-1.00, 0.12, 0.012, 0.030),
    station(-0.85, 0.10, 0.040, 0.060),
    station(-0.50, 0.05, 0.085, 0.105),
    station(-0.10, 0.02, 0.128, 0.150),
    station(0.25, 0.00, 0.145, 0.165),
    station(0.55, 0.00, 0.145, 0.155),
    station(0.74, 0.00, 0.140, 0.142),
    station(0.82, 0.00, 0.125, 0.125),
    station(0.84, 0.00, 0.100, 0.100),
];

/// The clean aeroplane.
pub(super) fn aeroplane() -> Vec<Surface> {
    let mut shape = hull(&STATIONS, 34, 36, 0.15).on(BODY);
    shape.add(wings(1.02, 0.225, 0.022, 18).at(0.0, -0.085, 0.20));
    shape.add(wings(0.40, 0.125, 0.014, 10).at(0.0, 0.135, -0.86));
    let fin = Vec3::new(0.014, 0.16, 0.14);
    shape.add(block(fin, 0.010, [2, 8, 7], |_, _| FIN).moved(|p| {
        let up = (p.y + fin.y) / (2.0 * fin.y);
        Vec3::new(p.x * (1.0 - 0.4 * up), p.y + 0.28, p.z * (1.0 - 0.40 * up) - 0.85 - 0.07 * up)
    }));
    shape.add(ball(Vec3::new(0.095, 0.115, 0.22), 14, 24).at(0.0, 0.135, 0.12).on(GLASS));
    shape.add(
        lathe(
            &curved(&[(0.060, 0.0), (0.058, 0.05), (0.040, 0.10), (0.004, 0.135)], 10),
            0.002,
            0.1,
            20,
        )
        .tipped(0.25)
        .at(0.0, 0.0, 0.83)
        .on(DARK),
    );
    for turn in [0.05, 0.05 + 1.0 / 3.0, 0.05 + 2.0 / 3.0] {
        let half = Vec3::new(0.034, 0.17, 0.009);
        shape.add(
            block(half, 0.007, [3, 8, 2], |_, _| BLADE)
                .moved(|p| {
                    // Twisted, narrow at the hub.
                    let out = (p.y + half.y) / (2.0 * half.y);
                    let wide = 0.55 + 0.9 * out * (1.35 - out);
                    Vec3::new(p.x * wide, p.y + 0.19, p.z + p.x * (0.9 - 0.7 * out))
                })
                .rolled(turn)
                .at(0.0, 0.0, 0.885),
        );
    }
    for x in [-1.0, 1.0] {
        shape.add(
            bar(Vec3::new(0.24 * x, -0.09, 0.32), Vec3::new(0.30 * x, -0.27, 0.38), 0.018, 4, 10)
                .on(STRUT),
        );
        shape.add(wheel(0.085, 0.030, DARK, STRUT).at(0.315 * x, -0.275, 0.38));
        shape.add(
            ball(Vec3::new(0.045, 0.055, 0.13), 10, 16)
                .at(0.315 * x, -0.235, 0.37)
                .on([0.0, 0.02, 0.4, 0.08]),
        );
        shape.add(
            bar(
                Vec3::new(0.128 * x, -0.04, 0.66),
                Vec3::new(0.165 * x, -0.055, 0.50),
                0.018,
                4,
                10,
            )
            .on(STRUT),
        );
    }
    shape
        .add(bar(Vec3::new(0.0, 0.06, -0.88), Vec3::new(0.0, -0.03, -0.93), 0.012, 3, 8).on(STRUT));
    shape.add(wheel(0.040, 0.016, DARK, STRUT).at(0.0, -0.045, -0.935));
    vec![Surface::painted("aeroplane", 0.35, shape, texture())]
}

/// Both wings in one piece: a profile that is thick in front, tapered and raised towards the tips.
fn wings(half_span: f32, half_chord: f32, half_thickness: f32, cells: usize) -> Shape {
    let half = Vec3::new(half_span, half_thickness, half_chord);
    block(half, 0.8 * half_thickness, [2 * cells, 2, 8], |axis, sign| {
        if axis == 1 && sign < 0.0 { UNDER } else { WING }
    })
    .moved(|p| {
        let out = p.x.abs() / half_span;
        let taper = 1.0 - 0.35 * out * out - 0.30 * out * out * out * out * out * out;
        let ahead = p.z / half_chord;
        let thick =
            (0.45 + 0.55 * (1.0 - (ahead - 0.35) * (ahead - 0.35)).max(0.0)) * (1.0 - 0.5 * out);
        Vec3::new(p.x, p.y * thick * 1.4 + 0.07 * half_span * out, p.z * taper)
    })
}

fn texture() -> Picture {
    const PAINT: &[[f32; 3]] = &[
        [20.0, 58.0, 118.0],
        [220.0, 150.0, 24.0],
        [250.0, 200.0, 60.0],
        [252.0, 248.0, 236.0],
        [200.0, 40.0, 40.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: PAINT,
                value: |u, v| {
                    let up = 1.0 - (2.0 * u - 1.0).abs();
                    let seam = to_line(v * 9.0) < 0.05;
                    // The side of +x reads from the front to the back, the other from the back.
                    let x = if u < 0.5 { 1.0 - v } else { v };
                    let name = is_ink(
                        "K7",
                        if u < 0.5 { (v - 0.52) / 0.11 } else { (0.63 - v) / 0.11 },
                        (0.54 - up) / 0.20,
                    );
                    match () {
                        () if v < 0.09 => 4.0,
                        () if name => 0.0,
                        () if (0.555..0.61).contains(&up) => 0.0,
                        () if (0.61..0.635).contains(&up) => 3.0,
                        () if seam => 1.0,
                        () => 1.9 + 0.2 * noise(x, u, [20, 20], 1),
                    }
                },
            },
            Panel {
                rect: WING,
                colors: PAINT,
                value: |u, v| {
                    let out = (2.0 * u - 1.0).abs();
                    let roundel = to_disc((out - 0.70) * 2.4, v - 0.5, 0.0);
                    match () {
                        () if roundel < 0.10 => 4.0,
                        () if roundel < 0.19 => 3.0,
                        () if roundel < 0.28 => 0.0,
                        () if out > 0.93 => 4.0,
                        () if (v - 0.20).abs() < 0.012 && out > 0.2
                            || to_line(out * 9.0) < 0.03 =>
                        {
                            1.0
                        }
                        () => 2.0,
                    }
                },
            },
            Panel {
                rect: UNDER,
                colors: PAINT,
                value: |u, v| {
                    if to_line(u * 12.0) < 0.05 {
                        1.0
                    } else if to_line(v * 4.0 + u * 8.0) < 0.25 {
                        0.0
                    } else {
                        2.0
                    }
                },
            },
            Panel {
                rect: FIN,
                colors: PAINT,
                value: |_, v| {
                    let stripe = (v * 6.0).floor();
                    if stripe.rem_euclid(2.0) < 0.5 {
                        0.0
                    } else if stripe < 3.5 {
                        3.0
                    } else {
                        2.0
                    }
                },
            },
            Panel {
                rect: GLASS,
                colors: &[
                    [220.0, 150.0, 24.0],
                    [24.0, 52.0, 76.0],
                    [120.0, 170.0, 200.0],
                    [226.0, 242.0, 250.0],
                ],
                value: |u, v| {
                    if to_line(u * 6.0) < 0.05 || (v - 0.42).abs() < 0.02 || v > 0.62 {
                        0.0
                    } else {
                        1.2 + 1.2 * (1.0 - v)
                    }
                },
            },
            Panel {
                rect: DARK,
                colors: &[[18.0, 20.0, 24.0], [66.0, 70.0, 78.0]],
                value: |u, v| 0.3 + 0.5 * noise(u, v, [20, 6], 4),
            },
            Panel {
                rect: BLADE,
                colors: &[[46.0, 30.0, 20.0], [130.0, 86.0, 48.0], [250.0, 200.0, 60.0]],
                value: |u, v| if v < 0.14 { 2.0 } else { wood_value(u, v) },
            },
            Panel {
                rect: STRUT,
                colors: &[[120.0, 126.0, 134.0], [216.0, 220.0, 226.0]],
                value: |u, v| 0.4 + 0.6 * noise(u, v, [9, 9], 8),
            },
        ],
    )
}
