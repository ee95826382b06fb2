//! An apple tree: bark with furrows, roots, a crown of lumpy green masses, red apples; a birdhouse
//! hangs to +z.

use glam::Vec3;
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Surface, atlas, ball, bar, block, cos_turn, hash, inside, lathe, lumpy,
    noise, sin_turn, to_disc, to_line, tube,
};

const BARK: Rect = [0.0, 0.0, 0.4, 0.5];
const LEAF: Rect = [0.4, 0.0, 0.6, 0.5];
const APPLE: Rect = [0.0, 0.5, 0.3, 0.3];
const HOUSE: Rect = [0.3, 0.5, 0.3, 0.3];
const GRASS: Rect = [0.6, 0.5, 0.4, 0.3];
const RED: Rect = [0.0, 0.8, 0.4, 0.2];

/// Middle and radius of each mass of leaves.
const CROWN: [([f32; 3], f32); 7] = [
    ([0.0, 1.28, 0.0], 0.38),
    ([0.34, 1.05, 0.10], 0.29),
    ([-0.33, 1.08, 0.08], 0.30),
    ([0.05, 1.02, 0.32], 0.26),
    ([-0.06, 1.05, -0.33], 0.30),
    ([0.20, 1.45, 0.12], 0.22),
    ([-0.20, 1.42, -0.10], 0.23),
];

/// The clean tree.
pub(super) fn apple_tree() -> Vec<Surface> {
    let trunk: Vec<Vec3> = (0..=14)
        .map(|i| {
            let t = i as f32 / 14.0;
            Vec3::new(0.04 * sin_turn(0.6 * t), 0.02 + 1.05 * t, 0.02 * sin_turn(0.9 * t))
        })
        .collect();
    let mut shape = tube(&trunk, 28, |t, turn| {
        (0.085 + 0.075 * (1.0 - t) * (1.0 - t) * (1.0 - t))
            * (1.0 + 0.09 * cos_turn(7.0 * turn) * (1.0 - t))
    })
    .on(BARK);
    for (turn, reach) in [(0.05, 0.30), (0.30, 0.27), (0.55, 0.31), (0.78, 0.26)] {
        let root: Vec<Vec3> = (0..=6)
            .map(|i| {
                let t = i as f32 / 6.0;
                let out = 0.06 + (reach - 0.06) * t;
                Vec3::new(
                    out * sin_turn(turn),
                    0.12 * (1.0 - t) * (1.0 - t) + 0.015,
                    out * cos_turn(turn),
                )
            })
            .collect();
        shape.add(tube(&root, 10, |t, _| 0.055 - 0.038 * t).on(BARK));
    }
    for (x, y, z) in
        [(0.30, 1.02, 0.08), (-0.30, 1.04, 0.06), (0.03, 0.98, 0.28), (-0.05, 1.0, -0.28)]
    {
        shape.add(bar(Vec3::new(0.02, 0.72, 0.0), Vec3::new(x, y, z), 0.038, 5, 10).on(BARK));
    }
    for (i, (at, radius)) in CROWN.into_iter().enumerate() {
        let [x, y, z] = at;
        let mass =
            lumpy(ball(Vec3::new(1.0, 0.86, 1.0) * radius, 16, 26), 0.11, 0.085, 3 * i as u32);
        shape.add(mass.turned(0.13 * i as f32).at(x, y, z).on(LEAF));
        for k in 0..3 {
            let (turn, up) = (hash(i as i32, k, 8), 0.22 * hash(i as i32, k, 9) - 0.12);
            let out = Vec3::new(
                cos_turn(up) * sin_turn(turn),
                0.86 * sin_turn(up),
                cos_turn(up) * cos_turn(turn),
            );
            let apple = Vec3::from(at) + out * (radius * 1.01);
            shape.add(
                ball(Vec3::new(0.042, 0.038, 0.042), 7, 12).at(apple.x, apple.y, apple.z).on(APPLE),
            );
        }
    }
    shape.add(
        lumpy(lathe(&[(0.42, 0.0), (0.40, 0.02), (0.20, 0.05)], 0.01, 0.06, 32), 0.10, 0.03, 40)
            .on(GRASS),
    );
    // The birdhouse on the trunk.
    shape.add(
        block(Vec3::new(0.062, 0.075, 0.055), 0.006, [3, 3, 3], |_, _| HOUSE).at(0.03, 0.52, 0.155),
    );
    for side in [-1.0, 1.0] {
        shape.add(
            block(Vec3::new(0.060, 0.009, 0.075), 0.005, [3, 1, 3], |_, _| RED)
                .rolled(-0.10 * side)
                .at(0.03 + 0.042 * side, 0.615, 0.16),
        );
    }
    vec![Surface::painted("apple tree", 0.8, shape, texture())]
}

