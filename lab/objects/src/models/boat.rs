//! A small sailing boat: planked hull, cabin, mast with two striped sails and a pennant.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, bar, block, cos_turn, inside, lathe, noise,
    on_panel, sin_turn, skin, to_box, to_disc, to_line, tube, wood_value,
};

const HULL: Rect = [0.0, 0.0, 1.0, 0.35];
const MAIN: Rect = [0.0, 0.35, 0.45, 0.45];
const JIB: Rect = [0.45, 0.35, 0.3, 0.45];
const WOOD: Rect = [0.75, 0.35, 0.25, 0.45];
const CABIN: Rect = [0.0, 0.8, 0.4, 0.2];
const RED: Rect = [0.4, 0.8, 0.2, 0.2];
const DECK: Rect = [0.6, 0.8, 0.4, 0.2];

const STATIONS: usize = 26;
const MAST_X: f32 = 0.10;

/// The clean boat; the bow points to +x.
pub(super) fn boat() -> Vec<Surface> {
    let mut shape = hull();
    for side in [-1.0, 1.0] {
        let rail: Vec<Vec3> = (1..STATIONS - 1)
            .map(|i| {
                let s = station(i);
                Vec3::new(along(s), sheer(s) + 0.004, side * beam(s) * 0.985)
            })
            .collect();
        shape.add(tube(&rail, 6, |_, _| 0.014).on(WOOD));
    }
    shape.add(
        block(Vec3::new(0.20, 0.055, 0.014), 0.008, [6, 3, 2], |_, _| RED)
            .moved(|p| Vec3::new(p.x - 0.02 - 0.4 * (p.y - 0.05), p.y + 0.055, p.z)),
    );
    shape.add(
        block(Vec3::new(0.035, 0.12, 0.012), 0.008, [2, 4, 2], |_, _| WOOD).at(-0.575, 0.17, 0.0),
    );
    let cabin = Vec3::new(0.125, 0.062, 0.088);
    shape.add(
        block(cabin, 0.016, [6, 4, 5], |axis, _| if axis == 1 { DECK } else { CABIN })
            .at(-0.115, 0.295, 0.0),
    );
    shape.add(
        block(Vec3::new(0.14, 0.010, 0.10), 0.008, [6, 2, 5], |_, _| DECK).at(-0.115, 0.362, 0.0),
    );
    let at = |x: f32, y: f32| Vec3::new(x, y, 0.0);
    shape.add(
        tube(&line(at(MAST_X, 0.20), at(MAST_X, 1.36), 14), 10, |t, _| 0.017 - 0.006 * t).on(WOOD),
    );
    shape.add(bar(at(MAST_X, 0.435), at(-0.50, 0.455), 0.012, 8, 8).on(WOOD));
    shape.add(bar(at(0.52, 0.285), at(0.70, 0.345), 0.012, 4, 8).on(WOOD));
    let knob = [(0.012, 1.35), (0.022, 1.365), (0.022, 1.378), (0.010, 1.39)];
    shape.add(lathe(&knob, 0.004, 0.1, 10).at(MAST_X, 0.0, 0.0).on(RED));
    shape.add(main_sail());
    shape.add(jib());
    shape.add(pennant());
    vec![Surface {
        shape,
        material: "sailing boat",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.55,
        texture: Some(texture()),
    }]
}

fn line(from: Vec3, to: Vec3, cells: usize) -> Vec<Vec3> {
    (0..=cells).map(|i| from.lerp(to, i as f32 / cells as f32)).collect()
}

/// 0 at the stern, 1 at the bow; the first and the last two stations close the ends.
fn station(i: usize) -> f32 {
    i.saturating_sub(1).min(STATIONS - 3) as f32 / (STATIONS - 3) as f32
}

fn along(s: f32) -> f32 {
    -0.56 + 1.16 * s
}

/// Half the width.
fn beam(s: f32) -> f32 {
    if s < 0.45 {
        let t = (0.45 - s) / 0.45;
        0.19 * (1.0 - 0.32 * t * t)
    } else {
        let t = (s - 0.45) / 0.55;
        0.19 * (1.0 - t * t).max(0.0012)
    }
}

