//! A yellow bath duck that looks to +z: orange bill, blue sailor's collar, wings with painted
//! feathers, its name on its back.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Station, Surface, atlas, ball, curved, hull, inside, is_ink, lathe,
    noise, station, to_disc, to_line, tube,
};

const BODY: Rect = [0.0, 0.0, 1.0, 0.4];
const HEAD: Rect = [0.0, 0.4, 0.5, 0.3];
const WING: Rect = [0.5, 0.4, 0.5, 0.3];
const BILL: Rect = [0.0, 0.7, 0.3, 0.3];
const COLLAR: Rect = [0.3, 0.7, 0.4, 0.3];
const EYE: Rect = [0.7, 0.7, 0.3, 0.3];

const STATIONS: [Station; 9] = [
    station(-0.60, 0.44, 0.030, 0.020),
    station(-0.55, 0.41, 0.085, 0.045),
    station(-0.42, 0.33, 0.190, 0.125),
    station(-0.22, 0.27, 0.285, 0.225),
    station(0.0, 0.25, 0.325, 0.250),
    station(0.20, 0.26, 0.310, 0.255),
    station(0.36, 0.28, 0.245, 0.215),
    station(0.46, 0.30, 0.140, 0.130),
    station(0.50, 0.31, 0.060, 0.055),
];

/// The clean duck.
pub(super) fn duck() -> Vec<Surface> {
    let mut shape = hull(&STATIONS, 34, 40, 0.0).on(BODY);
    shape
        .add(ball(Vec3::new(0.215, 0.215, 0.225), 20, 32).turned(0.5).at(0.0, 0.68, 0.20).on(HEAD));
    shape.add(
        lathe(
            &curved(&[(0.19, 0.46), (0.215, 0.48), (0.205, 0.52), (0.16, 0.54)], 10),
            0.004,
            0.1,
            36,
        )
        .tipped(-0.01)
        .at(0.0, 0.0, 0.19)
        .on(COLLAR),
    );
    // A bill of two halves, the lower one shorter.
    for (long, y, up) in [(0.115, 0.645, 1.0), (0.085, 0.618, -0.6)] {
        shape.add(
            ball(Vec3::new(0.095, 0.030, long), 12, 20)
                .moved(|p| {
                    let out = (p.z + long) / (2.0 * long);
                    Vec3::new(p.x * (0.75 + 0.25 * out), p.y + up * 0.05 * out * out, p.z)
                })
                .at(0.0, y, 0.44)
                .on(BILL),
        );
    }
    for x in [-1.0, 1.0] {
        shape.add(
            ball(Vec3::new(0.055, 0.135, 0.245), 14, 24)
                .moved(|p| {
                    let back = (0.245 - p.z) / 0.49;
                    Vec3::new(p.x, p.y * (1.0 - 0.45 * back) + 0.14 * back * back, p.z)
                })
                .turned(-0.012 * x)
                .at(0.305 * x, 0.29, -0.03)
                .on(WING),
        );
        shape.add(
            ball(Vec3::new(0.044, 0.024, 0.050), 10, 18)
                .tipped(0.25)
                .rolled(0.0)
                .turned(0.105 * x)
                .at(0.118 * x, 0.735, 0.358)
                .on(EYE),
        );
    }
    // A tuft on the head.
    for (lean, z) in [(-0.03, 0.17), (0.03, 0.13)] {
        let tuft: Vec<Vec3> = (0..=6)
            .map(|i| {
                let t = i as f32 / 6.0;
                Vec3::new(0.2 * lean * t, 0.87 + 0.09 * t, z - 0.07 * t * t)
            })
            .collect();
        shape.add(tube(&tuft, 8, |t, _| 0.024 * (1.02 - t)).on([0.0, 0.41, 0.2, 0.06]));
    }
    vec![Surface::painted("bath duck", 0.35, shape, texture())]
}

fn texture() -> Picture {
    const YELLOW: &[[f32; 3]] =
        &[[206.0, 138.0, 10.0], [246.0, 196.0, 24.0], [255.0, 226.0, 90.0], [40.0, 60.0, 120.0]];
    atlas(
        512,
        &[
            Panel {
                rect: BODY,
                colors: YELLOW,
                value: |u, v| {
                    // From above, letters run from the left wing to the right one.
                    let name = is_ink("DUCK", (u - 0.42) / 0.16, (v - 0.66) / 0.14);
                    let feather = to_disc(
                        (u * 26.0).fract() - 0.5,
                        ((v * 17.0 + 0.5 * (u * 26.0).floor().rem_euclid(2.0)).fract() - 0.9) * 0.9,
                        0.6,
                    )
                    .abs()
                        < 0.07;
                    let breast = 0.8 * inside(v - 0.25, 0.4);
                    if name {
                        3.0
                    } else if feather && v > 0.35 {
                        0.4
                    } else {
                        1.0 + breast + 0.3 * (noise(u, v, [12, 12], 1) - 0.5)
                    }
                },
            },
            Panel {
                rect: HEAD,
                colors: &[[240.0, 120.0, 60.0], [246.0, 196.0, 24.0], [255.0, 226.0, 90.0]],
                value: |u, v| {
                    let cheek = to_disc(((u - 0.5).abs() - 0.14) * 2.4, v - 0.60, 0.10);
                    1.2 + 0.5 * (1.0 - v) - 1.1 * inside(cheek, 0.10)
                },
            },
            Panel {
                rect: WING,
                colors: &[[180.0, 100.0, 8.0], [240.0, 170.0, 20.0], [255.0, 214.0, 70.0]],
                value: |u, v| {
                    let row = (v * 6.0).floor();
                    let x = (u * 18.0 + 0.5 * row.rem_euclid(2.0)).fract() - 0.5;
                    let y = (v * 6.0).fract();
                    if to_disc(x, y * 0.7 - 0.12, 0.48).abs() < 0.09 { 0.0 } else { 1.1 + 0.7 * y }
                },
            },
            Panel {
                rect: BILL,
                colors: &[[196.0, 70.0, 10.0], [244.0, 120.0, 30.0]],
                value: |u, v| {
                    0.9 - 0.7 * inside((v - 0.5).abs() - 0.05, 0.06)
                        - if to_disc(to_line(u) - 0.06, v - 0.36, 0.03) < 0.0 { 0.8 } else { 0.0 }
                },
            },
            Panel {
                rect: COLLAR,
                colors: &[[24.0, 50.0, 110.0], [40.0, 84.0, 160.0], [250.0, 250.0, 246.0]],
                value: |u, v| {
                    if (v - 0.5).abs() < 0.10 { 2.0 } else { 0.6 + 0.4 * noise(u, v, [20, 4], 4) }
                },
            },
            Panel {
                rect: EYE,
                colors: &[[14.0, 14.0, 20.0], [250.0, 250.0, 250.0]],
                value: |_, v| if v < 0.34 { 0.0 } else { 1.0 },
            },
        ],
    )
}
