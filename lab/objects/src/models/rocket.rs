//! A toy rocket on four fins: cream body with an orange nose and a chequered belt, two round
//! windows, a steel nozzle.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, block, curve, hoop, lathe, noise, to_disc, to_line,
};

const BODY: Rect = [0.0, 0.0, 0.7, 1.0];
const FIN: Rect = [0.7, 0.0, 0.3, 0.4];
const GLASS: Rect = [0.7, 0.4, 0.3, 0.2];
const RIM: Rect = [0.7, 0.6, 0.3, 0.15];

/// (radius, height).
const HULL: [(f32, f32); 10] = [
    (0.100, 0.20),
    (0.165, 0.30),
    (0.212, 0.44),
    (0.236, 0.60),
    (0.238, 0.76),
    (0.218, 0.94),
    (0.176, 1.12),
    (0.118, 1.28),
    (0.055, 1.41),
    (0.014, 1.475),
];
const LOW: f32 = 0.20;
const HIGH: f32 = 1.475;

/// Heights of the belt's and the nose's edges; both stand out a little.
const BELT: (f32, f32) = (0.44, 0.56);
const NOSE: f32 = 1.10;

/// The clean rocket.
pub(super) fn rocket() -> Vec<Surface> {
    let mut shape = hull();
    for i in 0..4 {
        shape.add(fin().turned(0.125 + 0.25 * i as f32));
    }
    for turn in [0.0, 0.5] {
        let upright = |part: Shape| part.tipped(0.25 - 0.012).at(0.0, 0.83, 0.218).turned(turn);
        let rim = [(0.096, -0.05), (0.096, 0.016), (0.074, 0.026), (0.068, 0.004)];
        shape.add(upright(lathe(&rim, 0.004, 0.05, 28)).on(RIM));
        let glass = [(0.074, -0.04), (0.074, 0.004), (0.052, 0.014), (0.024, 0.019)];
        shape.add(upright(lathe(&glass, 0.002, 0.05, 20)).on(GLASS));
    }
    shape.add(hoop(0.016, 0.010, 14, 8).at(0.0, 1.478, 0.0).on(RIM));
    let nozzle = [(0.03, 0.17), (0.118, 0.085), (0.136, 0.085), (0.098, 0.17), (0.085, 0.23)];
    let mut steel = lathe(&nozzle, 0.003, 0.04, 24);
    for y in [0.105, 0.135] {
        steel.add(hoop(0.145 - 0.45 * (y - 0.085), 0.007, 24, 6).at(0.0, y, 0.0));
    }
    vec![
        Surface {
            shape,
            material: "painted tin",
            color: [1.0; 3],
            metallic: 0.0,
            roughness: 0.35,
            texture: Some(texture()),
        },
        Surface {
            shape: steel,
            material: "steel",
            color: [0.34, 0.35, 0.37],
            metallic: 0.9,
            roughness: 0.35,
            texture: None,
        },
    ]
}

/// The curve with two steps where the belt and the nose are.
fn hull() -> Shape {
    let raised = |y: f32| {
        if (BELT.0..BELT.1).contains(&y) || y > NOSE { 0.007 } else { 0.0 }
    };
    let mut profile: Vec<(f32, f32)> = Vec::new();
    let count = 30;
    for i in 0..count {
        let p = curve(&HULL, i as f32 / (count - 1) as f32);
        if let Some(&(_, below)) = profile.last() {
            for edge in [BELT.0, BELT.1, NOSE] {
                if below < edge && edge <= p.y {
                    let radius = radius_at(edge);
                    profile.push((radius + raised(edge - 1e-3), edge));
                    profile.push((radius + raised(edge + 1e-3), edge));
                }
            }
        }
        profile.push((p.x + raised(p.y), p.y));
    }
    lathe(&profile, 0.002, 0.2, 36).on(BODY)
}

