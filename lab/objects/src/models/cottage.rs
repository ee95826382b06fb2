//! A cottage: plastered walls on a stone foot, timbered gables, a tiled roof in steps, chimney,
//! door, windows, two bushes.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, bar, block, curved, hash, lathe, noise, on_panel,
    rounded_box, stone, to_box, to_disc, to_joint, to_line, wood_value,
};

const WALL: Rect = [0.0, 0.0, 0.5, 0.3];
const GABLE: Rect = [0.0, 0.3, 0.4, 0.4];
const ROOF: Rect = [0.5, 0.0, 0.5, 0.5];
const BRICK: Rect = [0.4, 0.5, 0.3, 0.25];
const LEAF: Rect = [0.7, 0.5, 0.3, 0.25];
const WINDOW: Rect = [0.0, 0.7, 0.25, 0.3];
const DOOR: Rect = [0.25, 0.75, 0.2, 0.25];
const WOOD: Rect = [0.45, 0.75, 0.25, 0.25];
const STEP: Rect = [0.7, 0.75, 0.3, 0.25];

const HALF: Vec3 = Vec3::new(0.38, 0.21, 0.28);
const RIDGE: f32 = 0.74;
const EAVES: f32 = 2.0 * HALF.y;
const TILE_ROWS: f32 = 7.0;

/// The clean cottage; the door faces +z, the ridge runs along x.
pub(super) fn cottage() -> Vec<Surface> {
    let mut shape = walls();
    for side in [1.0, -1.0] {
        shape.add(slope(side));
    }
    shape.add(
        bar(
            Vec3::new(-0.455, RIDGE + 0.032, 0.0),
            Vec3::new(0.455, RIDGE + 0.032, 0.0),
            0.026,
            12,
            8,
        )
        .on([0.5, 0.0, 0.5, 0.07]),
    );
    shape.add(
        block(Vec3::new(0.055, 0.19, 0.055), 0.006, [3, 7, 3], |_, _| BRICK).at(0.20, 0.72, -0.11),
    );
    shape.add(
        block(Vec3::new(0.07, 0.018, 0.07), 0.006, [3, 2, 3], |_, _| STEP).at(0.20, 0.915, -0.11),
    );
    shape.add(
        lathe(&[(0.032, 0.92), (0.026, 0.98), (0.018, 0.98), (0.016, 0.95)], 0.003, 0.05, 12)
            .at(0.20, 0.0, -0.11)
            .on(BRICK),
    );
    shape.add(
        block(Vec3::new(0.075, 0.14, 0.025), 0.008, [4, 6, 2], |_, _| DOOR).at(0.0, 0.165, HALF.z),
    );
    shape.add(block(Vec3::new(0.105, 0.016, 0.07), 0.008, [4, 2, 3], |_, _| STEP).at(
        0.0,
        0.016,
        HALF.z + 0.04,
    ));
    for (x, y, turn) in
        [(-0.225, 0.235, 0.0), (0.225, 0.235, 0.0), (-0.2, 0.235, 0.5), (0.2, 0.235, 0.5)]
    {
        shape.add(window().at(x, y, HALF.z).turned(turn));
    }
    for turn in [0.25, 0.75] {
        for (z, y) in [(-0.12, 0.22), (0.12, 0.22), (0.0, 0.50)] {
            shape.add(window().at(z, y, HALF.x).turned(turn));
        }
    }
    for (x, z, size, seed) in [(-0.225, 0.345, 0.085, 1), (0.235, 0.34, 0.072, 2)] {
        shape.add(bush(size, seed).at(x, 0.0, z));
    }
    vec![Surface {
        shape,
        material: "cottage",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.7,
        texture: Some(texture()),
    }]
}

/// A box whose top is raised to the ridge.
fn walls() -> Shape {
    const CELLS: [usize; 3] = [10, 6, 8];
    rounded_box(HALF, 0.008, CELLS, 1.0)
        .moved(|p| {
            let up = (p.y / HALF.y + 1.0) / 2.0;
            let raised = if up > 0.5 {
                (up - 0.5) / 0.5 * (RIDGE - EAVES) * (1.0 - p.z.abs() / HALF.z)
            } else {
                0.0
            };
            Vec3::new(p.x, p.y + HALF.y + raised, p.z)
        })
        .faced(CELLS, |axis, sign, p| match axis {
            0 => on_panel(GABLE, Vec2::new(0.5 - sign * 0.5 * p.z / HALF.z, 1.0 - p.y / RIDGE)),
            1 => on_panel(STEP, Vec2::new(0.5 + 0.5 * p.x / HALF.x, 0.5 + 0.5 * p.z / HALF.z)),
            _ => on_panel(WALL, Vec2::new(0.5 + sign * 0.5 * p.x / HALF.x, 1.0 - p.y / EAVES)),
        })
}