/// Height of the deck's edge.
fn sheer(s: f32) -> f32 {
    0.235 + 0.22 * (s - 0.38) * (s - 0.38)
}

fn depth(s: f32) -> f32 {
    let t = (s - 0.5) / 0.5;
    0.165 * (1.0 - 0.45 * t * t) + 0.05 * (s - 0.5).max(0.0)
}

/// From one edge of the deck under the keel to the other, then back over the deck.
fn hull() -> Shape {
    const SIDES: usize = 32;
    const DECK_FROM: f32 = 24.0 / 32.0;
    skin(
        STATIONS,
        SIDES,
        |i, turn| {
            let s = station(i);
            let (x, y, w) = (along(s), sheer(s), beam(s));
            if i == 0 || i == STATIONS - 1 {
                return Vec3::new(x, y - 0.4 * depth(s), 0.0);
            }
            if turn <= DECK_FROM {
                let phi = 0.5 * turn / DECK_FROM;
                let (c, d) = (cos_turn(phi), sin_turn(phi));
                // A stem that rakes forward: lower points are further back at the bow.
                let rake = 0.16 * s * s * s * d;
                let full = 0.35 + 0.65 * c.abs().sqrt();
                Vec3::new(x - rake, y - depth(s) * d * (0.55 + 0.45 * d), w * c * full.max(c.abs()))
            } else {
                let t = (turn - DECK_FROM) / (1.0 - DECK_FROM);
                let camber = 0.018 * (1.0 - (2.0 * t - 1.0) * (2.0 * t - 1.0));
                Vec3::new(x, y - 0.006 + camber, w * (2.0 * t - 1.0))
            }
        },
        |i, turn| on_panel(HULL, Vec2::new(station(i), turn)),
    )
}

/// Between mast and boom, bellied to +z.
fn main_sail() -> Shape {
    sail([16, 16, 1], MAIN, |a, b| {
        let width = 0.56 * (1.0 - b) + 0.03 + 0.10 * b * (1.0 - b);
        let belly = 0.085 * sin_turn(0.5 * a) * (1.0 - 0.8 * b);
        Vec3::new(MAST_X - 0.02 - width * (1.0 - a), 0.475 + 0.015 * (1.0 - a) + 0.82 * b, belly)
    })
}

/// From the bowsprit to the mast's head.
fn jib() -> Shape {
    sail([10, 14, 1], JIB, |a, b| {
        let front = Vec3::new(0.67 - 0.535 * b, 0.365 + 0.83 * b, 0.0);
        let back = Vec3::new(0.17 - 0.045 * b, 0.43 + 0.76 * b, 0.0);
        let belly = 0.07 * sin_turn(0.5 * a) * (1.0 - 0.7 * b);
        back.lerp(front, a) + Vec3::Z * belly
    })
}

/// A sheet of real thickness: `place(a, b)` from 0 to 1 aft to fore and foot to head.
fn sail(cells: [usize; 3], panel: Rect, place: impl Fn(f32, f32) -> Vec3) -> Shape {
    let half = Vec3::new(0.5, 0.5, 0.007);
    block(half, 0.006, cells, |_, _| panel)
        .faced(cells, |_, _, p| on_panel(panel, Vec2::new(0.5 + p.x, 0.5 - p.y)))
        .moved(|p| place(p.x + 0.5, p.y + 0.5) + Vec3::Z * p.z)
}

fn pennant() -> Shape {
    block(Vec3::new(0.085, 0.5, 0.006), 0.005, [8, 2, 1], |_, _| RED).moved(|p| {
        let a = 0.5 - p.x / 0.17;
        Vec3::new(
            MAST_X - 0.005 - 0.17 * a,
            1.335 + p.y * 0.075 * (1.0 - 0.85 * a),
            p.z + 0.018 * sin_turn(1.2 * a),
        )
    })
}

fn stripes(v: f32, count: f32) -> bool {
    (v * count).floor().rem_euclid(2.0) < 0.5
}

