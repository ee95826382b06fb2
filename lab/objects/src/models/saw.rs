//! A hand saw that hangs upright with its handle below: steel blade with teeth to +x, a beech
//! handle with a hole and brass screws.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, ball, block, closed_curve, cos_turn, is_ink,
    lathe, noise, sin_turn, to_disc, to_line, tube, wood_value,
};

const FRONT: Rect = [0.0, 0.0, 0.35, 0.8];
const BACK: Rect = [0.35, 0.0, 0.35, 0.8];
const RIM: Rect = [0.0, 0.8, 0.7, 0.2];
const BEECH: Rect = [0.7, 0.0, 0.3, 0.6];
const BRASS: Rect = [0.7, 0.6, 0.3, 0.2];

const LONG: f32 = 0.46;
const TEETH: f32 = 34.0;

/// The clean saw.
pub(super) fn saw() -> Vec<Surface> {
    let mut shape = blade();
    // A closed loop with a horn above and a foot below; thick across.
    let grip = [
        (-0.050, 0.005),
        (-0.062, -0.045),
        (-0.050, -0.100),
        (-0.010, -0.118),
        (0.030, -0.105),
        (0.046, -0.055),
        (0.040, -0.010),
        (0.000, 0.010),
    ];
    let corners = closed_curve(&grip, 48);
    let path: Vec<Vec3> =
        (0..=48).map(|i| Vec3::new(corners[i % 48].0, corners[i % 48].1, 0.0)).collect();
    // The ends of the loop overlap inside the cheek of the handle.
    shape.add(tube(&path, 14, |_, turn| 0.0155 + 0.002 * cos_turn(2.0 * turn)).on(BEECH));
    shape.add(
        block(Vec3::new(0.064, 0.045, 0.0125), 0.006, [8, 6, 3], |_, _| BEECH)
            .moved(|p| Vec3::new(p.x + 0.10 * p.y, p.y + 0.025 - 0.12 * p.x, p.z)),
    );
    shape.add(
        ball(Vec3::new(0.020, 0.030, 0.013), 10, 16).rolled(0.08).at(-0.066, 0.012, 0.0).on(BEECH),
    );
    shape.add(
        ball(Vec3::new(0.018, 0.026, 0.013), 10, 16).rolled(-0.06).at(0.044, -0.098, 0.0).on(BEECH),
    );
    for z in [-1.0, 1.0] {
        for (x, y) in [(-0.030, 0.045), (0.012, 0.042), (0.042, 0.020)] {
            shape.add(
                lathe(&[(0.0075, -0.004), (0.0075, 0.0014), (0.004, 0.0022)], 0.0006, 0.01, 16)
                    .tipped(0.25 * z)
                    .at(x, y, 0.0122 * z)
                    .on(BRASS),
            );
        }
    }
    vec![Surface::painted("hand saw", 0.35, shape, texture())]
}

/// Upwards from the handle, narrower above; every second column of the toothed edge stands out.
fn blade() -> Shape {
    let half = Vec3::new(0.5, 0.5, 0.0016);
    let rows = 2 * TEETH as usize;
    let cells = [8, rows, 2];
    block(half, 0.0008, cells, |axis, sign| match axis {
        2 if sign > 0.0 => FRONT,
        2 => BACK,
        _ => RIM,
    })
    .moved(|p| {
        let up = p.y + 0.5;
        let wide = 0.118 - 0.062 * up;
        let row = (0.5 * rows as f32 * (1.0 + spread(p.y)) + 0.5) as i32;
        let is_tip = row.rem_euclid(2) == 1;
        let tooth = if p.x > 0.45 && is_tip { 0.0062 } else { 0.0 };
        let belly = 0.004 * sin_turn(0.5 * up);
        Vec3::new(0.054 + wide * (p.x - 0.5) + tooth + belly, 0.035 + LONG * up, p.z)
    })
}

/// Undoes the crowding of a block's rows towards its ends: −1 to 1 evenly by row.
fn spread(y: f32) -> f32 {
    let t = (2.0 * y).abs().min(1.0);
    // t = 1 − (1 − s)(1 − 0.35 s), solved for s.
    let s = (1.35 - (1.35 * 1.35 - 1.4 * t).max(0.0).sqrt()) / 0.7;
    if y < 0.0 { -s } else { s }
}

fn texture() -> Picture {
    const STEEL: &[[f32; 3]] =
        &[[70.0, 74.0, 80.0], [150.0, 156.0, 162.0], [212.0, 216.0, 220.0], [40.0, 70.0, 130.0]];
    atlas(
        512,
        &[
            Panel {
                rect: FRONT,
                colors: STEEL,
                value: |u, v| {
                    // An etched mark, upright when the saw hangs.
                    let mark = to_disc(u - 0.46, (v - 0.60) * 2.6, 0.22);
                    match () {
                        () if is_ink("SAW", (u - 0.30) / 0.32, (v - 0.57) / 0.06) => 3.0,
                        () if mark.abs() < 0.025 => 3.0,
                        () if u > 0.93 => 2.0,
                        () => {
                            1.3 + 0.5 * noise(u, v, [6, 90], 1)
                                + 0.4 * (noise(u, v, [9, 12], 2) - 0.5)
                        }
                    }
                },
            },
            Panel {
                rect: BACK,
                colors: STEEL,
                value: |u, v| {
                    let rust = noise(u, v, [10, 22], 5) > 0.78;
                    if u < 0.07 {
                        2.0
                    } else if (v - 0.20).abs() < 0.008 || (v - 0.80).abs() < 0.008 {
                        3.0
                    } else if rust {
                        0.5
                    } else {
                        1.2 + 0.5 * noise(u, v, [6, 90], 3)
                    }
                },
            },
            Panel { rect: RIM, colors: STEEL, value: |u, v| 1.6 + 0.4 * noise(u, v, [40, 4], 4) },
            Panel {
                rect: BEECH,
                colors: &[[120.0, 62.0, 28.0], [196.0, 128.0, 70.0], [226.0, 170.0, 108.0]],
                value: |u, v| 0.2 + 1.7 * wood_value(u * 0.8, v * 0.8),
            },
            Panel {
                rect: BRASS,
                colors: &[[110.0, 76.0, 24.0], [236.0, 194.0, 90.0]],
                value: |u, v| {
                    if v < 0.25 && to_line(u * 2.0) < 0.12 { 0.0 } else { 0.9 }
                },
            },
        ],
    )
}