/// One side of the roof: rows of tiles, each thicker at its lower edge.
fn slope(side: f32) -> Shape {
    const CELLS: [usize; 3] = [7, 2, 28];
    const OVERHANG: f32 = 0.075;
    let down = Vec2::new(HALF.z, EAVES - RIDGE);
    let (down, length) = (down.normalize(), down.length() + OVERHANG);
    let half = Vec3::new(0.45, 0.016, 0.5);
    let flat = rounded_box(half, 0.008, CELLS, 1.0).faced(CELLS, |_, _, p| {
        on_panel(ROOF, Vec2::new(0.5 + side * 0.5 * p.x / half.x, 0.5 + p.z))
    });
    flat.moved(|p| {
        let t = (p.z + 0.5) * TILE_ROWS;
        let thick = if p.y > 0.0 { 0.016 * (t - t.floor()) } else { 0.0 };
        // The two sides overlap under the ridge, so that they share no edge.
        let along = Vec2::new(0.0, RIDGE + 0.014) + down * (length * (p.z + 0.5) - 0.004);
        let out = Vec2::new(-down.y, down.x) * (p.y + thick);
        let at = along + out;
        Vec3::new(side * p.x, at.y, side * at.x)
    })
}

/// Frame, panes, sill and two shutters, facing +z.
fn window() -> Shape {
    let mut shape = block(Vec3::new(0.055, 0.065, 0.016), 0.005, [3, 3, 2], |axis, _| {
        if axis == 2 { WINDOW } else { WOOD }
    });
    shape.add(
        block(Vec3::new(0.068, 0.010, 0.026), 0.004, [3, 2, 2], |_, _| WOOD).at(0.0, -0.072, 0.006),
    );
    shape
}

fn bush(size: f32, seed: u32) -> Shape {
    let ball =
        curved(&[(0.3, 0.02), (0.85, 0.3), (1.0, 0.8), (0.8, 1.35), (0.4, 1.65), (0.05, 1.75)], 11);
    lathe(&ball, 0.01, 1.0, 16)
        .moved(|p| {
            let key = |c: f32| (c * 256.0 + 0.5).floor() as i32;
            let lump = 0.9 + 0.22 * hash(key(p.x) ^ (key(p.y) << 10), key(p.z), seed);
            Vec3::new(p.x * lump, p.y, p.z * lump) * size
        })
        .on(LEAF)
}

