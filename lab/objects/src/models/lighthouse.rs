//! A lighthouse on a rock: red bands that stand out a little from the white wall, gallery with a
//! railing, lantern, dome.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, bar, block, cos_turn, curved, hoop, inside, lathe,
    noise, sin_turn, stone, to_box, to_disc, to_joint, to_line,
};

const TOWER: Rect = [0.0, 0.0, 0.6, 0.6];
const ROCK: Rect = [0.0, 0.6, 1.0, 0.25];
const IRON: Rect = [0.6, 0.0, 0.4, 0.12];
const LANTERN: Rect = [0.6, 0.12, 0.4, 0.2];
const ROOF: Rect = [0.6, 0.32, 0.4, 0.28];
const DOOR: Rect = [0.0, 0.85, 0.2, 0.15];
const WINDOW: Rect = [0.2, 0.85, 0.15, 0.15];
const STEP: Rect = [0.35, 0.85, 0.2, 0.15];

const FOOT: f32 = 0.18;
const TOP: f32 = 1.08;
const BANDS: usize = 5;

/// The clean lighthouse.
pub(super) fn lighthouse() -> Vec<Surface> {
    let mut shape = rock();
    shape.add(tower());
    let radius = |y: f32| 0.235 - 0.095 * (y - FOOT) / (TOP - FOOT);
    shape.add(block(Vec3::new(0.058, 0.095, 0.03), 0.008, [3, 3, 2], |_, _| DOOR).at(
        0.0,
        0.325,
        radius(0.32) - 0.003,
    ));
    shape.add(block(Vec3::new(0.085, 0.022, 0.05), 0.006, [3, 2, 2], |_, _| STEP).at(
        0.0,
        0.212,
        radius(0.22) + 0.01,
    ));
    for (turn, y) in [
        (0.0, 0.63),
        (0.25, 0.45),
        (0.5, 0.63),
        (0.75, 0.81),
        (0.0, 0.95),
        (0.5, 0.95),
        (0.25, 0.81),
        (0.75, 0.45),
    ] {
        let window = block(Vec3::new(0.030, 0.046, 0.025), 0.006, [2, 3, 2], |_, _| WINDOW);
        shape.add(window.at(0.0, y, radius(y) - 0.006).turned(turn));
    }
    let gallery = [
        (0.13, 1.045),
        (0.165, 1.05),
        (0.225, 1.082),
        (0.232, 1.085),
        (0.232, 1.108),
        (0.11, 1.112),
    ];
    shape.add(lathe(&gallery, 0.004, 0.06, 32).on(IRON));
    for y in [1.15, 1.19] {
        shape.add(hoop(0.222, 0.0065, 30, 5).at(0.0, y, 0.0).on(IRON));
    }
    for i in 0..10 {
        let at = |y: f32| {
            Vec3::new(
                0.222 * sin_turn(0.1 * i as f32 + 0.05),
                y,
                0.222 * cos_turn(0.1 * i as f32 + 0.05),
            )
        };
        shape.add(bar(at(1.10), at(1.20), 0.0065, 2, 5).on(IRON));
    }
    shape.add(lathe(&[(0.108, 1.10), (0.108, 1.275)], 0.004, 0.045, 24).on(LANTERN));
    let dome = [
        (0.135, 1.262),
        (0.145, 1.27),
        (0.143, 1.284),
        (0.128, 1.325),
        (0.095, 1.368),
        (0.05, 1.396),
        (0.022, 1.405),
    ];
    shape.add(lathe(&dome, 0.003, 0.05, 24).on(ROOF));
    let knob = curved(
        &[
            (0.012, 1.39),
            (0.016, 1.405),
            (0.030, 1.43),
            (0.016, 1.455),
            (0.007, 1.47),
            (0.005, 1.53),
        ],
        12,
    );
    shape.add(lathe(&knob, 0.002, 0.1, 10).on(IRON));
    vec![Surface {
        shape,
        material: "lighthouse",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.55,
        texture: Some(texture()),
    }]
}

/// Red bands are 16 mm thicker than white ones.
fn tower() -> Shape {
    let mut profile = Vec::new();
    for band in 0..BANDS {
        let thick = if band % 2 == 0 { 0.016 } else { 0.0 };
        for end in [band, band + 1] {
            let t = end as f32 / BANDS as f32;
            profile.push((0.235 - 0.095 * t + thick, FOOT + (TOP - FOOT) * t));
        }
    }
    lathe(&profile, 0.003, 0.07, 32).on(TOWER)
}