/// Radius of the curve at a height, by halving.
fn radius_at(y: f32) -> f32 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if curve(&HULL, middle).y < y { low = middle } else { high = middle }
    }
    curve(&HULL, low).x
}

/// Swept down and out, towards +z.
fn fin() -> Shape {
    let half = Vec3::new(0.022, 0.5, 0.5);
    block(half, 0.014, [2, 8, 8], |axis, _| if axis == 0 { FIN } else { [0.7, 0.0, 0.3, 0.06] })
        .moved(|p| {
            let (out, up) = (p.z + 0.5, p.y + 0.5);
            let top = 0.60 - 0.30 * out * out - 0.10 * out;
            let bottom = 0.27 - 0.10 * out - 0.17 * out * out;
            let thin = 1.0 - 0.45 * out;
            Vec3::new(p.x * thin, bottom + (top - bottom) * up, 0.10 + 0.31 * out)
        })
}

fn texture() -> Picture {
    const ORANGES: &[[f32; 3]] = &[[120.0, 40.0, 14.0], [226.0, 92.0, 30.0], [248.0, 134.0, 56.0]];
    atlas(
        256,
        &[
            Panel {
                rect: BODY,
                colors: &[
                    [176.0, 66.0, 20.0],
                    [232.0, 98.0, 32.0],
                    [150.0, 140.0, 122.0],
                    [244.0, 234.0, 208.0],
                    [34.0, 62.0, 96.0],
                ],
                value: |u, v| {
                    let y = HIGH - v * (HIGH - LOW);
                    let wear = 0.35 * (noise(u, v, [14, 12], 1) - 0.5)
                        + 0.2 * (noise(u, v, [60, 50], 2) - 0.5);
                    let rivet = |line: f32, count: f32| {
                        to_disc(to_line(u * count + 0.5) / count * 1.45, y - line, 0.008) < 0.0
                    };
                    if y > NOSE {
                        return if rivet(NOSE + 0.035, 24.0) {
                            0.0
                        } else {
                            (0.9 + wear).clamp(0.0, 1.0)
                        };
                    }
                    if (BELT.0..BELT.1).contains(&y) {
                        let square =
                            (u * 20.0).floor() + ((y - BELT.0) / (BELT.1 - BELT.0) * 2.0).floor();
                        return if square.rem_euclid(2.0) < 0.5 { 4.0 } else { 3.0 };
                    }
                    let seam = (to_line(u * 4.0 + 0.5) / 4.0 * 1.45)
                        .min((y - 0.99).abs())
                        .min((y - 0.34).abs());
                    if seam < 0.005 || rivet(0.965, 24.0) || rivet(0.61, 24.0) || rivet(0.315, 16.0)
                    {
                        2.0
                    } else {
                        (2.9 + wear).clamp(2.0, 3.0)
                    }
                },
            },
            Panel {
                rect: FIN,
                colors: ORANGES,
                value: |u, v| {
                    let edge = u.min(1.0 - u).min(v).min(1.0 - v);
                    if edge > 0.09 && edge < 0.13 {
                        0.0
                    } else {
                        1.2 + 0.6 * noise(u, v, [9, 9], 3)
                    }
                },
            },
            Panel {
                rect: GLASS,
                colors: &[[24.0, 60.0, 110.0], [70.0, 140.0, 200.0], [200.0, 234.0, 250.0]],
                value: |u, v| 0.4 + 0.9 * v + if (0.55..0.66).contains(&u) { 0.9 } else { 0.0 },
            },
            Panel {
                rect: RIM,
                colors: &[[96.0, 80.0, 40.0], [232.0, 196.0, 104.0], [250.0, 226.0, 150.0]],
                value: |u, v| {
                    if to_line(u * 8.0) < 0.10 && v < 0.4 {
                        0.0
                    } else {
                        1.0 + 0.8 * noise(u, v, [12, 4], 6)
                    }
                },
            },
        ],
    )
}
