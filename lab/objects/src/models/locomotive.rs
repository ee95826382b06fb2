//! A toy steam engine that drives to +z: green boiler with brass bands, red wheels and rods, cab
//! with windows, number 27 on its door.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, bar, block, cos_turn, curved, inside, is_ink, lathe,
    noise, plate, sin_turn, to_box, to_disc, to_line, wave, wheel,
};

const BOILER: Rect = [0.0, 0.0, 0.6, 0.4];
const CAB: Rect = [0.6, 0.0, 0.4, 0.4];
const DOOR: Rect = [0.0, 0.4, 0.3, 0.3];
const WHEEL: Rect = [0.3, 0.4, 0.4, 0.15];
const RED: Rect = [0.7, 0.4, 0.3, 0.3];
const IRON: Rect = [0.3, 0.55, 0.4, 0.15];
const BRASS: Rect = [0.0, 0.7, 0.4, 0.3];
const ROOF: Rect = [0.4, 0.7, 0.3, 0.3];
const REAR: Rect = [0.7, 0.7, 0.3, 0.3];

/// Height of the boiler's middle.
const MIDDLE: f32 = 0.50;

/// The clean engine.
pub(super) fn locomotive() -> Vec<Surface> {
    let along = |profile: &[(f32, f32)], sides: usize| {
        lathe(profile, 0.006, 0.15, sides).tipped(0.25).at(0.0, MIDDLE, 0.0)
    };
    let mut shape = along(&[(0.185, -0.35), (0.185, 0.52)], 30).on(BOILER);
    shape.add(along(&[(0.20, 0.50), (0.20, 0.72), (0.185, 0.735)], 28).on(IRON));
    for z in [-0.12, 0.12, 0.36] {
        shape.add(along(&[(0.190, z - 0.012), (0.190, z + 0.012)], 26).on(BRASS));
    }
    shape.add(plate(&ring(0.150), 0.014, 0.005, [DOOR, IRON, IRON]).at(0.0, MIDDLE, 0.74));
    let chimney = [
        (0.060, 0.66),
        (0.050, 0.72),
        (0.048, 0.86),
        (0.075, 0.93),
        (0.082, 0.965),
        (0.064, 0.968),
        (0.040, 0.90),
    ];
    shape.add(lathe(&chimney, 0.004, 0.15, 20).at(0.0, 0.0, 0.60).on(IRON));
    let dome = [(0.085, 0.64), (0.080, 0.74), (0.066, 0.79), (0.030, 0.815)];
    shape.add(lathe(&curved(&dome, 10), 0.003, 0.1, 24).at(0.0, 0.0, 0.24).on(BRASS));
    let whistle = [(0.022, 0.66), (0.018, 0.73), (0.026, 0.735), (0.020, 0.80)];
    shape.add(lathe(&whistle, 0.003, 0.1, 14).at(0.0, 0.0, -0.02).on(BRASS));
    shape.add(
        block(Vec3::new(0.25, 0.255, 0.20), 0.014, [6, 6, 6], |axis, sign| {
            match (axis, sign > 0.0) {
                (0, _) => CAB,
                (2, false) => REAR,
                _ => RED,
            }
        })
        .at(0.0, 0.545, -0.50),
    );
    shape.add(
        block(Vec3::new(0.30, 0.018, 0.27), 0.014, [10, 2, 6], |_, _| ROOF)
            .moved(|p| Vec3::new(p.x, p.y + 0.835 - 0.5 * p.x * p.x, p.z - 0.50)),
    );
    shape
        .add(block(Vec3::new(0.19, 0.045, 0.72), 0.012, [4, 2, 14], |_, _| RED).at(0.0, 0.27, 0.0));
    for x in [-1.0, 1.0] {
        for z in [-0.46, -0.12, 0.22] {
            shape.add(wheel(0.165, 0.030, IRON, WHEEL).at(0.215 * x, 0.165, z));
        }
        shape.add(wheel(0.095, 0.026, IRON, WHEEL).at(0.205 * x, 0.095, 0.54));
        let rod = |from: f32, to: f32, y: f32, x_at: f32| {
            bar(Vec3::new(x_at * x, y, from), Vec3::new(x_at * x, y, to), 0.015, 4, 6)
        };
        shape.add(rod(-0.50, 0.26, 0.115, 0.262).on(BRASS));
        shape.add(block(Vec3::new(0.06, 0.065, 0.11), 0.012, [2, 3, 4], |_, _| RED).at(
            0.225 * x,
            0.235,
            0.54,
        ));
        shape.add(rod(0.20, 0.60, 0.155, 0.272).on(IRON));
        shape.add(block(Vec3::new(0.06, 0.010, 0.62), 0.006, [2, 2, 12], |_, _| IRON).at(
            0.215 * x,
            0.345,
            0.03,
        ));
        shape.add(
            along(&[(0.040, 0.74), (0.046, 0.80), (0.040, 0.815)], 16)
                .at(0.15 * x, -0.215, -0.02)
                .on(IRON),
        );
    }
    // A wedge of bars before the wheels.
    shape.add(block(Vec3::new(0.20, 0.10, 0.09), 0.010, [8, 4, 4], |_, _| RED).moved(|p| {
        let low = (0.1 - p.y) / 0.2;
        let ahead = (p.z + 0.09) / 0.18;
        Vec3::new(p.x * (1.0 - 0.75 * ahead * low), p.y + 0.135, 0.77 + p.z * (0.35 + 0.9 * low))
    }));
    shape.add(
        along(&[(0.030, 0.68), (0.045, 0.71), (0.045, 0.77), (0.036, 0.775)], 18)
            .at(0.0, 0.225, 0.0)
            .on(BRASS),
    );
    vec![Surface::painted("toy engine", 0.4, shape, texture())]
}

