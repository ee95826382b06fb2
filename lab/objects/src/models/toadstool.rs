//! A red toadstool with a small one at its foot; the white spots are raised where they are painted.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Panel, Picture, Rect, Shape, Surface, atlas, cos_turn, curved, inside, lathe, noise, on_panel,
    sin_turn, skin, wave,
};

const CAP: Rect = [0.0, 0.0, 1.0, 0.5];
const GILLS: Rect = [0.0, 0.5, 1.0, 0.2];
const STEM: Rect = [0.0, 0.7, 1.0, 0.3];

/// Around (turns), up from the rim (turns), size on a unit ball.
const SPOTS: [(f32, f32, f32); 17] = [
    (0.02, 0.060, 0.15),
    (0.15, 0.085, 0.17),
    (0.27, 0.040, 0.14),
    (0.37, 0.100, 0.15),
    (0.49, 0.055, 0.17),
    (0.61, 0.090, 0.14),
    (0.72, 0.045, 0.16),
    (0.84, 0.095, 0.17),
    (0.94, 0.030, 0.10),
    (0.09, 0.155, 0.15),
    (0.31, 0.165, 0.17),
    (0.53, 0.150, 0.14),
    (0.76, 0.160, 0.16),
    (0.20, 0.025, 0.09),
    (0.44, 0.020, 0.08),
    (0.66, 0.022, 0.09),
    (0.90, 0.235, 0.13),
];

/// The clean toadstools.
pub(super) fn toadstool() -> Vec<Surface> {
    let mut shape = one(38, 17, 7);
    // Scaled, leaning away, its foot in the large one's.
    shape.add(one(22, 10, 3).moved(|p| {
        let p = p * 0.42;
        Vec3::new(p.x + 0.235 + 0.30 * p.y, p.y, p.z + 0.10 + 0.12 * p.y)
    }));
    vec![Surface {
        shape,
        material: "toadstool",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.45,
        texture: Some(texture()),
    }]
}

fn one(sides: usize, dome_rings: usize, under_rings: usize) -> Shape {
    let stem = [
        (0.100, 0.00),
        (0.165, 0.02),
        (0.185, 0.08),
        (0.150, 0.18),
        (0.115, 0.32),
        (0.102, 0.46),
        (0.098, 0.62),
    ];
    let mut shape = lathe(&curved(&stem, dome_rings), 0.01, 0.1, sides * 2 / 3).on(STEM);
    let skirt = [(0.09, 0.445), (0.195, 0.385), (0.205, 0.395), (0.09, 0.485)];
    shape.add(lathe(&skirt, 0.006, 0.06, sides * 2 / 3).on([0.0, 0.7, 1.0, 0.1]));
    shape.add(cap(sides, dome_rings, under_rings));
    shape
}

/// From the middle of the underside out to the rim, over the top; the rim is there twice, once for
/// each panel.
fn cap(sides: usize, dome_rings: usize, under_rings: usize) -> Shape {
    let under = |ring: usize| ring as f32 / under_rings as f32;
    let up = |ring: usize| 0.25 * (ring - under_rings - 1) as f32 / dome_rings as f32;
    skin(
        under_rings + dome_rings + 2,
        sides,
        |ring, turn| {
            let around = Vec3::new(sin_turn(turn), 0.0, cos_turn(turn));
            if ring <= under_rings {
                let t = under(ring);
                return around * (0.49 * t) + Vec3::Y * (0.60 - 0.10 * t * t);
            }
            let up = up(ring);
            let across = if ring == under_rings + dome_rings + 1 { 0.0 } else { cos_turn(up) };
            let raised =
                if ring == under_rings + 1 { 0.0 } else { 0.018 * inside(spot(turn, up), 0.16) };
            let out = 1.0 + raised / 0.45;
            around * (0.49 * across * out) + Vec3::Y * (0.50 + 0.40 * sin_turn(up) * out)
        },
        |ring, turn| {
            if ring <= under_rings {
                on_panel(GILLS, Vec2::new(turn, 1.0 - under(ring)))
            } else {
                on_panel(CAP, Vec2::new(turn, 1.0 - 4.0 * up(ring)))
            }
        },
    )
}

/// Distance to the nearest spot's edge on a unit ball.
fn spot(turn: f32, up: f32) -> f32 {
    let on_ball = |turn: f32, up: f32| {
        Vec3::new(cos_turn(up) * sin_turn(turn), sin_turn(up), cos_turn(up) * cos_turn(turn))
    };
    let at = on_ball(turn, up);
    SPOTS.iter().fold(f32::MAX, |nearest, &(turn, up, size)| {
        nearest.min((at - on_ball(turn, up)).length() - size)
    })
}

fn texture() -> Picture {
    atlas(
        256,
        &[
            Panel {
                rect: CAP,
                colors: &[
                    [128.0, 14.0, 14.0],
                    [214.0, 38.0, 26.0],
                    [190.0, 160.0, 130.0],
                    [252.0, 246.0, 228.0],
                ],
                value: |u, v| {
                    let edge = spot(u, 0.25 * (1.0 - v)) + 0.02 * (noise(u, v, [40, 14], 3) - 0.5);
                    let red = 0.35 + 0.75 * noise(u, v, [48, 10], 1) + 0.3 * noise(u, v, [9, 3], 2)
                        - 0.5 * v * v;
                    let white = 0.75 + 0.25 * noise(u, v, [64, 24], 4);
                    // Over two texels from one to the other.
                    let share = inside(edge, 0.05);
                    red.clamp(0.0, 1.0) * (1.0 - share) + (2.0 + white) * share
                },
            },
            Panel {
                rect: GILLS,
                colors: &[[150.0, 126.0, 96.0], [244.0, 234.0, 212.0]],
                value: |u, v| 0.55 + 0.45 * wave(u * 56.0) - 0.25 * v,
            },
            Panel {
                rect: STEM,
                colors: &[[96.0, 84.0, 52.0], [196.0, 182.0, 150.0], [246.0, 240.0, 222.0]],
                value: |u, v| {
                    let fibres = 0.6 * noise(u, v, [52, 3], 6) + 0.4 * noise(u, v, [90, 8], 7);
                    let earth =
                        1.4 * inside(0.90 + 0.10 * (noise(u, v, [12, 2], 8) - 0.5) - v, 0.12);
                    1.15 + 0.85 * fibres - earth
                },
            },
        ],
    )
}
