//! A delivery lorry that drives to +z: blue cab, cream box with lettered sides, striped doors
//! behind, six wheels.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, bar, block, inside, is_ink, lathe, noise, to_box,
    to_disc, to_line, wheel,
};

const SIDE: Rect = [0.0, 0.0, 0.6, 0.35];
const CAB: Rect = [0.6, 0.0, 0.4, 0.35];
const FRONT: Rect = [0.0, 0.35, 0.35, 0.35];
const DOORS: Rect = [0.35, 0.35, 0.35, 0.35];
const TOP: Rect = [0.7, 0.35, 0.3, 0.2];
const BLUE: Rect = [0.7, 0.55, 0.3, 0.15];
const TYRE: Rect = [0.0, 0.7, 0.4, 0.15];
const HUB: Rect = [0.4, 0.7, 0.3, 0.15];
const DARK: Rect = [0.0, 0.85, 0.3, 0.15];
const CHROME: Rect = [0.3, 0.85, 0.2, 0.15];
const LAMP: Rect = [0.5, 0.85, 0.15, 0.15];
const REAR: Rect = [0.65, 0.85, 0.15, 0.15];
const PLATE: Rect = [0.7, 0.7, 0.3, 0.15];

/// The clean lorry.
pub(super) fn lorry() -> Vec<Surface> {
    let plain = |half: Vec3, radius: f32, cells: [usize; 3], panel: Rect| {
        block(half, radius, cells, move |_, _| panel)
    };
    let mut shape = block(Vec3::new(0.36, 0.40, 0.66), 0.02, [8, 8, 12], |axis, sign| {
        match (axis, sign > 0.0) {
            (0, _) => SIDE,
            (1, _) => TOP,
            (_, true) => BLUE,
            (_, false) => DOORS,
        }
    })
    .at(0.0, 0.72, -0.34);
    // The cab leans back above the bonnet's line.
    shape.add(
        block(Vec3::new(0.33, 0.31, 0.24), 0.045, [6, 8, 6], |axis, sign| {
            match (axis, sign > 0.0) {
                (0, _) => CAB,
                (2, true) => FRONT,
                _ => BLUE,
            }
        })
        .moved(|p| {
            let up = (p.y / 0.31).max(0.0);
            let lean = if p.z > 0.0 { 0.30 * up * up } else { 0.0 };
            Vec3::new(p.x * (1.0 - 0.08 * up), p.y + 0.55, p.z * (1.0 - lean) + 0.62)
        }),
    );
    shape.add(plain(Vec3::new(0.27, 0.05, 0.92), 0.012, [4, 2, 14], DARK).at(0.0, 0.25, -0.06));
    shape.add(
        plain(Vec3::new(0.30, 0.055, 0.13), 0.05, [8, 4, 4], BLUE)
            .moved(|p| Vec3::new(p.x * (1.0 - 0.3 * (p.z + 0.13)), p.y + 0.92, p.z + 0.55)),
    );
    for (z, sign, long) in [(0.865, 1.0, 0.34), (-1.0, -1.0, 0.33)] {
        shape
            .add(plain(Vec3::new(long, 0.040, 0.030), 0.022, [10, 2, 2], CHROME).at(0.0, 0.235, z));
        shape.add(
            block(Vec3::new(0.10, 0.030, 0.008), 0.005, [4, 2, 1], |axis, _| {
                if axis == 2 { PLATE } else { CHROME }
            })
            .at(0.0, 0.240, z + 0.033 * sign),
        );
    }
    for x in [-1.0, 1.0] {
        for z in [0.58, -0.42, -0.75] {
            shape.add(wheel(0.150, 0.060, TYRE, HUB).at(0.300 * x, 0.150, z));
        }
        shape.add(
            plain(Vec3::new(0.055, 0.018, 0.20), 0.014, [2, 2, 8], BLUE)
                .moved(|p| Vec3::new(p.x, p.y + 0.325 - 1.6 * p.z * p.z, p.z))
                .at(0.310 * x, 0.0, 0.58),
        );
        shape.add(plain(Vec3::new(0.012, 0.055, 0.24), 0.008, [2, 2, 4], DARK).at(
            0.345 * x,
            0.27,
            -0.02,
        ));
        let lamp = |radius: f32| {
            lathe(
                &[(radius, -0.04), (radius, 0.010), (0.8 * radius, 0.018), (0.3 * radius, 0.024)],
                0.006,
                0.03,
                18,
            )
        };
        shape.add(lamp(0.048).tipped(0.25).at(0.245 * x, 0.355, 0.858).on(LAMP));
        shape.add(lamp(0.034).tipped(-0.25).at(0.280 * x, 0.335, -0.995).on(REAR));
        let mirror = Vec3::new(0.375 * x, 0.67, 0.70);
        shape.add(bar(Vec3::new(0.29 * x, 0.70, 0.68), mirror, 0.009, 2, 8).on(CHROME));
        shape.add(
            plain(Vec3::new(0.024, 0.055, 0.012), 0.008, [2, 3, 2], CHROME)
                .at(mirror.x, mirror.y, mirror.z),
        );
    }
    shape.add(
        bar(Vec3::new(0.30, 0.30, 0.345), Vec3::new(0.30, 1.02, 0.345), 0.020, 6, 12).on(CHROME),
    );
    vec![Surface::painted("lorry", 0.35, shape, texture())]
}

