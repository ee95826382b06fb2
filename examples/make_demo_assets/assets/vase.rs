//! A glazed vase with two handles: lobed body, raised bands where the painted bands are, walls of a real thickness. Metres.

use super::damage;
use super::glb::Surface;
use super::paint;
use super::shape::{Shape, cos_turn, rod, sin_turn, skin};
use super::solid::curve;
use glam::{Vec2, Vec3};

/// Outer profile from the foot to the lip: (radius, height).
const OUTER: [(f32, f32); 11] = [
    (0.062, 0.004),
    (0.066, 0.014),
    (0.060, 0.030),
    (0.078, 0.060),
    (0.118, 0.120),
    (0.140, 0.185),
    (0.136, 0.240),
    (0.100, 0.295),
    (0.056, 0.335),
    (0.050, 0.375),
    (0.074, 0.418),
];
const RINGS: usize = 38;
const COLUMNS: usize = 48;
const WALL: f32 = 0.007;

/// The clean vase.
pub fn vase() -> Vec<Surface> {
    let mut shape = body();
    shape.add(handle(1.0));
    shape.add(handle(-1.0));
    vec![Surface {
        shape,
        material: "glazed earthenware",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.18,
        texture: Some(paint::glaze()),
    }]
}

/// The vase with holes, crumbs, noise and a texture that is blurred and slipped off its relief.
pub fn damaged(clean: &[Surface]) -> Vec<Surface> {
    let mut out = clean.to_vec();
    let surface = &mut out[0];
    let holes = [
        (Vec3::new(0.06, 0.20, 0.12), 0.045),
        (Vec3::new(-0.10, 0.12, 0.06), 0.030),
        (Vec3::new(0.04, 0.41, -0.06), 0.030),
        (Vec3::new(0.165, 0.30, 0.0), 0.032),
    ];
    let mut shape = damage::noise(&damage::holes(&surface.shape, &holes), 0.0028, 5);
    shape.uvs.iter_mut().for_each(|uv| uv.y += 0.045);
    shape.append(damage::crumbs(&[
        (Vec3::new(0.19, 0.12, 0.08), 0.014),
        (Vec3::new(-0.20, 0.34, 0.02), 0.012),
        (Vec3::new(0.10, 0.42, 0.08), 0.010),
        (Vec3::new(-0.08, 0.05, 0.16), 0.011),
    ]));
    surface.shape = shape;
    surface.texture = Some(paint::glaze().coarse(16));
    out
}

/// Outside from the foot's middle up, over the lip, down the inside to its middle.
fn body() -> Shape {
    let inner_rings = 14;
    let total = 1 + RINGS + inner_rings + 1;
    let profile = |ring: usize| match ring {
        0 => Vec2::new(0.0, 0.009),
        r if r <= RINGS => curve(&OUTER, (r - 1) as f32 / (RINGS - 1) as f32),
        r if r <= RINGS + inner_rings => {
            let t = 1.0 - (r - RINGS - 1) as f32 / (inner_rings - 1) as f32 * 0.93;
            curve(&OUTER, t) - Vec2::new(WALL, if r == RINGS + 1 { -0.002 } else { 0.0 })
        }
        _ => Vec2::new(0.0, curve(&OUTER, 0.07).y),
    };
    skin(
        total,
        COLUMNS,
        |ring, turn| {
            let p = profile(ring);
            let is_outer = (1..=RINGS).contains(&ring);
            // Eight lobes from the foot to the belly, under the painted petals; raised bands on the shoulder.
            let t = ring.saturating_sub(1) as f32 / (RINGS - 1) as f32;
            let lobed = if is_outer {
                (1.0 - ((t - 0.24) / 0.2) * ((t - 0.24) / 0.2)).max(0.0)
            } else {
                0.0
            };
            let raised = if is_outer && ((0.62..0.66).contains(&t) || (0.76..0.79).contains(&t)) {
                0.0035
            } else {
                0.0
            };
            let radius = if p.x == 0.0 {
                0.0
            } else {
                p.x * (1.0 - 0.055 * lobed * cos_turn(turn * 8.0)) + raised
            };
            Vec3::new(radius * sin_turn(turn), p.y, radius * cos_turn(turn))
        },
        |ring, turn| {
            let t = ring.saturating_sub(1) as f32 / (RINGS - 1) as f32;
            // The inside takes the plain strip under the lip.
            Vec2::new(turn, if ring > RINGS { 0.08 } else { 1.0 - t })
        },
    )
}

/// A loop from the shoulder to the neck, `side` = ±1 along x.
fn handle(side: f32) -> Shape {
    let path: Vec<Vec3> = (0..15)
        .map(|i| {
            let t = i as f32 / 14.0;
            let turn = 0.5 * t;
            Vec3::new(
                side * (0.112 - 0.070 * t + 0.075 * sin_turn(turn)),
                0.270 + 0.105 * t + 0.02 * sin_turn(turn),
                0.0,
            )
        })
        .collect();
    rod(
        &path,
        |t| Vec2::new(0.013 - 0.003 * t, 0.0085),
        Vec3::Z,
        9,
        [0.02, 0.94, 0.1, 0.05],
    )
}