fn texture() -> Picture {
    const CLOTH: &[[f32; 3]] =
        &[[120.0, 24.0, 26.0], [204.0, 52.0, 44.0], [184.0, 172.0, 146.0], [250.0, 244.0, 226.0]];
    const OAK: &[[f32; 3]] = &[[92.0, 54.0, 26.0], [168.0, 110.0, 60.0], [222.0, 172.0, 112.0]];
    atlas(
        256,
        &[
            Panel {
                rect: HULL,
                colors: &[
                    [20.0, 44.0, 84.0],
                    [38.0, 92.0, 150.0],
                    [250.0, 246.0, 232.0],
                    [92.0, 54.0, 26.0],
                    [214.0, 164.0, 104.0],
                    [150.0, 40.0, 34.0],
                    [110.0, 24.0, 24.0],
                ],
                value: |u, v| {
                    let wear = 0.4 * (noise(u, v, [30, 16], 1) - 0.5);
                    if v > 0.75 {
                        let plank = to_line((v - 0.75) * 36.0);
                        return if plank < 0.12 {
                            3.0
                        } else {
                            3.3 + 0.7 * wood_value(v * 2.0, u * 0.7)
                        };
                    }
                    // 0 at the deck's edges, 1 at the keel.
                    let down = 1.0 - (v - 0.375).abs() / 0.375;
                    match down {
                        d if d < 0.07 => 2.0,
                        d if d < 0.30 => {
                            if to_line(d * 14.0) < 0.10 {
                                0.0
                            } else {
                                (0.75 + wear).clamp(0.0, 1.0)
                            }
                        }
                        d if d < 0.37 => 2.0,
                        _ => 5.2 + wear,
                    }
                },
            },
            Panel {
                rect: MAIN,
                colors: CLOTH,
                value: |u, v| {
                    let seam = to_line(v * 14.0) < 0.09;
                    let cloth = 0.8 + 0.4 * (noise(u, v, [24, 24], 2) - 0.5)
                        - if seam { 0.35 } else { 0.0 };
                    // Round on the sail, which is half as wide there as it is high.
                    let sun = to_disc(u - 0.60, (v - 0.62) * 1.9, 0.19);
                    let is_red = sun < 0.0 || (sun > 0.07 && stripes(v + 0.02, 9.0));
                    if is_red { cloth.clamp(0.0, 1.0) } else { (2.0 + cloth).clamp(2.0, 3.0) }
                },
            },
            Panel {
                rect: JIB,
                colors: CLOTH,
                value: |u, v| {
                    let seam = to_line(v * 12.0) < 0.09;
                    let cloth = 0.8 + 0.4 * (noise(u, v, [18, 24], 3) - 0.5)
                        - if seam { 0.35 } else { 0.0 };
                    if (0.55..0.78).contains(&v) || !(0.08..=0.92).contains(&u) {
                        cloth.clamp(0.0, 1.0)
                    } else {
                        (2.0 + cloth).clamp(2.0, 3.0)
                    }
                },
            },
            Panel { rect: WOOD, colors: OAK, value: |u, v| 2.0 * wood_value(u, v * 0.5) },
            Panel {
                rect: CABIN,
                colors: &[
                    [28.0, 52.0, 78.0],
                    [120.0, 172.0, 200.0],
                    [150.0, 96.0, 50.0],
                    [250.0, 246.0, 234.0],
                ],
                value: |u, v| {
                    let pane = [0.22, 0.5, 0.78]
                        .into_iter()
                        .fold(f32::MAX, |d: f32, x| d.min(to_box(u - x, v - 0.42, 0.085, 0.22)));
                    match pane {
                        d if d < 0.0 => 0.9 * inside(v - 0.35, 0.3),
                        d if d < 0.045 => 2.0,
                        _ => {
                            if v > 0.88 {
                                2.0
                            } else {
                                3.0
                            }
                        }
                    }
                },
            },
            Panel {
                rect: RED,
                colors: &[[130.0, 22.0, 26.0], [216.0, 56.0, 46.0]],
                value: |u, v| 0.5 + 0.6 * (noise(u, v, [8, 8], 5) - 0.2),
            },
            Panel {
                rect: DECK,
                colors: OAK,
                value: |u, v| {
                    if to_line(v * 8.0) < 0.12 {
                        0.0
                    } else {
                        0.6 + 1.4 * wood_value(v * 2.0, u * 0.6)
                    }
                },
            },
        ],
    )
}