fn texture() -> Picture {
    const PLASTER: &[[f32; 3]] = &[
        [110.0, 104.0, 96.0],
        [168.0, 160.0, 148.0],
        [216.0, 198.0, 160.0],
        [246.0, 234.0, 204.0],
        [120.0, 72.0, 40.0],
        [78.0, 44.0, 24.0],
    ];
    atlas(
        256,
        &[
            Panel {
                rect: WALL,
                colors: PLASTER,
                value: |u, v| {
                    let foot = 0.86;
                    if v > foot {
                        let joint = to_joint(u, v - foot, 16.0, 14.0);
                        return if joint < 0.10 {
                            0.0
                        } else {
                            0.5 + 0.5 * stone(u, v - foot, 16.0, 14.0, 2)
                        };
                    }
                    if !(0.025..=0.975).contains(&u) || v < 0.05 || (foot - 0.04..foot).contains(&v)
                    {
                        return 4.2 + 0.6 * noise(u, v, [40, 8], 4);
                    }
                    2.7 + 0.5 * (noise(u, v, [18, 8], 1) - 0.5)
                        + 0.4 * (noise(u, v, [80, 40], 3) - 0.5)
                },
            },
            Panel {
                rect: GABLE,
                colors: PLASTER,
                value: |u, v| {
                    let foot = 1.0 - 0.14 * EAVES / RIDGE;
                    if v > foot {
                        let joint = to_joint(u, v - foot, 12.0, 24.0);
                        return if joint < 0.10 {
                            0.0
                        } else {
                            0.5 + 0.5 * stone(u, v - foot, 12.0, 24.0, 2)
                        };
                    }
                    let beam = 1.0 - EAVES / RIDGE;
                    let posts = [0.03, 0.5, 0.97]
                        .into_iter()
                        .fold(f32::MAX, |d: f32, x| d.min((u - x).abs()));
                    let below = v > beam;
                    let brace = ((u - 0.5).abs() * 1.25 + (v - beam) * 1.0 - 0.02).abs();
                    let wood = (v - beam).abs() < 0.026
                        || (foot - v) < 0.03
                        || (below && posts < 0.028)
                        || (!below && (v - 0.17).abs() < 0.022)
                        || (!below && brace < 0.0);
                    if wood {
                        return 4.2 + 0.6 * noise(u, v, [40, 8], 4);
                    }
                    2.7 + 0.5 * (noise(u, v, [14, 12], 1) - 0.5)
                        + 0.4 * (noise(u, v, [60, 60], 3) - 0.5)
                },
            },
            Panel {
                rect: ROOF,
                colors: &[[74.0, 26.0, 20.0], [164.0, 66.0, 42.0], [214.0, 110.0, 70.0]],
                value: |u, v| {
                    let row = v * TILE_ROWS;
                    let part = row - row.floor();
                    let shift = if row.floor().rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
                    let across = to_line(u * 16.0 + shift);
                    let tone = 0.75
                        + 1.0 * stone(u, v, 16.0, TILE_ROWS, 5)
                        + 0.25 * (noise(u, v, [60, 40], 2) - 0.5);
                    // A tile's rounded lower edge, in shadow beyond it.
                    let edge = 1.0 - 0.28 * (1.0 - 2.0 * across) * (1.0 - 2.0 * across);
                    if part < 0.12 || across < 0.05 || part > edge + 0.2 {
                        0.0
                    } else {
                        tone - 0.4 * (1.0 - part)
                    }
                },
            },
            Panel {
                rect: BRICK,
                colors: &[[196.0, 180.0, 160.0], [150.0, 70.0, 50.0], [110.0, 44.0, 34.0]],
                value: |u, v| {
                    if to_joint(u, v, 4.0, 12.0) < 0.12 {
                        0.0
                    } else {
                        1.0 + stone(u, v, 4.0, 12.0, 7)
                    }
                },
            },
            Panel {
                rect: LEAF,
                colors: &[
                    [26.0, 66.0, 30.0],
                    [70.0, 128.0, 50.0],
                    [140.0, 186.0, 84.0],
                    [236.0, 120.0, 150.0],
                ],
                value: |u, v| {
                    let bloom = to_disc(
                        to_line(u * 9.0 + (v * 6.0).floor() * 0.37),
                        (to_line(v * 6.0 + 0.5)) * 1.0,
                        0.16,
                    );
                    if bloom < 0.0 { 3.0 } else { (0.1 + 2.0 * noise(u, v, [28, 14], 3)).min(2.0) }
                },
            },
            Panel {
                rect: WINDOW,
                colors: &[[30.0, 52.0, 76.0], [132.0, 178.0, 200.0], [250.0, 248.0, 240.0]],
                value: |u, v| {
                    let frame = to_box(u - 0.5, v - 0.5, 0.40, 0.42) > 0.0
                        || (u - 0.5).abs() < 0.045
                        || (v - 0.42).abs() < 0.04;
                    if frame { 2.0 } else { 0.15 + 0.8 * (1.0 - v) * noise(u, v, [3, 3], 6) }
                },
            },
            Panel {
                rect: DOOR,
                colors: &[
                    [18.0, 62.0, 58.0],
                    [40.0, 122.0, 108.0],
                    [248.0, 244.0, 230.0],
                    [246.0, 200.0, 80.0],
                ],
                value: |u, v| {
                    if to_box(u - 0.5, v - 0.54, 0.38, 0.47) > 0.0 {
                        return 2.0;
                    }
                    if to_disc(u - 0.78, (v - 0.58) * 1.8, 0.06) < 0.0
                        || to_box(u - 0.5, v - 0.26, 0.18, 0.08) < 0.0
                    {
                        return 3.0;
                    }
                    let panels = [(0.34, 0.72), (0.66, 0.72)]
                        .into_iter()
                        .fold(f32::MAX, |d: f32, (x, y)| {
                            d.min(to_box(u - x, v - y, 0.10, 0.15).abs())
                        });
                    if panels < 0.02 || to_box(u - 0.5, v - 0.26, 0.22, 0.11) < 0.0 {
                        0.0
                    } else {
                        0.9 + 0.1 * wood_value(u, v)
                    }
                },
            },
            Panel {
                rect: WOOD,
                colors: &[[84.0, 48.0, 26.0], [150.0, 96.0, 56.0]],
                value: wood_value,
            },
            Panel {
                rect: STEP,
                colors: &[[112.0, 108.0, 100.0], [186.0, 180.0, 168.0]],
                value: |u, v| noise(u, v, [14, 14], 4),
            },
        ],
    )
}