/// A rock with ledges, lumpy but smooth.
fn rock() -> Shape {
    let profile = [
        (0.44, 0.0),
        (0.465, 0.05),
        (0.43, 0.09),
        (0.40, 0.115),
        (0.36, 0.18),
        (0.31, 0.205),
        (0.22, 0.215),
    ];
    lathe(&profile, 0.004, 0.055, 34)
        .moved(|p| {
            let at = |c: f32| 0.5 * (c + 1.0);
            let lump = noise(at(p.x + 0.7 * p.y), at(p.z - 1.1 * p.y), [11, 11], 4) - 0.5;
            let across = Vec3::new(p.x, 0.0, p.z);
            if across.length() < 0.25 { p } else { p + across.normalize() * (0.11 * lump) }
        })
        .on(ROCK)
}

fn texture() -> Picture {
    const IRONS: &[[f32; 3]] = &[[30.0, 36.0, 44.0], [84.0, 94.0, 104.0]];
    atlas(
        256,
        &[
            Panel {
                rect: TOWER,
                colors: &[
                    [150.0, 22.0, 24.0],
                    [206.0, 44.0, 38.0],
                    [170.0, 166.0, 158.0],
                    [248.0, 246.0, 240.0],
                ],
                value: |u, v| {
                    let joint = if to_joint(u, v, 22.0, 30.0) < 0.09 { 0.22 } else { 0.0 };
                    let tone = 0.80
                        + 0.2 * (stone(u, v, 22.0, 30.0, 3) - 0.5)
                        + 0.3 * (noise(u, v, [16, 5], 1) - 0.5);
                    let is_red = (((1.0 - v) * BANDS as f32) as usize).is_multiple_of(2);
                    if is_red {
                        (tone - joint).clamp(0.0, 1.0)
                    } else {
                        (2.1 + tone - joint).clamp(2.0, 3.0)
                    }
                },
            },
            Panel {
                rect: ROCK,
                colors: &[
                    [52.0, 52.0, 50.0],
                    [124.0, 120.0, 112.0],
                    [180.0, 174.0, 160.0],
                    [84.0, 112.0, 62.0],
                ],
                value: |u, v| {
                    let grey = 0.4
                        + 1.1 * noise(u, v, [26, 7], 1)
                        + 0.4 * (noise(u, v, [70, 20], 2) - 0.5);
                    let moss = noise(u, v, [14, 5], 3) - 0.35 * v;
                    if moss > 0.55 { 3.0 } else { grey.clamp(0.0, 2.0) }
                },
            },
            Panel { rect: IRON, colors: IRONS, value: |u, v| noise(u, v, [30, 6], 5) },
            Panel {
                rect: LANTERN,
                colors: &[[34.0, 40.0, 48.0], [255.0, 206.0, 84.0], [255.0, 246.0, 190.0]],
                value: |u, v| {
                    let bar =
                        to_line(u * 8.0).min((v - 0.5).abs() * 1.4).min(v + 0.04).min(1.04 - v);
                    if bar < 0.08 {
                        0.0
                    } else {
                        1.0 + inside(to_disc(to_line(u * 8.0 + 0.5), v - 0.5, 0.1), 0.5)
                    }
                },
            },
            Panel {
                rect: ROOF,
                colors: &[[120.0, 16.0, 22.0], [208.0, 50.0, 42.0], [232.0, 96.0, 76.0]],
                value: |u, v| {
                    if to_line(u * 12.0) < 0.06 || (v - 0.88).abs() < 0.03 {
                        0.0
                    } else {
                        1.0 + 0.5 * noise(u, v, [24, 8], 8) - 0.3 * v
                    }
                },
            },
            Panel {
                rect: DOOR,
                colors: &[
                    [22.0, 42.0, 60.0],
                    [40.0, 92.0, 124.0],
                    [238.0, 232.0, 214.0],
                    [240.0, 190.0, 60.0],
                ],
                value: |u, v| {
                    let frame = to_box(u - 0.5, v - 0.54, 0.36, 0.40);
                    let knob = to_disc(u - 0.74, v - 0.56, 0.06);
                    if frame > 0.0 {
                        2.0
                    } else if knob < 0.0 {
                        3.0
                    } else if to_line(u * 5.0) < 0.10 || to_line(v * 2.0 + 0.1) < 0.04 {
                        0.0
                    } else {
                        1.0
                    }
                },
            },
            Panel {
                rect: WINDOW,
                colors: &[[24.0, 40.0, 58.0], [96.0, 140.0, 168.0], [240.0, 236.0, 222.0]],
                value: |u, v| {
                    let pane = to_box(u - 0.5, v - 0.5, 0.32, 0.36);
                    if pane > 0.0 || (u - 0.5).abs() < 0.06 || (v - 0.5).abs() < 0.05 {
                        2.0
                    } else {
                        0.8 * (1.0 - v)
                    }
                },
            },
            Panel {
                rect: STEP,
                colors: &[[110.0, 106.0, 98.0], [190.0, 184.0, 170.0]],
                value: |u, v| noise(u, v, [12, 12], 4),
            },
        ],
    )
}