fn ring(radius: f32) -> Vec<(f32, f32)> {
    (0..32)
        .map(|i| (radius * cos_turn(i as f32 / 32.0), radius * sin_turn(i as f32 / 32.0)))
        .collect()
}

fn texture() -> Picture {
    const GREEN: &[[f32; 3]] =
        &[[226.0, 184.0, 84.0], [14.0, 60.0, 40.0], [30.0, 104.0, 66.0], [60.0, 136.0, 90.0]];
    const REDS: &[[f32; 3]] =
        &[[110.0, 16.0, 20.0], [204.0, 42.0, 40.0], [240.0, 214.0, 130.0], [26.0, 26.0, 30.0]];
    atlas(
        512,
        &[
            Panel {
                rect: BOILER,
                colors: GREEN,
                value: |u, v| {
                    let rivet = to_disc(
                        to_line(u * 20.0 + 0.5) / 20.0 * 1.3,
                        to_line(v * 4.0 + 0.3) / 4.0,
                        0.010,
                    ) < 0.0;
                    if rivet { 0.0 } else { 1.9 + 0.5 * (noise(u, v, [24, 16], 1) - 0.5) }
                },
            },
            Panel {
                rect: CAB,
                colors: GREEN,
                value: |u, v| {
                    let pane = to_box(u - 0.5, v - 0.30, 0.30, 0.16);
                    let line = to_box(u - 0.5, v - 0.74, 0.40, 0.18);
                    let number = is_ink("27", (u - 0.36) / 0.28, (v - 0.63) / 0.22);
                    match () {
                        () if pane < 0.0 => 1.0 - 0.25 * inside(v - 0.3, 0.3),
                        () if pane < 0.035 || number || line.abs() < 0.016 => 0.0,
                        () => 2.0 + 0.3 * noise(u, v, [12, 12], 2),
                    }
                },
            },
            Panel {
                rect: DOOR,
                colors: &[
                    [20.0, 22.0, 26.0],
                    [64.0, 68.0, 74.0],
                    [230.0, 190.0, 90.0],
                    [190.0, 36.0, 36.0],
                ],
                value: |u, v| {
                    let reach = to_disc(u - 0.5, v - 0.5, 0.0);
                    let number = is_ink("27", (u - 0.33) / 0.34, (v - 0.36) / 0.28);
                    match () {
                        () if number || (reach - 0.40).abs() < 0.025 => 2.0,
                        () if reach < 0.27 => 3.0,
                        () => 0.7,
                    }
                },
            },
            Panel {
                rect: WHEEL,
                colors: REDS,
                value: |u, v| {
                    let out = 1.0 - (2.0 * v - 1.0).abs();
                    if out < 0.03 {
                        2.0
                    } else if out < 0.14 && to_line(u * 9.0) > 0.22 {
                        3.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: RED,
                colors: REDS,
                value: |u, v| {
                    if v.min(1.0 - v).min(u).min(1.0 - u) < 0.05 {
                        2.0
                    } else {
                        0.9 + 0.2 * noise(u, v, [10, 10], 3)
                    }
                },
            },
            Panel {
                rect: IRON,
                colors: &[[16.0, 18.0, 22.0], [62.0, 66.0, 74.0]],
                value: |u, v| 0.4 + 0.5 * noise(u, v, [30, 10], 4),
            },
            Panel {
                rect: BRASS,
                colors: &[[150.0, 100.0, 30.0], [232.0, 188.0, 84.0], [255.0, 232.0, 160.0]],
                value: |u, v| 0.9 + 0.6 * wave(u * 3.0) + 0.3 * noise(u, v, [10, 6], 5),
            },
            Panel {
                rect: ROOF,
                colors: &[[30.0, 32.0, 38.0], [84.0, 88.0, 96.0]],
                value: |u, v| {
                    if to_line(u * 7.0) < 0.06 { 0.0 } else { 0.5 + 0.5 * noise(u, v, [14, 14], 6) }
                },
            },
            Panel {
                rect: REAR,
                colors: GREEN,
                value: |u, v| {
                    let panes = to_box((u - 0.5).abs() - 0.22, v - 0.28, 0.14, 0.15);
                    let door = to_box(u - 0.5, v - 0.74, 0.17, 0.22);
                    if panes < 0.0 {
                        1.0
                    } else if panes < 0.03 || door.abs() < 0.018 {
                        0.0
                    } else {
                        2.2
                    }
                },
            },
        ],
    )
}
