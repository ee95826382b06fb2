//! A tropical fish that swims to +z: orange with white bands, dark-edged fins, large eyes.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Station, Surface, atlas, ball, closed_curve, hoop, hull, noise, plate,
    station, to_disc, to_line, wave,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.55];
const FIN: Rect = [0.0, 0.55, 0.6, 0.45];
const EYE: Rect = [0.6, 0.55, 0.2, 0.2];
const LIP: Rect = [0.8, 0.55, 0.2, 0.2];

const STATIONS: [Station; 9] = [
    station(-0.62, 0.0, 0.020, 0.070),
    station(-0.52, 0.0, 0.035, 0.085),
    station(-0.32, 0.0, 0.085, 0.185),
    station(-0.05, 0.0, 0.130, 0.285),
    station(0.18, 0.0, 0.150, 0.300),
    station(0.38, -0.01, 0.140, 0.240),
    station(0.52, -0.02, 0.105, 0.160),
    station(0.60, -0.03, 0.065, 0.085),
    station(0.635, -0.035, 0.035, 0.040),
];

/// The clean fish.
pub(super) fn fish() -> Vec<Surface> {
    let mut shape = hull(&STATIONS, 44, 40, 0.0).on(BODY);
    // Outlines in the plane of the body; x of a plate is −z of the fish once it is turned.
    let upright = |outline: &[(f32, f32)], count: usize, half: f32| {
        plate(&closed_curve(outline, count), half, 0.4 * half, [FIN; 3]).turned(-0.25)
    };
    let tail = [
        (-0.10, 0.0),
        (-0.06, -0.09),
        (0.14, -0.24),
        (0.22, -0.20),
        (0.13, 0.0),
        (0.22, 0.20),
        (0.14, 0.24),
        (-0.06, 0.09),
    ];
    shape.add(
        upright(&tail, 48, 0.014)
            .turned(0.5)
            .moved(|p| Vec3::new(-p.x, p.y, -p.z))
            .at(0.0, 0.0, -0.66),
    );
    shape.add(
        upright(
            &[
                (-0.30, -0.08),
                (0.0, -0.07),
                (0.30, -0.10),
                (0.30, 0.02),
                (0.10, 0.12),
                (-0.12, 0.10),
            ],
            40,
            0.014,
        )
        .at(0.0, 0.28, 0.02),
    );
    shape.add(
        upright(&[(-0.16, 0.08), (-0.10, -0.10), (0.10, -0.08), (0.14, 0.08)], 28, 0.013)
            .at(0.0, -0.25, -0.22),
    );
    for x in [-1.0, 1.0] {
        let corners = [
            (-0.09, -0.02),
            (0.0, -0.06),
            (0.17, -0.08),
            (0.20, 0.03),
            (0.12, 0.09),
            (-0.05, 0.05),
        ];
        let mut outline: Vec<(f32, f32)> = corners.iter().map(|&(out, y)| (x * out, y)).collect();
        if x < 0.0 {
            outline.reverse();
        }
        let fin = plate(&closed_curve(&outline, 28), 0.011, 0.004, [FIN; 3])
            .rolled(-0.05 * x)
            .turned(0.16 * x);
        shape.add(fin.at(0.17 * x, -0.08, 0.14));
        shape.add(
            ball(Vec3::new(0.030, 0.046, 0.046), 10, 18)
                .rolled(-0.25 * x)
                .at(0.113 * x, 0.055, 0.42)
                .on(EYE),
        );
    }
    shape.add(hoop(0.040, 0.020, 24, 8).tipped(0.25).at(0.0, -0.035, 0.625).on(LIP));
    vec![Surface::painted("fish", 0.3, shape, texture())]
}

fn texture() -> Picture {
    const SCALES: &[[f32; 3]] = &[
        [24.0, 20.0, 24.0],
        [176.0, 66.0, 10.0],
        [240.0, 120.0, 20.0],
        [255.0, 170.0, 70.0],
        [250.0, 248.0, 240.0],
    ];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: SCALES,
                value: |u, v| {
                    let up = 1.0 - (2.0 * u - 1.0).abs();
                    let bend = v + 0.05 * wave(up * 0.5 + 0.25);
                    let band = [(0.30, 0.055), (0.58, 0.065), (0.88, 0.035)]
                        .iter()
                        .fold(1.0_f32, |d, (x, half)| d.min((bend - x).abs() - half));
                    let row = (v * 34.0).floor();
                    let (x, y) =
                        ((v * 34.0).fract(), (u * 30.0 + 0.5 * row.rem_euclid(2.0)).fract() - 0.5);
                    let scale = to_disc(x - 0.2, y * 1.2, 0.62).abs() < 0.13;
                    match () {
                        () if band < 0.0 => {
                            if scale {
                                3.7
                            } else {
                                4.0
                            }
                        }
                        () if band < 0.018 => 0.0,
                        () if scale && v > 0.2 => 1.2,
                        () => 2.0 + 0.9 * (1.0 - up) + 0.3 * (noise(u, v, [16, 16], 1) - 0.5),
                    }
                },
            },
            Panel {
                rect: FIN,
                colors: SCALES,
                value: |u, v| {
                    let edge = u.min(1.0 - u).min(v).min(1.0 - v);
                    if edge < 0.07 {
                        0.0
                    } else if edge < 0.11 {
                        4.0
                    } else if to_line(v * 9.0 + 0.4 * u) < 0.16 {
                        1.2
                    } else {
                        2.4
                    }
                },
            },
            Panel {
                rect: EYE,
                colors: &[[12.0, 12.0, 16.0], [250.0, 200.0, 40.0], [252.0, 250.0, 244.0]],
                value: |_, v| {
                    if !(0.20..=0.80).contains(&v) {
                        0.0
                    } else if !(0.30..=0.70).contains(&v) {
                        1.0
                    } else {
                        2.0
                    }
                },
            },
            Panel {
                rect: LIP,
                colors: &[[176.0, 70.0, 40.0], [244.0, 150.0, 100.0]],
                value: |u, v| noise(u, v, [8, 4], 3),
            },
        ],
    )
}