fn texture() -> Picture {
    const CREAM: &[[f32; 3]] = &[
        [176.0, 44.0, 44.0],
        [34.0, 92.0, 150.0],
        [214.0, 204.0, 180.0],
        [250.0, 244.0, 226.0],
        [92.0, 150.0, 74.0],
    ];
    const CABS: &[[f32; 3]] =
        &[[16.0, 44.0, 84.0], [38.0, 98.0, 164.0], [84.0, 140.0, 196.0], [250.0, 244.0, 226.0]];
    atlas(
        512,
        &[
            Panel {
                rect: SIDE,
                colors: CREAM,
                value: |u, v| {
                    let edge = to_box(u - 0.5, v - 0.5, 0.5, 0.5);
                    // An apple before the name.
                    let (x, y) = ((u - 0.5) * 1.65, v - 0.34);
                    let apple = to_disc(x.abs() - 0.05, y, 0.11);
                    let leaf = to_disc((x - 0.05) * 0.7 - y * 0.4 - 0.07, y + 0.15, 0.05);
                    match () {
                        () if leaf < 0.0 => 4.0,
                        () if apple < 0.0 => 0.0,
                        () if is_ink("FRUIT", (u - 0.20) / 0.60, (v - 0.56) / 0.22) => 1.0,
                        () if v > 0.88 || edge > -0.025 => 1.0,
                        () if (0.84..0.87).contains(&v) => 0.0,
                        () if to_line(u * 8.0) < 0.035 => 2.3,
                        () => 2.9 + 0.2 * noise(u, v, [20, 12], 1) - 0.1,
                    }
                },
            },
            Panel {
                rect: CAB,
                colors: CABS,
                value: |u, v| {
                    let pane = to_box(u - 0.5, v - 0.28, 0.28, 0.19);
                    let door = to_box(u - 0.5, v - 0.50, 0.36, 0.45);
                    let handle = to_box(u - 0.30, v - 0.58, 0.06, 0.015);
                    match () {
                        () if pane < 0.0 => 0.35 * inside(v - 0.25, 0.2),
                        () if pane < 0.025 || handle < 0.0 => 3.0,
                        () if door.abs() < 0.010 => 0.3,
                        () if (0.70..0.78).contains(&v) => 3.0,
                        () => 1.0 + 0.3 * noise(u, v, [16, 16], 2),
                    }
                },
            },
            Panel {
                rect: FRONT,
                colors: CABS,
                value: |u, v| {
                    let pane = to_box(u - 0.5, v - 0.27, 0.41, 0.19);
                    let grille = to_box(u - 0.5, v - 0.72, 0.26, 0.13);
                    match () {
                        () if pane < 0.0 => {
                            if (u - 0.5).abs() < 0.012 {
                                3.0
                            } else {
                                0.35 * inside(v - 0.25, 0.2)
                            }
                        }
                        () if pane < 0.022 => 3.0,
                        () if grille < 0.0 => {
                            if to_line(v * 18.0) < 0.2 {
                                3.0
                            } else {
                                0.0
                            }
                        }
                        () if grille < 0.020 => 3.0,
                        () => 1.0 + 0.3 * noise(u, v, [16, 16], 3),
                    }
                },
            },
            Panel {
                rect: DOORS,
                colors: CREAM,
                value: |u, v| {
                    let bars = to_box((u - 0.5).abs() - 0.06, v - 0.5, 0.012, 0.42);
                    let stripes = v > 0.80;
                    match () {
                        () if bars < 0.0 || (u - 0.5).abs() < 0.008 => 1.0,
                        () if stripes => {
                            if ((u + v) * 9.0).floor().rem_euclid(2.0) < 0.5 {
                                0.0
                            } else {
                                3.0
                            }
                        }
                        () if to_box(u - 0.5, v - 0.5, 0.46, 0.46).abs() < 0.010 => 2.0,
                        () => 2.8 + 0.2 * noise(u, v, [14, 14], 4),
                    }
                },
            },
            Panel {
                rect: TOP,
                colors: &[[196.0, 190.0, 172.0], [246.0, 242.0, 228.0]],
                value: |u, v| {
                    if to_line(v * 8.0) < 0.06 { 0.0 } else { 0.7 + 0.3 * noise(u, v, [10, 10], 5) }
                },
            },
            Panel { rect: BLUE, colors: CABS, value: |u, v| 0.9 + 0.3 * noise(u, v, [10, 10], 6) },
            Panel {
                rect: TYRE,
                colors: &[[14.0, 14.0, 16.0], [60.0, 60.0, 64.0]],
                value: |u, v| {
                    if to_line(u * 24.0) < 0.16 && (0.25..0.75).contains(&v) {
                        0.0
                    } else {
                        0.7 + 0.3 * noise(u, v, [40, 8], 4)
                    }
                },
            },
            Panel {
                rect: HUB,
                colors: &[[50.0, 52.0, 58.0], [226.0, 228.0, 232.0], [176.0, 44.0, 44.0]],
                value: |u, v| {
                    let out = 1.0 - (2.0 * v - 1.0).abs();
                    if out < 0.03 {
                        2.0
                    } else if out < 0.14 && to_line(u * 6.0) < 0.14 {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: DARK,
                colors: &[[20.0, 22.0, 26.0], [70.0, 74.0, 80.0]],
                value: |u, v| 0.3 + 0.5 * noise(u, v, [20, 8], 7),
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
                    if v > 0.5 {
                        0.2
                    } else if to_line(u * 8.0) < 0.1 {
                        0.7
                    } else {
                        1.6
                    }
                },
            },
            Panel {
                rect: REAR,
                colors: &[[90.0, 8.0, 12.0], [226.0, 30.0, 24.0], [255.0, 150.0, 60.0]],
                value: |u, v| {
                    if v > 0.5 {
                        0.2
                    } else if u > 0.5 {
                        2.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: PLATE,
                colors: &[[20.0, 24.0, 60.0], [250.0, 246.0, 226.0]],
                value: |u, v| {
                    if is_ink("TR 71", (u - 0.1) / 0.8, (v - 0.22) / 0.56) || v.min(1.0 - v) < 0.06
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
