//! A glazed vase with two handles: lobed body, raised bands where the painted bands are, walls of a
//! real thickness. Metres.

use glam::{Vec2, Vec3};
use meshjudge_asset::objects::kit::{
    Picture, Shape, Surface, cos_turn, curve, noise, rod, sin_turn, skin,
};

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
pub(super) fn vase() -> Vec<Surface> {
    let mut shape = body();
    shape.add(handle(1.0));
    shape.add(handle(-1.0));
    vec![Surface {
        shape,
        material: "glazed earthenware",
        color: [1.0; 3],
        metallic: 0.0,
        roughness: 0.18,
        texture: Some(glaze()),
    }]
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
            // Eight lobes from the foot to the belly, under the painted petals; raised bands on the
            // shoulder.
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
    rod(&path, |t| Vec2::new(0.013 - 0.003 * t, 0.0085), Vec3::Z, 9, [0.02, 0.94, 0.1, 0.05])
}

/// White glaze with cobalt bands, a meander, waves and petals; v runs from the foot (1) to the lip
/// (0). Repeats in u.
fn glaze() -> Picture {
    let stops =
        [[24.0, 38.0, 120.0], [60.0, 92.0, 180.0], [236.0, 240.0, 240.0], [246.0, 244.0, 236.0]];
    Picture::ramp(512, 16, &stops, |u, v| {
        let soft = 0.004;
        let inside = |d: f32| (0.5 - d / soft).clamp(0.0, 1.0);
        let band = |from: f32, to: f32| inside((from - v).max(v - to));
        let mut ink: f32 = 0.0;
        for (from, to) in [
            (0.10, 0.125),
            (0.225, 0.235),
            (0.335, 0.345),
            (0.36, 0.385),
            (0.66, 0.67),
            (0.93, 0.97),
        ] {
            ink = ink.max(band(from, to));
        }
        ink = ink.max(meander(u * 16.0, (v - 0.245) / 0.08));
        // A wave of dots between shoulder and belly.
        let wave = (v - 0.52 - 0.05 * sin_turn(u * 8.0)).abs() - 0.008;
        ink = ink.max(inside(wave));
        for centre in [0.44, 0.60] {
            let du = ((u * 16.0 + if centre > 0.5 { 0.5 } else { 0.0 }).fract() - 0.5) / 16.0 * 1.6;
            ink = ink.max(inside((du * du + (v - centre) * (v - centre)).sqrt() - 0.014));
        }
        // Petals that are on the foot, one per lobe.
        let across = ((u * 8.0).fract() - 0.5).abs() * 2.0;
        let height = (0.92 - v) / 0.23;
        let rim = 0.9 * (1.0 - height * height).max(0.0).sqrt() - across;
        if (0.0..1.0).contains(&height) {
            ink = ink
                .max(inside((rim * 0.06).abs() - 0.006))
                .max(0.55 * inside(-(rim - 0.30) * 0.06));
        }
        ink = ink.max(0.35 * band(0.0, 0.05) * (0.6 + 0.4 * cos_turn(u * 32.0)));
        0.93 - 0.93 * ink + 0.05 * noise(u, v, [9, 9], 7)
    })
}

/// A Greek key in a unit cell; 1 is ink. `y` outside 0..1 is empty.
fn meander(x: f32, y: f32) -> f32 {
    const KEY: [&[u8; 8]; 7] =
        [b"########", b"#......#", b"#.####.#", b"#.#..#.#", b"#.#.##.#", b"#.#....#", b"#.######"];
    if !(0.0..1.0).contains(&y) {
        return 0.0;
    }
    let (column, row) = ((x.rem_euclid(1.0) * 8.0) as usize, (y * 7.0) as usize);
    if KEY[row.min(6)][column.min(7)] == b'#' { 1.0 } else { 0.0 }
}