fn texture() -> Picture {
    atlas(
        512,
        &[
            Panel {
                rect: BARK,
                colors: &[[44.0, 30.0, 20.0], [104.0, 76.0, 52.0], [152.0, 122.0, 90.0]],
                value: |u, v| {
                    let furrow = to_line(u * 11.0 + 0.35 * noise(u, v, [6, 9], 2)) * 2.0;
                    1.7 * furrow + 0.6 * (noise(u, v, [30, 14], 1) - 0.4)
                },
            },
            Panel {
                rect: LEAF,
                colors: &[
                    [18.0, 58.0, 22.0],
                    [44.0, 106.0, 36.0],
                    [96.0, 158.0, 56.0],
                    [160.0, 204.0, 92.0],
                ],
                value: |u, v| {
                    // Small leaves: each cell has a spot of its own light.
                    let (x, y) = (u * 34.0, v * 17.0);
                    let shift = if y.floor().rem_euclid(2.0) < 0.5 { 0.0 } else { 0.5 };
                    let (fx, fy) = ((x + shift).fract() - 0.5, y.fract() - 0.5);
                    let tone = hash((x + shift).floor() as i32 % 34, y.floor() as i32, 6);
                    let leaf = to_disc(fx * 1.1 + 0.4 * fy, fy, 0.42);
                    if leaf < 0.0 { 0.9 + 2.0 * tone - 0.8 * v } else { 0.3 }
                },
            },
            Panel {
                rect: APPLE,
                colors: &[
                    [110.0, 140.0, 40.0],
                    [232.0, 200.0, 80.0],
                    [214.0, 44.0, 36.0],
                    [150.0, 16.0, 26.0],
                ],
                value: |u, v| 1.7 + noise(u, v * 0.4, [10, 3], 3) - 1.5 * inside(v - 0.1, 0.1),
            },
            Panel {
                rect: HOUSE,
                colors: &[
                    [30.0, 20.0, 16.0],
                    [90.0, 150.0, 170.0],
                    [140.0, 196.0, 210.0],
                    [250.0, 244.0, 226.0],
                ],
                value: |u, v| {
                    let hole = to_disc(u - 0.5, v - 0.42, 0.20);
                    if hole < 0.0 {
                        0.0
                    } else if hole < 0.06 {
                        3.0
                    } else if to_line(v * 5.0) < 0.06 {
                        1.0
                    } else {
                        2.0
                    }
                },
            },
            Panel {
                rect: GRASS,
                colors: &[[40.0, 82.0, 30.0], [92.0, 146.0, 58.0], [250.0, 230.0, 120.0]],
                value: |u, v| {
                    if noise(u, v, [60, 20], 7) > 0.93 {
                        2.0
                    } else {
                        0.2 + 0.8 * noise(u, v, [70, 16], 6)
                    }
                },
            },
            Panel {
                rect: RED,
                colors: &[[120.0, 24.0, 22.0], [206.0, 60.0, 48.0]],
                value: |_, v| if to_line(v * 5.0) < 0.1 { 0.0 } else { 0.9 },
            },
        ],
    )
}
